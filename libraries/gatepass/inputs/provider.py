"""Who tests a gateway and answers for the certificate: ``provider.yaml``."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from gatepass.base.files import path_from, trouble_with
from gatepass.inputs.schema import InputFile, Mistake, text

NAME = "provider.yaml"
A_LOGO = "the path of a picture, .svg or .png, of at most 64 KB"
_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}
_LARGEST_LOGO = 64 * 1024
_BEGINS = {".png": (b"\x89PNG\r\n\x1a\n",), ".svg": (b"<svg", b"<?xml")}


def _picture(value: Any, info: ValidationInfo) -> Path:
    if not isinstance(value, str) or not value:
        raise Mistake(A_LOGO)
    path = path_from(info.context["folder"], value)
    if trouble := trouble_with(path):
        raise Mistake(A_LOGO, f"The file, sought in {path.parent}, {trouble}.")
    return path


def _shown(path: Path) -> Path:
    known = path.suffix.lower()
    if known not in _TYPES or path.stat().st_size > _LARGEST_LOGO:
        raise Mistake(A_LOGO, "Save it as one of these, and smaller.")
    if not path.read_bytes().lstrip().startswith(_BEGINS[known]):
        raise Mistake(A_LOGO, f"It is no picture of its ending, {known}.")
    return path


class Provider(InputFile):
    """``provider.yaml``."""

    name: str = text("the provider's name, in one line")
    contact: str = text("where the provider is reached, in one line")
    operator: str | None = text("who tests, in one line", default=None)
    place: str | None = text("where the test is made, in one line", default=None)
    records: str | None = text(
        "the address where records are kept, http:// or https://", r"^https?://\S+$", default=None
    )
    logo: Annotated[Path, BeforeValidator(_picture), AfterValidator(_shown)] | None = Field(
        default=None, description=A_LOGO
    )

    def facts(self) -> dict[str, str]:
        """What a run's record says of the provider; the logo as a data address."""
        told = self.model_dump(exclude={"logo"}, exclude_none=True)
        if self.logo:
            content = base64.b64encode(self.logo.read_bytes()).decode()
            told["logo"] = f"data:{_TYPES[self.logo.suffix.lower()]};base64,{content}"
        return told


def provider_file(testbed: Path | None, variables: Path) -> Path | None:
    """The file that names the provider: beside the testbed's, or that of the installation.

    Args:
        testbed: the testbed's file; None where it is not built yet.
        variables: the folder of catalogue and profiles.
    """
    beside = (testbed.absolute().parent / NAME,) if testbed else ()
    return next((path for path in (*beside, variables / NAME) if path.exists()), None)


def load_provider(path: Path | None) -> Provider | None:
    """Read who the provider is; None where no file says so.

    Raises:
        InputError: the file is wrong, in one sentence.
    """
    return Provider.read(path) if path else None

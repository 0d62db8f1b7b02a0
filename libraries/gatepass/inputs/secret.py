"""Secrets: a testbed or an option names where they lie, and they are read when they are needed."""

import os
from pathlib import Path
from typing import Self

from pydantic import PrivateAttr, ValidationError, ValidationInfo, model_validator

from gatepass.base.errors import InputError
from gatepass.base.files import path_from, trouble_with
from gatepass.base.ownership import secret_trouble
from gatepass.inputs.schema import Mistake, Model, text

LARGEST_SECRET = 4096
OWN = "GATEPASS_"
"""What the names of environment variables begin with that a testbed may name."""


class SecretReference(Model):
    """``{env: NAME}`` or ``{file: path}``. Holds the place of a secret, never the secret."""

    env: str | None = text(
        "the name of an environment variable, in capitals", r"^[A-Z_][A-Z0-9_]*$", default=None
    )
    file: str | None = text("the path of a file that holds the secret alone", default=None)

    _folder: Path = PrivateAttr()
    _named_at: str = PrivateAttr(default="")

    @model_validator(mode="after")
    def _one_place(self, info: ValidationInfo) -> Self:
        if (self.env is None) == (self.file is None):
            raise Mistake("either {env: NAME} or {file: path}", "Keep one of the two.")
        self._folder = info.context["folder"]
        return self

    def named_at(self, file: Path, key: str) -> None:
        """Remember which key of which file names this secret, for the sentence of `read`."""
        self._named_at = f"{file}, key '{key}'"

    @classmethod
    def of_option(cls, option: str, place: str) -> Self:
        """Of a call: ``env:NAME`` or ``file:PATH``, as OpenSSL has them.

        Args:
            option: with its dashes, for sentences.
            place: what stands after it; it is not shown, as it may be the secret itself.

        Raises:
            InputError: it names no place.
        """
        kind, _, name = place.partition(":")
        try:
            named = cls.model_validate({kind: name}, context={"folder": Path.cwd()})
        except ValidationError:
            pass
        else:
            named._named_at = option
            return named
        # Raised here, and not above, so that it does not carry the value that pydantic saw.
        raise InputError(
            f"{option}: this is no place of a secret, which itself never stands in a call. Write "
            "env:NAME, in capitals, or file:PATH."
        )

    def must_be_meant(self) -> None:
        """An environment holds secrets of other programs as well, which no testbed may send away.

        Raises:
            InputError: a variable is named that is not Gatepass' own.
        """
        if self.env and not self.env.startswith(OWN):
            raise self._refusal(
                f"the environment variable {self.env} may be the secret of another program",
                f"Name one that begins with {OWN}",
            )

    def read(self, least: int = 1) -> str:
        """Read the secret now; it is kept nowhere.

        Args:
            least: how many characters it has to have.

        Raises:
            InputError: it is missing, empty, readable by everybody or no single word; the sentence
                names file, key and remedy and holds nothing of the secret.
        """
        secret = self._kept()
        # Anything else would break the HTTP header that carries it, and show in the error for that.
        if not (secret.isascii() and secret.isprintable() and " " not in secret):
            raise self._refusal("the secret is not one word of plain letters", "Store it alone")
        if len(secret) < least:
            raise self._refusal(f"the secret has less than {least} characters", "Choose a longer")
        return secret

    def read_phrase(self) -> str:
        """Read a secret that may have letters of any kind, and spaces between them.

        Raises:
            InputError: it is missing, empty, readable by everybody or no line of text.
        """
        secret = self._kept()
        if not secret.isprintable():
            raise self._refusal("the secret is not one line of text", "Store it alone")
        return secret

    def _kept(self) -> str:
        return self._from_environment() if self.env else self._from_file()

    def _from_environment(self) -> str:
        secret = os.environ.get(self.env or "", "").strip()
        if not secret:
            raise self._refusal(
                f"the environment variable {self.env} is not set or empty",
                "Set it in the shell that starts Gatepass",
            )
        return secret

    def _from_file(self) -> str:
        path = path_from(self._folder, self.file or "")
        trouble = trouble_with(path)
        if trouble:
            raise self._refusal(f"the secret's file, sought in {path.parent}, {trouble}", "Mend it")
        if trouble := secret_trouble(path):
            raise self._refusal(
                f"the secret's file {trouble}", "Make it yours alone with `chown` and `chmod 600`"
            )
        with path.open("rb") as stream:
            secret = stream.read(LARGEST_SECRET + 1).decode("utf-8", errors="replace").strip()
        if not secret or len(secret) > LARGEST_SECRET:
            raise self._refusal("the secret's file holds no secret", "Store it alone")
        return secret

    def _refusal(self, found: str, remedy: str) -> InputError:
        return InputError(f"{self._named_at}: {found}. {remedy}.")

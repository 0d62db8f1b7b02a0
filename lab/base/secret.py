"""The secrets of one lab, made anew for each, and how they get on disk."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

GUI_ADMINISTRATOR = "gatepass-gui"
"""Who may look at everything in the gateway's web page, and change nothing."""
# Without vowels and what is easily misread, as FortiOS makes them.
_TOKEN_LETTERS = "0123456789bcdfghjkmnpqrstwxyzGHNQ"
_TOKEN_LENGTH = 30


def write_secret(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, at no moment anyone else."""
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


@dataclass(frozen=True)
class Secrets:
    """What lets a test run in at the gateway.

    Attributes:
        token: for the REST API, of the length that FortiOS gives them.
        gui_password: of the administrator who may only look.
    """

    token: str
    gui_password: str

    @classmethod
    def new(cls) -> "Secrets":
        """Some that nobody had before."""
        return cls(_word(), _word())

    def write(self, folder: Path) -> None:
        """Write each into a file of its own."""
        write_secret(folder / "api-token", self.token.encode())
        write_secret(folder / "gui-password", self.gui_password.encode())


def _word() -> str:
    return "".join(secrets.choice(_TOKEN_LETTERS) for _ in range(_TOKEN_LENGTH))

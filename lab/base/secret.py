"""The secrets of one lab, made anew for each, and how they get on disk."""

import os
import secrets
from pathlib import Path

# Without vowels and what is easily misread, as FortiOS makes them.
_TOKEN_LETTERS = "0123456789bcdfghjkmnpqrstwxyzGHNQ"
_TOKEN_LENGTH = 30


def write_secret(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, at no moment anyone else."""
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


def api_token() -> str:
    """A token for the REST API, of the length that FortiOS gives them."""
    return "".join(secrets.choice(_TOKEN_LETTERS) for _ in range(_TOKEN_LENGTH))

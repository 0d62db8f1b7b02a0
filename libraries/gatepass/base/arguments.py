"""What the commands' parsers share: mistakes in a call are one sentence."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from gatepass.base.errors import InputError

_LONGEST_PATH, _LONGEST_NAME = 4000, 255
"""In bytes; Linux takes no longer ones (path_resolution(7))."""


class Parser(argparse.ArgumentParser):
    """Mistakes in the call are one sentence and exit code 64."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message[0].upper()}{message[1:]}. See {self.prog} --help.")


def any_path(name: str) -> Path:
    """A path of a file or a folder; an empty name would be this very folder."""
    if not name:
        raise argparse.ArgumentTypeError("the name of the file is empty")
    parts = Path(name).parts
    if len(os.fsencode(name)) > _LONGEST_PATH or any(
        len(os.fsencode(part)) > _LONGEST_NAME for part in parts
    ):
        raise argparse.ArgumentTypeError(f"'{name[:60]}…' is too long for the name of a file")
    return Path(name)


def file(name: str) -> Path:
    """The path of a file; ``.`` and ``/`` are none."""
    if name and not Path(name).name:
        raise argparse.ArgumentTypeError(f"'{name}' is a folder; name a file")
    return any_path(name)


def split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our own words, and Robot's after the first ``--``."""
    words = list(arguments)
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]

"""What the commands' parsers share: mistakes in a call are one sentence."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from gatepass.base.errors import InputError


class Parser(argparse.ArgumentParser):
    """Mistakes in the call are one sentence and exit code 64."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message[0].upper()}{message[1:]}. See {self.prog} --help.")


def file(name: str) -> Path:
    """A path; an empty name would be this very folder."""
    if not name:
        raise argparse.ArgumentTypeError("the name of the file is empty")
    if not Path(name).name:
        raise argparse.ArgumentTypeError(f"'{name}' is a folder; name a file")
    return Path(name)


def split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our own words, and Robot's after the first ``--``."""
    words = list(arguments)
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]

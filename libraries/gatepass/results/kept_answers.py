"""What programs answered, kept beside the record: an observation is made of it, and made again.

A check that decides by such an answer writes it into a file of its own below the run's folder
first, and decides by what it has written. So whoever looks at the run later makes the observation
again by the very function that decided.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from gatepass.base.files import contents
from gatepass.base.masking import masked
from gatepass.results.record import Evidence
from gatepass.results.shapes import as_json, held_against

FOLDER = "evidence"
_LONGEST_NAME = 80
_LARGEST_MIB = 4
"""Of a file; a check keeps some KiB."""


class Answer(ABC):
    """What was answered; a dataclass that JSON can hold.

    Attributes:
        CLAIMS: names of the claims that observations of this kind are about.
    """

    CLAIMS: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def evidence(self) -> Evidence:
        """The observation that follows; of the answer alone."""

    def contradictions(self) -> Iterator[str]:
        """What in it does not agree with the rest of it, each in a clause; nothing unless said."""
        yield from ()

    def of_run(self) -> Mapping[str, object]:
        """What all answers of a run have in common, as far as they tell of it."""
        return {}


Kind = TypeVar("Kind", bound=Answer)


@dataclass(frozen=True)
class Kept:
    """An answer in its file.

    Attributes:
        number: counted through the run, from 1.
        chapter, check: whose it is.
        answer: what was answered.
        file: of the run, from its folder on.
    """

    number: int
    chapter: str
    check: str
    answer: Answer
    file: str


class AnswerFiles:
    """The files of one run.

    Args:
        folder: of the run.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written = 0

    def keep(
        self, chapter: str, check: str, answer: Kind, secrets: Iterable[str] = ()
    ) -> tuple[int, Kind]:
        """Write an answer down.

        Args:
            chapter, check: whose it is.
            answer: of the check.
            secrets: that must not stand in it.

        Returns:
            Its number, and the answer as it was written: without secrets.

        Raises:
            OSError: it cannot be written.
        """
        number, content = self._written + 1, masked(as_json(answer), secrets)
        head = {"number": number, "chapter": chapter, "check": check}
        line = json.dumps(head | {"kind": type(answer).__name__, "answer": content})
        self._append(self._folder / file_of(chapter, check), line)
        self._written = number
        return number, held_against(type(answer), json.loads(line)["answer"])

    def _append(self, path: Path, line: str) -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def file_of(chapter: str, check: str) -> str:
    """The file of a check's answers, from the run's folder on."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", f"{chapter} {check}").strip("-")
    return f"{FOLDER}/{name[:_LONGEST_NAME] or 'run'}.jsonl"


def read(folder: Path, kinds: Mapping[str, type[Answer]]) -> Iterator[Kept | str]:
    """The answers that a run has kept, file by file.

    Args:
        folder: of the run.
        kinds: of answers, by their names.

    Yields:
        Each answer; where a line cannot be read, a clause that says which.
    """
    for path in sorted((folder / FOLDER).glob("*.jsonl")):
        name = path.relative_to(folder).as_posix()
        try:
            lines = contents(path, _LARGEST_MIB).decode("utf-8").splitlines()
        except (OSError, ValueError) as error:
            yield f"{name} cannot be read: {error}"
            continue
        for place, line in enumerate(lines, start=1):
            try:
                yield _kept(json.loads(line), name, kinds)
            except (ValueError, KeyError, TypeError):
                yield f"{name}, line {place}: this is no answer that Gatepass keeps"


def _kept(told: Any, name: str, kinds: Mapping[str, type[Answer]]) -> Kept:
    number, chapter, check = (told[key] for key in ("number", "chapter", "check"))
    if not (isinstance(number, int) and isinstance(chapter, str) and isinstance(check, str)):
        raise ValueError("a head of other types")
    return Kept(number, chapter, check, held_against(kinds[told["kind"]], told["answer"]), name)

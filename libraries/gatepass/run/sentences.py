"""Whether every sentence that is to run says what can be done, before anything is contacted.

Robot's own dry run holds each word of a keyword against the type that it may have, but does not
look through the variables of a user keyword, so that a row of a template is not seen. Here each
user keyword is replaced by its steps, with the row's words in them, and then the dry run sees all.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from robot.api import TestSuite
from robot.running import Keyword, ResourceFile, TestCase, UserKeyword

from gatepass.base.errors import InputError

_PREFIX = re.compile(r"^(given|when|then|and|but)\s+", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_REFUSED = re.compile(
    r"ValueError: Argument '(?P<name>.+)' got value '(?P<word>.*)' "
    r"that cannot be converted to (?P<allowed>.+)\."
)


def must_be_sound(checks: TestSuite, suites: Path) -> None:
    """Look at the sentences of each check that is to run.

    Args:
        checks: they, in their suites; their bodies are replaced by their steps.
        suites: the folder of these.

    Raises:
        InputError: one holds a word that its keyword does not know, or is no keyword's at all.
    """
    if mistakes := list(_mistakes(checks, suites)):
        others = len(mistakes) - 1
        more = f" ({others} more check{'s are' if others > 1 else ' is'} wrong)" if others else ""
        raise InputError(f"{mistakes[0]}{more}.")


def _mistakes(root: TestSuite, suites: Path) -> Iterator[str]:
    read = cache(ResourceFile.from_file_system)  # a few files, for a hundred checks
    for test in root.all_tests:
        known = _user_keywords(test, read)
        test.body = [step for one in test.body for step in _steps(one, known)]
    nowhere = io.StringIO()
    done = root.run(dryrun=True, output=None, console="none", stdout=nowhere, stderr=nowhere)
    for test in done.suite.all_tests:
        if test.failed:
            file = Path(str(test.source)).relative_to(suites.parent)
            yield f"{file}, check “{test.name}”: {_words(test.message)}"


def _words(message: str) -> str:
    """What Robot says, in a reader's words."""
    if found := _REFUSED.search(message):
        allowed = found["allowed"].replace("'", "")
        return f"“{found['word']}” is not known as “{found['name']}”; allowed: {allowed}"
    first, *suggested = message.splitlines()
    return first.rstrip(".") if not suggested else " ".join([first, *map(str.strip, suggested)])


def _user_keywords(
    test: TestCase, read: Callable[[Path], ResourceFile]
) -> dict[str, UserKeyword]:
    """Those of a check's own file and of the resources that it takes in, by their plain names."""
    suite, found = test.parent, {}
    pending = [(suite.resource, Path(str(suite.source)).parent)]
    while pending:
        resource, folder = pending.pop()
        found |= {_plain(one.name): one for one in resource.keywords}
        for taken in resource.imports:
            if taken.type == "RESOURCE":
                path = folder / taken.name
                pending.append((read(path.resolve()), path.parent))
    return found


def _steps(step: Keyword, known: Mapping[str, UserKeyword]) -> Sequence[Keyword]:
    """A step, or the steps that it is composed of."""
    if (found := _composed(step, known)) is None:
        return [step]
    composed, words = found

    def filled(text: str) -> str:
        return _VARIABLE.sub(lambda found: words.get(found[1], found[0]), text)

    return [
        last
        for inner in composed.body
        for last in _steps(
            Keyword(filled(inner.name), [filled(str(word)) for word in inner.args]), known
        )
    ]


def _composed(
    step: Keyword, known: Mapping[str, UserKeyword]
) -> tuple[UserKeyword, dict[str, str]] | None:
    """The user keyword behind a step, and the words that it is given; None where it is none.

    What has too few words or too many is none either: the dry run refuses it as it stands.
    """
    name = _PREFIX.sub("", step.name or "")
    if (one := known.get(_plain(name))) and len(step.args) == len(one.args.positional):
        return one, dict(zip(one.args.positional, map(str, step.args), strict=True))
    for one in known.values():
        if one.embedded and (found := one.embedded.name.fullmatch(name)):
            return one, dict(zip(one.embedded.args, found.groups(), strict=True))
    return None


def _plain(name: str) -> str:
    return re.sub(r"[\s_]", "", _PREFIX.sub("", name)).casefold()

"""What was looked at before a test, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gatepass.base.errors import NotProven


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        where: whose it is: gateway, client, server, peer, or "here" for this machine.
        what: that was found, in a sentence without its full stop.
        remedy: what to do about it, in whole sentences; empty where nothing needs to be done.
        keeps: short names of the chapters whose checks it keeps from being proven.
        commands: that do it, a line each, for copying.
    """

    where: str
    what: str
    remedy: str = ""
    keeps: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.what}.{' ' * bool(self.remedy)}{self.remedy}"

    @property
    def sentence(self) -> str:
        """What was found and what to do, from a capital on."""
        return capital(str(self))


def capital(text: str) -> str:
    """A text that begins a sentence."""
    return text[:1].upper() + text[1:]


def must_be_fine(findings: Iterable[Finding]) -> None:
    """Nothing of it keeps a check from being proven.

    Raises:
        NotProven: something does, in the words of the findings.
    """
    if wrong := [str(finding) for finding in findings if finding.keeps]:
        first, *others = wrong
        raise NotProven(" ".join([first, *map(capital, others)]))


def found_by(call: Callable[[], object], where: str, keeps: Iterable[str]) -> list[Finding]:
    """What a call that looks for itself complains of; empty where it does not.

    Args:
        call: raises NotProven with what it found and what to do.
        where, keeps: see `Finding`.
    """
    try:
        call()
    except NotProven as wrong:
        return [Finding(where, str(wrong.reason).rstrip("."), keeps=tuple(keeps))]
    return []

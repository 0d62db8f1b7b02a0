"""Which runs of the record are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from gatepass.base.errors import InputError
from gatepass.history.series import RecordedRun, Trend
from gatepass.history.store import seconds

_MOST_NAMED = 8


@dataclass(frozen=True)
class Selection:
    """What was asked for; None where it was left out.

    Attributes:
        gateway: a serial number.
        tier: such as "SGW-200".
        version: of FortiOS, or its beginning: "7.4" for all of 7.4.
        promise: part of a promise's name or its conditions, in any case.
        since: only runs from this day on.
    """

    gateway: str | None = None
    tier: str | None = None
    version: str | None = None
    promise: str | None = None
    since: date | None = None

    def runs(self, known: Sequence[RecordedRun]) -> list[RecordedRun]:
        """The runs that are asked for, in their order.

        Raises:
            InputError: none has that serial number, tier or version, or is that new.
        """
        chosen = list(known)
        for option, wanted, name, fits in (
            ("--gateway", self.gateway, lambda run: run.serial, _same),
            ("--tier", self.tier, lambda run: run.tier, _same),
            ("--version", self.version, lambda run: run.version, _version_fits),
        ):
            if wanted is not None:
                chosen = _chosen(chosen, option, wanted, name, fits)
        if self.since is not None:
            midnight = datetime(self.since.year, self.since.month, self.since.day).timestamp()
            late = [run for run in chosen if (seconds(run.started) or 0) >= midnight]
            if chosen and not late:
                raise InputError(
                    f"--since {self.since}: no such run is that new; the last one began "
                    f"{chosen[-1].started or 'at an unknown time'}."
                )
            chosen = late
        return chosen

    def series(self, found: Sequence[Trend]) -> list[Trend]:
        """The figures that are asked for.

        Raises:
            InputError: none has that in its name.
        """
        if self.promise is None:
            return list(found)
        wanted = self.promise.casefold()
        chosen = [one for one in found if one.baseline or wanted in one.name.casefold()]
        if found and not any(not one.baseline for one in chosen):
            names = dict.fromkeys(one.promise for one in found if not one.baseline)
            raise InputError(f"--promise {self.promise[:60]}: there is {_named(names)}.")
        return chosen


def day(text: str) -> date:
    """A day as the command line names it.

    Raises:
        InputError: it is none.
    """
    try:
        wanted = date.fromisoformat(text)
        datetime(wanted.year, wanted.month, wanted.day).timestamp()  # the clock may not reach it
        return wanted
    except (ValueError, OverflowError):
        raise InputError(f"--since '{text[:40]}' is no day. Write it as 2026-11-21.") from None


def _chosen(
    runs: list[RecordedRun],
    option: str,
    wanted: str,
    name: Callable[[RecordedRun], str],
    fits: Callable[[str, str], bool],
) -> list[RecordedRun]:
    chosen = [run for run in runs if fits(name(run), wanted)]
    if runs and not chosen:
        names = dict.fromkeys(name(run) for run in runs if name(run))
        raise InputError(f"{option} {wanted[:60]}: the record has {_named(names)}.")
    return chosen


def _named(names: Iterable[str]) -> str:
    known = sorted(names)
    if not known:
        return "none at all"
    more = len(known) - _MOST_NAMED
    return ", ".join(known[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _same(found: str, wanted: str) -> bool:
    return found.casefold() == wanted.casefold()


def _version_fits(found: str, wanted: str) -> bool:
    number, asked = (text.casefold().removeprefix("v") for text in (found, wanted))
    return number == asked or number.startswith(f"{asked}.")

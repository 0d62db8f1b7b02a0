"""An examination on a terminal: by whose the findings are, and what is to be mended first."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from gatepass.base.chapters import titles
from gatepass.base.finding import Finding
from gatepass.base.printable import shown
from gatepass.doctor.examination import Examination
from gatepass.doctor.outlook import Outlook
from gatepass.run.plan import duration

OK, NOTE, MEND = "ok", "note", "mend"
_WHOSE = ("gateway", "client", "server", "peer", "here")
_CALLED = {"here": "this machine"}
_WIDEST, _NARROWEST = 100, 60
_INDENT = " " * 8


def mark(finding: Finding) -> str:
    """What is to be done about a finding, in a word."""
    if finding.keeps:
        return MEND
    return NOTE if finding.remedy else OK


def page(made: Examination, tiers: Sequence[Outlook], profile: str) -> str:
    """All of it as text.

    Args:
        made: what was found.
        tiers: what orders could prove.
        profile: that their times are of.
    """
    width = max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns))
    lines = [*_head(made)]
    for whose in _WHOSE:
        if own := [finding for finding in made.findings if finding.where == whose]:
            lines += ["", _CALLED.get(whose, whose)]
            for kind in (MEND, NOTE, OK):
                for finding in (one for one in own if mark(one) == kind):
                    lines += _of(finding, made.scope.chapters, width)
    lines += ["", *_table(tiers, profile, width), "", *_end(made)]
    return "\n".join(map(shown, lines))


def _head(made: Examination) -> Iterator[str]:
    testbed, identity = made.scope.testbed, made.identity
    yield f"Testbed {testbed.testbed}: {testbed.gateway.url}"
    if order := made.scope.order:
        yield f"Order   {order.order}: {order.tier}, {order.customer}"
    if identity:
        cpus = f", {identity.vcpus} vCPUs" if identity.vcpus else ""
        memory = f", {identity.memory_mb:,} MiB" if identity.memory_mb else ""
        yield (
            f"Gateway {identity.hostname}: {identity.model} {identity.serial}, FortiOS "
            f"{identity.version} build {identity.build}{cpus}{memory}"
        )


def _of(finding: Finding, chapters: Sequence[str], width: int) -> Iterator[str]:
    yield from _wrapped(str(finding), width, f"  {mark(finding):<6}")
    if finding.keeps:
        kept = _told(finding.keeps, chapters)
        yield from _wrapped(f"Keeps from being proven: {kept}.", width, _INDENT)
    untold = (command for command in finding.commands if command not in finding.remedy)
    yield from (f"{_INDENT}{command}" for command in untold)


def _told(kept: Sequence[str], chapters: Sequence[str]) -> str:
    """Chapters in few words: those that are left out where that are fewer."""
    left = [name for name in chapters if name not in kept]
    if not left:
        return "everything"
    if len(left) < len(chapters) / 3:
        return f"everything but {titles(left)}"
    return titles(kept)


def _wrapped(text: str, width: int, first: str) -> Iterable[str]:
    return textwrap.wrap(
        " ".join(text.split()),
        width,
        initial_indent=first,
        subsequent_indent=_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _table(tiers: Sequence[Outlook], profile: str, width: int) -> Iterator[str]:
    yield f"What an order could prove here, and how long it takes with the profile {profile}"
    for one in tiers:
        time = f"{duration(one.shortest_s)} to {duration(one.longest_s)}"
        first = f"  {one.tier:<8} {one.mbps:>6,.0f} Mbit/s  {time:<18} "
        told = f"all {len(one.chapters)} chapters"
        if one.kept:
            left = [name for name in one.chapters if name not in one.kept]
            told = f"not {_told(one.kept, one.chapters)}" if left else "nothing"
        if one.slow:
            told += f" ({'; '.join(one.slow)})"
        yield from _wrapped(told, width, first)


def _end(made: Examination) -> Iterator[str]:
    wrong = sum(bool(finding.keeps) for finding in made.findings)
    if not wrong:
        yield "Nothing keeps checks from being proven."
    else:
        what = "One finding keeps" if wrong == 1 else f"{wrong} findings keep"
        yield f"{what} checks from being proven; nothing was changed."

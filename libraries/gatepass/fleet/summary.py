"""A fleet in a line: how many of its gateways have which verdict, and what may be handed over."""

from __future__ import annotations

from gatepass.fleet.outcome import FleetOutcome
from gatepass.report.phrases import join
from gatepass.results.record import APPROVED, NOT_PROVEN, REJECTED

MIXED = "mixed"
"""In the place of a verdict where the gateways have several."""
_MEANING = {
    APPROVED: "may be handed over",
    REJECTED: "must not be handed over",
    NOT_PROVEN: "could not be decided",
}
_SHORT = _MEANING | {REJECTED: "must not be"}


def counts(outcome: FleetOutcome) -> dict[str, int]:
    """How many gateways of the plan have which verdict, approved first; none without a gateway."""
    planned = [row.verdict for row in outcome.rows if row.planned]
    return {one: planned.count(one) for one in (APPROVED, REJECTED, NOT_PROVEN) if one in planned}


def common(outcome: FleetOutcome) -> str:
    """The verdict that all gateways have in common; `MIXED` where they have several."""
    found = {row.verdict for row in outcome.rows}
    return found.pop() if len(found) == 1 else MIXED


def headline(outcome: FleetOutcome) -> list[tuple[str, str]]:
    """Counts by verdict in words, each with its verdict: "28 of 40 approved", "8 rejected", …"""
    found, missing = counts(outcome), _missing(outcome)
    of = sum(found.values())
    if len(found) == 1 and not missing:
        ((verdict, _),) = found.items()
        return [(verdict, verdict.capitalize() if of == 1 else f"All {of} {verdict}")]
    parts = [(APPROVED, f"{found.pop(APPROVED, 0)} of {of} approved")] if of else []
    parts += [(verdict, f"{count} {verdict}") for verdict, count in found.items()]
    if missing:
        parts.append((NOT_PROVEN, f"{missing} part{'' if missing == 1 else 's'} missing"))
    return parts


def in_a_line(outcome: FleetOutcome) -> str:
    """The headline as plain text."""
    return join(text for _, text in headline(outcome))


def meaning(outcome: FleetOutcome) -> str:
    """What the verdicts say of handing over, in a sentence or two."""
    found = counts(outcome)
    of = sum(found.values())
    if len(found) == 1:
        ((verdict, _),) = found.items()
        whole = "The gateway" if of == 1 else f"All {of} gateways"
        if verdict == NOT_PROVEN:
            whole = f"Whether {whole[:1].lower()}{whole[1:]}"
            sentence = f"{whole} may be handed over could not be decided."
        else:
            sentence = f"{whole} {_MEANING[verdict]}."
    else:
        parts = []
        for verdict, count in found.items():
            gateways = "" if parts else " gateway" if count == 1 else " gateways"
            parts.append(f"{count}{gateways} {(_SHORT if parts else _MEANING)[verdict]}")
        sentence = f"{'; '.join(parts)}." if parts else ""
    unknown = "What became of a part of the fleet is not known." if _missing(outcome) else ""
    return " ".join(one for one in (sentence, unknown) if one)


def part(outcome: FleetOutcome) -> str:
    """That this is not the whole fleet, in a sentence; empty where it is."""
    parts = {of for _, of in outcome.shards}
    if not parts or len(outcome.shards) == sum(parts):
        return ""
    read = join(f"{number}/{of}" for number, of in outcome.shards)
    return f"This is part {read} of a fleet. ./run.sh fleet joins the parts."


def _missing(outcome: FleetOutcome) -> int:
    """Parts of which no folder was named."""
    return sum(not row.planned for row in outcome.rows)

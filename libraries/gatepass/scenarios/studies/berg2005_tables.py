"""The tables of the study Berg 2005: the source's rates and transfers beside those measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gatepass.inputs.published import Published
from gatepass.results.study import Cell, Column, Drawn, StudyTable, rounded
from gatepass.scenarios.studies.berg2005 import (
    CONDITIONS,
    FIFTY,
    NAME,
    ONE,
    WINDOW_BYTES,
    Conditions,
    Figure,
    Traffic,
    known,
)

_table = partial(StudyTable.of, NAME)

PACKET_FILTER, VPN = "packet filter", "VPN"
_PROMISES = {PACKET_FILTER: "stateful_throughput", VPN: "ipsec_throughput"}
_SOURCE = "berg-2005-"
_MEASURED = (
    Column("there", "To the server", "Mbit/s", 1, "measured"),
    Column("back", "To the client", "Mbit/s", 1, "measured"),
    Column("together", "Together", "Mbit/s", 1, "measured"),
    Column("half_width", "±, together", "Mbit/s", 1, "measured"),
    Column("trials", "Trials", "trials", 0, "measured"),
    Column("rtt", "Round trip under load", "ms", 2, "measured"),
    Column("rig", "Together", "Mbit/s", 1, "rig"),
    Column("told", "What is known"),
)
_BOTH = "Where the source tells both ways of a traffic, their sum stands here."
_AT_LEAST = (
    "At least: beside the gateway no more was carried (by 5 %), so that the rig was the limit, or "
    "the window over the round trip."
)
_IN_THEORY = "The source's table 1 has 1,000 Mbit/s as the most in theory."
_FIGURE_2 = (
    "Of 50 connections the source's text has the figures and its figure 2 has 40 ms; that they "
    "belong together is read into it."
)
Rig = Mapping[tuple[Traffic, float], Figure]
"""What was found beside the gateway."""


@dataclass(frozen=True)
class Added:
    """A delay as the rig adds it, on the path without the gateway.

    Attributes:
        asked_ms: of round trip; None for the path as it is.
        by: who holds packets back; empty for nobody.
        rtt_ms: round trip of TCP that hardly sends.
        one_mbps, fifty_mbps: carried over one connection, and over fifty.
        disturbed: why the rig could have carried more of it; empty where it could not.
    """

    asked_ms: float | None
    by: str
    rtt_ms: float | None
    one_mbps: float | None
    fifty_mbps: float | None
    disturbed: str = ""


def delay_table(found: Sequence[Added], promised_mbps: float) -> StudyTable:
    """What adding the delays does by itself, and what it lets through.

    Args:
        found: the path as it is first.
        promised_mbps: by the order's tier, of TCP goodput.
    """
    return _table(
        "delays",
        "The added delays, without the gateway",
        "What holding packets back adds by itself, and how much passes there at most.",
        "Its rig: measured before all else",
        (
            Column("asked", "Added to the round trip", "ms", None),
            Column("by", "Held back by"),
            Column("rtt", "Round trip at rest", "ms", 3, "rig"),
            Column("own", "Longer than asked by", "ms", 3, "rig"),
            Column("one", "1 connection", "Mbit/s", 0, "rig"),
            Column("fifty", "50 connections", "Mbit/s", 0, "rig"),
            Column("told", "What is known"),
        ),
        [_added(one, found[0], promised_mbps) for one in found],
        (),
        (
            "Held back is what the client sends, so that the whole delay is on one way; TCP goes "
            "by the round trip, whichever way its bytes take.",
        ),
    )


def _added(one: Added, bare: Added, promised_mbps: float) -> dict[str, Cell]:
    own = None
    if one.asked_ms is not None and one.rtt_ms is not None and bare.rtt_ms is not None:
        own = round(one.rtt_ms - bare.rtt_ms - one.asked_ms, 3)
    low = one.fifty_mbps is not None and one.fifty_mbps < promised_mbps
    below = (f"below the tier's {promised_mbps:g} Mbit/s: the rig's limit",) * low
    return {
        "asked": one.asked_ms,
        "by": one.by or "nobody",
        "rtt": rounded(one.rtt_ms, 3),
        "own": own,
        "one": rounded(one.one_mbps, 1),
        "fifty": rounded(one.fifty_mbps, 1),
        "told": "; ".join((*below, *filter(None, (one.disturbed,)))),
    }


def connection_table(
    path: str, found: Sequence[Figure], rig: Rig, published: Published, notes: Sequence[str] = ()
) -> StudyTable:
    """Table 1 and figures 1 and 2 of the source, on one path."""
    return _carried(
        path, "connections", "TCP connections", "Table 1, figures 1 and 2, slides of the tests",
        Column("traffic", "Connections"), found, rig, published, (*notes, _IN_THEORY, _FIGURE_2),
    )  # fmt: skip


def transfer_table(
    path: str, found: Sequence[Figure], rig: Rig, published: Published, notes: Sequence[str] = ()
) -> StudyTable:
    """Table 2 of the source, on one path."""
    window = (
        f"Each transfer asks for a buffer of {WINDOW_BYTES // 1024} KiB, of which Linux makes "
        "up to a third more, by its version; the published rates fit some 240 KB. The slow start "
        "counts."
    )
    return _carried(
        path, "transfers", "File transfers", "Table 2",
        Column("traffic", "Direction"), found, rig, published, (window, *notes),
    )  # fmt: skip


def _carried(
    path: str,
    name: str,
    title: str,
    source: str,
    first: Column,
    found: Sequence[Figure],
    rig: Rig,
    published: Published,
    notes: Sequence[str],
) -> StudyTable:
    devices = [key for key in published.sources if key.startswith(_SOURCE)]
    rows = [{**_published(one, _PROMISES[path], published), **_figures(one, rig)} for one in found]
    return _table(
        f"{name}-{_PROMISES[path]}",
        f"{title} through the {path}",
        f"TCP goodput by the delay that is added to the round trip, through the {path}.",
        source,
        (
            first,
            Column("delay", "Delay", "ms", None),
            *(
                Column(key, published.sources[key].device, "Mbit/s", 0, "published")
                for key in devices
            ),
            *_MEASURED,
        ),
        rows,
        (Drawn("lines", f"{title} by delay, Mbit/s together", "delay", "together", "traffic"),),
        (_BOTH, _AT_LEAST, *notes),
    )


def _published(one: Figure, promise: str, published: Published) -> dict[str, float]:
    """What the source tells of the same, by the device."""
    conditions = {"traffic": one.traffic.key, "delay_ms": one.delay_ms}
    return {
        told.source: told.value
        for told in published.studies
        if told.promise == promise and told.conditions == conditions
    }


def _figures(one: Figure, rig: Rig) -> dict[str, Cell]:
    alone, told = known(one, rig)
    half = one.together.half_width
    return {
        "traffic": one.traffic.name,
        "delay": one.delay_ms,
        "there": one.there and round(one.there.mean, 2),
        "back": one.back and round(one.back.mean, 2),
        "together": round(one.together.mean, 2),
        "half_width": rounded(half, 2),
        "trials": len(one.trials),
        "rtt": rounded(one.rtt_ms, 3),
        "rig": rounded(alone, 2),
        "told": told,
    }


def differences_table(asked: Conditions) -> StudyTable:
    """What differs from the source, and from its rig."""
    rows = (
        ("Firewalls on the way", "two of a kind, the VPN between them",
         "the gateway; at the far end of the VPN strongSwan on Linux"),
        ("Tester", "Chariot on PCs, IXIA's hardware",
         f"iperf3, trials of {asked.seconds:g} s, {asked.repeats} of each; cubic"),
        ("Length and number of trials", "not told", "as above"),
        ("Delay", "0, 7, 14, 20, 40 ms; how it was added, and whether each way, is not told",
         f"{_listed(asked.delays_ms)} ms of round trip, added to what the client sends: by netem "
         "on a device of the test's own where the client's kernel has it, or else by a relay"),
        ("File transfers", "copies of video files by a tool for them (DAVID Replikator), "
         "also over a WAN; delays of 0, 7, 14, 20 ms",
         f"TCP from memory to memory for {asked.transfer_s:g} s; "
         f"{_listed(asked.transfer_delays_ms)} ms; no disk, no WAN"),
        ("Three clients", "three hosts; figures of two are published",
         "three connections from the one client at once"),
        ("Encryption of the VPN", "Debian: AES with 192 bits; the others' are not told",
         "what the order names first"),
        ("Endpoints' windows", "not told", "Linux's own, which grow; file transfers: asked for"),
    )  # fmt: skip
    shorter = "Carried out with short and few trials, and fewer delays: a first answer."
    note = "" if asked == CONDITIONS["whole"] else shorter
    return StudyTable.of_differences(NAME, "Berg 2005", rows, note)


def ceilings(rig: Rig, delay_ms: float) -> tuple[float | None, float | None, str]:
    """What the rig carries alone over one connection and over fifty, Mbit/s; what disturbed it."""
    seen = [rig.get((kind, delay_ms)) for kind in (ONE, FIFTY)]
    one, fifty = (figure and figure.together.mean for figure in seen)
    return one, fifty, next((one.disturbed for one in seen if one and one.disturbed), "")



def _listed(delays_ms: Sequence[float]) -> str:
    return ", ".join(f"{one:g}" for one in delays_ms)

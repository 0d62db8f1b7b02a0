"""The tables of the study RFC 6349: the path, and TCP's three metrics on it."""

from __future__ import annotations

from collections.abc import Sequence

from gatepass.results.study import Cell, Column, Drawn, StudyTable, rounded
from gatepass.scenarios.studies.rfc6349 import CONDITIONS, NAME, Baseline, Conditions, Fared

_METRICS = (
    Column("ideal", "Ideal, by the RFC's formula", "Mbit/s", 1, "published"),
    Column("mbps", "TCP goodput", "Mbit/s", 1, "measured"),
    Column("ratio", "Transfer time ratio", "times", 2, "measured"),
    Column("efficiency", "TCP efficiency", "%", 2, "measured"),
    Column("rtt", "Round trip", "ms", 3, "measured"),
    Column("delay", "Buffer delay", "%", 0, "measured"),
    Column("told", "What is known"),
)
_FORMULA = (
    "Ideal is the bottleneck's rate in full segments, or the window over the round trip, whichever "
    "is less. A ratio of 1 is an ideal transfer, an efficiency of 100 % one without a segment sent "
    "again, a buffer delay of 0 % a round trip as without load."
)


def path_table(path: Baseline, promised_mbps: float) -> StudyTable:
    """What the path is without load (RFC 6349, 3.1 and 3.2).

    Args:
        path: as it was measured.
        promised_mbps: what the order's tier promises, of TCP goodput.
    """
    rows = (
        ("Path MTU", "bytes", path.mtu, "3.1"),
        ("Round trip without load", "ms", round(path.rtt_ms, 3), "3.2"),
        ("Bottleneck, frames of full size", "frames/s", round(path.frames_per_s), "3.2"),
        ("The same as TCP goodput", "Mbit/s", round(path.goodput_mbps, 1), "3.2"),
        ("Bandwidth-delay product", "bytes", round(path.product_bytes), "3.3"),
        ("What the tier promises, TCP goodput", "Mbit/s", promised_mbps, "the order"),
    )
    return StudyTable(
        NAME, "path", "The path without load", "From which all else follows.", "RFC 6349, 3",
        (
            Column("what", "What"),
            Column("value", "Value", decimals=None, of="measured"),
            Column("unit", "Unit"),
            Column("source", "Section"),
        ),
        tuple(
            {"what": what, "value": value, "unit": unit, "source": section}
            for what, unit, value, section in rows
        ),
    )  # fmt: skip


def window_table(found: Sequence[Fared]) -> StudyTable:
    """TCP by its window, one connection."""
    return StudyTable(
        NAME,
        "windows",
        "TCP by its window",
        "One connection with each window.",
        "RFC 6349, 3.3 and 4",
        (Column("window", "Window", "bytes"), *_METRICS),
        tuple({"window": one.window_bytes, **_metrics(one)} for one in found),
        (Drawn("bars", "TCP goodput by window, Mbit/s", "window", "mbps"),),
        (_FORMULA, "Linux keeps twice the buffer that is asked for: a window may be larger."),
    )


def connection_table(found: Sequence[Fared]) -> StudyTable:
    """TCP by the number of connections."""
    return StudyTable(
        NAME,
        "connections",
        "TCP by the number of connections",
        "Their windows grow as they like; the goodput is that of all together.",
        "RFC 6349, 5.1 and 4",
        (Column("connections", "Connections", "at once"), *_METRICS),
        tuple({"connections": one.connections, **_metrics(one)} for one in found),
        (Drawn("bars", "TCP goodput by connections, Mbit/s", "connections", "mbps"),),
        (_FORMULA,),
    )


def differences_table(asked: Conditions) -> StudyTable:
    """What differs from the source, and from its rig."""
    rows = (
        ("Bottleneck", "at layer 2 or 3, such as by RFC 2544",
         "MLRsearch with datagrams in frames of 1518 bytes, 0.5 % lost"),
        ("Round trip", "without load", "the shortest of a TCP connection that hardly sends"),
        ("Tester", "a host or an appliance made for it", f"iperf3, trials of {asked.seconds:g} s"),
        ("Congestion control", "left open", "cubic"),
        ("Published figures", "none of a device, but formulas", "their ideal stands beside"),
    )  # fmt: skip
    shorter = asked != CONDITIONS["whole"]
    note = "Carried out with short trials: a first answer." if shorter else ""
    return StudyTable.of_differences(NAME, "RFC 6349", rows, note, "RFC")


def _metrics(one: Fared) -> dict[str, Cell]:
    return {
        "ideal": round(one.ideal_mbps, 2),
        "mbps": round(one.trial.mbps, 2),
        "ratio": rounded(one.ratio, 3),
        "efficiency": rounded(one.efficiency_percent, 3),
        "rtt": rounded(one.trial.rtt_ms, 3),
        "delay": rounded(one.buffer_delay_percent, 1),
        "told": f"not told: {one.disturbed}" if one.disturbed else "",
    }

"""The tables of the study Bazzi 2011: a row for each column of the source, its figures beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gatepass.inputs.published import Published
from gatepass.results.study import Cell, Column, Drawn, StudyTable
from gatepass.scenarios.studies.bazzi2011 import (
    CONDITIONS,
    CONFIDENCE,
    DIRECT,
    LINE_MBPS,
    NAME,
    THROUGH,
    WITHIN,
    Compared,
    Conditions,
)

STREAM, TRANSACTIONS = "stream_rate", "transaction_rate"
"""Identities of what was published."""
_HOSTS = {"xp": "XP", "win7": "Win 7"}
_SIZES = {
    "socket_kib": Column("socket_kib", "Socket size", "KB"),
    "message_kib": Column("message_kib", "Message size", "KB"),
    "request": Column("request", "Request size", "bytes"),
    "response": Column("response", "Response size", "bytes"),
}


def stream_tables(
    protocol: str, found: Sequence[Compared], published: Published
) -> tuple[StudyTable, StudyTable]:
    """Tables 1 and 2 of the source, each with how closely its figures are known.

    Args:
        protocol: TCP or UDP.
        found: cell by cell, at least one.
        published: all that is known.
    """
    number, layer = ("1", "TCP goodput") if protocol == "TCP" else ("2", "UDP payload")
    told = _Told(
        f"{protocol.lower()}_stream",
        f"{protocol} streams",
        f"What arrives of a {protocol} stream by socket and message size, as {layer}.",
        f"Bazzi and Onozato 2011, table {number}",
        "Mbit/s",
        2,
        f"Sent as fast as the source's line of {LINE_MBPS:g} Mbit/s carries it; its figures "
        "without the firewall are those of that line to within 0.3 %.",
    )
    return told.figures(found, _figures(published, STREAM, protocol)), told.closeness(found)


def transaction_tables(
    protocol: str, found: Sequence[Compared], published: Published
) -> tuple[StudyTable, StudyTable]:
    """Tables 3 and 4 of the source; see `stream_tables`."""
    told = _Told(
        f"{protocol.lower()}_rr",
        f"{protocol} transactions",
        f"Requests over {protocol} that are answered one after another, by their sizes.",
        f"Bazzi and Onozato 2011, table {'3' if protocol == 'TCP' else '4'}",
        "1/s",
        0,
        "As fast as they go. Without the gateway a transaction takes no longer than the "
        "endpoints themselves do: the quicker these are, the larger a share the same delay is.",
    )
    return told.figures(found, _figures(published, TRANSACTIONS, protocol)), told.closeness(found)


def _figures(published: Published, promise: str, protocol: str) -> dict[tuple, float]:
    """What was published, by sizes, host and path."""
    return {
        (tuple(one.conditions["sizes"]), one.conditions["host"], one.conditions["path"]): one.value
        for one in published.studies
        if one.promise == promise and one.conditions.get("protocol") == protocol
    }


@dataclass(frozen=True)
class _Told:
    """How a table of the source is told; see `StudyTable`, whose note is one here."""

    name: str
    title: str
    caption: str
    source: str
    unit: str
    decimals: int
    note: str

    def figures(
        self, found: Sequence[Compared], published: Mapping[tuple, float]
    ) -> StudyTable:
        """The source's table, a row for each of its columns."""
        columns = _sizes(found)
        for host, text in _HOSTS.items():
            columns += [
                *(Column(f"{host}_{path}", f"{text}, {path}", self.unit, self.decimals, "published")
                  for path in (DIRECT, THROUGH)),
                Column(f"{host}_loss", f"{text}, degradation", "%", 2, "published"),
            ]  # fmt: skip
        columns += [
            *(Column(path, path.capitalize(), self.unit, self.decimals, "measured")
              for path in (DIRECT, THROUGH)),
            Column("loss", "Degradation", "%", 2, "measured"),
        ]  # fmt: skip
        return StudyTable(
            NAME,
            self.name,
            self.title,
            self.caption,
            self.source,
            tuple(columns),
            tuple(_row(one, published) for one in found),
            (
                Drawn("bars", f"{self.title}, {self.unit}", "cell", DIRECT, beside=THROUGH),
                Drawn("bars", f"{self.title}: degradation, %", "cell", "loss", beside="win7_loss"),
            ),
            ("Through: with the firewall, or the gateway, on the way.", self.note),
        )

    def closeness(self, found: Sequence[Compared]) -> StudyTable:
        """How closely the figures are known, and after how many repeats."""
        return StudyTable(
            NAME,
            f"{self.name}_closeness",
            f"{self.title}: how closely they are known",
            f"Repeated until both means are known to within {_percent(WITHIN)} at "
            f"{_percent(CONFIDENCE)}, "
            "or to the limit.",
            "Bazzi and Onozato 2011, section 4.4",
            (
                *_sizes(found),
                Column("repeats", "Repeats that count", "", None, "measured"),
                Column(f"{DIRECT}_within", "Direct, to within", "%", 2, "measured"),
                Column(f"{THROUGH}_within", "Through, to within", "%", 2, "measured"),
                Column("lower", "Degradation, at least", "%", 2, "measured"),
                Column("upper", "Degradation, at most", "%", 2, "measured"),
                Column("lost", "Lost on the way through", "%", 3, "measured"),
                Column("told", "What is known", "", None, "measured"),
            ),
            tuple(_known(one) for one in found),
        )


def _sizes(found: Sequence[Compared]) -> list[Column]:
    return [_SIZES[key] for key in found[0].cell.sizes]


def _row(one: Compared, published: Mapping[tuple, float]) -> dict[str, Cell]:
    sizes, row = tuple(one.cell.sizes.values()), {}
    for host in _HOSTS:
        direct, through = (published.get((sizes, host, path)) for path in (DIRECT, THROUGH))
        row |= {f"{host}_{DIRECT}": direct, f"{host}_{THROUGH}": through}
        if direct and through:
            row[f"{host}_loss"] = round((1 - through / direct) * 100, 2)
    if (cost := one.degradation) is not None:
        row |= {path: round(one.mean(path).mean, 3) for path in (DIRECT, THROUGH)}
        row["loss"] = _unsigned(cost.percent)
    return {"cell": str(one.cell), **one.cell.sizes, **row}


def _known(one: Compared) -> dict[str, Cell]:
    row: dict[str, Cell] = {**one.cell.sizes}
    row["repeats"] = " and ".join(str(len(one.counted(path))) for path in (DIRECT, THROUGH))
    for path in (DIRECT, THROUGH):
        share = one.within(path)
        row[f"{path}_within"] = None if share is None else round(share * 100, 3)
    if (cost := one.degradation) is not None and cost.lower is not None:
        row |= {"lower": _unsigned(cost.lower), "upper": _unsigned(cost.upper)}
    lost = one.lost_percent(THROUGH)
    row["lost"] = None if lost is None else round(lost, 4)
    return {**row, "told": _told(one)}


def _told(one: Compared) -> str:
    if one.by_rig:
        return f"not told: {one.by_rig}"
    return f"both to within {_percent(WITHIN)}" if one.sure else "the limit of repeats"


def _unsigned(percent: float) -> float:
    """To two decimals, and nothing without a sign."""
    return round(percent, 2) + 0.0


def _percent(share: float) -> str:
    return f"{share * 100:g} %"


def differences_table(asked: Conditions) -> StudyTable:
    """What differs from the source, and from its rig."""
    whole = CONDITIONS["whole"]
    rows = (
        ("Tester", "netperf", "iperf3 for streams; for transactions a program in Python that "
         "blocks as netperf does, each side on a processor of its own"),
        ("Length of a trial", "10 min",
         f"{asked.stream_s:g} s of a stream, {asked.exchange_s:g} s of transactions"),
        ("Repeats", "5 at least, to ±0.5 % at 99 %; no limit told",
         f"{asked.least} to {asked.most} on each path, to ±{_percent(WITHIN)} at "
         f"{_percent(CONFIDENCE)}; where that was not reached it is told"),
        ("Order", "not told", "with and without the gateway in turns, trial by trial"),
        ("Line", "Ethernet of 100 Mbit/s",
         "streams are sent at the pace of such a line, transactions as fast as they go"),
        ("Figure of a stream", "netperf's", "what the receiver's program got"),
        ("A datagram without an answer", "netperf waits for ever",
         "lost after 0.2 s, and told"),
        ("Firewall", "SmoothWall Express 3.0 in VirtualBox on the client's own machine, 1 core, "
         "256 MB", "the gateway that is tested"),
        ("Translation", "NAT on", "NAT on"),
        ("Client", "Windows XP and Windows 7, two cores of 2.9 GHz",
         "Linux; it keeps twice the socket buffer that is asked for"),
        ("Server", "Ubuntu 9.10, two cores of 2.9 GHz", "Linux"),
        ("Congestion control", "the host's own", "cubic"),
    )  # fmt: skip
    shorter = (
        "Carried out with shorter and fewer trials than the source's: a first answer. The profile "
        "standard has the source's own conditions."
    )
    source, note = "Bazzi and Onozato 2011, sections 4 to 6", "" if asked == whole else shorter
    return StudyTable.of_differences(NAME, source, rows, note)

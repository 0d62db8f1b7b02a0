"""The tables of the study DeCusatis 2014: in the source's layout, its figures beside those here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from gatepass.results.study import Cell, Column, Drawn, StudyTable
from gatepass.scenarios.studies.decusatis2014 import (
    CONDITIONS,
    LATENCY,
    NAME,
    SMALLEST,
    Conditions,
    Round,
    Workload,
)
from gatepass.scenarios.studies.latency import Latency
from gatepass.scenarios.studies.throughput import Throughput
from gatepass.stats.intervals import interval
from gatepass.verdict.endpoint_load import FULL_CPU_PERCENT

_table = partial(StudyTable.of, NAME)

_PUBLISHED, _UNTOLD = "DeCusatis 2014", "not told"
_OTHERS = (
    "Table 2 of the source: three other virtual firewalls, unnamed, carried 1.1, 1.3 and 1.0 "
    "Gbit/s of IMIX."
)
_OFFERED = (
    "Offered is what the sender keeps up on that way: a gateway that pushes back, or has its "
    "processors in common with the sender, slows it down, and no more than that can be shown then."
)

Found = Sequence[tuple[Workload, Throughput]]


def throughput_table(found: Found, published: Mapping[str, float]) -> StudyTable:
    """Table 1 of the source, less its latency.

    Args:
        found: by workload.
        published: the source's figures by the workloads' labels, Mbit/s.
    """
    return _table(
        "throughput",
        "Throughput by workload",
        "The highest rate at which no packet is lost, from the client to the server.",
        "DeCusatis 2014, table 1",
        _columns("Beside the gateway"),
        [_throughput(one, seen, published) for one, seen in found],
        (Drawn("bars", "Throughput, Mbit/s of packets", "workload", "published", beside="mbps"),),
        (_OTHERS, _OFFERED),
    )


def tunnel_table(
    found: Found, published: Mapping[str, float], cipher: str, mtu: int
) -> StudyTable:
    """Table 3 of the source.

    Args:
        found: by workload.
        published: the source's figures by the workloads' labels, Mbit/s.
        cipher: of the tunnel, for readers.
        mtu: largest packet that the tunnel takes whole, bytes.
    """
    per_s = published.get("UDP, 64 B packets", 0.0) / SMALLEST.packets_mbps(1)
    return _table(
        "ipsec",
        "Throughput through IPsec",
        f"The highest rate at which no packet is lost, through one tunnel with {cipher}.",
        "DeCusatis 2014, table 3",
        _columns("Same path without a tunnel"),
        [_throughput(one, seen, published) for one, seen in found],
        (
            Drawn(
                "bars", "Throughput through IPsec, Mbit/s of packets",
                "workload", "published", beside="mbps",
            ),
        ),
        (
            _OFFERED,
            f"No packet of the mix is larger than {mtu} bytes here, which is what the tunnel takes "
            "whole.",
            f"The source prints 70 Kbit/s for packets of 64 bytes, which are {per_s:.0f} of them a "
            "second; it may mean packets a second. It stands as printed.",
        ),
    )


def latency_table(found: Sequence[Latency], repeats: int, published: float | None) -> StudyTable:
    """The last row of table 1.

    Args:
        found: at each rate.
        repeats: trials of each.
        published: the source's figure, microseconds.
    """
    return _table(
        "latency",
        "Latency of packets of 512 bytes",
        f"One way, UDP over IPv4, mean of {repeats} trials, in which every packet is timed. What "
        "the gateway adds is the difference to the path without it.",
        "DeCusatis 2014, table 1",
        (
            Column("per_s", "Sent", "packets/s", 0, "measured"),
            Column("mbps", "Sent", "Mbit/s", 1, "measured"),
            Column("published", _PUBLISHED, "us", 0, "published"),
            Column("added", "Added by the gateway", "us", 0, "measured"),
            Column("mean", "Mean", "us", 0, "measured"),
            Column("half_width", "±, 95 %", "us", 0, "measured"),
            Column("p50", "Median", "us", 0, "measured"),
            Column("p99", "99 % are below", "us", 0, "measured"),
            Column("longest", "Longest", "us", 0, "measured"),
            Column("lost", "Lost", "%", 3, "measured"),
            Column("rig", "Mean", "us", 0, "rig"),
            Column("rig_p50", "Median", "us", 0, "rig"),
            Column("rig_p99", "99 % are below", "us", 0, "rig"),
            Column("error", "Clocks, ±", "us", 0, "rig"),
        ),
        [
            {
                "per_s": round(one.per_s),
                "mbps": round(LATENCY.packets_mbps(one.per_s), 2),
                "published": published,
                "added": _known(one.through.mean.mean - one.beside.mean.mean),
                "mean": _known(one.through.mean.mean),
                "half_width": _known(one.through.mean.half_width),
                "p50": _known(one.through.p50),
                "p99": _known(one.through.p99),
                "longest": _known(one.through.longest),
                "lost": round(100 * one.through.lost, 4),
                "rig": _known(one.beside.mean.mean),
                "rig_p50": _known(one.beside.p50),
                "rig_p99": _known(one.beside.p99),
                "error": round(one.error_us, 1),
            }
            for one in found
        ],
        (
            Drawn(
                "bars", "Median latency by load, microseconds",
                "per_s", "published", beside="p50",
            ),
        ),
        (
            "The source's table has 101 us and its text 102; it tells neither load nor percentile.",
            "The second load is half the packets a second of 1500 bytes that the gateway carries.",
        ),
    )


def set_up_table(
    found: Sequence[Round], cipher: str, published: float | None, confidence: float
) -> StudyTable:
    """What the source's text tells of tunnels a second.

    Args:
        found: the rounds, in their order.
        cipher: of the tunnels, for readers.
        published: the source's figure, tunnels a second.
        confidence: of the mean's interval.
    """
    counted = [one for one in found if not one.disturbed]
    mean = interval([one.per_s for one in counted], confidence) if counted else None
    spread = "" if mean is None or mean.half_width is None else f" ± {mean.half_width:.1f}"
    told = f"{mean.mean:.1f}{spread} tunnels a second" if mean else "not told"
    return _table(
        "set_up",
        "Tunnels a second",
        f"All tunnels that the tier promises, brought up at once by the peer, with {cipher}: in "
        f"the mean of {len(counted)} rounds {told} ({confidence * 100:g} %).",
        "DeCusatis 2014, text beside table 3",
        (
            Column("round", "Round"),
            Column("published", _PUBLISHED, "tunnels/s", 0, "published"),
            Column("per_s", "Tunnels a second", "tunnels/s", 1, "measured"),
            Column("up", "Came up", "tunnels", 0, "measured"),
            Column("slowest", "The last was up after", "s", 3, "measured"),
            Column("peer", "strongSwan on the peer", "% of a core", 0, "rig"),
            Column("told", "What is known"),
        ),
        [
            {
                "round": str(number),
                "published": published,
                "per_s": round(one.per_s, 2),
                "up": one.up,
                "slowest": round(one.slowest_s, 3),
                "peer": round(one.peer_percent),
                "told": _of_round(one),
            }
            for number, one in enumerate(found, 1)
        ],
        (Drawn("bars", "Tunnels a second, by round", "round", "published", beside="per_s"),),
        (
            "A tunnel is up with its IKE SA and its first pair of ESP SAs (IKEv2, pre-shared key).",
            "The share of a core is counted in steps of 10 ms, so that of a short round it is "
            "about right.",
        ),
    )


def differences_table(asked: Conditions, left_out: Sequence[str]) -> StudyTable:
    """What differs from the source, and from its rig.

    Args:
        asked: how thoroughly.
        left_out: labels of the workloads that the testbed has no way for.
    """
    search = asked.searches.search
    rows = [
        ("Gateway", "Juniper vSRX of February 2014 with 2 vCPUs on VMware, a waypoint in a VXLAN "
         "overlay (DOVE), among up to 20 on its server", "the ordered gateway, without an overlay"),
        ("Sizes", "of packets, layer not told",
         "of IP packets: 1500 B in a frame of 1518, 512 B over IPv6 in 530, 64 B in 82"),
        ("Rates", "bit/s, layer not told", "Mbit/s of IP packets"),
        ("IMIX", "the standard IMIX TCP/IP profile (RFC 6985)",
         "UDP, 7 : 4 : 1 frames of 64, 570 and 1518 bytes; in a tunnel none that it would cut"),
        ("Loss that is allowed", _UNTOLD, "none; beside it 0.5 %"),
        ("Search", _UNTOLD,
         f"MLRsearch, bounds at most {search.width * 100:g} % apart, as in the study rfc2544"),
        ("Length of a trial", _UNTOLD,
         f"{search.first_s:g} s while it is searched, {search.final_s:g} s where it decides"),
        ("Directions", _UNTOLD, "from the client to the server"),
        ("Flows", _UNTOLD, "one, between one pair of addresses"),
        ("Latency", "the mean; load, repeats and how it was taken not told",
         f"one way, at ease and under load, {asked.latency_repeats} trials of "
         f"{asked.latency_s:g} s each"),
        ("Encryption", "triple DES and SHA-1, group not told",
         "3DES, SHA1, DH group 2, IKEv2, where the gateway takes it, and else what the order names "
         "first: the tables of IPsec tell which"),
        ("Tunnels a second", "about 80; how it was counted not told",
         "as many as the tier promises at once, from one peer, over the time until the last is up; "
         f"{asked.rounds} rounds"),
        ("Instances a server, failover, time to provision", "20 and 100 instances, minutes",
         "left out: one gateway; provisioning of tenants is a chapter of its own"),
        *((one, "in table 1", "left out: the testbed has no IPv6") for one in left_out),
    ]  # fmt: skip
    shorter = "Carried out with short trials and few repeats: a first answer."
    note = "" if asked == CONDITIONS["whole"] else shorter
    return StudyTable.of_differences(NAME, "DeCusatis 2014", rows, note)


def _columns(beside: str) -> tuple[Column, ...]:
    return (
        Column("workload", "Performance test"),
        Column("published", _PUBLISHED, "Mbit/s", 2, "published"),
        Column("mbps", "Carried, packets", "Mbit/s", 2, "measured"),
        Column("upper", "At most", "Mbit/s", 2, "measured"),
        Column("some", "With 0.5 % lost", "Mbit/s", 2, "measured"),
        Column("per_s", "Carried", "packets/s", 0, "measured"),
        Column("trials", "Search", "trials", 0, "measured"),
        Column("rig", beside, "Mbit/s", 2, "rig"),
        Column("offered", "Offered at most", "Mbit/s", 2, "rig"),
        Column("told", "What is known"),
    )


def _throughput(
    one: Workload, seen: Throughput, published: Mapping[str, float]
) -> dict[str, Cell]:
    bounds, mbps = seen.without_loss, one.size.packets_mbps
    return {
        "workload": one.label,
        "published": published.get(one.label),
        "mbps": round(mbps(bounds.lower), 3),
        "upper": None if bounds.upper is None else round(mbps(bounds.upper), 3),
        "some": round(mbps(seen.with_some_loss.lower), 3),
        "per_s": round(bounds.lower),
        "trials": len(seen.found.attempts),
        "rig": round(mbps(seen.rig_per_s), 3),
        "offered": round(mbps(seen.offered_per_s), 3),
        "told": seen.told,
    }


def _of_round(one: Round) -> str:
    if one.disturbed:
        return f"not told: {one.disturbed}"
    if one.peer_percent >= FULL_CPU_PERCENT:
        return "at least: the peer may be the limit"
    return ""


def _known(figure: float | None) -> Cell:
    return None if figure is None or figure != figure else round(figure, 1)

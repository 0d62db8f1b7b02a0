"""Figures of iperf3 that cannot be, such as a loss of less than nothing.

iperf3 has told them in the field: a negative loss, or one of more than all (esnet/iperf, issues
412, 914, 1489, 1866), null, NaN. A trial with such a figure counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

from pydantic import model_validator

from gatepass.base.figures import (
    Count,
    Figures,
    Finite,
    NotNegative,
    Percent,
    Positive,
    impossible,
)


class _Interval(Figures):
    bytes: Count
    seconds: NotNegative
    end: Finite = 0.0


class _Total(Figures):
    bytes: Count
    seconds: Positive


class _Packets(Figures):
    packets: Count


class _Lost(Figures):
    lost_percent: Percent
    lost_packets: Count = 0
    packets: Count

    @model_validator(mode="after")
    def _no_more_than_there_were(self) -> Self:
        if self.lost_packets > self.packets:
            raise ValueError("more were lost than there were")
        return self


class _Sender(Figures):
    mean_rtt: NotNegative = 0
    min_rtt: NotNegative = 0


class _Flow(Figures):
    bytes: Count
    pmtu: Count = 0


class _Resent(Figures):
    retransmits: Count = 0


class _Processor(Figures):
    host_total: NotNegative
    remote_total: NotNegative


class _Rate(Figures):
    bits_per_second: NotNegative


_LOSS, _MORE_LOST = "lost_percent", ""


def impossible_figure(sent: Mapping[str, Any], received: Mapping[str, Any]) -> str:
    """The first figure of a trial that cannot be, in a clause; empty where all can.

    Args:
        sent: the JSON of the client.
        received: the JSON of the server.

    Raises:
        KeyError, TypeError, IndexError, AttributeError: something is missing there.
    """
    udp = sent["start"]["test_start"]["protocol"] == "UDP"
    reverse = bool(sent["start"]["test_start"]["reverse"])
    receiver, sender = (sent, received) if reverse else (received, sent)
    named = {id(sent): "client", id(received): "server"}
    for report, model, told in _parts(sender, receiver, sent, udp):
        if found := impossible(model, told):
            name, value = found
            return _clause(named[id(report)], name, value, told)
    return ""


def _clause(end: str, name: str, value: str, told: Mapping[str, Any]) -> str:
    if name == _LOSS:
        return f"iperf3 on the {end} reported {value} % loss"
    if name == _MORE_LOST and isinstance(told, Mapping):
        return (
            f"iperf3 on the {end} reported {told['lost_packets']} lost packets of "
            f"{told['packets']}"
        )
    return f"iperf3 on the {end} reported {value} as {name}"


def _parts(
    sender: Mapping[str, Any], receiver: Mapping[str, Any], sent: Mapping[str, Any], udp: bool
) -> Iterator[tuple[Mapping[str, Any], type[Figures], Mapping[str, Any]]]:
    """Each report with a part of it, and what its figures have to be.

    Intervals of UDP are not held against their own losses: what comes late there was lost in the
    one before.
    """
    for part in receiver["intervals"]:
        yield receiver, _Interval, part["sum"]
    end = receiver["end"]
    if "sum_received" in end:
        yield receiver, _Total, end["sum_received"]
    yield sent, _Processor, sent["end"]["cpu_utilization_percent"]
    if udp:
        yield receiver, _Lost, end["sum"]
        yield receiver, _Packets, end.get("sum_received", end["sum"])
        yield sender, _Packets, sender["end"].get("sum_sent", sender["end"]["sum"])
        return
    yield sent, _Resent, sent["end"]["sum_sent"]
    for stream in sender["end"]["streams"]:
        if "sender" in stream:
            yield sender, _Sender, stream["sender"]
    for part in sender["intervals"]:
        for flow in part["streams"]:
            yield sender, _Flow, flow


def impossible_rate(told: Mapping[str, Any]) -> str:
    """Why a rate that the client told of a transfer both ways cannot be; empty where it can.

    Raises:
        KeyError: there is none.
    """
    found = impossible(_Rate, told)
    return _clause("client", *found, told) if found else ""

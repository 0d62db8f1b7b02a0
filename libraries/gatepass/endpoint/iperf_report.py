"""What one side of an iperf3 trial reported, and how a trial that is not whole broke off.

With ``-J`` iperf3 exits with 0 whatever happened (3.12): only `error` in its report tells, and its
exit status only whether a signal ended it. Ended by a signal that it heeds it still reports what
was carried by then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from gatepass.base.errors import NotProven
from gatepass.endpoint.shell import Detached, signal_of
from gatepass.results.broken import (
    CONTROL_LOST,
    FIRST_LOST,
    STOPPED,
    TOO_LARGE,
    UNANSWERED,
    Broken,
    how_in_words,
)
from gatepass.results.datagrams import ETHERNET, UDP, headers
from gatepass.results.trial import Load

_NOT_ENDED = 124
"""Status of a program that `timeout` ended."""
_LOOK_S = 8
"""Until the first look whether a program waits in vain: a SYN is sent again after 1, 3 and 7 s."""
_END_S = 2
_TCP = 32
"""Bytes of TCP's header with time stamps."""
_MOST_REPORTS, _LONGEST_REMARK = 4, 300
_MSS = re.compile(r"exceeds TCP MSS (\d+)")


@dataclass(frozen=True)
class Report:
    """What one side told.

    Attributes:
        name: of the endpoint.
        status: with which iperf3 ended; None where it had to be ended.
        content: of its report; None where that is no JSON.
        words: the last of what it wrote; empty where there is a report.
        remark: what it wrote on the same channel beside its report; empty for nothing.
    """

    name: str
    status: int | None
    content: dict | None = field(repr=False)
    words: str = ""
    remark: str = ""

    @classmethod
    def of(
        cls, program: Detached, patience_s: float, in_vain: Callable[[], bool] | None = None
    ) -> Report:
        """What a program has told once it has ended, or is ended.

        Args:
            program: iperf3.
            patience_s: for how long it may go on.
            in_vain: looked at now and then: whether it would wait for ever.
        """
        status, look_s, left_s = None, _LOOK_S if in_vain else patience_s, patience_s
        while status is None and left_s > 0:
            status = program.ended(min(look_s, left_s))
            left_s, look_s = left_s - look_s, 2 * look_s
            if status is None and left_s > 0 and in_vain is not None and in_vain():
                status, left_s = program.ended(_END_S), 0  # it may be about to end
        status = None if status == _NOT_ENDED else status
        text = program.broken_off() if status is None else program.output
        content, remark = cut_out(text)
        if content is None:
            return cls(program.shell.name, status, None, remark or program.last_words())
        return cls(program.shell.name, status, content, remark=remark)

    @property
    def whole(self) -> bool:
        """Whether it ended by itself and complains of nothing."""
        return self.status is not None and self.content is not None and not self.error

    @property
    def error(self) -> str:
        """What it complains of; not of being ended."""
        if self.content is None or self.status is None:
            return ""
        return str(self.content.get("error") or "")

    @property
    def carried_s(self) -> float:
        """For how long something was carried, as far as it saw."""
        parts = [part.get("sum", {}) for part in (self.content or {}).get("intervals", [])]
        return sum(float(part.get("seconds", 0)) for part in parts if part.get("bytes"))

    @property
    def opened(self) -> int:
        """How many streams it had."""
        return len((self.content or {}).get("start", {}).get("connected", []))


def cut_out(text: str) -> tuple[dict | None, str]:
    """The report in what iperf3 wrote, and what it wrote beside it, in one line.

    Some versions write a warning before it, or all of it twice (esnet/iperf, issues 1223, 1688,
    1716).

    Args:
        text: of its output.

    Returns:
        No report where there is none, or where there are several that differ.
    """
    decoder, reports, beside, at = json.JSONDecoder(), [], [], 0
    while (begin := text.find("{", at)) >= 0 and len(reports) <= _MOST_REPORTS:
        beside.append(text[at:begin])
        try:
            found, at = decoder.raw_decode(text, begin)
            if _is_report(found):
                reports.append(found)
        except (ValueError, RecursionError):
            line_ends = text.find("\n", begin)
            at = len(text) if line_ends < 0 else line_ends
            beside.append(text[begin:at])
    beside.append(text[at:])
    remark = " ".join(" ".join(beside).split())[:_LONGEST_REMARK]
    if len({json.dumps(one) for one in reports}) > 1:
        return None, "it wrote reports that differ"
    return (reports[0], remark) if reports else (None, "")


def _is_report(found: dict) -> bool:
    """Not some part of one that is cut off."""
    return isinstance(found.get("start"), dict) or isinstance(found.get("error"), str)


def must_be_whole(sent: Report, received: Report, load: Load, address: str) -> None:
    """Both sides of a trial ended by themselves and told all of it.

    Args:
        sent: the client's.
        received: the server's.
        load: that was asked for.
        address: of the server.

    Raises:
        Broken: what the network did ended the trial.
        NotProven: a program did, with its own words.
    """
    if sent.whole and received.whole:
        return
    for one in (sent, received):
        if one.status is not None and (number := signal_of(one.status)):
            raise NotProven(f"iperf3 on the {one.name} was ended by signal {number}.")
        if one.content is None and (one.status is not None or one.words):
            words = one.words or "it wrote nothing"
            raise NotProven(f"iperf3 on the {one.name} gave no result: “{words}”.")
    if not (how := _how(sent, received, load)):
        one = sent if sent.error else received
        raise NotProven(f"iperf3 on the {one.name} ended with “{one.error}”.")
    raise _broken(how, sent, received, load, address)


def _broken(how: str, sent: Report, received: Report, load: Load, address: str) -> Broken:
    return Broken(
        how,
        sent.name,
        received.name,
        seconds=_carried_s(sent, received, load),
        of_s=load.seconds + load.omit_s,
        opened=max(sent.opened, received.opened),
        wanted=load.streams,
        packet=_packet(load, address),
    )


def _packet(load: Load, address: str) -> int:
    """The IP packet of a datagram, bytes."""
    return load.datagram_bytes + headers(address) - ETHERNET


def must_fit(sent: Report, received: Report, load: Load, address: str, warned: str) -> None:
    """The path was told to carry packets of the datagrams' size.

    Where it was not, the kernel cuts them up, and what is measured is not what was asked for. What
    TCP may send at a time on iperf3's own connection tells of it.

    Args:
        sent, received, load, address: see `must_be_whole`.
        warned: what iperf3 on the client warned of, in its own words.

    Raises:
        Broken: it was told to carry no such packets.
    """
    # a tunnel has an MTU of its own
    if load.source or load.in_fragments or not (told := _MSS.search(warned)):
        return
    if _packet(load, address) > int(told[1]) + _TCP + headers(address) - ETHERNET - UDP:
        raise _broken(TOO_LARGE, sent, received, load, address)


def _how(sent: Report, received: Report, load: Load) -> str:
    """Which kind of break; empty where it was none of the network's."""
    carried_s = _carried_s(sent, received, load)
    told = [how_in_words(one.error, carried_s > 0) for one in (sent, received) if one.error]
    if sent.status is not None and sent.error:  # what the client itself saw says most
        return told[0]
    if found := next(filter(None, told), ""):
        return found
    if sent.error or (received.error and sent.status is not None):
        return ""
    if not carried_s:
        return UNANSWERED if load.udp_mbps is None else FIRST_LOST
    missing_s = load.seconds + load.omit_s - carried_s
    return CONTROL_LOST if missing_s < 2 * load.interval_s else STOPPED


def _carried_s(sent: Report, received: Report, load: Load) -> float:
    """The receiver knows what came; where it tells nothing, the sender what it could hand over."""
    receiver, sender = (sent, received) if load.reverse else (received, sent)
    return receiver.carried_s or (0.0 if receiver.status is not None else sender.carried_s)

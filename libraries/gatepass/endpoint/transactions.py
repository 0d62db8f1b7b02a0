"""Transactions between endpoints, one at a time: how many a second (netperf's TCP_RR, UDP_RR)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import Field
from typing_extensions import TypedDict

from gatepass.base.errors import NotProven
from gatepass.base.figures import must_be_part
from gatepass.endpoint.answers import Address, Count, Words, of_json
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import Script, script
from gatepass.endpoint.shell import Busy, Detached, ProgramEnded, Shell
from gatepass.results.broken import Broken, how_in_words
from gatepass.results.trial import MEGA, Trial

_T = TypeVar("_T")
_GRACE_S, _END_S = 20, 15
_DOUBLED, _UNDER_WAY = 1.05, 5
"""Of the requests, as far as a path may double them, and those that nobody waited for any more."""


class _Done(TypedDict):
    seconds: Annotated[float, Field(gt=0)]
    done: Count
    lost: Count


class _Broken(TypedDict):
    error: Words
    seconds: Annotated[float, Field(ge=0)]


class _Answered(TypedDict):
    answered: Count
    seen: frozenset[Address]


@dataclass(frozen=True)
class Exchange:
    """What is asked and answered, again and again.

    Attributes:
        protocol: TCP, over one connection, or UDP.
        request, response: bytes of payload, at least one each.
        seconds: for how long.
    """

    protocol: str
    request: int
    response: int
    seconds: float


@dataclass(frozen=True)
class Transacted:
    """What came of it.

    Attributes:
        per_s: transactions a second.
        lost_percent: of the requests over UDP, that had no response in time; None over TCP.
        trial: the requests as traffic that the server received, without the hosts' conduct.
    """

    per_s: float
    lost_percent: float | None
    trial: Trial


def run(client: Shell, server: Shell, address: str, port: int, asked: Exchange) -> Transacted:
    """Run one trial: the client asks, the server answers at `address`.

    Args:
        client, server: the endpoints.
        address: of the server on the path that is measured.
        port: TCP or UDP, free there.
        asked: what is asked and answered.

    Raises:
        Broken: the transactions broke off, by nothing that the programs did.
        NotProven: a program failed, with its own words.
    """
    words = [asked.protocol.lower(), address, port, asked.request, asked.response]
    sockets = "-Hltn" if asked.protocol == "TCP" else "-Hlun"
    listening = script(
        "ss {sockets} {ports} | grep -q .", sockets=sockets, ports=f"sport = :{port}"
    )
    limit_s = asked.seconds + _GRACE_S
    began = time.time()
    answering = _start(server, "answer", words, limit_s + _END_S, listening, listening)
    try:
        asking = _start(client, "ask", [*words, f"{asked.seconds:g}"], limit_s)
        try:
            told = _told(_Broken | _Done, client, asking, limit_s)
        finally:
            asking.stop()
        if "error" in told:
            raise _broken(told, client, server, asked)
        answered = _told(_Answered, server, answering, _END_S)
        most = round((told["done"] + told["lost"]) * _DOUBLED) + _UNDER_WAY
        must_be_part(answered["answered"], most, "requests", server.name)
    finally:
        answering.stop()
    received, seconds = answered["answered"] * asked.request, told["seconds"]
    trial = Trial(
        mbps=received * 8 / seconds / MEGA,
        received_bytes=received,
        all_bytes=received,
        seconds=seconds,
        intervals=(),
        retransmits=None,
        lost_percent=None,
        rtt_ms=None,
        client_cpu=0.0,
        server_cpu=0.0,
        seen=answered["seen"],
        began=began,
        ended=time.time(),
    )
    tried = told["done"] + told["lost"] or 1
    lost = 100 * told["lost"] / tried if asked.protocol == "UDP" else None
    return Transacted(told["done"] / seconds, lost, trial)


def _broken(told: _Broken, client: Shell, server: Shell, asked: Exchange) -> Exception:
    """What became of transactions that did not run to their end."""
    seconds = told["seconds"]
    if how := how_in_words(told["error"], seconds > 0):
        return Broken(how, client.name, server.name, seconds, asked.seconds)
    return NotProven(f"transactions failed on the {client.name}: {told['error']}.")


def _start(
    shell: Shell,
    does: str,
    words: Sequence[str | int],
    limit_s: float,
    ready: Script | None = None,
    busy: Script | None = None,
) -> Detached:
    program = install(shell, "transactions.py")
    stem = f"{shell.folder()}/transactions-{does}"
    command = script("python3 {program} {does} {words}", program=program, does=does, words=words)
    try:
        return Detached.start(shell, stem, command, limit_s, ready, busy, True)
    except Busy:
        raise NotProven(
            f"the port that transactions are answered on is busy on the {shell.name}. End what "
            "listens there, or set iperf3_port in the testbed file."
        ) from None
    except ProgramEnded as ended:
        raise NotProven(f"no transaction can be made on the {shell.name}: {ended}.") from ended


def _told(kind: type[_T], shell: Shell, program: Detached, patience_s: float) -> _T:
    try:
        program.wait(patience_s)
        return of_json(kind, program.output)
    except (ProgramEnded, ValueError):
        words = program.last_words() or "it wrote nothing"
        raise NotProven(f"transactions failed on the {shell.name}: {words}.") from None

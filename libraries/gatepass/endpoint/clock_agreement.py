"""By how much the clocks of two endpoints differ."""

from __future__ import annotations

from collections.abc import Sequence

from gatepass.base.errors import NotProven
from gatepass.endpoint.answers import of_json, words_of
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell
from gatepass.results.agreement import Agreement
from gatepass.results.agreement import agreement as followed

_SCRIPT, _STEM = "clock_exchange.py", "clock-answer"
_EXCHANGES = 100
_LIMIT_S, _PATIENCE_S = 120, 60


def agreement(client: Shell, server: Shell, address: str, port: int) -> Agreement:
    """How far the server's clock is ahead of the client's, by exchanges of datagrams.

    They take any way between the two; the quicker and the quieter it is, the surer is the answer.

    Args:
        client: asks.
        server: answers.
        address: of the server on that way.
        port: that it answers on.

    Raises:
        NotProven: the port cannot be had, or the programs failed, with their own words.
    """
    return followed(_exchanges(client, server, address, port))


def _exchanges(client: Shell, server: Shell, address: str, port: int) -> Sequence[Sequence[int]]:
    for shell in (server, client):
        install(shell, _SCRIPT)
    stem = f"{server.folder()}/{_STEM}"
    server.run(script("rm -f {stem}.stop", stem=stem), again=True)
    command = script(
        "python3 {program} answer {address} {port} {limit_s} {stem}.stop",
        program=f"{server.folder()}/{_SCRIPT}",
        address=address,
        port=port,
        limit_s=_LIMIT_S,
        stem=stem,
    )
    ready = script("grep -q ready {stem}.out", stem=stem)
    try:
        answering = Detached.start(server, stem, command, _LIMIT_S, ready=ready, ahead=True)
    except ProgramEnded as ended:
        raise NotProven(
            f"clocks cannot be compared on the {server.name}: {ended}. Free the UDP port {port} "
            "or name another (probe_port) in the testbed file."
        ) from ended
    ask = script(
        "python3 {program} ask {address} {port} {count}",
        program=f"{client.folder()}/{_SCRIPT}",
        address=address,
        port=port,
        count=_EXCHANGES,
    )
    try:
        asked = client.run(ask, timeout_s=_PATIENCE_S, again=True)
    finally:
        server.run(script(": >{stem}.stop", stem=stem), again=True)
        answering.stop()
    try:
        return of_json(list[tuple[int, int, int, int]], asked.output)
    except ValueError:
        words = words_of(asked)
        raise NotProven(f"clocks cannot be compared: the {client.name} says {words}.") from None

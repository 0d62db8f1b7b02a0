"""Single connections between the endpoints: does a flow get through, and from which address."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from gatepass.base.errors import NotProven
from gatepass.base.flight_recorder import recorder
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Completed, Detached, ProgramEnded, Shell
from gatepass.results.exchanges import ConnectionTry

ANSWERED, REFUSED, SILENT = "answered", "refused", "silent"
_SYN_AGAIN_S = 0.9
"""A SYN without an answer is sent again after a second (RFC 6298, 2.1), and after three."""
_PATIENCE_S = 4.0


@dataclass(frozen=True)
class Probe:
    """A connection to try: ``Probe("tcp", "198.18.2.10", 5300)``.

    Attributes:
        protocol: tcp or udp.
        address: of the far endpoint.
        port: where its responder listens.
        tries: how often at most, until one is answered.
        via: the mark, the interface or the own address that decides about its way; empty for the
            host's own routes.
    """

    protocol: str
    address: str
    port: int
    tries: int = 1
    via: str = ""

    def __str__(self) -> str:
        return f"{self.protocol.upper()} to {self.address} port {self.port}"

    @property
    def argument(self) -> str:
        """As the prober's command line wants it."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        way = f"@{self.via}" if self.via else ""
        return f"{self.protocol}:{host}:{self.port}:{self.tries}{way}"


@dataclass(frozen=True)
class Answer:
    """What became of a probe: answered (with the address that was seen), refused or silent.

    Attributes:
        probe: that was tried.
        outcome: what became of it; of what is late, in words.
        detail: the address, or why it was refused.
        late: whether it was answered only once its first packet had been sent again.
    """

    probe: Probe
    outcome: str
    detail: str = ""
    late: bool = False

    @property
    def seen(self) -> str:
        """The source address that the far side saw; empty where it saw none."""
        return self.detail if self.outcome == ANSWERED else ""


def start_responder(
    shell: Shell,
    addresses: Sequence[str],
    ports: Sequence[int],
    limit_s: float,
    name: str = "responder",
) -> Detached:
    """Start a responder on an endpoint; it ends by itself after `limit_s` seconds.

    Args:
        shell: the endpoint.
        addresses: of it, at which it is called; nobody reaches the responder at another one.
        ports: TCP and UDP ports.
        limit_s: for how long at most.
        name: of its files in the run's folder.

    Raises:
        NotProven: it could not be started, with its own words.
    """
    numbers = " ".join(map(str, ports))
    ready = script("ss -Hltn sport = :{port} | grep -q .", port=ports[-1])
    command = script(
        "python3 {program} {limit_s:.0f} {addresses} {ports}",
        program=install(shell, "responder.py"),
        limit_s=limit_s,
        addresses=",".join(addresses),
        ports=ports,
    )
    stem = f"{shell.folder()}/{name}"
    try:
        return Detached.start(shell, stem, command, limit_s + 5, ready=ready)
    except ProgramEnded as ended:
        raise NotProven(
            f"the test responder could not be started on the {shell.name} (ports {numbers}): "
            f"{ended}. Free these ports or name others (probe_port) in the testbed file."
        ) from ended


def try_all(shell: Shell, probes: Sequence[Probe], timeout_s: float = 1.0) -> list[Answer]:
    """Try all probes at once from an endpoint; their answers in the same order.

    Raises:
        NotProven: the prober did not work on the endpoint.
    """
    return [answer for answer, _ in _tried(shell, probes, timeout_s)]


def _tried(
    shell: Shell, probes: Sequence[Probe], timeout_s: float
) -> list[tuple[Answer, float]]:
    """The same, each with how long its last try took, seconds."""
    command = script(
        "python3 {program} {timeout_s} {flows}",
        program=install(shell, "prober.py"),
        timeout_s=timeout_s,
        flows=[probe.argument for probe in probes],
    )
    limit = 10 + max(probe.tries for probe in probes) * (timeout_s + 0.2)
    done = shell.run(command, timeout_s=limit)
    try:
        found = [
            (Answer(probe, result["outcome"], result["detail"]), result.get("seconds", 0.0))
            for probe, result in zip(probes, json.loads(done.output), strict=True)
        ]
    except (ValueError, TypeError):  # no JSON, or no answer for one of them
        words = (done.errors.strip() or "it wrote nothing").splitlines()[-1]
        raise NotProven(f"the prober failed on the {shell.name}: {words}") from None
    for one, _ in found:
        recorder.note(ConnectionTry(shell.name, str(one.probe), one.outcome, one.seen))
    return found


def with_patience(shell: Shell, answer: Answer) -> Answer:
    """A connection that is silent, tried once more for long enough that its SYN is sent again.

    Args:
        shell: the endpoint from which it is tried.
        answer: of before.

    Returns:
        One that is late where that is answered; else the one of before.

    Raises:
        NotProven: the prober did not work on the endpoint.
    """
    if answer.outcome != SILENT or answer.probe.protocol != "tcp":
        return answer
    ((again, seconds),) = _tried(shell, [answer.probe], _PATIENCE_S)
    if again.outcome != ANSWERED or seconds < _SYN_AGAIN_S:
        return answer
    outcome = f"answered only after {seconds:.1f} s, as its first packet got lost"
    return Answer(answer.probe, outcome, late=True)


def install(shell: Shell, name: str) -> str:
    """Put a script of `gatepass.endpoint.remote` into the run's folder, once; its path there."""
    path = f"{shell.folder()}/{name}"
    if shell.run(script("[ -s {path} ]", path=path), again=True).status:  # it only looks
        shell.put(resources.files("gatepass.endpoint.remote").joinpath(name).read_text(), path)
    return path


def install_package(shell: Shell, name: str) -> None:
    """Put a package of this machine's Python beside the run's scripts, once, as it is.

    Args:
        name: of a package that is all Python and has no packages in it.
    """
    folder = f"{shell.folder()}/{name}"
    if shell.run(script("mkdir {folder}", folder=folder)).status == 0:
        for file in resources.files(name).iterdir():
            if file.name.endswith(".py"):
                shell.put(file.read_text(), f"{folder}/{file.name}")


def run_script(shell: Shell, name: str, words: Sequence[str], timeout_s: float) -> Completed:
    """Run a script of `gatepass.endpoint.remote` that leaves nothing on the endpoint, not itself.

    Args:
        shell: the endpoint.
        name: of the script.
        words: its arguments.
        timeout_s: how long to wait.
    """
    text = resources.files("gatepass.endpoint.remote").joinpath(name).read_text()
    command = script("python3 -c {text} {words}", text=text, words=words)
    return shell.run(command, timeout_s=timeout_s, again=True)

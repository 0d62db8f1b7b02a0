"""Datagrams that an endpoint sends under whatever address, and which of them arrive elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gatepass.base.errors import NotProven
from gatepass.endpoint.answers import words_of
from gatepass.endpoint.frames import must_be_root
from gatepass.endpoint.looks import LOOK_OVER, begin_look
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell

ROUNDS = 10
"""Datagrams of each sender in one try."""
_INTERVAL_S = 0.01
_LAST_S = 0.05
"""For what is still under way when the last was sent."""
_LOOK_S = 10
_LIMIT_S = 90


@dataclass(frozen=True)
class Forged:
    """A sender as it wants to be seen.

    Attributes:
        name: one word, by which it is known.
        mac: its hardware address.
        source, target: IPv4 addresses.
    """

    name: str
    mac: str
    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.name}={self.mac},{self.source},{self.target}"


@dataclass(frozen=True)
class Seen:
    """What arrived of one try, in which each sender sent `ROUNDS` datagrams.

    Attributes:
        numbers: by sender and the hardware address that they were sent to, which of them.
    """

    numbers: Mapping[tuple[str, str], frozenset[int]] = field(default_factory=dict)

    def of(self, name: str, at: str = "") -> int:
        """How many of a sender's arrived, at a hardware address or at any."""
        found = [
            numbers for (one, mac), numbers in self.numbers.items()
            if one == name and at in ("", mac)
        ]
        return len(frozenset().union(*found))

    def whole(self, *names: str) -> bool:
        """Whether all that these senders sent arrived."""
        return all(self.of(name) == ROUNDS for name in names)

    def none(self, *names: str) -> bool:
        """Whether nothing of these senders arrived."""
        return not any(self.of(name) for name in names)


def told_of(lines: Iterable[str], number: int) -> Seen:
    """What a watch has written down of one try.

    Args:
        lines: of `arrival_watch.py`.
        number: of the try.
    """
    found: dict[tuple[str, str], set[int]] = {}
    for line in lines:
        words = line.split()
        if len(words) == 6 and words[3] == str(number) and words[5].isdecimal():
            found.setdefault((words[4], words[0]), set()).add(int(words[5]))
    return Seen({key: frozenset(numbers) for key, numbers in found.items()})


class ForgedTraffic:
    """Datagrams of several senders, all from one endpoint, and a watch on another.

    Args:
        sender: the endpoint that sends; its user has to be root, as the other's.
        interface: where it sends.
        hop: the hardware address of the next hop there.
        receiver: the endpoint that watches.
        at: the interface where it does.
        port: the UDP port that they are sent to.
        mark: by which they are known, eight letters.
        senders: who sends.
        contest: an address that the receiver has, with the hardware address that it has it by, and
            can claim for its interface's own.

    Raises:
        NotProven: one of the endpoints cannot do that, with its own words.
    """

    def __init__(
        self,
        sender: Shell,
        interface: str,
        hop: str,
        receiver: Shell,
        at: str,
        port: int,
        mark: str,
        senders: Sequence[Forged],
        contest: tuple[str, str] | None = None,
    ) -> None:
        for shell in (sender, receiver):
            must_be_root(shell)
        self._sender, self._receiver = sender, receiver
        self._program = install(sender, "forged_sender.py")
        self._where: Sequence[str | int] = (interface, hop, port, mark)
        self._senders = [str(one) for one in senders]
        self._tries = 0
        self._stem = f"{receiver.folder()}/arrivals"
        self._watch = self._start(at, mark, contest)

    def _start(self, at: str, mark: str, contest: tuple[str, str] | None) -> Detached:
        shell, stem = self._receiver, self._stem
        program = install(shell, "arrival_watch.py")
        shell.run(script("rm -f {stem}.stop {stem}.claim {stem}.look", stem=stem))
        command = script(
            "python3 {program} {at} {mark} {stem}.stop {limit_s} {stem}.look {contest}",
            program=program,
            at=at,
            mark=mark,
            stem=stem,
            limit_s=_LIMIT_S,
            contest=[*contest, f"{stem}.claim"] if contest else [],
        )
        ready = script("grep -qs ready {stem}.out", stem=stem)
        try:
            return Detached.start(shell, stem, command, _LIMIT_S + 5, ready=ready)
        except ProgramEnded as ended:
            raise NotProven(f"the {shell.name} cannot record what arrives: {ended}.") from ended

    def once(self) -> Seen:
        """One try: all send; what arrived of it.

        Raises:
            NotProven: the endpoint could not send, or watches no more.
        """
        self._tries += 1
        send = script(
            "python3 {program} {where} {number} {rounds} {interval_s} {senders}",
            program=self._program,
            where=self._where,
            number=self._tries,
            rounds=ROUNDS,
            interval_s=_INTERVAL_S,
            senders=self._senders,
        )
        done = self._sender.run(send)
        if done.status:
            raise NotProven(
                f"the {self._sender.name} could not send the packets of the test: {words_of(done)}."
            )
        # the watch may stand still: what it has not read yet has arrived all the same
        look = script(
            "sleep {last_s}; echo {number} >{stem}.look; {begin}; "
            "until grep -qsx {read} {stem}.out; do [ -e {stem}.rc ] && exit 3; {over} && exit 4; "
            "sleep 0.02; done; grep {number_alone} {stem}.out; true",
            last_s=_LAST_S,
            number=self._tries,
            stem=self._stem,
            begin=begin_look(_LOOK_S),
            read=f"looked {self._tries}",
            over=LOOK_OVER,
            number_alone=f" {self._tries} ",
        )
        told = self._receiver.run(look)
        if told.status:
            words = self._watch.last_words() if told.status == 3 else "it stood still"
            words = words or "it ended"
            raise NotProven(
                f"the {self._receiver.name} did not observe the traffic to the end: {words}."
            )
        return told_of(told.output.splitlines(), self._tries)

    def until(self, holds: Callable[[Seen], bool], patience_s: float) -> Seen:
        """Try again until what arrived is as it should be, or for so long; the last try."""
        give_up = time.monotonic() + patience_s
        while not holds(seen := self.once()) and time.monotonic() < give_up:
            pass
        return seen

    def claim(self, claims: bool) -> None:
        """Whether the receiver claims the address of the contest from now on."""
        change = script("touch") if claims else script("rm -f")
        self._receiver.run(script("{change} {stem}.claim", change=change, stem=self._stem))

    def stop(self) -> None:
        """Let the receiver watch no more."""
        self._receiver.run(script("touch {stem}.stop", stem=self._stem))
        self._watch.stop()


def free_addresses(shell: Shell, interface: str, candidates: Sequence[str]) -> list[str]:
    """Which of some addresses nobody on the endpoint's wire has.

    Raises:
        NotProven: it cannot be found out.
    """
    must_be_root(shell)
    ask = script(
        "python3 {program} {interface} {candidates}",
        program=install(shell, "free_addresses.py"),
        interface=interface,
        candidates=candidates,
    )
    done = shell.run(ask)
    free = done.output.split()
    if done.status or not set(free) <= set(candidates):
        raise NotProven(f"the {shell.name} cannot ask for addresses: {words_of(done)}.")
    return free

"""An endpoint that stands in for other hosts: has their addresses, and tries what it is told."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from typing_extensions import TypedDict

from gatepass.base.errors import NotProven
from gatepass.endpoint.answers import Address, Count, Words, of_json
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Detached, ProgramEnded, Shell, put_secret

_T = TypeVar("_T")
LIMIT_S = 90
"""After which it ends whatever happens."""
_END_S = 15


_Outcomes = dict[str, tuple[Words, Words]]
_Arrived = tuple[int, Words, Address, Address, int]


class Ready(TypedDict):
    """Whom it stands in for: see `StandIn`."""

    held: list[Address]
    busy: list[Address]
    reached: list[Literal[4, 6]]


class Tried(TypedDict):
    """What it has tried: see `StandIn.tried`."""

    outcomes: _Outcomes
    answering: list[Address]


class Ended(TypedDict):
    """All that it did: what arrived, see `StandIn.arrived`; how many frames it sent."""

    arrived: list[_Arrived]
    outcomes: _Outcomes
    busy: list[Address]
    reached: list[Literal[4, 6]]
    sent: Count


class StandIn:
    """The program `remote/stand_in.py` at work on an endpoint; its files are described there.

    Attributes:
        ready: `held`, the addresses that it has; `busy`, those that another host has; `reached`,
            the versions of IP in which the next hop answered.
    """

    def __init__(self, shell: Shell, folder: str, program: Detached) -> None:
        """Use `start`."""
        self._shell, self._folder, self._program = shell, folder, program
        look = script("cat {folder}/ready", folder=folder)
        self.ready = self._read(Ready, shell.run(look, again=True).output)

    @classmethod
    def start(cls, shell: Shell, name: str, plan: Mapping) -> StandIn:
        """Have an endpoint stand in for other hosts.

        Args:
            shell: the endpoint.
            name: of its files in the run's folder there.
            plan: whom it stands in for, see `remote/stand_in.py`.

        Raises:
            NotProven: it cannot, with the program's own words.
        """
        folder = f"{shell.folder()}/{name}"
        program, path = install(shell, "stand_in.py"), f"{folder}/plan"
        shell.run(script("rm -rf {folder}; mkdir -m 700 {folder}", folder=folder))
        put_secret(shell, json.dumps(plan), path)
        command = script(
            "python3 {program} {path} {folder} {limit_s}",
            program=program,
            path=path,
            folder=folder,
            limit_s=LIMIT_S,
        )
        ready = script("[ -e {folder}/ready ]", folder=folder)
        try:
            running = Detached.start(shell, folder, command, LIMIT_S + 5, ready=ready)
        except ProgramEnded as ended:
            raise NotProven(
                f"the {shell.name} cannot simulate other hosts: {ended}. It needs root as its SSH "
                "user, Python 3.9 or later, and /dev/net/tun."
            ) from ended
        return cls(shell, folder, running)

    def go(self, tries: Sequence[Mapping] | None = None, ask: Sequence[str] = ()) -> None:
        """Have it try.

        Args:
            tries: what; what its plan says where there are none named.
            ask: IPv4 addresses that it asks for before, by ARP.
        """
        path = f"{self._folder}/go"
        if tries is None:
            self._shell.run(script("touch {path}", path=path))
            return
        self._shell.put(json.dumps({"tries": tries, "ask": ask}), f"{path}.part")
        self._shell.run(script("mv {path}.part {path}", path=path))

    def tried(self) -> Tried:
        """Wait until it has tried all.

        Returns:
            `outcomes`, by the number of each try what it saw and its words; `answering`, which of
            the addresses that it asked for somebody has.

        Raises:
            NotProven: it failed, with its own words.
        """
        look = script(
            "n=0; until [ -e {path} ] || [ -e {stem}.rc ]; do n=$((n+1)); "
            "[ $n -gt 500 ] && exit 1; sleep 0.02; done; cat {path} && rm {path}",
            path=f"{self._folder}/tried",
            stem=self._program.stem,
        )
        ended = script("[ -e {stem}.rc ]", stem=self._program.stem)
        give_up = time.monotonic() + LIMIT_S
        while time.monotonic() < give_up:
            done = self._shell.run(look)
            if done.output:
                return self._read(Tried, done.output)
            if self._shell.run(ended).status == 0:
                break
        raise self._failed()

    @property
    def arrived(self) -> list[_Arrived]:
        """What has arrived so far: number of the try, what it was, source, target and its port."""
        look = script("cat {folder}/arrived", folder=self._folder)
        lines = self._shell.run(look, again=True).output.splitlines()
        return [self._read(_Arrived, line) for line in lines]

    def end(self) -> Ended:
        """End it; what it tells of all that it did."""
        self._shell.run(script("touch {folder}/stop", folder=self._folder))
        try:
            self._program.wait(_END_S)
        except ProgramEnded:
            raise self._failed() from None
        return self._read(Ended, self._program.output)

    def stop(self) -> None:
        """End it, whatever it does."""
        self._program.stop()

    def _read(self, kind: type[_T], text: str) -> _T:
        try:
            return of_json(kind, text)
        except ValueError:
            raise self._failed() from None

    def _failed(self) -> NotProven:
        words = self._program.last_words() or "it wrote nothing"
        return NotProven(
            f"the program that simulates other hosts on the {self._shell.name} stopped with an "
            f"error: {words}."
        )

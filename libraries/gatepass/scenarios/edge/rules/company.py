"""The hosts that try things at the edge: endpoints stand in for them, with free addresses."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence

from gatepass.base.errors import NotProven
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.stand_in import StandIn
from gatepass.scenarios.edge.rules import addresses
from gatepass.scenarios.edge.rules.attempts import MOMENTS, Arrival, Attempt, Seen
from gatepass.scenarios.edge.rules.stories import IDLE_PORT, KEPT_PORT, PORT, Cast
from gatepass.scenarios.leaks.ways import Side

_INNER_HOSTS, _OUTER_ADDRESSES = 6, 5
_CANDIDATES, _FOR_THE_HOST = 24, 4
"""How many addresses of a network are looked at; of the outer one, how many for the host there."""
_SERVED = (("tcp", PORT), ("udp", PORT), ("udp", IDLE_PORT), ("udp", KEPT_PORT))
_LATER = 3
"""How many times as late the late answer is where an attempt is tried again."""
_PASS_PATIENCE_S, _SILENT_PATIENCE_S = 1.6, 0.6
"""For an answer; a lost packet of a connection is sent again after one second (RFC 6298)."""


class Company:
    """The hosts on both sides of the gateway.

    Args:
        inner, outer: its ports with client and server behind them.
        used: addresses that its configuration has a use for.
    """

    def __init__(self, inner: Side, outer: Side, used: Sequence[addresses.Span]) -> None:
        self.inner, self.outer = inner, outer
        self._used = used
        self._mark = secrets.token_hex(4)
        self._at: dict[str, StandIn] = {}
        self._tried: dict[int, tuple[Attempt, str]] = {}
        self._outcomes: dict[int, Sequence[str]] = {}

    def gather(self, shells: Mapping[str, Shell]) -> None:
        """Have them ready.

        Args:
            shells: the endpoints by name.

        Raises:
            NotProven: an endpoint cannot stand in for hosts.
        """
        hosts = self._candidates(self.outer)[-_FOR_THE_HOST:]
        self._start(self.inner, shells, self._candidates(self.inner), _INNER_HOSTS, [])
        self._start(self.outer, shells, hosts, 1, self._to_translate)
        for side in (self.inner, self.outer):
            if 4 not in self._at[side.name].ready["reached"]:
                raise NotProven(
                    f"the gateway's port {side.port} ({side.links[4].hop}) did not answer the "
                    f"{side.name} when it asked for its hardware address."
                )

    @property
    def _to_translate(self) -> list[str]:
        """Candidates for what the gateway translates to."""
        return self._candidates(self.outer)[:-_FOR_THE_HOST]

    def _candidates(self, side: Side) -> list[str]:
        link = side.links[4]
        own = [text.partition("/")[0] for text in link.networks if ":" not in text]
        taken = [*self._used, *addresses.spans((text, text) for text in own)]
        return addresses.candidates(link.network(side.addresses[4]), taken, _CANDIDATES)

    def _start(
        self,
        side: Side,
        shells: Mapping[str, Shell],
        hold: Sequence[str],
        most: int,
        ask: Sequence[str],
    ) -> None:
        link = side.links[4]
        plan = {
            "interface": link.interface,
            "gateways": {4: [link.hop, link.hop_mac]},
            "hold": hold,
            "most": most,
            "ask": ask,
            "listen": [(protocol, text, port) for protocol, port in _SERVED for text in hold],
            "tries": [],
            "mark": self._mark,
        }
        self._at[side.name] = StandIn.start(shells[side.name], "edge-rules", plan)
        if len(self._held(side)) < most:
            raise self._too_few(side)

    def _held(self, side: Side) -> list[str]:
        return self._at[side.name].ready["held"]

    def _too_few(self, side: Side) -> NotProven:
        network = side.links[4].network(side.addresses[4])
        needed = _INNER_HOSTS if side is self.inner else _OUTER_ADDRESSES + 1
        return NotProven(
            f"too few of the highest addresses of {network}, behind the gateway's port "
            f"{side.port}, are free: {needed} are needed for a moment, for hosts that the "
            f"{side.name} stands in for and for what the gateway translates to. Free some of them, "
            "or give the endpoint a larger network."
        )

    def cast(self) -> Cast:
        """Who takes part.

        Raises:
            NotProven: too few addresses are free.
        """
        busy = self._at[self.outer.name].ready["busy"]
        free = [text for text in self._to_translate if text not in busy]
        if len(free) < _OUTER_ADDRESSES:
            raise self._too_few(self.outer)
        pair = addresses.neighbours(free)
        address, hairpin, pool, *_ = (text for text in free if text not in pair)
        (outside,) = self._held(self.outer)
        return Cast(
            self.inner.port,
            self.outer.port,
            self.inner.gateway[4],
            self.outer.gateway[4],
            *self._held(self.inner),
            outside,
            address,
            hairpin,
            pool,
            pair,
        )

    def try_all(
        self, attempts: Iterable[Attempt], moment: str, ask: Sequence[str]
    ) -> frozenset[str]:
        """Have them try all of it at once.

        Args:
            attempts: what.
            moment: when, see `attempts`.
            ask: outer addresses that the host outside asks for before, by ARP.

        Returns:
            Those that somebody has.
        """
        tries: dict[str, list[dict]] = {side.name: [] for side in (self.inner, self.outer)}
        outside = self._held(self.outer)
        before = set(self._tried.values())
        for number, attempt in enumerate(attempts, len(self._tried) + 1):
            self._tried[number] = (attempt, moment)
            late_s = attempt.late_s * (_LATER if (attempt, moment) in before else 1)
            side = self.outer if attempt.source in outside else self.inner
            tries[side.name].append(_told(attempt, number, moment) | {"late_s": late_s})
        for name, stand_in in self._at.items():
            stand_in.go(tries[name], ask if name == self.outer.name else ())
        told = {name: stand_in.tried() for name, stand_in in self._at.items()}
        for one in told.values():
            self._outcomes |= {int(number): seen for number, seen in one["outcomes"].items()}
        return frozenset(told[self.outer.name]["answering"])

    def seen(self) -> dict[str, dict[Attempt, Seen]]:
        """What became of everything so far, by moment: of what was tried again the last time."""
        rows = [row for stand_in in self._at.values() for row in stand_in.arrived]
        found: dict[str, dict[Attempt, Seen]] = {moment: {} for moment in MOMENTS}
        for number, (attempt, moment) in self._tried.items():
            # what comes to the host that tried it is an answer
            arrived = tuple(
                Arrival(source, target, port)
                for one, _, source, target, port in rows
                if one == number and target != attempt.source
            )
            outcome, words = self._outcomes.get(number, ("", "it was not tried"))
            found[moment][attempt] = Seen(arrived, outcome, words)
        return found

    def stop(self) -> None:
        """End them."""
        for stand_in in self._at.values():
            stand_in.stop()


def _told(attempt: Attempt, number: int, moment: str) -> dict:
    """An attempt as `remote/stand_in.py` is told of it."""
    passes = moment in attempt.passes
    return {
        "number": number,
        "protocol": attempt.protocol,
        "source": attempt.source,
        "target": attempt.target,
        "port": attempt.port,
        "patience_s": _PASS_PATIENCE_S if passes else _SILENT_PATIENCE_S,
        "bare": True,  # its way is seen also where no connection comes about
    }

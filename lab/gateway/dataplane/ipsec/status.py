"""What charon says of its tunnels, and what they have carried."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice

import vici

_UP = {"INSTALLED", "REKEYING", "REKEYED", "UPDATING"}
_CURRENT = "INSTALLED"


@dataclass(frozen=True, slots=True)
class ChildSa:
    """One pair of keys.

    Attributes:
        id: charon's number of it.
        child: name of the phase 2.
        up: whether packets can go.
        current: whether it is the newest, not one that is being replaced.
        received: bytes of the packets that came out of it.
        sent: bytes of the packets that went into it.
        expires_s: seconds until the keys expire.
        local: networks on this side, as charon writes them.
        remote: networks on the other side.
    """

    id: int
    child: str
    up: bool
    current: bool
    received: int
    sent: int
    expires_s: int
    local: tuple[str, ...]
    remote: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IkeSa:
    """One connection with another end.

    Attributes:
        id: charon's number of it.
        tunnel: name of the phase 1.
        established: whether both ends know each other.
        connecting: whether it is being made.
        age_s: seconds since it was made.
        remote: address of the other end.
        remote_port: UDP port of the other end.
        remote_id: what the other end calls itself.
        user: who logged in with a name and a password; empty for nobody.
        assigned: address that the other end was given; empty for none.
        children: its keys.
    """

    id: int
    tunnel: str
    established: bool
    connecting: bool
    age_s: int
    remote: str
    remote_port: int
    remote_id: str
    user: str
    assigned: str
    children: tuple[ChildSa, ...]


@dataclass(frozen=True, slots=True)
class Carried:
    """Bytes that a phase 2 carried, over all keys that it had."""

    received: int = 0
    sent: int = 0


@dataclass(frozen=True, slots=True)
class IpsecStatus:
    """All connections, and what went through them.

    Attributes:
        sas: the connections.
        carried: by tunnel and phase 2, whichever connection it was.
        carried_by: by number of the connection and phase 2.
        places: by number of the connection, its place among those of its tunnel, from 0.
    """

    sas: tuple[IkeSa, ...] = ()
    carried: Mapping[tuple[str, str], Carried] = field(default_factory=dict)
    carried_by: Mapping[tuple[int, str], Carried] = field(default_factory=dict)
    places: Mapping[int, int] = field(default_factory=dict)


def read(session: vici.Session) -> tuple[IkeSa, ...]:
    """Ask charon for its connections."""
    return tuple(
        _ike_sa(name, values) for event in session.list_sas() for name, values in event.items()
    )


def children_of(event: Mapping) -> set[str]:
    """The phase 2s that one of charon's events is about."""
    connections = (values for values in event.values() if isinstance(values, Mapping))
    return {key.child for values in connections for key in _ike_sa("", values).children}


def _ike_sa(name: str, values: Mapping) -> IkeSa:
    state = _text(values, "state")
    return IkeSa(
        id=_number(values, "uniqueid"),
        tunnel=name,
        established=state in ("ESTABLISHED", "REKEYING"),
        connecting=state == "CONNECTING",
        age_s=_number(values, "established"),
        remote=_text(values, "remote-host"),
        remote_port=_number(values, "remote-port"),
        remote_id=_text(values, "remote-id"),
        user=_text(values, "remote-eap-id"),
        assigned=next(iter(_texts(values, "remote-vips")), ""),
        children=tuple(map(_child_sa, (values.get("child-sas") or {}).values())),
    )


def _child_sa(values: Mapping) -> ChildSa:
    state = _text(values, "state")
    return ChildSa(
        id=_number(values, "uniqueid"),
        child=_text(values, "name"),
        up=state in _UP,
        current=state == _CURRENT,
        received=_number(values, "bytes-in"),
        sent=_number(values, "bytes-out"),
        expires_s=_number(values, "life-time"),
        local=_texts(values, "local-ts"),
        remote=_texts(values, "remote-ts"),
    )


def _text(values: Mapping, key: str) -> str:
    return values.get(key, b"").decode()


def _texts(values: Mapping, key: str) -> tuple[str, ...]:
    return tuple(item.decode() for item in values.get(key, ()))


def _number(values: Mapping, key: str) -> int:
    return int(values.get(key, 0))


class Accounts:
    """Adds up what the keys carried: they count from zero whenever they are renewed."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[int, int]] = {}
        self._sums: dict[tuple[str, int, str], list[int]] = defaultdict(lambda: [0, 0])
        self._places: dict[str, dict[int, int]] = {}

    def update(self, sas: Sequence[IkeSa]) -> None:
        """Take in a reading."""
        seen = {}
        for sa in sas:
            for child in sa.children:
                received, sent = self._seen.get(child.id, (0, 0))
                sums = self._sums[sa.tunnel, sa.id, child.child]
                sums[0] += max(child.received - received, 0)
                sums[1] += max(child.sent - sent, 0)
                seen[child.id] = (child.received, child.sent)
        self._seen = seen
        self._give_places(sas)

    def _give_places(self, sas: Iterable[IkeSa]) -> None:
        """Give each connection a place that it keeps, the lowest that is free."""
        there: dict[str, list[int]] = defaultdict(list)
        for sa in sorted(sas, key=lambda sa: sa.id):
            if sa.established:
                there[sa.tunnel].append(sa.id)
        for tunnel, numbers in there.items():
            before = self._places.get(tunnel, {})
            kept = {number: before[number] for number in numbers if number in before}
            free = (place for place in count() if place not in kept.values())
            new = [number for number in numbers if number not in kept]
            self._places[tunnel] = kept | dict(zip(new, list(islice(free, len(new))), strict=True))

    def reset(self, tunnel: str | None) -> None:
        """Begin anew at zero, for one tunnel or for all."""
        for key in [key for key in self._sums if tunnel in (None, key[0])]:
            del self._sums[key]

    def status(self, sas: tuple[IkeSa, ...]) -> IpsecStatus:
        """The connections with their sums."""
        totals: dict[tuple[str, str], Carried] = {}
        single: dict[tuple[int, str], Carried] = {}
        for (tunnel, number, child), (received, sent) in self._sums.items():
            before = totals.get((tunnel, child), Carried())
            totals[tunnel, child] = Carried(before.received + received, before.sent + sent)
            single[number, child] = Carried(received, sent)
        places = {
            number: place for found in self._places.values() for number, place in found.items()
        }
        return IpsecStatus(sas, totals, single, places)

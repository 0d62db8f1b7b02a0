"""What the server is told: where it listens, who may log in, and what they get."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

Span = tuple[int, int]
"""First and last of a run of addresses, as numbers."""


@dataclass(frozen=True, slots=True)
class Listener:
    """One port of one address.

    Attributes:
        interface: the one that has the address.
        address: IPv4 or IPv6.
        port: TCP.
    """

    interface: str
    address: str
    port: int


@dataclass(frozen=True, slots=True)
class User:
    """A local user.

    Attributes:
        name: as the user types it.
        password: in plain.
        groups: the names of those that the user belongs to.
        any_case: whether upper and lower case are the same in the name.
    """

    name: str
    password: str
    groups: tuple[str, ...] = ()
    any_case: bool = False


@dataclass(frozen=True, slots=True)
class Sources:
    """From where clients may come.

    Attributes:
        interfaces: where they arrive; empty for any.
        addresses: IPv4 addresses; None for all.
        addresses6: IPv6 addresses; None for all.
    """

    interfaces: tuple[str, ...] = ()
    addresses: tuple[Span, ...] | None = None
    addresses6: tuple[Span, ...] | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """Who gets which portal.

    Attributes:
        groups: one of which the user belongs to,
        users: or who the user is.
        portal: its name.
        sources: from where it holds.
    """

    groups: tuple[str, ...]
    users: tuple[str, ...]
    portal: str
    sources: Sources = Sources()


@dataclass(frozen=True, slots=True)
class Portal:
    """What a user gets.

    Attributes:
        name: of the portal.
        tunnels: whether there are tunnels at all.
        pools: the addresses that users are given, in this order.
        split: networks (`198.18.2.0/24`) that are reached through the tunnel; None for everything.
        by_policy: whether the destinations of the user's policies say that instead.
        excluded: whether `split` says what is not reached through it.
        dns: name servers.
        dns_suffix: the domain of the names.
        one_login: whether a second login of a user ends the first.
    """

    name: str
    tunnels: bool = True
    pools: tuple[Span, ...] = ()
    split: tuple[str, ...] | None = None
    by_policy: bool = False
    excluded: bool = False
    dns: tuple[str, ...] = ()
    dns_suffix: str = ""
    one_login: bool = False


@dataclass(frozen=True, slots=True)
class Reach:
    """Where a policy lets users go.

    Attributes:
        groups: of users that it is for,
        users: and single ones.
        networks: its destinations; None for everywhere.
    """

    groups: tuple[str, ...]
    users: tuple[str, ...]
    networks: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ServerPlan:
    """Everything. Times are in s; 0 is for ever.

    Attributes:
        listeners: where the server answers; without any it does not run.
        sources: from where clients may come.
        certificate: in PEM.
        key: in PEM.
        lowest_tls: `tls1-2` or the like.
        highest_tls: likewise.
        users: all that are enabled.
        rules: in the order of evaluation.
        portals: by name.
        reaches: of the policies for users.
        idle_s: without a packet from or to the user a session ends.
        auth_s: after this it ends in any case.
        attempts: failed logins from one address until it is blocked; 0 for any number.
        block_s: how long it stays blocked.
        keep_s: for how long the session of a broken connection can be taken up again.
        checks_source: whether a cookie holds for the address that logged in alone.
        round_robin: whether a freed address waits until all others have been given out.
        runs: whether the server does; a fault if not.
        minds_passwords: whether a wrong password is refused; a fault if not.
        minds_groups: whether rules count; a fault if not.
        logs_out: whether logging out ends the session; a fault if not.
        tells_split: whether clients are told of split tunnelling; a fault if not.
        most_users: how many addresses there are at most; None for what the pools hold. A fault.
        mbps: what all users together get, in Mbit/s; 0 for no limit. A fault.
    """

    listeners: tuple[Listener, ...] = ()
    sources: Sources = Sources()
    certificate: str = ""
    key: str = ""
    lowest_tls: str = "tls1-2"
    highest_tls: str = "tls1-3"
    users: tuple[User, ...] = ()
    rules: tuple[Rule, ...] = ()
    portals: Mapping[str, Portal] = field(default_factory=dict)
    reaches: tuple[Reach, ...] = ()
    idle_s: int = 300
    auth_s: int = 28800
    attempts: int = 2
    block_s: int = 60
    keep_s: int = 0
    checks_source: bool = True
    round_robin: bool = False
    runs: bool = True
    minds_passwords: bool = True
    minds_groups: bool = True
    logs_out: bool = True
    tells_split: bool = True
    most_users: int | None = None
    mbps: float = 0.0


def as_message(plan: ServerPlan) -> dict[str, Any]:
    """The plan as JSON holds it."""
    return asdict(plan)


def heard(value: Mapping[str, Any]) -> ServerPlan:
    """The plan from JSON."""
    return _made(ServerPlan, value)


def _made(kind: Any, value: Any) -> Any:
    """A value of JSON as the type that it is meant to be."""
    origin, inner = get_origin(kind), get_args(kind)
    if value is None or kind in (str, int, float, bool):
        return value
    if origin in (Union, types.UnionType):
        return _made(next(one for one in inner if one is not type(None)), value)
    if origin is tuple:
        if inner[-1] is Ellipsis:
            return tuple(_made(inner[0], item) for item in value)
        return tuple(value)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{one.name: _made(hints[one.name], value[one.name]) for one in fields(kind)})
    return {key: _made(inner[1], item) for key, item in value.items()}

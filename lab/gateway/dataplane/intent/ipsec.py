"""IPsec tunnels: the rows of the configuration compiled. Pure: touches nothing."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lab.gateway.dataplane.intent.addresses import AddressBook, names, network
from lab.gateway.dataplane.intent.each import Config, Each
from lab.gateway.dataplane.intent.proposals import in_strongswan_words
from lab.gateway.dataplane.intent.remote import local_users
from lab.sslvpn.plan import User

PHASE1, PHASE2 = "vpn.ipsec/phase1-interface", "vpn.ipsec/phase2-interface"

log = logging.getLogger(__name__)

_Pair = tuple[tuple[int, int], tuple[int, int]]
EVERYWHERE = "0.0.0.0/0"
_ANY_ADDRESS = "0.0.0.0"


@dataclass(frozen=True, slots=True)
class Child:
    """A phase 2: one pair of selectors.

    Attributes:
        name: of the row.
        serial: its number among the phase 2s of the gateway, from 1.
        proposals: in strongSwan's words, the preferred first.
        local: networks on this side, as prefixes or `first-last`.
        remote: networks on the other side; empty for the address that a dial-up peer is given.
        keylife_s: how long keys live.
        auto_negotiate: whether it is to be up at all times, not only once there is traffic.
        replay_window: packets that may be late; 0 for no check.
    """

    name: str
    serial: int
    proposals: tuple[str, ...]
    local: tuple[str, ...]
    remote: tuple[str, ...]
    keylife_s: int
    auto_negotiate: bool = False
    replay_window: int = 128


@dataclass(frozen=True, slots=True)
class DialUp:
    """What a tunnel for dial-up peers gives them.

    Attributes:
        pool: `first-last` of the addresses given out; empty for none.
        dns: name servers handed out.
        eap: whether users log in with a name and a password of their own.
        asks_identity: whether they are asked who they are, instead of going by their IKE identity.
        users: those who may.
        others: the other users of the gateway, who may not.
        forgets_logout: whether those who logged out stay connected by what is shown; a fault.
    """

    pool: str = ""
    dns: tuple[str, ...] = ()
    eap: bool = False
    asks_identity: bool = False
    users: tuple[User, ...] = field(default=(), repr=False)
    others: tuple[User, ...] = field(default=(), repr=False)
    forgets_logout: bool = False

    @property
    def everyone(self) -> tuple[User, ...]:
        """All users of the gateway, some of them twice under a fault."""
        return (*self.users, *self.others)


@dataclass(frozen=True, slots=True)
class Tunnel:
    """A phase 1 with its phase 2s.

    Attributes:
        name: of the row, and of the interface.
        port: the interface that carries it.
        local: address that it goes from; empty for the port's own.
        remote: address of the other end; empty for any.
        version: of IKE.
        proposals: in strongSwan's words, the preferred first.
        keylife_s: how long keys of the IKE SA live.
        psk: the secret that both ends know.
        local_id: what this end calls itself; empty for its address.
        remote_id: what the other end has to call itself; empty for its address, or for anything
            if it has no fixed one.
        dpd: `disable`, `on-idle` or `on-demand`.
        dpd_s: seconds between two questions whether the other end is there.
        passive: whether it only answers.
        distance: of the routes to the addresses that dial-up peers are given.
        children: its phase 2s.
        dial_up: for dial-up peers, else None.
        returns: whether it comes back by itself once it was up; a fault if not.
        renewal_outage_s: how long it carries nothing after its keys were renewed; a fault.
    """

    name: str
    port: str
    local: str
    remote: str
    version: int
    proposals: tuple[str, ...]
    keylife_s: int
    psk: str = field(repr=False)
    local_id: str = ""
    remote_id: str = ""
    dpd: str = "on-demand"
    dpd_s: int = 20
    passive: bool = False
    distance: int = 15
    children: tuple[Child, ...] = ()
    dial_up: DialUp | None = None
    returns: bool = True
    renewal_outage_s: float = 0.0

    def selectors(self) -> Iterator[tuple[str, str]]:
        """Pairs of a local and a remote prefix, between which packets may go through it."""
        for child in self.children:
            remotes = child.remote or ((self.dial_up.pool,) if self.dial_up else ())
            for local in prefixes(child.local):
                for remote in prefixes(remotes):
                    yield local, remote

    @property
    def remote_networks(self) -> tuple[str, ...]:
        """The prefixes on the other side."""
        return tuple(dict.fromkeys(remote for _, remote in self.selectors()))


@dataclass(frozen=True, slots=True)
class Ipsec:
    """All tunnels.

    Attributes:
        tunnels: by name, those without a phase 2 too.
        mbps: what all tunnels together carry at most, in Mbit/s; 0 for no limit. A fault.
        most: how many tunnels are up at once, but for dial-up; 0 for any number. A fault.
    """

    tunnels: Mapping[str, Tunnel] = field(default_factory=dict)
    mbps: float = 0.0
    most: int = 0


def prefixes(ranges: Sequence[str]) -> list[str]:
    """Prefixes for a mixture of prefixes and `first-last`."""
    found = []
    for text in ranges:
        first, _, last = text.partition("-")
        if last:
            ends = (ipaddress.IPv4Address(end) for end in (first, last))
            found += [net.with_prefixlen for net in ipaddress.summarize_address_range(*ends)]
        else:
            found.append(text)
    return found


def compile_ipsec(config: Config, each: Each) -> Ipsec:
    """Compile the tables of IPsec.

    Args:
        config: CMDB path -> rows with their defaults filled in.
        each: compiles the rows.
    """
    children: dict[str, list[Mapping]] = {}
    serials: dict[str, int] = {}
    for serial, row in enumerate(config.get(PHASE2, ()), 1):
        children.setdefault(row["phase1name"], []).append(row)
        serials[row["name"]] = serial

    def tunnel(row: Mapping) -> Tunnel:
        dial_up = _dial_up(row, config) if row["type"] == "dynamic" else None
        included = _included(row, config) if dial_up else ()
        found = _tunnel(
            row,
            dial_up,
            tuple(
                _child(child, serials[child["name"]], dial_up, included)
                for child in children.get(row["name"], ())
            ),
        )
        for pair in found.selectors():
            _pair(*pair)  # raises here what cannot be read, not for all tunnels
        return found

    return Ipsec(_without_overlaps({found.name: found for found in each(PHASE1, tunnel)}))


def _without_overlaps(tunnels: Mapping[str, Tunnel]) -> dict[str, Tunnel]:
    """The tunnels, each without the phase 2s whose selectors overlap those of another tunnel.

    Packets are given to tunnels by the selectors, so one pair of addresses has one tunnel.
    """
    taken: list[tuple[str, _Pair]] = []
    found = {}
    for tunnel in tunnels.values():
        kept = []
        for child in tunnel.children:
            alone = replace(tunnel, children=(child,))
            pairs = [_pair(*networks) for networks in alone.selectors()]
            other = next(
                (name for name, pair in taken if any(_overlap(pair, one) for one in pairs)), None
            )
            if other is None:
                kept.append(child)
            else:
                log.warning(
                    "phase 2 %s stays down: its selectors overlap those of the tunnel %s",
                    child.name,
                    other,
                )
        found[tunnel.name] = complete = replace(tunnel, children=tuple(kept))
        taken += [(tunnel.name, _pair(*networks)) for networks in complete.selectors()]
    return found


def _pair(local: str, remote: str) -> _Pair:
    return network(local), network(remote)


def _overlap(one: _Pair, other: _Pair) -> bool:
    return all(a[0] <= b[1] and b[0] <= a[1] for a, b in zip(one, other, strict=True))


def _tunnel(row: Mapping, dial_up: DialUp | None, children: tuple[Child, ...]) -> Tunnel:
    return Tunnel(
        name=row["name"],
        port=row["interface"],
        local="" if row["local-gw"] == _ANY_ADDRESS else row["local-gw"],
        remote="" if dial_up else row["remote-gw"],
        version=int(row["ike-version"]),
        proposals=in_strongswan_words(row["proposal"].split(), row["dhgrp"].split()),
        keylife_s=row["keylife"],
        psk=row["psksecret"],
        local_id=row["localid"],
        remote_id=row["peerid"] if row["peertype"] == "one" else "",
        dpd=row["dpd"],
        dpd_s=int(row["dpd-retryinterval"]),
        distance=row["distance"],
        passive=row["passive-mode"] == "enable" or dial_up is not None,
        children=children,
        dial_up=dial_up,
    )


def _dial_up(row: Mapping, config: Config) -> DialUp:
    groups = {row["authusrgrp"]} if row["authusrgrp"] else _groups_of_policies(row["name"], config)
    users = list(local_users(config))
    may = [not groups.isdisjoint(user.groups) for user in users]
    gives = row["mode-cfg"] == "enable" and row["assign-ip"] == "enable"
    servers = (row[f"ipv4-dns-server{number}"] for number in (1, 2, 3))
    return DialUp(
        pool=f"{row['ipv4-start-ip']}-{row['ipv4-end-ip']}" if gives else "",
        dns=tuple(server for server in servers if server != _ANY_ADDRESS),
        eap=row["eap"] == "enable",
        asks_identity=row["eap-identity"] == "send-request",
        users=tuple(user for user, let_in in zip(users, may, strict=True) if let_in),
        others=tuple(user for user, let_in in zip(users, may, strict=True) if not let_in),
    )


def _groups_of_policies(tunnel: str, config: Config) -> set[str]:
    """The groups that policies for a tunnel name: they may log in if the tunnel names none."""
    return {
        group
        for row in config.get("firewall/policy", ())
        if row.get("status", "enable") == "enable" and tunnel in names(row.get("srcintf"))
        for group in names(row.get("groups"))
    }


def _included(row: Mapping, config: Config) -> tuple[str, ...]:
    """The networks that a dial-up peer is to reach through the tunnel; empty for all."""
    if not row["ipv4-split-include"]:
        return ()
    tables = (config.get(path, ()) for path in ("firewall/address", "firewall/addrgrp"))
    spans = AddressBook(4, *tables).resolve((row["ipv4-split-include"],))
    return tuple(
        f"{ipaddress.IPv4Address(low)}-{ipaddress.IPv4Address(high)}" for low, high in spans
    )


def _child(row: Mapping, serial: int, dial_up: DialUp | None, included: tuple[str, ...]) -> Child:
    remote = _selector(row, "dst")
    # A peer that is given an address may use that one alone.
    given = dial_up is not None and bool(dial_up.pool)
    groups = row["dhgrp"].split() if row["pfs"] == "enable" else []
    return Child(
        name=row["name"],
        serial=serial,
        proposals=in_strongswan_words(row["proposal"].split(), groups),
        local=included or (_selector(row, "src"),),
        remote=() if given else (remote,),
        keylife_s=row["keylifeseconds"],
        auto_negotiate=row["auto-negotiate"] == "enable" or row["keepalive"] == "enable",
        replay_window=128 if row["replay"] == "enable" else 0,
    )


def _selector(row: Mapping, side: str) -> str:
    kind = row[f"{side}-addr-type"]
    if kind == "subnet":
        address, mask = row[f"{side}-subnet"].split()
        return ipaddress.IPv4Network(f"{address}/{mask}").with_prefixlen
    first = row[f"{side}-start-ip"]
    return f"{first}-{row[f'{side}-end-ip']}" if kind == "range" else f"{first}/32"

"""Remote access on the gateway: users, groups, profiles and policies of one run.

Five profiles, the most that the catalogue includes, each with a group, a pool and routes of its
own: the first leads to the server alone and holds all promised users, the second leads everything
through the tunnel, the others lead to one network each that lies behind the server's address.
What is the same for SSL VPN and for dial-up IPsec stands here; `ssl_vpn` and `dialup` do the rest.
"""

from __future__ import annotations

import ipaddress
import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from gatepass.base.phrase import NOTHING
from gatepass.endpoint.wire_watch import Carrier
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.rules import ADDRESS, RuleSet, dotted

LOCAL, GROUP, ROUTE = "user/local", "user/group", "router/static"
BEHIND = tuple(ipaddress.ip_network(f"198.19.{number}.0/24") for number in (250, 251, 252))
"""Networks behind the server, of the benchmarking range (RFC 2544, appendix C.2.2)."""
ALL_BEHIND = ipaddress.ip_network("198.19.248.0/21")
_POOLS = ipaddress.ip_address("198.19.210.1")
POOLS_WITHIN = ipaddress.ip_network("198.19.210.0/23")
_SPARE = 4
"""Addresses of a pool beyond its users: one is let go a moment after its user."""
SPLIT, EVERYTHING = 1, 2


@dataclass(frozen=True)
class VpnProfile:
    """What a group of users gets.

    Attributes:
        number: from 1; the lower ones have meanings (`SPLIT`, `EVERYTHING`).
        network: that it leads to through the tunnel; None for everything.
        users: that can be connected at once.
        first, last: addresses of its pool.
    """

    number: int
    network: ipaddress.IPv4Network | None
    users: int
    first: ipaddress.IPv4Address
    last: ipaddress.IPv4Address

    def leads_to(self, address: str) -> bool:
        """Whether this address is reached through the tunnel."""
        return self.network is None or ipaddress.ip_address(address) in self.network

    def holds(self, address: str) -> bool:
        """Whether an address is of the pool."""
        try:
            return self.first <= ipaddress.ip_address(address) <= self.last
        except ValueError:
            return False

    @property
    def routes(self) -> tuple[str, ...]:
        """What a client should be told."""
        return (str(self.network or "0.0.0.0/0"),)


@dataclass(frozen=True)
class VpnUser:
    """Somebody who may log in, or should not be able to.

    Attributes:
        number: from 1, of each user of the run another.
        name, password: of the login.
        profile: of the group; None for one who is in no group.
        enabled: whether the gateway has the user enabled.
    """

    number: int
    name: str
    password: str = field(repr=False)
    profile: VpnProfile | None
    enabled: bool = True


@dataclass(frozen=True)
class Listed:
    """A user as the gateway's monitor shows them.

    Attributes:
        name: of the login.
        address: that the gateway gave.
        bytes: in both directions.
    """

    name: str
    address: str
    bytes: int


def profiles(server: str, users: int) -> list[VpnProfile]:
    """The run's five profiles.

    Args:
        server: the server's address.
        users: that the tier promises.
    """
    networks = [ipaddress.ip_network(server), None, *BEHIND]
    made: list[VpnProfile] = []
    first = _POOLS
    for number, network in enumerate(networks, 1):
        count = users if number == SPLIT else 1
        last = first + count + _SPARE - 1
        made.append(VpnProfile(number, network, count, first, last))
        first = last + 1
    return made


def host_of(network: ipaddress.IPv4Network) -> str:
    """The address behind the server that stands for one of the networks there."""
    return str(network.network_address + 1)


class AccessConfiguration(ABC):
    """Remote access of one run; subclasses are the ways of access.

    Args:
        gateway: the device.
        changes: of the run.
        rules: of the run, among whose policies these stand.
        users: that the tier promises.
    """

    way = NOTHING
    """What a reader calls it."""

    def __init__(self, gateway: FortiGate, changes: Changes, rules: RuleSet, users: int) -> None:
        self.gateway = gateway
        self.changes = changes
        self.rules = rules
        self.profiles = profiles(rules.flow.server, users)
        self.users: list[VpnUser] = []
        self._policies: dict[str, int] = {}
        self._nat = False
        self._prepared: bool | Exception = False

    # -- what the ways differ in -------------------------------------------------------------

    @property
    @abstractmethod
    def on_the_wire(self) -> tuple[Carrier, ...]:
        """What the tunnel looks like between client and gateway (see `wire_watch`)."""

    @abstractmethod
    def _open(self) -> None:
        """Create what lets the groups in, each with its profile."""

    @abstractmethod
    def _entry(self, profiles: Sequence[VpnProfile]) -> dict:
        """Of a policy: where the users of these profiles come from, and who they are."""

    @abstractmethod
    def listed(self) -> list[Listed]:
        """The users that the gateway says are connected."""

    # -- the same for all ways ---------------------------------------------------------------

    def prepare(self, nat: bool = False) -> None:
        """Have it open for the users of the groups, and none of the run's other policies.

        Args:
            nat: whether the server is to see the gateway's address.

        Raises:
            Refused: the device does not take something; told again each time.
        """
        if isinstance(self._prepared, Exception):
            raise self._prepared
        if not self._prepared:
            try:
                self._create_all()
            except Exception as error:  # half of it is there, which only the run's end takes back
                self._prepared = error
                raise
            self._prepared = True
        if not self._policies or not all(map(self.rules.holds, self._policies.values())):
            self.rules.clear()
            self._permit()
        if nat != self._nat:
            self.rules.attach(self._policies["split"], {"nat": "enable" if nat else "disable"})
            self._nat = nat

    def user(self, profile: int) -> VpnUser:
        """The first user of a profile."""
        return next(user for user in self.users if self._of(user, profile) and user.enabled)

    @property
    def promised(self) -> list[VpnUser]:
        """As many users as the tier promises."""
        return [user for user in self.users if self._of(user, SPLIT) and user.enabled]

    @property
    def disabled(self) -> VpnUser:
        """One who was in the group and is disabled."""
        return next(user for user in self.users if not user.enabled)

    @property
    def outsider(self) -> VpnUser:
        """One whom the gateway knows, in no group that may come in."""
        return next(user for user in self.users if user.profile is None)

    def interface(self, profile: VpnProfile) -> str:
        """The gateway's interface by which a profile's users come in."""
        return self._entry([profile])["srcintf"][0]["name"]

    def group(self, profile: VpnProfile) -> str:
        """The name of a profile's group."""
        return self.changes.name(f"group{profile.number}")

    def network(self, profile: VpnProfile) -> str:
        """The name of the address object of what a profile leads to."""
        return self.changes.name(f"vpn-net{profile.number}")

    def pool(self, profile: VpnProfile) -> str:
        """The name of the address object of a profile's pool."""
        return self.changes.name(f"vpn-pool{profile.number}")

    @staticmethod
    def _of(user: VpnUser, profile: int) -> bool:
        return user.profile is not None and user.profile.number == profile

    def _create_all(self) -> None:
        self._create_users()
        self._create_addresses()
        self._open()
        self._route()

    def _create_users(self) -> None:
        split = self.profiles[SPLIT - 1]
        for profile in self.profiles:
            for _ in range(profile.users):
                self._add_user(profile)
        self._add_user(split, enabled=False)
        self._add_user(None)
        rows = [
            {
                "name": user.name,
                "type": "password",
                "passwd": user.password,
                "status": "enable" if user.enabled else "disable",
            }
            for user in self.users
        ]
        self.changes.create_many(LOCAL, rows)
        for profile in self.profiles:
            members = [{"name": user.name} for user in self.users if user.profile == profile]
            self.changes.create(GROUP, {"name": self.group(profile), "member": members})

    def _add_user(self, profile: VpnProfile | None, enabled: bool = True) -> None:
        number = len(self.users) + 1
        name = self.changes.name(f"user{number}")
        self.users.append(VpnUser(number, name, secrets.token_urlsafe(15), profile, enabled))

    def _create_addresses(self) -> None:
        pools = [
            {
                "name": self.pool(profile),
                "type": "iprange",
                "start-ip": str(profile.first),
                "end-ip": str(profile.last),
            }
            for profile in self.profiles
        ]
        networks = [
            {
                "name": self.network(profile),
                "type": "ipmask",
                "subnet": dotted(str(profile.network)),
            }
            for profile in self.profiles
            if profile.network
        ]
        self.changes.create_many(ADDRESS, pools)
        self.changes.create_many(ADDRESS, networks)

    def _route(self) -> None:
        """Networks behind the server are reached by the server's address."""
        numbers = [row["seq-num"] for row in self.gateway.rows(ROUTE, format="seq-num")]
        row = {
            "seq-num": max([0, *numbers]) + 1,
            "dst": dotted(str(ALL_BEHIND)),
            "gateway": self.rules.flow.server,
            "device": self.rules.flow.server_port,
            "comment": self.changes.name("behind the server"),
        }
        self.changes.create(ROUTE, row)

    def _permit(self) -> None:
        """Three policies: the first profile's users, all others, and the path without a tunnel."""
        split, others = self.profiles[SPLIT - 1], self.profiles[EVERYTHING:]
        behind = [{"name": self.network(profile)} for profile in others]
        server = [{"name": self.changes.name("server")}]
        entries = {
            "split": self._entry([split]) | {"dstaddr": server},
            "others": self._entry(self.profiles[1:]) | {"dstaddr": [*server, *behind]},
            "without": {"dstaddr": [*server, *behind]},
        }
        for offset, (name, values) in enumerate(entries.items()):
            policyid = self.rules.free_id(10 + offset)
            self.rules.add(self.rules.test_row(policyid, nat=False, **values))
            self._policies[name] = policyid
        self._nat = False

    def counted(self) -> int:
        """Bytes that the first profile's policy has counted."""
        rows = self.gateway.monitor("firewall/policy")["results"]
        return sum(
            row.get("bytes", 0) for row in rows if row.get("policyid") == self._policies["split"]
        )

"""The rule sets that the stateful firewall is tested with.

N policies for the test's path, of which only the last permits the test traffic; those before it
have other addresses or services, so that the gateway has to pass them by. They stand above the
customer's own policies, which stay untouched.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.policy_form import must_take_policies

POLICY, ADDRESS, ADDRESS6 = "firewall/policy", "firewall/address", "firewall/address6"
_NETWORKS = 50  # distinct networks among the policies that do not match
_SERVICES = ("HTTP", "HTTPS", "SSH", "DNS", "FTP", "SMTP", "IMAP", "POP3", "NTP", "SNMP")


@dataclass(frozen=True)
class TrafficFlow:
    """The test traffic as the gateway sees it.

    Attributes:
        client, server: IPv4 addresses of the endpoints towards the gateway.
        client_port, server_port: names of the gateway's ports on either side.
    """

    client: str
    server: str
    client_port: str
    server_port: str


class RuleSet:
    """The test policies of one run on one gateway."""

    def __init__(self, gateway: FortiGate, changes: Changes, flow: TrafficFlow) -> None:
        self.gateway = gateway
        self.changes = changes
        self.flow = flow
        self.way = ""  # how the last batch was created: script, transaction, one by one
        self._first_id = 0
        self._fillers: list[int] = []
        self._addresses = False
        self._addresses6 = False
        self.test_id: int | None = None
        self._extra: list[int] = []
        self._services: list[str] = []
        self._changed = 0.0
        self._half_done = False
        self._nat = False

    @property
    def size(self) -> int:
        """How many policies the last `set` has left: the one that permits, and those before it."""
        return len(self._fillers) + (self.test_id is not None)

    def in_force_within(self, seconds: float) -> float:
        """How many of these seconds since the last change are left, for it to come into force."""
        return max(0.0, self._changed + seconds - time.monotonic())

    def set(self, policies: int, nat: bool) -> int:
        """Bring the gateway to exactly this many test policies, the last permitting the traffic.

        Args:
            policies: at least 1.
            nat: whether the last policy hides the client behind the gateway's address.

        Returns:
            The policyid of the last policy.
        """
        self.prepare()
        now = (len(self._fillers), self._nat, self._extra, self._half_done)
        if self.test_id and now == (policies - 1, nat, [], False):
            return self.test_id
        with self.changing():
            surplus = [*self._fillers[policies - 1 :], *self._extra]
            if surplus:
                self.changes.remove(POLICY, surplus)
                self._fillers, self._extra = self._fillers[: policies - 1], []
            if self.test_id is None:
                self.test_id = self._first_id
                self._place(self.test_row(self.test_id, nat))
            else:
                # the run's own object: its undoing is its deletion, so no entry in the journal
                self.gateway.change(POLICY, self.test_id, {"nat": _switch(nat)})
            self._nat = nat
            start = len(self._fillers)
            rows = [self._filler(index) for index in range(start, policies - 1)]
            if rows:
                self._fillers += [row["policyid"] for row in rows]
                self.way = self.changes.create_many(POLICY, rows, before=self.test_id)
        return self.test_id

    def only(self, row: dict) -> None:
        """Bring the gateway to this one test policy; one that is there stays."""
        policyid = row["policyid"]
        if self._half_done or self._fillers or self.test_id or policyid not in self._extra:
            self.clear()
            self.add(row)
        elif others := [other for other in self._extra if other != policyid]:
            with self.changing():
                self.changes.remove(POLICY, others)
                self._extra = [policyid]

    def add(self, row: dict, above: int | None = None) -> None:
        """Create one more policy right above another, by default above the customer's own.

        Raises:
            Refused: the device does not take it; the policies that are there stay.
        """
        with self.changing():
            self._extra.append(row["policyid"])
            try:
                self._place(row, above)
            except Refused:
                if self.gateway.row(POLICY, row["policyid"]) is None:  # nothing was done
                    self._extra.pop()
                    self._half_done = False
                raise

    def drop(self, policyid: int) -> None:
        """Remove a policy that was added; does nothing where it is not there any more."""
        if policyid in self._extra:
            with self.changing():
                if policyid in self._extra:  # what broke off halfway was just taken away
                    self.changes.remove(POLICY, [policyid])
                    self._extra.remove(policyid)

    def holds(self, policyid: int) -> bool:
        """Whether a policy that was added is still there."""
        return policyid in self._extra and not self._half_done

    def move(self, policyid: int, above: int) -> None:
        """Put a policy that was added right above another."""
        with self.changing():
            self.gateway.move(POLICY, policyid, above)

    def switch(self, policyid: int, on: bool) -> None:
        """Enable or disable a policy that was added."""
        with self.changing():
            self.gateway.change(POLICY, policyid, {"status": _switch(on)})

    def attach(self, policyid: int, values: dict) -> None:
        """Set attributes of a policy that was added, such as its security profiles."""
        with self.changing():
            self.gateway.change(POLICY, policyid, values)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """A change of what policies do, which may break off halfway.

        The next one then begins with none of our policies: otherwise what a failed check has left
        would be in the way of the checks after it.
        """
        if self._half_done:
            self.clear()
        self._half_done = True
        yield
        self._half_done = False
        self._changed = time.monotonic()

    def _place(self, row: dict, above: int | None = None) -> None:
        if above is None:
            above = self.first_own()
        self.changes.create(POLICY, row)
        if above is not None:
            self.gateway.move(POLICY, row["policyid"], above)

    def service(self, what: str, port: int) -> None:
        """A service of one TCP port, made once."""
        if what in self._services:
            return
        row = {
            "name": self.named(what),
            "tcp-portrange": str(port),
            "comment": self.named("service"),
        }
        self.changes.create("firewall.service/custom", row)
        self._services.append(what)

    def named(self, what: str) -> str:
        """The name of an object of this run."""
        return self.changes.name(what)

    def clear(self) -> None:
        """Remove all test policies; their objects stay until the end of the run."""
        test = [] if self.test_id is None else [self.test_id]
        self.changes.remove(POLICY, [*self._fillers, *test, *self._extra])
        self._fillers, self._extra, self.test_id = [], [], None
        self._half_done = False
        self._changed = time.monotonic()

    def test_row(self, policyid: int, nat: bool, **values: object) -> dict:
        """A policy that permits the test traffic; further attributes override."""
        self.prepare()
        return {
            "policyid": policyid,
            "name": self.changes.name(f"p{policyid}"),
            "srcintf": [{"name": self.flow.client_port}],
            "dstintf": [{"name": self.flow.server_port}],
            "srcaddr": [{"name": self.changes.name("client")}],
            "dstaddr": [{"name": self.changes.name("server")}],
            "service": [{"name": "ALL"}],
            "schedule": "always",
            "action": "accept",
            "status": "enable",
            "nat": _switch(nat),
            "logtraffic": "disable",
        } | values

    def ipv6_row(
        self, policyid: int, client6: str, server6: str, nat: bool = False, **values: object
    ) -> dict:
        """A policy that permits traffic between these IPv6 addresses and nothing of IPv4."""
        ends = {"client6": client6, "server6": server6}
        if not self._addresses6:
            rows = [
                {"name": self.changes.name(name), "type": "ipprefix", "ip6": f"{address}/128"}
                for name, address in ends.items()
            ]
            self.changes.create_many(ADDRESS6, rows)
            self._addresses6 = True
        client, server = ([{"name": self.changes.name(name)}] for name in ends)
        only = {"srcaddr": [], "dstaddr": [], "srcaddr6": client, "dstaddr6": server}
        return self.test_row(policyid, nat=nat, **only, **values)

    def free_id(self, offset: int) -> int:
        """A policyid outside the range of the fillers."""
        self.prepare()
        return self._first_id + 100_000 + offset

    def prepare(self) -> None:
        """Address objects and the range of policyids, once a run."""
        if self._addresses:
            return
        must_take_policies(self.gateway, (self.flow.client_port, self.flow.server_port))
        taken = [row["policyid"] for row in self.gateway.rows(POLICY, format="policyid")]
        self._first_id = max([0, *taken]) + 1
        names = {"client": f"{self.flow.client}/32", "server": f"{self.flow.server}/32"}
        # 198.19.0.0/16 is the upper half of the benchmarking range (RFC 2544, appendix C.2.2)
        names |= {f"net{index}": f"198.19.{index}.0/24" for index in range(_NETWORKS)}
        rows = [
            {"name": self.changes.name(name), "type": "ipmask", "subnet": dotted(network)}
            for name, network in names.items()
        ]
        self.changes.create_many(ADDRESS, rows)
        self._addresses = True

    def _filler(self, index: int) -> dict:
        policyid = self._first_id + 1 + index
        network = self.changes.name(f"net{index % _NETWORKS}")
        service = _SERVICES[index // _NETWORKS % len(_SERVICES)]
        return self.test_row(
            policyid, nat=False, dstaddr=[{"name": network}], service=[{"name": service}]
        )

    def first_own(self) -> int | None:
        """The customer's first policy, which the run's policies come before."""
        rows = self.gateway.rows(POLICY, format="policyid|name")
        own = [row["policyid"] for row in rows if not _is_ours(row, self.changes.mark)]
        return own[0] if own else None


def _is_ours(row: dict, mark: str) -> bool:
    return str(row.get("name", "")).startswith(mark)


def _switch(on: bool) -> str:
    return "enable" if on else "disable"


def dotted(network: str) -> str:
    """``10.0.0.5/32`` as the two words that FortiOS writes: ``10.0.0.5 255.255.255.255``."""
    parsed = ipaddress.ip_network(network)
    return f"{parsed.network_address} {parsed.netmask}"

"""The Linux endpoints: are they ready, and which connections get through between them."""

from __future__ import annotations

import time

from gatepass.base.errors import NotProven
from gatepass.base.finding import must_be_fine
from gatepass.base.phrase import NOTHING, say
from gatepass.base.waiting import until
from gatepass.endpoint import clock, paths, readiness
from gatepass.endpoint.probe import ANSWERED, Answer, Probe, try_all, with_patience
from gatepass.endpoint.ssh import SshShell
from gatepass.gateway.answers import GatewayLost, Refused
from gatepass.results.measurements import observed
from gatepass.scenarios.connections import ConnectionBlocked, ConnectionPermitted
from gatepass.verdict.breaks import begins_late
from gatepass.verdict.judgement import Rig
from support import words
from support.connections import address_of, address_over, answered_directly, control, respond
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.policies import APPLY_S, decided_by
from support.reasons import conclude
from support.transfers import FIRST_PACKET

_PATIENCE_S = 3
_LATEST_S = 3 * APPLY_S
"""How long a change is waited for that should be in force already."""
_PORTS = {"first": "first_port", "second": "second_port"}
"""Names of the phrases for them."""
"""How long a connection is tried at least: a packet may get lost on the way."""


class Endpoints(KeywordLibrary):
    """Keywords about client and server, over SSH with checked host keys."""

    # -- readiness ---------------------------------------------------------------------------

    @keyword()
    def all_endpoints_should_be_ready(self) -> None:
        """Each that the testbed names answers by SSH with the known host key and has what it takes.

        Programs and their versions, the rights of its user, room, ports that are free, links.

        Raises:
            NotProven: one does not, or something is missing there.
        """
        for name in self.run.testbed.endpoints.named:
            self._should_be_ready(name)

    def _should_be_ready(self, name: str) -> None:
        shell: SshShell = getattr(self.run, name)
        scope = self.run.scope
        facts, found = readiness.look(shell, scope, self.run.profile.download_mib)
        must_be_fine([*found, *paths.look(shell, scope, self._gateways_side(name)).findings])
        told = {"kernel": facts.kernel, "iperf3": facts.versions["iperf3"], "cpus": facts.cpus}
        self.run.endpoint_facts.setdefault(name, {}).update(told)
        self.check.note("run", {"endpoints": self.run.endpoint_facts})
        self.check.evidence(
            say("endpoints"),
            f"The {name}: {facts.kernel}, {facts.cpus} CPUs, iperf3 {told['iperf3']}.",
            True,
        )

    def _gateways_side(self, name: str) -> str:
        """The address of the gateway's port that an endpoint is behind; empty where not told."""
        try:
            return self.run.gateway.port_address(self.run.scope.port_of(name))
        except (GatewayLost, Refused):
            return ""

    @keyword()
    def all_clocks_should_agree(self) -> None:
        """Each endpoint's clock differs from this machine's by at most 2 s."""
        for name in self.run.testbed.endpoints.named:
            self._clock_should_agree(name)

    def _clock_should_agree(self, name: str) -> None:
        offset, found = clock.look(getattr(self.run, name), ("preflight",))
        self.run.endpoint_facts.setdefault(name, {})["clock_offset_s"] = round(offset, 3)
        self.check.note("run", {"endpoints": self.run.endpoint_facts})
        must_be_fine([found])

    @keyword()
    def nothing_should_be_left_on_the_endpoints(self) -> None:
        """Every program of the run has ended and its folders are gone."""
        if self.run.has("files"):
            self.run.files.remove()
        for shell in (getattr(self.run, name) for name in self.run.testbed.endpoints.named):
            if left := shell.clean_up():
                raise NotProven(f"this program on the {shell.name} did not end: {left[0]}")
            self.check.evidence(
                say("nothing_running"), f"The {shell.name} is clean.", True
            )
        self.run.responders.clear()

    # -- single connections ------------------------------------------------------------------

    @keyword("The test traffic gets through and the server sees the ${whose}")
    def gets_through(self, whose: words.SeenAddress) -> None:
        """A single connection gets through before any load does, from the address expected.

        Example: ``The Test Traffic Gets Through And The Server Sees The Client``

        Args:
            whose: client (no NAT) or gateway (NAT).

        Raises:
            AssertionError: it does not, with what the gateway's policy look-up says.
            NotProven: nothing gets through without the gateway either.
        """
        version = self.check.ip_version
        wanted = address_of(self.run, whose, version)
        port = self.run.testbed.endpoints.server.probe_port
        probe = Probe("tcp", address_over(self.run, f"IPv{version}", "server"), port)
        answer = self._until("client", "server", probe, lambda answer: answer.seen == wanted)
        if answer.outcome != ANSWERED:
            decided = decided_by(self.run, port) if version == 4 else ""
            known = {wanted, address_of(self.run, "client", version)}
            directly = control(self.run, "client", "server", [probe], known)
            self.check.contradicted(
                say("permitted"),
                f"No connection gets through the gateway ({answer.outcome}), although the test "
                f"policy permits it: {probe}. {directly} {decided}".strip(),
            )
        if answer.seen != wanted:
            self.check.contradicted(
                say("address_seen"),
                f"The server sees {answer.seen}; it should see {wanted}, the {whose}'s address. "
                f"{_nat_words(whose)}",
            )

    @keyword("The ${port} TCP port should get through")
    def tcp_should_get_through(self, port: words.Port) -> None:
        """A TCP connection from client to server is answered. `port` is first or second.

        Example: ``The First TCP Port Should Get Through``

        Raises:
            AssertionError: it is not, although it is on the path without the gateway.
            NotProven: it is not there either, there is no such path, or an endpoint loses it.
        """
        probe = Probe("tcp", self.run.testbed.endpoints.server.address, self._port(port))
        answer = self._until("client", "server", probe, lambda answer: bool(answer.seen))
        why = ""
        if not answer.seen:
            directly = control(self.run, "client", "server", [probe])
            why = f"{directly} {decided_by(self.run, probe.port)}"
        self.check.answered(ConnectionPermitted(_PORTS[port], answer, why))

    @keyword("The ${port} TCP port should be blocked")
    def tcp_should_be_blocked(self, port: words.Port) -> None:
        """A TCP connection from client to server gets no answer. `port` is first or second.

        Example: ``The First TCP Port Should Be Blocked``

        It proves something only beside a check that the same connection gets through.
        """
        probe = Probe("tcp", self.run.testbed.endpoints.server.address, self._port(port))
        answer = self._until("client", "server", probe, lambda answer: not answer.seen)
        self.check.answered(ConnectionBlocked(_PORTS[port], answer, self._decided(answer)))

    @keyword()
    def the_second_tcp_port_should_get_through_in_time(self) -> None:
        """The change before this one is in force within 10 s of the gateway's answer to it.

        FortiOS answers before a change is in force, so it is tried until it is, for up to 30 s.

        Raises:
            AssertionError: it takes longer, although the port answers without the gateway.
            NotProven: it does not there either, or there is no such path.
        """
        begun = time.monotonic()
        probe = Probe("tcp", self.run.testbed.endpoints.server.address, self._port("second"))
        answer = self._until("client", "server", probe, lambda one: bool(one.seen), _LATEST_S)
        seconds = round(time.monotonic() - begun, 1)
        measured = observed("change_in_force", NOTHING, seconds, threshold=APPLY_S)
        self.check.measured(measured)

        def compared() -> str:
            directly = control(self.run, "client", "server", [probe])
            return f"{probe}: {answer.outcome} by then. {directly}"

        conclude(self.check, measured, Rig(()), compared)

    @keyword("The test traffic gets through over ${version}")
    def gets_through_over(self, version: words.IpVersion) -> None:
        """A single connection gets through before any load does, from the client's own address.

        Example: ``The Test Traffic Gets Through Over IPv6``

        Args:
            version: IPv4 or IPv6.
        """
        if version == "IPv4":
            self.gets_through("client")
        else:
            self.ipv6_should_get_through()

    @keyword("TCP over IPv6 should get through and the server see the client")
    def ipv6_should_get_through(self) -> None:
        """A connection to the first port over IPv6 is answered, and from the client's own address.

        Raises:
            NotApplicable: the testbed has no IPv6.
            AssertionError: it is not, although it is on the path without the gateway.
            NotProven: it is not there either, there is no such path, or an endpoint loses it.
        """
        wanted = address_over(self.run, "IPv6", "client")
        probe = Probe("tcp", address_over(self.run, "IPv6", "server"), self._port("first"))
        answer = self._until("client", "server", probe, lambda answer: answer.seen == wanted)
        if answer.seen:
            why = f"The server saw {answer.seen}; expected is {wanted}."
        else:
            why = control(self.run, "client", "server", [probe])
        self.check.answered(ConnectionPermitted("", answer, why, wanted))

    @keyword("TCP over IPv6 should be blocked")
    def ipv6_should_be_blocked(self) -> None:
        """The same connection gets no answer; it proves something only beside the other keyword.

        Raises:
            NotApplicable: the testbed has no IPv6.
            AssertionError: it gets one.
        """
        probe = Probe("tcp", address_over(self.run, "IPv6", "server"), self._port("first"))
        answer = self._until("client", "server", probe, lambda answer: not answer.seen)
        self.check.answered(ConnectionBlocked("first_port_ipv6", answer))

    @keyword()
    def connections_that_no_policy_permits_are_tried(self) -> None:
        """A few connections from client to server that the gateway has to block.

        Raises:
            AssertionError: one is answered, so that there is nothing to be counted.
            NotProven: it would not reach the server without the gateway either.
        """
        far = self.run.testbed.endpoints.server
        respond(self.run, "server")
        probe = Probe("tcp", far.address, far.probe_port + 1, tries=2)
        (answer,) = try_all(self.run.client, [probe], timeout_s=0.5)
        if not answer.seen:
            answered_directly(self.run, "client", "server", [probe])
        self.check.answered(ConnectionBlocked("", answer, self._decided(answer)))

    @keyword("The server should have seen the ${whose} in every trial")
    def server_should_have_seen(self, whose: words.SeenAddress) -> None:
        """The address that the server's iperf3 saw is the client's, or the gateway's with NAT.

        Example: ``The Server Should Have Seen The Client In Every Trial``
        """
        wanted = address_of(self.run, whose, self.check.ip_version)
        seen = self.check.trials.seen
        self.check.evidence(
            say("address_seen"),
            f"The server saw {' and '.join(sorted(seen))}; expected is {wanted}, the {whose}'s. "
            f"{_nat_words(whose) if seen != {wanted} else ''}".strip(),
            seen == {wanted},
        )

    # -- helpers -----------------------------------------------------------------------------

    def _until(
        self, source: str, target: str, probe: Probe, good: object, patience_s: float = 0
    ) -> Answer:
        """The first good answer, or the last one after the time that the last change may take.

        Raises:
            AssertionError: it is answered only once its first packet was sent again, which it is at
                once on the path without the gateway.
            NotProven: it is not answered there, or there is no such path.
        """
        respond(self.run, target)
        kept: list[Answer] = []

        def look() -> bool:
            kept[:] = try_all(getattr(self.run, source), [probe], timeout_s=0.7)
            return good(kept[0])

        waits_s = max(_PATIENCE_S, patience_s, self.run.rules.in_force_within(APPLY_S))
        if until(look, waits_s):
            return kept[0]
        answer = with_patience(getattr(self.run, source), kept[0])
        if answer.late:
            directly = control(self.run, source, target, [probe])
            self.check.note("cause", begins_late(answer.outcome))
            observed = f"{probe}: {answer.outcome}. {directly}"
            self.check.evidence(say(FIRST_PACKET), observed, False)
        return answer

    def _decided(self, answer: Answer) -> str:
        """What the gateway's look-up says of a connection that should not have got through."""
        return decided_by(self.run, answer.probe.port) if answer.seen else ""

    def _port(self, which: str) -> int:
        first = self.run.testbed.endpoints.server.probe_port
        return {"first": first, "second": first + 1}[which]


def _nat_words(whose: str) -> str:
    if whose == "gateway":
        return "NAT is on in the policy and was not applied."
    return "NAT is off in the policy and was applied all the same."

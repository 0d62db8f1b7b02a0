"""The FortiGate: who it is, what it is told, what it counts."""

from __future__ import annotations

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.finding import capital, must_be_fine
from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.gateway import clock, condition, licences, readiness
from gatepass.gateway.identity import UNKNOWN
from gatepass.scenarios.connections import DenyCounted
from gatepass.scenarios.rehearsal import not_taken, rehearse
from support import words
from support.connections import address_over
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.policies import APPLY_S, COUNTERS_LAG_S, counter_of, look_up
from support.steps import Steps

_NAMED = 3
"""Values that a sentence names."""
TCP = 6
_IPV6 = {"disable": 4, "enable": 5}
"""Of the policy for test traffic over IPv6, among the numbers that the rule set leaves free."""


class PolicyNumbers(Steps):
    """The test policies of a check, by their numbers, and what was counted before.

    Attributes:
        policyid: of the one that permits the test traffic.
        narrow: of the one that permits one TCP port.
        deny: of the one that denies everything.
        second: of the one that permits the next port.
        ipv6: of the one that permits the narrow one's port over IPv6.
        bytes_before: by the policy of the test traffic.
        denied_before: by the implicit deny.
    """

    policyid: int
    narrow: int
    deny: int
    second: int
    ipv6: int
    bytes_before: int
    denied_before: dict


class Gateway(KeywordLibrary):
    """Keywords about the gateway under test, over its FortiOS REST API."""

    # -- identity ----------------------------------------------------------------------------

    @keyword()
    def the_gateway_should_be_the_one_that_was_ordered(self) -> None:
        """Serial number and model are those of the order; what the order leaves out is not held.

        Raises:
            AssertionError: it is another device.
            NotApplicable: the order names neither.
        """
        ordered = self.run.order.gateway
        if not (ordered.serial or ordered.model):
            raise NotApplicable(say("no_serial"))
        for what, told, good in condition.as_ordered(ordered, self.run.identity):
            self.check.evidence(
                say("ordered_device", what=say(what)), f"{capital(told)}.", good
            )

    @keyword()
    def the_firmware_should_fit_the_order(self) -> None:
        """The FortiOS version is one that the order accepts."""
        ordered = self.run.order.gateway
        if ordered.version is None:
            raise NotApplicable(say("no_version"))
        told, good = condition.firmware(ordered, self.run.identity)
        self.check.evidence(say("ordered_version"), f"{capital(told)}.", good)

    @keyword()
    def the_licence_should_be_valid(self) -> None:
        """The VM's licence is valid; the evaluation licence is where the order says that it may be.

        Of an evaluation licence are 1 vCPU, 2 GiB, 3 policies and weak encryption.

        Raises:
            AssertionError: it is not.
            NotProven: the gateway does not tell.
        """
        found = licences.of_the_machine(self.run.identity, self.run.order.gateway.evaluation)
        if self.run.identity.licence == UNKNOWN:
            raise NotProven(str(found))
        self.check.evidence(say("licence"), found.sentence, not found.keeps)

    @keyword()
    def the_resources_should_fit_the_order(self) -> None:
        """vCPUs and memory are at least what the order asks for.

        Of its memory a VM keeps up to 3 % before FortiOS counts it: one of 2,048 MiB reports 1,993.
        """
        ordered, identity = self.run.order.gateway, self.run.identity
        if ordered.min_vcpus is None and ordered.min_memory_mb is None:
            raise NotApplicable(say("no_resources"))
        for what, told, good in condition.resources(ordered, identity):
            if good is None:
                raise NotProven(f"the gateway does not report its {say(what)}.")
            self.check.evidence(
                say("ordered_resources", what=say(what)), f"{capital(told)}.", good
            )

    @keyword()
    def the_gateway_should_know_all_that_will_be_set_on_it(self) -> None:
        """Every attribute, choice and figure that the order's chapters will set is one that it has.

        It declares them itself (`action=schema`), by model, memory and release. Nothing is changed.

        Raises:
            NotApplicable: it declares none of its tables.
            NotProven: it lacks some, or not all could be held against it.
        """
        run, gateway = self.run, self.run.gateway
        version = run.identity.version
        rehearsal = rehearse(gateway, run.order, run.testbed, run.profile, version, run.mark)
        rows = rehearsal.rows
        tables = dict.fromkeys(path for path, _ in rows)
        untold = [path for path in tables if gateway.declared(path).told is None]
        if len(untold) == len(tables):
            raise NotApplicable(say("no_schema"))
        if unknown := not_taken(gateway, rows):
            told = "; ".join(map(str, unknown[:_NAMED]))
            more = f"; and {len(unknown) - _NAMED} more" if len(unknown) > _NAMED else ""
            raise NotProven(
                f"the gateway does not accept what the test would set on it: {told}{more}. It runs "
                f"FortiOS {version}, which differs here from what this version of Gatepass was "
                "written for. Use a newer version of Gatepass, or leave out the chapters that "
                "need it."
            )
        if untold:
            raise NotProven(
                f"the gateway does not report which values it accepts for {', '.join(untold)}. "
                "Check the rights of the API user."
            )
        if rehearsal.left_out:
            raise NotProven(
                "not everything that the test will set on the gateway could be checked in "
                f"advance: {' '.join(rehearsal.left_out)}"
            )
        values = sum(len(row) for _, row in rows)
        self.check.evidence(
            say("known_values"),
            f"The gateway accepts all {values:,} values in {len(tables)} tables.",
            True,
        )

    @keyword("The Gateway's Clock Should Be Right")
    def the_gateways_clock_should_be_right(self) -> None:
        """The gateway's clock agrees with this machine's, so that its log can be read."""
        found = clock.look(self.run.gateway)
        self.check.evidence(say("clock"), found.sentence, not found.keeps)

    @keyword()
    def the_gateway_should_be_ready(self) -> None:
        """Its API user may do what the order needs, and nothing stands in the way of the test.

        Zones, SD-WAN, aggregates, central NAT, NGFW policy mode, transparent mode, another VDOM, a
        secondary unit of a cluster, ports without link or address, no log.

        Raises:
            NotProven: something does; what it is, and what to do.
        """
        found = readiness.look(self.run.gateway, self.run.scope)
        must_be_fine(found)
        told = " ".join(finding.sentence for finding in found)
        self.check.evidence(say("gateway_ready"), told, True)

    # -- policies ----------------------------------------------------------------------------

    @keyword("The gateway has a rule set of ${policies} whose last policy permits the test traffic")
    def the_gateway_has_policies(self, policies: int, nat: words.Switch = "disable") -> None:
        """Bring the gateway to this many test policies, above the customer's own.

        Example: ``The Gateway Has A Rule Set Of 1 Whose Last Policy Permits The Test Traffic``

        Args:
            policies: at least 1; only the last one matches the test traffic.
            nat: enable or disable, on the last one.
        """
        self._policies.policyid = self.run.rules.set(policies, nat == "enable")
        self.check.conditions = say(
            "rule_set" if policies > 1 else "one_policy",
            policies=policies,
            nat=say("on" if nat == "enable" else "off"),
        )
        self._await_in_force(self._policies.policyid)

    @keyword("One policy permits the test traffic over ${version}")
    def one_policy_permits(
        self, version: words.IpVersion, nat: words.Switch = "disable"
    ) -> None:
        """The gateway has one test policy; the traffic of this check goes over it.

        Example: ``One Policy Permits The Test Traffic Over IPv6``

        Args:
            version: IPv4 or IPv6.
            nat: enable or disable.

        Raises:
            NotApplicable: the testbed has no IPv6.
        """
        if version == "IPv4":
            self.the_gateway_has_policies(1, nat)
            return
        rules = self.run.rules
        client, server = (address_over(self.run, "IPv6", one) for one in ("client", "server"))
        number = self._policies.policyid = rules.free_id(_IPV6[nat])
        rules.only(rules.ipv6_row(number, client, server, nat=nat == "enable"))
        self.check.ip_version = 6
        one = say("one_policy", policies=1, nat=say("on" if nat == "enable" else "off"))
        self.check.conditions = self.check.over(one)

    @keyword()
    def note_what_the_test_policy_has_counted(self) -> None:
        """Keep the counter's reading, to be compared after the traffic."""
        self._policies.bytes_before = counter_of(self.run, self._policies.policyid).get("bytes", 0)

    @keyword()
    def the_test_policy_should_have_counted_the_traffic(self) -> None:
        """The test policy counted at least the bytes that the receiver got.

        Counters lag on a FortiGate, so they are read until they suffice, for up to 10 s.
        """
        received, policies = self.check.trials.received_bytes, self._policies

        def counted() -> int:
            now = counter_of(self.run, policies.policyid).get("bytes", 0)
            return now - policies.bytes_before

        reached = until(lambda: counted() >= received, COUNTERS_LAG_S)
        self.check.evidence(
            say("counted"),
            f"Policy {policies.policyid} counted {counted():,} bytes more than before; the "
            f"receiver got {received:,}. "
            + ("" if reached else (
                "Either the traffic took another way, or the policy does not count."
            )),
            reached,
        )

    @keyword()
    def the_gateway_has_only_a_narrow_policy(self) -> None:
        """One test policy, which permits one TCP port from client to server and nothing else.

        What an earlier check has left beside it is removed.
        """
        rules, port = self.run.rules, self.run.testbed.endpoints.server.probe_port
        rules.service("narrow", port)
        narrow = self._policies.narrow = rules.free_id(0)
        rules.only(rules.test_row(narrow, nat=False, service=[{"name": rules.named("narrow")}]))
        self._await_in_force(narrow)

    @keyword()
    def a_policy_that_denies_everything_is_put_above_it(self) -> None:
        """A deny between the endpoints, right above the narrow policy."""
        rules = self.run.rules
        deny = self._policies.deny = rules.free_id(1)
        rules.add(rules.test_row(deny, nat=False, action="deny"), above=self._policies.narrow)

    @keyword()
    def the_denying_policy_is_moved_below_it(self) -> None:
        """The same two policies the other way round."""
        self.run.rules.move(self._policies.narrow, above=self._policies.deny)

    @keyword()
    def a_second_policy_permits_the_next_port(self) -> None:
        """A policy like the narrow one, for the port after its port."""
        rules, port = self.run.rules, self.run.testbed.endpoints.server.probe_port + 1
        rules.service("second", port)
        second = self._policies.second = rules.free_id(2)
        row = rules.test_row(second, nat=False, service=[{"name": rules.named("second")}])
        rules.add(row, above=self._policies.narrow)

    @keyword("A policy permits the same port over IPv6")
    def a_policy_permits_the_same_port_over_ipv6(self) -> None:
        """A policy like the narrow one, between the IPv6 addresses of client and server.

        Raises:
            NotApplicable: the testbed has no IPv6.
        """
        rules, ends = self.run.rules, self.run.testbed.endpoints
        if ends.client.address6 is None:
            raise NotApplicable(say("no_ipv6"))
        self._policies.ipv6 = rules.free_id(3)
        service = [{"name": rules.named("narrow")}]
        row = rules.ipv6_row(
            self._policies.ipv6, ends.client.address6, ends.server.address6, service=service
        )
        rules.add(row, above=self._policies.narrow)

    @keyword("The policy for IPv6 is taken away")
    def the_policy_for_ipv6_is_taken_away(self) -> None:
        """The narrow policy is the only one again."""
        self.run.rules.drop(self._policies.ipv6)

    @keyword("The second policy is ${status}")
    def the_second_policy_is(self, status: words.PolicyState) -> None:
        """Switch the second policy: enabled or disabled.

        Example: ``The Second Policy Is Disabled``
        """
        self.run.rules.switch(self._policies.second, status == "enabled")

    @keyword()
    def note_what_the_implicit_deny_has_counted(self) -> None:
        """Keep the reading of policy 0."""
        self._policies.denied_before = counter_of(self.run, 0)

    @keyword()
    def the_implicit_deny_should_have_counted_more(self) -> None:
        """Policy 0 counted packets of what was blocked since the reading."""

        def counted() -> DenyCounted:
            now = counter_of(self.run, 0)
            return DenyCounted.of(0, self._policies.denied_before, now)

        until(lambda: counted().grown, COUNTERS_LAG_S)
        self.check.answered(counted())

    # -- shaper ------------------------------------------------------------------------------

    @keyword()
    def the_shaper_that_the_order_names_should_be_in_use(self) -> None:
        """The gateway has the order's shaper, and an enabled shaping policy uses it.

        Raises:
            NotApplicable: the order names no shaper.
        """
        name = self._shaper()
        there = self.run.gateway.row("firewall.shaper/traffic-shaper", name)
        users = [
            row["id"]
            for row in self.run.gateway.rows("firewall/shaping-policy")
            if row.get("status", "enable") == "enable"
            and name in (row.get("traffic-shaper"), row.get("traffic-shaper-reverse"))
        ]
        limit = (
            f'"{name}" is set to {there["maximum-bandwidth"]} {there.get("bandwidth-unit")}'
            if there
            else f'The gateway has no shaper "{name}"'
        )
        self.check.evidence(
            say("shaper"),
            f"{limit}; shaping policies that use it: {', '.join(map(str, users)) or 'none'}.",
            bool(there and users),
        )

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _policies(self) -> PolicyNumbers:
        return self.check.left(PolicyNumbers)

    def _await_in_force(self, policyid: int) -> None:
        """Wait until the gateway's own look-up names the policy for the test traffic.

        Not fatal: the traffic itself decides, right after; here only the asynchronous apply is
        waited for.
        """
        port = self.run.testbed.endpoints.server.probe_port
        patience_s = self.run.rules.in_force_within(APPLY_S)
        until(lambda: look_up(self.run, port).policyid == policyid, patience_s)

    def _shaper(self) -> str:
        if self.run.order.shaper is None:
            raise NotApplicable(say("no_shaper"))
        return self.run.order.shaper.name

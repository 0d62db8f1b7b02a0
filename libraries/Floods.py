"""Floods, scans and too many connections, and the DoS policy that holds them."""

from __future__ import annotations

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.scenarios.floods.findings import MOST_CONNECTIONS, THRESHOLD, TRIED_CONNECTIONS
from gatepass.scenarios.floods.kinds import FLOOD, FLOODS, FROM_ANOTHER, TCP, Flood
from support import words
from support.guard import keyword
from support.keyword_library import KeywordLibrary


class Floods(KeywordLibrary):
    """Keywords about DoS policies (`firewall/DoS-policy`)."""

    @keyword("Floods were sent without a limit, with one and without again")
    def floods_were_sent_without_a_limit_with_one_and_without_again(self) -> None:
        """Floods of TCP, UDP and ICMP go from the client to the server; once a run.

        A policy permits all of it. What arrives is taken down at the server. Between them go
        packets of the same kinds from and to a host that has no part in it, and an open connection
        talks meanwhile.

        Raises:
            NotApplicable: the device has no DoS policies.
            NotProven: an endpoint cannot send or capture, or a router stands between.
        """
        if not self.run.has("floods"):
            self.run.stop_responders()
        _ = self.run.floods

    @keyword("The ${flood} should have been held")
    def it_should_have_been_held(self, flood: words.Flood) -> None:
        """No more of it arrived than its threshold lets through, and all of it without.

        Example: ``The SYN Flood Should Have Been Held``

        Args:
            flood: which of them.

        Raises:
            AssertionError: more arrived, or what was held stayed away without the policy, too.
            NotProven: not all of it arrived without a policy.
        """
        findings, one = self.run.floods, _flood(flood)
        findings.must_have_come()
        seen, rate = findings.during[one.held_by], findings.rate_of(one)
        told = (
            f"Of {rate:,.0f} {one.protocol.upper()} packets a second {seen.told(one, FLOOD)} "
            f"arrived with a threshold of {THRESHOLD} a second (at most {seen.allowed():.0f} may), "
            f"and {findings.before.told(one, FLOOD)} without one."
        )
        self.check.evidence(say("flood_held", what=say(one.anomaly)), told, seen.held(one))
        again = findings.after
        passes = again.arrived[one.protocol, FLOOD] >= again.sent[FLOOD] / 2
        self.check.evidence(
            say("flood_passes_again"),
            f"{again.told(one, FLOOD)} arrived after the policy was taken away.",
            passes,
        )

    @keyword("Who has no part in the ${flood} should have got through")
    def others_should_have_got_through(self, flood: words.Flood) -> None:
        """Packets of the same kind from or to another host, and an open connection's, went on.

        Example: ``Who Has No Part In The SYN Flood Should Have Got Through``

        Args:
            flood: while which of them.

        Raises:
            AssertionError: they did not.
            NotProven: the connection did not without a policy, either.
        """
        findings, one = self.run.floods, _flood(flood)
        told, passed = findings.neighbours_of(one)
        self.check.evidence(say("flood_neighbours"), told, passed)
        told, passed = findings.silences_of(one)
        self.check.evidence(say("flood_connection"), told, passed)

    @keyword()
    def one_host_should_have_had_no_more_connections_than_it_may(self) -> None:
        """Of the connections that the client opens at the same time only so many are answered.

        Raises:
            AssertionError: more were, or none, or another host's were not let through meanwhile.
            NotProven: without a policy not all were.
        """
        findings = self.run.floods
        findings.must_have_come()
        held, free = findings.connections.talked.opened, findings.before.talked.opened
        if free < TRIED_CONNECTIONS:
            raise NotProven(
                f"without a DoS policy only {free} of {TRIED_CONNECTIONS} connections were "
                "answered. Find out what else limits them."
            )
        told = (
            f"{held} of {TRIED_CONNECTIONS} were answered with a limit of {MOST_CONNECTIONS}, and "
            f"{free} without one."
        )
        self.check.evidence(say("connections_held"), told, 0 < held <= MOST_CONNECTIONS)
        seen = findings.connections
        arrived, sent = seen.arrived[TCP, FROM_ANOTHER], seen.sent[FROM_ANOTHER]
        self.check.evidence(
            say("flood_neighbours"),
            f"{arrived} of {sent} connections that another host began got through meanwhile.",
            arrived == sent,
        )


def _flood(name: words.Flood) -> Flood:
    return next(one for one in FLOODS if one.anomaly == words.FLOODS[name])

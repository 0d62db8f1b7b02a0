"""Hosts that the gateway gives addresses to, and hosts that it must not."""

from __future__ import annotations

from statistics import median

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.results.measurements import observed
from gatepass.scenarios.edge.dhcp_findings import DhcpFindings, Told
from support.guard import keyword
from support.keyword_library import KeywordLibrary

MEASURED = "dhcp_lease"


class Dhcp(KeywordLibrary):
    """Keywords about the gateway's DHCP server.

    Once a run the client plays 252 hosts, each with a hardware address of its own. They ask without
    a server first; then the gateway gets one on the client's port that serves 52 of them by a list
    and nobody else, so that no host of the customer's is given anything. It is taken away after.
    """

    @keyword()
    def hosts_ask_for_addresses_without_a_dhcp_server_and_with_one(self) -> None:
        """Nobody answers without one, although the gateway answers the ARP of each host.

        With one, fifty hosts ask at once, then one more and a host with a reservation, and those
        with an address renew it; at last 200 hosts that are not on the list ask while ten of those
        that are do.

        Raises:
            AssertionError: the gateway offers addresses without a server.
            NotApplicable: the customer has a server on the client's port, or the device none.
            NotProven: another server answers, fewer than 51 addresses are free, or packets of such
                hosts do not get to the gateway and back.
        """
        findings = self.run.dhcp
        findings.must_be_alone()
        self.check.evidence(say("dhcp_silent"), findings.without.told, True)

    @keyword()
    def each_of_fifty_should_have_got_an_address_of_its_own_at_once(self) -> None:
        """All got one, no two the same, and none beyond the range; how long that took is told.

        Raises:
            AssertionError: one got none, or one that is another's or not of the range.
        """
        findings = self._findings
        self._hold("dhcp_served", findings.all_served())
        self._hold("dhcp_own", findings.own_addresses())
        ms = [round(one, 1) for one in findings.milliseconds]
        slowest = observed(
            MEASURED,
            say("dhcp_slowest", hosts=len(ms)),
            max(ms),
            trials=ms,
            facts={"median_ms": round(median(ms), 1)},
        )
        self.check.note("measurement", slowest)

    @keyword()
    def each_should_have_been_told_what_was_configured(self) -> None:
        """Netmask, router, name servers, domain and lease time.

        Raises:
            AssertionError: a host was told something else.
        """
        self._hold("dhcp_options", self._findings.told_right())

    @keyword()
    def the_reserved_address_should_have_gone_to_its_host_alone(self) -> None:
        """Before the others and after they had taken all other addresses; it lies among them.

        Raises:
            AssertionError: the host got another or none, or another host got it.
        """
        self._hold("dhcp_reserved", self._findings.reserved_alone())

    @keyword()
    def a_host_too_many_should_have_got_none(self) -> None:
        """It asked when every address was taken, longer than any other had to.

        Raises:
            AssertionError: it got one.
            NotProven: an address was left.
        """
        self._hold("dhcp_full", self._findings.one_too_many())

    @keyword()
    def each_of_the_others_should_have_renewed_its_address(self) -> None:
        """They asked the server itself, as hosts do when half of the time is over.

        Raises:
            AssertionError: one could not, or got another address.
        """
        self._hold("dhcp_renewed", self._findings.all_renewed())

    @keyword()
    def the_gateway_should_have_listed_every_lease(self) -> None:
        """The monitor ``system/dhcp`` shows each address with its host's hardware address.

        Raises:
            AssertionError: one is missing.
            NotProven: the device has no such monitor.
        """
        self._hold("dhcp_listed", self._findings.all_listed())

    @keyword()
    def hosts_that_are_not_listed_should_have_got_no_answer(self) -> None:
        """None of 200, four times as many as there are addresses.

        Raises:
            AssertionError: one was answered.
            NotProven: the gateway did not answer the ARP of one of them, either.
        """
        self._hold("dhcp_unlisted", self._findings.unlisted_unanswered())

    @keyword()
    def listed_hosts_should_have_got_theirs_meanwhile(self) -> None:
        """Ten of them, which had given their addresses back before.

        Raises:
            AssertionError: one got none.
            NotProven: none of them got one before, either.
        """
        self._hold("dhcp_meanwhile", self._findings.listed_served_meanwhile())

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _findings(self) -> DhcpFindings:
        if not self.run.has("dhcp"):
            raise NotProven("no earlier step of this check made hosts ask for addresses.")
        return self.run.dhcp

    def _hold(self, claim: str, told: Told) -> None:
        self.check.evidence(say(claim), *told)

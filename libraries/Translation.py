"""Addresses that the gateway translates: published ports and addresses, pools."""

from __future__ import annotations

from collections.abc import Sequence

from gatepass.base.phrase import Phrase, say
from gatepass.scenarios.edge.rules.attempts import AFTER, BEFORE, WITH
from gatepass.scenarios.edge.rules.stories import HAIRPIN, POOLS, PUBLISHED_ADDRESS, PUBLISHED_PORT
from support import words
from support.guard import keyword
from support.keyword_library import KeywordLibrary

_STORIES: dict[words.Published, str] = {"port": PUBLISHED_PORT, "address": PUBLISHED_ADDRESS}
_SAID = {PUBLISHED_PORT: say("published_port"), PUBLISHED_ADDRESS: say("published_address")}
_LEAD = {PUBLISHED_PORT: ("tcp", "udp"), PUBLISHED_ADDRESS: ("named",)}
_BESIDE = {PUBLISHED_PORT: ("next tcp", "next udp"), PUBLISHED_ADDRESS: ("next tcp", "udp")}
_POOLED = tuple(f"{host} {by}" for host in ("worker", "web", "plain") for by in ("tcp", "udp"))


class Translation(KeywordLibrary):
    """Keywords about virtual addresses and pools, over IPv4.

    Everything at the edge is tried once a run, all together, when first asked for: before its rules
    are on the gateway, with them, and after they were removed. Endpoints stand in for hosts with
    free addresses on either side; what arrives is taken down there.
    """

    @keyword("The edge was tried before, with and after its rules")
    def the_edge_was_tried_before_with_and_after_its_rules(self) -> None:
        """Hosts on either side of the gateway try what its rules translate, permit and close.

        What a policy permits passes at the same time, so that silence beside it says something.

        Raises:
            NotProven: an endpoint cannot stand in for hosts, or too few addresses are free.
        """
        _ = self.run.edge_rules

    @keyword("The published ${what} should have led to its host")
    def should_have_led_to_its_host(self, what: words.Published) -> None:
        """What came for it arrived at its host (and port), from the sender's own address.

        Example: ``The Published Port Should Have Led To Its Host``

        Of an address of its own, the gateway answered for it, too (ARP).

        Args:
            what: port, tried with TCP and UDP, or address, with a service that its policy names.

        Raises:
            AssertionError: it did not.
            NotProven: something else that was permitted did not pass either.
            NotApplicable: the device has no virtual addresses.
        """
        story = _STORIES[what]
        if story == PUBLISHED_ADDRESS:
            self._taken_in(story, say("published_address"))
        self._hold(say("published", what=_SAID[story]), story, _LEAD[story], (WITH,))

    @keyword("Nothing beside the published ${what} should have been published")
    def nothing_beside_should_have_been_published(self, what: words.Published) -> None:
        """Nothing of what was tried beside it arrived at any host, with its rules or without.

        Example: ``Nothing Beside The Published Port Should Have Been Published``

        Args:
            what: port: the next TCP and UDP port; address: the next TCP port and the same of UDP,
                which its policy does not name.

        Raises:
            AssertionError: something did.
            NotProven: something else that was permitted did not pass.
            NotApplicable: the device has no virtual addresses.
        """
        story = _STORIES[what]
        moments = (BEFORE, WITH, AFTER)
        claim = say("published_alone", what=_SAID[story])
        self._hold(claim, story, _BESIDE[story], moments)

    @keyword("The published ${what} should have led nowhere without its rules")
    def should_have_led_nowhere_without_its_rules(self, what: words.Published) -> None:
        """Nothing arrived before its rules were on the gateway, and after they were removed.

        Example: ``The Published Port Should Have Led Nowhere Without Its Rules``

        Args:
            what: port or address.

        Raises:
            AssertionError: something did.
            NotProven: something else that was permitted did not pass.
            NotApplicable: the device has no virtual addresses.
        """
        story = _STORIES[what]
        claim = say("published_ends", what=_SAID[story])
        self._hold(claim, story, _LEAD[story], (BEFORE, AFTER))

    @keyword("Its host's own connections should have left by it")
    def its_hosts_own_connections_should_have_left_by_it(self) -> None:
        """The host behind a published address is seen outside with that address.

        Its policy translates and names no pool.

        Raises:
            AssertionError: it was seen with another, or did not get out.
            NotProven: something else that was permitted did not pass either.
            NotApplicable: the device has no virtual addresses.
        """
        self._hold(say("published_source"), PUBLISHED_ADDRESS, ("own",), (WITH,))

    @keyword()
    def every_source_should_have_left_by_its_pool(self) -> None:
        """Outside, connections and datagrams came from the addresses of the pool of their policy.

        One pool has one address, another has two. Their answers came back, and the gateway
        answered for all three addresses (ARP).

        Raises:
            AssertionError: it was not so.
            NotProven: something else that was permitted did not pass either.
            NotApplicable: the device has no pools.
        """
        self._taken_in(POOLS, say("pool_addresses"))
        self._hold(say("pool_left"), POOLS, _POOLED, (WITH,))

    @keyword()
    def hosts_inside_should_have_reached_the_port_by_its_outside_address(self) -> None:
        """One host inside reached another by its outside address, and was seen as the gateway.

        Without the rules it did not.

        Raises:
            AssertionError: it was not so.
            NotProven: something else that was permitted did not pass.
            NotApplicable: the device has no virtual addresses.
        """
        self._hold(say("hairpin"), HAIRPIN, ("hairpin",), (WITH,))
        self._hold(say("hairpin_ends"), HAIRPIN, ("hairpin",), (BEFORE, AFTER))

    # -- helpers -----------------------------------------------------------------------------

    def _hold(
        self, claim: Phrase, story: str, names: Sequence[str], moments: Sequence[str]
    ) -> None:
        self.check.answered(self.run.edge_rules.held(claim, story, names, moments))

    def _taken_in(self, story: str, what: Phrase) -> None:
        self.check.answered(self.run.edge_rules.answered_for(what, story))

"""Addresses of a country: is what lies there blocked, and nothing else."""

from __future__ import annotations

from gatepass.base.waiting import until
from gatepass.scenarios.connections import DenyCounted
from gatepass.scenarios.security.answers import CountryBlocked, CountryPassed
from support.arrivals import ask, must_arrive_directly
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.policies import COUNTERS_LAG_S, counter_of

_PAGE = "a harmless request"


class Countries(KeywordLibrary):
    """Keywords about address objects of type geography.

    The test network lies in no country, so the gateway is told that the server's address does
    (``system/geoip-override``). The policy of the security services permits the traffic.
    """

    @keyword()
    def the_country_that_the_server_lies_in_is_blocked(self) -> None:
        """A policy that denies that country stands above the one that permits the traffic."""
        self.run.country.deny(above=self.run.inspection.policyid)

    @keyword()
    def the_server_is_moved_to_another_country(self) -> None:
        """Its neighbour lies in the blocked country now, and the server does not."""
        self.run.country.move_away()

    @keyword()
    def the_server_should_be_out_of_reach(self) -> None:
        """Nothing arrives from the server, and the denying policy counts what it stopped.

        Raises:
            AssertionError: a page arrives, or the policy counts nothing.
        """
        asked = ask(self.run, self.run.specimens[_PAGE], "HTTP", arrives=False)
        self.check.answered(CountryBlocked(asked))
        number = self.run.country.policyid

        def counted() -> DenyCounted:
            return DenyCounted.of(number, {}, counter_of(self.run, number), country=True)

        until(lambda: counted().grown, COUNTERS_LAG_S)
        self.check.answered(counted())

    @keyword()
    def the_server_should_be_in_reach(self) -> None:
        """A page arrives although the policy is there: the server lies elsewhere.

        Raises:
            AssertionError: it does not arrive, although it does on the path without the gateway.
            NotProven: it does not there either, or there is no such path.
        """
        specimen = self.run.specimens[_PAGE]
        asked = ask(self.run, specimen, "HTTP", arrives=True)
        if not asked.arrived:
            must_arrive_directly(self.run, specimen, "HTTP")
        self.check.answered(CountryPassed(asked))

    @keyword()
    def the_country_is_blocked_no_more(self) -> None:
        """The denying policy is taken away; to be called also after a failure."""
        self.run.country.permit()

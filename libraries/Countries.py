"""Addresses of a country: is what lies there blocked, and nothing else."""

from __future__ import annotations

from robot.api.deco import library

from gatepass.base.phrase import say
from gatepass.base.waiting import until
from support.arrivals import ask, must_arrive_directly
from support.guard import keyword
from support.policies import COUNTERS_LAG_S, counter_of
from support.session import session

_PAGE = "a harmless request"


@library(scope="GLOBAL", doc_format="ROBOT")
class Countries:
    """Keywords about address objects of type geography.

    The test network lies in no country, so the gateway is told that the server's address does
    (``system/geoip-override``). The policy of the security services permits the traffic.
    """

    @keyword()
    def the_country_that_the_server_lies_in_is_blocked(self) -> None:
        """A policy that denies that country stands above the one that permits the traffic."""
        session.country.deny(above=session.inspection.policyid)

    @keyword()
    def the_server_is_moved_to_another_country(self) -> None:
        """Its neighbour lies in the blocked country now, and the server does not."""
        session.country.move_away()

    @keyword()
    def the_server_should_be_out_of_reach(self) -> None:
        """Nothing arrives from the server, and the denying policy counts what it stopped.

        Raises:
            AssertionError: a page arrives, or the policy counts nothing.
        """
        download = ask(session.specimens[_PAGE], "HTTP", arrives=False)
        arrived = bool(download.status)
        session.evidence(
            say("country"),
            f"{download}; "
            + ("the address was not taken for that country's." if arrived else "nothing arrived."),
            not arrived,
        )
        number = session.country.policyid
        counted = until(lambda: bool(counter_of(number).get("hit_count")), COUNTERS_LAG_S)
        session.evidence(
            say("country_counted"),
            f"Policy {number} counted {'what it blocked' if counted else 'nothing'}.",
            counted,
        )

    @keyword()
    def the_server_should_be_in_reach(self) -> None:
        """A page arrives although the policy is there: the server lies elsewhere.

        Raises:
            AssertionError: it does not arrive, although it does on the path without the gateway.
            NotProven: it does not there either, or there is no such path.
        """
        specimen = session.specimens[_PAGE]
        download = ask(specimen, "HTTP", arrives=True)
        arrived = download.is_copy_of(specimen.content)
        if not arrived:
            must_arrive_directly(specimen, "HTTP")
        session.evidence(say("other_country"), f"{download}.", arrived)

    @keyword()
    def the_country_is_blocked_no_more(self) -> None:
        """The denying policy is taken away; to be called also after a failure."""
        session.country.permit()

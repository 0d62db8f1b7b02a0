"""A host that the gateway cuts off, and lets in again."""

from __future__ import annotations

import time
from contextlib import suppress

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.stream import Arrivals, Stream, clock_of
from gatepass.gateway.answers import GatewayLost, Refused
from gatepass.gateway.bans import Bans
from gatepass.scenarios.quarantine import LASTS_S, BanEnded, BanHeeded, BanListed
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.steps import Steps

_BEFORE_S, _INTERVAL_S = 0.6, 0.02
_FRESH_S = 0.3
"""So old may the last datagram be that arrived before the ban."""
_EXPIRY_S = 60
"""After which the gateway lets it in by itself, should the run be killed."""
_LIMIT_S = 60


class Ban(Steps):
    """A ban that came and went while the host sent.

    Attributes:
        arrivals: what arrived of it.
        asked, ended: when the ban and its end were asked for, by the host's clock.
        listed: the addresses that the gateway named as cut off, meanwhile.
    """

    arrivals: Arrivals
    asked: float
    ended: float
    listed: tuple[str, ...]


class Quarantine(KeywordLibrary):
    """Keywords about quarantine: a ban by the monitor `user/banned`."""

    @keyword()
    def the_client_is_banned_and_let_in_again_while_it_sends(self) -> None:
        """Fifty datagrams a second go from the client to the server; what arrives is taken down.

        The ban would end by itself after a minute.

        Raises:
            NotApplicable: the device has no quarantine.
        """
        ends, bans = self.run.testbed.endpoints, Bans(self.run.gateway)
        port, address = ends.server.probe_port, ends.client.address
        if address in bans.listed():
            raise NotProven(f"{address} is in quarantine already. Release it (user/banned).")
        self.run.stop_responders()
        stream = Stream(
            self.run.client, self.run.server, ends.server.address, port, self.run.mark,
            _INTERVAL_S, _LIMIT_S,
        )
        ban = self._ban
        try:
            time.sleep(_BEFORE_S)
            ban.asked = clock_of(self.run.client)
            bans.add(address, _EXPIRY_S)
            try:
                time.sleep(LASTS_S)
                ban.listed = tuple(sorted(bans.listed()))
                ban.ended = clock_of(self.run.client)
            finally:
                with suppress(GatewayLost, Refused):  # told by what asks the gateway next
                    bans.end(address)
            until(lambda: stream.brings(since=ban.ended), LASTS_S)
            ban.arrivals = stream.end()
        finally:
            stream.stop()

    @keyword()
    def it_should_have_been_silent_while_it_was_banned(self) -> None:
        """Nothing that it sent arrived any more, two seconds after the ban at the latest.

        Raises:
            AssertionError: it did, or the gateway does not name the host among those banned.
            NotProven: nothing had arrived before the ban, either, or nothing was sent in it.
        """
        ban = self._ban
        before = ban.arrivals.last_before(ban.asked)
        if before is None or ban.asked - before > _FRESH_S:
            raise NotProven("what the client sent did not arrive even before the quarantine.")
        address = self.run.testbed.endpoints.client.address
        self.check.answered(BanListed(address, ban.listed))
        self.check.answered(BanHeeded(ban.arrivals, ban.asked, ban.ended))

    @keyword()
    def it_should_have_been_let_in_again_after(self) -> None:
        """What it sent arrived again, two and a half seconds after the ban ended at the latest.

        Raises:
            AssertionError: it did not.
            NotProven: nothing was sent in that time.
        """
        self.check.answered(BanEnded(self._ban.arrivals, self._ban.ended))

    @property
    def _ban(self) -> Ban:
        return self.check.left(Ban)

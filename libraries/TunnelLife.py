"""Tunnels between sites over time: they come back, and their keys are renewed under traffic."""

from __future__ import annotations

import time
from dataclasses import dataclass

from robot.errors import RobotError

from gatepass.base.errors import NotProven
from gatepass.base.phrase import Phrase, say
from gatepass.base.waiting import until
from gatepass.endpoint.pulse import Pulse, Pulses
from gatepass.endpoint.stream import clock_of
from gatepass.results.measurements import observed
from gatepass.results.record import figure
from gatepass.scenarios.site_to_site import outage
from gatepass.scenarios.site_to_site.tunnels import MOST, Tunnel
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.steps import Steps
from support.tunnels import preferred

SHORTEST_KEYLIFE_S = 120
"""FortiOS takes no less."""
BACK_S = 60
"""How long a tunnel may take to come back by itself."""
_LONGER_S = 6
"""After its keys would have run out, and after they were renewed: what a renewal brings, in the
last moment as well, is seen."""
_PULSE_S = 0.02
_BEFORE_S, _AFTER_S = 1.0, 3.0
_MOST_S = 60.0
_NEW_KEYS_S = 5
_NEAR_S = 5.0
"""How far from a renewal an outage may be its own: the clocks of two hosts differ by up to 2 s from
this machine's each (see the preflight), and the peer tells whole seconds."""
OUTAGE = "renewal_outage"


class Renewal(Steps):
    """A tunnel whose keys are renewed.

    Attributes:
        tunnel: it.
        first_spi: of its SA before.
        how: they are renewed, in words.
        inside, outside, elsewhere: the longest outages in it, on the same path without it at that
            time, and in it at other times.
    """

    tunnel: Tunnel
    first_spi: str
    how: Phrase
    inside: outage.Outage
    outside: outage.Outage
    elsewhere: outage.Outage


class Return(Steps):
    """A tunnel that is to come back.

    Attributes:
        gone: when it went, by the monotonic clock.
        how: it went, in words.
    """

    gone: float
    how: Phrase


@dataclass(frozen=True)
class Kept:
    """The tunnel whose keys run out while other checks run.

    Attributes:
        tunnel: it.
        first_spi: of its SA at first.
        pulse: the packets through it and beside it.
        over: when these end, by the monotonic clock.
    """

    tunnel: Tunnel
    first_spi: str
    pulse: Pulse
    over: float


class TunnelLife(KeywordLibrary):
    """Keywords about a tunnel whose SA goes, whose peer restarts, whose keys run out."""

    _kept: Kept | Exception | None = None  # from the chapter's preparation on

    # -- keys ---------------------------------------------------------------------------------

    @keyword()
    def a_tunnel_with_short_lived_keys_begins_to_carry_traffic(self) -> None:
        """A tunnel of its own beside the others, whose keys live for 120 s, FortiOS's least.

        The gateway brings it up and is the only one to renew its keys. Packets go through it, 50
        a second, until its first keys have run out, while other checks run. What goes wrong with
        it is told by the check of it.
        """
        try:
            self._kept = self._begin()
        except RobotError:
            raise  # the run is being stopped
        except Exception as error:
            self._kept = error

    @keyword()
    def a_tunnel_has_carried_traffic_for_longer_than_its_keys_live(self) -> None:
        """Wait for what is left of that time, or until the peer has used new keys for a while.

        Raises:
            AssertionError: the gateway did not bring that tunnel up.
        """
        if isinstance(self._kept, Exception):
            raise self._kept
        if self._kept is None:
            raise NotProven("no tunnel with short-lived keys was started before the checks.")
        tunnel = self._kept.tunnel
        until(self._renewed_a_while, SHORTEST_KEYLIFE_S + _LONGER_S)
        answers = self._kept.pulse.end()
        self._renewal.tunnel, self._renewal.first_spi = tunnel, self._kept.first_spi
        asked = clock_of(self.run.client)
        sa = self.run.site_vpn.peer.charon.sa(tunnel.name)
        age_s = sa.child.age_s if sa and sa.child else 0
        renewed = asked - age_s, clock_of(self.run.client) - age_s
        self._seen(answers, say("renewed_by_gateway"), renewed)

    @keyword()
    def the_peer_renews_its_keys_under_traffic(self) -> None:
        """The peer asks for new keys while packets go through the tunnel, 50 a second."""
        vpn = self.run.site_vpn
        tunnel = self._renewal.tunnel = vpn.current
        self._renewal.first_spi = vpn.child(tunnel).spi_in
        pulse = self._pulse("pulse", tunnel, _MOST_S)
        time.sleep(_BEFORE_S)
        asked = clock_of(self.run.client)
        vpn.peer.charon.rekey(tunnel.name)
        renewed = asked, clock_of(self.run.client)
        time.sleep(_AFTER_S)
        self._seen(pulse.end(), say("renewed_by_peer"), renewed)

    @keyword()
    def its_keys_should_be_new(self) -> None:
        """The tunnel has another SA than before, so that another key is in use."""
        charon, renewal = self.run.site_vpn.peer.charon, self._renewal

        def spi() -> str:
            sa = charon.sa(renewal.tunnel.name)
            return sa.child.spi_in if sa and sa.child else ""

        until(lambda: spi() not in ("", renewal.first_spi), _NEW_KEYS_S)
        now = spi()
        new = now not in ("", renewal.first_spi)
        became = f"{now} now." if new else f"{now or 'gone'} now: no new keys came."
        self.check.evidence(
            say("keys_renewed"),
            f"Keys live for {renewal.tunnel.keylife_s:,} s. The SA was {renewal.first_spi} and is "
            f"{became}",
            new,
        )

    @keyword()
    def traffic_should_have_gone_on_meanwhile(self) -> None:
        """No outage was longer than the profile's `rekey_outage_ms`, as far as pulses can tell.

        Raises:
            AssertionError: one was, and none on the same path without a tunnel.
            NotProven: one was there as well, or in the tunnel at other times, or it is too close
                to call.
        """
        renewal = self._renewal
        outage.conclude(
            f"{say(OUTAGE)}, {renewal.how}",
            renewal.inside,
            renewal.outside,
            renewal.elsewhere,
            self.run.profile.rekey_outage_ms,
        )

    # -- coming back --------------------------------------------------------------------------

    @keyword()
    def a_tunnel_is_up_that_the_gateway_keeps_up(self) -> None:
        """One tunnel with auto-negotiate on, which the gateway brings up by itself.

        Raises:
            AssertionError: it does not.
        """
        vpn = self.run.site_vpn
        (tunnel,) = vpn.new(preferred(self.run), initiates=True)
        vpn.configure([tunnel])
        self._must_come_up(tunnel)

    @keyword()
    def its_sa_is_deleted(self) -> None:
        """The peer deletes the tunnel's SAs and says so, as an administrator there would."""
        vpn = self.run.site_vpn
        vpn.peer.charon.terminate([vpn.current.name])
        self._return.gone, self._return.how = time.monotonic(), say("after_deletion")

    @keyword()
    def its_peer_restarts(self) -> None:
        """The peer's strongSwan ends and starts again; it initiates nothing."""
        self.run.site_vpn.peer.charon.restart()
        self._return.gone, self._return.how = time.monotonic(), say("after_restart")

    @keyword()
    def it_should_come_back_by_itself(self) -> None:
        """The gateway brings it up again within 60 s, and it carries traffic.

        Raises:
            AssertionError: it does not.
            NotProven: nothing gets to the peer without a tunnel either.
        """
        vpn = self.run.site_vpn
        tunnel = vpn.current
        back = vpn.await_up(tunnel, BACK_S) is not None
        seconds = time.monotonic() - self._return.gone
        carries = back and until(lambda: vpn.reaches(self.run.client, tunnel), BACK_S)
        if carries:
            came_back = observed("tunnel_return", self._return.how, round(seconds, 2))
            self.check.note("measurement", came_back)
        if not carries:
            vpn.must_reach(self.run.client)
        again = f"after {figure(seconds)} s" if back else f"within {BACK_S} s"
        came = f"It was {'' if back else 'not '}up again {again}"
        self.check.evidence(
            say("comes_back", what=self._return.how),
            f"{came}{'' if carries or not back else ', but carried nothing'}.",
            bool(carries),
        )

    # -- helpers ------------------------------------------------------------------------------

    @property
    def _renewal(self) -> Renewal:
        return self.check.left(Renewal)

    @property
    def _return(self) -> Return:
        return self.check.left(Return)

    def _begin(self) -> Kept:
        vpn = self.run.site_vpn
        tunnel = vpn.gateway.new(
            MOST + 1, preferred(self.run), keylife_s=SHORTEST_KEYLIFE_S, initiates=True
        )
        vpn.peer.know([tunnel])
        vpn.gateway.make([tunnel])
        self._must_come_up(tunnel)
        first_spi = vpn.child(tunnel).spi_in
        seconds = SHORTEST_KEYLIFE_S + _LONGER_S
        pulse = self._pulse("kept", tunnel, seconds)
        return Kept(tunnel, first_spi, pulse, time.monotonic() + seconds)

    def _renewed_a_while(self) -> bool:
        """Whether the kept tunnel has had new keys for some seconds, or its pulse is over."""
        kept = self._kept
        sa = self.run.site_vpn.peer.charon.sa(kept.tunnel.name)
        if sa and sa.child and sa.child.spi_in != kept.first_spi:
            return sa.child.age_s >= _LONGER_S
        return time.monotonic() > kept.over

    def _pulse(self, name: str, tunnel: Tunnel, seconds: float) -> Pulse:
        """As many packets into the tunnel as on the same path without one."""
        count = round(seconds / _PULSE_S)
        counts = {tunnel.host: count, self.run.site.peer: count}
        return Pulse(self.run.client, name, counts, self.run.site_vpn.peer.port, _PULSE_S)

    def _must_come_up(self, tunnel: Tunnel) -> None:
        vpn = self.run.site_vpn
        if vpn.await_up(tunnel, BACK_S) is None:
            vpn.must_reach(self.run.client)
            raise AssertionError(
                f"The gateway does not bring up a tunnel ({tunnel.proposal.label}) that is set to "
                f"auto-negotiate within {BACK_S} s."
            )

    def _seen(
        self, answers: dict[str, Pulses], how: Phrase, renewed: tuple[float, float]
    ) -> None:
        """Note the outage in the tunnel, and keep what is held beside it.

        Args:
            answers: what became of the packets.
            how: the keys were renewed.
            renewed: not before and not after, in seconds since the epoch by the client's clock.
        """
        renewal = self._renewal
        inside, outside = answers[renewal.tunnel.host], answers[self.run.site.peer]
        near, far = outage.around(inside, renewed, _NEAR_S)
        outside_near, _ = outage.around(outside, renewed, _NEAR_S)
        renewal.how = how
        renewal.inside, renewal.elsewhere, renewal.outside = (
            outage.longest(gaps, _PULSE_S) for gaps in (near, far, outside_near)
        )
        facts = {
            "resolution_ms": renewal.inside.resolution_ms,
            "without_a_tunnel_ms": renewal.outside.ms,
            "at_other_times_ms": renewal.elsewhere.ms,
            "packets": inside.sent,
            "lost": inside.sent - inside.answered,
        }
        limit = self.run.profile.rekey_outage_ms
        self.check.measured(
            observed(OUTAGE, how, renewal.inside.ms, threshold=limit, facts=facts)
        )

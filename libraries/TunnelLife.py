"""Tunnels between sites over time: they come back, and their keys are renewed under traffic."""

from __future__ import annotations

import time

from robot.api.deco import library
from robot.errors import RobotError

from gatepass.base.phrase import Phrase, say
from gatepass.base.waiting import until
from gatepass.endpoint.pulse import Pulse, Pulses
from gatepass.results.measurements import observed
from gatepass.results.record import figure
from gatepass.scenarios.site_to_site import outage
from gatepass.scenarios.site_to_site.tunnels import MOST, Tunnel
from support.guard import keyword
from support.session import session
from support.tunnels import preferred

SHORTEST_KEYLIFE_S = 120
"""FortiOS takes no less."""
BACK_S = 60
"""How long a tunnel may take to come back by itself."""
_LONGER_S = 6
"""After its keys would have run out: what a renewal in the last moment brings is seen as well."""
_PULSE_S = 0.02
_AROUND_S = 4.0
_BEFORE_S = 1.0
_NEW_KEYS_S = 5
_NEAR_S = 5.0
"""How far from a renewal an outage may be its own: the clocks of two hosts differ by up to 2 s from
this machine's each (see the preflight), and the peer tells whole seconds."""
OUTAGE = "renewal_outage"


@library(scope="GLOBAL", doc_format="ROBOT")
class TunnelLife:
    """Keywords about a tunnel whose SA goes, whose peer restarts, whose keys run out."""

    # -- keys ---------------------------------------------------------------------------------

    @keyword()
    def a_tunnel_with_short_lived_keys_begins_to_carry_traffic(self) -> None:
        """A tunnel of its own beside the others, whose keys live for 120 s, FortiOS's least.

        The gateway brings it up and is the only one to renew its keys. Packets go through it, 50
        a second, until its first keys have run out, while other checks run. What goes wrong with
        it is told by the check of it.
        """
        self._kept: Pulse | Exception
        try:
            self._kept = self._begin()
        except RobotError:
            raise  # the run is being stopped
        except Exception as error:
            self._kept = error

    @keyword()
    def a_tunnel_has_carried_traffic_for_longer_than_its_keys_live(self) -> None:
        """Wait for what is left of that time.

        Raises:
            AssertionError: the gateway did not bring that tunnel up.
        """
        if isinstance(self._kept, Exception):
            raise self._kept
        told = self._kept.wait()
        self._tunnel, self._first_spi = self._short, self._short_spi
        sa = session.site_vpn.peer.charon.sa(self._short.name)
        age_s = sa.child.age_s if sa and sa.child else 0
        self._seen(told, say("renewed_by_gateway"), time.time() - age_s)

    @keyword()
    def the_peer_renews_its_keys_under_traffic(self) -> None:
        """The peer asks for new keys while packets go through the tunnel, 50 a second."""
        vpn = session.site_vpn
        self._tunnel = vpn.current
        self._first_spi = vpn.child(self._tunnel).spi_in
        count = round(_AROUND_S / _PULSE_S)
        pulse = Pulse(session.client, "pulse", self._beside(count), vpn.peer.port, _PULSE_S)
        time.sleep(_BEFORE_S)
        vpn.peer.charon.rekey(self._tunnel.name)
        renewed = time.time()
        self._seen(pulse.wait(), say("renewed_by_peer"), renewed)

    @keyword()
    def its_keys_should_be_new(self) -> None:
        """The tunnel has another SA than before, so that another key is in use."""
        vpn = session.site_vpn

        def spi() -> str:
            sa = vpn.peer.charon.sa(self._tunnel.name)
            return sa.child.spi_in if sa and sa.child else ""

        until(lambda: spi() not in ("", self._first_spi), _NEW_KEYS_S)
        now = spi()
        session.evidence(
            say("keys_renewed"),
            f"Keys live for {self._tunnel.keylife_s:,} s. The SA was {self._first_spi} and is "
            + (f"{now} now." if now not in ("", self._first_spi) else f"{now or 'gone'} now: no "
               "new keys came."),
            now not in ("", self._first_spi),
        )

    @keyword()
    def traffic_should_have_gone_on_meanwhile(self) -> None:
        """No outage was longer than the profile's `rekey_outage_ms`, as far as pulses can tell.

        Raises:
            AssertionError: one was, and none on the same path without a tunnel.
            NotProven: one was there as well, or in the tunnel at other times, or it is too close
                to call.
        """
        outage.conclude(
            f"{say(OUTAGE)}, {self._how}",
            self._inside,
            self._outside,
            self._elsewhere,
            session.profile.rekey_outage_ms,
        )

    # -- coming back --------------------------------------------------------------------------

    @keyword()
    def a_tunnel_is_up_that_the_gateway_keeps_up(self) -> None:
        """One tunnel with auto-negotiate on, which the gateway brings up by itself.

        Raises:
            AssertionError: it does not.
        """
        vpn = session.site_vpn
        (tunnel,) = vpn.new(preferred(), initiates=True)
        vpn.configure([tunnel])
        self._must_come_up(tunnel)

    @keyword()
    def its_sa_is_deleted(self) -> None:
        """The peer deletes the tunnel's SAs and says so, as an administrator there would."""
        vpn = session.site_vpn
        vpn.peer.charon.terminate([vpn.current.name])
        self._gone, self._how = time.monotonic(), say("after_deletion")

    @keyword()
    def its_peer_restarts(self) -> None:
        """The peer's strongSwan ends and starts again; it initiates nothing."""
        session.site_vpn.peer.charon.restart()
        self._gone, self._how = time.monotonic(), say("after_restart")

    @keyword()
    def it_should_come_back_by_itself(self) -> None:
        """The gateway brings it up again within 60 s, and it carries traffic.

        Raises:
            AssertionError: it does not.
            NotProven: nothing gets to the peer without a tunnel either.
        """
        vpn = session.site_vpn
        tunnel = vpn.current
        back = vpn.await_up(tunnel, BACK_S) is not None
        seconds = time.monotonic() - self._gone
        carries = back and until(lambda: vpn.reaches(session.client, tunnel), BACK_S)
        if carries:
            session.note("measurement", observed("tunnel_return", self._how, round(seconds, 2)))
        if not carries:
            vpn.must_reach(session.client)
        told = f"It was up again after {figure(seconds)} s" if back else f"Not within {BACK_S} s"
        session.evidence(
            say("comes_back", what=self._how),
            f"{told}{'' if carries or not back else ', but carried nothing'}.",
            bool(carries),
        )

    # -- helpers ------------------------------------------------------------------------------

    def _begin(self) -> Pulse:
        vpn = session.site_vpn
        self._short = vpn.gateway.new(
            MOST + 1, preferred(), keylife_s=SHORTEST_KEYLIFE_S, initiates=True
        )
        vpn.peer.know([self._short])
        vpn.gateway.make([self._short])
        self._must_come_up(self._short)
        self._short_spi = vpn.child(self._short).spi_in
        count = round((SHORTEST_KEYLIFE_S + _LONGER_S) / _PULSE_S)
        self._tunnel = self._short
        return Pulse(session.client, "kept", self._beside(count), vpn.peer.port, _PULSE_S)

    def _beside(self, count: int) -> dict[str, int]:
        """As many packets into the tunnel as on the same path without one."""
        return {self._tunnel.host: count, session.site.peer: count}

    def _must_come_up(self, tunnel: Tunnel) -> None:
        vpn = session.site_vpn
        if vpn.await_up(tunnel, BACK_S) is None:
            vpn.must_reach(session.client)
            raise AssertionError(
                f"The gateway does not bring up a tunnel ({tunnel.proposal.label}) that is set to "
                f"auto-negotiate within {BACK_S} s."
            )

    def _seen(self, told: dict[str, Pulses], how: Phrase, renewed: float) -> None:
        """Note the outage in the tunnel, and keep what is held beside it.

        Args:
            told: what became of the packets.
            how: the keys were renewed.
            renewed: when, in seconds since the epoch.
        """
        inside, outside = told[self._tunnel.host], told[session.site.peer]
        near, far = outage.around(inside, renewed, _NEAR_S)
        beside, _ = outage.around(outside, renewed, _NEAR_S)
        self._how = how
        self._inside, self._elsewhere, self._outside = (
            outage.longest(gaps, _PULSE_S) for gaps in (near, far, beside)
        )
        facts = {
            "resolution_ms": self._inside.resolution_ms,
            "without_a_tunnel_ms": self._outside.ms,
            "at_other_times_ms": self._elsewhere.ms,
            "packets": inside.sent,
            "lost": inside.sent - inside.answered,
        }
        session.note(
            "measurement",
            observed(
                OUTAGE,
                how,
                self._inside.ms,
                threshold=session.profile.rekey_outage_ms,
                facts=facts,
            ),
        )

"""Tunnels between sites over time: they come back, and their keys are renewed under traffic."""

from __future__ import annotations

import time

from robot.api.deco import library
from robot.errors import RobotError

from gatepass.errors import NotProven
from gatepass.pulse import Pulse, Pulses
from gatepass.record import Measurement, figure
from gatepass.site_tunnels import MOST, Tunnel
from gatepass.waiting import until
from guard import keyword
from reasons import conclude
from session import session
from SiteToSite import preferred

SHORTEST_KEYLIFE_S = 120
"""FortiOS takes no less."""
BACK_S = 60
"""How long a tunnel may take to come back by itself."""
_LONGER_S = 15
_PULSE_S = 0.02
_AROUND_S = 4.0
_BEFORE_S = 1.0
_NEW_KEYS_S = 5
_CHANGE_S = 0.3
"""A gap that is longer is none of single packets."""


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
        self._lost(told, "by the gateway, before they run out", beside_others=True)

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
        self._lost(pulse.wait(), "when the peer asks for it")

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
            "A tunnel's keys are renewed",
            f"Keys live for {self._tunnel.keylife_s:,} s. The SA was {self._first_spi} and is "
            + (f"{now} now." if now not in ("", self._first_spi) else f"{now or 'gone'} now: no "
               "new keys came."),
            now not in ("", self._first_spi),
        )

    @keyword("Hardly any packet should be lost meanwhile")
    def hardly_any_packet_should_be_lost(self) -> None:
        """At most the profile's share, and not as many without a tunnel at the same time."""
        conclude(self._loss, lambda: "", self._loss_of_the_rig)

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
        self._gone, self._how = time.monotonic(), "after its SA was deleted"

    @keyword()
    def its_peer_restarts(self) -> None:
        """The peer's strongSwan ends and starts again; it initiates nothing."""
        session.site_vpn.peer.charon.restart()
        self._gone, self._how = time.monotonic(), "after its peer restarted"

    @keyword()
    def it_should_come_back_by_itself(self) -> None:
        """The gateway brings it up again within 60 s, and it carries traffic.

        Raises:
            AssertionError: it does not.
        """
        vpn = session.site_vpn
        tunnel = vpn.current
        back = vpn.await_up(tunnel, BACK_S) is not None
        seconds = time.monotonic() - self._gone
        carries = back and until(lambda: vpn.reaches(session.client, tunnel), BACK_S)
        if carries:
            session.note(
                "measurement",
                Measurement(
                    "Return of a tunnel",
                    self._how,
                    round(seconds, 2),
                    "s",
                    trials=(round(seconds, 2),),
                ),
            )
        told = f"It was up again after {figure(seconds)} s" if back else f"Not within {BACK_S} s"
        session.evidence(
            f"A tunnel comes back by itself {self._how}",
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

    def _lost(self, told: dict[str, Pulses], how: str, beside_others: bool = False) -> None:
        """Note what was lost in the tunnel, and keep what was lost without.

        Args:
            told: what became of the packets.
            how: the keys were renewed.
            beside_others: other checks sent at full rate meanwhile.
        """
        self._beside_others = beside_others
        inside, self._outside = told[self._tunnel.host], told[session.site.peer]
        lost = round(inside.lost_percent, 3)
        self._loss = Measurement(
            "Loss while a tunnel's keys are renewed",
            how,
            lost,
            "%",
            half_width=0.0,
            confidence=session.profile.confidence,
            trials=(lost,),
            threshold=session.profile.rekey_loss_percent,
            relation="at most",
            facts={"packets": inside.sent, "longest_gap_s": inside.longest_gap_s},
        )
        session.note("measurement", self._loss)
        self._inside = inside

    def _loss_of_the_rig(self) -> str:
        """What happened meanwhile without a tunnel.

        Raises:
            NotProven: as much was lost there, or packets were lost one by one under the load of
                other checks and not for as long as a change of keys takes.
        """
        without = self._outside.lost_percent
        if without > self._loss.threshold:
            raise NotProven(
                f"{figure(without)} % of the packets were lost on the same path without a tunnel "
                "as well."
            )
        if self._beside_others and self._inside.longest_gap_s < _CHANGE_S:
            raise NotProven(
                f"in the tunnel {self._inside}: they were lost one by one beside the traffic of "
                "the other checks. Run this check alone."
            )
        return f"In the tunnel {self._inside}; without a tunnel {self._outside}."

"""All the tunnels between sites that the tier promises, at once."""

from __future__ import annotations

from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.results.measurements import observed
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.policies import COUNTERS_LAG_S
from support.tunnels import RATE, behind_the_peer, preferred, promised_tunnels

_FEWEST_PULSES = 5
_TRIES = 2


class ManyTunnels(KeywordLibrary):
    """Keywords about as many IPsec tunnels as were promised."""

    @keyword()
    def the_promised_number_of_tunnels_is_configured(self) -> None:
        """As many as the tier promises, each to a remote site of its own."""
        vpn = self.run.site_vpn
        vpn.configure(vpn.new(preferred(self.run), promised_tunnels(self.run)))

    @keyword()
    def the_peer_brings_all_of_them_up_at_once(self) -> None:
        """One after it was configured, to see that it is in force; then all others at once."""
        vpn = self.run.site_vpn
        vpn.raise_one(vpn.current, self.run.client)
        others = [tunnel.name for tunnel in vpn.there[:-1]]
        came = vpn.peer.charon.initiate(others) if others else {}
        if came:
            rate = len(came) / max(came.values())
            self.check.note(
                "measurement",
                observed(
                    "ipsec_set_up",
                    say("set_up_at_once", tunnels=len(others), label=preferred(self.run).label),
                    round(rate, 2),
                    facts={"slowest_s": max(came.values())},
                ),
            )

    @keyword()
    def all_of_them_should_be_up(self) -> None:
        """Both sides tell that each of them is up.

        Raises:
            AssertionError: one is not.
        """
        vpn = self.run.site_vpn
        promised = len(vpn.there)
        found: set[str] = set()

        def all_up() -> bool:
            up = {sa.name for sa in vpn.peer.charon.sas() if sa.child}
            listed = {row["name"] for row in vpn.gateway.all_up()}
            found.clear()
            found.update(up & listed & {tunnel.name for tunnel in vpn.there})
            return len(found) == promised

        until(all_up, COUNTERS_LAG_S)
        self.check.note(
            "measurement",
            observed(
                "ipsec_tunnels",
                say("tunnels_at_once"),
                len(found),
                tried=promised,
                threshold=promised,
                confidence=self.run.profile.confidence,
            ),
        )
        self.check.evidence(
            say("tunnels_up"),
            f"{len(found)} of {promised} are up, according to gateway and peer.",
            len(found) == promised,
        )

    @keyword("Each should carry the traffic of its own network and no other")
    def each_carries_its_own(self) -> None:
        """Another number of packets to each network at once: each tunnel has to count its own.

        Raises:
            AssertionError: one does not.
            NotProven: nothing gets to the peer without a tunnel either.
        """
        count, wrong = len(self.run.site_vpn.there), []
        for _ in range(_TRIES):  # a packet may get lost on a busy machine
            if not (wrong := self._wrong_counts()):
                break
        if wrong:
            self.run.site_vpn.must_reach(self.run.client)
        self.check.evidence(
            say("own_network"),
            f"{count - len(wrong)} of {count} counted as many packets as were "
            f"sent to their network{'; ' if wrong else '.'}{wrong[0] if wrong else ''}",
            not wrong,
        )

    @keyword()
    def tcp_is_sent_through_one_of_them(self) -> None:
        """Trials through one tunnel while all others are up."""
        vpn = self.run.site_vpn
        behind = behind_the_peer(self.run, vpn.current.host)
        trials = self.runner.once(self.runner.load(), behind)
        conditions = say("with_tunnels", label=preferred(self.run).label, tunnels=len(vpn.there))
        self.check.note("measurement", trials.measurement(RATE, conditions))
        vpn.sa(vpn.current)

    @keyword()
    def the_tunnels_are_taken_away(self) -> None:
        """None of these tunnels is left on either side."""
        self.run.site_vpn.drop()

    def _wrong_counts(self) -> list[str]:
        """What is wrong with each tunnel that did not count its own packets."""
        vpn = self.run.site_vpn
        counts = {tunnel.host: _FEWEST_PULSES + tunnel.number for tunnel in vpn.there}
        before = self._packets()
        answers = vpn.pulses(self.run.client, counts)
        now, wrong = self._packets(), []
        for tunnel in vpn.there:
            pulses = answers[tunnel.host]
            grown = now.get(tunnel.name, 0) - before.get(tunnel.name, 0)
            if not 0 < pulses.answered <= grown <= pulses.sent:
                wrong.append(
                    f"the one to {tunnel.network} counted {grown} of {pulses.sent} packets, of "
                    f"which {pulses.answered} were answered."
                )
        return wrong

    def _packets(self) -> dict[str, int]:
        sas = self.run.site_vpn.peer.charon.sas()
        return {sa.name: sa.child.packets_in for sa in sas if sa.child}

"""All the tunnels between sites that the tier promises, at once."""

from __future__ import annotations

from robot.api.deco import library

from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.results.measurements import observed
from support import trial_runs
from support.guard import keyword
from support.policies import COUNTERS_LAG_S
from support.session import session
from support.tunnels import RATE, behind_the_peer, preferred, promised_tunnels

_FEWEST_PULSES = 5
_TRIES = 2


@library(scope="GLOBAL", doc_format="ROBOT")
class ManyTunnels:
    """Keywords about as many IPsec tunnels as were promised."""

    @keyword()
    def the_promised_number_of_tunnels_is_configured(self) -> None:
        """As many as the tier promises, each to a remote site of its own."""
        vpn = session.site_vpn
        vpn.configure(vpn.new(preferred(), promised_tunnels()))

    @keyword()
    def the_peer_brings_all_of_them_up_at_once(self) -> None:
        """One after it was configured, to see that it is in force; then all others at once."""
        vpn = session.site_vpn
        vpn.raise_one(vpn.current, session.client)
        others = [tunnel.name for tunnel in vpn.there[:-1]]
        came = vpn.peer.charon.initiate(others) if others else {}
        if came:
            rate = len(came) / max(came.values())
            session.note(
                "measurement",
                observed(
                    "ipsec_set_up",
                    say("set_up_at_once", tunnels=len(others), label=preferred().label),
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
        vpn = session.site_vpn
        promised = len(vpn.there)
        found: set[str] = set()

        def all_up() -> bool:
            up = {sa.name for sa in vpn.peer.charon.sas() if sa.child}
            told = {row["name"] for row in vpn.gateway.all_up()}
            found.clear()
            found.update(up & told & {tunnel.name for tunnel in vpn.there})
            return len(found) == promised

        until(all_up, COUNTERS_LAG_S)
        session.note(
            "measurement",
            observed(
                "ipsec_tunnels",
                say("tunnels_at_once"),
                len(found),
                tried=promised,
                threshold=promised,
                confidence=session.profile.confidence,
            ),
        )
        session.evidence(
            say("tunnels_up"),
            f"{len(found)} of {promised} are up, as gateway and peer tell.",
            len(found) == promised,
        )

    @keyword("Each should carry the traffic of its own network and no other")
    def each_carries_its_own(self) -> None:
        """Another number of packets to each network at once: each tunnel has to count its own.

        Raises:
            AssertionError: one does not.
            NotProven: nothing gets to the peer without a tunnel either.
        """
        count, wrong = len(session.site_vpn.there), []
        for _ in range(_TRIES):  # a packet may get lost on a busy machine
            if not (wrong := _wrong_counts()):
                break
        if wrong:
            session.site_vpn.must_reach(session.client)
        session.evidence(
            say("own_network"),
            f"{count - len(wrong)} of {count} counted as many packets as were "
            f"sent to their network{'; ' if wrong else '.'}{wrong[0] if wrong else ''}",
            not wrong,
        )

    @keyword()
    def tcp_is_sent_through_one_of_them(self) -> None:
        """Trials through one tunnel while all others are up."""
        vpn = session.site_vpn
        trials = trial_runs.once(trial_runs.tcp(), behind_the_peer(vpn.current.host))
        conditions = say("with_tunnels", label=preferred().label, tunnels=len(vpn.there))
        session.note("measurement", trials.measurement(RATE, conditions))
        vpn.sa(vpn.current)

    @keyword()
    def the_tunnels_are_taken_away(self) -> None:
        """None of these tunnels is left on either side."""
        session.site_vpn.drop()


def _wrong_counts() -> list[str]:
    """What is wrong with each tunnel that did not count its own packets."""
    vpn = session.site_vpn
    counts = {tunnel.host: _FEWEST_PULSES + tunnel.number for tunnel in vpn.there}
    before = _packets()
    told = vpn.pulses(session.client, counts)
    now, wrong = _packets(), []
    for tunnel in vpn.there:
        pulses = told[tunnel.host]
        grown = now.get(tunnel.name, 0) - before.get(tunnel.name, 0)
        if not 0 < pulses.answered <= grown <= pulses.sent:
            wrong.append(
                f"the one to {tunnel.network} counted {grown} of {pulses.sent} packets, of "
                f"which {pulses.answered} were answered."
            )
    return wrong


def _packets() -> dict[str, int]:
    sas = session.site_vpn.peer.charon.sas()
    return {sa.name: sa.child.packets_in for sa in sas if sa.child}

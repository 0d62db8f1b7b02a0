"""What the gateway has against packets that belong to no connection, or are for everybody."""

from __future__ import annotations

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.scenarios.edge.broadcast import ALL, ONE, Broadcast, broadcast
from gatepass.scenarios.edge.replay import COUNT, Replayed, replay
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.steps import Steps


class Seen(Steps):
    """What was seen.

    Attributes:
        replayed: of segments in the name of connections.
        broadcast: of datagrams to a whole network.
    """

    replayed: Replayed
    broadcast: Broadcast


class PacketFilters(KeywordLibrary):
    """Keywords about anti-replay and directed broadcasts."""

    # -- a connection's window ---------------------------------------------------------------

    @keyword("Segments beyond the window were sent with anti-replay and without")
    def segments_beyond_the_window_were_sent_with_anti_replay_and_without(self) -> None:
        """Forty segments in the name of an open connection, with addresses and ports of its own.

        Their sequence numbers lie beyond any window. A policy permits all between client and
        server; its ``anti-replay`` is off, then on, then off again.

        Raises:
            NotApplicable: the device's policies have no such setting.
            NotProven: the client cannot send them, or no connection opens.
        """
        self.run.stop_responders()
        shells = {"client": self.run.client, "server": self.run.server}
        self._seen.replayed = replay(self.run.rules, self.run.testbed, shells)

    @keyword()
    def none_of_them_should_have_passed_with_it(self) -> None:
        """With anti-replay none arrived at the server, and the connection went on.

        Raises:
            AssertionError: one did, or the connection was not answered any more.
            NotProven: without it not all arrived, or connections were not answered, either.
        """
        one = self._seen.replayed
        without = (one.before, one.after)
        if one.during.arrived:
            self.check.evidence(
                say("replay_stopped"),
                f"{one.during.arrived} of {COUNT} segments outside the window arrived although "
                f"anti-replay was on; without it {one.before.arrived} arrived.",
                False,
            )
        if not all(seen.goes_on for seen in without):
            raise NotProven("connections were not answered without anti-replay, either.")
        self.check.evidence(
            say("replay_connection"),
            "The connection was answered before and after the segments."
            if one.during.goes_on
            else "The connection was no longer answered; without anti-replay it was.",
            one.during.goes_on,
        )
        if not all(seen.arrived == COUNT for seen in without):
            raise NotProven(
                f"without anti-replay {one.before.arrived} and {one.after.arrived} of {COUNT} "
                "segments outside the window arrived, so it is not shown that anti-replay stops "
                "them. Check anti-replay of system/global, and what else on the way drops them."
            )
        self.check.evidence(
            say("replay_stopped"),
            f"None of {COUNT} arrived; without anti-replay all did, before and after.",
            True,
        )

    # -- all hosts of a network --------------------------------------------------------------

    @keyword("The server sends to all hosts of the client's network")
    def the_server_sends_to_all_hosts_of_the_clients_network(self) -> None:
        """And to the client alone beside it; a policy permits both.

        The ports' ``broadcast-forward`` is off, then on, then off again.

        Raises:
            NotApplicable: the device's ports have no such setting.
            NotProven: an endpoint cannot send or watch.
        """
        self._seen.broadcast = broadcast(self.run.client_side, self.run.rules)

    @keyword()
    def none_of_it_should_have_passed_where_the_ports_forward_no_broadcasts(self) -> None:
        """What was for the client alone arrived all the while.

        Raises:
            AssertionError: some did, or what was for the client alone did not arrive beside it.
            NotProven: it does not pass where the ports forward it, either.
        """
        one = self._seen.broadcast
        stopped = (one.off, one.again)
        if passed := [seen for seen in stopped if not seen.none(ALL)]:
            self.check.evidence(
                say("broadcast_stopped"),
                f"{passed[0].of(ALL)} of {one.trials} datagrams to {one.address} arrived although "
                "broadcast-forward was off.",
                False,
            )
        if not one.on.whole(ONE):
            raise NotProven("what the server sends to the client alone did not arrive, either.")
        fewest = min(seen.of(ONE) for seen in stopped)
        self.check.evidence(
            say("broadcast_others"),
            f"{fewest} of {one.trials} datagrams to the client alone arrived at the same time.",
            fewest == one.trials,
        )
        if not one.on.whole(ALL):
            raise NotProven(
                f"{one.on.of(ALL)} of {one.trials} datagrams to {one.address} arrived with "
                "broadcast-forward, so it is not shown that its absence stops them."
            )
        self.check.evidence(
            say("broadcast_stopped"),
            f"None of {one.trials} to {one.address} arrived; with broadcast-forward all did.",
            True,
        )

    @property
    def _seen(self) -> Seen:
        return self.check.left(Seen)

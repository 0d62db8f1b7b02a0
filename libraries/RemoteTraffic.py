"""What users of remote access send: which way it takes, how fast, and who sees whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.endpoint.probe import ANSWERED, Answer, try_all
from gatepass.gateway.shapers import Held, held, held_alike
from gatepass.results.measurements import observed
from gatepass.results.record import Measurement, figure
from gatepass.scenarios.remote_access.configuration import BEHIND, SPLIT, host_of
from gatepass.scenarios.remote_access.vpn_client import Connected, Together, together
from gatepass.verdict import ceiling
from gatepass.verdict.endpoint_load import at_its_limit
from gatepass.verdict.judgement import Rig, joined
from gatepass.verdict.throughput import Trials
from support import words
from support.connections import address_of, control, respond
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.policies import APPLY_S
from support.reasons import throughput_should_reach
from support.robot_log import set_check_message
from support.steps import Steps
from support.vpn_users import LAG_S, VpnUsers, listed_as, words_of

PROMISE, RATE = "vpn_users", "remote_access_throughput"
_LOOK_S = 1.0
_TOGETHER_S = 3.0
"""How long users exchange something with the server, one alone and all of them."""


class UserTraffic(Steps):
    """What one user sent.

    Attributes:
        without: the same path through the gateway without a tunnel.
        held: the shapers that both took.
        rig: what limits the rig itself.
        fastest: as fast as it goes.
    """

    without: Trials
    held: Held
    rig: Rig
    fastest: Measurement


class RemoteTraffic(KeywordLibrary):
    """Keywords about what connected users send: where it goes, how fast, and who sees it."""

    # -- one user ----------------------------------------------------------------------------

    @keyword("The server should see the user with the address of the ${whose}")
    def the_server_should_see(self, whose: words.SeenUser) -> None:
        """The user exchanges something with the server, which tells whom it sees.

        Example: ``The Server Should See The User With The Address Of The Tunnel``

        Args:
            whose: tunnel (no NAT) or gateway (NAT).
        """
        (one,) = self._users.connected
        wanted = one.address if whose == "tunnel" else address_of(self.run, "gateway")
        kept: list[Together] = []

        def seen() -> set[str]:
            return set(kept[0].asked[0].answers)

        def look() -> bool:
            kept[:] = [self._together([one], _LOOK_S)]
            return seen() == {wanted}

        until(look, self.run.rules.in_force_within(APPLY_S))
        self._users.exchanged = kept[0]
        if not seen():
            self._must_be_lost_in_between([one])
        shown = words_of(sorted(seen())) if seen() else f"no address ({kept[0].reason})"
        self.check.evidence(
            say("user_seen"),
            f"The server saw {shown}; expected is {wanted}, the {whose.lower()}'s.",
            seen() == {wanted},
        )

    @keyword()
    def only_the_tunnel_should_be_seen(self) -> None:
        """No packet of the test traffic passed in clear since the users connected."""
        seen = self.run.wire_watch.look() - self._users.wire_before
        self.check.evidence(
            say("only_tunnel"),
            f"{seen.tunnel:,} packets of the tunnel, {seen.clear:,} of the test traffic in clear.",
            seen.tunnel > 0 and not seen.clear,
        )

    # -- which way traffic takes -------------------------------------------------------------

    @keyword()
    def each_target_should_be_reached_as_the_profile_says(self) -> None:
        """What a profile names goes through the tunnel, everything else goes past it.

        Each user tries the server and three networks behind it. The server tells which address
        it sees: the tunnel's, or the client's own.
        """
        client, port = self.run.testbed.endpoints.client, self._port()
        targets = [self.run.testbed.endpoints.server.address, *map(host_of, BEHIND)]
        tries = [(one, target) for one in self._users.connected for target in targets]
        answers = self._until_all_answer(tries, port)
        if lost := [answer.probe for answer in answers if answer.outcome != ANSWERED]:
            control(self.run, "client", "server", lost)
        wrong: list[str] = []
        for (one, target), answer in zip(tries, answers, strict=True):
            inside = one.user.profile.leads_to(target)
            wanted = one.address if inside else client.address
            if answer.seen != wanted:
                wrong.append(
                    f"{target} should be reached {'through' if inside else 'past'} the tunnel of "
                    f"{one.user.name} (seen as {wanted}), but was "
                    f"{f'seen as {answer.seen}' if answer.seen else answer.outcome}; the gateway "
                    f"gave the routes {words_of(one.routes)}."
                )
        self.check.evidence(
            say("profile_ways"),
            wrong[0] if wrong else f"{len(tries)} connections took the right way.",
            not wrong,
        )

    @keyword()
    def the_tunnel_should_carry_nothing_else(self) -> None:
        """What the profile does not name is not let through even where the user sends it there.

        Raises:
            NotProven: what it names does not get through when sent in this way.
        """
        (one,) = self._users.connected
        respond(self.run, "server")
        server, other = self.run.testbed.endpoints.server.address, host_of(BEHIND[0])
        probes = [one.forced(server, self._port()), one.forced(other, self._port())]
        inside, outside = try_all(self.run.client, probes)
        if not inside.seen:
            raise NotProven(
                f"a connection that is forced into the tunnel does not even reach {server}."
            )
        self.check.evidence(
            say("nothing_else"),
            f"Of the connections forced into the tunnel, the one to {other} was "
            f"{outside.outcome}; the one to {server} was {inside.outcome}.",
            not outside.seen,
        )

    # -- rate --------------------------------------------------------------------------------

    @keyword("TCP is sent ${direction} without a tunnel")
    def sent_without_a_tunnel(self, direction: words.Direction) -> None:
        """The same path through the gateway in clear, for comparison.

        Example: ``TCP Is Sent To The Server Without A Tunnel``

        It takes the shapers that the tunnel takes: where the tunnel is held by none, the path
        beside it is not held either.

        Args:
            direction: "to the server" or "to the client".
        """
        load = self.runner.load(reverse=_reverse(direction))
        gateway, access = self.run.gateway, self.run.remote_access
        outgoing, changes = self.run.testbed.gateway.server_port, self.run.workspace.changes
        shapers = held(gateway, access.interface(access.user(SPLIT).profile), outgoing)
        with held_alike(gateway, changes, self.run.rules, outgoing, shapers):
            without = self.runner.once(load, self.runner.server())
        self._traffic.held, self._traffic.without = shapers, without
        conditions = say("without_tunnel", way=say(words.WAYS[direction]))
        self.check.note("measurement", without.measurement(RATE, conditions))

    @keyword("TCP is sent ${direction} over remote access")
    def sent_over_remote_access(self, direction: words.Direction) -> None:
        """Trials of one user; until they decide, where the order holds a rate.

        Example: ``TCP Is Sent To The Server Over Remote Access``

        Args:
            direction: "to the server" or "to the client".
        """
        (one,) = self._users.connected
        threshold, client = self.run.order.vpn.remote_access_mbps, self.run.vpn_client
        reverse, server = _reverse(direction), self.runner.server()
        load = self.runner.load(reverse, source=one.address, promised_mbps=threshold)
        control = self.runner.control(load, threshold) if threshold else None
        self._users.wire_before = self.run.wire_watch.look(anew=True)
        used = client.cpu_s()
        trials = self.runner.until_decided(load, server, threshold or 0, control=control)
        seconds = len(trials.trials) * (load.seconds + load.omit_s)
        cpu_percent = (client.cpu_s() - used) / seconds * 100
        limit = at_its_limit(("client", client.program, cpu_percent))
        self.check.trials = trials
        self._traffic.rig = replace(trials.rig, limit=limit or trials.rig.limit)
        way = say(words.WAYS[direction])
        conditions = say("direction", what=self.run.remote_access.way, way=way)
        before = self.run.baselines.get("before")
        measured = trials.measurement(RATE, conditions, threshold, before and before.interval)
        facts = {
            f"{client.program}_cpu_percent": round(cpu_percent, 1),
            "without_tunnel_mbps": round(self._traffic.without.interval.mean, 3),
            "shaper": str(self._traffic.held),
        }
        self.check.measured(replace(measured, facts=measured.facts | facts))
        unpaced = self.runner.load(reverse, source=one.address)
        self._traffic.fastest = self.runner.fastest(unpaced, server, RATE, conditions)

    @keyword()
    def the_gateway_should_have_counted_it_all(self) -> None:
        """Its monitor shows at least the bytes that the trials carried."""
        (one,) = self._users.connected
        needed = self.check.trials.received_bytes

        def counted() -> int:
            return sum(row.bytes for row in listed_as(self.run, one.user))

        good = until(lambda: counted() >= needed, LAG_S)
        self.check.evidence(
            say("user_counted"),
            f"It counted {counted():,} bytes for {one.user.name}; the receiver got {needed:,}.",
            good,
        )

    @keyword()
    def the_rate_should_reach_what_was_ordered(self) -> None:
        """Where the order names a rate; else it is told and held against nothing.

        A rate above the tier's ceiling is named in the check's message and on the certificate.

        Raises:
            AssertionError: the gateway misses it, and the rig could have carried it.
            NotProven: the rig cannot carry it, or the interval straddles it.
        """
        check, traffic = self.check, self._traffic
        if check.measurement.threshold is not None:
            throughput_should_reach(
                check,
                check.measurement,
                check.trials,
                traffic.rig,
                self._compared,
                shaped=bool(traffic.held),
            )
        set_check_message(joined(self._compared(), ceiling.words(traffic.fastest)))

    # -- many users --------------------------------------------------------------------------

    @keyword()
    def all_users_send_at_the_same_time(self) -> None:
        """Each asks the server again and again for the address that it sees, and tries the next."""
        self._users.exchanged = self._together(self._users.connected, _TOGETHER_S)
        self.check.note(
            "measurement",
            observed(
                PROMISE,
                say("users_at_once", way=self.run.remote_access.way),
                self._users.exchanged.served,
                tried=len(self._users.connected),
                threshold=len(self._users.connected),
                confidence=self.run.profile.confidence,
                facts={
                    "answers": self._users.exchanged.answers,
                    "failed": self._users.exchanged.failed,
                    "slowest_connection_s": max(one.seconds for one in self._users.connected),
                },
            ),
        )

    @keyword("Every user's traffic should pass, and be seen as theirs")
    def every_users_traffic_should_pass(self) -> None:
        """Each user gets answers, and the server sees each with that user's own address."""
        traffic = self._users.exchanged
        unserved = [one for one in traffic.asked if not one.served]
        if lost := [one.user for one in unserved if not one.answers]:
            self._must_be_lost_in_between(lost)
        why = f" The first of the others: {unserved[0].summary}." if unserved else ""
        self.check.evidence(
            say("users_pass"),
            f"{traffic.served} of {len(traffic.asked)} users got {traffic.answers:,} answers, "
            f"{traffic.mixed} of them with another's address; {traffic.failed} failed.{why}",
            not unserved,
        )

    @keyword()
    def no_user_should_reach_another(self) -> None:
        """What a user sends to another's address arrives nowhere.

        Raises:
            NotProven: datagrams sent in this way do not even reach the server.
        """
        traffic = self._users.exchanged
        if len(traffic.answered) < len(traffic.asked):
            raise NotProven(
                f"only {len(traffic.answered)} of {len(traffic.asked)} users' datagrams to the "
                "server were answered, so it proves nothing that users do not reach each other."
            )
        first = next((f" {one.name} reached {other.name}." for one, other in traffic.reached), "")
        self.check.evidence(
            say("users_apart"),
            f"{len(traffic.reached)} of {len(traffic.asked)} datagrams to a neighbour's address "
            f"arrived.{first}",
            not traffic.reached,
        )

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _users(self) -> VpnUsers:
        return self.check.left(VpnUsers)

    @property
    def _traffic(self) -> UserTraffic:
        return self.check.left(UserTraffic)

    def _compared(self) -> str:
        without = figure(self._traffic.without.interval.mean)
        return (
            f"The same path without a tunnel carried {without} Mbit/s; both took "
            f"{self._traffic.held}."
        )

    def _together(self, users: Sequence[Connected], seconds: float) -> Together:
        respond(self.run, "server")
        there = [one for one in users if one.up]
        if not there:
            return Together((), (), ())
        far = self.run.testbed.endpoints.server
        return together(self.run.client, there, far.address, far.probe_port, seconds)

    def _until_all_answer(self, tries: Sequence[tuple[Connected, str]], port: int) -> list[Answer]:
        """The first answers to all, or the last ones after the last change's time."""
        respond(self.run, "server")
        kept: list[Answer] = []

        def look() -> bool:
            kept[:] = try_all(self.run.client, [one.probe(target, port) for one, target in tries])
            return all(answer.outcome == ANSWERED for answer in kept)

        until(look, self.run.rules.in_force_within(APPLY_S))
        return kept

    def _must_be_lost_in_between(self, users: Sequence[Connected]) -> None:
        """What users get from the server is lost at no endpoint, see `control`."""
        server, port = self.run.testbed.endpoints.server.address, self._port()
        control(self.run, "client", "server", [one.probe(server, port) for one in users])

    def _port(self) -> int:
        return self.run.testbed.endpoints.server.probe_port


def _reverse(direction: str) -> bool:
    return {"to the server": False, "to the client": True}[direction.lower()]

"""What users of remote access send: which way it takes, how fast, and who sees whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from robot.api.deco import library
from robot.libraries.BuiltIn import BuiltIn

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.endpoint.probe import ANSWERED, Answer, Probe, try_all
from gatepass.gateway.shapers import held, held_alike
from gatepass.results.measurements import observed
from gatepass.results.record import figure
from gatepass.scenarios.remote_access.configuration import BEHIND, SPLIT, host_of
from gatepass.scenarios.remote_access.vpn_client import Connected, Together, together
from gatepass.verdict import ceiling
from gatepass.verdict.disturbance import told_of
from gatepass.verdict.endpoint_load import FULL_CPU_PERCENT
from gatepass.verdict.judgement import joined
from support import trial_runs, words
from support.connections import address_of, control, respond
from support.guard import keyword
from support.policies import APPLY_S
from support.reasons import conclude
from support.session import session
from support.vpn_users import LAG_S, listed_as, words_of

PROMISE, RATE = "vpn_users", "remote_access_throughput"
_LOOK_S = 1.0
_TOGETHER_S = 3.0
"""How long users exchange something with the server, one alone and all of them."""


@library(scope="GLOBAL", doc_format="ROBOT")
class RemoteTraffic:
    """Keywords about what connected users send: where it goes, how fast, and who sees it."""

    # -- one user ----------------------------------------------------------------------------

    @keyword("The server should see the user with the address of the ${whose}")
    def the_server_should_see(self, whose: words.SeenUser) -> None:
        """The user exchanges something with the server, which tells whom it sees.

        Example: ``The Server Should See The User With The Address Of The Tunnel``

        Args:
            whose: tunnel (no NAT) or gateway (NAT).
        """
        (one,) = session.connected
        wanted = one.address if whose == "tunnel" else address_of("gateway")
        kept: list[Together] = []

        def seen() -> set[str]:
            return set(kept[0].asked[0].answers)

        def look() -> bool:
            kept[:] = [_together([one], _LOOK_S)]
            return seen() == {wanted}

        until(look, session.rules.in_force_within(APPLY_S))
        session.exchanged = kept[0]
        if not seen():
            _must_be_reached_directly()
        told = words_of(sorted(seen())) if seen() else f"nobody ({kept[0].reason})"
        session.evidence(
            say("user_seen"),
            f"It saw {told}; expected is {wanted}, the {whose.lower()}'s.",
            seen() == {wanted},
        )

    @keyword()
    def only_the_tunnel_should_be_seen(self) -> None:
        """No packet of the test traffic passed in clear since the users connected."""
        seen = session.wire_watch.look() - session.wire_before
        session.evidence(
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
        client, port = session.testbed.endpoints.client, _port()
        targets = [session.testbed.endpoints.server.address, *map(host_of, BEHIND)]
        tries = [(one, target) for one in session.connected for target in targets]
        answers = _until_all_answer(tries, port)
        if any(answer.outcome != ANSWERED for answer in answers):
            _must_be_reached_directly()
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
        session.evidence(
            say("profile_ways"),
            wrong[0] if wrong else f"{len(tries)} connections took the way that they should.",
            not wrong,
        )

    @keyword()
    def the_tunnel_should_carry_nothing_else(self) -> None:
        """What the profile does not name is not let through even where the user sends it there.

        Raises:
            NotProven: what it names does not get through when sent in this way.
        """
        (one,) = session.connected
        respond("server")
        server, other = session.testbed.endpoints.server.address, host_of(BEHIND[0])
        probes = [one.forced(server, _port()), one.forced(other, _port())]
        inside, outside = try_all(session.client, probes)
        if not inside.seen:
            raise NotProven(
                f"a connection that is sent into the tunnel by force does not even reach {server}."
            )
        session.evidence(
            say("nothing_else"),
            f"Sent into the tunnel by force, a connection to {other} was {outside.outcome}; one to "
            f"{server} was {inside.outcome}.",
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
        load = trial_runs.tcp(reverse=_reverse(direction))
        gateway, access = session.gateway, session.remote_access
        outgoing = session.testbed.gateway.server_port
        self._held = held(gateway, access.interface(access.user(SPLIT).profile), outgoing)
        with held_alike(gateway, session.workspace.changes, session.rules, outgoing, self._held):
            self._without = trial_runs.once(load, trial_runs.server())
        conditions = say("without_tunnel", way=say(words.WAYS[direction]))
        session.note("measurement", self._without.measurement(RATE, conditions))

    @keyword("TCP is sent ${direction} over remote access")
    def sent_over_remote_access(self, direction: words.Direction) -> None:
        """Trials of one user; until they decide, where the order holds a rate.

        Example: ``TCP Is Sent To The Server Over Remote Access``

        Args:
            direction: "to the server" or "to the client".
        """
        (one,) = session.connected
        threshold, client = session.order.vpn.remote_access_mbps, session.vpn_client
        reverse, far = _reverse(direction), trial_runs.server()
        self._load = trial_runs.tcp(reverse, source=one.address, promised_mbps=threshold)
        control = trial_runs.control(self._load, threshold) if threshold else None
        session.wire_before, used = session.wire_watch.look(), client.cpu_s()
        session.last = trial_runs.until_decided(self._load, far, threshold or 0, control=control)
        trials = session.last
        seconds = len(trials.trials) * (self._load.seconds + self._load.omit_s)
        self._program_cpu = (client.cpu_s() - used) / seconds * 100
        way = say(words.WAYS[direction])
        conditions = say("direction", what=session.remote_access.way, way=way)
        before = session.baselines.get("before")
        measured = trials.measurement(
            RATE, conditions, threshold, baseline=before and before.interval
        )
        without = self._without.interval.mean
        facts = {
            f"{client.program}_cpu_percent": round(self._program_cpu, 1),
            "without_tunnel_mbps": round(without, 3),
            "shaper": str(self._held),
        }
        self._measurement = replace(measured, facts=measured.facts | facts)
        session.note("measurement", self._measurement)
        unpaced = trial_runs.tcp(reverse, source=one.address)
        self._fastest = trial_runs.fastest(unpaced, far, RATE, conditions)

    @keyword()
    def the_gateway_should_have_counted_it_all(self) -> None:
        """Its monitor shows at least the bytes that the trials carried."""
        (one,) = session.connected
        needed = session.last.received_bytes

        def counted() -> int:
            return sum(row.bytes for row in listed_as(one.user))

        good = until(lambda: counted() >= needed, LAG_S)
        session.evidence(
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
        if self._measurement.threshold is not None:
            conclude(
                self._measurement,
                self._rig_limit,
                self._likely,
                session.last.trials,
                disturbed=told_of(session.last.aside),
            )
        BuiltIn().set_test_message(joined(self._likely(), ceiling.words(self._fastest)))

    # -- many users --------------------------------------------------------------------------

    @keyword()
    def all_users_send_at_the_same_time(self) -> None:
        """Each asks the server again and again for the address that it sees, and tries the next."""
        session.exchanged = _together(session.connected, _TOGETHER_S)
        session.note(
            "measurement",
            observed(
                PROMISE,
                say("users_at_once", way=session.remote_access.way),
                session.exchanged.served,
                tried=len(session.connected),
                threshold=len(session.connected),
                confidence=session.profile.confidence,
                facts={
                    "answers": session.exchanged.answers,
                    "failed": session.exchanged.failed,
                    "slowest_connection_s": max(one.seconds for one in session.connected),
                },
            ),
        )

    @keyword("Every user's traffic should pass, and be seen as theirs")
    def every_users_traffic_should_pass(self) -> None:
        """Each user gets answers, and the server sees each with that user's own address."""
        told = session.exchanged
        unserved = [one for one in told.asked if not one.served]
        if any(not one.answers for one in unserved):
            _must_be_reached_directly()
        why = f" The first of the others: {unserved[0].told}." if unserved else ""
        session.evidence(
            say("users_pass"),
            f"{told.served} of {len(told.asked)} users got {told.answers:,} answers, {told.mixed} "
            f"of them with another's address; {told.failed} failed.{why}",
            not unserved,
        )

    @keyword()
    def no_user_should_reach_another(self) -> None:
        """What a user sends to another's address arrives nowhere.

        Raises:
            NotProven: datagrams sent in this way do not even reach the server.
        """
        told = session.exchanged
        if len(told.answered) < len(told.asked):
            raise NotProven(
                f"only {len(told.answered)} of {len(told.asked)} users' datagrams to the server "
                "were answered, so silence between users proves nothing."
            )
        first = next((f" {one.name} reached {other.name}." for one, other in told.reached), "")
        session.evidence(
            say("users_apart"),
            f"{len(told.reached)} of {len(told.asked)} datagrams to a neighbour's address arrived."
            + first,
            not told.reached,
        )

    # -- helpers -----------------------------------------------------------------------------

    def _rig_limit(self) -> str:
        """Why the rig could not have shown the rate; empty where it could."""
        if self._program_cpu >= FULL_CPU_PERCENT:
            return (
                f"The client was at its own limit: {session.vpn_client.program} took "
                f"{self._program_cpu:.0f} % of one core. Use a faster endpoint."
            )
        return session.last.rig.limits(self._measurement)

    def _likely(self) -> str:
        return (
            f"The same path without a tunnel carried {figure(self._without.interval.mean)} Mbit/s; "
            f"both took {self._held}."
        )


def _together(users: Sequence[Connected], seconds: float) -> Together:
    respond("server")
    there = [one for one in users if one.up]
    if not there:
        return Together((), (), ())
    far = session.testbed.endpoints.server
    return together(session.client, there, far.address, far.probe_port, seconds)


def _until_all_answer(tries: Sequence[tuple[Connected, str]], port: int) -> list[Answer]:
    """The first answers to all, or the last ones after the last change's time."""
    respond("server")
    kept: list[Answer] = []

    def look() -> bool:
        kept[:] = try_all(session.client, [one.probe(target, port) for one, target in tries])
        return all(answer.outcome == ANSWERED for answer in kept)

    until(look, session.rules.in_force_within(APPLY_S))
    return kept


def _must_be_reached_directly() -> None:
    """What no user got an answer from has to answer on the path without the gateway."""
    control("client", "server", [Probe("tcp", session.testbed.endpoints.server.address, _port())])


def _port() -> int:
    return session.testbed.endpoints.server.probe_port


def _reverse(direction: str) -> bool:
    return {"to the server": False, "to the client": True}[direction.lower()]

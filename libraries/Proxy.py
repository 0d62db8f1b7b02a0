"""The explicit web proxy: whom it serves, and how many at once."""

from __future__ import annotations

from robot.api.deco import library

from gatepass import proxy_users
from gatepass.errors import NotApplicable, NotProven
from gatepass.proxy_users import DEMONSTRATES, Users
from gatepass.record import Measurement
from gatepass.waiting import until
from Gateway import APPLY_S
from guard import keyword
from session import session

_LONGEST_S = 300
"""RFC 9411 recommends a sustain phase of 300 s; longer trials show nothing more here."""
_LOOK_S = 0.3


@library(scope="GLOBAL", doc_format="ROBOT")
class Proxy:
    """Keywords about the gateway's explicit web proxy."""

    @keyword()
    def the_explicit_proxy_is_on(self) -> None:
        """It listens on the client's side; no policy of the run permits anybody.

        Raises:
            NotApplicable: the tier promises no proxy users.
        """
        if not session.order.promise.proxy_users:
            raise NotApplicable(f"{session.order.tier} promises no proxy users.")
        session.proxy.forbid()
        self._proxy = session.proxy.switch_on()

    @keyword()
    def the_client_is_permitted_to_use_it(self) -> None:
        """One proxy policy, from the client to the server; the server has a file for each user."""
        session.proxy.permit()
        session.files.write(proxy_users.make_files(self._promised()), "the files of users")
        until(lambda: bool(self._users(1, _LOOK_S).served), APPLY_S)

    @keyword()
    def the_proxy_should_refuse_the_client(self) -> None:
        """Without a policy nobody gets anything through the proxy.

        Raises:
            AssertionError: the client is served.
        """
        session.files.write(proxy_users.make_files(self._promised()), "the files of users")
        kept: list[Users] = []

        def refused() -> bool:
            kept[:] = [self._users(1, _LOOK_S)]
            return not kept[0].served and kept[0].reason.startswith("answer")

        until(refused, APPLY_S)
        asked = kept[0]
        session.evidence(
            "The proxy refuses whom no policy permits",
            f"{asked.served} of {asked.attempted} requests of the client were served"
            + (f" ({asked.reason})." if asked.reason else "."),
            not asked.served,
        )

    @keyword()
    def the_promised_number_of_users_asks_at_once(self) -> None:
        """Each user is a client of its own, with one connection and a request in flight.

        As many trials as the profile asks for; the worst of them counts.
        """
        count, seconds = self._promised(), min(session.profile.trial_s, _LONGEST_S)
        self._trials = [self._users(count, seconds) for _ in range(session.profile.min_trials)]
        served = [trial.served_users for trial in self._trials]
        session.note(
            "measurement",
            Measurement(
                "Proxy users",
                "at once, each with a connection and a request in flight",
                min(served),
                "users",
                half_width=0.0,
                confidence=session.profile.confidence,
                trials=tuple(served),
                threshold=count,
                facts={
                    "transactions": sum(trial.attempted for trial in self._trials),
                    "failed": sum(trial.failed for trial in self._trials),
                    "mixed": sum(trial.mixed for trial in self._trials),
                    "transfer_seconds": seconds * len(self._trials),
                },
            ),
        )

    @keyword()
    def every_user_should_be_served(self) -> None:
        """All users get their own file, in every trial.

        Raises:
            AssertionError: one gets nothing, although the server itself serves as many.
            NotProven: without the proxy they are not all served either.
        """
        worst = min(self._trials, key=lambda trial: trial.served_users)
        everyone = worst.served_users == worst.users
        if not everyone:
            self._rig_must_serve(worst.users)
        why = "" if everyone else f" The others: {worst.reason or 'no answer'}."
        session.evidence("Every promised proxy user is served", f"{worst}.{why}", everyone)

    @keyword()
    def no_user_should_get_the_answer_of_another(self) -> None:
        """Each answer holds the number of the user who asked."""
        mixed = sum(trial.mixed for trial in self._trials)
        asked = sum(trial.attempted for trial in self._trials)
        session.evidence(
            "No proxy user gets the answer of another",
            f"{mixed} of {asked:,} answers belonged to somebody else.",
            not mixed,
        )

    @keyword()
    def hardly_any_transaction_should_fail(self) -> None:
        """Fewer than 0.001 % fail (RFC 9411); so few need many attempts to be shown."""
        failed = sum(trial.failed for trial in self._trials)
        asked = sum(trial.attempted for trial in self._trials)
        allowed = asked * proxy_users.ALLOWED
        shown = "" if asked >= DEMONSTRATES else " Not demonstrated: it takes 300,000 attempts."
        session.evidence(
            "Fewer than 0.001 % of the proxy's transactions fail",
            f"{failed} of {asked:,} failed." + ("" if failed else shown),
            failed == 0 or failed < allowed,
        )

    # -- helpers -----------------------------------------------------------------------------

    def _promised(self) -> int:
        return int(session.promise("proxy_users"))

    def _users(self, count: int, seconds: float, direct: bool = False) -> Users:
        server = session.testbed.endpoints.server
        address = server.direct_address if direct else server.address
        port = session.file_server.http_port
        prefix = f"http://{address}:{port}/{session.files.path('user-')}"
        return proxy_users.run(
            session.client, None if direct else self._proxy, prefix, count, seconds
        )

    def _rig_must_serve(self, count: int) -> None:
        if session.testbed.endpoints.server.direct_address is None:
            raise NotProven(
                "not every user was served, and without a direct_address nothing tells whether "
                "the server could have served them."
            )
        alone = self._users(count, 1, direct=True)
        if alone.served_users < count:
            raise NotProven(f"without the proxy {alone}: the server is too slow for {count} users.")

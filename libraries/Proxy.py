"""The explicit web proxy: whom it serves, and how many at once."""

from __future__ import annotations

from collections.abc import Callable

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.results.measurements import observed
from gatepass.scenarios.security import proxy_users
from gatepass.scenarios.security.proxy_users import Users
from gatepass.verdict.rfc9411 import SUSTAIN_S, failures_in_words, too_many
from support.connections import must_be_reached
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.policies import APPLY_S
from support.steps import Steps

_LOOK_S = 0.3


class AskedUsers(Steps):
    """Users who asked at once.

    Attributes:
        proxy: where the gateway's listens.
        trials: of them.
        seconds: that each took.
        alone: the same users without the proxy, where that was asked.
    """

    proxy: tuple[str, int]
    trials: list[Users]
    seconds: float
    alone: Users | None = None


class Proxy(KeywordLibrary):
    """Keywords about the gateway's explicit web proxy."""

    @keyword()
    def the_explicit_proxy_is_on(self) -> None:
        """It listens on the client's side; no policy of the run permits anybody.

        Raises:
            AssertionError: the gateway has no such proxy.
            NotApplicable: the tier promises no proxy users.
        """
        order = self.run.order
        if not order.promise.proxy_users:
            raise NotApplicable(say("no_proxy_users", tier=order.tier))
        if not self.run.proxy.is_there():
            raise AssertionError(
                f"{order.tier} promises {order.promise.proxy_users:,} proxy users, and the "
                "gateway has no explicit web proxy (web-proxy/explicit): from FortiOS 7.4.4 on "
                "models with 2 GB of memory have none. More memory or another tier is needed."
            )
        self.run.proxy.forbid()
        self._asked.proxy = self.run.proxy.switch_on()

    @keyword()
    def the_client_is_permitted_to_use_it(self) -> None:
        """One proxy policy, from the client to the server; the server has a file for each user."""
        self.run.proxy.permit()
        self.run.files.write(proxy_users.make_files(self._promised()), "the files of users")
        until(lambda: bool(self._users(1, _LOOK_S).served), APPLY_S)

    @keyword()
    def the_proxy_should_refuse_the_client(self) -> None:
        """Without a policy nobody gets anything through the proxy.

        Raises:
            AssertionError: the client is served.
            NotProven: nothing refuses it, as nothing answers.
        """
        self.run.files.write(proxy_users.make_files(self._promised()), "the files of users")
        kept: list[Users] = []

        def refused() -> bool:
            kept[:] = [self._users(1, _LOOK_S)]
            return not kept[0].served and kept[0].reason.startswith("answer")

        until(refused, APPLY_S)
        asked = kept[0]
        if not asked.served and not asked.reason.startswith("answer"):
            raise NotProven(
                f"the proxy gives the client no answer at all ({asked.reason or 'silence'}), so "
                "nothing shows that it refuses anybody: does it listen on the client's side?"
            )
        self.check.evidence(
            say("proxy_refuses"),
            f"{asked.served} of {asked.attempted} requests of the client were served"
            + (f" ({asked.reason})." if asked.reason else "."),
            not asked.served,
        )

    @keyword()
    def the_promised_number_of_users_asks_at_once(self) -> None:
        """Each user is a client of its own, with one connection and a request in flight.

        As many trials as the profile asks for; the worst of them counts.
        """
        count, seconds = self._promised(), min(self.run.profile.trial_s, SUSTAIN_S)
        times = self.run.profile.min_trials
        self._asked.trials = [self._users(count, seconds) for _ in range(times)]
        self._asked.seconds = seconds
        served = [trial.served_users for trial in self._asked.trials]
        self.check.note(
            "measurement",
            observed(
                "proxy_users",
                say("proxy_users_at_once"),
                min(served),
                trials=served,
                tried=count,
                threshold=count,
                confidence=self.run.profile.confidence,
                facts={
                    "transactions": sum(trial.attempted for trial in self._asked.trials),
                    "failed": sum(trial.failed for trial in self._asked.trials),
                    "mixed": sum(trial.mixed for trial in self._asked.trials),
                    "transfer_seconds": seconds * len(self._asked.trials),
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
        worst = min(self._asked.trials, key=lambda trial: trial.served_users)
        everyone = worst.served_users == worst.users
        why = ""
        if not everyone:
            why = f" The others: {worst.reason or 'no answer'}. " + self._not_without_the_proxy(
                "not all users are served", lambda alone: alone.served_users < alone.users
            )
        self.check.evidence(say("proxy_serves"), f"{worst}.{why}", everyone)

    @keyword()
    def no_user_should_get_the_answer_of_another(self) -> None:
        """Each answer holds the number of the user who asked.

        Raises:
            AssertionError: one does not, and without the proxy all do.
            NotProven: without the proxy some do not either.
        """
        mixed = sum(trial.mixed for trial in self._asked.trials)
        asked = sum(trial.attempted for trial in self._asked.trials)
        sentence = f"{mixed} of {asked:,} answers belonged to somebody else."
        if mixed:
            sentence += " " + self._not_without_the_proxy(
                "users get answers of others", lambda alone: bool(alone.mixed)
            )
        self.check.evidence(say("proxy_own"), sentence, not mixed)

    @keyword()
    def hardly_any_transaction_should_fail(self) -> None:
        """No more of them than RFC 9411 allows of so many, which is less than 0.001 %.

        Raises:
            AssertionError: more do, and without the proxy none.
            NotProven: without the proxy some fail as well.
        """
        failed = sum(trial.failed for trial in self._asked.trials)
        asked = sum(trial.attempted for trial in self._asked.trials)
        sentence = failures_in_words(failed, asked, self.run.profile.confidence)
        wrong = not asked or too_many(failed, asked)
        if wrong:
            sentence += " " + self._not_without_the_proxy(
                "transactions fail", lambda alone: bool(alone.failed)
            )
        self.check.evidence(say("proxy_failures"), sentence, not wrong)

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _asked(self) -> AskedUsers:
        return self.check.left(AskedUsers)

    def _promised(self) -> int:
        return int(self.run.promised("proxy_users"))

    def _users(self, count: int, seconds: float, direct: bool = False) -> Users:
        server = self.run.testbed.endpoints.server
        address = server.direct_address if direct else server.address
        port = self.run.file_server.http_port
        prefix = f"http://{address}:{port}/{self.run.files.path('user-')}"
        return proxy_users.run(
            self.run.client, None if direct else self._asked.proxy, prefix, count, seconds
        )

    def _not_without_the_proxy(self, what: str, wrong: Callable[[Users], bool]) -> str:
        """The control of what went wrong: the same users for as long, at the server itself.

        Args:
            what: went wrong, in words.
            wrong: whether it does without the proxy as well.

        Raises:
            NotProven: it does, or the testbed has no path without the gateway.
        """
        if self.run.testbed.endpoints.server.direct_address is None:
            raise NotProven(
                f"{what}, and without a direct_address in the testbed file it cannot be "
                "determined whether the gateway is the cause."
            )
        if self._asked.alone is None:
            seconds = self._asked.seconds * len(self._asked.trials)
            self._asked.alone = self._users(self._promised(), seconds, direct=True)
        if wrong(self._asked.alone):
            raise NotProven(f"{what}, and without the proxy as well: {self._asked.alone}.")
        must_be_reached(self.run, self.run.file_server.http_port, lambda: self._users(1, _LOOK_S))
        return f"Without the proxy: {self._asked.alone}."

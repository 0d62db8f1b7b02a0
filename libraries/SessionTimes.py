"""How long the gateway keeps a session that nobody uses."""

from __future__ import annotations

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.scenarios.edge.rules.attempts import WITH
from gatepass.scenarios.edge.rules.stories import IDLE
from support.guard import keyword
from support.keyword_library import KeywordLibrary


class SessionTimes(KeywordLibrary):
    """Keywords about sessions of UDP, which have no end but the one that the gateway sets."""

    @keyword()
    def an_answer_that_came_late_should_have_passed_where_no_time_is_said(self) -> None:
        """A host outside answers at once and, without a packet between, two seconds later.

        Raises:
            AssertionError: nothing passed although it is permitted.
            NotProven: the later one did not pass, so that another time ends sessions before.
        """
        kept = self.run.edge_rules.held(say("idle_kept"), IDLE, ("kept",), (WITH,))
        if self.run.edge_rules.answered_once(IDLE, "kept", WITH):
            raise NotProven(
                "idle sessions end early even where the service sets no timeout: "
                f"{kept.evidence().observed} Check udp-idle-timer in system/global."
            )
        self.check.answered(kept)

    @keyword()
    def it_should_not_have_passed_where_the_service_ends_idle_sessions(self) -> None:
        """The same by a service that says one second (`udp-idle-timer`).

        Where it does pass, it is tried once more with an answer six seconds later.

        Raises:
            AssertionError: it passed.
            NotProven: something else that was permitted did not pass either.
        """
        self.check.answered(self.run.edge_rules.held(say("idle_ended"), IDLE, ("idle",), (WITH,)))

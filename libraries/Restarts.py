"""A restart of the gateway, and what passes meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from support.guard import keyword
from support.keyword_library import KeywordLibrary

if TYPE_CHECKING:
    from gatepass.scenarios.trouble.restart import Restarted


class Restarts(KeywordLibrary):
    """Keywords about a restart (monitor `system/os/reboot`); once a run, where that is allowed."""

    @keyword()
    def the_gateway_was_restarted_while_packets_went_both_ways(self) -> None:
        """One policy permits datagrams from the client to the server, fifty a second.

        Beside them TCP, UDP and ICMP packets that no policy permits go both ways, a hundred of each
        a second. What arrives is taken down on either side.

        Raises:
            NotApplicable: the testbed does not allow it (`gateway.may_restart`).
            NotProven: the gateway does not restart, or an endpoint cannot send or capture.
            AssertionError: it does not come back.
        """
        if not self.run.testbed.gateway.may_restart:
            raise NotApplicable(say("restart_not_allowed"))
        if not self.run.has("restarted"):
            self.run.stop_responders()
        _ = self.run.restarted

    @keyword()
    def nothing_should_have_passed_that_no_policy_permits(self) -> None:
        """None of the packets that no policy permits arrived, before, meanwhile or after.

        Raises:
            AssertionError: some did.
            NotProven: what is permitted did not arrive before the restart, either.
        """
        forbidden = self._found().forbidden
        self.check.evidence(
            say("restart_closed"),
            " ".join(map(str, forbidden)),
            all(way.stopped for way in forbidden),
        )

    @keyword()
    def what_is_permitted_should_pass_again_by_itself(self) -> None:
        """The permitted datagrams arrive again; for how long they did not is told.

        Raises:
            AssertionError: they do not.
            NotProven: they did not before the restart, either, or none was sent after it.
        """
        found = self._found()
        again, gap_s = found.passes_again(), found.permitted.longest_gap_s
        told = "Nothing permitted passed any more"
        if again and gap_s:
            told = f"Nothing permitted passed for {gap_s * 1000:,.0f} ms"
        elif again:
            told = "What is permitted passed all the while"
        self.check.evidence(
            say("restart_back"),
            f"{told}; the REST API answered again {found.answered_s:.1f} s after it was gone.",
            again,
        )

    def _found(self) -> Restarted:
        found = self.run.restarted
        if not found.passed_before:
            raise NotProven(
                "what a policy permits did not arrive even before the restart, so it would prove "
                "nothing that it does not arrive during it."
            )
        return found

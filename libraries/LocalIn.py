"""The gateway's own address, closed to a host by a local-in policy."""

from __future__ import annotations

from collections.abc import Sequence

from gatepass.base.phrase import Phrase, say
from gatepass.scenarios.edge.rules.attempts import AFTER, BEFORE, WITH
from gatepass.scenarios.edge.rules.stories import OWN_ADDRESS
from support.guard import keyword
from support.keyword_library import KeywordLibrary


class LocalIn(KeywordLibrary):
    """Keywords about local-in policies.

    The policy denies ping from one host that the client stands in for, on the gateway's port there.
    Nothing else of the gateway's administration is in it, and no other host.
    """

    @keyword()
    def the_gateway_should_have_answered_both_hosts_before(self) -> None:
        """Its own address answered ping from both hosts before there was a local-in policy.

        Raises:
            NotProven: it did not, so that nothing could be closed.
            NotApplicable: the device has no local-in policies.
        """
        self._hold(say("local_in_before"), ("closed", "other"), (BEFORE,))

    @keyword()
    def it_should_have_been_silent_to_one_of_them_alone(self) -> None:
        """With the policy the host had no answer, and its neighbour had one all the while.

        What the same host sent through the gateway passed.

        Raises:
            AssertionError: it was not so.
            NotProven: something else that was permitted did not pass, either.
            NotApplicable: the device has no local-in policies.
        """
        self._hold(say("local_in_closed"), ("closed", "other"), (WITH,))
        self._hold(say("local_in_through"), ("through",), (BEFORE, WITH, AFTER))

    @keyword()
    def it_should_have_answered_both_of_them_again_after(self) -> None:
        """The host was answered again after the policy was removed.

        Raises:
            AssertionError: it was not.
            NotApplicable: the device has no local-in policies.
        """
        self._hold(say("local_in_ends"), ("closed", "other"), (AFTER,))

    # -- helpers -----------------------------------------------------------------------------

    def _hold(self, claim: Phrase, names: Sequence[str], moments: Sequence[str]) -> None:
        self.check.answered(self.run.edge_rules.held(claim, OWN_ADDRESS, names, moments))

"""The customer's own policies, as they are written."""

from __future__ import annotations

from collections.abc import Sequence, Sized

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.gateway.policy_audit import OPEN, SHADOWED, UNINSPECTED, UNLOGGED, Finding
from support.guard import keyword
from support.keyword_library import KeywordLibrary


class CustomerRules(KeywordLibrary):
    """Keywords that read the customer's policies; nothing is sent, and nothing is changed."""

    @keyword()
    def no_policy_should_be_shadowed(self) -> None:
        """Each policy that is switched on matches something that none before it matches.

        The time of its schedule still comes, too.

        Raises:
            AssertionError: one matches nothing that is left for it, or its time is over.
            NotProven: what one matches is not said by its configuration.
        """
        audit = self.run.policy_audit
        self._hold(SHADOWED)
        accepted = self.run.order.gateway.accepted_policies
        unread = {number: why for number, why in audit.unread.items() if number not in accepted}
        if unread:
            number, why = next(iter(unread.items()))
            more = _more(unread)
            raise NotProven(
                f"whether any traffic can match policy {number}{more} cannot be determined: {why}. "
                "Check it yourself, and name it in the order's gateway.accepted_policies."
            )

    @keyword()
    def no_policy_should_be_open_to_everything(self) -> None:
        """None lets any address reach any address by any service.

        Raises:
            AssertionError: one does.
            NotProven: one may, as it has an attribute that is not known.
        """
        self._hold(OPEN)
        accepted = self.run.order.gateway.accepted_policies
        may = {
            number: why
            for number, why in self.run.policy_audit.may_be_open.items()
            if number not in accepted
        }
        if may:
            number, attribute = next(iter(may.items()))
            raise NotProven(
                f"whether policy {number}{_more(may)} is open to everything cannot be determined: "
                f"it depends on “{attribute}”, which Gatepass does not know. "
                "Check it yourself, and name it in the order's gateway.accepted_policies."
            )

    @keyword()
    def every_policy_should_log_what_it_lets_through(self) -> None:
        """Each policy that lets traffic through logs all of it, or what its profiles find.

        Raises:
            AssertionError: one logs nothing.
        """
        self._hold(UNLOGGED)

    @keyword()
    def every_policy_should_have_the_ordered_profiles(self) -> None:
        """Each policy that lets traffic through names a profile for each ordered inspection.

        What is in a profile is not looked at.

        Raises:
            AssertionError: one lacks some.
            NotApplicable: no security services were ordered.
        """
        if not self.run.order.options.security_services:
            raise NotApplicable(say("services_not_ordered"))
        self._hold(UNINSPECTED)

    def _hold(self, kind: str) -> None:
        audit = self.run.policy_audit
        found, accepted = audit.of(kind), self.run.order.gateway.accepted_policies
        wrong = [one for one in found if one.policyid not in accepted]
        borne = [one for one in found if one.policyid in accepted]
        told = _listed(wrong) or f"All {len(audit.looked_at)} policies that are on were read."
        if borne:
            told += f" Accepted by the order: {_listed(borne)}"
        self.check.evidence(say(f"policies_{kind}"), told, not wrong)


def _more(policies: Sized) -> str:
    return f" (and {len(policies) - 1} more)" if len(policies) > 1 else ""


def _listed(found: Sequence[Finding], most: int = 12) -> str:
    """Findings as sentences; what is too much for a page is counted."""
    told = " ".join(one.sentence for one in found[:most])
    return told + (f" And {len(found) - most} more." if len(found) > most else "")

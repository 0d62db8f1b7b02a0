"""The customer's own flows, on the configuration as it was delivered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.inputs.flows import BLOCK, PASS
from support.guard import keyword
from support.keyword_library import KeywordLibrary

if TYPE_CHECKING:
    from gatepass.scenarios.flows.conduct import Tried
    from gatepass.scenarios.flows.findings import FlowFindings

_MOST_TOLD = 12


class CustomerFlows(KeywordLibrary):
    """Keywords about the order's `flows`. They are tried once, all together, when first asked for.

    For the time of the tries each endpoint stands in for the hosts behind its port: in a namespace
    of its own, with their addresses. Nothing is put on the gateway.
    """

    @keyword()
    def the_flows_that_are_to_pass_should_pass(self) -> None:
        """Each arrived behind the port that its host is at, and its answer came back.

        TCP is a connection with a request and an answer, of HTTP or TLS on ports that are known for
        it; UDP a datagram and its answer; ICMP an echo. Of other protocols of IP only the way there
        is looked at.

        Raises:
            AssertionError: one did not.
            NotProven: no endpoint could stand in for one of its hosts.
            NotApplicable: the order names none.
        """
        findings = self._findings(lambda found: found.expected(PASS))
        self._hold("flows_pass", findings, findings.expected(PASS), findings.wrong)
        self._tell_untouched(findings)

    @keyword()
    def the_flows_that_are_to_be_blocked_should_be_blocked(self) -> None:
        """Nothing of one arrived at any endpoint.

        Of TCP a bare SYN is sent as well, so that a gateway that lets packets pass one way is found
        out.

        Raises:
            AssertionError: something did.
            NotProven: what was sent may not have come to the gateway, or could not have been seen.
            NotApplicable: the order names none.
        """
        findings = self._findings(lambda found: found.expected(BLOCK))
        self._hold("flows_block", findings, findings.expected(BLOCK), findings.wrong)
        if not findings.expected(PASS):
            self._tell_untouched(findings)

    @keyword()
    def the_flows_should_be_translated_as_agreed(self) -> None:
        """Each came from the address (`seen_from`) and to the address (`seen_at`) of the order.

        Raises:
            AssertionError: one did not.
            NotProven: one did not arrive, so nothing was seen of its translation.
            NotApplicable: the order says of none how it is to be seen.
        """
        findings = self._findings(lambda found: found.translated)
        self._hold(
            "flows_translated", findings, findings.translated, findings.wrongly_translated,
            lambda one: "" if one.arrived else "it did not arrive, so its marking was not seen"
        )

    # -- helpers -----------------------------------------------------------------------------

    def _tell_untouched(self, findings: FlowFindings) -> None:
        """List the policies that no flow touches: nothing was sent that they would decide about."""
        if findings.untouched:
            named = ", ".join(findings.untouched)
            self.check.evidence(
                say("flows_untouched", what=say("these", text=named)),
                f"By the rule set none of the flows is decided by {named}. `./run.sh draft-flows` "
                "drafts flows for them.",
                True,
            )

    def _findings(self, chosen: Callable[[FlowFindings], Sequence[Tried]]) -> FlowFindings:
        """What became of all flows.

        Raises:
            NotApplicable: none of them is asked about.
        """
        if not self.run.order.flows:
            raise NotApplicable(say("no_flows"))
        findings = self.run.flows
        flows = self.run.folder / "flows.csv"
        self.check.attached.append((flows, "every flow, what became of it, and how it was seen"))
        if not chosen(findings):
            raise NotApplicable(say("no_flows"))
        return findings

    def _hold(
        self,
        claim: str,
        findings: FlowFindings,
        flows: Sequence[Tried],
        wrong: Callable[[Tried], str],
        unseen: Callable[[Tried], str] = lambda _one: "",
    ) -> None:
        troubles = {one.number: one.trouble or unseen(one) for one in flows}
        tried = [one for one in flows if not troubles[one.number]]
        found = [sentence for one in tried if (sentence := wrong(one))]
        said = say(claim, what=say("flow_count", count=len(flows)))
        if found:
            self.check.evidence(said, _listed(found) + " flows.csv lists them all.", False)
        untried = [one for one in flows if troubles[one.number]]
        if untried:
            more = f" (and of {len(untried) - 1} more)" if len(untried) > 1 else ""
            raise NotProven(
                f"nothing can be said of {untried[0].flow}{more}: "
                f"{troubles[untried[0].number].rstrip('.')}."
            )
        told = _listed([findings.told(one) for one in flows])
        self.check.evidence(said, f"{told} flows.csv lists them all.", True)


def _listed(sentences: Sequence[str]) -> str:
    more = f" And {len(sentences) - _MOST_TOLD} more." if len(sentences) > _MOST_TOLD else ""
    return " ".join(sentences[:_MOST_TOLD]) + more

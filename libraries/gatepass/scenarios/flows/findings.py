"""What became of the customer's flows, held against the order and against the rule set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gatepass.base.csv_table import csv_table
from gatepass.gateway.packet import ICMP, ICMP6, TCP, UDP, Packet
from gatepass.gateway.policy_table import Decision, PolicyTable
from gatepass.inputs.flows import BLOCK, PASS
from gatepass.scenarios.flows.conduct import Tried

_NUMBERS = {"tcp": TCP, "udp": UDP}
_ECHO = {4: (ICMP, 8), 6: (ICMP6, 128)}
_ANSWERED, _SENT, _OPENED = "answered", "sent", "opened"


class FlowFindings:
    """All flows of an order, tried.

    Args:
        tried: each flow with what became of it.
        table: the rule set as it was delivered.
    """

    def __init__(self, tried: Sequence[Tried], table: PolicyTable) -> None:
        self.tried = tuple(tried)
        self._table = table
        self._names = {
            int(row["policyid"]): str(row.get("name") or "") for row in table.policies
        }

    def expected(self, expect: str) -> list[Tried]:
        """The flows that are to pass, or to be blocked."""
        return [one for one in self.tried if one.flow.expect == expect]

    @property
    def translated(self) -> list[Tried]:
        """The flows of which it was agreed how they are translated."""
        return [
            one for one in self.expected(PASS) if one.flow.seen_from or one.flow.seen_at
        ]

    def wrong(self, one: Tried) -> str:
        """What is wrong with what became of a flow, as a sentence; empty where nothing is."""
        if one.flow.expect == BLOCK:
            return self._leaked(one)
        where = f"did not arrive behind {one.placed.target.side.port}" if one.placed else ""
        if not one.arrived:
            if one.outcome == _OPENED:
                where += (
                    " although the gateway took the connection"
                    + (f" and answered: {one.words}" if one.words else "")
                )
            return f"{one.flow} is to pass and {where}. {self.decided(one)}"
        if one.outcome not in (_ANSWERED, _SENT):
            return (
                f"{one.flow} is to pass; it arrived, and its answer did not come back "
                f"({one.words or one.outcome}). {self.decided(one)}"
            )
        return ""

    def _leaked(self, one: Tried) -> str:
        if not one.arrived:
            return ""
        first = one.arrived[0]
        port = f" port {first.port}" if first.port else ""
        where = f"at {first.target}{port} behind {first.side.port}, from {first.source}"
        return f"{one.flow} is to be blocked and arrived {where}. {self.decided(one)}"

    def wrongly_translated(self, one: Tried) -> str:
        """How a flow that arrived was translated in another way than agreed; empty if as agreed."""
        flow = one.flow
        wanted_port = flow.at[1] or flow.port
        for arrival in one.arrived:
            if not flow.may_come_from(arrival.source):
                return (
                    f"{flow} was seen from {arrival.source}, agreed is {flow.seen_from}. "
                    f"{self.decided(one)}"
                )
            if flow.seen_at and (arrival.target, arrival.port) != (str(flow.at[0]), wanted_port):
                return (
                    f"{flow} arrived at {arrival.target} port {arrival.port}, agreed is "
                    f"{flow.seen_at}. {self.decided(one)}"
                )
        return ""

    def told(self, one: Tried) -> str:
        """What became of a flow that is as ordered, in a few words."""
        if one.arrived:
            seen = sorted({arrival.source for arrival in one.arrived})
            return f"{one.flow} arrived from {' and '.join(seen)}."
        return f"{one.flow} did not arrive ({one.words or one.outcome})."

    # -- the rule set --------------------------------------------------------------------------

    def decided(self, one: Tried) -> str:
        """Which policy decides about a flow, by the rule set as it is written."""
        decision = self._decision(one)
        if decision is None:
            return ""
        others = decision.unclear + (decision.may_deny if decision.accept else ())
        may = f" (unless policy {others[0]} matches)" if others else ""
        verb = "accepts" if decision.accept else "denies"
        return f"By the rule set {self._named(decision.policyid)} {verb} it{may}."

    def _decision(self, one: Tried) -> Decision | None:
        if one.placed is None:
            return None
        flow = one.flow
        number, kind = _ECHO[flow.version] if flow.protocol == "icmp" else (0, 0)
        return self._table.decide(
            Packet(
                one.placed.source.side.port,
                one.placed.target.side.port,
                flow.source,
                flow.target,
                number or _NUMBERS.get(flow.protocol) or int(flow.protocol),
                target_port=flow.port,
                icmp_type=kind,
            )
        )

    @property
    def untouched(self) -> list[str]:
        """The policies that are on, and about none of the flows that were tried decide."""
        decisions = [self._decision(one) for one in self.tried if not one.trouble]
        touched = {
            number
            for one in decisions
            if one
            for number in (one.policyid, *one.unclear, *one.may_deny)
        }
        return [
            self._named(int(row["policyid"]))
            for row in self._table.policies
            if row.get("status", "enable") == "enable" and int(row["policyid"]) not in touched
        ]

    def _named(self, policyid: int) -> str:
        if not policyid:
            return "the implicit deny"
        name = self._names.get(policyid)
        return f"policy {policyid}{f' “{name}”' if name else ''}"

    # -- the file -------------------------------------------------------------------------------

    def as_csv(self) -> str:
        """All flows, one a line."""
        columns = (
            *("name", "from", "to", "service", "expect", "outcome", "seen_from", "seen_at"),
            *("policyid", "not_proven"),
        )
        return csv_table(columns, self._rows())

    def _rows(self) -> Iterator[tuple[object, ...]]:
        for one in self.tried:
            flow, decision = one.flow, self._decision(one)
            seen = [
                " ".join(sorted(set(texts)))
                for texts in zip(*((a.source, _place(a.target, a.port)) for a in one.arrived),
                                 strict=True)
            ] or ["", ""]
            yield (
                *(flow.name, flow.source, flow.target, flow.service, flow.expect),
                *("arrived" if one.arrived else one.outcome, *seen),
                *(decision.policyid if decision else "", one.trouble),
            )


def _place(address: str, port: int) -> str:
    host = f"[{address}]" if port and ":" in address else address
    return f"{host}:{port}" if port else host


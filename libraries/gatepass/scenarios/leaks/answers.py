"""What a scan has found of one kind of packets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.results.kept_answers import Answer
from gatepass.results.record import Evidence


@dataclass(frozen=True)
class LeakScan(Answer):
    """Packets of a kind that were sent between all of the gateway's ports.

    Attributes:
        kind: of the packets.
        sent: how many.
        where: ways, protocols and sorts, in words.
        leaks: how many arrived that no policy permits.
        told: of them, in sentences; empty without any.
        permitted, unclear: how many arrived that a policy permits, or may, by its number.
        controls: permitted datagrams between all of them that arrived.
        beside: packets of the same sorts that passed without the gateway.
        unseen: what came to addresses of other hosts and was not seen, in a sentence; empty for
            nothing.
    """

    kind: str
    sent: int
    where: str
    leaks: int
    told: str
    permitted: dict[int, int]
    unclear: dict[int, int]
    controls: int
    beside: int
    unseen: str
    CLAIMS = frozenset({"no_leak"})

    def evidence(self) -> Evidence:
        """None arrived that no policy permits.

        Raises:
            NotProven: one arrived that may be permitted.
        """
        claim = say("no_leak", what=say(f"leak_{self.kind}"))
        if self.leaks:
            return Evidence(claim, self.told, False)
        for policyid, count in self.unclear.items():
            raise NotProven(
                f"{count:,} packets arrived that policy {policyid} may permit: the policy depends "
                "on something that the configuration alone does not show (a name, a country, a "
                "user, a schedule). Disable it for the test, or check it yourself."
            )
        return Evidence(claim, " ".join(filter(None, self._blocked())), True)

    def _blocked(self) -> Iterator[str]:
        yield (
            f"{self.sent:,} packets were sent on {self.where}; none arrived that no policy permits."
        )
        for policyid, count in self.permitted.items():
            yield f"{count:,} arrived that policy {policyid} permits."
        yield (
            f"{self.controls:,} permitted packets between all of them arrived, and "
            f"{self.beside:,} of the same sorts passed without the gateway."
        )
        yield self.unseen

    def contradictions(self) -> Iterator[str]:
        """See `Answer`."""
        if bool(self.leaks) is not bool(self.told):
            yield f"{self.leaks} packets got through, and told of them is “{self.told}”"

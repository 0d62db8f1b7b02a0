"""Connections that the gateway has to permit, or to block: what became of them, what it counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gatepass.base.phrase import Phrase, say
from gatepass.endpoint.probe import ANSWERED, Answer
from gatepass.results import kept_answers
from gatepass.results.record import Evidence


@dataclass(frozen=True)
class _Connection(kept_answers.Answer):
    """A connection that was tried.

    Attributes:
        where: name of the phrase for the port that it went to; empty for any.
        tried: what became of it.
        why: what the path without the gateway, or its policy look-up, says where it is not as it
            should be.
    """

    where: str
    tried: Answer
    why: str = ""

    def _claim(self, name: str) -> Phrase:
        return say(name, where=say(self.where)) if self.where else say(name)

    def _observed(self) -> str:
        return f"{self.tried.probe}: {self.tried.outcome}. {self.why}".strip()

    def contradictions(self) -> Iterator[str]:
        """See `Answer`."""
        if self.tried.outcome == ANSWERED and not self.tried.detail:
            yield f"{self.tried.probe} was answered, and nobody was seen"


@dataclass(frozen=True)
class ConnectionPermitted(_Connection):
    """A connection that has to be answered.

    Attributes:
        wanted: the address that the far side has to see, over IPv6; empty where any will do.
    """

    wanted: str = ""
    CLAIMS = frozenset({"permitted", "permitted_ipv6"})

    def evidence(self) -> Evidence:
        """It was answered, and by whom it had to be seen it was."""
        seen = self.tried.seen
        if not self.wanted:
            return Evidence(self._claim("permitted"), self._observed(), bool(seen))
        return Evidence(say("permitted_ipv6"), self._observed(), seen == self.wanted)


@dataclass(frozen=True)
class ConnectionBlocked(_Connection):
    """A connection that must not be answered."""

    CLAIMS = frozenset({"blocked"})

    def evidence(self) -> Evidence:
        """It was not."""
        return Evidence(self._claim("blocked"), self._observed(), not self.tried.seen)


@dataclass(frozen=True)
class DenyCounted(kept_answers.Answer):
    """What a policy that denies has counted while connections were blocked.

    Attributes:
        policyid: 0 for the implicit deny.
        before, after: its counters, by name.
        country: whether it denies a country.
    """

    policyid: int
    before: dict[str, int]
    after: dict[str, int]
    country: bool = False
    CLAIMS = frozenset({"implicit_deny", "country_counted"})

    @classmethod
    def of(
        cls,
        policyid: int,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
        country: bool = False,
    ) -> DenyCounted:
        """By what the gateway tells of the policy, whatever else that is."""
        readings = ({key: one.get(key, 0) for key in _COUNTERS} for one in (before, after))
        return cls(policyid, *readings, country)

    @property
    def grown(self) -> bool:
        """Whether one of the counters is larger than before."""
        return any(self.after[key] > self.before[key] for key in _COUNTERS)

    def evidence(self) -> Evidence:
        """It counted something."""
        name, what, when = "implicit_deny", "more than before", " while connections were blocked"
        if self.country:
            name, what, when = "country_counted", "what it blocked", ""
        observed = f"Policy {self.policyid} counted {what if self.grown else 'nothing'}{when}."
        return Evidence(say(name), observed, self.grown)


_COUNTERS = ("hit_count", "packets", "bytes")

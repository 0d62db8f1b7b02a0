"""What an order calls for, and what of it a run has shown, whatever its plan, filter or tags say.

Each promise of the tier and of the order takes a figure that reaches it by its own bound; what has
no figure takes an observation, or a check that bears its name as a tag. All of it is told by
identities that the run's record holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gatepass.base.phrase import Phrase, say
from gatepass.results.facts import group
from gatepass.results.promises import PROMISES
from gatepass.results.record import PASS, Evidence, Measurement

REPORTED = ("snmp_reporting", "flow_reporting", "security_reporting")
"""Options without a figure in the tier; a check of one carries its name as a tag."""
_INSPECTED = ("virus", "blocked_host", "exploit", "controlled", "filtered")
"""What security services stop: antivirus, web filter, IPS, application control, file filter."""
_WAYS = ("to_server", "to_client")
_FLOWS = {"pass": "flows_pass", "block": "flows_block"}


class CheckLike(Protocol):
    """A check of a run (`gatepass.results.outcome.Check`)."""

    verdict: str
    measurements: list[Measurement]
    evidence: list[Evidence]
    tags: tuple[str, ...]


@dataclass(frozen=True)
class CalledFor:
    """One line of what was bought.

    Attributes:
        name: for the reader.
        promise: whose figure has to reach what is promised; empty where a claim or tag tells.
        figure: that is promised; None where the measurement's own threshold is.
        under: name of the conditions that the figure has to have; any where it is empty.
        conditions: parts that the figure's conditions or the claim have to have.
        claims: of observations, any of which shows it.
        tag: of checks that show it.
    """

    name: Phrase
    promise: str = ""
    figure: float | None = None
    under: str = ""
    conditions: tuple[tuple[str, Phrase | str], ...] = ()
    claims: tuple[str, ...] = ()
    tag: str = ""

    def looked_at(self, check: CheckLike) -> bool:
        """Whether a check was about it, however it ended."""
        return (
            any(True for _ in self._figures(check))
            or any(self._claimed(one) for one in check.evidence)
            or bears(check.tags, self.tag)
        )

    def shown(self, check: CheckLike) -> bool:
        """Whether a check has shown it."""
        if any(self._reached(one) for one in self._figures(check)):
            return True
        if check.verdict != PASS:
            return False
        return bears(check.tags, self.tag) or any(
            one.holds and self._claimed(one) for one in check.evidence
        )

    def _figures(self, check: CheckLike) -> Iterator[Measurement]:
        for one in check.measurements:
            held = one.promise == self.promise and one.threshold is not None
            if held and self.under in ("", one.conditions.name) and self._fits(one.conditions):
                yield one

    def _reached(self, one: Measurement) -> bool:
        limit = one.threshold if self.figure is None else self.figure
        return (one.lower >= limit) if one.relation == "at least" else (one.upper <= limit)

    def _claimed(self, one: Evidence) -> bool:
        return one.claim.name in self.claims and self._fits(one.claim)

    def _fits(self, phrase: Phrase) -> bool:
        return all(phrase.part(name) == part for name, part in self.conditions)


def bears(tags: Iterable[str], tag: str) -> bool:
    """Whether a tag is among others, as Robot compares them; no tag at all is among none.

    Tags that differ in case, spaces, hyphens and underscores alone are the same.
    """
    return bool(tag) and _normal(tag) in map(_normal, tags)


def _normal(tag: str) -> str:
    return "".join(sign for sign in tag.casefold() if sign not in " _-")


def not_shown(run: Mapping[str, Any], checks: Sequence[CheckLike]) -> list[CalledFor]:
    """What the order calls for and no check of a run has shown.

    Args:
        run: its facts.
        checks: of it.
    """
    return [one for one in called_for(run) if not any(one.shown(check) for check in checks)]


def called_for(run: Mapping[str, Any]) -> Iterator[CalledFor]:
    """Each line of the tier and of the order.

    Args:
        run: the facts of a run; nothing is called for by what is missing.
    """
    order, options = group(run, "order"), group(run, "order", "options")
    tier = group(run, "tier")
    for name, promise in PROMISES.items():
        figure = tier.get(promise.tier) if promise.tier else None
        if isinstance(figure, float | int) and (not promise.option or options.get(promise.option)):
            yield CalledFor(say(name), name, float(figure))
    if options.get("security_services"):
        for what in _INSPECTED:
            name = say("services_against", what=say(what))
            yield CalledFor(name, claims=("stopped",), conditions=(("what", say(what)),))
        name = say("services_against", what=say("blocked_country"))
        yield CalledFor(name, claims=("country",))
    for option in REPORTED:
        if options.get(option):
            yield CalledFor(say(option), tag=option)
    yield from _figures_of_order(order)
    yield from _classes(order)
    if order.get("flows"):
        for kind in order.get("flows_expected") or [""]:
            claims = (_FLOWS[kind],) if kind in _FLOWS else tuple(_FLOWS.values())
            yield CalledFor(say("customers_flows"), claims=claims)


def _figures_of_order(order: Mapping[str, Any]) -> Iterator[CalledFor]:
    """What the order promises by a figure of its own."""
    if order.get("shaper"):
        yield CalledFor(say("ceiling"), "ceiling")
    promised = {
        "ipsec_throughput": group(order, "vpn").get("ipsec_mbps"),
        "remote_access_throughput": group(order, "vpn").get("remote_access_mbps"),
        "gui_time": group(order, "gui").get("within_s"),
    }
    for promise, figure in promised.items():
        if figure is not None:
            yield CalledFor(say(promise), promise, float(figure))
    if order.get("provisioning"):
        within_s = group(order, "provisioning").get("within_s")
        if within_s is None:
            yield CalledFor(say("provisioning"), claims=("tenants_whole",))
        else:
            yield CalledFor(say("provisioning"), "provisioning", float(within_s))


def _classes(order: Mapping[str, Any]) -> Iterator[CalledFor]:
    """What each class of service is promised, each way; of records of before, one figure at all."""
    classes = group(order, "classes")
    if not classes and order.get("objectives"):
        yield CalledFor(say("class_committed"), "class_committed")
    for label, promises in classes.items():
        for promise in promises:
            for way in _WAYS:
                where = say("class_way", label=label, way=say(way))
                yield CalledFor(
                    say("class_of_service", label=label),
                    promise,
                    under=where.name,
                    conditions=(("label", label), ("way", say(way))),
                )

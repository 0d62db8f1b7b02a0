"""What an order of a tier could prove on a testbed, and about how long it takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gatepass.base.chapters import CHAPTERS
from gatepass.base.finding import Finding
from gatepass.base.paths import SUITES
from gatepass.endpoint.paths import MEASURED, rate_of, too_slow
from gatepass.inputs.order import Order
from gatepass.inputs.profile import Profile
from gatepass.inputs.scope import Scope
from gatepass.run import plan


@dataclass(frozen=True)
class Outlook:
    """One tier.

    Attributes:
        tier: its name.
        mbps: that it promises, Mbit/s.
        chapters: that such an order has, by their short names.
        kept: those of which checks are kept from being proven.
        slow: what of links is too slow for it, in sentences.
        shortest_s, longest_s: how long a run takes, in seconds.
    """

    tier: str
    mbps: float
    chapters: tuple[str, ...]
    kept: tuple[str, ...]
    slow: tuple[str, ...]
    shortest_s: float
    longest_s: float


def outlooks(
    scope: Scope,
    orders: Iterable[Order],
    findings: Iterable[Finding],
    speeds: Mapping[str, int],
    profile: Profile,
) -> list[Outlook]:
    """One for each order.

    Args:
        scope: of the testbed.
        orders: one of each tier.
        findings: what is wrong whatever the tier.
        speeds: of links, Mbit/s, by whose they are: "client's link"; 0 where one tells none.
        profile: how thoroughly it is tested.
    """
    kept = {chapter for finding in findings for chapter in finding.keeps}
    _, chosen = plan.selected(SUITES, ())
    found = []
    for order in orders:
        own = Scope(scope.testbed, order, scope.release)
        rate = rate_of(order)
        slow = [one for whose, speed in speeds.items() for one in too_slow(whose, speed, rate)]
        lost = {*kept, *(MEASURED if slow else ())} & set(own.chapters)
        shortest, longest = plan.estimate_s(chosen, order, profile)
        found.append(
            Outlook(
                order.tier,
                order.promise.stateful_mbps or 0,
                own.chapters,
                tuple(name for name in CHAPTERS if name in lost),
                tuple(one.what for one in slow),
                shortest,
                longest,
            )
        )
    return found

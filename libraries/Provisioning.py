"""Tenants on the gateway: set up some at a time, read back, taken away, and how long that took."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import fmean

from robot.api.deco import library
from robot.libraries.BuiltIn import BuiltIn

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import Phrase, say
from gatepass.results.measurements import estimated, observed
from gatepass.scenarios.provisioning import SetUp
from gatepass.verdict import judgement
from gatepass.verdict.endpoint_load import FULL_CPU_PERCENT
from support.guard import keyword
from support.session import session

MEASURED = "provisioning"
WHOLE, SLOWEST = say("tenant_whole"), say("tenant_slowest")


@library(scope="GLOBAL", doc_format="ROBOT")
class Provisioning:
    """Keywords about tenants that the gateway takes beside the customer."""

    @keyword()
    def the_order_asks_for_tenants(self) -> None:
        """As many as the order names, or as many of them as the profile tries.

        Raises:
            NotApplicable: it names none.
        """
        if session.order.provisioning is None:
            raise NotApplicable(say("no_tenants"))
        ordered, most = session.order.provisioning.tenants, session.profile.most_tenants
        self._count = min(ordered, most or ordered)
        self._parallel = min(session.order.provisioning.parallel, self._count)

    @keyword()
    def all_of_them_are_set_up(self) -> None:
        """So many at a time as the order names, each over a connection of its own.

        A tenant is a network with DHCP, 50 rules of source NAT and 50 of destination NAT, 100
        policies, a tunnel to another site, and a guest. A step counts until all of its objects
        were read back and compared.
        """
        cpu, begun = time.process_time(), time.monotonic()
        self._set_up = session.provisioning.set_up(self._count, self._parallel)
        self._cpu_percent = (time.process_time() - cpu) / (time.monotonic() - begun) * 100

    @keyword()
    def every_tenant_should_be_whole(self) -> None:
        """Every object of every tenant is there with the values that the gateway was told.

        Raises:
            AssertionError: the gateway said yes to one and shows another, or none.
            NotProven: it refused one, or gave no answer.
        """
        broken = [one for one in self._set_up if one.error]
        wrong = [one for one in broken if isinstance(one.error, AssertionError)]
        if broken and not wrong:
            raise NotProven(_told(broken[0]))
        session.evidence(
            say("tenants_whole"),
            _told(wrong[0]) if wrong else self._all_whole(),
            not wrong,
        )
        for step in self._set_up[0].seconds:
            self._measure(step, [one.seconds[step] for one in self._set_up])
        self._measure(WHOLE, [one.whole_s for one in self._set_up])
        BuiltIn().set_test_message(self._table())

    @keyword()
    def none_should_have_taken_longer_than_was_ordered(self) -> None:
        """The slowest tenant stood in time; without a time in the order nothing is held against it.

        Raises:
            AssertionError: it did not.
            NotProven: it did not, and the machine that runs the test was itself at its limit.
        """
        within_s = session.order.provisioning.within_s
        if within_s is None:
            return
        wholes = [round(one.whole_s, 3) for one in self._set_up]
        slowest = observed(MEASURED, SLOWEST, max(wholes), trials=wholes, threshold=within_s)
        session.note("measurement", slowest)
        judgement.conclude(slowest, self._rig_limit, self._longest_step)

    @keyword()
    def all_of_them_should_go_without_a_trace(self) -> None:
        """Every object of every tenant is removed again.

        Raises:
            AssertionError: the gateway said yes and still has one of them.
        """
        objects = session.provisioning.take_away()
        session.evidence(
            say("tenants_gone"),
            f"{objects:,} objects were removed, and none is left.",
            True,
        )

    # -- helpers ------------------------------------------------------------------------------

    def _all_whole(self) -> str:
        ordered = session.order.provisioning.tenants
        fewer = f"; the order names {ordered}, the profile tries fewer" * (self._count < ordered)
        return (
            f"{self._count} tenants with {self._set_up[0].tenant.objects} objects each were set "
            f"up, {self._parallel} at a time{fewer}. Each object was read back and compared."
        )

    def _measure(self, step: Phrase, seconds: Sequence[float]) -> None:
        measurement = estimated(
            MEASURED,
            step,
            seconds,
            session.rule.interval(seconds),
            session.profile.confidence,
            facts={
                "smallest_s": round(min(seconds), 4),
                "largest_s": round(max(seconds), 4),
                "tenants": self._count,
                "at_a_time": self._parallel,
            },
        )
        session.note("measurement", measurement, aside=step != WHOLE)

    def _table(self) -> str:
        steps = {
            step: [one.seconds[step] for one in self._set_up] for step in self._set_up[0].seconds
        }
        steps[WHOLE] = [one.whole_s for one in self._set_up]
        rows = (
            f"{step} {min(found):.2f} / {fmean(found):.2f} / {max(found):.2f}"
            for step, found in steps.items()
        )
        return (
            f"{self._count} tenants, {self._parallel} at a time; seconds, smallest / mean / "
            f"largest: {', '.join(rows)}."
        )

    def _rig_limit(self) -> str:
        if self._cpu_percent < FULL_CPU_PERCENT:
            return ""
        return (
            f"Gatepass itself took {self._cpu_percent:.0f} % of a core meanwhile, so that it was "
            "the limit: order fewer tenants at a time."
        )

    def _longest_step(self) -> str:
        """Where the time of the slowest tenant went."""
        slowest = max(self._set_up, key=lambda one: one.whole_s)
        step, seconds = max(slowest.seconds.items(), key=lambda entry: entry[1])
        return f"Most of it went into its step “{step}”: {seconds:.2f} s."


def _told(broken: SetUp) -> str:
    return f"Tenant {broken.tenant.number}, {broken.step}: {broken.error}"

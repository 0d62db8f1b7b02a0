"""Tenants on the gateway: set up some at a time, read back, taken away, and how long that took."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import fmean

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import Phrase, say
from gatepass.gateway.fortigate import Refused
from gatepass.results.measurements import estimated, observed
from gatepass.scenarios.provisioning import SetUp
from gatepass.verdict import judgement
from gatepass.verdict.endpoint_load import FULL_CPU_PERCENT
from gatepass.verdict.judgement import Rig
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.robot_log import set_check_message
from support.steps import Steps

MEASURED = "provisioning"
WHOLE, SLOWEST = say("tenant_whole"), say("tenant_slowest")


class Tenants(Steps):
    """The tenants of a check.

    Attributes:
        count: how many are to be set up.
        parallel: how many of them at a time.
        set_up: how each went.
        cpu_percent: of one core that Gatepass itself took meanwhile.
    """

    count: int
    parallel: int
    set_up: list[SetUp]
    cpu_percent: float


class Provisioning(KeywordLibrary):
    """Keywords about tenants that the gateway takes beside the customer."""

    @keyword()
    def the_order_asks_for_tenants(self) -> None:
        """As many as the order names, or as many of them as the profile tries.

        Raises:
            NotApplicable: it names none.
        """
        if self.run.order.provisioning is None:
            raise NotApplicable(say("no_tenants"))
        ordered, most = self.run.order.provisioning.tenants, self.run.profile.most_tenants
        self._tenants.count = min(ordered, most or ordered)
        self._tenants.parallel = min(self.run.order.provisioning.parallel, self._tenants.count)

    @keyword()
    def all_of_them_are_set_up(self) -> None:
        """So many at a time as the order names, each over a connection of its own.

        A tenant is a network with DHCP, 50 rules of source NAT and 50 of destination NAT, 100
        policies, a tunnel to another site, and a guest. A step counts until all of its objects
        were read back and compared.
        """
        cpu, begun = time.process_time(), time.monotonic()
        tenants = self._tenants
        tenants.set_up = self.run.provisioning.set_up(tenants.count, tenants.parallel)
        tenants.cpu_percent = (time.process_time() - cpu) / (time.monotonic() - begun) * 100

    @keyword()
    def every_tenant_should_be_whole(self) -> None:
        """Every object of every tenant is there with the values that the gateway was told.

        Raises:
            AssertionError: the gateway said yes to one and shows another, or none.
            NotProven: it refused one, or gave no answer.
        """
        broken = [one for one in self._tenants.set_up if one.error]
        wrong = [one for one in broken if isinstance(one.error, AssertionError)]
        if broken and not wrong:
            raise NotProven(_told(broken[0]))
        self.check.evidence(
            say("tenants_whole"),
            _told(wrong[0]) if wrong else self._all_whole(),
            not wrong,
        )
        ran = self._tenants.set_up
        for step in ran[0].seconds:
            self._measure(step, [one.seconds[step] for one in ran])
        self._measure(WHOLE, [one.whole_s for one in ran])
        set_check_message(self._table())

    @keyword()
    def none_should_have_taken_longer_than_was_ordered(self) -> None:
        """The slowest tenant stood in time; without a time in the order nothing is held against it.

        Raises:
            AssertionError: it did not.
            NotProven: it did not, and the machine that runs the test was itself at its limit.
        """
        within_s = self.run.order.provisioning.within_s
        if within_s is None:
            return
        wholes = [round(one.whole_s, 3) for one in self._tenants.set_up]
        slowest = observed(MEASURED, SLOWEST, max(wholes), trials=wholes, threshold=within_s)
        self.check.note("measurement", slowest)
        judgement.conclude(slowest, self._rig(), self._longest_step)

    @keyword()
    def all_of_them_should_go_without_a_trace(self) -> None:
        """Every object of every tenant is removed again.

        Raises:
            AssertionError: the gateway said yes and still has one of them.
        """
        objects = self.run.provisioning.take_away()
        self.check.evidence(
            say("tenants_gone"),
            f"{objects:,} objects were removed, and none is left.",
            True,
        )

    # -- helpers ------------------------------------------------------------------------------

    def _all_whole(self) -> str:
        ordered, tenants = self.run.order.provisioning.tenants, self._tenants
        fewer = f"; the order names {ordered}, the profile tries fewer" * (tenants.count < ordered)
        objects = tenants.set_up[0].tenant.objects
        return (
            f"{tenants.count} tenants with {objects} objects each were set up, {tenants.parallel} "
            f"at a time{fewer}. Each object was read back and compared."
        )

    def _measure(self, step: Phrase, seconds: Sequence[float]) -> None:
        measurement = estimated(
            MEASURED,
            step,
            seconds,
            self.run.rule.interval(seconds),
            self.run.profile.confidence,
            facts={
                "smallest_s": round(min(seconds), 4),
                "largest_s": round(max(seconds), 4),
                "tenants": self._tenants.count,
                "at_a_time": self._tenants.parallel,
            },
        )
        self.check.note("measurement", measurement, aside=step != WHOLE)

    def _table(self) -> str:
        tenants, ran = self._tenants, self._tenants.set_up
        steps = {step: [one.seconds[step] for one in ran] for step in ran[0].seconds}
        steps[WHOLE] = [one.whole_s for one in ran]
        rows = (
            f"{step} {min(found):.2f} / {fmean(found):.2f} / {max(found):.2f}"
            for step, found in steps.items()
        )
        return (
            f"{tenants.count} tenants, {tenants.parallel} at a time; seconds, smallest / mean / "
            f"largest: {', '.join(rows)}."
        )

    @property
    def _tenants(self) -> Tenants:
        return self.check.left(Tenants)

    def _rig(self) -> Rig:
        percent = self._tenants.cpu_percent
        limit = (
            f"Gatepass itself took {percent:.0f} % of a core meanwhile and was the limit: order "
            "fewer tenants at a time."
        )
        return Rig((), limit * (percent >= FULL_CPU_PERCENT))

    def _longest_step(self) -> str:
        """Where the time of the slowest tenant went."""
        slowest = max(self._tenants.set_up, key=lambda one: one.whole_s)
        step, seconds = max(slowest.seconds.items(), key=lambda entry: entry[1])
        return f"Most of it went into its step “{step}”: {seconds:.2f} s."


def _told(broken: SetUp) -> str:
    told = f"Tenant {broken.tenant.number}, {broken.step}: {broken.error}"
    if broken.step == say("tenant_dhcp") and isinstance(broken.error, Refused):
        told += (
            "FortiOS does not document whether it accepts a DHCP server on a loopback interface, "
            "where a tenant's server is; this release may not."
        )
    return told

"""Classes of service, and whether each gets what it was promised (ITU-T Y.1564)."""

from __future__ import annotations

import math
from collections.abc import Callable

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.inputs.objectives import ServiceClass
from gatepass.scenarios.objectives import figures
from gatepass.scenarios.objectives.figures import Figure, Shown
from gatepass.scenarios.objectives.held import Beside, Held, conclude_all, taken
from gatepass.scenarios.objectives.streams import WAYS
from support.class_tests import ClassTest, ClassTests
from support.guard import keyword
from support.keyword_library import Context, KeywordLibrary
from support.steps import Steps


class SentClasses(Steps):
    """What a check looks at.

    Attributes:
        test: what was sent.
    """

    test: ClassTest


class ServiceObjectives(KeywordLibrary):
    """Keywords about classes of service, each told by the DSCP of its packets."""

    def __init__(self, context: Context | None = None) -> None:
        """What one check has sent serves the others."""
        super().__init__(context)
        self._tests: ClassTests | None = None

    # -- what is sent, once a run ------------------------------------------------------------

    @keyword("The Classes Are Sent In Steps, One At A Time")
    def the_classes_are_sent_in_steps(self) -> None:
        """At 25, 50, 75 and 100 % of the committed rate, with the excess rate, and beyond both.

        Both ways at once, each class alone (ITU-T Y.1564, 8.1: service configuration test).

        Raises:
            NotApplicable: the order names no classes.
        """
        if self._classes:
            self._look_at(self._sends.in_steps)

    @keyword()
    def all_classes_are_sent_at_once(self) -> None:
        """Each at its committed rate, both ways (ITU-T Y.1564, 8.2: service performance test).

        For as long as the profile says (`service_s`).
        """
        if self._classes:
            self._look_at(self._sends.at_once)

    @keyword()
    def all_classes_are_sent_beside_an_overload_of_the_last(self) -> None:
        """The same, while the last class of the order sends far more than the tier's rate.

        Raises:
            NotApplicable: the order names no second class.
        """
        if len(self._classes) < 2:
            raise NotApplicable(say("one_class"))
        self._look_at(self._sends.beside_overload)

    # -- what each class should get ----------------------------------------------------------

    @keyword()
    def every_class_should_get_its_committed_rate(self) -> None:
        """Of each step's frames arrives all but 1 %.

        Raises:
            AssertionError: a class gets less, each way counted by itself.
            NotProven: the path without the gateway carries no more.
        """
        self._hold(figures.committed)

    @keyword()
    def every_class_should_get_its_excess_rate(self) -> None:
        """Both rates together are carried, of the excess rate at least nine tenths.

        Raises:
            NotApplicable: no class has one.
        """
        if not any(one.eir_mbps for one in self._classes):
            raise NotApplicable(say("no_excess"))
        self._hold(figures.excess, concerns=lambda one: bool(one.eir_mbps))

    @keyword()
    def no_class_should_get_more_than_was_agreed(self) -> None:
        """Of a quarter more than both rates no more arrives than they and the burst allowance."""
        self._hold(figures.policed, by_rig=False)

    @keyword()
    def no_class_should_lose_more_than_is_allowed(self) -> None:
        """The frame loss ratio, with the bound that so many frames bear out.

        Raises:
            NotProven: too few frames were sent to show so small a loss.
        """
        self._hold(figures.loss)

    @keyword()
    def every_class_should_be_in_time(self) -> None:
        """The delay, of the percentile and in the mean, one way where clocks agree."""
        self._hold(figures.delay, figures.mean_delay)

    @keyword()
    def every_class_should_be_even(self) -> None:
        """The delay's variation between neighbouring frames, of the percentile."""
        self._hold(figures.variation)

    @keyword("Every Frame Should Arrive Once, In Order And As It Was Marked")
    def every_frame_should_arrive_once(self) -> None:
        """What comes again or after a later one counts as lost; its DSCP stays as it was.

        Raises:
            AssertionError: too many come twice or late, or the gateway changes a mark.
        """
        for one in self._classes:
            for way in WAYS:
                seen = Shown(one, way, self._confidence).of(self._test.sent)
                marks = ", ".join(map(str, sorted(seen.dscps))) or "none, as nothing arrived"
                self.check.evidence(
                    say("class_mark", label=one.name, way=say(way)),
                    f"The datagrams were sent with DSCP {one.code} and arrived with {marks}.",
                    seen.dscps in (frozenset(), frozenset({one.code})),
                )
        self._hold(figures.disorder)

    @keyword()
    def no_second_should_be_severely_impaired(self) -> None:
        """In no second is more than half of a class's frames lost (ITU-T Y.1563)."""
        self._hold(figures.impaired)

    @keyword()
    def every_class_should_be_available(self) -> None:
        """The share of available seconds, with the bound that so many seconds bear out.

        Raises:
            NotApplicable: the order names no availability.
            NotProven: too few seconds were looked at.
        """
        if not any(one.availability_percent for one in self._classes):
            raise NotApplicable(say("no_availability"))
        self._hold(figures.availability)

    @keyword()
    def all_but_the_last_should_be_served_as_promised(self) -> None:
        """Loss and delay of each class that was not overloaded itself."""
        others = self._classes[:-1]
        self._hold(figures.loss, figures.delay, concerns=lambda one: one in others)

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _classes(self) -> list[ServiceClass]:
        if not self.run.order.classes:
            raise NotApplicable(say("no_classes"))
        return self.run.order.classes

    @property
    def _confidence(self) -> float:
        return self.run.profile.confidence

    @property
    def _sends(self) -> ClassTests:
        if self._tests is None:
            self._tests = ClassTests(self.run)
        return self._tests

    @property
    def _test(self) -> ClassTest:
        return self.check.left(SentClasses).test

    def _look_at(self, test: ClassTest) -> None:
        """What was sent is looked at by this check, with what shows its path."""
        self.check.left(SentClasses).test = test
        for seen in test.evidence:
            self.check.evidence(seen.claim, seen.observed, seen.holds)

    def _hold(
        self,
        *those: Figure,
        concerns: Callable[[ServiceClass], bool] = lambda one: True,
        by_rig: bool = True,
    ) -> None:
        """Hold figures of each class, each way, against what was promised; see `_noted`.

        Raises:
            NotApplicable: no class has such a limit, so that nothing could fail.
        """
        held = [one for figure in those for one in self._noted(figure, concerns, by_rig)]
        if all(one.measurement.threshold is None for one in held):
            raise NotApplicable(say("no_limit"))
        conclude_all(held)

    def _noted(
        self,
        figure: Figure,
        concerns: Callable[[ServiceClass], bool],
        by_rig: bool = True,
    ) -> list[Held]:
        """A figure of each class, each way, and what it is held against.

        One that misses by little is taken twice more, and the one in the middle counts.

        Args:
            figure: of what was sent.
            concerns: which classes.
            by_rig: whether the rig itself could cause that it is missed.
        """
        test, held = self._test, []
        for one in filter(concerns, self._classes):
            for way in WAYS:
                shown = Shown(
                    one, way, self._confidence, test.overloaded, self.run.rule.fail_error
                )
                measurement = taken(figure, shown, test.sent, test.again)
                if math.isnan(measurement.value):
                    if measurement.threshold is None:
                        continue
                    raise NotProven(
                        f"no frame of {one.name} arrived {say(way)}, so there is nothing to "
                        "measure: see the checks of rates and losses."
                    )
                self.check.note("measurement", measurement)
                beside = Beside(test.beside, figure, shown) if by_rig else None
                held.append(Held(measurement, beside))
        return held

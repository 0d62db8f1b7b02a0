"""Proof that inspection is on, or off, while a rate is measured: before and after the trials."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gatepass.gateway.licences import must_be_licensed
from gatepass.scenarios.security.answers import Inspecting
from support.arrivals import ask, must_arrive, must_arrive_directly
from support.check_context import CheckContext

_VIRUS, _HARMLESS, _OVER = "the virus test file", "a harmless request", "HTTP"


@contextmanager
def inspection(check: CheckContext, on: bool) -> Iterator[None]:
    """Switch inspection for the block, and have the virus test file show it before and after.

    What does not arrive proves inspection only where it arrives without, and where something
    harmless arrives beside it. A gateway that stops inspecting under load (FortiOS: fail-open in
    conserve mode) is found by the look after the trials.

    Raises:
        AssertionError: inspection is not as told, or a licence for it is missing.
        NotProven: what should arrive does not without the gateway either.
    """
    run = check.run
    must_be_licensed(run.gateway)
    if on:
        run.inspection.switch(False)
        must_arrive(check, _VIRUS, _OVER)
    run.inspection.switch(on)
    _shown(check, on, "before")
    yield
    _shown(check, on, "after")


def _shown(check: CheckContext, on: bool, when: str) -> None:
    specimen = check.run.specimens[_VIRUS]
    asked = ask(check.run, specimen, _OVER, arrives=not on)
    if not on and not asked.arrived:
        must_arrive_directly(check.run, specimen, _OVER)
    check.answered(Inspecting(asked, on, when))
    if on:
        must_arrive(check, _HARMLESS, _OVER)

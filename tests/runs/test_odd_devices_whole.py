"""The whole suite on a lab whose gateway answers as some devices do, one way at a time.

The verdict is right, or *not proven* for a reason that names what the gateway answered. Of the
checks that only talk to the gateway, `recordings/test_odd_devices.py` holds the same in each run of
the tests, also of the two ways that show in nothing here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from faults.faulty_lab import FaultyLab, hold, is_a_sentence
from gatepass.results.outcome import Check
from gatepass.results.record import APPROVED
from lab.gateway.rest.odd_answers import WAYS

pytestmark = pytest.mark.long

FAIL, NOT_PROVEN = "fail", "not proven"
PART = ("The gateway shows only a part of", "the API user may not read")
NO_REASON = "HTTP 500 and gives no reason"
CUT = "rows and does not give the others, so the answer is not taken for the whole"
UNLICENSED = "has no valid licence for"
ODD: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "table-cut": ("pass", ()),
    "table-ended": (NOT_PROVEN, (CUT,)),
    "settings-in-part": (NOT_PROVEN, PART),
    "rows-in-part": (NOT_PROVEN, PART),
    "old-lookup": ("pass", ()),
    "no-history": ("pass", ()),
    "no-serial": ("pass", ()),
    "nothing-to-show": ("pass", ()),  # each table of routes in the lab has rows
    "no-disk": (NOT_PROVEN, (NO_REASON,)),
    "unsupported-services": (FAIL, (UNLICENSED,)),
    "html-refusals": ("pass", ()),  # the lab's API user lacks no right, so nothing is refused
}
"""Way -> how the checks end that it concerns, and words of which each of their reasons has some."""
ENDS = {"pass": (APPROVED, 0), FAIL: ("rejected", 1), NOT_PROVEN: ("not proven", 2)}
"""How those checks end -> the order's verdict, and the exit code."""


@pytest.mark.parametrize("way", WAYS)
def test_the_verdict_is_right_or_not_proven(lab: FaultyLab, way: str) -> None:
    verdict, words = ODD[way]
    with lab.faults(("odd-answer", f"of={way}")):
        ended = lab.run()
    assert lab.is_as_delivered()
    assert ended.outcome.restoration.identical
    checks = ended.ran.values()
    hold((one, one.message) for one in checks if not _is_right(one, verdict, words))
    assert (ended.outcome.verdict, ended.exit_code) == ENDS[verdict], ended.output
    assert "Traceback" not in ended.output


def _is_right(check: Check, verdict: str, words: Collection[str]) -> bool:
    """Whether a check passed or does not apply, or ended so for what the gateway answered."""
    if check.verdict not in (FAIL, NOT_PROVEN):
        return True
    named = any(word in check.message for word in words)
    return check.verdict == verdict and named and is_a_sentence(check.message)

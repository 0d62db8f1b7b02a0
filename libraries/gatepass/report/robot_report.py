"""Robot's own report and log for who does not program, on a telephone as well.

The order's verdict colours the report and stands above Robot's own count, what decided stands
first, gravest first, and no sentence is cut. Robot colours its report green as soon as one check
passed and none failed, says "All tests passed" of those that ran, and knows one word, SKIP, for
what is not proven and for what is not applicable.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gatepass.report.page_template import template
from gatepass.report.reasons import reasons
from gatepass.results.outcome import Outcome
from gatepass.results.record import APPROVED, NOT_PROVEN, REJECTED

COLOURS = {APPROVED: "#e8f5e9", REJECTED: "#fdecea", NOT_PROVEN: "#fff8e1"}
"""Of the page, by the order's verdict."""
REPORT, LOG = "report.html", "log.html"
_TOPICS = {
    "statefulORceiling": "Throughput of the tier",
    "loss": "Packets lost on the way",
    "enforcement": "What no policy permits is blocked",
    "ipv6": "IPv6",
    "security_services": "Security services",
    "site_to_siteORvpn": "Tunnels",
    "latencyORobjectives": "Delay and classes of service",
    "study": "Published methods",
}
"""What of a run a reader counts, by tags; what tags serve else is for who chooses checks."""
OPTIONS = (
    *("--loglevel", "DEBUG:INFO"),
    *("--reportbackground", "{}:{}:{}".format(*COLOURS.values())),
    *("--reporttitle", "Acceptance report", "--logtitle", "Acceptance log"),
    *("--tagstatexclude", "*"),
    *(word for one in _TOPICS.items() for word in ("--tagstatcombine", ":".join(one))),
)
"""For Robot, of which it makes log and report; the same of a run's output makes the same ones."""
_KINDS = {APPROVED: "pass", REJECTED: "fail", NOT_PROVEN: "skip"}
"""Robot's classes of its words and, with `-bar`, of the bar that is the colour on a dark page."""
_HEAD, _END = "<head>", "</body>"
_MARK = "<!-- Gatepass -->"
_NARROW = '\n<meta name="viewport" content="width=device-width, initial-scale=1">'


def gravest_first(outcome: Outcome) -> list[str]:
    """The ids, in Robot's pages, of the checks that decide on an order."""
    return [check.place for reason in reasons(outcome) for check in reason.checks if check.place]


def finish(
    folder: Path, verdict: str, gravest: Sequence[str] = (), in_words: str = ""
) -> None:
    """Have the report tell the order's verdict, and both pages fit a narrow screen.

    What is no page of Robot stays as it is.

    Args:
        folder: that holds ``report.html`` and ``log.html``; they need not be there.
        verdict: of the order.
        gravest: ids of the checks that decided, gravest first.
        in_words: what is shown for the verdict, as of a fleet that has several.

    Raises:
        OSError: one cannot be read or written.
    """
    told = {
        "colour": COLOURS[verdict],
        "kind": _KINDS[verdict],
        "verdict": in_words or verdict.capitalize(),
        "gravest": list(gravest),
    }
    _finish(folder / REPORT, template("robot.html").render(told))
    _finish(folder / LOG, template("robot.html").render(verdict=""))


def _finish(file: Path, more: str) -> None:
    if not file.is_file():
        return
    page, end, rest = file.read_text(encoding="utf-8").rpartition(_END)
    if not end or _MARK in page:
        return
    page = page.replace(_HEAD, f"{_HEAD}{_NARROW}", 1)
    file.write_text(f"{page}{more}{end}{rest}", encoding="utf-8", newline="\n")

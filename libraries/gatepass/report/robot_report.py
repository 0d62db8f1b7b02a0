"""Robot's own report and log for who does not program, on a telephone as well.

The order's verdict colours the report and stands above Robot's own count, what decided stands
first, gravest first, and no sentence is cut. Robot colours its report green as soon as one check
passed and none failed, says "All tests passed" of those that ran, and knows one word, SKIP, for
what is not proven and for what is not applicable.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from gatepass.base.paths import LIBRARIES
from gatepass.report.page_template import template
from gatepass.report.reasons import reasons
from gatepass.report.robot_text import PlainMessages
from gatepass.results.outcome import Outcome
from gatepass.results.record import APPROVED, NOT_PROVEN, REJECTED

COLOURS = {APPROVED: "#e8f5e9", REJECTED: "#fdecea", NOT_PROVEN: "#fff8e1"}
"""Of the page, by the order's verdict."""
REPORT, LOG = "report.html", "log.html"
_MODIFIER = f"{PlainMessages.__module__}.{PlainMessages.__name__}"
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
    *("--pythonpath", str(LIBRARIES), "--prerebotmodifier", _MODIFIER),
    *("--reporttitle", "Acceptance report", "--logtitle", "Acceptance log"),
    *("--tagstatexclude", "*"),
    *(word for one in _TOPICS.items() for word in ("--tagstatcombine", ":".join(one))),
)
"""For Robot, of which it makes log and report; the same of a run's output makes the same ones."""
_KINDS = {APPROVED: "pass", REJECTED: "fail", NOT_PROVEN: "skip"}
"""Robot's classes of its words and, with `-bar`, of the bar that is the colour on a dark page."""
_HEAD, _END = "<head>", "</body>"
_MARK = "<!-- Gatepass -->"
_SCRIPT = re.compile(r"<script(?:\s[^>]*)?>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
_POLICY = (
    '\n<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "script-src 'unsafe-inline' 'unsafe-eval'; script-src-elem {scripts}; "
    "script-src-attr 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:; "
    "font-src data:; base-uri 'none'; form-action 'none'\">"
)
"""`script-src` is for browsers that do not tell the kinds of scripts apart (before 2023)."""
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
    page = f"{page}{more}{end}{rest}"
    page = page.replace(_HEAD, f"{_HEAD}{_policy(page)}{_NARROW}", 1)
    file.write_text(page, encoding="utf-8", newline="\n")


def _policy(page: str) -> str:
    """What the page may do, for a browser: run the scripts that are in it now, and load nothing.

    Robot's own elements call those scripts by attributes, and its templates make functions of text.
    A link that is a script is run as if it were an element, so it is none of those.
    """
    digests = (sha256(script.encode()).digest() for script in _SCRIPT.findall(page))
    scripts = " ".join(f"'sha256-{b64encode(one).decode()}'" for one in digests)
    return _POLICY.format(scripts=scripts)

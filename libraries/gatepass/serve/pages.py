"""The pages that are served, as HTML; what a run's own pages tell is linked to, not told again."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import gatepass
from gatepass.base.paths import ORDERS
from gatepass.base.result_folders import PLAN
from gatepass.fleet.page import NAME as FLEET_PAGE
from gatepass.gateway.journal import left_changed
from gatepass.history.differences import NOTHING
from gatepass.report.page_template import template
from gatepass.report.wording import FALLBACK, wording
from gatepass.results.facts import group
from gatepass.results.record import REJECTED, figure
from gatepass.run.how_far import HowFar
from gatepass.serve.attempts import Attempt, attempts
from gatepass.serve.comparison import Comparison, Figure, Pair
from gatepass.serve.folder import BROKEN_OFF, UNDER_WAY, VERDICTS, Asked, Run

CHOICES = tuple(field.name for field in fields(Asked))
SEARCHED = "text"
"""What is typed in and not chosen."""
STATES = (*VERDICTS, UNDER_WAY, BROKEN_OFF)
_COUNTED = ("pass", "fail", "not proven", "not applicable")
_PAGES = (
    ("Certificate", "certificate.html"),
    ("Certificate as PDF", "certificate.pdf"),
    ("Certificate as signed PDF", "certificate-signed.pdf"),
    ("Robot's report", "report.html"),
    ("Robot's log", "log.html"),
    ("Failures", "failures/index.html"),
    ("Trials as a table", "trials.csv"),
    ("Everything for programs", "results.json"),
    ("Check sums", "SHA256SUMS"),
)
_FEW = 160
"""Letters of a reason in a table."""


@dataclass(frozen=True)
class Link:
    """A page that can be opened."""

    text: str
    target: str


def listing(results: Path, found: Sequence[Run], asked: Asked, note: str = "") -> str:
    """All runs that were asked for, and what may be asked for.

    Args:
        results: their folder.
        found: all runs.
        asked: what the reader chose.
        note: a sentence above them; may be empty.
    """
    chosen, known = [run for run in found if asked.fits(run)], attempts(found)
    return _page(
        "serve_runs.html",
        title="Runs",
        results=results,
        asked=asdict(asked),
        choices=[(name, _choices(found, name)) for name in CHOICES if name != SEARCHED],
        lines=[_line(run, results, known.get(run.name)) for run in chosen],
        tally=_tally(chosen, asked),
        table=_query("/runs.csv", asked),
        of=len(found),
        note=note,
        shown_state="",
        events="/events",
    )


def run_page(run: Run, results: Path, found: Sequence[Run]) -> str:
    """One run: how far it is, or what it has left.

    Args:
        run: it.
        results: the folder of all.
        found: all runs.
    """
    attempt, before = attempts(found).get(run.name), _before(run, found)
    line = _line(run, results, attempt)
    return _page(
        "serve_run.html",
        title=f"Run {run.name}",
        run=line,
        far=_far(run.far) if run.far else None,
        facts=[*_facts(run), ("Attempt", attempt.in_words if attempt else "")],
        reasons=[(reason, _seen(reason.page, run, results)) for reason in run.reasons],
        left_changed=run.state == BROKEN_OFF and left_changed(run.folder),
        pages=_pages(run, results),
        compare=_compare_link(before, run) if before else "",
        before=before.name if before else "",
        shown_state=run.state,
        events=f"/events/{quote(run.name)}" if run.state == UNDER_WAY else "",
    )


def _seen(page: str, run: Run, results: Path) -> str:
    """Where the page of a reason is served; empty where there is none in the run's folder."""
    file, _, place = page.partition("#")
    if not file or ".." in Path(file).parts or Path(file).is_absolute():
        return ""
    there = _to(run.folder / file, results)
    return f"{there}#{quote(place)}" if there and place else there


def _before(run: Run, found: Sequence[Run]) -> Run | None:
    """The run of the same gateway before it, to be compared with."""
    same = (one for one in found if run.gateway and one.gateway == run.gateway)
    older = (one for one in same if one.started < run.started)
    return max(older, key=lambda one: one.started, default=None)


def comparison_page(one: Run, other: Run, found: Comparison, results: Path) -> str:
    """Two runs beside each other, the older first."""
    both = [pair for pair in found.pairs if pair.one and pair.other]
    held = [_pair(pair) for pair in both if pair.held]
    return _page(
        "serve_comparison.html",
        title="Two runs compared",
        runs=[_line(one, results), _line(other, results)],
        facts=[
            (name, value, there)
            for (name, value), (_, there) in zip(_facts(one), _facts(other), strict=True)
        ],
        turned=found.turned,
        held=held,
        told=[_pair(pair) for pair in both if not pair.held],
        alone=list(zip(("first", "second"), found.alone, strict=True)),
        figures_alone=len(found.pairs) - len(both),
        changed=sum(pair["differs"] for pair in held),
        differences=found.differences,
        nothing=NOTHING,
        table="/compare.csv?" + urlencode([("run", one.name), ("run", other.name)]),
        shown_state="",
        events="",
    )


def _page(name: str, **facts: Any) -> str:
    words = wording(FALLBACK)
    return template(name).render(
        t=words.texts | {"check_verdicts": words["check_verdicts"] | words["verdicts"]},
        gatepass=gatepass.__version__,
        **facts,
    )


def _choices(found: Iterable[Run], name: str) -> list[str]:
    """What a reader may choose of one kind."""
    if name == "verdict":
        there = {run.state for run in found}
        return [state for state in STATES if state in there]
    there = sorted({getattr(run, name) for run in found} - {""})
    return there[::-1] if name == "month" else there


def _tally(chosen: Sequence[Run], asked: Asked) -> list[tuple[str, int, str]]:
    """How many of the chosen runs are what, and where these are shown."""
    states = Counter(run.state for run in chosen)
    return [
        (state, states[state], _query("/", replace(asked, verdict=state)))
        for state in STATES
        if states[state]
    ]


def _query(path: str, asked: Asked) -> str:
    wanted = {name: value for name, value in asdict(asked).items() if value}
    return f"{path}?{urlencode(wanted)}" if wanted else path


def _line(run: Run, results: Path, attempt: Attempt | None = None) -> dict[str, Any]:
    return {
        "name": run.name,
        "link": f"/runs/{quote(run.name)}",
        "state": run.state,
        "ended": run.far is None,
        "begun": run.started[:16].replace("T", " "),
        "attempt": attempt.in_words if attempt and attempt.before.get(REJECTED) else "",
        "order": run.order,
        "customer": run.customer,
        "tier": run.tier,
        "gateway": run.gateway,
        "version": str(group(run.document, "gateway").get("version") or ""),
        "profile": str(group(run.document, "profile").get("name") or ""),
        "lab": run.lab,
        "why": _why(run),
        "certificate": _to(run.folder / "certificate.html", results),
        "fleet": _fleet(run, results),
    }


def _why(run: Run) -> str:
    """The first reason, or how far a run is, in a line."""
    if run.far:
        far = _far(run.far)
        left = far["left"] if run.state == UNDER_WAY else ""
        return " ".join(part for part in (far["where"], far["done"], left) if part)
    if not run.reasons:
        return ""
    first, more = run.reasons[0].text, len(run.reasons) - 1
    shown = textwrap.shorten(first, _FEW, placeholder=" …")
    return shown + (f" And {more} more." if more else "")


def _far(far: HowFar) -> dict[str, Any]:
    where = f"Chapter “{far.chapter}”." if far.chapter else "Beginning."
    if far.waits:
        where += f" Waits for {far.waits}."
    done = f"{far.done} of {far.checks} checks." if far.checks else ""
    left = f"About {_span(far.left_s)} left." if far.left_s is not None else ""
    return {
        "where": where,
        "at": far.at,
        "done": done,
        "left": left,
        "counts": [(verdict, far.verdicts[verdict]) for verdict in _COUNTED],
        "ended": far.ended[::-1],
        "number": far.done,
        "checks": far.checks,
    }


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _facts(run: Run) -> list[tuple[str, str]]:
    words, document = wording(FALLBACK), run.document
    gateway, profile = group(document, "gateway"), group(document, "profile")
    counts = document.get("counts", {})
    told = [
        ("Order", run.order),
        ("Customer", run.customer),
        ("Tier", run.tier),
        ("Gateway", f"{run.gateway}{' (LAB: no FortiGate)' if run.lab else ''}"),
        ("FortiOS", str(gateway.get("version") or "")),
        ("Profile", str(profile.get("name") or "")),
        ("Testbed", str(group(document, "testbed").get("name") or "")),
        ("Began", words.date(run.started) if run.started else ""),
        ("Took", words.duration(group(document, "run").get("duration_s") or 0) if document else ""),
        ("Checks", ", ".join(f"{counts[one]} {one}" for one in _COUNTED if counts.get(one))),
    ]
    return told


def _pages(run: Run, results: Path) -> list[Link]:
    studies = [(f"Study {path.stem.removeprefix('study-')}", path.name)
               for path in sorted(run.folder.glob("study-*.html"))]
    links = [Link(text, _to(run.folder / name, results)) for text, name in (*_PAGES, *studies)]
    return [link for link in links if link.target]


def _fleet(run: Run, results: Path) -> str:
    if run.folder.parent.name != ORDERS or not (run.folder.parents[1] / PLAN).exists():
        return ""
    return _to(run.folder.parents[1] / FLEET_PAGE, results)


def _to(path: Path, results: Path) -> str:
    """Where a file is served; empty where it is not there."""
    return f"/files/{quote(path.relative_to(results).as_posix())}" if path.is_file() else ""


def _compare_link(one: Run, other: Run) -> str:
    return "/compare?" + urlencode([("run", one.name), ("run", other.name)])


def _pair(pair: Pair) -> dict[str, Any]:
    held = pair.held
    return {
        "name": pair.name,
        "unit": ", ".join(part for part in (pair.unit, pair.layer) if part),
        "bound": f"{held.relation} {figure(held.threshold)}" if held else "",
        "figures": [_figure(pair.one), _figure(pair.other)],
        "step": pair.step,
        "differs": pair.differs,
    }


def _figure(one: Figure | None) -> dict[str, str]:
    if one is None:
        return {"text": "–", "verdict": ""}
    return {"text": figure(one.point.value, one.point.half_width), "verdict": one.verdict}

"""What a careful forger does: he alters records, and makes anew all that Gatepass makes of them."""

from __future__ import annotations

import contextlib
import io
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from robot import rebot_cli

import gatepass
from gatepass.base.digests import as_list, digest_of, digests
from gatepass.base.paths import ROOT, SUITES
from gatepass.inputs import load_catalogue, load_order, load_profile
from gatepass.proof import evidence_again, kept_inputs, levels, plan_again, recomputed
from gatepass.proof.folder import INPUTS, seal
from gatepass.report import certificate, results_json, robot_report, trials_csv, xunit
from gatepass.report.columns import columns
from gatepass.report.log_lines import line
from gatepass.results import record
from gatepass.results.outcome import read, verdict_of
from gatepass.scenarios.answers import CLAIMS
from gatepass.scenarios.planned_figures import figures_at_most
from gatepass.verdict.judgement import FIGURES, Rule

OUTPUT = "output.xml"
COLUMNS = ("Measured", "Required", "Trials", "Likely cause", "Evidence", "Verdict")
Content = dict[str, Any]
Change = Callable[[Content], Content | None]


def records(
    messages: Iterator[ElementTree.Element],
) -> Iterator[tuple[Content, ElementTree.Element]]:
    """The records among messages, each with the message that holds it."""
    for message in messages:
        text = message.text or ""
        if text.startswith(record.PREFIX):
            yield json.loads(text[len(record.PREFIX) :]), message


def altered(kind: str, change: Change, check: str = "") -> Callable[[Path], None]:
    """A forgery: each record of a kind is changed in its place.

    Args:
        kind: of the records.
        change: makes the new one; None leaves it as it is.
        check: whose they are; any unless given.
    """

    def forge(folder: Path) -> None:
        tree = ElementTree.parse(folder / OUTPUT)
        done = 0
        for place in tree.iter("test") if check else [tree.getroot()]:
            if check and place.get("name") != check:
                continue
            for content, message in records(place.iter("msg")):
                if content["kind"] == kind and (new := change(dict(content))) is not None:
                    message.text = record.PREFIX + json.dumps(
                        new, ensure_ascii=False, sort_keys=True
                    )
                    done += 1
        assert done, f"no {kind} was changed"
        write(tree, folder)

    return forge


def write(tree: ElementTree.ElementTree, folder: Path) -> None:
    """The output as it is now."""
    tree.write(folder / OUTPUT, encoding="UTF-8", xml_declaration=True)


def remade(folder: Path) -> None:
    """All that Gatepass and Robot make of a record, made again."""
    _in_robots_words(folder)
    outcome = certificate.write(folder / OUTPUT, folder / "certificate.html")
    document = results_json.document(outcome, digest_of(folder / OUTPUT))
    results_json.write(document, folder)
    trials_csv.write(document, folder)
    xunit.write(outcome, folder)
    with contextlib.redirect_stdout(io.StringIO()):
        words = ["--outputdir", str(folder), *robot_report.OPTIONS, str(folder / OUTPUT)]
        rebot_cli(words, exit=False)
    robot_report.finish(folder, outcome.verdict, robot_report.gravest_first(outcome))
    seal(folder)


def _in_robots_words(folder: Path) -> None:
    """Lines of the log, columns of the report and statistics, as the records have it."""
    tree = ElementTree.parse(folder / OUTPUT)
    before = ElementTree.tostring(tree.getroot())
    with contextlib.suppress(ValueError):
        _lines(tree)
        for test in tree.iter("test"):
            _columns(test)
    total = tree.find("statistics/total/stat")
    for status in ("pass", "fail", "skip"):
        ended = [one.find("status").get("status") for one in tree.iter("test")]
        total.set(status, str(ended.count(status.upper())))
    if ElementTree.tostring(tree.getroot()) != before:
        write(tree, folder)


def _lines(tree: ElementTree.ElementTree) -> None:
    messages = list(tree.iter("msg"))
    for message, follows in pairwise(messages):
        found = record.parse(message.text or "")
        if found and (made := line(found[1])) and follows.get("html"):
            follows.text = made


def _columns(test: ElementTree.Element) -> None:
    found = [record.parse(message.text or "") for message in test.iter("msg")]
    status = test.find("status")
    made = columns(one[1] for one in found if one)
    made["Verdict"] = verdict_of(status.get("status"), status.text or "")
    for meta in test.findall("meta"):
        if meta.get("name") in COLUMNS:
            meta.text = made.get(meta.get("name"), "")


def with_files_as_they_are(folder: Path) -> None:
    """The record tells of the files that are there, and of the inputs."""

    def of_files(content: Content) -> Content:
        return content | {"sha256": {name: digest_of(folder / name) for name in content["sha256"]}}

    def of_inputs(content: Content) -> Content | None:
        if INPUTS not in content:
            return None
        kept = {name: digest_of(folder / INPUTS / name) for name in content[INPUTS]}
        return content | {INPUTS: kept}

    altered("run", of_inputs)(folder)
    altered("files", of_files)(folder)


def by_this_copy(folder: Path) -> None:
    """An older run as this copy of Gatepass would have left it, which it names as its program."""
    programs = as_list(digests(ROOT, kept_inputs.program()))
    (folder / INPUTS / kept_inputs.PROGRAM).write_text(programs)
    with_files_as_they_are(folder)
    version = {"gatepass": gatepass.__version__}
    altered("run", lambda one: one | version if "gatepass" in one else None)(folder)
    as_of_today(folder)


def as_of_today(folder: Path, figures: int = 0) -> None:
    """An older run as this copy of Gatepass would have recorded it, bounds by its own rules.

    Args:
        folder: of the run.
        figures: that may fail by chance; as many as suites and order make unless given.
    """
    run = read(folder / OUTPUT).run
    profile = load_profile(folder / INPUTS / "profiles.yaml", run["profile"]["name"])

    def measured_today(content: Content) -> Content | None:
        if content.get("level") is None:
            return None
        text = record.PREFIX + json.dumps(content)
        _, one = record.parse(text)
        rule = levels.rule_of(one, Rule.of(profile, figures), profile)
        value = rule.interval(one.trials)
        if (one.level, one.fail_level) == (value.level, value.fail_level):
            return content  # by these rules already
        new = content | {
            "level": value.level,
            "fail_level": value.fail_level,
            "half_width": float(f"{value.half_width:.7g}"),
            "fail_half_width": float(f"{value.fail_half_width:.7g}"),
            "fail_error": value.fail_error,
        }
        _, today = record.parse(record.PREFIX + json.dumps(new))
        words[record.measured(one)] = record.measured(today)
        return new

    def ordered_today(content: Content) -> Content | None:
        return content | facts | {FIGURES: figures} if "order" in content else None

    kept = folder / INPUTS
    order = load_order(kept / "order.yaml", load_catalogue(kept / "service_catalogue.yaml"))
    figures = figures or figures_at_most(SUITES, order)
    facts = recomputed.facts_of(folder / INPUTS, profile.name)
    altered("run", ordered_today)(folder)
    words: dict[str, str] = {}
    altered("measurement", measured_today)(folder)
    tree = ElementTree.parse(folder / OUTPUT)
    for status in tree.iter("status"):
        for before, today in words.items():
            status.text = status.text and status.text.replace(before, today)
    write(tree, folder)
    remade(folder)


def as_suites_were_then(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The suites hold what they held when a run was made, which kept no answers."""
    then = read(folder / OUTPUT)
    plan = [tuple(one) for one in then.run["plan"]]
    claims = {seen.claim.name for check in then.checks for seen in check.evidence}
    monkeypatch.setattr(plan_again, "planned", lambda suites, studies=(): plan)
    monkeypatch.setattr(evidence_again, "CLAIMS", CLAIMS - claims)

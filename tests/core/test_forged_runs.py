"""Sixteen kinds of forgery and more, each by who makes all else anew: named, or not vouched for.

The run is the sealed one, as this copy of Gatepass would have made it.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest
from careful_forger import Content, altered, as_of_today, remade, with_files_as_they_are, write
from forgeries import edited

from gatepass import cli
from gatepass.proof.folder import INPUTS, SUMS, seal
from gatepass.proof.verify import Trust, verify

Forgery = Callable[[Path], None]


def wrong(folder: Path) -> list[str]:
    return verify(folder, Trust()).wrong


def with_values(**values: object) -> Callable[[Content], Content | None]:
    """What changes a record of a figure with bounds of Student's t."""
    return lambda content: None if content.get("level") is None else content | values


def one_trial_less(content: Content) -> Content | None:
    """The first trial is no part of a figure any more."""
    if content.get("level") is None:
        return None
    return content | {"trials": content["trials"][1:]}


def worst_set_aside(content: Content) -> Content | None:
    """A trial is called disturbed, and its hosts were quiet."""
    if content.get("number") != 1:
        return None
    return content | {"set_aside": "the client stood still for 400 ms"}


def disturbed_and_counted(content: Content) -> Content | None:
    """The host of a trial was busy, and nobody says so."""
    if content.get("number") != 1:
        return None
    hosts = content["hosts"] | {"client": content["hosts"]["client"] | {"late_percent": 60.0}}
    return content | {"hosts": hosts}


def larger_trials(folder: Path) -> None:
    """iperf3's reports tell of half as much again, on both sides, in each sum."""
    for path in (folder / "trials").glob("*.json"):
        path.write_text(json.dumps(_larger(json.loads(path.read_text()))))
    with_files_as_they_are(folder)


def _larger(told: object) -> object:
    if isinstance(told, list):
        return [_larger(one) for one in told]
    if not isinstance(told, dict):
        return told
    return {
        key: value * 3 // 2 if key in ("bytes", "bits_per_second") else _larger(value)
        for key, value in told.items()
    }


def one_larger_sum(folder: Path) -> None:
    """iperf3's own sum of a trial does not fit its intervals."""
    path = folder / "trials" / "001-server.json"
    told = json.loads(path.read_text())
    told["end"]["sum_received"]["bytes"] += 5_000_000
    path.write_text(json.dumps(told))
    with_files_as_they_are(folder)


def a_month_back(folder: Path) -> None:
    """All dates of the output are those of a month before; nobody thought of iperf3's clock."""
    edited("2026-11-25", "2026-10-25", every=True)(folder)


def without_a_chapter(folder: Path) -> None:
    """A chapter is no part of the output, nor of the plan."""
    tree = ElementTree.parse(folder / "output.xml")
    for suite in tree.iter("suite"):
        for chapter in [one for one in suite.findall("suite") if one.find(".//test") is not None]:
            if chapter.get("name") == "Stateful Firewall":
                suite.remove(chapter)
    write(tree, folder)

    def shorter(content: Content) -> Content | None:
        if "plan" not in content:
            return None
        plan = [one for one in content["plan"] if one[0] != "Stateful Firewall"]
        return content | {"plan": plan}

    altered("run", shorter)(folder)


def one_figure(folder: Path) -> None:
    """Only one may fail by chance, which makes the bounds of a fail narrower; they follow."""
    as_of_today(folder, figures=1)


def another_gateway(folder: Path) -> None:
    """Serial, model and testbed are those of somebody's own firewall."""
    edited("LABGW08130187225", "FGVM02TM24001234", every=True)(folder)
    edited("FortiGate-VM64-LAB", "FortiGate-VM64", every=True)(folder)
    edited("Embedded lab", "Example Oy", every=True)(folder)


def another_hostname(folder: Path) -> None:
    edited('"hostname": "customer-gw"', '"hostname": "edge-1"')(folder)


def another_testbed(folder: Path) -> None:
    edited('"name": "lab-run-0bc69f"', '"name": "helsinki-1"')(folder)


def another_message(folder: Path) -> None:
    """The log says other figures than the records; who looks at the records sees the old ones."""
    edited(r"(Stateful throughput, 1 policy, NAT off: )2\d\d", r"\g<1>317", every=True)(folder)


def log_by_hand(folder: Path) -> None:
    edited("LABGW08130187225", "FGVM02TM24001234", "log.html", every=True)(folder)
    seal(folder)


def report_by_hand(folder: Path) -> None:
    edited('"fail":1,', '"fail":0,', "report.html", every=True)(folder)
    seal(folder)


def cases_by_hand(folder: Path) -> None:
    edited(r'failures="1"', 'failures="0"', "xunit.xml", every=True)(folder)
    seal(folder)


def table_by_hand(folder: Path) -> None:
    edited(r"24\d\.\d", "312.5", "trials.csv", every=True)(folder)
    seal(folder)


FORGERIES: dict[str, tuple[Forgery, str]] = {
    "01 a level": (
        altered("measurement", with_values(level=0.3)),
        "bounds of the one-sided level 0.3; by the profile it is",
    ),
    "01 a level that is hardly another": (
        altered("measurement", with_values(level=0.025)),
        "bounds of the one-sided level 0.025; by the profile it is",
    ),
    "01 a half width below nothing": (
        altered("measurement", with_values(level=0.6, half_width=-4.1)),
        "half width is negative: -4.1",
    ),
    "01 no level": (
        altered("measurement", with_values(level=None)),
        "has bounds, and the record does not tell their level",
    ),
    "a confidence": (
        altered("measurement", with_values(confidence=0.6)),
        "with a confidence of 0.6; the profile asks for 0.95",
    ),
    "02 a trial is set aside": (
        altered("trial", worst_set_aside),
        "trial 1 is recorded as set aside, as the client stood still for 400 ms; by what its",
    ),
    "02 a trial is left out": (
        altered("measurement", one_trial_less),
        "was not set aside, and is not counted",
    ),
    "02 too few trials": (
        altered("measurement", with_values(trials=[249.28, 249.3], value=249.29)),
        "stands on 2 trials; by the profile no figure is held against its promise before 3",
    ),
    "a busy host": (
        altered("trial", disturbed_and_counted),
        "trial 1 is recorded as one that counts; by what its hosts did it is set aside, as",
    ),
    "03 messages": (another_message, "its records make"),
    "06 the gateway": (another_gateway, "the testbed lab-run-0bc69f is a lab's, and the gateway's"),
    "06 the gateway's own answer": (another_gateway, "by its own answer in failures/"),
    "a host name": (another_hostname, "is called edge-1; in gateway-before.conf, which was saved"),
    "a testbed": (another_testbed, "of the testbed: name is helsinki-1. By the file that decided"),
    "08 a chapter": (without_a_chapter, "leaves out"),
    "10 the date": (a_month_back, "by iperf3's own clock, and the run began at 2026-10-25"),
    "a number of figures": (one_figure, "the record has 1 figures that may fail by chance"),
    "13 larger trials": (larger_trials, "by its files, and was asked for 315 at most"),
    "a larger sum": (one_larger_sum, "bytes, and iperf3's sum is"),
}
"""What is done, and how it is named although all else is made anew."""
BY_HAND: dict[str, tuple[Forgery, str]] = {
    "03b the log": (log_by_hand, "log.html is not what output.xml makes of it."),
    "03b the report": (report_by_hand, "report.html is not what output.xml makes of it."),
    "15 JUnit's file": (cases_by_hand, "xunit.xml counts 0 failures; in output.xml 1 checks"),
    "the table": (table_by_hand, "trials.csv is not what output.xml makes of it."),
}
"""Files that are altered themselves, and sealed anew."""


@pytest.mark.parametrize("name", FORGERIES)
def test_it_is_named(sealed: Path, made_here: None, name: str) -> None:
    forge, sentence = FORGERIES[name]
    forge(sealed)
    remade(sealed)
    found = wrong(sealed)
    assert [one for one in found if sentence in one], found
    assert cli.main(["verify", str(sealed)]) == 1


@pytest.mark.parametrize("name", BY_HAND)
def test_a_page_by_hand_is_named(sealed: Path, made_here: None, name: str) -> None:
    forge, sentence = BY_HAND[name]
    forge(sealed)
    found = wrong(sealed)
    assert [one for one in found if sentence in one], found


@pytest.mark.parametrize("name", ["03b the report", "15 JUnit's file"])
def test_totals_are_held_whoever_made_the_pages(sealed: Path, name: str) -> None:
    """Another copy of Gatepass may write them otherwise, and counts the same."""
    remade(sealed)
    BY_HAND[name][0](sealed)
    assert [one for one in wrong(sealed) if "output.xml" in one]


def test_07_an_unknown_program_is_never_all_in_order(sealed: Path) -> None:
    """Who wrote the pages freely has to tell of a program that nobody here knows."""
    edited("^[0-9a-f]", "0", f"{INPUTS}/program.sha256")(sealed)
    with_files_as_they_are(sealed)
    page = sealed / "certificate.html"
    page.write_text(page.read_text().replace("249", "906"))
    seal(sealed)
    assert (sealed / SUMS).is_file()
    assert verify(sealed, Trust()).program
    assert cli.main(["verify", str(sealed)]) != 0

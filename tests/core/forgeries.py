"""A run that was sealed, and what forgers would do to it.

`data/sealed` has a run against the lab whose rate limit was set below the tier: it was rejected,
and every forger here would like it to say otherwise. It was made by

    python -m lab run --fault shaper-below-tier -- python -m gatepass run --testbed '{testbed}' \\
      -- --test "*.Before the test.*" --test "*.Handover.*" --test "One Policy, Without NAT"

and stays as it is: a later Gatepass has to be able to look at it as well.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

from gatepass.base.digests import digest_of
from gatepass.proof.folder import INPUTS
from gatepass.proof.verify import Trust, verify

CHECK = "One Policy, Without NAT"
Forgery = Callable[[Path], None]


def wrong(folder: Path, signers: Path | None = None) -> list[str]:
    """What is wrong with a run."""
    return verify(folder, Trust(signers)).wrong


def edited(pattern: str, by: str, name: str = "output.xml", every: bool = False) -> Forgery:
    """A file with a pattern replaced, at its first place or at every one."""

    def forge(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        new, count = re.subn(pattern, by, text, count=0 if every else 1)
        assert count and new != text
        (folder / name).write_text(new, encoding="utf-8")

    return forge


def passed(folder: Path) -> None:
    """The check that failed says that it passed."""
    tree = ElementTree.parse(folder / "output.xml")
    (test,) = (test for test in tree.iter("test") if test.get("name") == CHECK)
    for status in test.iter("status"):
        if status.get("status") == "FAIL":
            status.set("status", "PASS")
            status.text = ""
    tree.write(folder / "output.xml", encoding="UTF-8", xml_declaration=True)


def without_the_check(folder: Path) -> None:
    """The check that failed never ran, and was never planned."""
    tree = ElementTree.parse(folder / "output.xml")
    for suite in tree.iter("suite"):
        for test in [test for test in suite.findall("test") if test.get("name") == CHECK]:
            suite.remove(test)
    tree.write(folder / "output.xml", encoding="UTF-8", xml_declaration=True)
    edited(rf'\["Stateful Firewall", "{CHECK}"\], ', "")(folder)


def first_trial(folder: Path) -> Path:
    """The receiver's report of a trial that the check counts."""
    text = (folder / "output.xml").read_text()
    numbers = [json.loads(line[14:]) for line in re.findall(r"gatepass-data \{.*\}", text)]
    trial = next(one for one in numbers if one["kind"] == "trial" and one["to"] == "198.18.2.10")
    return folder / "trials" / f"{trial['number']:03d}-server.json"


def raised_trial(folder: Path) -> None:
    """A trial's own report tells of more bytes than came through."""
    path = first_trial(folder)
    report = json.loads(path.read_text())
    report["end"]["sum_received"]["bytes"] *= 1.2
    path.write_text(json.dumps(report))


def lost_trial(folder: Path) -> None:
    """A trial's own report is gone."""
    first_trial(folder).unlink()


def added_trial(folder: Path) -> None:
    """A trial that never ran."""
    path = first_trial(folder)
    path.with_name("999-server.json").write_bytes(path.read_bytes())


def smaller_promise(folder: Path) -> None:
    """The catalogue promises less for the tier."""
    edited(r"stateful_mbps: 300", "stateful_mbps: 200", f"{INPUTS}/service_catalogue.yaml")(folder)


def another_page(folder: Path) -> None:
    """The certificate is of another run."""
    path = folder / "certificate.html"
    digest = digest_of(folder / "output.xml")
    path.write_text(path.read_text().replace(digest, "0" * 64))


def raised_mean(folder: Path) -> None:
    """The measurement that missed its promise has another mean."""
    measured = r'("kind": "measurement".*?"promise": "stateful_throughput".*?"value": )'
    edited(rf"{measured}\d+\.\d+", r"\g<1>317.2")(folder)


def raised_trials(folder: Path) -> None:
    """Mean and trials agree with each other, and with no file."""
    edited(
        r'("promise": "stateful_throughput".*?"trials": )\[[^]]*\](.*?"value": )\d+\.\d+',
        r"\g<1>[317.1, 317.2, 317.3]\g<2>317.2",
    )(folder)


def without(kind: str) -> Forgery:
    """The record has lost all entries of a kind."""
    return edited(rf'gatepass-data (?=\{{[^<]*"kind": "{kind}")', "", every=True)


def raised_trials_of_nobody(folder: Path) -> None:
    """Mean and trials agree with each other, and no trial was ever noted."""
    raised_trials(folder)
    without("trial")(folder)


FORGERIES: dict[str, tuple[Forgery, str, str]] = {
    # what is done; how it is named; how it is named where all that follows was made anew
    "a trial's report": (raised_trial, "-server.json was changed", "had collected it"),
    "a trial's report is gone": (lost_trial, "-server.json is missing", "has collected"),
    "a trial is added": (added_trial, "999-server.json was added", "has not collected it"),
    "a trial's rate": (
        edited(r'("kind": "trial", .*?"mbps": )2\d\d\.\d+(.*?"to": "198.18.2.10")', r"\g<1>317\2"),
        "output.xml was changed",
        "is recorded with 317 Mbit/s; its files tell 2",
    ),
    "a mean": (raised_mean, "].value: ", "is recorded as 317.2 ± "),
    "a mean and its trials": (raised_trials, "].value: ", "counts a trial of 317.1 Mbit/s, and no"),
    "a mean of trials that nobody noted": (
        raised_trials_of_nobody,
        "].value: ",
        "counts a trial of 317.1 Mbit/s, and no",
    ),
    "what was collected is not told": (
        without("files"),
        "does not tell what was collected in the run",
        "does not tell what was collected in the run",
    ),
    "what decided is not told": (
        edited(r'"inputs": \{[^}]*\}, ', ""),
        "does not tell what decided the run",
        "does not tell what decided the run",
    ),
    "the width of an interval": (
        edited(r'("half_width": )(\d+\.\d+)(.*?"stateful_throughput")', r"\g<1>90.5\3"),
        "].half_width: ",
        "± 90.5 Mbit/s; its trials make",
    ),
    "a verdict": (passed, f"checks[{CHECK}].verdict", "does not reach its promise"),
    "a threshold": (
        edited(r'"threshold": 300.0', '"threshold": 200.0'),
        "].threshold: 300.0 and 200.0",
        "is held against 200 Mbit/s; the tier promises 300",
    ),
    "the tier's promise": (
        edited(r'"stateful_mbps": 300', '"stateful_mbps": 200'),
        "tier.stateful_mbps",
        "the record says of the tier: stateful_mbps is 200",
    ),
    "the order": (
        edited(r'"tier": "SGW-200"', '"tier": "SGW-100"'),
        'order.tier: "SGW-200" and "SGW-100"',
        'the record says of the order: tier is "SGW-100"',
    ),
    "the customer": (
        edited(r'"customer": "Embedded lab"', '"customer": "Another"'),
        "order.customer",
        "the record says of the order: customer is",
    ),
    "the order's file": (
        edited("SGW-200", "SGW-100", f"{INPUTS}/order.yaml", every=True),
        "inputs/order.yaml was changed",
        "inputs/order.yaml is not the file that decided the run",
    ),
    "the catalogue": (
        smaller_promise,
        "inputs/service_catalogue.yaml was changed",
        "is not the file that decided the run",
    ),
    "the profile": (
        edited(r'("profile": \{.*?"min_trials": )\d+', r"\g<1>30"),
        "profile.min_trials",
        "the record says of the profile: min_trials is 30",
    ),
    "the date": (
        edited(r'"started": "20\d\d', '"started": "2031'),
        'run.started: "20',
        "",
    ),
    "the serial number": (
        edited(r'"serial": "LABGW\d+', '"serial": "FGVM0200001234'),
        "gateway.serial",
        "",
    ),
    "a check is removed": (without_the_check, "checks: ", ""),
    "the gateway is as it was": (
        edited(r'"identical": true', '"identical": false'),
        "restoration.identical",
        "",
    ),
    "evidence": (
        edited(r'("claim".*?"holds": )true', r"\g<1>false"),
        "].holds",
        "is recorded as passed, and this does not hold",
    ),
    "the page": (another_page, "certificate.html was changed", ""),
    "results.json": (
        edited(r'"verdict": "rejected"', '"verdict": "approved"', "results.json"),
        "results.json and output.xml differ in verdict",
        "",
    ),
}

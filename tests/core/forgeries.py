"""The kinds of forgery, a row each: what is done to a sealed run, and what comes of it.

Three situations are tried with every row, the forger having made anew all that follows:

- unsigned: it is named (exit code 1), or vouched for by nobody (3) where nothing names it;
- signed before: the signature no longer holds (1);
- signed after: `sign` refuses what is named (64). What nothing names is signed, and only the signer
  vouches for it: docs/verify.md lists those.

The numbers are those of the review that found them; the rest are kinds of our own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import forging as by
from careful_forger import altered, remade
from forging import CHECK, Forgery, edited, with_values, without

from gatepass.proof.folder import INPUTS, seal


class Kind(NamedTuple):
    """A kind of forgery.

    Attributes:
        forge: what is done to the run's folder.
        named: how it is named where all that follows was made anew; empty where nothing names it.
        alone: how it is named where nothing else was touched; empty where that was not tried.
        program: whether the run tells of a program that is not this copy, which is never in order.
        after: makes the rest anew.
    """

    forge: Forgery
    named: str = ""
    alone: str = ""
    program: bool = False
    after: Callable[[Path], object] = remade


def figure(**values: object) -> Forgery:
    """The figure with Student's bounds has other values."""
    return altered("measurement", with_values(**values))


LEVEL = "bounds of the one-sided level"
NOT_COUNTED = "was not set aside, and is not counted"
FORGERIES: dict[str, Kind] = {
    "01 a level": Kind(figure(level=0.3), f"{LEVEL} 0.3; by the profile it is"),
    "01 a level that is hardly another": Kind(figure(level=0.025), f"{LEVEL} 0.025; by the"),
    "01 a half width below nothing": Kind(
        figure(level=0.6, half_width=-4.1), "half width is negative: -4.1"
    ),
    "01 no level": Kind(figure(level=None), "has bounds, and the record does not tell their level"),
    "02 a trial is set aside": Kind(
        altered("trial", by.worst_set_aside),
        "trial 1 is recorded as set aside, as the client stood still for 400 ms; by what its",
    ),
    "02 a trial is left out": Kind(altered("measurement", by.one_trial_less), NOT_COUNTED),
    "02 too few trials": Kind(
        figure(trials=[249.28, 249.3], value=249.29),
        "stands on 2 trials; by the profile no figure is held against its promise before 3",
    ),
    "03 messages": Kind(by.another_message, "its records make"),
    "03b the log": Kind(
        by.log_by_hand, "log.html is not what output.xml makes of it.", after=seal
    ),
    "03b the report": Kind(
        by.report_by_hand, "report.html is not what output.xml makes of it.", after=seal
    ),
    "06 the gateway": Kind(by.another_gateway, "the testbed lab-run-0bc69f is a lab's, and the"),
    "06 the gateway's own answer": Kind(by.another_gateway, "by its own answer in failures/"),
    "06 the serial number": Kind(
        edited(r'"serial": "LABGW\d+', '"serial": "FGVM0200001234'),
        "by journal.jsonl, which was begun before the first change",
        "gateway.serial",
    ),
    "07 a page of another program": Kind(by.page_of_another_program, program=True, after=seal),
    "07 no program": Kind(by.no_program, "program.sha256 is missing, which the run has collected"),
    "08 a chapter": Kind(by.without_a_chapter, "leaves out"),
    "08 a check": Kind(by.without_the_check, "leaves out", "checks: "),
    "10 the date": Kind(by.a_month_back, "by iperf3's own clock, and the run began at 2026-10-25"),
    "10 the year": Kind(
        edited(r'"started": "20\d\d', '"started": "2031'), "by Robot's own log", 'run.started: "20'
    ),
    "13 larger trials": Kind(by.larger_trials, "by its files, and was asked for 315 at most"),
    "14 a confidence": Kind(
        figure(confidence=0.6), "with a confidence of 0.6; the profile asks for 0.95"
    ),
    "14 a confidence, and the profile": Kind(
        by.profile_less_sure, "with a confidence of 0.95; the profile asks for 0.6"
    ),
    "14 a confidence, the profile, and all bounds": Kind(by.less_sure),
    "15 JUnit's file": Kind(
        by.cases_by_hand, "xunit.xml counts 0 failures; in output.xml 1 checks", after=seal
    ),
    "16a an altered program": Kind(by.another_program, program=True),
    "16b an altered program that names the honest one": Kind(by.another_observation),
    "16c a plan that is cut": Kind(by.shorter_plan, "leaves out 1 checks"),
    "a trial's report": Kind(by.raised_trial, "had collected it", "-server.json was changed"),
    "a trial's report is gone": Kind(by.lost_trial, "has collected", "-server.json is missing"),
    "a trial is added": Kind(by.added_trial, "has not collected it", "999-server.json was added"),
    "a trial's rate": Kind(
        edited(r'("kind": "trial", .*?"mbps": )2\d\d\.\d+(.*?"to": "198.18.2.10")', r"\g<1>317\2"),
        "is recorded with 317 Mbit/s; its files tell 2",
        "output.xml was changed",
    ),
    "a larger sum": Kind(by.one_larger_sum, "bytes, and iperf3's sum is"),
    "a mean": Kind(by.raised_mean, "is recorded as 317.2 ± ", "].value: "),
    "a mean and its trials": Kind(
        by.raised_trials, "counts a trial of 317.1 Mbit/s, and no", "].value: "
    ),
    "a mean of trials that nobody noted": Kind(
        by.raised_trials_of_nobody, "counts a trial of 317.1 Mbit/s, and no", "].value: "
    ),
    "the best trial, three times": Kind(altered("measurement", by.best_trial_only), NOT_COUNTED),
    "the width of an interval": Kind(
        edited(r'("half_width": )(\d+\.\d+)(.*?"stateful_throughput")', r"\g<1>90.5\3"),
        "± 90.5 or ± ",
        "].half_width: ",
    ),
    "the width by which a fail is decided": Kind(
        figure(fail_half_width=60.0), " or ± 60 Mbit/s; its trials make"
    ),
    "a busy host": Kind(
        altered("trial", by.disturbed_and_counted),
        "trial 1 is recorded as one that counts; by what its hosts did it is set aside, as",
    ),
    "a verdict": Kind(by.passed, "does not reach its promise", f"checks[{CHECK}].verdict"),
    "a verdict that was not reached": Kind(by.not_decided),
    "a threshold": Kind(
        edited(r'"threshold": 300.0', '"threshold": 200.0'),
        "is held against 200 Mbit/s; the tier promises 300",
        "].threshold: 300.0 and 200.0",
    ),
    "no threshold, and a verdict": Kind(
        by.both(figure(threshold=None), by.passed), "is held against nothing; the tier promises 300"
    ),
    "at most what is at least promised": Kind(
        by.both(figure(relation="at most"), by.passed),
        "has the relation “at most”; the promise's is “at least”",
    ),
    "another unit": Kind(
        figure(unit="Gbit/s"), "has the unit “Gbit/s”; the promise's is “Mbit/s”"
    ),
    "a likely cause": Kind(without("cause")),
    "the path without the gateway": Kind(figure(baseline=260.0)),
    "evidence": Kind(
        edited(r'("claim".*?"holds": )true', r"\g<1>false"),
        "is recorded as passed, and this does not hold",
        "].holds",
    ),
    "a check that ran twice": Kind(by.ran_twice, "1 checks are recorded that no suite holds"),
    "what was collected is not told": Kind(
        without("files"), *["does not tell what was collected in the run"] * 2
    ),
    "what decided is not told": Kind(
        edited(r'"inputs": \{[^}]*\}, ', ""), *["does not tell what decided the run"] * 2
    ),
    "the tier's promise": Kind(
        edited(r'"stateful_mbps": 300', '"stateful_mbps": 200'),
        "the record says of the tier: stateful_mbps is 200",
        "tier.stateful_mbps",
    ),
    "the order": Kind(
        edited(r'"tier": "SGW-200"', '"tier": "SGW-100"'),
        'the record says of the order: tier is "SGW-100"',
        'order.tier: "SGW-200" and "SGW-100"',
    ),
    "a smaller order, in its file as well": Kind(
        by.smaller_order, "by its files, and was asked for 105 at most"
    ),
    "the customer": Kind(
        edited(r'"customer": "Embedded lab"', '"customer": "Another"'),
        "the record says of the order: customer is",
        "order.customer",
    ),
    "the order's file": Kind(
        edited("SGW-200", "SGW-100", f"{INPUTS}/order.yaml", every=True),
        "inputs/order.yaml is not the file that decided the run",
        "inputs/order.yaml was changed",
    ),
    "the catalogue": Kind(
        by.smaller_promise,
        "is not the file that decided the run",
        "inputs/service_catalogue.yaml was changed",
    ),
    "the profile": Kind(
        edited(r'("profile": \{.*?"min_trials": )\d+', r"\g<1>30"),
        "the record says of the profile: min_trials is 30",
        "profile.min_trials",
    ),
    "a number of figures": Kind(
        by.one_figure, "the record has 1 figures that may fail by chance"
    ),
    "a host name": Kind(by.another_hostname, "is called edge-1; in gateway-before.conf, which was"),
    "a host name, everywhere": Kind(by.another_hostname_everywhere),
    "a testbed": Kind(by.another_testbed, "of the testbed: name is helsinki-1. By the file that"),
    "the gateway is as it was": Kind(
        edited(r'"identical": true', '"identical": false'), "", "restoration.identical"
    ),
    "the table of trials": Kind(
        by.table_by_hand, "trials.csv is not what output.xml makes of it.", after=seal
    ),
    "the page": Kind(
        by.another_page, "names the check sum 000", "certificate.html was changed", after=seal
    ),
    "results.json": Kind(
        edited(r'"verdict": "rejected"', '"verdict": "approved"', "results.json"),
        *["results.json and output.xml differ in verdict"] * 2,
        after=seal,
    ),
}

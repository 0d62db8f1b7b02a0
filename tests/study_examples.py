"""A study as a run would leave it: measured on a gateway that is reckoned."""

from __future__ import annotations

from dataclasses import replace

from certificate_examples import RUN
from gatepass.base.paths import VARIABLES
from gatepass.inputs.published import load_published
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import NOT_PROVEN, PASS, Restoration
from gatepass.results.study import StudyTable
from gatepass.scenarios.studies import rfc2544_tables as tables
from gatepass.scenarios.studies.conditions import SHORT
from gatepass.scenarios.studies.frames import IPV4, IPV6, Way, Ways
from gatepass.scenarios.studies.latency import ONE_CLOCK
from gatepass.scenarios.studies.published import beside
from gatepass.scenarios.studies.rfc2544 import Rfc2544
from gatepass.scenarios.studies.rfc2544_differences import differences_table
from simulated_gateway import BESIDE, THROUGH, SimulatedGateway

PARTS = {
    "Throughput Is Known For Each Frame Size": ("throughput", "differences"),
    "The Largest Frames Carry The Rate Of The Tier": (),
    "Latency Is Known At That Throughput": ("latency",),
    "Loss Is Known At Each Load": ("loss",),
    "The Longest Burst Without Loss Is Known": ("back_to_back",),
    "Recovery From An Overload Is Known": ("recovery",),
}
"""The checks of the study, and which tables each of them tells."""


def measured() -> dict[str, StudyTable]:
    """Its tables by name: the gateway forwards 5 Mbit/s, the rig 1,450 frames a second."""
    ways = Ways(Way(THROUGH, 5301), Way(BESIDE, 5301))
    device = SimulatedGateway(5.0, queue=20, rig_per_s=1450.0)
    conditions = replace(SHORT, latency_repeats=3)
    study = Rfc2544(device, {IPV4: ways, IPV6: ways}, conditions)
    published = load_published(VARIABLES / "published_results.yaml")
    found = study.throughputs()
    rates = beside(published, "frame_throughput", study.searched)
    delays = beside(published, "frame_latency", study.searched)
    made = [
        differences_table(study),
        tables.throughput_table(found, rates),
        tables.latency_table(study.latencies(lambda: ONE_CLOCK, 0.95), 3, delays),
        tables.loss_table(study.loss_curves()),
        tables.burst_table(study.bursts()),
        tables.recovery_table(study.recoveries()),
    ]
    return {table.name: table for table in made}


def carried_out(found: dict[str, StudyTable]) -> Outcome:
    """A run of the study alone; a check of the order did not run."""
    checks = [
        Check("Published methods", name, PASS, tags=("load", "rfc2544", "study"),
              tables=[found[table] for table in told])
        for name, told in PARTS.items()
    ]  # fmt: skip
    checks.append(Check("Handover", "The Configuration Is Back As It Was", PASS))
    run = RUN | {"plan": [[check.chapter, check.name] for check in checks]}
    run["plan"] += [["Stateful firewall", "One Policy, Without NAT"]]
    return Outcome(run, checks, {}, Restoration(True), 203.0)


def not_carried_out() -> Outcome:
    """One whose first part could not be measured: it came to no table."""
    why = "the testbed names no direct_address."
    check = Check("Published methods", next(iter(PARTS)), NOT_PROVEN, why,
                  tags=("rfc2544",))  # fmt: skip
    return Outcome(dict(RUN), [check], {}, Restoration(True), 20.0)

"""A fleet's folder as a run leaves it: a plan, and below it what became of each order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from certificate_examples import DIGEST, approved, not_proven, rejected
from certificate_results import write_output
from gatepass.report.certificate import render
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import NOT_PROVEN

SERIALS = {"4711-01": "FGVM02TM24000001", "4711-02": "FGVM02TM24000002"}


def plan(fleet: Path, names: Sequence[str], shard: str | None = None) -> Path:
    """Write `fleet.json`; the folder is made."""
    fleet.mkdir(parents=True, exist_ok=True)
    entries = [
        {"name": name, "order": f"orders/{name}.yaml", "testbed": "beds/rack-7.yaml",
         "tier": "SGW-200", "profile": "quick", "robot": [], "shard": shard}
        for name in names
    ]  # fmt: skip
    (fleet / "fleet.json").write_text(json.dumps(entries), encoding="utf-8")
    return fleet


def ran(fleet: Path, name: str, outcome: Outcome, started: str = "") -> Path:
    """An order whose run came to its end."""
    folder = fleet / "orders" / name
    folder.mkdir(parents=True, exist_ok=True)
    outcome.run["run_id"] = f"{fleet.name}/{name}"
    outcome.run["order"] = outcome.run["order"] | {"order": name}
    outcome.run |= {"started": started} if started else {}
    write_output(outcome, folder / "output.xml")
    (folder / "certificate.html").write_text(render(outcome, DIGEST), encoding="utf-8")
    (folder / "report.html").write_text("<title>Report</title>", encoding="utf-8")
    return folder


def killed(fleet: Path, name: str, closed: bool = False) -> Path:
    """An order whose run was killed in its second check."""
    folder = ran(fleet, name, approved())
    whole = (folder / "output.xml").read_bytes()
    (folder / "output.xml").write_bytes(whole[: len(whole) // 2])
    (folder / "certificate.html").unlink()
    (folder / "report.html").unlink()
    lines = ['{"do": "start", "serial": "FGVM02TM24000004"}', *(['{"do": "close"}'] * closed)]
    (folder / "journal.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    events = [
        {"event": "chapter", "name": "Before the test"},
        {"event": "check", "chapter": "Before the test", "name": "One", "verdict": "pass"},
        {"event": "chapter", "name": "Stateful firewall"},
        {"event": "check", "chapter": "Stateful firewall", "name": "Two", "verdict": "fail"},
    ]
    told = "".join(json.dumps({"at": 1.0, **event}) + "\n" for event in events)
    (folder / "progress.jsonl").write_text(told + '{"at": 2.0, "ev', encoding="utf-8")
    return folder


def stopped() -> Outcome:
    """A run that somebody ended with Ctrl-C in its throughput checks."""
    outcome = approved()
    said = "the run was stopped before this check had its verdict."
    outcome.checks[8:] = [
        Check(check.chapter, check.name, NOT_PROVEN, said) for check in outcome.checks[8:]
    ]
    return outcome


def real(outcome: Outcome, name: str) -> Outcome:
    """The same of a FortiGate."""
    outcome.run["gateway"] = outcome.run["gateway"] | {"serial": SERIALS[name]}
    return outcome


def mixed(folder: Path) -> Path:
    """Approved, rejected, not proven, killed, and never begun."""
    fleet = plan(folder, [f"4711-0{number}" for number in range(1, 6)])
    ran(fleet, "4711-01", real(approved(), "4711-01"))
    ran(fleet, "4711-02", rejected())
    ran(fleet, "4711-03", not_proven())
    killed(fleet, "4711-04")
    return fleet

"""Time until 100, 1,000 and 5,000 policies are in place and read back, by each way there is.

The first three ways are the suite's own code, which reads the policies back as one table and
compares every attribute. The last one is what a plain script does: a call to create and a call to
look at each policy, each on a connection of its own.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median

from benchmarks.bench_lab import MARK, BenchLab, labs
from benchmarks.table import show, spread
from gatepass.gateway.changes import remove_marked
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.rules import POLICY, RuleSet

TIMES = {100: 5, 1000: 3, 5000: 1}
SEPARATELY = "POST and GET each, new connections"


class WithoutScripts(FortiGate):
    """A device that takes no scripts."""

    def run_script(self, name: str, text: str) -> None:
        """Refuse."""
        raise Refused("no scripts", status=404)


class WithoutTransactions(WithoutScripts):
    """A device that takes neither scripts nor transactions."""

    @contextmanager
    def transaction(self, timeout_s: int = 120) -> Iterator[None]:
        """Refuse."""
        raise Refused("no transactions", status=404)
        yield


def main(args: Namespace) -> None:
    """All ways in turn, for each number of policies."""
    ways: dict[str, Callable[[BenchLab, list[dict]], None]] = {
        "script": lambda lab, rows: _together(lab, rows, FortiGate, "script"),
        "transaction": lambda lab, rows: _together(lab, rows, WithoutScripts, "transaction"),
        "one by one, one connection": lambda lab, rows: _together(
            lab, rows, WithoutTransactions, "one by one"
        ),
        SEPARATELY: _separately,
    }
    table = []
    with labs() as (lab,), lab.inside():
        gateway = lab.gateway()
        rules = lab.rules(gateway)
        rules.set(1, nat=False)
        for count, times in TIMES.items():
            rows = [_row(rules, number) for number in range(count)]
            taken: dict[str, list[float]] = {way: [] for way in ways}
            for _ in range(args.times or times):
                for way, create in ways.items():
                    begun = time.monotonic()
                    create(lab, rows)
                    taken[way].append(time.monotonic() - begun)
                    left = remove_marked(gateway, POLICY, [row["policyid"] for row in rows], MARK)
                    assert not left, f"{len(left)} policies are left"
            slowest = median(taken[SEPARATELY])
            table += [
                (f"{count:,}", way, spread(values), f"1 : {slowest / median(values):.1f}")
                for way, values in taken.items()
            ]
        gateway.close()
    show(("policies", "way", "seconds", "against separate calls"), table)


def _row(rules: RuleSet, number: int) -> dict:
    """A policy as the suite makes them, with a key of its own."""
    return rules.test_row(rules.free_id(number), nat=False)


def _together(lab: BenchLab, rows: list[dict], kind: type[FortiGate], way: str) -> None:
    """By the suite's own code, read back and compared."""
    gateway = lab.gateway(kind)
    used = lab.rules(gateway).changes.create_many(POLICY, rows)
    gateway.close()
    assert used == way, f"{used} instead of {way}"


def _separately(lab: BenchLab, rows: list[dict]) -> None:
    """A call to create and a call to look at each policy, each on a connection of its own."""
    for row in rows:
        creating = lab.gateway()
        creating.create(POLICY, row)
        creating.close()
        looking = lab.gateway()
        assert looking.row(POLICY, row["policyid"])["name"] == row["name"]
        looking.close()

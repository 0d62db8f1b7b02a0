"""How far a fleet is, as its runs tell it and as people see it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from rich.console import Console

from gatepass.fleet.entries import Entry
from gatepass.fleet.screen import screen, table
from gatepass.fleet.state import OrderProgress
from gatepass.run.at_work import hold

PLAN = {"event": "plan", "checks": 4, "shortest_s": 100.0, "longest_s": 200.0}
CHAPTER = {"event": "chapter", "name": "The tier's ceiling"}
WAITS = {"event": "waits", "resource": "machine one", "held_by": "b"}


@pytest.fixture
def order(tmp_path: Path) -> OrderProgress:
    folder = tmp_path / "orders" / "a"
    folder.mkdir(parents=True)
    return OrderProgress(Entry("a", "a.yaml", "x.yaml", "SGW-10", "quick"), folder)


def _tells(order: OrderProgress, *events: dict) -> None:
    with (order.folder / "progress.jsonl").open("a") as file:
        for event in events:
            file.write(json.dumps({"at": time.time()} | event) + "\n")


def _check(verdict: str) -> dict:
    return {"event": "check", "chapter": "C", "name": "N", "verdict": verdict}


def _seen(*orders: OrderProgress) -> str:
    console = Console(width=110, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(table(orders))
    return console.export_text()


def test_one_that_is_yet_to_begin(order: OrderProgress) -> None:
    order.look()
    assert not order.begun and order.left_s is None
    assert "is yet to begin" in _seen(order)


def test_chapter_verdicts_and_who_waits_for_whom(order: OrderProgress) -> None:
    with hold(order.folder, "caller"):
        _tells(order, PLAN, CHAPTER, _check("pass"), _check("fail"), WAITS)
        assert len(order.look()) == 5
        seen = _seen(order)
        assert "The tier's ceiling; waits for machine one, b has it" in seen and "2/4" in seen
        assert order.begun and not order.over
        _tells(order, {"event": "goes on"})
        order.look()
        assert "waits" not in _seen(order)
        assert order.verdicts == {"pass": 1, "fail": 1}


def test_a_line_that_is_half_written_is_read_once_it_is_whole(order: OrderProgress) -> None:
    with (order.folder / "progress.jsonl").open("w") as file:
        file.write('{"at": 1.0, "event": "chap')
        file.flush()
        assert order.look() == []
        file.write('ter", "name": "Before the test"}\n')
        file.flush()
        order.look()
    assert order.chapter == "Before the test"


def test_time_left_is_the_plans_until_some_checks_tell_better(order: OrderProgress) -> None:
    with hold(order.folder, "caller"):
        _tells(order, PLAN | {"at": time.time() - 30})
        order.look()
        assert order.left_s == 100
        _tells(order, _check("pass"), _check("pass"))
        order.look()
        assert 29 < order.left_s < 40


@pytest.mark.parametrize(
    ("events", "seen"),
    [
        ([PLAN, {"event": "ends", "verdict": "approved"}], "approved"),
        ([PLAN, WAITS], "not proven, it ended before its time"),
    ],
)
def test_one_that_is_over(order: OrderProgress, events: list[dict], seen: str) -> None:
    with hold(order.folder, "caller"):
        _tells(order, *events)
    order.look()
    assert order.over and order.left_s is None
    assert seen in _seen(order)


def test_without_a_terminal_a_line_an_event(
    order: OrderProgress, capsys: pytest.CaptureFixture[str]
) -> None:
    with screen() as shown, hold(order.folder, "caller"):
        for events in ([PLAN], [CHAPTER, _check("pass")], [WAITS], [{"event": "goes on"}]):
            _tells(order, *events)
            order.look()
            shown.show([order])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines == [["a", "Beginning"], ["a", "The", "tier's", "ceiling", "✓1"]]

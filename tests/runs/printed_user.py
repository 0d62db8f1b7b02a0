"""The API user that `doctor --print-setup` prints, on a lab's gateway; and what a run asked for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import yaml
from robot.api import ExecutionResult
from robot.result import TestCase, TestSuite

from faults.faulty_lab import Ended, FaultyLab, gateway_of
from gatepass.results.chapters import chapter_of
from typed_in import type_in

TOKEN = "printed-token"
_CALL = re.compile(r"(\S+ \S+) INFO lab\.gateway\.access \S+ (\S+) /api/v2/(\S+) (\d+) ")


@contextmanager
def printed_user(lab: FaultyLab, order: Path) -> Iterator[Path]:
    """A testbed whose token is of the user that is printed for an order; it is gone after."""
    lines = lab.print_setup(order).splitlines()
    name = lines[-1].split('"')[1]
    token = lab.testbed.with_name(TOKEN)
    token.touch(0o600)
    with gateway_of(lab.testbed) as gateway:
        token.write_text(f"{type_in(gateway, lines)}\n")
    content = yaml.safe_load(lab.testbed.read_text())
    content["gateway"]["token"] = {"file": TOKEN}
    testbed = lab.testbed.with_name("testbed-of-the-printed-user.yaml")
    testbed.write_text(yaml.safe_dump(content))
    yield testbed
    with gateway_of(lab.testbed) as gateway:
        gateway.delete("system/api-user", name)
        gateway.delete("system/accprofile", name)


def asked(lab: FaultyLab, ended: Ended) -> dict[str, Mapping[str, bool]]:
    """What each chapter of a run asked its gateway for, by path, and whether it wrote that.

    What is asked after a check did not pass, to explain that, is none of a chapter's needs.

    Raises:
        AssertionError: a call was forbidden.
    """
    suite = ExecutionResult(str(ended.folder / "output.xml")).suite
    chapters = dict.fromkeys(chapter_of(test) for test in suite.all_tests)
    explained = [test for test in suite.all_tests if not test.passed]
    found: dict[str, dict[str, bool]] = defaultdict(dict)
    for moment, method, path, status in _calls(lab):
        chapter = next((one for one in chapters if _within(one, moment)), None)
        if chapter is None or any(_within(test, moment) for test in explained):
            continue
        assert status != 403, f"{method} {path} in {chapter.name}"
        name = chapter.name.lower().replace(" ", "_")
        found[name][path] = found[name].get(path, False) or method != "GET"
    return found


def _within(one: TestSuite | TestCase, moment: datetime) -> bool:
    return one.start_time <= moment <= one.end_time


def _calls(lab: FaultyLab) -> Iterator[tuple[datetime, str, str, int]]:
    """By the gateway's own log, oldest first."""
    folder = lab.state.parent / "gateway"
    for file in sorted(folder.glob("gateway.log*"), reverse=True):
        for line in file.read_text(errors="replace").splitlines():
            if match := _CALL.match(line):
                at, method, path, status = match.groups()
                moment = datetime.strptime(at, "%Y-%m-%d %H:%M:%S,%f")
                yield moment, method, _named(path), int(status)


def _named(path: str) -> str:
    """As the table of rights names it."""
    if path == "cmdb":
        return "transaction"
    kind, *rest = path.split("/")
    return "/".join(rest[:2]) if kind == "cmdb" else path

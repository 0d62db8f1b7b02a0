"""Nothing hangs on the words: a copy in which every English text is another tells the same."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
CATALOGUES = ("base/phrases.yaml", "report/templates/certificate.en.yaml")
KEPT = {"language", "decimal_point", "thousands", "day", "date", "duration", "months"}
"""Formats of figures and dates, which are no words."""
TELL = """
import json, sys
from pathlib import Path
from certificate_examples import DIGEST, in_finnish, rejected, whole
from history_examples import added, outcome
from gatepass.base.phrase import texts
from gatepass.history import store
from gatepass.history.series import runs, series
from gatepass.report.certificate import render
from gatepass.report.charts import charts
from gatepass.report.promises import promise_table
from gatepass.report.published import reference
from gatepass.report.wording import wording

told = {"texts": sorted(texts().values())}
for name, made in (("whole", whole()), ("rejected", rejected())):
    words = wording("en")
    table = promise_table(made, words)
    measured = [one for check in made.checks for one in check.measurements]
    told[name] = {
        "verdict": made.verdict,
        "promises": [[row.verdict for row in one.rows] for one in (*table.promises, *table.others)],
        "charts": len(charts(table, words)),
        "published": [bool(reference(made.run["published"], one)) for one in measured],
        "finnish": render(in_finnish(made), DIGEST),
    }
record = Path(sys.argv[1])
added(record, *(outcome(day, mbps=(309.0, 305.0)) for day in range(3)))
with store.opened(record) as connection:
    told["trends"] = [
        [one.identity, one.conditions.as_json(), len(one.points)]
        for one in series(connection, runs(connection))
    ]
print(json.dumps(told))
"""


def other_words(texts: Any) -> Any:
    """Every text turned round, with what stands in {braces} where it can be filled in."""
    if isinstance(texts, dict):
        return {
            key: value if key in KEPT else other_words(value) for key, value in texts.items()
        }
    if isinstance(texts, list):
        return [other_words(one) for one in texts]
    parts = re.split(r"(\{[^}]*\})", str(texts))
    return "".join(part if part.startswith("{") else part[::-1] for part in reversed(parts))


def printed(libraries: Path, program: str, argument: Path) -> str:
    """What a program prints with these libraries."""
    path = os.pathsep.join(map(str, (libraries, ROOT, ROOT / "tests")))
    done = subprocess.run(
        [sys.executable, "-c", program, str(argument)],
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def told(libraries: Path, record: Path) -> dict[str, Any]:
    """What reports of the same runs tell with these libraries."""
    return json.loads(printed(libraries, TELL, record))


def copied(tmp_path: Path) -> Path:
    """Libraries of their own, for a test that changes them."""
    libraries = tmp_path / "libraries"
    shutil.copytree(
        ROOT / "libraries" / "gatepass",
        libraries / "gatepass",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    (tmp_path / "variables").symlink_to(ROOT / "variables")
    return libraries


@pytest.fixture
def turned(tmp_path: Path) -> Path:
    """Libraries in which every English text of a report is another."""
    libraries = copied(tmp_path)
    promises = libraries / "gatepass" / "base" / "promises.yaml"
    table = yaml.safe_load(promises.read_text(encoding="utf-8"))
    for promise in table.values():
        promise["text"] = other_words(promise["text"])
    promises.write_text(yaml.safe_dump(table, sort_keys=False), encoding="utf-8")
    for catalogue in CATALOGUES:
        path = libraries / "gatepass" / catalogue
        texts = yaml.safe_load(path.read_text(encoding="utf-8"))
        path.write_text(yaml.safe_dump(other_words(texts), allow_unicode=True), encoding="utf-8")
    return libraries


def test_only_the_words_differ(turned: Path, tmp_path: Path) -> None:
    before = told(ROOT / "libraries", tmp_path / "before.db")
    after = told(turned, tmp_path / "after.db")
    assert "Stateful throughput" in before.pop("texts")
    assert "tuphguorht lufetatS" in after.pop("texts")
    assert after == before
    assert before["whole"]["charts"] and any(before["whole"]["published"])
    assert len(before["trends"]) > 1

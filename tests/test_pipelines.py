"""The pipelines of docs/pipelines.md say what Gatepass does."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from gatepass.changes import SAVED
from gatepass.record import NOT_PROVEN
from gatepass.run import EXIT_CODES

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "pipelines.md").read_text(encoding="utf-8")


def _block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return found


@pytest.fixture(scope="module")
def job() -> dict:
    return yaml.safe_load(_block("yaml"))["activate"]


def _commands() -> list[str]:
    job = yaml.safe_load(_block("yaml"))["activate"]
    shell = re.findall(r"'''(.*?)'''|sh '([^']*)'", _block("groovy"), re.DOTALL)
    jenkins = [(long or short).replace("\\\\\n", "\\\n") for long, short in shell]
    return [*job["before_script"], *job["script"], *job["after_script"], *jenkins, _block("sh")]


@pytest.mark.parametrize("command", _commands(), ids=lambda text: text.strip()[:30])
def test_the_shell_takes_it(command: str) -> None:
    done = subprocess.run(["bash", "-n"], input=command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in re.findall(r"variables/\S+\.yaml", command):
        assert (ROOT / name).is_file(), name


def test_both_call_a_run_and_restore() -> None:
    told = "\n".join(_commands())
    assert told.count("--order variables/orders/sgw-500-site.yaml") == 2
    assert told.count("./run.sh restore") == 4


def test_gitlab_lets_only_not_proven_be_a_warning(job: dict) -> None:
    assert job["allow_failure"]["exit_codes"] == [EXIT_CODES[NOT_PROVEN]]
    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["reports"]["junit"] == "results/*/xunit.xml"


def test_jenkins_does_so_too() -> None:
    groovy = _block("groovy")
    assert f"if (code == {EXIT_CODES[NOT_PROVEN]}) {{ unstable(" in groovy
    assert "else if (code != 0) { error(" in groovy
    assert groovy.count("{") == groovy.count("}") and groovy.count("(") == groovy.count(")")


def test_the_customers_configuration_is_no_artifact(job: dict) -> None:
    assert job["artifacts"]["exclude"] == [f"results/**/{SAVED}"]
    assert f"excludes: 'results/**/{SAVED}'" in _block("groovy")


def test_every_exit_code_is_told() -> None:
    rows = re.findall(r"^\| (\d+)( \w+(?: \w+)?)? \|", TEXT, re.MULTILINE)
    assert {int(code) for code, _ in rows} == {*EXIT_CODES.values(), 64, 70}
    assert {name.strip(): int(code) for code, name in rows if name} == EXIT_CODES

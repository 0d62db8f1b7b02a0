"""A program that shows a stranger's content finds no secret in its environment."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from gatepass import cli
from gatepass.base.environment import without_secrets
from gatepass.gateway.troubles import Troubles
from gatepass.run.notice import tell_of_the_end


def test_what_is_not_on_the_list_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GATEPASS_TOKEN", "ANYTHING_ELSE", "SSH_AUTH_SOCK", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "a secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    found = without_secrets()
    assert "a secret" not in found.values()
    assert (found["LC_ALL"], found["PATH"]) == ("C.UTF-8", os.environ["PATH"])


def test_a_program_starts_with_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(len(os.environ))"],
        env=without_secrets(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) >= 1


@pytest.mark.parametrize(
    "words", [["replay", "x"], ["validate"], ["certificate", "x"], ["--nosuch"]], ids=" ".join
)
def test_no_call_heeds_what_was_meant_for_another_robot(
    monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    foreign = ("ROBOT_OPTIONS", "REBOT_OPTIONS", "ROBOT_SYSLOG_FILE", "ROBOT_SYSLOG_LEVEL")
    for name in (*foreign, "ROBOT_INTERNAL_TRACES", "ROBOT_FRAMEWORK_BROWSER_NODE_PORT"):
        monkeypatch.setenv(name, "/proc/none/x")
    monkeypatch.setenv("GATEPASS_TOKEN", "kept")
    cli.main(words)
    assert [name for name in os.environ if name.startswith(("ROBOT_", "REBOT_"))] == []
    assert os.environ["GATEPASS_TOKEN"] == "kept"


def test_robot_is_not_loaded_before(tmp_path: Path) -> None:
    """It opens the file of its system log when it is."""
    code = "import sys, gatepass.cli; print([one for one in sys.modules if one == 'robot'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "libraries")},
    )  # fmt: skip
    assert done.stdout.strip() == "[]"


def test_what_is_asked_for_by_name_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYPERVISOR_URL", "https://192.0.2.9")
    assert without_secrets("HYPERVISOR_URL", "NOT_SET")["HYPERVISOR_URL"] == "https://192.0.2.9"
    assert "NOT_SET" not in without_secrets("NOT_SET")


LIBRARIES = Path(__file__).parents[2] / "libraries"
WHOLE = {"gatepass/fleet/run.py": 1, "gatepass/fleet/worker.py": 2}
"""Where Gatepass starts itself with all that a run needs, and how often."""
_STARTS = re.compile(r"subprocess\.(run|Popen|call|check_call|check_output)|os\.(system|popen)")


def _starts(code: str) -> list[str]:
    """What each start of a program hands it as its environment; empty where that is everything."""
    return [
        next((ast.unparse(word.value) for word in call.keywords if word.arg == "env"), "")
        for call in ast.walk(ast.parse(code))
        if isinstance(call, ast.Call) and _STARTS.fullmatch(ast.unparse(call.func))
    ]


def test_every_program_is_started_with_an_environment_by_list() -> None:
    starts = {
        file.relative_to(LIBRARIES).as_posix(): _starts(file.read_text())
        for file in LIBRARIES.rglob("*.py")
        if "endpoint/remote" not in str(file)  # with what sshd gives them
    }
    given = {
        file: [env for env in of if "without_secrets(" not in env] for file, of in starts.items()
    }
    assert sum(map(len, starts.values())) > 10
    assert {file: len(of) for file, of in given.items() if of} == WHOLE | {
        "gatepass/gateway/troubles.py": 1  # of its caller, see the test below
    }


@pytest.mark.parametrize("named", [(), ("HYPERVISOR_TOKEN",)])
def test_commands_of_the_operator_find_no_token_but_those_that_the_testbed_names(
    named: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEPASS_TOKEN", "s3cret")
    monkeypatch.setenv("GATEPASS_WEBHOOK", "https://hooks.invalid/s3cret")
    monkeypatch.setenv("HYPERVISOR_TOKEN", "the hypervisor's")
    command = f"env >> {tmp_path}/found"
    trouble = SimpleNamespace(begin=command, end=command)
    gateway = SimpleNamespace(troubles=SimpleNamespace(memory=trouble))
    journal = SimpleNamespace(begins=lambda name: None, ended=lambda name: None)
    troubles = Troubles(SimpleNamespace(gateway=gateway, environment=named), journal)
    troubles.begin("memory")
    troubles.end("memory")
    (tmp_path / "results.json").write_text("{}")
    monkeypatch.setenv("GATEPASS_AT_END", command)
    monkeypatch.delenv("GATEPASS_WEBHOOK")
    tell_of_the_end(tmp_path, "approved", named)
    found = (tmp_path / "found").read_text()
    assert found.count("PATH=") >= 3 and "GATEPASS_VERDICT=approved" in found
    assert "s3cret" not in found
    assert found.count("HYPERVISOR_TOKEN=the hypervisor's") == 3 * len(named)

"""Mistakes in the call or in a file: one sentence, exit code 64, nothing touched."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import command_line
from faults.faulty_lab import PROJECT, FaultyLab

ORDER = {
    "order": "A-1",
    "customer": "A customer",
    "tier": "SGW-200",
    "service_level": "Gold",
    "shaper": {"name": "sgw-200"},
}


def _call(tmp_path: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    own = {
        "PYTHONPATH": str(PROJECT / "libraries"),
        "GATEPASS_RESULTS": str(tmp_path / "results"),
        **environment,
    }
    return command_line.call(
        "gatepass", *words, folder=PROJECT, environment={**os.environ, **own}, patience_s=300
    )


def _is_one_sentence(done: subprocess.CompletedProcess[str], *telling: str) -> None:
    assert done.returncode == 64, done.stdout + done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("Mistake: ") and lines[0].endswith((".", "?"))
    assert "Traceback" not in done.stderr
    for word in telling:
        assert word in lines[0], lines[0]


CALLS = [
    (["fly"], ["fly", "restore"]),
    (["--fly"], ["--fly"]),
    (["--order"], ["--order"]),
    (["--profile", "fast"], ["fast", "quick"]),
    (["--order", "no-such.yaml"], ["no-such.yaml"]),
    (["--order", "variables"], ["variables"]),
    (["extra"], ["extra"]),
    (["--order", "variables/orders/lab.yaml", "stray"], ["stray"]),
    (["--", "--outputdir", "/tmp"], ["--outputdir"]),
    (["--", "-d", "/tmp"], ["--outputdir"]),
    (["--", "--variable", "ORDER:x"], ["--variable"]),
    (["--", "--listener", "x"], ["--listener"]),
    (["--", "--dryrun"], ["--dryrun"]),
    (["--", "--extension", "txt"], ["--extension"]),
    # Robot takes any case, hyphens, shortened names and values without a space
    (["--", "--Output-Dir", "/tmp/elsewhere"], ["--outputdir"]),
    (["--", "--outputd=/tmp/elsewhere"], ["--outputdir"]),
    (["--", "-d/tmp/elsewhere"], ["--outputdir"]),
    (["--", "--argumentfile", "README.md"], ["--argumentfile"]),
    (["--", "--randomize", "all"], ["--randomize"]),
    (["--", "--skiponfailure", "stateful"], ["--skiponfailure"]),
    (["--", "--prerunmodifier", "x.py"], ["--prerunmodifier"]),
    (["--", "--loglevel", "NONE"], ["--loglevel", "DEBUG"]),
    (["--", "--suite"], ["--suite"]),
    (["--", "--help"], ["--help"]),
    (["--", "stray.robot"], ["stray.robot", "--suite"]),
    (["--profile", ""], ["profile"]),
    (["--order", ""], ["order"]),
    (["--ord", "x.yaml"], ["--ord"]),
    (["--", "--nosuchoption"], ["--nosuchoption"]),
    (["--", "--suite", "Nonexistent"], ["Nonexistent"]),
    (["--", "--test", "No Such Check"], ["No Such Check"]),
    (["--", "--suite", "Handover", "--suite", "Nonexistent"], ["--suite Nonexistent"]),
    (["--", "--test", "An Attack", "--test", "An Atack"], ["--test An Atack"]),
    (["--", "--suite", "Tier Ceiling"], ["--suite Tier Ceiling", "'The tier's ceiling'"]),
    (["--", "--include", "no-such-tag"], ["no-such-tag"]),
    (["restore", "no-such-run"], ["no-such-run"]),
    (["restore", "--fly"], ["--fly"]),
    (["certificate"], ["OUTPUT.XML"]),
    (["certificate", "no-such.xml"], ["no-such.xml"]),
    (["certificate", "README.md"], ["README.md"]),
    (["certificate", "docs"], ["docs"]),
    (["certificate", "--to"], ["--to"]),
    (["restore", "--run"], ["--run"]),
]


@pytest.mark.parametrize(("words", "telling"), CALLS, ids=lambda value: " ".join(value))
def test_a_wrong_call(
    lab: FaultyLab, tmp_path: Path, words: list[str], telling: list[str]
) -> None:
    runs = words[0] not in ("fly", "restore", "certificate", "extra")
    testbed = ["--testbed", str(lab.testbed)] if runs else []
    _is_one_sentence(_call(tmp_path, *testbed, *words), *telling)
    assert not list((tmp_path / "results").glob("*"))


ORDERS = [
    ({"tier": "SGW-2000"}, ["tier", "SGW-2000"]),
    ({"service_level": "Golden"}, ["service_level", "Golden"]),
    ({"colour": "red"}, ["colour"]),
    ({"shaper": {"name": "s", "burst_allowance_percent": "much"}}, ["burst_allowance_percent"]),
    ({"gateway": {"version": "seven"}}, ["version", "seven"]),
    ({"order": "../../etc"}, ["order"]),
]


@pytest.mark.parametrize(("change", "telling"), ORDERS, ids=lambda value: str(value)[:40])
def test_a_wrong_order(lab: FaultyLab, tmp_path: Path, change: dict, telling: list[str]) -> None:
    path = tmp_path / "order.yaml"
    path.write_text(yaml.safe_dump(ORDER | change))
    done = _call(tmp_path, "--testbed", str(lab.testbed), "--order", str(path))
    _is_one_sentence(done, "order.yaml", *telling)
    assert not list((tmp_path / "results").glob("*"))


def _testbed(lab: FaultyLab, tmp_path: Path) -> tuple[Path, dict]:
    """A copy of the lab's testbed with absolute paths."""
    content = yaml.safe_load(lab.testbed.read_text())
    folder = lab.testbed.parent
    content["gateway"]["ca_file"] = str(folder / "gateway-ca.pem")
    content["gateway"]["token"] = {"file": str(folder / "api-token")}
    content["gateway"]["gui"]["password"] = {"file": str(folder / "gui-password")}
    for endpoint in content["endpoints"].values():
        for key in ("key_file", "known_hosts_file"):
            endpoint["ssh"][key] = str(folder / endpoint["ssh"][key])
    return tmp_path / "testbed.yaml", content


def _gateway(**values: object) -> dict:
    return {"gateway": values}


TESTBEDS = [
    ({"network_namespace": "/proc/1/ns/nothing"}, ["network_namespace"]),
    ({"network_namespace": "/etc/hostname"}, ["network_namespace"]),
    (_gateway(url="http://198.18.0.2"), ["gateway.url", "https"]),
    (_gateway(token={"env": "NOT_SET_ANYWHERE"}), ["NOT_SET_ANYWHERE"]),
    (_gateway(token={"file": "no-token"}), ["gateway.token", "does not exist"]),
    (_gateway(token="a-token-in-clear"), ["gateway.token"]),
    (_gateway(ca_file="README.md"), ["ca_file"]),
    (_gateway(client_port="port1"), ["server_port"]),
    ({"endpoints": {"client": {}}}, ["endpoints"]),
]


@pytest.mark.parametrize(("change", "telling"), TESTBEDS, ids=lambda value: str(value)[:40])
def test_a_wrong_testbed(lab: FaultyLab, tmp_path: Path, change: dict, telling: list[str]) -> None:
    path, content = _testbed(lab, tmp_path)
    for key, value in change.items():
        old = content.get(key)
        content[key] = old | value if isinstance(old, dict) and key == "gateway" else value
    path.write_text(yaml.safe_dump(content))
    done = _call(tmp_path, "--testbed", str(path))
    _is_one_sentence(done, "testbed.yaml", *telling)
    assert not list((tmp_path / "results").glob("*"))
    assert "a-token-in-clear" not in done.stderr


def test_a_token_that_everybody_can_read(lab: FaultyLab, tmp_path: Path) -> None:
    path, content = _testbed(lab, tmp_path)
    (tmp_path / "token").write_text("not-the-token")
    (tmp_path / "token").chmod(0o644)
    content["gateway"]["token"] = {"file": "token"}
    path.write_text(yaml.safe_dump(content))
    done = _call(tmp_path, "--testbed", str(path))
    _is_one_sentence(done, "testbed.yaml", "chmod")
    assert "not-the-token" not in done.stderr


def test_a_results_folder_that_cannot_be_made(lab: FaultyLab, tmp_path: Path) -> None:
    done = _call(tmp_path, "--testbed", str(lab.testbed), GATEPASS_RESULTS="/proc/none/results")
    _is_one_sentence(done, "/proc/none/results", "GATEPASS_RESULTS")


def test_options_in_the_environment_are_not_obeyed(lab: FaultyLab, tmp_path: Path) -> None:
    """Robot would prepend them to the call's own."""
    words = ("--testbed", str(lab.testbed), "--", "--test", "*.The Licence Is Valid")
    done = _call(tmp_path, *words, ROBOT_OPTIONS="--dryrun --outputdir /proc/none --nosuchoption")
    assert done.returncode == 2, done.stderr
    assert "pass           The Licence Is Valid" in done.stdout
    assert done.stderr == ""


def test_another_ca_is_no_mistake_and_proves_nothing(lab: FaultyLab, tmp_path: Path) -> None:
    """The file is a CA's, but not the gateway's: only the gateway's answer can tell."""
    path, content = _testbed(lab, tmp_path)
    content["gateway"]["ca_file"] = str(_other_ca(tmp_path))
    path.write_text(yaml.safe_dump(content))
    done = _call(tmp_path, "--testbed", str(path), "--", "--test", "*.The Path Is Open*")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "its certificate must chain to" in " ".join(done.stdout.split())
    assert "Traceback" not in done.stdout + done.stderr


def _other_ca(tmp_path: Path) -> Path:
    made = tmp_path / "other-ca.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=other"),
            *("-keyout", str(tmp_path / "other.key"), "-out", str(made), "-days", "2"),
        ],
        check=True,
        capture_output=True,
    )
    return made


def test_without_a_testbed(tmp_path: Path) -> None:
    _is_one_sentence(_call(tmp_path, "run"), "--testbed")
    _is_one_sentence(_call(tmp_path, "draft-flows"), "--testbed")


def test_flows_of_a_gateway_that_cannot_be_read(lab: FaultyLab, tmp_path: Path) -> None:
    path, content = _testbed(lab, tmp_path)
    content["gateway"]["ca_file"] = str(_other_ca(tmp_path))
    path.write_text(yaml.safe_dump(content))
    drafting = ("draft-flows", "--testbed", str(path), "--to", str(tmp_path / "flows.yaml"))
    _is_one_sentence(_call(tmp_path, *drafting), "testbed.yaml", "gateway.url", "must chain to")
    assert not (tmp_path / "flows.yaml").exists()


def test_a_draft_overwrites_nothing(lab: FaultyLab, tmp_path: Path) -> None:
    there = tmp_path / "flows.yaml"
    there.write_text("flows: []")
    drafting = ("draft-flows", "--testbed", str(lab.testbed), "--to")
    _is_one_sentence(_call(tmp_path, *drafting, str(there)), "flows.yaml", "there is such a file")
    assert there.read_text() == "flows: []"
    nowhere = tmp_path / "none" / "flows.yaml"
    _is_one_sentence(_call(tmp_path, *drafting, str(nowhere)), "cannot be written")


@pytest.fixture(scope="module")
def run_sh() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Calls run.sh; what it has to set up once is set up before."""

    def call(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["./run.sh", *words],
            cwd=PROJECT,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    assert call("restore", "--help").returncode == 0
    return call


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (["--testbed", "nowhere.yaml"], ["nowhere.yaml"]),
        (["--testbed=nowhere.yaml", "--profile", "quick"], ["nowhere.yaml"]),
        (["restore", "no-such-run"], ["no-such-run"]),
        (["--resume", "--order", "nowhere.yaml"], ["--resume", "expected one argument"]),
        (["certificate", "no-such.xml"], ["no-such.xml"]),
        (["sign", "no-such-run", "--key", "no-such-key"], ["no-such"]),
        (["serve", "--port", "none"], ["'none' is no port"]),
        (["nothing-like-it"], ["there is no command 'nothing-like-it'", "serve", "sign"]),
        (["--yes", "certificate", "no-such.xml"], ["no-such.xml"]),
        (["--yes", "validate", "--order", "nowhere.yaml"], ["nowhere.yaml"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_run_sh_itself(
    run_sh: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    words: list[str],
    telling: list[str],
) -> None:
    _is_one_sentence(run_sh(*words, GATEPASS_RESULTS=str(tmp_path)), *telling)


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (["--fast"], ["--fast"]),
        (["--profile", "hasty"], ["hasty", "quick"]),
        (["--order", "nowhere.yaml"], ["nowhere.yaml"]),
        (["--", "--test", "No Such Check"], ["No Such Check"]),
        (["validate", "--testbed", "nowhere.yaml"], ["nowhere.yaml"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_no_lab_is_built_for_a_mistake(
    run_sh: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    words: list[str],
    telling: list[str],
) -> None:
    labs = tmp_path / "labs"
    done = run_sh(*words, GATEPASS_RESULTS=str(tmp_path), LAB_FOLDER=str(labs))
    _is_one_sentence(done, *telling)
    assert not labs.exists()


def test_validating_touches_nothing(lab: FaultyLab, tmp_path: Path) -> None:
    done = _call(tmp_path, "validate", "--testbed", str(lab.testbed))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Valid: order lab (SGW-200) on testbed lab-")
    assert not list((tmp_path / "results").glob("*"))


def test_the_gateway_is_untouched(lab: FaultyLab) -> None:
    """After all of the above."""
    assert lab.is_as_delivered()

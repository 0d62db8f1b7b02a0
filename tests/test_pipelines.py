"""The pipelines of docs/pipelines.md say what Gatepass does."""

from __future__ import annotations

import re
import socket
import subprocess
from pathlib import Path

import pytest
import yaml

from gatepass.base.errors import InputError
from gatepass.fleet.call import is_fleet, read
from gatepass.gateway.saved import SAVED
from gatepass.proof.outside import FOR_OUTSIDE
from gatepass.results.record import NOT_PROVEN
from gatepass.run.run import EXIT_CODES

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "pipelines.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


ONE, FLEET = 0, 1
"""The first pipeline of each kind is of one gateway, the second of a fleet."""
JOBS = {
    name: told
    for block in _blocks("yaml")
    for name, told in yaml.safe_load(block).items()
    if name != "stages"
}


@pytest.fixture(scope="module")
def job() -> dict:
    return JOBS["activate"]


def _of(job: dict) -> list[str]:
    """What a job of GitLab calls."""
    parts = (job.get(name, []) for name in ("before_script", "script", "after_script"))
    return [command for part in parts for command in part]


def _jenkins(which: int) -> list[str]:
    """What a pipeline of Jenkins calls."""
    found = re.findall(
        r"'''(.*?)'''|(?:sh|script:) '([^'\n]+)'", _blocks("groovy")[which], re.DOTALL
    )
    return [(long or short).replace("\\\\\n", "\\\n") for long, short in found]


def _commands() -> list[str]:
    gitlab = [command for job in JOBS.values() for command in _of(job)]
    return [*gitlab, *_jenkins(ONE), *_jenkins(FLEET), *_blocks("sh")]


@pytest.mark.parametrize("command", _commands(), ids=lambda text: text.strip()[:30])
def test_the_shell_takes_it(command: str) -> None:
    done = subprocess.run(["bash", "-n"], input=command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in re.findall(r"variables/\S+\.yaml", command):
        assert (ROOT / name).is_file(), name


def test_both_call_a_run_and_restore(job: dict) -> None:
    told = "\n".join([*_of(job), *_jenkins(ONE)])
    assert told.count("--order variables/orders/sgw-500-site.yaml") == 2
    assert told.count("./run.sh restore") == 4


def test_gitlab_lets_only_not_proven_be_a_warning(job: dict) -> None:
    assert job["allow_failure"]["exit_codes"] == [EXIT_CODES[NOT_PROVEN]]
    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["reports"]["junit"] == "outside/*/xunit.xml"


def test_jenkins_does_so_too() -> None:
    groovy = _blocks("groovy")[ONE]
    assert f"if (code == {EXIT_CODES[NOT_PROVEN]}) {{ unstable(" in groovy
    assert "else if (code != 0) { error(" in groovy


@pytest.mark.parametrize("groovy", _blocks("groovy"), ids=["one", "fleet"])
def test_its_brackets_are_closed(groovy: str) -> None:
    assert groovy.count("{") == groovy.count("}") and groovy.count("(") == groovy.count(")")


def _exports(commands: list[str]) -> list[str]:
    lines = [line.strip() for command in commands for line in command.splitlines()]
    return [line for line in lines if line.startswith("./run.sh export")]


def test_artifacts_are_what_is_for_outside_and_nothing_else() -> None:
    """Of both systems, in each place: only where `export` writes, and where a fleet is joined."""
    kept = [job["artifacts"] for job in JOBS.values() if "artifacts" in job]
    assert [one["paths"] for one in kept] == [["outside/"], ["outside/"], ["fleet/", "outside/"]]
    assert not [one for one in kept if "exclude" in one]
    groovy = "".join(_blocks("groovy"))
    kept = re.findall(r"(?:artifacts|includes): '([^']+)'", groovy)
    assert kept == ["outside/**", "outside/**", "fleet/**, outside/**"]
    assert groovy.count("archiveArtifacts") + groovy.count("stash name") == 3
    for commands in (_of(JOBS["activate"]), _jenkins(ONE)):
        assert _exports(commands) == ["./run.sh export results --to outside"]
    for commands in (_of(JOBS["part"]), _jenkins(FLEET)):
        (line,) = _exports(commands)
        assert re.fullmatch(r'./run.sh export "(part-\$\w+)" --to "outside/\1"', line)


def test_what_is_for_outside_is_all_told() -> None:
    for name in FOR_OUTSIDE:
        first = name.split("/")[0].split("*")[0].split(".")[0].split("-")[0]
        told = {"inputs": "order, catalogue and profiles", "SHA256SUMS": "seal", "study": "studies"}
        assert told.get(first, first) in TEXT, name
    assert SAVED in TEXT


def test_every_exit_code_is_told() -> None:
    rows = re.findall(r"^\| (\d+)( \w+(?: \w+)?)? \|", TEXT, re.MULTILINE)
    assert {int(code) for code, _ in rows} == {*EXIT_CODES.values(), 64, 70}
    assert {name.strip(): int(code) for code, name in rows if name} == EXIT_CODES


def _call_of(commands: list[str], start: str, home: Path = ROOT) -> list[str]:
    """The words of the one call that begins so, as the shell would hand them over."""
    (line,) = (
        line
        for command in commands
        for line in command.replace("\\\n", " ").splitlines()
        if line.strip().startswith(start)
    )
    settings = "CI_NODE_INDEX=1 CI_NODE_TOTAL=2 PART=1 CI_JOB_ID=7 "
    settings += f"HOME={home} tunnel={home}/turns-7;"
    told = subprocess.run(
        ["bash", "-c", f"{settings} set -f; printf '%s\\n' {line}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return told.stdout.splitlines()[1:]


@pytest.mark.parametrize(
    "commands", [_of(JOBS["part"]), _jenkins(FLEET)], ids=["GitLab", "Jenkins"]
)
def test_a_part_of_a_fleet_is_called_as_it_is_taken(commands: list[str], tmp_path: Path) -> None:
    """Each option is understood, up to the files, which are the reader's."""
    words = _call_of(commands, "./run.sh --yes --orders", tmp_path)
    assert words[words.index("--shard") + 1] == "1/2"
    assert words[words.index("--turns") + 1] == str(tmp_path / "turns-7.sock")
    assert is_fleet(words)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "turns-7.sock"))
        with pytest.raises(InputError, match=r"--testbeds .*: there is no such folder"):
            read(words)


@pytest.mark.parametrize(
    "commands", [_of(JOBS["join"]), _jenkins(FLEET)], ids=["GitLab", "Jenkins"]
)
def test_the_parts_are_joined_and_the_fleet_decides(commands: list[str]) -> None:
    words = _call_of(commands, "./run.sh fleet")
    assert words == ["fleet", "outside/part-*/fleet-*", "--to", "fleet"]
    assert JOBS["part"]["allow_failure"]["exit_codes"] == [1, 2]
    assert JOBS["join"]["allow_failure"]["exit_codes"] == [EXIT_CODES[NOT_PROVEN]]
    assert JOBS["join"]["when"] == "always"
    assert JOBS["join"]["artifacts"]["reports"]["junit"] == "fleet/xunit.xml"
    groovy = _blocks("groovy")[FLEET]
    assert "if (code > 2) { error(" in groovy
    assert f"if (code == {EXIT_CODES[NOT_PROVEN]}) {{ unstable(" in groovy


def test_the_shares_of_jenkins_are_as_many_as_its_parts() -> None:
    groovy = _blocks("groovy")[FLEET]
    (values,) = re.findall(r"name 'PART'; values (.*?) \}", groovy)
    parts = re.findall(r"'(\d+)'", values)
    assert parts == re.findall(r"'(\d+)'", re.findall(r"for \(part in (.*?)\)", groovy)[0])
    assert f'--shard "$PART/{len(parts)}"' in groovy


def test_the_lock_server_is_the_one_of_the_guide() -> None:
    (command,) = _blocks("sh")[0].splitlines()
    assert command.startswith("./run.sh turns-server /home/gatepass/")
    guide = (ROOT / "docs" / "fleet.md").read_text(encoding="utf-8")
    assert command in guide
    place = command.split()[-1]
    assert f":{place}" in guide and TEXT.count(f":{place}") == 2

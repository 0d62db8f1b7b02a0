"""`./run.sh replay` comes to the verdicts of the run that was recorded, and reaches nobody."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml
from robot.api import TestSuite

from gatepass.gateway.journal import NAME
from gatepass.gateway.recording import Recording
from recordings.conftest import Recorded
from recordings.make import RECORDINGS, RELEASES
from recordings.make_studies import STUDIES
from recordings.talker import ROOT, call

SUITES = TestSuite.from_file_system(ROOT / "suites")
TALKING = {test.name for test in SUITES.all_tests if "api" in test.tags}
MOST_KB = 300


def verdicts_of(results: Path) -> dict[str, str]:
    """The verdicts of the one replay in a results folder, by the names of the checks."""
    (output,) = results.glob("replays/*/*/output.xml")
    tests = ElementTree.parse(output).iter("test")
    return {
        test.get("name"): test.find("meta[@name='Verdict']").text for test in tests
    }


def is_one_sentence(done: subprocess.CompletedProcess[str], *telling: str) -> None:
    assert done.returncode == 64, done.stdout + done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("Mistake: ") and line.endswith((".", "?"))
    assert [word for word in telling if word not in line] == []


KEPT = sorted(RECORDINGS.glob("*.gz"))
OF_STUDIES = sorted(STUDIES.parent.glob("*.gz"))


def test_each_release_has_a_recording() -> None:
    """A device's may lie beside them."""
    assert {f"lab-{release}.jsonl.gz" for release in RELEASES} <= {path.name for path in KEPT}
    for release in RELEASES:
        recorded = Recording.read(RECORDINGS / f"lab-{release}.jsonl.gz").verdicts
        assert {check.partition(".")[2] for check in recorded} == TALKING
        assert set(recorded.values()) == {"pass"}


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_a_recording_that_is_kept(path: Path, tmp_path: Path) -> None:
    """The lab's are to be made anew (see `make`) where more is asked; a device's cannot be."""
    done = call(tmp_path, "replay", str(path))
    if path.name.startswith("lab-"):
        assert done.returncode == 0, done.stdout + done.stderr
        recorded = Recording.read(path).verdicts
        assert verdicts_of(tmp_path) == {
            check.partition(".")[2]: verdict for check, verdict in recorded.items()
        }
    assert done.returncode in (0, 2), done.stdout + done.stderr


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_a_recording_that_is_kept_is_small(path: Path) -> None:
    assert path.stat().st_size < MOST_KB * 1024


@pytest.mark.parametrize("path", [*KEPT, *OF_STUDIES], ids=lambda path: path.name)
def test_a_recording_that_is_kept_tells_no_secret(path: Path) -> None:
    """Nor where it was made; on endpoints a run has a folder of its own."""
    content = gzip.decompress(path.read_bytes()).decode()
    places = r"/tmp/(?!gatepass\.)|/home|/root|/work|BEGIN PRIVATE|Bearer "
    assert re.findall(places, content) == []
    assert not re.search(r"ENC (?!\*\*\*)\S", content)
    secrets = re.findall(r'"(?:psksecret|passwd|token|api-key|private-key)":"([^"]*)"', content)
    assert set(secrets) <= {"***", ""}
    assert secrets or path.name.endswith(".endpoints.gz")


def test_options_in_the_environment_are_not_obeyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROBOT_OPTIONS", "--exclude api --nosuchoption")
    monkeypatch.setenv("ROBOT_SYSLOG_FILE", str(tmp_path / "syslog"))
    done = call(tmp_path, "replay", str(KEPT[0]))
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (tmp_path / "syslog").exists()


def test_each_verdict_comes_again(faulty: Recorded, tmp_path: Path) -> None:
    """Passed, failed, not proven and not applicable; of a gateway that is gone."""
    assert set(faulty.verdicts) == TALKING
    assert set(faulty.verdicts.values()) == {"pass", "fail", "not proven", "not applicable"}
    done = call(tmp_path, "replay", str(faulty.file))
    assert done.returncode == 0, done.stdout + done.stderr
    assert verdicts_of(tmp_path) == faulty.verdicts
    assert f"{len(TALKING)} of {len(TALKING)} checks ended as they were recorded" in done.stdout
    assert re.search(r"the other \d+ send traffic\s+or meet the gateway in other ways", done.stdout)


def test_all_tries_of_all_connections_are_recorded(faulty: Recorded) -> None:
    exchanges = [line for line in faulty.lines() if "method" in line]
    assert len({line["connection"] for line in exchanges}) >= 4  # the run's, a stranger's, tenants'
    licence = [line for line in exchanges if line["path"] == "monitor/license/status"][:2]
    assert ["failure" in line for line in licence] == [True, False]
    stranger = [line for line in exchanges if line.get("anonymous")]
    assert [(line["check"], line["status"]) for line in stranger] == [
        ("Before the test.The Management Plane Refuses A Call Without A Token", 200)
    ]
    assert faulty.file.stat().st_mode & 0o777 == 0o600
    assert "Recorded: " in faulty.output


def test_a_recording_holds_no_secret_of_its_run(faulty: Recorded) -> None:
    content = faulty.file.read_text()
    folder = faulty.testbed.parent
    assert (folder / "api-token").read_text().strip() not in content
    assert str(folder) not in content and "PRIVATE KEY" not in content
    sent = [line["body"] for line in faulty.lines() if line.get("body")]
    hidden = [body[key] for body in sent for key in ("psksecret", "passwd") if key in body]
    assert len(hidden) >= 4 and set(hidden) == {"***"}
    head = faulty.lines()[0]
    assert head["order"]["customer"] == "recorded" and len(head["order"]["flows"]) == 1
    assert "10.20.1.10" not in json.dumps(head)  # of the order's flows


def test_another_answer_is_another_verdict_and_none_is_not_proven(
    faulty: Recorded, tmp_path: Path
) -> None:
    path = tmp_path / "altered.jsonl"
    kept = [line for line in faulty.lines() if line.get("path") != "monitor/system/time"]
    text = "".join(json.dumps(line) + "\n" for line in kept).replace("vm_expired", "vm_valid")
    path.write_text(text.replace('"valid": false', '"valid": true'))
    done = call(tmp_path, "replay", str(path))
    assert done.returncode == 1, done.stdout + done.stderr
    unknown = dict.fromkeys(("The Gateway's Clock Is Right", "The Gateway Is Ready"), "not proven")
    assert verdicts_of(tmp_path) == faulty.verdicts | {"The Licence Is Valid": "pass"} | unknown
    told = " ".join(done.stdout.split())
    assert "- Before the test.The Licence Is Valid: was fail, is pass" in told
    assert "Clock Is Right: was fail; the recording lacks an answer to tell by" in told
    assert "the recording has no answer to GET monitor/system/time?vdom=root" in told


def test_what_cannot_be_compared_is_told(faulty: Recorded, tmp_path: Path) -> None:
    """As where the run was stopped before a check ended, or where less was asked at that time."""
    path = tmp_path / "stopped.jsonl"
    kept = [
        line for line in faulty.lines()
        if line.get("path") != "monitor/system/interface"
        and not ("verdict" in line and "Clock" in line["check"])
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in kept))
    done = call(tmp_path, "replay", str(path))
    assert done.returncode == 2, done.stdout + done.stderr
    told = " ".join(done.stdout.split())
    assert "Clock Is Right: is fail; its run did not come to it" in told
    assert "The Gateway Is Ready: was pass; the recording lacks an answer to tell by" in told


def test_with_another_order_and_testbed(faulty: Recorded, tmp_path: Path) -> None:
    """The files that the testbed names are elsewhere."""
    order = tmp_path / "order.yaml"
    told = yaml.safe_load((ROOT / "variables" / "orders" / "lab.yaml").read_text())
    order.write_text(yaml.safe_dump(told | {"gateway": {"version": "7.2"}}))
    testbed = tmp_path / "testbed.yaml"
    testbed.write_text(faulty.testbed.read_text())
    done = call(
        tmp_path / "results", "replay", str(faulty.file), "--order", str(order), "--testbed",
        str(testbed), "--profile", "smoke",
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "The Firmware Fits The Order: was pass, is fail" in done.stdout
    assert verdicts_of(tmp_path / "results")["The Resources Fit The Order"] == "not applicable"


def test_a_replay_is_taken_for_no_run(faulty: Recorded, tmp_path: Path) -> None:
    """No certificate, no results, no place in the record; nobody restores anything for it."""
    killed = tmp_path / "20260101-000000-killed"
    killed.mkdir()
    head = {"do": "start", "mark": "gp0a1b2c", "serial": "LABGW0000000001", "testbed": "gone.yaml"}
    (killed / NAME).write_text(json.dumps(head) + "\n")
    done = call(tmp_path, "replay", str(faulty.file))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (killed / NAME).read_text() == json.dumps(head) + "\n"
    (folder,) = tmp_path.glob("replays/*/*")
    assert {path.name for path in folder.iterdir()} >= {"report.html", "output.xml", "xunit.xml"}
    assert not [path for path in tmp_path.rglob("*") if "certificate" in path.name]
    assert {path.name for path in tmp_path.iterdir()} == {"replays", killed.name}
    suite = ElementTree.parse(folder / "output.xml").find("suite")
    assert suite.get("name") == "Replay" and "no acceptance" in suite.find("doc").text
    assert suite.find("meta[@name='REPLAY']") is not None
    output = str(folder / "output.xml")
    for words in (["certificate", output], ["results", output], ["history", "--add", output]):
        is_one_sentence(call(tmp_path, *words), "output.xml", "of the replay of a recording")
    restored = call(tmp_path, "restore")
    assert "replays" not in restored.stdout + restored.stderr


def test_nothing_that_a_stranger_puts_into_a_testbed_is_taken_over(
    faulty: Recorded, tmp_path: Path
) -> None:
    head, *others = faulty.lines()
    told = head["testbed"]
    command = {"begin": f"touch {tmp_path}/begun", "end": f"touch {tmp_path}/ended"}
    told |= {"network_namespace": "/proc/1/ns/net", "shares": ["x"]}
    told["gateway"] |= {"troubles": {"memory": command}, "token": {"file": "/etc/hostname"}}
    told["endpoints"]["client"] |= {"ssh": {"host": "127.0.0.1", "user": "root"}}
    path = tmp_path / "strange.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in [head, *others]))
    done = call(tmp_path / "results", "replay", str(path))
    assert done.returncode == 0, done.stdout + done.stderr
    (used,) = (tmp_path / "results").glob("replays/*/*/testbed.yaml")
    written = used.read_text()
    assert not re.search("troubles|touch|namespace|shares|hostname|127.0.0.1, user", written)
    assert yaml.safe_load(written)["endpoints"]["client"]["ssh"]["host"] == "client.invalid"
    assert {one.name for one in tmp_path.iterdir()} == {"results", path.name}


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        ([], ["FILE"]),
        (["no-such-recording"], ["no-such-recording", "does not exist"]),
        (["README.md"], ["README.md", "is no recording of Gatepass"]),
        (["variables"], ["variables", "is not a regular file"]),
        (["{recording}", "--order", "nowhere.yaml"], ["nowhere.yaml"]),
        (["{recording}", "--testbed", "nowhere.yaml"], ["nowhere.yaml"]),
        (["{recording}", "--profile", "hasty"], ["hasty", "quick"]),
        (["{recording}", "--resume", "x"], ["--resume"]),
        (["{cut_off}"], ["breaks off after"]),
        (["{order}"], ["line 1", "the order in this recording", "SGW-9", "--order"]),
        (["{testbed}"], ["line 1", "the testbed in this recording", "--testbed"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_a_wrong_call(
    faulty: Recorded, tmp_path: Path, words: list[str], telling: list[str]
) -> None:
    lines = faulty.lines()
    order = lines[0] | {"order": lines[0]["order"] | {"tier": "SGW-9"}}
    testbed = lines[0] | {"testbed": {"testbed": "t", "gateway": [], "endpoints": {"client": 1}}}
    contents = {"cut_off": lines[:-1], "order": [order, lines[-1]], "testbed": [testbed, lines[-1]]}
    files = {"recording": str(faulty.file)}
    for name, content in contents.items():
        files[name] = str(tmp_path / name)
        Path(files[name]).write_text("".join(json.dumps(line) + "\n" for line in content))
    done = call(tmp_path / "results", "replay", *(word.format(**files) for word in words))
    is_one_sentence(done, *telling)
    assert not list((tmp_path / "results").glob("replays/*"))


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (["--record-api", "{testbed}"], ["--record-api", "there is such a file"]),
        (["--record-api", "{folder}/none/r"], ["--record-api", "there is no folder"]),
        (["--record-api", "/proc/r"], ["--record-api", "/proc"]),
        (["--record-api"], ["--record-api"]),
        (["--record-api", "{folder}/r", "--lab-gateways", "2"], ["--record-api", "one run"]),
        (["--record-api", "{folder}/r", "--resume", "fleet-x"], ["--record-api", "one run"]),
        (["--record-api", "{folder}/r", "--testbed", "{testbed}"], ["--record-api", "one run"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_a_recording_that_cannot_be_made(
    faulty: Recorded, tmp_path: Path, words: list[str], telling: list[str]
) -> None:
    """Told before anything is touched."""
    own = {"testbed": str(faulty.testbed), "folder": str(tmp_path)}
    given = ["run", "--testbed", own["testbed"], *(word.format(**own) for word in words)]
    is_one_sentence(call(tmp_path / "results", *given), *telling)
    assert not list(tmp_path.iterdir())


def test_validating_makes_no_recording(faulty: Recorded, tmp_path: Path) -> None:
    own = ("validate", "--testbed", str(faulty.testbed), "--record-api")
    done = call(tmp_path / "results", *own, str(tmp_path / "r"))
    assert (done.returncode, done.stderr) == (0, "")
    is_one_sentence(call(tmp_path / "results", *own, "/proc/r"), "--record-api /proc/r")
    assert not list(tmp_path.iterdir())

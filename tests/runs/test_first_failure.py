"""A check that does not pass leaves what an engineer needs, and nothing that is a secret."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from faults.faulty_lab import Ended, FaultyLab, must_be_measured
from gatepass.report.failure_data import CHECK_BYTES, INDEX
from runs.leaks import leaks, secrets_of

CHECK = "One Policy, Without NAT"
HANDOVER = "*.Handover.*"


@pytest.fixture(scope="module")
def slow(lab: FaultyLab) -> Ended:
    """A run in which one check fails."""
    with lab.faults(("mss-small",)):
        ended = lab.run("*.The Path Is Open*", f"*.{CHECK}", HANDOVER)
    must_be_measured(ended.outcome)
    return ended


@pytest.fixture(scope="module")
def folder(slow: Ended) -> Path:
    """What the check has left."""
    return slow.folder / "failures" / "Stateful-firewall" / "One-Policy-Without-NAT"


def test_each_file_is_there(folder: Path) -> None:
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    gateway = ("policies", "policy-counters", "objects", "shaping", "routes", "interfaces")
    wanted = {f"gateway/{name}.json" for name in (*gateway, "sessions", "resources", "status")}
    assert files >= wanted | {INDEX, "client.txt", "server.txt", "gateway/licence.json"}
    assert len([name for name in files if name.startswith("trials/")]) >= 4
    assert sum((folder / name).stat().st_size for name in files) <= CHECK_BYTES


def test_it_is_of_that_moment(folder: Path) -> None:
    (policy, *_) = json.loads((folder / "gateway/policies.json").read_text())
    counters = json.loads((folder / "gateway/policy-counters.json").read_text())
    counted = {row["policyid"]: row["bytes"] for row in counters}
    assert counted[policy["policyid"]] > 10_000_000  # the run's policy, not yet removed
    assert "TcpRetransSegs" in (folder / "client.txt").read_text()
    for report in (folder / "trials").iterdir():
        assert json.loads(report.read_text())["end"]


def test_nothing_is_a_secret(lab: FaultyLab, slow: Ended, folder: Path) -> None:
    assert leaks(folder, secrets_of(lab)) == []
    assert leaks(slow.folder.parent, secrets_of(lab)) == []
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.rglob("*"))


def test_the_check_leads_to_it(slow: Ended, folder: Path) -> None:
    link = (folder / INDEX).relative_to(slow.folder).as_posix()
    output = (slow.folder / "output.xml").read_text()
    assert f"[{link}|What gateway and endpoints showed]" in output
    assert f'href="{link}"'.replace('"', "&quot;") in output or f'href="{link}"' in output
    page = (folder / INDEX).read_text()
    for name in re.findall(r'href="([^"#]+)', page):
        assert (folder / name).exists()
    assert slow.ran[CHECK].message.split(".")[0] in page
    assert "Its trials" in page and "<svg" in page


def test_a_check_that_passes_leaves_nothing(slow: Ended, folder: Path) -> None:
    passed = [check for check in slow.ran.values() if check.verdict == "pass"]
    assert passed
    assert [path for path in folder.parent.parent.rglob(INDEX)] == [folder / INDEX]


def test_the_report_begins_with_the_verdict(slow: Ended) -> None:
    output = (slow.folder / "output.xml").read_text()
    assert "*The order is rejected.* Checks: " in output
    assert slow.outcome.verdict == "rejected"
    assert f"- *Stateful firewall, {CHECK}*: " in output


@pytest.fixture(scope="module")
def open_gateway(lab: FaultyLab) -> Ended:
    """A run in which a virus arrives, and packets pass that no policy permits."""
    with lab.faults(("services-not-applied",), ("leak", "of=icmp")):
        return lab.run("*.The Path Is Open*", "*.A Virus Over HTTP", "*.No ICMP Message*", HANDOVER)


def page_of(ended: Ended, *place: str) -> tuple[Path, str]:
    folder = ended.folder.joinpath("failures", *place)
    return folder, (folder / INDEX).read_text()


def test_a_transfer_is_shown_as_it_went(open_gateway: Ended) -> None:
    folder, page = page_of(open_gateway, "Security-services", "A-Virus-Over-HTTP")
    for words in ("GET http://", " 200 OK", "68 of 68 bytes", "58 35 4f 21", "disk/virus"):
        assert words in page, words
    (*_, last) = json.loads((folder / "exchanges/transfers.json").read_text())
    assert last["sha256"] == last["expected_sha256"]


def test_a_capture_is_one_step_away(open_gateway: Ended) -> None:
    check = "No-ICMP-Message-Of-Any-Type-Gets-Through"
    folder, page = page_of(open_gateway, "Policy-enforcement", check)
    linked = {name for name in re.findall(r'href="([^"#]+)', page) if "leaks/" in name}
    assert {Path(name).suffix for name in linked} == {".csv", ".pcap"}
    assert all((folder / name).exists() for name in linked)


def test_who_does_not_answer_is_not_waited_for(lab: FaultyLab) -> None:
    with lab.faults(("host-key-changed",)):
        ended = lab.run("*.The Endpoints Are Ready", "*.The Path Is Open*")
    assert {check.verdict for check in ended.ran.values()} == {"not proven"}
    assert not (ended.folder / "failures").exists()
    assert all(check.elapsed_s < 5 for check in ended.ran.values())

"""First failure data: what is kept, within which bounds, and that nothing secret is in it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from api_server import ScriptedApi, silence, told
from gateway_client import TOKEN
from local_shell import LocalShell

from gatepass.endpoint.shell import Completed, EndpointLost
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.journal import Journal
from gatepass.report import failure_data
from gatepass.report.failure_data import (
    CHECK_BYTES,
    FILE_BYTES,
    INDEX,
    FailureFolder,
    from_endpoint,
    from_gateway,
    from_trials,
    place,
    room_in,
)
from gatepass.report.failure_page import Subject

MARK = "gpabcdef"


@pytest.fixture
def folder(tmp_path: Path) -> FailureFolder:
    path = place(tmp_path, "Stateful firewall", "One Policy, Without NAT")
    return FailureFolder(path, secrets=[TOKEN])


def journal(*paths: str) -> Journal:
    entries = [{"do": "create", "path": path, "mkeys": [1]} for path in paths]
    return Journal(Path("journal.jsonl"), {"mark": MARK}, entries)


def policy(gateway: FortiGate, number: int, name: str) -> None:
    every = [{"name": "all"}]
    gateway.create(
        "firewall/policy",
        {
            "policyid": number,
            "name": name,
            "srcintf": [{"name": "port2"}],
            "dstintf": [{"name": "port1"}],
            "srcaddr": every,
            "dstaddr": every,
            "service": [{"name": "ALL"}],
            "schedule": "always",
            "action": "accept",
        },
    )


def test_the_gateway(folder: FailureFolder, gateway: FortiGate) -> None:
    policy(gateway, 12, f"{MARK}-b")
    policy(gateway, 7, f"{MARK}-a")
    gateway.create(
        "firewall/address",
        {"name": f"{MARK}-net", "subnet": "198.19.0.0 255.255.255.0", "comment": TOKEN},
    )
    from_gateway(folder, gateway, journal("firewall/policy", "firewall/address"))
    assert folder.missing == []
    files = {name.removeprefix("gateway/").removesuffix(".json"): folder.path / name
             for name, _ in folder.kept}  # fmt: skip
    assert set(files) == {
        *("policies", "policy-counters", "objects", "shaping", "routes", "interfaces"),
        *("sessions", "resources", "licence", "status"),
    }
    told = {name: json.loads(path.read_text()) for name, path in files.items()}
    assert [row["policyid"] for row in told["policies"]][-2:] == [12, 7]  # of evaluation
    assert {0, 7, 12} <= {row["policyid"] for row in told["policy-counters"]}
    (address,) = told["objects"]["firewall/address"]
    assert (address["name"], address["comment"]) == (f"{MARK}-net", "***")
    assert "cpu" in told["resources"]
    assert not any(TOKEN in path.read_text() for path in files.values())
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files.values())


def test_a_gateway_that_does_not_answer_costs_one_call(
    folder: FailureFolder, api: ScriptedApi, client: FortiGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failure_data, "_CALL_S", 0.2)
    api.otherwise = silence
    from_gateway(folder, client, None)
    assert len(api.calls) == 1
    assert folder.kept == []
    assert "no answer within 0.2 s" in folder.missing[0]
    assert not client.lost  # the run's own client makes up its mind for itself


def test_what_is_refused_is_named_and_the_rest_is_kept(
    folder: FailureFolder, api: ScriptedApi, client: FortiGate
) -> None:
    api.script = [told(403)]
    from_gateway(folder, client, None)
    assert any("policies" in one and "access profile" in one for one in folder.missing)
    assert "gateway/routes.json" in [name for name, _ in folder.kept]


def test_when_the_time_is_over_nothing_more_is_asked(
    folder: FailureFolder, api: ScriptedApi, client: FortiGate, shell: LocalShell
) -> None:
    folder._give_up = 0
    from_gateway(folder, client, None)
    from_endpoint(folder, shell)
    assert api.calls == [] and folder.kept == []
    assert len(folder.missing) == 2


def test_an_endpoint(folder: FailureFolder, shell: LocalShell) -> None:
    from_endpoint(folder, shell)
    (name, _) = folder.kept[0]
    shown = (folder.path / name).read_text()
    for words in ("### ip -s link", "### ss -tinm", "### nstat -asz", "TcpRetransSegs", "cpu0"):
        assert words in shown


def test_an_endpoint_that_is_lost(folder: FailureFolder) -> None:
    class Lost:
        name = "client"

        def run(self, command: str, timeout_s: float) -> Completed:
            raise EndpointLost("the client cannot be reached.")

    from_endpoint(folder, Lost())
    assert folder.kept == [] and "cannot be reached" in folder.missing[0]


def test_each_file_and_all_of_them_are_bounded(folder: FailureFolder) -> None:
    for number in range(10):
        folder.text(f"{number}.txt", "", "ä" * FILE_BYTES)
        folder.json(f"{number}.json", "rows (all)", [{"row": "x" * 1000}] * 1000)
    folder.close(Subject("Chapter", "check"), "It is too slow.")
    files = [path for path in folder.path.rglob("*") if path.is_file()]
    assert len(files) == 21
    assert all(path.stat().st_size < FILE_BYTES + 200 for path in files)
    assert sum(path.stat().st_size for path in files) < CHECK_BYTES + 20_000  # the page itself
    assert "cut here" in (folder.path / "0.txt").read_text()
    rows = json.loads((folder.path / "0.json").read_text())
    assert 0 < len(rows) < 1000
    assert f"the first {len(rows)} rows" in (folder.path / INDEX).read_text()


def test_a_run_has_room_for_so_much(
    tmp_path: Path, folder: FailureFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert room_in(tmp_path) == CHECK_BYTES
    folder.text("a.txt", "", "x" * 1000)
    monkeypatch.setattr(failure_data, "RUN_BYTES", 1500)
    assert room_in(tmp_path) == 500


def test_reports_of_trials(folder: FailureFolder, tmp_path: Path) -> None:
    small, large = tmp_path / "001-client.json", tmp_path / "002-client.json"
    small.write_text('{"end": {}}')
    large.write_text("x" * (FILE_BYTES + 1))
    from_trials(folder, [large, small])
    assert [name for name, _ in folder.kept] == ["trials/001-client.json"]
    assert "see 002-client.json" in folder.missing[0]


def test_the_page_leads_to_the_files(folder: FailureFolder) -> None:
    folder.text("client.txt", "client: <counters>", "1")
    folder.missing.append(f"The server: {TOKEN}")
    folder.close(Subject("Chapter", "a <b> check"), f"It said {TOKEN}.")
    page = (folder.path / INDEX).read_text()
    assert '<a href="client.txt">client.txt</a>' in page
    assert "&lt;counters&gt;" in page and "a &lt;b&gt; check" in page
    assert TOKEN not in page
    folder.discard()
    assert not folder.path.exists()


def test_names_need_no_quoting(tmp_path: Path) -> None:
    path = place(tmp_path, "../Tier: Ceiling", "The Client's View / 16 KB?")
    assert path.relative_to(tmp_path).as_posix() == (
        "failures/Tier-Ceiling/The-Client-s-View-16-KB"
    )
    assert place(tmp_path, "…", "?").name == "check"

"""The log of the security services over REST, and the licence of each of them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gateway_client import GatewayUnderTest

from lab.gateway.security_log import MOST_EVENTS, GatewayLog

START = 1_700_000_000.25
VIRUS = {
    "type": "virus",
    "subtype": "infected",
    "policyid": 7,
    "srcip": "198.18.1.10",
    "dstip": "198.18.2.10",
    "srcport": 40000,
    "dstport": 80,
    "service": "HTTP",
    "action": "blocked",
    "profile": "gp-av",
    "url": "http://server.lab/eicar.com",
    "filename": "eicar.com",
    "virus": "EICAR_TEST_FILE",
    "msg": "File is infected.",
}


def event(number: int = 0, **rest: Any) -> dict[str, Any]:
    """An event as the inspector writes it."""
    return {"time": START + number, **VIRUS, **rest}


def write(file: Path, *events: dict[str, Any] | str) -> None:
    """Append events as the inspector does; a text goes in as it is."""
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for one in events:
        line = one if isinstance(one, str) else json.dumps(one) + "\n"
        os.write(descriptor, line.encode())
    os.close(descriptor)


@pytest.fixture(autouse=True)
def clean(api: GatewayUnderTest) -> Iterator[None]:
    """Each test leaves a gateway with an empty log and no faults."""
    yield
    (api.folder / "security.jsonl").unlink(missing_ok=True)
    api.control("DELETE", "/faults")


def ask(api: GatewayUnderTest, path: str, **parameters: Any) -> dict[str, Any]:
    """The whole answer of a log."""
    answer = api.call("GET", f"log/{path}", params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_no_event_yet(api: GatewayUnderTest) -> None:
    answer = ask(api, "disk/virus")
    assert (answer["results"], answer["total_lines"], answer["completed"]) == ([], 0, 100)


def test_an_event_has_the_fields_of_fortios(api: GatewayUnderTest) -> None:
    write(api.folder / "security.jsonl", event())
    answer = ask(api, "disk/virus")
    assert (answer["status"], answer["category"], answer["rows"]) == ("success", "virus", 1)
    assert answer["serial"] == "LABGW0000000001"
    row = answer["results"][0]
    local = time.localtime(START)
    assert (
        row
        | {
            "type": "utm",
            "subtype": "virus",
            "eventtype": "infected",
            "level": "warning",
            "vd": "root",
            "policyid": 7,
            "srcip": "198.18.1.10",
            "srcport": 40000,
            "dstip": "198.18.2.10",
            "dstport": 80,
            "service": "HTTP",
            "action": "blocked",
            "profile": "gp-av",
            "virus": "EICAR_TEST_FILE",
            "filename": "eicar.com",
            "date": time.strftime("%Y-%m-%d", local),
            "time": time.strftime("%H:%M:%S", local),
            "eventtime": 1_700_000_000_250_000_000,
            "logid": "0211008192",
        }
        == row
    )
    assert not {"attack", "app", "hostname"} & set(row)


def test_memory_holds_none_unless_it_is_told_to(api: GatewayUnderTest) -> None:
    write(api.folder / "security.jsonl", event())
    assert ask(api, "memory/virus")["results"] == [], "a success with nothing in it"
    api.put("cmdb/log.memory/setting", {"status": "enable"})
    try:
        (row,) = ask(api, "memory/virus")["results"]
    finally:
        api.put("cmdb/log.memory/setting", {"status": "disable"})
    assert ask(api, "disk/virus")["results"] == [row]


@pytest.mark.parametrize(
    ("category", "fields"),
    [
        ("webfilter", {"hostname": "bad.lab", "url": "http://bad.lab/"}),
        ("ips", {"attack": "Lab.Exploit", "attackid": 2000}),
        ("app-ctrl", {"app": "Lab.App", "appid": 0x1000_0000}),
        ("file-filter", {"filename": "x.exe", "filetype": "exe"}),
    ],
)
def test_each_log_has_its_own_events(
    api: GatewayUnderTest, category: str, fields: dict[str, Any]
) -> None:
    write(api.folder / "security.jsonl", event(), event(1, type=category, subtype="", **fields))
    (row,) = ask(api, f"disk/{category}")["results"]
    assert row | fields == row
    assert row["eventtype"]
    assert ask(api, "disk/virus")["total_lines"] == 1


def test_newest_first_by_pages(api: GatewayUnderTest) -> None:
    write(api.folder / "security.jsonl", *(event(n, srcport=n) for n in range(50)))
    first = ask(api, "disk/virus")
    assert [row["srcport"] for row in first["results"]] == list(range(49, 29, -1))
    assert first["total_lines"] == 50
    page = ask(api, "disk/virus", rows=3, start=10)
    assert [row["srcport"] for row in page["results"]] == [39, 38, 37]
    assert (page["start"], page["rows"], page["total_lines"]) == (10, 3, 50)
    assert page["session_id"] != first["session_id"]
    write(api.folder / "security.jsonl", event(99, srcport=99))
    assert ask(api, "disk/virus", rows=1)["results"][0]["srcport"] == 99


def test_filters(api: GatewayUnderTest) -> None:
    write(
        api.folder / "security.jsonl",
        event(0, srcip="198.18.1.11"),
        event(1, action="passthrough"),
        event(2, policyid=8, filename="Other.zip"),
    )

    def times(*filters: str) -> list[float]:
        found = ask(api, "disk/virus", filter=list(filters))["results"]
        return [round(row["eventtime"] / 1e9 - START, 3) for row in found]

    assert times("srcip==198.18.1.11") == [0]
    assert times('srcip=="198.18.1.11"') == [0]
    assert times("action!=blocked") == [1]
    assert times("policyid==7", "action==blocked") == [0]
    assert times("policyid==8,action==passthrough") == [2, 1]
    assert times("filename=@other") == [2]
    assert times("subtype=*VIRUS") == [2, 1, 0]
    assert times(f"_metadata.timestamp>={int((START + 1) * 1000)}") == [2, 1]
    assert times("srcip==10.0.0.1") == []


def test_raw_is_text(api: GatewayUnderTest) -> None:
    write(api.folder / "security.jsonl", event(), event(1, msg='say "hi"\nnow'))
    answer = api.call("GET", "log/disk/virus/raw", params={"rows": 10})
    assert answer.status_code == 200
    newest, oldest = answer.text.splitlines()
    assert 'type="utm" subtype="virus"' in oldest
    assert "srcip=198.18.1.10 srcport=40000" in oldest
    assert r'msg="say \"hi\" now"' in newest


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "log/disk/gossip", 404),
        ("GET", "log/tape/virus", 404),
        ("GET", "log/disk", 404),
        ("GET", "log", 404),
        ("GET", "log/disk/virus/raw/more", 404),
        ("GET", "log/disk/virus/select", 200),
        ("POST", "log/disk/virus", 405),
        ("DELETE", "log/disk/virus", 405),
        ("GET", "log/disk/virus?rows=many", 424),
        ("GET", "log/disk/virus?rows=-1", 424),
        ("GET", "log/disk/virus?start=-1", 424),
        ("GET", "log/disk/virus?filter=nonsense", 424),
        ("GET", "log/disk/virus?vdom=other", 403),
    ],
)
def test_calls(api: GatewayUnderTest, method: str, path: str, status: int) -> None:
    assert api.call(method, path).status_code == status


def test_half_a_line_and_rubbish_do_no_harm(api: GatewayUnderTest) -> None:
    file, line = api.folder / "security.jsonl", json.dumps(event(5))
    write(file, event(), "rubbish\n", "[]\n", '{"type": "virus"}\n', '{"time": 1e999}\n', line[:20])
    assert ask(api, "disk/virus")["total_lines"] == 1
    write(file, line[20:] + "\n")
    assert ask(api, "disk/virus")["total_lines"] == 2
    assert api.call("GET", "log/disk/ips").status_code == 200


def test_a_log_made_anew_is_read_anew(api: GatewayUnderTest) -> None:
    file = api.folder / "security.jsonl"
    write(file, *(event(n) for n in range(5)))
    assert ask(api, "disk/virus")["total_lines"] == 5
    file.write_text("")
    assert ask(api, "disk/virus")["total_lines"] == 0
    write(file, event(9))
    assert ask(api, "disk/virus")["results"][0]["eventtime"] == 1_700_000_009_250_000_000


def test_the_log_is_bounded_while_its_writer_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "security.jsonl"
    log = GatewayLog(file)
    with file.open("a", buffering=1) as writer:
        for number in range(MOST_EVENTS + 3000):
            writer.write(json.dumps({"time": number, "type": "ips"}) + "\n")
        os.write(writer.fileno(), b'{"time": 99999, ')
        assert len(log.events()) == MOST_EVENTS
        assert len(file.read_text().splitlines()) == MOST_EVENTS
        writer.write('"type": "ips"}\n')
    events = log.events()
    assert len(events) == MOST_EVENTS
    assert [one["time"] for one in events[:2]] == [99999, MOST_EVENTS + 2999]
    assert events[-1]["time"] == 3001
    assert GatewayLog(file).events() == events


FUNCTIONS = ("antivirus", "ips", "appctrl", "web_filtering")


def statuses(api: GatewayUnderTest) -> dict[str, str]:
    """The licence of each security service."""
    told = api.get("monitor/license/status")
    return {name: told[name]["status"] for name in FUNCTIONS}


def test_every_function_is_licensed(api: GatewayUnderTest) -> None:
    assert statuses(api) == dict.fromkeys(FUNCTIONS, "licensed")
    told = api.get("monitor/license/status")
    assert told["antivirus"]["expires"] > time.time()
    assert told["ips"]["version"]
    assert told["web_filtering"]["type"] == "live_fortiguard_service"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_licence_is_missing(api: GatewayUnderTest, function: str) -> None:
    assert api.control("PUT", "/faults/license-missing", {"function": function})[0] == 200
    assert statuses(api) == dict.fromkeys(FUNCTIONS, "licensed") | {function: "no_license"}
    assert "expires" not in api.get("monitor/license/status")[function]
    assert api.get("monitor/license/status")["vm"]["valid"] is True
    assert api.applied()["faults"] == {"license-missing": {"function": function}}


def test_all_licences_are_missing_or_have_run_out(api: GatewayUnderTest) -> None:
    api.control("PUT", "/faults/license-missing", {"function": "all"})
    assert set(statuses(api).values()) == {"no_license"}
    api.control("DELETE", "/faults")
    api.control("PUT", "/faults/licence-expired", {})
    assert set(statuses(api).values()) == {"expired"}
    api.control("DELETE", "/faults")
    api.control("PUT", "/faults/evaluation-licence", {})
    assert set(statuses(api).values()) == {"no_license"}


def test_a_function_that_there_is_not(api: GatewayUnderTest) -> None:
    status, answer = api.control("PUT", "/faults/license-missing", {"function": "teleport"})
    assert status == 400
    assert "antivirus" in answer["error"]

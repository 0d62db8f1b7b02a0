"""What the pages over the results tell, and to whom: the loopback, for reading, of runs alone."""

from __future__ import annotations

import csv
import io
import json
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from gatepass.cli import main
from gatepass.run.at_work import hold
from gatepass.serve import tables
from gatepass.serve.comparison import compare
from gatepass.serve.folder import BROKEN_OFF, UNDER_WAY, Asked, changes, run_called, runs
from history_examples import SERIAL, outcome
from served import (
    BROKEN,
    COOKIES,
    FIRST,
    FLEET,
    LIVE,
    OTHER,
    PLAN,
    SECOND,
    asked,
    kept,
    results,
    served,
    tell,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return results(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with served(folder) as there:
        yield there


@pytest.fixture
def live(folder: Path) -> Iterator[Path]:
    """A run that is under way for as long as the test lasts."""
    run = folder / LIVE
    run.mkdir()
    with hold(run):
        tell(run, PLAN)
        yield run
    for left in run.iterdir():
        left.unlink()
    run.rmdir()


def test_every_run_is_found_the_newest_first(folder: Path, live: Path) -> None:
    found = runs(folder)
    assert [run.name for run in found] == [LIVE, BROKEN, f"{FLEET}/a", SECOND, FIRST]
    assert [run.state for run in found][:3] == [UNDER_WAY, BROKEN_OFF, "approved"]
    assert (found[0].order, found[0].customer, found[0].tier) == ("4711-09", "Third Oy", "SGW-200")
    assert (found[2].customer, found[2].gateway) == ("Second Oy", OTHER)


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({"customer": "First Oy"}, [SECOND, FIRST]),
        ({"tier": "SGW-50"}, [f"{FLEET}/a"]),
        ({"verdict": BROKEN_OFF}, [BROKEN]),
        ({"gateway": SERIAL, "verdict": "rejected"}, []),
    ],
)
def test_what_is_asked_for(folder: Path, wanted: dict[str, str], names: list[str]) -> None:
    assert [run.name for run in runs(folder) if Asked(**wanted).fits(run)] == names


def test_a_folder_without_a_run_is_none(folder: Path) -> None:
    (folder / "notes").mkdir(exist_ok=True)
    assert run_called(folder, "notes") is None
    assert run_called(folder, "../results") is None


def test_a_damaged_document_is_no_verdict(tmp_path: Path) -> None:
    run = results(tmp_path) / FIRST
    newer = '{"format": "gatepass-results", "verdict": "approved with a reserve"}'
    for damaged in ('{"format": "another", "verdict": "approved"}', newer, "[]", "{", "\0"):
        (run / "results.json").write_text(damaged)
        assert run_called(tmp_path, FIRST) is None
    (run / "output.xml").write_text("<robot")
    assert run_called(tmp_path, FIRST).state == BROKEN_OFF


@pytest.mark.parametrize(
    "told", ['{"event": "plan"}', '{"event": "plan", "checks": null}', '{"event": "check"}', "[1]"]
)
def test_damaged_progress_takes_nobody_elses_place(tmp_path: Path, told: str) -> None:
    folder = results(tmp_path)
    with (folder / BROKEN / "progress.jsonl").open("a") as file:
        file.write(f"{told}\n")
    found = run_called(folder, BROKEN)
    assert (found.state, found.far.chapter, found.far.checks) == (BROKEN_OFF, "Before the test", 4)
    assert len(runs(folder)) == 4


def test_each_event_is_a_change(folder: Path, live: Path) -> None:
    seen = [changes(run_called(folder, LIVE))]
    for event in (
        {"event": "chapter", "name": "Before the test"},
        {"event": "begins", "name": "One"},
        {"event": "check", "chapter": "Before the test", "name": "One", "verdict": "pass"},
    ):
        tell(live, event)
        seen.append(changes(run_called(folder, LIVE)))
    assert len(set(seen)) == 4


def test_a_figure_that_fell_is_told_with_what_else_was_different(folder: Path) -> None:
    found = compare(run_called(folder, FIRST), run_called(folder, SECOND))
    fell, same = (pair for pair in found.pairs if pair.held)
    assert "1 policy" in fell.name and fell.differs and fell.step == "−19 %"
    assert "10 policies" in same.name and not same.differs
    assert found.differences == ['the gateway\'s shaper "sgw-200" was 320 and is 261 Mbit/s']


def test_checks_that_ended_otherwise(folder: Path, tmp_path: Path) -> None:
    two = results(tmp_path)
    changed = json.loads((two / SECOND / "results.json").read_text())
    check = changed["checks"][-1]
    check |= {"verdict": "fail", "message": "It carried 250 Mbit/s."}
    gone = changed["checks"].pop(0)
    (two / SECOND / "results.json").write_text(json.dumps(changed))
    told = compare(run_called(two, FIRST), run_called(two, SECOND)).turned
    assert [(one.name, one.one, one.other, one.message) for one in told] == [
        (check["name"], "pass", "fail", "It carried 250 Mbit/s."),
    ]
    assert compare(run_called(two, FIRST), run_called(two, SECOND)).alone == (1, 0)
    assert gone["name"] not in {one.name for one in told}


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/", ["5 of 5", "Third Oy", "broken off", "Chapter “Before the test”."]),
        ("/?tier=SGW-50", ["1 of 5", f"{FLEET}/a"]),
        ("/?customer=nobody", ["0 of 5", "No run is of that kind."]),
        (f"/runs/{LIVE}", ["Under way", "0 of 4 checks.", "About 2 min left."]),
        (f"/runs/{BROKEN}", ["Broken off", "stopped before there was a verdict"]),
        (f"/runs/{SECOND}", ["Certificate", f"/compare?run={FIRST}&amp;run={SECOND}"]),
        (f"/runs/{FLEET}/a", ["Second Oy"]),
        (f"/compare?run={FIRST}&run={SECOND}", ["1 figure changed", "−19 %", "was 320 and is 261"]),
    ],
)
def test_pages(url: str, live: Path, path: str, told: list[str]) -> None:
    status, page = asked(url, f"GET {path}")
    assert status == 200
    assert [part for part in told if part not in page] == []


@pytest.mark.parametrize(
    "chosen", [[], [FIRST], [FIRST, BROKEN], [FIRST, SECOND, FIRST], ["../x", FIRST]]
)
def test_two_that_cannot_be_compared(url: str, chosen: list[str]) -> None:
    query = "&".join(f"run={quote(name)}" for name in chosen)
    status, page = asked(url, f"GET /compare?{query}")
    assert status == 400 and "Choose two runs that have ended" in page


def test_a_run_that_says_too_little_is_told(tmp_path: Path) -> None:
    folder = results(tmp_path)
    told = json.loads((folder / SECOND / "results.json").read_text())
    del told["gateway"], told["checks"][0]["measurements"]
    (folder / SECOND / "results.json").write_text(json.dumps(told))
    with served(folder) as there:
        status, page = asked(there, f"GET /compare?run={FIRST}&run={SECOND}")
        assert status == 400 and "./run.sh results makes it again" in page
        for path in ("/", f"/runs/{SECOND}"):
            assert asked(there, f"GET {path}")[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        f"/files/{FIRST}/gateway-before.conf",
        f"/files/{BROKEN}/progress.jsonl",
        f"/files/{FIRST}/../../secret.txt",
        f"/files/{FIRST}/%2e%2e/%2e%2e/secret.txt",
        "/files/../secret.txt",
        "/files//etc/passwd",
        "/files/%2Fetc%2Fhostname",
        "/files/outside/secret.txt",
        f"/files/{FIRST}/leads-out.txt",
        f"/files/{FIRST}/.hidden.txt",
        f"/files/{FIRST}/",
        f"/files/{FIRST}/a%00b.txt",
        "/files/history.sqlite3",
        "/files/loose.txt",
        "/runs/../secret.txt",
        "/runs/nobody",
        "/events/nobody",
        "/nothing",
    ],
)
def test_nothing_but_what_runs_have_left(url: str, folder: Path, path: str) -> None:
    secret = folder.parent / "secret.txt"
    for file in (
        secret,
        folder / "loose.txt",
        folder / "history.sqlite3",
        folder / FIRST / ".hidden.txt",
    ):
        file.write_text("the secret")
    for link, target in (
        (folder / FIRST / "leads-out.txt", secret),
        (folder / "outside", folder.parent),
    ):
        if not link.is_symlink():
            link.symlink_to(target)
    status, page = asked(url, f"GET {path}")
    assert status == 404
    assert "the secret" not in page


def test_a_file_of_a_run_may_not_reach_the_pages(url: str) -> None:
    status, answer = asked(url, f"GET /files/{FIRST}/certificate.html")
    assert status == 200 and "Content-Security-Policy: sandbox allow-scripts" in answer
    assert "allow-same-origin" not in answer
    status, answer = asked(url, f"GET /files/{FIRST}/trials.csv")
    assert status == 200 and "Content-Type: text/plain" in answer


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", ["/", f"/runs/{FIRST}", f"/files/{FIRST}/trials.csv"])
def test_it_is_for_reading(url: str, method: str, path: str) -> None:
    status, _ = asked(url, f"{method} {path}\nContent-Length: 0")
    assert status == 405


@pytest.mark.parametrize("host", ["results.example", "127.0.0.1.example", "192.0.2.1", ""])
def test_another_sites_name_leads_nowhere(url: str, host: str) -> None:
    status, page = asked(url, f"GET /\nHost: {host}")
    assert status in (400, 403) and "Oy" not in page
    assert asked(url, "GET /\nHost: localhost:1")[0] == 200


def test_nobody_reaches_it_but_from_the_loopback(url: str) -> None:
    port = int(url.rpartition(":")[2])
    told = subprocess.run(["ip", "-j", "address"], capture_output=True, text=True, check=True)
    others = [
        address["local"]
        for link in json.loads(told.stdout)
        for address in link["addr_info"]
        if address["scope"] != "link" and address["local"] != "127.0.0.1"
    ]
    for address in [*others, "127.0.0.2"]:
        with pytest.raises(OSError):
            socket.create_connection((address, port), timeout=5)


def test_events_come_as_soon_as_there_is_one(url: str, live: Path) -> None:
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as line:
        head = f"GET /events/{LIVE} HTTP/1.1\r\nHost: {host}\r\nCookie: {COOKIES[url]}\r\n\r\n"
        line.sendall(head.encode())
        heard = b""
        for events in (1, 2):  # one at once, as the page may be older than this connection
            while heard.count(b"data: changed\n\n") < events:
                heard += line.recv(65536)
            tell(live, {"event": "begins", "name": str(events)})
        assert b"Content-Type: text/event-stream" in heard


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--port", "x"], "no port"),
        (["--port", "65536"], "no port"),
        (["--results", "/nowhere/at/all"], "there is no such folder"),
        (["runs"], "Unrecognized"),
    ],
)
def test_mistakes(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", *words]) == 64
    assert sentence in capsys.readouterr().err


def test_a_port_that_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--results", str(tmp_path), "--port", port]) == 64
    assert "another program has it. Name another with --port." in capsys.readouterr().err


# --- more than one run ----------------------------------------------------------------------------


def test_a_run_lists_each_of_its_reasons(tmp_path: Path) -> None:
    """None leads to a page that leads to another."""
    folder = results(tmp_path)
    told = json.loads((folder / SECOND / "results.json").read_text())
    reasons = [f"Reason {number} of many." for number in range(20)]
    told |= {"verdict": "rejected", "reasons": reasons, "causes": []}
    (folder / SECOND / "results.json").write_text(json.dumps(told))
    with served(folder) as there:
        _, page = asked(there, f"GET /runs/{SECOND}")
    assert [one for one in reasons if page.count(one) != 1] == []
    assert "on the certificate" not in page


@pytest.mark.parametrize(
    ("page", "there"),
    [
        ("failures/a/index.html", f"/files/{SECOND}/failures/a/index.html"),
        ("log.html#s1-t1", f"/files/{SECOND}/log.html#s1-t1"),
        ("failures/b/index.html", ""),  # it is not there
        ("../../etc/passwd", ""),
        ("/etc/passwd", ""),
        ("javascript:alert(1)", ""),
        ("", ""),
    ],
)
def test_a_reason_leads_to_what_was_seen(tmp_path: Path, page: str, there: str) -> None:
    folder = results(tmp_path)
    run = folder / SECOND
    (run / "failures" / "a").mkdir(parents=True)
    for name in ("failures/a/index.html", "log.html"):
        (run / name).write_text("<title>seen</title>")
    cause = {"verdict": "fail", "kind": "claim", "name": "stopped", "text": "A virus."}
    cause |= {"likely": "", "checks": [{"chapter": "a", "name": "b", "page": page}]}
    told = json.loads((run / "results.json").read_text())
    told |= {"verdict": "rejected", "causes": [cause]}
    (run / "results.json").write_text(json.dumps(told))
    with served(folder) as server:
        _, shown = asked(server, f"GET /runs/{SECOND}")
    links = re.findall(r'href="([^"]*)" aria-label="What was seen: A virus."', shown)
    assert links == ([there] if there else [])


def test_checks_that_ran_in_one_run_only_are_counted(tmp_path: Path) -> None:
    folder = results(tmp_path)
    told = json.loads((folder / SECOND / "results.json").read_text())
    left_out = told["checks"][-1]
    left_out |= {"verdict": "not proven", "ran": False, "measurements": [], "message": "Left out."}
    (folder / SECOND / "results.json").write_text(json.dumps(told))
    with served(folder) as there:
        _, page = asked(there, f"GET /compare?run={FIRST}&run={SECOND}")
    assert "1 check ran in the first run only." in page
    assert "1 figure was measured in one of the two only." in page
    assert "Left out." not in page


def test_how_many_ended_how(url: str, live: Path) -> None:
    _, page = asked(url, "GET /?customer=First+Oy")
    assert 'href="/?customer=First+Oy&amp;verdict=approved"' in page
    assert 'aria-label="2 approved: show these"' in page
    assert "1 under way" in asked(url, "GET /")[1]


def test_a_text_and_a_month_are_looked_for(url: str) -> None:
    _, page = asked(url, f"GET /?text={SERIAL.lower()}")
    assert "2 of 4" in page or "2 of 5" in page
    assert "No run is of that kind." in asked(url, "GET /?text=nowhere")[1]
    _, page = asked(url, "GET /?month=2026-03")
    assert "3 of " in page and "<option selected>2026-03</option>" in page


def test_which_run_of_its_gateway_it_is(tmp_path: Path) -> None:
    folder = results(tmp_path)
    told = json.loads((folder / FIRST / "results.json").read_text())
    (folder / FIRST / "results.json").write_text(json.dumps(told | {"verdict": "rejected"}))
    with served(folder) as there:
        assert "first run of this gateway" in asked(there, f"GET /runs/{FIRST}")[1]
        sentence = "run 2 of this gateway; before it: 1 rejected"
        assert sentence in asked(there, f"GET /runs/{SECOND}")[1]
        assert sentence in asked(there, "GET /")[1]


def _table(answer: str) -> list[dict[str, str]]:
    head, _, body = answer.partition("\r\n\r\n")
    assert "Content-Type: text/csv" in head and "attachment" in head
    return list(csv.DictReader(io.StringIO(body)))


def test_tables_as_csv(url: str) -> None:
    rows = _table(asked(url, "GET /runs.csv?customer=First+Oy")[1])
    assert [row["run"] for row in rows] == [SECOND, FIRST]
    assert rows[0]["gateway"] == SERIAL and rows[0]["pass"].isdecimal()
    rows = _table(asked(url, f"GET /compare.csv?run={FIRST}&run={SECOND}")[1])
    fell = next(row for row in rows if row["changed"] == "yes")
    assert (fell["first value"], fell["second value"], fell["step"]) == ("309.0", "250.0", "−19 %")


def test_no_text_is_a_formula(tmp_path: Path) -> None:
    kept(tmp_path / FIRST, outcome(0), customer='=HYPERLINK("http://x")', order="-2+3")
    (row,) = csv.DictReader(io.StringIO(tables.runs(runs(tmp_path))))
    assert row["customer"] == '\'=HYPERLINK("http://x")' and row["order"] == "'-2+3"


ODD = {
    "a list": "[]",
    "no result": '{"format": "gatepass-results", "verdict": "fine"}',
    "causes that are none": {"causes": [1, "x", None]},
    "a cause without checks": {"causes": [{"text": "x"}]},
    "reasons that are a number": {"reasons": 7},
    "an order that is a list": {"order": ["x"]},
    "a serial number that is an object": {"gateway": {"serial": {}}},
    "a time that is a number": {"run": {"id": "x", "started": 1, "duration_s": 1}},
    "an endless time": {"run": {"id": "x", "started": "x", "duration_s": float("inf")}},
    "counts that are texts": {"counts": {"pass": "many"}},
    "checks that are a text": {"checks": "none"},
    "far too deep": "[" * 100_000,
    "no text": b"\xff\xfe",
}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_result_costs_its_own_run_alone(tmp_path: Path, odd: str) -> None:
    """Such as one of another machine's, or one that somebody put there."""
    folder = results(tmp_path)
    target = folder / SECOND / "results.json"
    content = ODD[odd]
    if isinstance(content, dict):
        content = json.dumps(json.loads(target.read_text()) | content)
    target.write_bytes(content.encode() if isinstance(content, str) else content)
    (target.parent / "output.xml").touch()
    found = {run.name: run.state for run in runs(folder)}
    assert found[SECOND] == BROKEN_OFF and found[FIRST] != BROKEN_OFF
    with served(folder) as url:
        for page in ("/", f"/runs/{SECOND}", "/runs.csv"):
            status, text = asked(url, f"GET {page}")
            assert status == 200 and SECOND in text

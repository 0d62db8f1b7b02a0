"""What a recording keeps of a conversation: every exchange of it, and no secret."""

from __future__ import annotations

import base64
import gzip
import json
import resource
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from api_server import ScriptedApi, broken_off, text, told

from gatepass.base.errors import InputError
from gatepass.base.masking import MASK
from gatepass.gateway import transport
from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused
from gatepass.gateway.recorder import Recorder, must_be_new
from gatepass.gateway.recording import Head, Recording

HEAD = Head(
    gatepass="1", began="2026-01-01T00:00:00+00:00", mark="gp0a1b2c", profile="quick", order={},
    testbed={},
)
TOKEN = "the-secret-token"  # of the client
PATH = "firewall/address"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "recorded.jsonl"


@pytest.fixture
def recorder(file: Path) -> Iterator[Recorder]:
    """Records what the test does; the test closes it."""
    one = Recorder(file, HEAD, [TOKEN])
    with transport.by(one):
        yield one


def lines(file: Path) -> list[dict[str, Any]]:
    """The exchanges."""
    return [one for one in map(json.loads, file.read_text().splitlines()) if "method" in one]


def test_an_exchange_stands_there_whole(
    api: ScriptedApi, client: FortiGate, recorder: Recorder, file: Path
) -> None:
    api.script = [told(results=[{"name": "a"}]), told(500, error=-5, cli_error="taken")]
    recorder.check_begins("Chapter.A Check")
    client.rows(PATH, filter="name==a")
    with pytest.raises(Refused):
        client.create(PATH, {"name": "a"})
    recorder.check_ends("Chapter.A Check", "not proven")
    recorder.check_begins("")
    client.rows(PATH)
    recorder.close()
    first, second, third = lines(file)
    assert first["answer"] == {"status": "success", "results": [{"name": "a"}]}
    assert (first["method"], first["path"], first["status"]) == ("GET", f"cmdb/{PATH}", 200)
    assert first["query"] == {"vdom": "root", "filter": "name==a"}
    assert (second["method"], second["body"], second["status"]) == ("POST", {"name": "a"}, 500)
    assert second["answer"]["cli_error"] == "taken"
    assert [one.get("check") for one in (first, second, third)] == [*["Chapter.A Check"] * 2, None]
    assert all(one["milliseconds"] > 0 and one["at"] > 1.7e9 for one in (first, second, third))
    whole = Recording.read(file)
    assert whole.verdicts == {"Chapter.A Check": "not proven"} and not whole.bounded


def test_tries_that_failed_are_kept(
    api: ScriptedApi, client: FortiGate, recorder: Recorder, file: Path
) -> None:
    api.broken_handshakes = 1
    api.script = [told(503), broken_off, text(200, "<html>Log in</html>"), told(results=[])]
    with pytest.raises(Refused):
        client.rows(PATH)
    assert client.rows(PATH) == []
    assert client.retries == 3
    recorder.close()
    kinds = [one.get("failure", {}).get("kind") or one["status"] for one in lines(file)]
    assert kinds == ["ConnectionError", 503, "ChunkedEncodingError", 200, 200]
    assert lines(file)[3]["text"] == "<html>Log in</html>"


def test_connections_are_told_apart_and_strangers_too(
    api: ScriptedApi, client: FortiGate, certificates: Path, recorder: Recorder, file: Path
) -> None:
    for _ in range(2):
        another = FortiGate(api.url, TOKEN, certificates / "ca.pem")
        another.rows(PATH)
        another.close()
        del another
    with requests.Session() as stranger:
        stranger.trust_env, stranger.verify = False, str(certificates / "ca.pem")
        transport.call(stranger, "GET", f"{api.url}/api/v2/monitor/x", 1)
    client.rows(PATH)
    recorder.close()
    assert [one["connection"] for one in lines(file)] == [1, 2, 3, 4]
    assert [one.get("anonymous", False) for one in lines(file)] == [False, False, True, False]


def test_parallel_calls_are_all_there(
    api: ScriptedApi, certificates: Path, recorder: Recorder, file: Path
) -> None:
    def talk(number: int) -> None:
        one = FortiGate(api.url, TOKEN, certificates / "ca.pem")
        for call in range(5):
            one.rows(f"{PATH}/{number}-{call}")
        one.close()

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorder.close()
    paths = {one["path"] for one in lines(file)}
    assert paths == {f"cmdb/{PATH}/{number}-{call}" for number in range(6) for call in range(5)}
    connections = {(one["connection"], one["path"].split("/")[-1][0]) for one in lines(file)}
    assert len(connections) == 6  # each tenant, say, has its own


PSK, PASSWORD, KEY = "psk-of-the-tunnel", "password-of-a-user", "MIIEvQabcdefgh"
BACKUP = f"""#config-version=FGVM
config system snmp community
    edit 1
        set name "community-word"
    next
end
config user local
    edit "a"
        set passwd ENC U0VDUkVUU0VDUkVU
        set ppk-secret "clear-in-a-backup"
        set status enable
    next
end
config vpn certificate local
    edit "b"
        set private-key "-----BEGIN ENCRYPTED PRIVATE KEY-----
{KEY}
-----END ENCRYPTED PRIVATE KEY-----"
    next
end
"""
ANSWER = {
    "results": [
        {
            "name": "a", "psksecret": "psk-of-the-device", "api-key": "key-of-the-api",
            "passwd": "ENC QUJDREVGR0g=", "enc-key": "key-by-hand", "status": "enable",
            "comments": f"Bearer {TOKEN}, and {PSK}", "members": [{"token": "token-of-a-user"}],
        }
    ]
}
SECRET = (
    *(PSK, PASSWORD, KEY, TOKEN, "psk-of-the-device", "key-of-the-api", "QUJDREVGR0g"),
    *("key-by-hand", "token-of-a-user", "community-word", "U0VDUkVUU0VDUkVU"),
    *("clear-in-a-backup", "in-half-an-answer", "in-the-query"),
)


def test_no_secret_is_kept(
    api: ScriptedApi, client: FortiGate, recorder: Recorder, file: Path
) -> None:
    half = '{"results": [{"name": "a", "psksecret": "in-half-an-answer", "ppk-secret": "in-half-'
    api.script = [
        *(told(results=[]), told(mkey=f"set by {PSK}"), told(mkey="u"), told(**ANSWER)),
        *(told(results={}), told(), text(200, BACKUP), text(200, half)),
    ]
    client.rows(PATH, access_token="in-the-query")
    client.create("vpn.ipsec/phase1-interface", {"name": "a", "psksecret": PSK})
    client.create("user/local", {"name": "u", "type": "password", "passwd": PASSWORD})
    client.rows("vpn.ipsec/phase1-interface")
    client.run_script("s", f"config user local\nedit u\nset passwd {PASSWORD}\nend\n")
    assert TOKEN not in client.backup()
    with pytest.raises(Refused):
        client.rows(PATH)
    recorder.close()
    kept = file.read_text()
    assert len(lines(file)) == 8
    held = [one for one in SECRET if one in kept or _in_base64(one, kept)]
    assert held == []
    told_of = lines(file)[3]["answer"]["results"][0]
    assert told_of["psksecret"] == MASK and told_of["status"] == "enable"
    assert lines(file)[5]["body"]["file_content"].startswith("config user local\nedit u\n")


def _in_base64(secret: str, kept: str) -> bool:
    coded = (base64.b64encode((" " * shift + secret).encode()).decode() for shift in range(3))
    return any(one[4:-4] in kept for one in coded)


def test_what_was_told_of_a_secret_is_the_same_without_it(
    api: ScriptedApi, client: FortiGate, recorder: Recorder, file: Path
) -> None:
    """Otherwise a replay would say something else."""
    api.script = [text(200, BACKUP)]
    before = client.backup()
    recorder.close()
    (kept,) = lines(file)
    assert kept["text"].splitlines()[:2] == before.splitlines()[:2]
    assert "set status enable" in kept["text"] and kept["text"].endswith("next\nend\n")


def test_it_is_for_its_owner_alone_and_overwrites_nothing(file: Path) -> None:
    Recorder(file, HEAD, []).close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = file.read_bytes()
    with pytest.raises(InputError, match="there is such a file"):
        must_be_new(file)
    with pytest.raises(InputError, match="cannot be written"):
        Recorder(file, HEAD, [])
    file.with_name("link").symlink_to("nowhere")
    with pytest.raises(InputError, match="there is such a file"):
        must_be_new(file.with_name("link"))
    with pytest.raises(InputError, match="there is no folder"):
        must_be_new(file / "below")
    assert file.read_bytes() == before


def test_it_stops_at_its_bound_and_says_so(
    api: ScriptedApi, client: FortiGate, file: Path
) -> None:
    api.otherwise = told(results=[{"fqdn": "x" * 300}])
    recorder = Recorder(file, HEAD, [], most_bytes=3000)
    with transport.by(recorder):
        for _ in range(20):
            assert client.rows(PATH)
    assert "stops at its bound" in recorder.close()
    assert 2000 < file.stat().st_size < 3100
    read = Recording.read(file)
    assert read.bounded and 3 < len(read.exchanges) < 20


def test_a_run_goes_on_where_it_cannot_be_written(
    api: ScriptedApi, client: FortiGate, file: Path
) -> None:
    api.otherwise = told(results=[{"fqdn": "x" * 30_000}])
    recorder = Recorder(file, HEAD, [])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with transport.by(recorder):
            assert client.rows(PATH) == client.rows(PATH)
        said = recorder.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "is of no use: it could not be written whole (File too large)" in said


def test_a_name_may_ask_for_compression(
    api: ScriptedApi, client: FortiGate, tmp_path: Path
) -> None:
    path = tmp_path / "recorded.jsonl.gz"
    recorder = Recorder(path, HEAD, [])
    with transport.by(recorder):
        client.rows(PATH)
    recorder.close()
    assert json.loads(gzip.decompress(path.read_bytes()).splitlines()[0])["mark"] == HEAD.mark
    assert str(tmp_path).encode() not in gzip.decompress(path.read_bytes())
    assert len(Recording.read(path).exchanges) == 1


def test_an_answer_that_is_nested_without_end_costs_the_run_nothing(
    api: ScriptedApi, client: FortiGate, recorder: Recorder, file: Path
) -> None:
    api.script = [text(200, "[" * 100_000), text(200, '{"a":' * 400 + "1" + "}" * 400)]
    for _ in range(2):
        with pytest.raises((Refused, GatewayLost)):
            client.rows(PATH)
    recorder.close()
    assert len(Recording.read(file).exchanges) == 2

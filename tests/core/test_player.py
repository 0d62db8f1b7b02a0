"""A recording answers what was answered to the same question, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from api_server import ScriptedApi, silence, told
from gateway_client import TOKEN, GatewayUnderTest

from gatepass.base.errors import NotProven
from gatepass.gateway import transport
from gatepass.gateway.changes import Changes
from gatepass.gateway.exchange import key_of
from gatepass.gateway.fortigate import FortiGate, GatewayLost
from gatepass.gateway.identity import identify
from gatepass.gateway.journal import Journal
from gatepass.gateway.player import NotRecorded, Player
from gatepass.gateway.policy_table import PolicyTable
from gatepass.gateway.recorder import Recorder
from gatepass.gateway.recording import Head, Recorded, Recording
from gatepass.gateway.transport import Answer
from gatepass.gateway.workspace import new_mark
from support.run_context import RunContext

HEAD = Head(
    gatepass="1", began="2026-01-01T00:00:00+00:00", mark="gp0a1b2c", profile="quick", order={},
    testbed={},
)
PATH = "firewall/address"


def answered(name: str, path: str = PATH, check: str = "", connection: int = 1) -> Recorded:
    """One exchange: a table was asked for, and a row of this name came."""
    asked = {"method": "GET", "path": f"cmdb/{path}", "query": {"vdom": "root"}}
    content = json.dumps({"status": "success", "results": [{"name": name}]}).encode()
    answer = Answer("GET", path, 200, content, sent_s=5, took_s=2)
    return Recorded(key_of(asked), check, connection, answer)


@contextmanager
def replayed(*exchanges: Recorded) -> Iterator[Player]:
    player = Player(Recording(HEAD, list(exchanges)))
    with transport.by(player):
        yield player


@pytest.fixture
def ask() -> Callable[..., str]:
    """The name of the row that comes; of a client that reaches nobody."""
    nobody = FortiGate("https://recorded.invalid", "", Path("none"))

    def asked(path: str = PATH, gateway: FortiGate = nobody) -> str:
        (row,) = gateway.rows(path)
        return row["name"]

    return asked


def test_what_is_asked_again_is_answered_in_order_and_the_last_stays(ask) -> None:
    with replayed(answered("a"), answered("x", "firewall/vip"), answered("b")):
        assert [ask(), ask(), ask(), ask("firewall/vip"), ask()] == ["a", "b", "b", "x", "b"]


def test_a_check_is_answered_as_it_was_in_the_recording(ask) -> None:
    exchanges = [
        answered("begin"),
        answered("one", check="A.One"),
        answered("between"),
        *(answered(f"two {number}", check="A.Two") for number in (1, 2)),
        answered("end"),
    ]
    with replayed(*exchanges) as player:
        assert ask() == "begin"
        player.check_begins("A.Two")  # the one before it is left out
        assert [ask(), ask(), ask()] == ["two 1", "two 2", "two 2"]
        player.check_begins("")
        assert ask() == "end"
        player.check_begins("A.One")
        assert ask() == "one"
        player.check_begins("")
        assert ask() == "between"


def test_what_a_check_did_not_ask_is_as_it_was_last_before_it(ask) -> None:
    exchanges = [
        answered("before"),
        answered("x", "firewall/vip", check="A.One"),
        answered("after", check="A.Two"),
    ]
    with replayed(*exchanges) as player:
        player.check_begins("A.One")
        assert ask() == "before"
        player.check_begins("A.New")  # of which the recording knows nothing
        assert ask() == "before"
        player.check_begins("A.Two")
        assert ask() == "after"


def test_connections_are_answered_as_the_one_that_began_alike(ask) -> None:
    exchanges = [
        answered("main"),
        answered("of one", "x/1", connection=2),
        answered("of two", "x/2", connection=3),
        answered("two sees", connection=3),
        answered("one sees", connection=2),
    ]
    one, two = (FortiGate("https://recorded.invalid", "", Path("none")) for _ in range(2))
    with replayed(*exchanges):
        assert ask() == "main"
        assert (ask("x/2", two), ask("x/1", one)) == ("of two", "of one")
        assert (ask(PATH, one), ask(PATH, two)) == ("one sees", "two sees")


def test_a_question_that_is_not_there_is_named_and_the_gateway_is_not_lost(ask) -> None:
    gateway = FortiGate("https://recorded.invalid", "", Path("none"))
    with replayed(answered("a")):
        with pytest.raises(NotRecorded, match=r"no answer to GET cmdb/firewall/vip\?vdom=root: "):
            ask("firewall/vip", gateway)
        with pytest.raises(GatewayLost, match=r"POST cmdb/firewall/vip.* with {'name': 'a'}"):
            gateway.create("firewall/vip", {"name": "a"})
        assert (ask(PATH, gateway), gateway.lost, gateway.retries) == ("a", "", 0)


def test_attributes_in_another_order_are_the_same_question() -> None:
    one = {"method": "PUT", "path": "a", "query": {"x": "1", "y": "2"}, "body": {"p": 1, "q": [2]}}
    two = {"body": {"q": [2], "p": 1}, "query": {"y": "2", "x": "1"}, "path": "a", "method": "PUT"}
    assert key_of(one) == key_of(two)
    for name, other in (("path", "b"), ("body", {"q": [2]}), ("query", {}), ("method", "POST")):
        assert key_of(one) != key_of(one | {name: other})
    assert key_of(one) != key_of(one | {"anonymous": True})


def test_answers_take_as_long_as_they_took_and_pauses_take_no_time(ask) -> None:
    with replayed(answered("a")) as player:
        began = player.elapsed_s()
        ask()
        player.pause(1000)
        assert 1002 <= player.elapsed_s() - began < 1010


def test_its_mark_is_borne_and_no_token_is_needed() -> None:
    with replayed() as player:
        assert new_mark() == HEAD.mark and "2026-01-01" in player.replayed
    assert new_mark() != HEAD.mark


def test_there_are_no_endpoints() -> None:
    """So a check that sends traffic proves nothing in a replay."""
    run = RunContext()
    run.testbed = SimpleNamespace(endpoints=SimpleNamespace(named={"client": object()}))
    with replayed(), pytest.raises(NotProven, match=r"a replay has no endpoints.* the client"):
        run.client.connect()


def recorded(path: Path, job: Callable[[], object]) -> Recording:
    recorder = Recorder(path, HEAD, [TOKEN])
    with transport.by(recorder):
        job()
    recorder.close()
    return Recording.read(path)


def test_a_failure_comes_again(
    api: ScriptedApi, client: FortiGate, certificates: Path, tmp_path: Path
) -> None:
    """A lost gateway is lost in the same words; what was tried again is tried again."""
    said = []

    def job(gateway: FortiGate = client) -> None:
        gateway.rows(PATH)
        assert gateway.retries == 2
        with pytest.raises(GatewayLost) as lost:
            gateway.rows("firewall/vip")
        said.append(str(lost.value))

    api.script = [told(503), silence, told(results=[])]
    api.otherwise = told(429)
    recording = recorded(tmp_path / "r", job)
    api.shutdown()
    other = Path("no-such-ca.pem")
    with transport.by(Player(recording)):
        job(FortiGate(client.url, "", other, timeout_s=0.3))
    assert said[0] == said[1] and "429" in said[0]


def test_another_certificate_is_another_certificate_again(
    api: ScriptedApi, lab_process: GatewayUnderTest, tmp_path: Path
) -> None:
    said = []

    def job() -> None:
        gateway = FortiGate(api.url, TOKEN, lab_process.folder / "tls" / "ca.pem")
        with pytest.raises(GatewayLost, match="its certificate must chain to") as lost:
            gateway.rows(PATH)
        said.append(str(lost.value))

    recording = recorded(tmp_path / "r", job)
    with transport.by(Player(recording)):
        job()
    assert said[0] == said[1]


def test_a_run_finds_what_it_found(
    device: GatewayUnderTest, gateway: FortiGate, tmp_path: Path
) -> None:
    """Reading, and changes by script and one by one, with secrets that differ each time."""
    rows = [
        {
            "name": f"{HEAD.mark}-{number}",
            "type": "ipmask",
            "subnet": f"198.19.{number}.0 255.255.255.0",
        }
        for number in range(25)
    ]
    found = []

    def job(gateway: FortiGate = gateway) -> None:
        journal = tmp_path / "journal.jsonl"
        journal.unlink(missing_ok=True)
        changes = Changes(gateway, Journal.start(journal, {"mark": HEAD.mark}), HEAD.mark)
        before = gateway.backup()
        user = {"name": changes.name("u"), "type": "password", "passwd": f"word-{len(found)}-of"}
        changes.create("user/local", user)
        way = changes.create_many(PATH, rows)
        during = gateway.backup()
        changes.remove(PATH, [row["name"] for row in rows])
        changes.remove("user/local", [user["name"]])
        table = PolicyTable.read(gateway).policies
        who = identify(gateway, "198.18.0.2")
        assert gateway.row(PATH, rows[0]["name"]) is None
        # a backup's secrets are not recorded
        sizes = [text.count("\nconfig ") for text in (before, during, gateway.backup())]
        found.append((way, sizes, table, who))
        changes.journal.release()

    recording = recorded(tmp_path / "recorded.jsonl.gz", job)
    with transport.by(Player(recording)):
        job(FortiGate("https://recorded.invalid", "", Path("none")))
    assert found[0] == found[1] and found[0][0] == "script"

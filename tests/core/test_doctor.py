"""`doctor` names what keeps a testbed from proving something: one defect at a time."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from doctor_defects import DEFECTS, OF_ENDPOINTS, Defect, host, without
from doctor_world import PlayedHost, World, keeping
from gateway_client import GatewayUnderTest

from gatepass.base.own_yaml import own_yaml
from gatepass.base.paths import TEMPLATES
from gatepass.cli import main
from gatepass.report.sentences import Sentences
from gatepass.run import space

pytestmark = pytest.mark.usefixtures("quick_retries")


BY_OTHERS = {
    "--cap-add NET_RAW",
    "Debian 11, Ubuntu 22.04, RHEL 9",
    'Option "-j" is unknown, try "ip -help".',
    *("No such device", "Python 3.6.8", "curl 7.61.1", "Unknown VPN protocol 'fortinet'"),
    *("apt-get install -y iperf3 curl", "apt-get install -y curl"),
    *("apt-get install -y openconnect", "The client cannot be reached."),
}
"""Names, commands and what programs say, which are the same in every language."""


@pytest.fixture
def world(device: GatewayUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(device, tmp_path)
    made.play(monkeypatch)
    return made


def test_nothing_is_wrong_with_a_whole_testbed(world: World) -> None:
    made = world.examine()
    assert keeping(made) == [] and made.is_fine
    world.order = None
    assert keeping(world.examine()) == []


def test_an_ip_without_json_is_told_once(world: World) -> None:
    host("client", failing={"ip": "Option -j is unknown"}, says_routes=False)(world)
    (found,) = keeping(world.examine())
    assert "without JSON" in found.what


def test_nothing_stays_on_the_endpoints(world: World) -> None:
    world.examine()
    assert [one.written for one in world.hosts.values()] == [set()] * 3


def test_nothing_is_changed(world: World) -> None:
    log = world.device.folder / "gateway.log"
    before = len(log.read_text().splitlines())
    world.examine()
    asked = [line for line in log.read_text().splitlines()[before:] if "/api/v2/" in line]
    assert len(asked) > 40
    assert not [line for line in asked if " GET " not in line]


@pytest.mark.parametrize("defect", DEFECTS, ids=str)
def test_a_defect_is_named(world: World, defect: Defect) -> None:
    defect.bring(world)
    made = world.examine()
    found = [one for one in keeping(made) if re.search(defect.told, str(one))]
    assert found, [str(one) for one in keeping(made)]
    assert found[0].where == defect.where
    assert defect.keeps in found[0].keeps


@pytest.mark.parametrize("language", ["fi", "sv"])
def test_readers_get_what_is_wrong_with_an_endpoint_in_their_language(
    world: World, language: str
) -> None:
    known = Sentences(own_yaml(TEMPLATES / f"sentences.{language}.yaml"))
    left = set()
    for defect in OF_ENDPOINTS:
        if defect.where == "client":
            world.hosts["client"] = PlayedHost("client")
            defect.bring(world)
            for one in keeping(world.examine()):
                left |= {piece.text for piece in known.of(one.sentence) if not piece.known}
    assert left <= BY_OTHERS, left - BY_OTHERS


def test_what_is_worth_knowing_keeps_nothing_from_being_proven(world: World) -> None:
    soon = time.time() + 10 * 86_400

    def ends(licences: dict) -> dict:
        return licences | {"ips": licences["ips"] | {"expires": int(soon)}}

    def divided(state: dict) -> dict:
        return state | {"ha_mode": 2, "is_ha_master": 1, "vdom_mode": "multi-vdom"}

    world.changed |= {"license/status": ends, "web-ui/state": divided}
    made = world.examine()
    assert made.is_fine
    told = " ".join(str(one) for one in made.findings)
    assert "the licence for intrusion prevention ends on" in told
    assert "primary unit of a cluster" in told and "it has several VDOMs; root is tested" in told


def test_a_full_disk_here(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "_free", lambda _: 3)
    (found,) = keeping(world.examine())
    assert found.where == "here" and "3 MiB are free there, and a run needs 48" in str(found)


def test_what_the_order_does_not_take_is_not_asked_for(world: World) -> None:
    without("client", "curl")(world)
    options = world.order.options.model_copy(update={"security_services": False})
    world.order = world.order.model_copy(update={"options": options})
    world.gateway["troubles"] = {}
    assert keeping(world.examine()) == []


def test_the_command_says_it_for_people_and_for_programs(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["doctor", "--testbed", str(world.file())]
    assert main(words) == 0
    told = capsys.readouterr().out
    assert "Nothing keeps checks from being proven." in told
    assert re.search(r"SGW-500 +2,000 Mbit/s .* all 16 chapters", told)
    host("client", speed=1000, number=1000, user="tester")(world)
    assert main(words) == 2
    told = capsys.readouterr().out
    assert "mend  the client's SSH user tester is not root" in told
    assert re.search(r"SGW-500 [^S]*Stateful\s+firewall", told)
    assert main([*words, "--json", "--order", "variables/orders/lab.yaml"]) == 2
    document = json.loads(capsys.readouterr().out)
    assert not document["fine"] and document["order"] == "lab"
    assert [one["tier"] for one in document["tiers"]] == ["SGW-200"]
    assert {one["mark"] for one in document["findings"]} >= {"mend", "ok"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "--testbed"),
        (["--testbed", "nowhere.yaml"], "nowhere.yaml"),
        (["--testbed", "TESTBED", "--order", "nowhere.yaml"], "nowhere.yaml"),
        (["--testbed", "TESTBED", "--print-setup"], "--print-setup needs --order FILE"),
        (["--testbed", "TESTBED", "--profile", "none"], "found no profile 'none'"),
    ],
)
def test_a_mistake_is_a_sentence(
    world: World, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(world.file())
    assert main(["doctor", *(file if word == "TESTBED" else word for word in words)]) == 64
    said = capsys.readouterr().err
    assert told in said and said.count("\n") == 1


def test_there_are_enough_of_them() -> None:
    assert len({defect.name for defect in DEFECTS}) == len(DEFECTS) >= 25

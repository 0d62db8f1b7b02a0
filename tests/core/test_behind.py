"""Hosts behind the gateway: whatever it tells of its ports is a word on the endpoints."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from ipaddress import IPv4Network

import pytest

from gatepass.endpoint.completed import Completed
from gatepass.endpoint.script import must_be_script
from gatepass.scenarios.remote_access import behind
from gatepass.scenarios.remote_access.configuration import ALL_BEHIND, BEHIND, POOLS_WITHIN


class Recorder:
    """An endpoint that keeps what it is given and does nothing."""

    name = "client"

    def __init__(self) -> None:
        self.commands: list[str] = []
        self.files: list[str] = []

    def run(self, command: str, timeout_s: float = 15, again: bool = False) -> Completed:
        self.commands.append(must_be_script(command))
        return Completed(0, "")

    def put(self, text: str, path: str) -> None:
        self.files.append(text)

    def folder(self) -> str:
        return "/tmp/gatepass.gp0a1b2c"

    def announce(self, name: str, sha256: str) -> None:
        pass


@pytest.mark.parametrize("hop", ["198.18.1.1;id >/run/x;:", "$(id)", "a\nid\n", "`id`", "-x'y"])
@pytest.mark.parametrize(
    "prepare",
    [
        lambda shell, hop: behind.stand_in(shell, BEHIND, POOLS_WITHIN, hop),
        lambda shell, hop: behind.lead(shell, ALL_BEHIND, hop),
    ],
    ids=["server", "client"],
)
def test_an_address_is_one_word(prepare: Callable[[Recorder, str], None], hop: str) -> None:
    shell = Recorder()
    prepare(shell, hop)
    change, undo = shell.commands[-1], shell.files[-1]
    for text in (change, undo):
        words = shlex.shlex(text, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        assert list(words).count(hop) == 1


def test_each_network_has_a_host() -> None:
    shell = Recorder()
    behind.stand_in(shell, [IPv4Network("198.19.248.0/24")], POOLS_WITHIN, "198.18.2.1")
    assert "/32 dev lo; ip route add" in shell.commands[-1]
    assert shell.files[-1].startswith("ip address del 198.19.248.")

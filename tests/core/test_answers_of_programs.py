"""Whatever an endpoint's program writes, who reads it gets a value of its type or one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gatepass.base.errors import NotProven
from gatepass.endpoint import transactions
from gatepass.endpoint.clock_agreement import agreement
from gatepass.endpoint.completed import Completed
from gatepass.endpoint.dhcp import LEASE, DhcpHosts, Group, Step
from gatepass.endpoint.download import FileSource, fetch, timed
from gatepass.endpoint.forged import free_addresses
from gatepass.endpoint.frames import FrameCapture, FrameSender, must_be_root
from gatepass.endpoint.processor_time import used_s
from gatepass.endpoint.pulse import Pulse
from gatepass.endpoint.repeated import RepeatedDownload
from gatepass.endpoint.script import must_be_script, script
from gatepass.endpoint.stand_in import StandIn
from gatepass.endpoint.stream import Stream, clock_of
from gatepass.endpoint.talk import Asking
from gatepass.endpoint.wire_watch import Carrier, WireWatch
from gatepass.scenarios.leaks.ways import links_of
from gatepass.scenarios.remote_access.configuration import VpnUser
from gatepass.scenarios.remote_access.portal import log_in
from gatepass.scenarios.remote_access.ssl_vpn_client import SslVpnClient
from gatepass.scenarios.remote_access.vpn_client import together
from gatepass.scenarios.security import application_mix, proxy_users

USER = VpnUser(1, "user", "secret", None)
FAR, PORT = "198.18.2.10", 5300


class Says:
    """An endpoint on which every program works and writes the same."""

    name = "client"

    def __init__(self, text: str) -> None:
        self.text = text
        self.commands: list[str] = []

    def run(self, command: str, timeout_s: float = 15, again: bool = False) -> Completed:
        """Every command, looks at programs that have ended included, is answered by the text."""
        self.commands.append(must_be_script(command))
        ended = "-1\n0\n" if command.endswith(".out") and ".rc" in command else ""
        return Completed(0, ended + self.text)

    def put(self, text: str, path: str) -> None:
        pass

    def folder(self) -> str:
        return "/tmp/gatepass.gp0a1b2c"

    def announce(self, name: str, sha256: str) -> None:
        pass


SOURCE = FileSource("http", FAR, 80)
LOOK = {"interface": "eth0", "marks": {}, "own": "00000000"}
ASKED = transactions.Exchange("TCP", 1, 1, 0.1)
STEP = Step((Group(LEASE, ("02:00:00:00:00:01",)),), 0.1, 0.1)
TUNNEL = (Carrier("esp"),)

READERS: dict[str, Callable[[Says], object]] = {
    "must_be_root": must_be_root,
    "clock_of": clock_of,
    "agreement": lambda shell: agreement(shell, shell, FAR, PORT),
    "used_s": lambda shell: used_s(shell, script("1")),
    "links_of": lambda shell: links_of(shell, [FAR]),
    "free_addresses": lambda shell: free_addresses(shell, "eth0", [FAR]),
    "capture ready": lambda shell: FrameCapture(shell, "x", LOOK, 1).ready(),
    "capture": lambda shell: FrameCapture(shell, "x", LOOK, 1).stop(),
    "sender": lambda shell: FrameSender(shell, "x", "{}", 1, 1).wait(),
    "pulse": lambda shell: Pulse(shell, "x", {FAR: 1}, PORT, 0.01).wait(),
    "stream": lambda shell: Stream(shell, shell, FAR, PORT, "x", 0.1, 1).end(),
    "talk": lambda shell: Asking(shell, FAR, PORT, 1, 0.1, 1).end(),
    "transactions": lambda shell: transactions.run(shell, shell, FAR, PORT, ASKED),
    "dhcp": lambda shell: DhcpHosts(shell, "eth0", FAR, "02:00:00:00:00:02", "x").do(STEP),
    "stand-in": lambda shell: StandIn.start(shell, "x", {}),
    "route": lambda shell: WireWatch(shell, "x", FAR, TUNNEL, [FAR]).begin(),
    "counters": lambda shell: WireWatch(shell, "x", FAR, TUNNEL, [FAR]).look(),
    "repeated": lambda shell: RepeatedDownload(shell, "x", SOURCE, "x", 1).tries(),
    "fetch": lambda shell: fetch(shell, SOURCE, "x"),
    "timed": lambda shell: timed(shell, SOURCE, "x", 10, 1),
    "mix": lambda shell: application_mix.mixed_load(
        shell, lambda _: SOURCE, [("x", 1)], (("HTTP", 1),), 0.1, 0.1
    ),
    "proxy users": lambda shell: proxy_users.run(shell, None, "http://x/", 1, 0.1),
    "portal": lambda shell: log_in(shell, FAR, PORT, "00", USER),
    "VPN traffic": lambda shell: together(shell, [], FAR, PORT, 0.1),
    "VPN users": lambda shell: SslVpnClient(shell, "gp0a1b2c", FAR, PORT, "x").connect([USER]),
}
OTHERS = {
    *("endpoint/probe.py", "endpoint/datagrams.py", "endpoint/rig_watch.py"),
    *("endpoint/strongswan.py", "endpoint/visits.py"),
}
"""Who looks at the shape in other ways; `visits` reads a file of its own."""
TEXTS = {
    "a command": "198.18.1.1;id\n",
    "a command as an address": '{"198.18.2.10": {"interface": "$(id)", "sent": "`id`"}}\n',
    "another shape": '{"a": [1, null, {"b": NaN}]}\n',
    "deep": "[" * 100_000 + "\n",
    "a digit too many": "9" * 5000 + "\n",
    "null": "null\n",
    "no letters": "\x00\x1b[2J\u202e\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("reads", READERS.values(), ids=READERS)
def test_it_is_one_sentence(reads: Callable[[Says], object], text: str) -> None:
    with pytest.raises(NotProven) as caught:
        reads(Says(text))
    assert "client" in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_all_that_reads_is_here() -> None:
    """Who parses JSON without a type reads an endpoint's answer in another way."""
    library = Path(__file__).parents[2] / "libraries" / "gatepass"
    found = {
        str(path.relative_to(library))
        for room in ("endpoint", "scenarios")
        for path in (library / room).rglob("*.py")
        if "remote" not in path.parent.parts[-1:] and "json.loads(" in path.read_text()
    }
    assert found - OTHERS == {"endpoint/answers.py"}

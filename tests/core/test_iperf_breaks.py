"""What a device on the way can do to a trial of the real iperf3, and what accidents do to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.endpoint import iperf
from gatepass.endpoint.script import Script
from gatepass.results.broken import (
    CONTROL_LOST,
    FIRST_LOST,
    REFUSED,
    RESET,
    STOPPED,
    UNANSWERED,
    Broken,
)
from gatepass.results.trial import Load

PORT = 5299
FLOW = "ip saddr . {0} sport . ip daddr . {0} dport"
_SETS = """
set young { type ipv4_addr . inet_service . ipv4_addr . inet_service
 flags dynamic, timeout; timeout 1s; size 65535; }
set seen { type ipv4_addr . inet_service . ipv4_addr . inet_service; flags dynamic; size 65535; }
"""
_OLD = (
    f"tcp dport {PORT} ct state new add @young {{ {FLOW.format('tcp')} }}\n"
    f"tcp dport {PORT} ct state established {FLOW.format('tcp')} != @young"
)
_FIRST = "{0} {1} != @seen add @seen {{ {1} }} drop"
UDP = {"udp_mbps": 5.0}

BREAKS = {
    "refused": (f"tcp dport {PORT} reject with tcp reset", {}, REFUSED, ""),
    "unreachable": (f"tcp dport {PORT} reject with icmp admin-prohibited", {}, REFUSED, ""),
    "no answer": (f"tcp dport {PORT} tcp flags syn drop", {}, UNANSWERED, ""),
    "reset": (f"{_OLD} reject with tcp reset", {}, RESET, " of 2 s"),
    "reset from the other side": (
        f"tcp dport {PORT} ct state new add @young {{ {FLOW.format('tcp')} }}\n"
        f"tcp sport {PORT} ct state established "
        "ip daddr . tcp dport . ip saddr . tcp sport != @young reject with tcp reset",
        {},
        RESET,
        " of 2 s",
    ),
    "reset backwards": (f"{_OLD} reject with tcp reset", {"reverse": True}, RESET, " of 2 s"),
    "silent": (f"{_OLD} drop", {}, STOPPED, " of 2 s"),
    "first datagram": (_FIRST.format(f"udp dport {PORT}", FLOW.format("udp")), UDP, FIRST_LOST, ""),
    "no datagram": (f"udp dport {PORT} drop", UDP, FIRST_LOST, ""),
    "refused datagrams": (f"udp dport {PORT} reject", UDP, REFUSED, ""),
    "silent datagrams": (
        f"udp dport {PORT} ct original packets > 300 drop\n{_OLD} drop",
        UDP,
        STOPPED,
        " of 2 s",
    ),
    "too few sessions": (
        f"tcp dport {PORT} ct state new ct count over 2 drop",
        {},
        UNANSWERED,
        "",
    ),
    "too few sessions, told": (
        f"tcp dport {PORT} ct state new ct count over 2 reject with tcp reset",
        {},
        REFUSED,
        "",
    ),
}
"""What a device does to what passes, by nftables; the trial; how it breaks off, and words of it."""


def impair(shell: LocalShell, rules: str) -> None:
    """Have a device on the way do this to what passes."""
    chain = f"chain passing {{ type filter hook input priority 0\n{rules}\n}}"
    table = f"table inet way {{ {_SETS} {chain}\n}}\n"
    path = f"{shell.folder()}/rules"
    shell.put(table, path)
    done = shell.run(Script(f"ip link set lo mtu 1500; nft -f {path}"))
    assert done.status == 0, done.errors


pytestmark = pytest.mark.usefixtures("one_host")


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as a quiet machine needs."""
    monkeypatch.setattr(iperf, "_GRACE_S", 4)
    monkeypatch.setattr(iperf, "_UDP_GRACE_S", 3)


def trial(shell: LocalShell, keep: Path | None = None, **load: object) -> object:
    asked = Load(2, interval_s=0.25, streams=1 if "udp_mbps" in load else 2, **load)
    if not asked.udp_mbps:
        asked = Load(2, interval_s=0.25, streams=2, pace_mbps=40, **load)
    return iperf.run(shell, shell, "127.0.0.1", PORT, asked, keep)


@pytest.mark.parametrize("name", BREAKS)
def test_what_a_device_does_is_told_as_a_break(
    apart: LocalShell, hasty: None, name: str
) -> None:
    rules, load, how, words = BREAKS[name]
    impair(apart, rules)
    with pytest.raises(Broken) as broken:
        trial(apart, **load)
    assert broken.value.how == how, broken.value
    if not broken.value.early:  # as it may be on a machine that is slow to begin
        assert words in str(broken.value)
    assert "iperf3" not in str(broken.value)


def test_a_connection_that_opens_a_second_late_breaks_nothing(apart: LocalShell) -> None:
    syn = f"tcp flags syn / syn,ack tcp dport {PORT}"
    impair(apart, _FIRST.format(syn, FLOW.format("tcp")))
    assert trial(apart).mbps > 10


@pytest.mark.parametrize("load", [UDP, {}])
def test_what_lets_no_large_packet_through_lets_no_content_through(
    apart: LocalShell, load: dict
) -> None:
    protocol = "udp" if load else "tcp"
    impair(apart, f"meta l4proto {protocol} th dport {PORT} meta length > 1300 drop")
    made = trial(apart, **load)
    assert made.mbps == 0
    assert made.lost_percent == (100 if load else None)
    assert not load or made.datagrams > 100


def test_datagrams_that_the_kernel_has_to_cut_up_are_too_large(apart: LocalShell) -> None:
    narrow = "ip route replace local 127.0.0.1 dev lo table local mtu 1400"
    told = apart.run(Script(f"ip link set lo mtu 1500; {narrow}"))
    assert told.status == 0, told.errors
    assert trial(apart).mbps > 10
    with pytest.raises(Broken, match="a packet of 1,428 bytes from client to client was too large"):
        trial(apart, **UDP)
    assert trial(apart, datagram_bytes=1300, **UDP).mbps > 1
    assert trial(apart, datagram_bytes=4096, in_fragments=True, **UDP).mbps > 1


@pytest.mark.parametrize("reverse", [False, True])
def test_datagrams_behind_the_last_that_came_are_lost_as_well(
    apart: LocalShell, reverse: bool
) -> None:
    port = "sport" if reverse else "dport"
    counted = "reply" if reverse else "original"
    impair(apart, f"udp {port} {PORT} ct {counted} packets > 400 drop")
    made = trial(apart, reverse=reverse, **UDP)
    assert made.datagrams > 450
    assert made.lost_percent == pytest.approx(100 * (1 - 400 / made.datagrams), abs=3)


@pytest.mark.parametrize("side", ["client", "server"])
@pytest.mark.parametrize("signal", ["KILL", "TERM"])
def test_a_program_that_is_ended_is_the_rigs(
    apart: LocalShell, hasty: None, side: str, signal: str
) -> None:
    word = "-s" if side == "server" else "-c"
    folder = Path(apart.folder()) / "bin"
    folder.mkdir()
    program = folder / "iperf3"
    end = f"( sleep 1; kill -s {signal} $$ ) & "
    program.write_text(
        f'#!/bin/sh\n[ "$1" = {word} ] && {{ {end} }}\nexec /usr/bin/iperf3 "$@"\n'
    )
    program.chmod(0o755)
    apart.inside = (*apart.inside, "env", f"PATH={folder}:/usr/sbin:/usr/bin:/sbin:/bin")
    with pytest.raises(NotProven, match=f"iperf3 on the client .*(signal 9|the {side} has term)"):
        trial(apart)


def test_the_server_that_never_hears_of_the_end(apart: LocalShell, hasty: None) -> None:
    """All data come through, and what is said at the end does not."""
    impair(
        apart,
        f"tcp dport {PORT} ct state new ct mark 0 numgen inc mod 3 == 0 ct mark set 7\n"
        f"ct mark 7 ct original packets > 9 drop",
    )
    with pytest.raises(Broken) as broken:
        trial(apart)
    assert broken.value.how == CONTROL_LOST, broken.value


def test_a_report_of_before_is_read_as_it_was() -> None:
    data = Path(__file__).with_name("data")
    for name in ("udp", "udp-loss", "udp-reverse", "udp-loss-reverse"):
        sent, received = (
            json.loads((data / f"{name}-{side}.json").read_text()) for side in ("client", "server")
        )
        own = sent if "reverse" in name else received
        made = iperf.parse(sent, received)
        assert made.lost_percent == own["end"]["sum"]["lost_percent"]
        assert made.datagrams == own["end"]["sum"]["packets"]

"""What is wrong with the rig is never the gateway's fault: not proven, with the reason."""

from __future__ import annotations

import pytest
from cases import (
    AFTER,
    BASELINES,
    BEFORE,
    CLEAN,
    CLOCKS,
    COUNTS,
    DISABLED,
    DOWN,
    IN_TIME,
    IPV6,
    LOSS,
    NOT_PROVEN,
    ONE,
    ORDER,
    PATH,
    PERMITS,
    READY,
    UP,
    Case,
    alone,
    cases_of,
    prove,
    together,
)
from faulty_lab import NAME, Ended, FaultyLab

from gatepass.cli import NOT_RESTORED
from gatepass.endpoint import visits

ITSELF = (NOT_PROVEN, "The path without the gateway, asked for 315", "carried no more than")
HOST_KEY = (NOT_PROVEN, "client", "a host key other than", "known_hosts")
LOST = (NOT_PROVEN, "client", "SSH", "198.18.0.11")
BUSY = (NOT_PROVEN, "port 5201 on the server is busy")
ENFORCED = (COUNTS, ORDER, IN_TIME, DISABLED)
BEHIND_FIREWALL = (
    NOT_PROVEN,
    "198.18.3.20 port 530",
    "not answered on the path without the gateway either",
    "Is there a firewall on the server",
)

SERVER_DROPS = (
    NOT_PROVEN,
    "came through the gateway to data of the server, and the server did not take it",
    "Is there a firewall on it, or a strict reverse-path filter (rp_filter)?",
)
CLIENT_DROPS = (
    NOT_PROVEN,
    "the answer to TCP to 198.18.2.10 port 5",
    "came through the gateway to data of the client, and the client did not take it",
)

MEASURED = alone(
    Case(
        ("slow-endpoint",),
        (READY, PATH, BASELINES, ONE, UP),
        dict.fromkeys((BEFORE, ONE, UP, AFTER), ITSELF),
    ),
    Case(
        ("endpoint-cpu-busy",),
        (READY, PATH, ONE),
        {ONE: (NOT_PROVEN, "waited for a processor", "Run again when the test machines are idle")},
    ),
)

RUNS = [
    together(
        Case(
            ("iperf3-missing",),
            (READY, PATH, ONE, PERMITS),
            {
                READY: (NOT_PROVEN, "client", "lacks iperf3"),
                ONE: (NOT_PROVEN, "iperf3", "client"),
            },
        ),
        Case(
            ("endpoint-clock-off",),
            (CLOCKS,),
            {CLOCKS: (NOT_PROVEN, "the client's clock differs by +", "Set up NTP there")},
        ),
    ),
    *alone(
        Case(
            ("iperf3-down",),
            (READY, PATH, BASELINES, ONE, LOSS, PERMITS),
            dict.fromkeys(
                (READY, BEFORE, ONE, LOSS, AFTER),
                (NOT_PROVEN, "server", "unable to start listener"),
            ),
        ),
        Case(
            ("client-without-rights",),
            (READY,),
            {READY: (NOT_PROVEN, "root of the client", "has no CAP_NET_ADMIN, CAP_NET_RAW")},
        ),
        Case(
            ("iperf3-busy",),
            (READY, PATH, BASELINES, ONE, LOSS, PERMITS),
            dict.fromkeys((READY, BEFORE, ONE, LOSS, AFTER), BUSY),
        ),
        Case(
            ("ssh-lost",),
            (READY, PATH, ONE, LOSS, PERMITS, DOWN),
            dict.fromkeys((ONE, LOSS, PERMITS, DOWN, CLEAN), LOST),
            lost=True,
        ),
        Case(
            ("server-firewall",),
            (READY, PATH, PERMITS, IPV6),
            dict.fromkeys((PATH, PERMITS), BEHIND_FIREWALL)
            | {IPV6: (NOT_PROVEN, "2001:2:0:3::20 port 5301 is not answered on the path without")},
        ),
        Case(
            ("server-zone",),
            (PATH, ONE, PERMITS, IPV6),
            dict.fromkeys((PATH, ONE, PERMITS, IPV6), SERVER_DROPS),
        ),
        Case(
            ("server-zone", "ports=5201", "protocols=udp"),
            (PATH, LOSS),
            {LOSS: SERVER_DROPS},
        ),
        Case(
            ("server-zone", "ports=5201", "protocols=udp", "percent=2"),
            (LOSS,),
            {LOSS: (NOT_PROVEN, "the server itself dropped", "that came to its interface data")},
        ),
        Case(("server-reverse-path",), (PATH, ORDER), dict.fromkeys((PATH, ORDER), SERVER_DROPS)),
        Case(
            ("client-zone",),
            (PATH, ONE, PERMITS),
            dict.fromkeys((PATH, ONE, PERMITS), CLIENT_DROPS),
        ),
        Case(
            ("host-key-changed",),
            (READY, CLOCKS, PATH, ONE, PERMITS),
            dict.fromkeys((READY, CLOCKS, PATH, ONE, PERMITS, CLEAN), HOST_KEY),
            lost=True,
        ),
    ),
]
SAME_PORT = alone(
    Case(
        ("server-firewall",),
        (PATH, *ENFORCED),
        dict.fromkeys((PATH, *ENFORCED), BEHIND_FIREWALL),
    ),
)
"""Other checks of the same port: they are tried where long tests are."""
CASES = cases_of([*MEASURED, *RUNS, *SAME_PORT])


@pytest.mark.parametrize("cases", MEASURED)
def test_measured(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


@pytest.mark.parametrize("cases", RUNS)
def test_not_held_against_the_gateway(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


@pytest.mark.long
@pytest.mark.parametrize("cases", SAME_PORT)
def test_another_check_is_not_held_against_it(
    lab: FaultyLab, cases: tuple[Case, ...]
) -> None:
    prove(lab, *cases)


def test_what_a_lost_endpoint_keeps_is_told_and_taken_away_later(lab: FaultyLab) -> None:
    def kept(run: Ended) -> bool:
        """Whether the run's own folder is there; an earlier case may have left one of its own."""
        mark = visits.Visits.read(run.folder / visits.NAME).head["mark"]
        look = ("sh", "-c", f"ls -d /tmp/gatepass.{mark} 2>/dev/null; true")
        return bool(lab.must("lab", "exec", "client", "--lab", NAME, "--", *look).stdout)

    with lab.faults(("ssh-lost",)):
        ended = lab.run(f"*.{ONE}")
        assert "may be left on the client" in ended.output
        assert kept(ended)
        restored = lab.restore(ended)
        assert restored.returncode == NOT_RESTORED
        assert "What the run left on the client stays there" in restored.stdout
        assert "start sshd on it" in restored.stdout
    restored = lab.restore(ended)
    assert restored.returncode == 0, restored.stdout
    assert "what it had left on the client is gone" in restored.stdout
    assert not kept(ended)
    assert "Nothing to restore" in lab.restore(ended).stdout

"""Each fault of an endpoint does what its sentence says, and is gone when it is cleared."""

import json
import os
import time
from pathlib import Path

import paramiko
import pytest
from network_lab import Labs

from lab.base.faults import DATA_PLANE, FAULTS
from lab.base.process import wait_until
from lab.faults.endpoints import ENDPOINT_FAULTS
from lab.gateway.dataplane import DATA_PLANE_FAULTS

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the lab needs root")

LAB = "faulty"


@pytest.fixture(scope="module")
def labs(tmp_path_factory):
    labs = Labs(tmp_path_factory.mktemp("labs"))
    labs.must("up", LAB)
    yield labs
    labs.must("down", LAB)


@pytest.fixture
def fault(labs):
    """Puts a fault in force; a second call takes it back."""

    def put(*words: str) -> str:
        return labs.must("fault", *words, "--lab", LAB)

    yield put
    labs.must("fault", "--clear", "--lab", LAB)


def _iperf3(labs: Labs, *more: str) -> dict:
    done = labs.run_in("client", "iperf3", "-J", "-c", "198.18.3.20", *more, lab=LAB)
    return json.loads(done.stdout)


def _serve(labs: Labs, port: str) -> None:
    served = labs.run_in("server", "iperf3", "-s", "-D", "-p", port, lab=LAB)
    assert served.returncode == 0, served.stderr


def _mbps(labs: Labs, port: str, *more: str) -> float:
    for _ in range(50):
        result = _iperf3(labs, "-p", port, "-t", "1", *more)
        if "refused" not in result.get("error", ""):
            return result["end"]["sum_received"]["bits_per_second"] / 1e6
    raise AssertionError(result["error"])


def test_iperf3_down(labs, fault):
    fault("iperf3-down")
    done = labs.run_in("server", "iperf3", "-s", "-1", lab=LAB)
    assert done.returncode == 1
    assert "error" in done.stderr
    assert labs.run_in("client", "iperf3", "--version", lab=LAB).returncode == 0
    fault("iperf3-down", "--clear")
    assert labs.run_in("server", "iperf3", "--version", lab=LAB).returncode == 0


def test_iperf3_busy(labs, fault):
    fault("iperf3-busy")
    assert "busy" in _iperf3(labs, "-t", "1")["error"]
    fault("iperf3-busy", "--clear")
    assert "refused" in _iperf3(labs, "-t", "1")["error"]


def test_ssh_lost(labs, fault):
    _serve(labs, "5301")
    fault("ssh-lost", "after=0.2")
    # To ask for the version is no traffic.
    assert labs.over_ssh("client", "iperf3 --version >/dev/null; sleep 0.5; echo in", LAB)[0] == 0
    with labs.ssh("client", LAB) as client:
        client.exec_command("iperf3 -c 198.18.3.20 -p 5301 -t 3 -b 1M >/dev/null &")
        deadline = time.monotonic() + 60
        while client.get_transport().is_active():
            assert time.monotonic() < deadline, "the session outlived the traffic"
            time.sleep(0.05)
    with pytest.raises((OSError, paramiko.SSHException)), labs.ssh("client", LAB):
        pass
    assert labs.over_ssh("server", "echo in", LAB) == (0, "in\n")
    assert "SSH server is gone" in labs.must("status", LAB)
    fault("ssh-lost", "--clear")
    assert labs.over_ssh("client", "echo in", LAB) == (0, "in\n")


def test_slow_endpoint(labs, fault):
    _serve(labs, "5302")
    fault("slow-endpoint", "mbps=40")
    assert 20 < _mbps(labs, "5302") < 42
    assert 20 < _mbps(labs, "5302", "--reverse") < 42
    fault("slow-endpoint", "mbps=80")  # again, with another figure
    queues = labs.run_in("client", "tc", "qdisc", lab=LAB).stdout
    assert queues.count("rate 80Mbit") == 4
    assert "40Mbit" not in queues
    fault("slow-endpoint", "--clear")
    assert _mbps(labs, "5302") > 200
    links = json.loads(labs.run_in("client", "ip", "-j", "link", lab=LAB).stdout)
    assert {link["ifname"] for link in links} == {"lo", "ctl", "data", "direct"}


def test_host_key_changed(labs, fault):
    fault("host-key-changed")
    with pytest.raises(paramiko.BadHostKeyException), labs.ssh("client", LAB):
        pass
    assert labs.over_ssh("server", "echo in", LAB) == (0, "in\n")
    fault("host-key-changed", "--clear")
    assert labs.over_ssh("client", "echo in", LAB) == (0, "in\n")


def test_client_without_rights(labs, fault):
    opens = "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'"
    assert labs.over_ssh("client", opens, LAB)[0] == 0
    fault("client-without-rights")
    assert labs.over_ssh("client", opens, LAB)[0] != 0
    assert labs.over_ssh("client", "id -u; ip link set lo up", LAB) == (2, "0\n")
    assert labs.over_ssh("server", opens, LAB)[0] == 0
    fault("client-without-rights", "--clear")
    assert labs.over_ssh("client", opens, LAB)[0] == 0


def test_iperf3_missing(labs, fault):
    fault("iperf3-missing")
    assert labs.over_ssh("client", "command -v iperf3", LAB)[0] != 0
    assert labs.over_ssh("client", "iperf3 --version", LAB)[0] == 127
    assert labs.over_ssh("client", "command -v nsenter", LAB)[0] == 0
    assert labs.run_in("server", "iperf3", "--version", lab=LAB).returncode == 0
    fault("iperf3-missing", "--clear")
    assert labs.over_ssh("client", "iperf3 --version", LAB)[0] == 0


def test_vpn_client_missing_and_broken(labs, fault):
    log_in = "openconnect --protocol=fortinet https://127.0.0.1:1"
    fault("vpn-client-broken")
    assert labs.over_ssh("client", "openconnect --version", LAB)[0] == 0
    assert labs.over_ssh("client", log_in, LAB)[0] == 127
    fault("vpn-client-missing")
    assert labs.over_ssh("client", "command -v openconnect", LAB)[0] != 0
    fault("--clear")
    assert labs.over_ssh("client", log_in, LAB)[0] == 1


@pytest.mark.parametrize(
    ("name", "node", "source", "address", "port"),
    [
        ("server-firewall", "server", "client", "198.18.3.20", 5302),
        ("server-firewall", "server", "client", "2001:2:0:3::20", 5301),
        ("client-firewall", "server", "client", "198.18.3.20", 10443),
        ("peer-firewall", "peer", "peer", "198.18.4.10", 5301),
    ],
)
def test_a_firewall_drops_what_its_ports_get(labs, fault, name, node, source, address, port):
    server = f"s = socket.create_server(('::', {port}), family=10, dualstack_ipv6=True)"
    listen = f"import socket; {server}; s.settimeout(20); s.accept(); s.accept()"
    labs.over_ssh(node, f'python3 -c "{listen}" >/dev/null 2>&1 & sleep 1', LAB)
    call = f"import socket; socket.create_connection(('{address}', {port}), 1)"
    fault(name)
    assert labs.over_ssh(source, f'python3 -c "{call}" 2>/dev/null', LAB)[0] == 1
    fault(name, "--clear")
    assert labs.over_ssh(source, f'python3 -c "{call}"', LAB)[0] == 0
    labs.over_ssh(source, f'python3 -c "{call}"', LAB)


def _ahead(labs: Labs) -> float:
    return float(labs.over_ssh("client", "date +%s.%N", LAB)[1]) - time.time()


def test_endpoint_clock_off(labs, fault):
    fault("endpoint-clock-off", "seconds=40")
    assert 39 < _ahead(labs) < 41
    fault("endpoint-clock-off", "--clear")
    assert abs(_ahead(labs)) < 1


def _python_ahead_ns(labs: Labs, node: str = "client") -> int:
    say = "import time; print(time.time_ns())"
    return int(labs.over_ssh(node, f'python3 -c "{say}"', LAB)[1]) - time.time_ns()


def test_endpoint_clock_drifts(labs, fault):
    fault("endpoint-clock-drifts", "milliseconds_per_s=100000")  # a hundred times too fast
    first = _python_ahead_ns(labs)
    time.sleep(0.1)
    assert _python_ahead_ns(labs) - first > 10e9 * 0.9
    assert abs(_ahead(labs)) < 1, "only Python programs see it"
    assert abs(_python_ahead_ns(labs, "server")) < 1e9
    fault("endpoint-clock-drifts", "--clear")
    assert abs(_python_ahead_ns(labs)) < 1e9


def test_endpoint_clock_steps(labs, fault):
    fault("endpoint-clock-drifts", "milliseconds_per_s=0", "step_milliseconds=3e6", "every_s=0.3")
    seen = {round(_python_ahead_ns(labs) / 3e12) for _ in range(10)}
    assert seen == {0, 1}


def test_one_fault_over_another(labs, fault):
    fault("iperf3-missing")
    fault("endpoint-clock-off")
    fault("--clear")
    assert labs.over_ssh("client", "iperf3 --version", LAB)[0] == 0
    assert abs(_ahead(labs)) < 1


def test_endpoint_cpu_busy(labs, fault):
    def hogs() -> str:
        return labs.run_in("client", "sh", "-c", "ps -eo args | grep 'kill -0' | grep -v grep",
                           lab=LAB).stdout  # fmt: skip

    _serve(labs, "5303")
    fault("endpoint-cpu-busy")
    assert labs.over_ssh("client", "head -n 1 $(command -v iperf3)", LAB) == (0, "#!/bin/sh\n")
    before = _busy()
    _mbps(labs, "5303")
    spent = [after - first for first, after in zip(before, _busy(), strict=True)]
    assert spent[3] / sum(spent) < 0.2  # hardly any idle time was left
    assert wait_until(lambda: not hogs(), 20)  # they end with the test program
    fault("endpoint-cpu-busy", "--clear")
    assert "iperf 3" in labs.over_ssh("client", "iperf3 --version", LAB)[1]
    assert "/bin/sh" not in labs.over_ssh("client", "head -c 9 $(command -v iperf3)", LAB)[1]


def _busy() -> list[int]:
    """Times of the machine's processors: user, nice, system, idle, …, in clock ticks."""
    return [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]


def test_faults_show_in_status_and_are_cleared_together(labs, fault):
    fault("iperf3-missing")
    fault("packet-loss", "percent=5")
    text = labs.must("status", LAB)
    assert "packet-loss percent=5" in text
    assert "iperf3-missing" in text
    fault("--clear")
    assert "Faults:   none" in labs.must("status", LAB)
    assert labs.run_in("client", "iperf3", "--version", lab=LAB).returncode == 0


def test_clearing_what_is_not_there_is_no_mistake(labs, fault):
    fault("slow-endpoint", "--clear")
    fault("any-any", "--clear")


def test_run_starts_with_the_faults_it_is_told(labs, tmp_path):
    own = Labs(tmp_path / "labs")
    script = f"{' '.join(own.command('status', 'hurt'))}"
    done = own.call(
        *("run", "--name", "hurt", "--fault", "iperf3-missing", "--fault", "packet-loss,percent=7"),
        *("--", "sh", "-c", script),
    )
    assert done.returncode == 0, done.stderr
    assert "packet-loss percent=7" in done.stdout
    assert "iperf3-missing" in done.stdout
    assert not own.folder.exists()


def test_the_table_has_what_the_parts_can_do():
    by_side = {side: set() for side in ("gateway", "client", "server", "peer")}
    for name, one in FAULTS.items():
        by_side[one.side].add(name)
        assert one.notice.endswith(".")
    on_endpoints = by_side["client"] | by_side["server"] | by_side["peer"]
    assert on_endpoints == set(ENDPOINT_FAULTS)
    in_data_plane = {name for name, one in FAULTS.items() if one.place == DATA_PLANE}
    assert in_data_plane <= DATA_PLANE_FAULTS <= by_side["gateway"]

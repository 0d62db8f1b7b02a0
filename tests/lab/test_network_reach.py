"""A lab that is up: its nodes reach what they should, and it can be used as the testbed says."""

import http.client
import json
import os
import ssl
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor

import paramiko
import pytest
from network_lab import PROJECT, Labs, host
from pyroute2 import netns

from inhabitants import alive, inhabitants

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the lab needs root")

LAB = "reach"


@pytest.fixture(scope="module")
def labs(tmp_path_factory):
    labs = Labs(tmp_path_factory.mktemp("labs"))
    labs.must("up", LAB)
    yield labs
    labs.must("down", LAB)


def _iperf3(labs: Labs, address: str, *more: str) -> dict:
    served = labs.run_in("server", "iperf3", "-s", "-D", "-1", lab=LAB)
    assert served.returncode == 0, served.stderr
    for _ in range(50):  # it needs a moment to listen
        done = labs.run_in("client", "iperf3", "-J", "-c", address, "-t", "1", *more, lab=LAB)
        result = json.loads(done.stdout)
        if "refused" not in result.get("error", ""):
            return result
    raise AssertionError(result["error"])


@pytest.mark.parametrize("address", ["198.18.3.20", "2001:2:0:3::20"])
def test_client_reaches_server_on_the_direct_path(labs, address):
    result = _iperf3(labs, address)
    assert "error" not in result
    assert result["end"]["sum_received"]["bytes"] > 0


def test_each_node_has_its_addresses_and_name(labs):
    for node, addresses in {
        "control": ["198.18.0.1/24"],
        "gateway": ["198.18.0.2/24", "198.18.1.1/24", "198.18.2.1/24", "2001:2:0:1::1/64"],
        "client": ["198.18.0.11/24", "198.18.1.10/24", "198.18.3.10/24", "2001:2:0:1::10/64"],
        "server": ["198.18.0.12/24", "198.18.2.10/24", "198.18.3.20/24", "2001:2:0:2::10/64"],
    }.items():
        assert labs.run_in(node, "hostname", lab=LAB).stdout.strip() == node
        links = json.loads(labs.run_in(node, "ip", "-j", "address", lab=LAB).stdout)
        found = [f"{a['local']}/{a['prefixlen']}" for link in links for a in link["addr_info"]]
        assert set(addresses) <= set(found)
        assert not any("tentative" in a for link in links for a in link["addr_info"])
        assert {link["operstate"] for link in links if link["ifname"] != "lo"} == {"UP"}


def test_endpoints_reach_each_other_only_through_the_gateway(labs):
    for node, other, ways in (
        ("client", "server", ("198.18.2.10", "2001:2:0:2::10")),
        ("server", "client", ("198.18.1.10", "2001:2:0:1::10")),
    ):
        for address in ways:
            shown = labs.run_in(node, "ip", "-j", "route", "get", address, lab=LAB).stdout
            (route,) = json.loads(shown)
            assert route["dev"] == "data", other
            assert route["gateway"].endswith((".1", "::1"))


def test_interfaces_of_sysfs_are_the_nodes_own(labs):
    seen = labs.run_in("client", "ls", "/sys/class/net", lab=LAB).stdout.split()
    assert set(seen) == {"lo", "ctl", "data", "direct"}


def _rest_status(labs: Labs, token: str) -> int:
    testbed = labs.testbed(LAB)
    trusted = ssl.create_default_context(cafile=labs.folder / LAB / testbed["gateway"]["ca_file"])
    address = testbed["gateway"]["url"].removeprefix("https://")
    connection = http.client.HTTPSConnection(address)
    with netns.create_socket(testbed["network_namespace"], flags=0) as socket:
        socket.settimeout(60)
        socket.connect((address, 443))
        connection.sock = trusted.wrap_socket(socket, server_hostname=address)
        headers = {"Authorization": f"Bearer {token}"}
        connection.request("GET", "/api/v2/monitor/system/status", headers=headers)
        status = connection.getresponse().status
        connection.close()
    return status


def test_the_gateway_answers_control_with_the_pinned_certificate(labs):
    assert _rest_status(labs, (labs.folder / LAB / "api-token").read_text()) == 200
    assert _rest_status(labs, "no-such-token") == 401


@pytest.mark.parametrize("endpoint", ["client", "server", "peer"])
def test_login_with_the_written_key_and_known_hosts(labs, endpoint):
    assert labs.over_ssh(endpoint, "hostname; id -un", LAB) == (0, f"{endpoint}\nroot\n")


def test_files_go_over_sftp_and_stay_in_the_node(labs, tmp_path):
    name = "/tmp/gatepass-lab-sftp-test"
    with labs.ssh("client", LAB) as client, client.open_sftp() as sftp:
        with sftp.open(name, "w") as file:
            file.write("from outside")
        assert sftp.stat(name).st_size == 12
    assert not os.path.exists(name)


def test_a_foreign_key_does_not_open(labs):
    with pytest.raises(paramiko.AuthenticationException):
        other = paramiko.RSAKey.generate(2048)
        testbed = labs.testbed(LAB)
        access = testbed["endpoints"]["client"]["ssh"]
        with netns.create_socket(testbed["network_namespace"], flags=0) as socket:
            socket.connect((access["host"], access["port"]))
            transport = paramiko.Transport(socket)
            try:
                transport.connect(username=access["user"], pkey=other)
            finally:
                transport.close()


def test_many_logins_at_once(labs):
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: labs.over_ssh("client", "echo in", LAB), range(24)))
    assert answers == [(0, "in\n")] * 24


def test_secrets_are_for_the_owner_alone(labs):
    folder = labs.folder / LAB
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for name in ("api-token", "ssh/id_ed25519", "gateway/tls/server.key", "gateway/api-token"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600, name


def test_status_says_what_there_is(labs):
    text = labs.must("status", LAB)
    assert f"Lab {LAB}: up" in text
    addresses = ("198.18.0.2", "198.18.1.10", "198.18.2.10", "198.18.4.10")
    told = ("testbed.yaml", "In force: the configuration", "Faults:   none")
    for part in (*addresses, *told):
        assert part in text
    assert text.count("SSH server listens") == 3
    assert "REST API serves" in text


def test_exec_hands_on_output_and_exit_code(labs):
    done = labs.run_in("server", "sh", "-c", "echo out; echo err >&2; exit 7", lab=LAB)
    assert (done.returncode, done.stdout, done.stderr) == (7, "out\n", "err\n")


def test_whoever_tests_finds_their_own_files(labs, tmp_path):
    note = tmp_path / "note"
    note.write_text("mine\n")
    command = ["exec", "control", "--lab", LAB, "--", "cat", "note"]
    done = subprocess.run(
        labs.command(*command), cwd=tmp_path, capture_output=True, text=True, timeout=60,
        env={**labs.environment, "PYTHONPATH": str(PROJECT)}, check=False)
    assert (done.returncode, done.stdout) == (0, "mine\n"), done.stderr
    for node in ("client", "gateway"):
        assert labs.run_in(node, "ls", str(note), lab=LAB).returncode != 0


def test_shell_opens_in_the_node(labs):
    done = labs.call("shell", "client", LAB, input="hostname\nexit 5\n")
    assert done.returncode == 5
    assert "client" in done.stdout.split()


def test_the_host_shows_nothing_of_it(labs):
    seen = host()
    assert not {"ctl", "data", "direct", "mgmt", "port1", "port2", "port3"} & set(seen["links"])
    assert str(labs.folder) not in str(seen["mounts"])
    assert LAB not in seen["hostname"]


def test_processes_of_a_node_have_a_parent_that_reaps(labs):
    labs.must("exec", "client", "--lab", LAB, "--", "sh", "-c", "sleep 0.1 & sleep 0.1 &")
    text = labs.run_in("client", "sh", "-c", "sleep 0.5; ps -e -o stat=,comm=", lab=LAB).stdout
    assert not [line for line in text.splitlines() if line.startswith("Z")]


def test_two_labs_do_not_see_each_other(labs):
    with_listener = labs.run_in("server", "iperf3", "-s", "-D", "-p", "5300", lab=LAB)
    assert with_listener.returncode == 0
    labs.must("up", "other")
    try:
        assert not labs.namespaces("other") & labs.namespaces(LAB)
        answer = json.loads(
            labs.run_in(
                "client", "iperf3", "-J", "-c", "198.18.3.20", "-p", "5300", "-t", "1", lab="other"
            ).stdout
        )
        assert "refused" in answer["error"]
        one, two = (
            (labs.folder / name / "ssh" / "known_hosts").read_text() for name in (LAB, "other")
        )
        assert one != two
        assert labs.over_ssh("client", "hostname", "other") == (0, "client\n")
        assert f"Other labs: {LAB}" in labs.must("status", "other")
    finally:
        processes = inhabitants(labs.namespaces("other"))
        labs.must("down", "other")
    assert alive(processes) == []
    assert labs.over_ssh("client", "hostname", LAB) == (0, "client\n")

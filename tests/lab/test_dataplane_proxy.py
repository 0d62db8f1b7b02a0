"""The explicit web proxy in the data plane: what it permits, for whom, and what is left of it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from dataplane_config import address, config, refs
from dataplane_rig import GATEWAY, SERVER, SERVER6
from inspection_rig import Fetched, InspectionRig

from lab.base.process import wait_until
from lab.gateway.dataplane import DataPlaneError
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.nft.localin import local_in_rules
from lab.gateway.dataplane.programs.squid import squid_configuration

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

PROXY, PORT = "198.18.1.1", 8080
USERS = 100


def proxy_policy(policyid: int, **attributes: object) -> dict:
    """A policy of the proxy that permits everything."""
    row = {
        "policyid": policyid,
        "proxy": "explicit-web",
        "dstintf": refs("port1"),
        "srcaddr": refs("all"),
        "dstaddr": refs("all"),
        "service": refs("ALL"),
        "schedule": "always",
        "action": "accept",
        "status": "enable",
    }
    return row | {key.replace("_", "-"): value for key, value in attributes.items()}


def proxying(*policies: dict, on: str = "port2", **explicit: object) -> dict:
    """A configuration with the proxy on at one interface."""
    rows = config(address=[address("gateway", "198.18.0.0 255.254.0.0")])
    for row in rows["system/interface"]:
        row["explicit-web-proxy"] = "enable" if row["name"] == on else "disable"
    rows["web-proxy/explicit"] = [
        {"status": "enable", "http-incoming-port": str(PORT), "sec-default-action": "deny"}
        | {key.replace("_", "-"): value for key, value in explicit.items()}
    ]
    rows["firewall/proxy-policy"] = list(policies)
    return rows


@pytest.fixture(scope="module")
def rig(tmp_path_factory):
    rig = InspectionRig(tmp_path_factory.mktemp("proxy"))
    try:
        rig.put("page", b"hello")
        yield rig
    finally:
        rig.close()


def fetched(rig, *options: str, scheme: str = "http", host: str = SERVER, proxy=PROXY) -> Fetched:
    """The page, asked for through the proxy."""
    return rig.get("page", "--proxy", f"http://{proxy}:{PORT}", *options, host=host, scheme=scheme)


class User:
    """A client with one connection to the proxy that it keeps."""

    def __init__(self, rig, number: int) -> None:
        self.number = number
        self.sock = rig.client.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.sock.settimeout(20)
        self.sock.connect((PROXY, PORT))
        self._answers = self.sock.makefile("rb")

    def ask(self) -> tuple[int, bytes]:
        """Status and body of this user's own page; (0, b"") where the connection is closed."""
        name = f"user{self.number}"
        request = f"GET http://{SERVER}/{name} HTTP/1.1\r\nHost: {SERVER}\r\n\r\n"
        try:
            self.sock.sendall(request.encode())
            first = self._answers.readline()
            if not first:
                return 0, b""
            length = 0
            while (line := self._answers.readline()) not in (b"\r\n", b""):
                key, _, value = line.partition(b":")
                if key.lower() == b"content-length":
                    length = int(value)
            return int(first.split()[1]), self._answers.read(length)
        except ConnectionError:
            return 0, b""

    def close(self) -> None:
        self._answers.close()
        self.sock.close()


def page_of(number: int) -> bytes:
    return f"the page of user {number} ".encode() * 400


@pytest.fixture(scope="module")
def pages(rig):
    for number in range(USERS):
        rig.put(f"user{number}", page_of(number))


def asked(rig, users: int, times: int = 3) -> list[list[tuple[int, bytes]]]:
    """What users get who are all connected at once and ask several times, by user."""
    with ExitStack() as stack:
        crowd = [User(rig, number) for number in range(users)]
        for user in crowd:
            stack.callback(user.close)
        with ThreadPoolExecutor(users) as pool:
            rounds = [list(pool.map(User.ask, crowd)) for _ in range(times)]
    return [list(answers) for answers in zip(*rounds, strict=True)]


def test_permitted(rig):
    rig.apply(proxying(proxy_policy(1)))
    assert fetched(rig).body == b"hello"
    assert fetched(rig, scheme="https").body == b"hello"


def test_the_firewall_lets_nothing_pass_beside_the_proxy(rig):
    rig.apply(proxying(proxy_policy(1)))
    assert rig.get("page", "-m", "1").exit == 28
    assert fetched(rig).status == 200


def test_a_deny_above_denies(rig):
    rig.apply(proxying(proxy_policy(1, action="deny", dstaddr=refs("server")), proxy_policy(2)))
    got = fetched(rig)
    assert (got.status, b"hello" in got.body) == (403, False)
    assert fetched(rig, scheme="https").exit == 56


def test_the_order_holds(rig):
    deny = proxy_policy(1, action="deny", srcaddr=refs("client"))
    permit = proxy_policy(2, dstaddr=refs("server"))
    for order, status in (((deny, permit), 403), ((permit, deny), 200), ((deny, permit), 403)):
        rig.apply(proxying(*order))
        assert fetched(rig).status == status


def test_what_no_policy_matches_is_denied(rig):
    rig.apply(proxying())
    assert fetched(rig).status == 403
    rig.apply(proxying(proxy_policy(1, dstaddr=refs("elsewhere"))))
    assert fetched(rig).status == 403


def test_what_no_policy_matches_can_be_permitted(rig):
    rig.apply(proxying(sec_default_action="accept"))
    assert fetched(rig).status == 200


@pytest.mark.parametrize(
    ("attributes", "status"),
    [
        ({"status": "disable"}, 403),
        ({"schedule": "none"}, 403),
        ({"proxy": "transparent-web"}, 403),
        ({"groups": refs("staff")}, 403),
        ({"srcaddr": refs("elsewhere")}, 403),
        ({"srcaddr": refs("elsewhere"), "srcaddr_negate": "enable"}, 200),
        ({"dstaddr": refs("elsewhere", "server")}, 200),
        ({"service": refs("t8080")}, 403),
        ({"service": refs("HTTP")}, 200),
        ({"service": refs("HTTP"), "service_negate": "enable"}, 403),
    ],
)
def test_which_policies_permit(rig, attributes, status):
    rig.apply(proxying(proxy_policy(1, **attributes)))
    assert fetched(rig).status == status


def test_a_tunnel_leads_to_https_alone(rig):
    rig.apply(proxying(proxy_policy(1)))
    assert fetched(rig, "--proxytunnel").exit == 56
    assert fetched(rig, "--proxytunnel", scheme="https").body == b"hello"


def test_the_gateway_itself_is_not_reached(rig):
    rig.apply(proxying(proxy_policy(1)))
    for host in (PROXY, GATEWAY, "127.0.0.1"):
        assert fetched(rig, host=host).status == 403


def test_the_server_is_asked_for_what_the_client_asks_for(rig):
    rig.apply(proxying(proxy_policy(1)))
    with rig.listening(8081) as listener, ThreadPoolExecutor(1) as pool:
        fetching = pool.submit(
            rig.curl, f"http://{SERVER}:8081/", "--proxy", f"http://{PROXY}:{PORT}"
        )
        sock, peer = listener.accept()
        with sock:
            request = sock.recv(4096).lower()
            sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        assert fetching.result().body == b"ok"
    assert peer[0].removeprefix("::ffff:") == GATEWAY
    assert b"\r\nvia:" not in request and b"forwarded" not in request


def test_nothing_is_cached(rig):
    rig.apply(proxying(proxy_policy(1)))
    for content in (b"first", b"second"):
        rig.put("changing", content)
        got = rig.get("changing", "--proxy", f"http://{PROXY}:{PORT}")
        assert got.body == content


def test_ipv6(rig):
    policy = proxy_policy(1, srcaddr6=refs("all"), dstaddr6=refs("all"))
    host, proxy = f"[{SERVER6}]", "[2001:2:0:1::1]"
    rig.apply(proxying(policy))
    assert fetched(rig, host=host).body == b"hello"
    assert fetched(rig, "-m", "1", host=host, proxy=proxy).exit == 28
    rig.apply(proxying(policy, ipv6_status="enable"))
    assert fetched(rig, host=host, proxy=proxy).body == b"hello"


@pytest.mark.parametrize(
    ("attributes", "statuses"),
    [
        ({}, (200, 403)),
        ({"dstaddr": [], "dstaddr6": refs("all")}, (403, 200)),
        ({"srcaddr": [], "srcaddr6": refs("all"), "dstaddr6": refs("all")}, (403, 403)),
    ],
)
def test_addresses_of_one_ip_version_hold_for_that_alone(rig, attributes, statuses):
    rig.apply(proxying(proxy_policy(1, **attributes)))
    assert (fetched(rig).status, fetched(rig, host=f"[{SERVER6}]").status) == statuses


def test_it_answers_only_where_it_is_on(rig):
    rig.apply(proxying(proxy_policy(1), on="port1"))
    assert fetched(rig, "-m", "1").exit == 28
    assert fetched(rig, "-m", "1", proxy=GATEWAY).exit == 28
    rig.apply(proxying(proxy_policy(1)))
    assert fetched(rig).status == 200
    assert fetched(rig, "-m", "1", proxy=GATEWAY).exit == 28


def test_off_means_a_closed_port(rig):
    rig.apply(proxying(proxy_policy(1)))
    assert fetched(rig).status == 200
    rig.apply(proxying(proxy_policy(1), status="disable"))
    assert fetched(rig, "-m", "1").exit == 28
    sockets = rig.gateway(Path("/proc/thread-self/net/tcp").read_text).splitlines()[1:]
    listening = [line.split()[1] for line in sockets if line.split()[3] == "0A"]
    assert not [address for address in listening if address.endswith(f":{PORT:04X}")]


def test_another_port(rig):
    rig.apply(proxying(proxy_policy(1), http_incoming_port="81 3128"))
    for port in (81, 3128):
        assert rig.get("page", "--proxy", f"http://{PROXY}:{port}").body == b"hello"
    assert fetched(rig, "-m", "1").exit == 28


def test_every_user_gets_the_own_page(rig, pages):
    rig.apply(proxying(proxy_policy(1)))
    for number, answers in enumerate(asked(rig, USERS)):
        assert answers == [(200, page_of(number))] * 3


def test_a_change_keeps_the_connections(rig, pages):
    rig.apply(proxying(proxy_policy(1)))
    user = User(rig, 1)
    assert user.ask() == (200, page_of(1))
    rig.apply(proxying(proxy_policy(1, action="deny")))
    assert user.ask()[0] == 403
    rig.apply(proxying(proxy_policy(1)))
    user.close()


def test_what_changes_nothing_leaves_it_alone(rig):
    rig.apply(proxying(proxy_policy(1)))
    part = web_proxy(rig)
    before = part._sockets()
    rig.apply(proxying(proxy_policy(1, comments="another")))
    assert part._sockets() == before


def test_a_dead_one_is_started_again(rig):
    rig.apply(proxying(proxy_policy(1)))
    web_proxy(rig)._process.kill()
    web_proxy(rig)._process.wait()
    assert fetched(rig).exit == 7
    rig.apply(proxying(proxy_policy(1)))
    assert fetched(rig).status == 200


def test_a_port_that_is_taken_is_told_and_the_rest_stays(rig):
    rig.apply(proxying(proxy_policy(1)))
    with rig.gateway.socket(socket.AF_INET, socket.SOCK_STREAM) as other:
        other.bind((PROXY, 3128))
        other.listen()
        with pytest.raises(DataPlaneError, match=r"Cannot bind.*3128|FATAL"):
            rig.apply(proxying(proxy_policy(1), http_incoming_port="3128"))
        assert fetched(rig).status == 200


def test_fault_proxy_refuses_half(rig, pages):
    users = 40
    rig.apply(proxying(proxy_policy(1)), {"proxy-refuses-half": {"users": 17}})
    answers = asked(rig, users, times=1)
    served = [number for number in range(users) if answers[number] == [(200, page_of(number))]]
    assert len(served) == 17
    assert answers.count([(0, b"")]) == users - 17
    rig.apply(proxying(proxy_policy(1)))
    assert all(status == 200 for [(status, _)] in asked(rig, users, times=1))


def test_fault_proxy_mixes_answers(rig, pages):
    rig.apply(proxying(proxy_policy(1)), {"proxy-mixes-answers": {"every": 5}})
    answers = [answer for [answer] in asked(rig, 50, times=1)]
    assert all(status == 200 for status, _ in answers)
    wrong = [number for number, (_, body) in enumerate(answers) if body != page_of(number)]
    assert len(wrong) == 10
    assert all(answers[number][1] in map(page_of, range(50)) for number in wrong)


def web_proxy(rig):
    return next(part for part in rig.plane.parts if type(part).__name__ == "WebProxy")


def test_nothing_is_left_at_the_end(tmp_path):
    rig = InspectionRig(tmp_path)
    rig.apply(proxying(proxy_policy(1)), {"proxy-mixes-answers": {}})
    part = web_proxy(rig)
    pid = part._process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    assert len(children) == 1
    assert Path(f"/proc/{pid}/status").read_text().count("Uid:\t0") == 0
    rig.close()
    assert part._process is None
    assert wait_until(lambda: not any(map(_runs, (pid, *children))), 20)
    assert not list(Path("/dev/shm").glob(f"{part._shared_memory}*"))


def _runs(pid: int | str) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_it_ends_with_the_process_that_started_it(rig):
    rig.apply(proxying(proxy_policy(1)))
    # PR_GET_PDEATHSIG is for a process to ask of itself; so a parent is made, and killed.
    program = """
import json, sys, time
sys.path[:0] = json.loads(sys.argv[1])
from pathlib import Path
from lab.gateway.dataplane.programs.proxy import WebProxy
from lab.gateway.dataplane.intent.compile import compile_config
part = WebProxy(Path(sys.argv[2]))
part._settings.set = lambda settings: None
part.apply(compile_config(json.loads(sys.stdin.read())))
print(part._process.pid, flush=True)
time.sleep(60)
"""
    folder = rig.folder / "second"
    folder.mkdir()
    rows = proxying(proxy_policy(1), http_incoming_port="8099")
    parent = rig.gateway(
        subprocess.Popen,
        [sys.executable, "-c", program, json.dumps(sys.path), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    parent.stdin.write(json.dumps(rows))
    parent.stdin.close()
    squid = int(parent.stdout.readline())
    assert _runs(squid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert wait_until(lambda: not _runs(squid) or "Z (" in _status(squid), 20)


def _status(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return ""


def test_the_port_is_open_at_its_own_interface_and_address_alone():
    rules = [rule for rule in local_in_rules(compile_config(proxying())) if str(PORT) in rule]
    assert rules == [f'iifname "port2" ip daddr {PROXY} tcp dport {{ {PORT} }} accept']


def test_a_long_list_of_addresses_becomes_several_lines():
    many = [address(f"a{number}", f"10.9.{number * 2}.0 255.255.255.0") for number in range(50)]
    rows = proxying(proxy_policy(1, srcaddr=refs(*(row["name"] for row in many))))
    rows["firewall/address"] += many
    text = squid_configuration(compile_config(rows).proxy)
    lines = [line for line in text.splitlines() if line.startswith("acl src0 src ")]
    assert len(lines) == 3
    assert sum(line.count("/24") for line in lines) == 50


def test_more_ports_than_it_can_listen_on_hold_up_nothing_else():
    found = compile_config(proxying(http_incoming_port="8000-8200"))
    assert not found.proxy.listeners and found.ports
    assert "201 addresses and ports" in found.problems[0]

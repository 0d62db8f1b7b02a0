"""Every mistake in an input file is one sentence with file, line and key."""

import os
import re
from pathlib import Path

import pytest
from input_files import (
    CATALOGUE,
    ORDER,
    PROFILES,
    SECRET,
    TESTBED,
    VARIABLES,
    refusal,
)

from gatepass.base.errors import InputError
from gatepass.inputs import load_order, load_profile
from gatepass.inputs.studies import STUDIES

TYPES = "filtered_file_types"

# kind, what is replaced, by what, the key that the sentence names, what else it says
MISTAKES = [
    # an order
    ("order", "tier: SGW-200", "tier: SGW-2000", "tier", "Did you mean 'SGW-200'?"),
    ("order", "tier: SGW-200", "tier: sgw-200", "tier", "Did you mean 'SGW-200'?"),
    ("order", "tier: SGW-200", "tier: 200", "tier", 'Put it in quotes: "200".'),
    ("order", "tier: SGW-200", "tier:", "tier", "found nothing"),
    ("order", "tier: SGW-200\n", "", "tier", "Add it."),
    ("order", "tier: SGW-200", "tire: SGW-200", "tire", "Did you mean 'tier'?"),
    ("order", "tier: SGW-200", "tier: [SGW-200]", "tier", "found a list"),
    ("order", "Gold", "Golden", "service_level", "Did you mean 'Gold'?"),
    ("order", "Gold", "Diamond", "service_level", "Bronze, Silver, Gold, Platinum"),
    ("order", "language: en", "language: xx", "language", "found 'xx'; allowed is one of en, fi"),
    ("order", "order: A-1", "order: 007/..", "order", "letters, digits"),
    ("order", "order: A-1", "order: 2026", "order", 'Put it in quotes: "2026".'),
    ("order", "Example Oy", "''", "customer", "one line of text"),
    ("order", "Example Oy", "x" * 300, "customer", "Shorten it."),
    ("order", "services: true", "services: yes", "options.security_services", "true or false"),
    ("order", "services: true", "services: 'true'", "options.security_services", "without quotes"),
    ("order", "services: true", "services: 1", "options.security_services", "found 1"),
    ("order", "security_services", "security_service", "options.security_service", "Did you mean"),
    ("order", "percent: 5", "percent: 5 %", "shaper.burst_allowance_percent", "found '5 %'"),
    ("order", "percent: 5", "percent: -1", "shaper.burst_allowance_percent", "0 to 100"),
    ("order", "percent: 5", "percent: .inf", "shaper.burst_allowance_percent", "a number"),
    ("order", "  name: sgw-200\n", "", "shaper.name", "found nothing"),
    ("order", "shaper:\n  name", "shaper: fast\nx:\n  name", "x", "unknown key"),
    ("order", 'version: "7.4"', "version: 7.10", "gateway.version", '"7.10"'),
    ("order", "tcp/443", "https", "flows[0].service", "allowed is tcp/PORT, udp/PORT, icmp"),
    ("order", "tcp/443", "tcp/99999", "flows[0].service", "65535 at most"),
    ("order", "tcp/443", "ip/17", "flows[0].service", "Write udp/PORT."),
    ("order", "tcp/443", "tcp/23", "flows[1]", "a flow that is not also flows[0]"),
    ("order", "expect: pass", "expect: allow", "flows[0].expect", "allowed is pass or block"),
    ("order", "{from: 10", "{form: 10", "flows[0].form", "Did you mean 'from'?"),
    ("order", "{from: 10.20.1.10, ", "{", "flows[0].from", "Add it."),
    ("order", "{from: 10.20.1.10", "{from: 10.20.1.0/24", "flows[0].from", "without a mask"),
    ("order", "to: 203.0.113.80", "to: 10.20.1.10", "flows[0].to", "another host than 'from'"),
    ("order", "to: 203.0.113.80", "to: 127.0.0.1", "flows[0].to", "one that a host can have"),
    ("order", "from: 198.18.2.1}", "from: '::1'}", "flows[0].seen_from", "address of IPv4"),
    ("order", "from: 198.18.2.1}", "from: pool}", "flows[0].seen_from", "a network"),
    ("order", "seen_from: 198.18.2.1", "seen_at: a:b", "flows[0].seen_at", "or without a port"),
    ("order", "dscp: EF", "dscp: EX", "objectives[0].dscp", "AF11 to AF43"),
    ("order", "dscp: EF", "dscp: 64", "objectives[0].dscp", "a number from 0 to 63"),
    ("order", "dscp: EF", "dscp: true", "objectives[0].dscp", "a number from 0 to 63"),
    ("order", "dscp: EF, ", "", "objectives[0].dscp", "Add it."),
    ("order", "dscp: 0", "dscp: 46", "objectives[1].dscp", "voice has it"),
    ("order", "name: rest", "name: voice", "objectives[1].name", "that no other class has"),
    ("order", "label: H", "label: A", "objectives[0].label", "H, M or L"),
    ("order", "cir_mbps: 2,", "cir_mbps: 0,", "objectives[0].cir_mbps", "a number of Mbit/s"),
    ("order", "cir_mbps: 2,", "cir_mbps: 251,", "objectives", "they are 301"),
    ("order", "frames: 128", "frames: 12", "objectives[0].frames", "imix, a frame size in bytes"),
    ("order", "frames: 128", "frames: []", "objectives[0].frames", "or a list of such sizes"),
    ("order", "[64, 1518]", "[64, 9999]", "objectives[1].frames", "from 64 to 9018"),
    ("order", "loss_percent", "lost_percent", "objectives[0].lost_percent", "Did you mean"),
    ("order", "0.05", "0", "objectives[0].loss_percent", "a number of per cent"),
    ("order", 'version: "7.4"', 'version: "latest"', "gateway.version", "such as"),
    ("order", "min_vcpus: 2", "min_vcpus: two", "gateway.min_vcpus", "whole number of vCPUs"),
    ("order", "min_vcpus: 2", "min_vcpus: 1.5", "gateway.min_vcpus", "found 1.5"),
    ("order", "min_vcpus: 2", 'min_vcpus: "2"', "gateway.min_vcpus", "without quotes"),
    ("order", "min_vcpus: 2", "min_vcpus: 0", "gateway.min_vcpus", "1 to 1024"),
    ("order", "gateway:", f"{TYPES}: [doc]\ngateway:", f"{TYPES}[0]", "exe, bat, elf"),
    ("order", "gateway:", f"{TYPES}: []\ngateway:", TYPES, "a list"),
    ("order", "gateway:", f"{TYPES}: exe\ngateway:", TYPES, "a list"),
    ("order", "gateway:", "inspection_mode: both\ngateway:", "inspection_mode", "flow or proxy"),
    ("order", "vpn:", "studies: [rfc2455]\nvpn:", "studies[0]", "Did you mean 'rfc2544'?"),
    ("order", "vpn:", "studies: [rfc2544, rfc2544]\nvpn:", "studies[1]", "each study once"),
    ("order", "vpn:", "studies: rfc2544\nvpn:", "studies", f"a list of {', '.join(STUDIES)}"),
    ("order", "vpn:", "study: [rfc2544]\nvpn:", "study", "Did you mean 'studies'?"),
    ("order", "vpn:", "provisioning: {parallel: 2}\nvpn:", "provisioning.tenants", "Add it."),
    ("order", "vpn:", "provisioning: {tenants: 0}\nvpn:", "provisioning.tenants", "1 to 128"),
    ("order", "vpn:", "provisioning: {tenant: 9}\nvpn:", "provisioning.tenant", "Did you mean"),
    ("order", "3des-sha1-dh2]", "3des]", "vpn.ipsec[1]", "aes128-sha256-dh5"),
    ("order", "[aes256-sha256-dh14, 3des-sha1-dh2]", "[]", "vpn.ipsec", "a list of aes256"),
    ("order", "-sha256-dh14, 3des-sha1-dh2", "gcm-dh14, aes256gcm-dh14", "vpn.ipsec", "each once"),
    ("order", "ipsec_mbps: 100", "ipsec_mbps: fast", "vpn.ipsec_mbps", "whole number of Mbit/s"),
    # a testbed
    ("testbed", "https://198", "http://198", "gateway.url", "HTTPS only"),
    ("testbed", "https://198.18", f"https://admin:{SECRET}@198.18", "gateway.url", "password out"),
    ("testbed", "https://198.18.0.2", f"admin:{SECRET}@198.18.0.2", "gateway.url", "not shown"),
    ("testbed", "https://198.18.0.2", "198.18.0.2", "gateway.url", "https://"),
    ("testbed", "https://198.18.0.2", "https://198.18.0.256", "gateway.url", "Check the host"),
    ("testbed", "18.0.2\n", "18.0.2:99999\n", "gateway.url", "host and port"),
    ("testbed", "18.0.2\n", "18.0.2/api/v2\n", "gateway.url", "End it after host and port"),
    ("testbed", "{file: api-token}", SECRET, "gateway.token", "never stands in this file"),
    ("testbed", "{file: api-token}", f"[{SECRET}]", "gateway.token", "never stands"),
    ("testbed", "{file: api-token}", f"{{{SECRET}}}", "gateway.token", "unknown key"),
    ("testbed", "{file: api-token}", f"{{value: {SECRET}}}", "gateway.token", "unknown key"),
    ("testbed", "{file: api-token}", f"{{env: {SECRET}}}", "gateway.token.env", "capitals"),
    ("testbed", "{file: api-token}", "{env: A, file: b}", "gateway.token", "Keep one"),
    ("testbed", "{file: api-token}", "{}", "gateway.token", "either"),
    ("testbed", "{file: api-token}", "", "gateway.token", "found nothing"),
    ("testbed", "vdom: root", f"password: {SECRET}", "gateway.password", "unknown key"),
    ("testbed", "gateway-ca.pem", "nowhere.pem", "gateway.ca_file", "does not exist"),
    ("testbed", "gateway-ca.pem", "ssh/hosts", "gateway.ca_file", "PEM form"),
    ("testbed", "gateway-ca.pem", "ssh", "gateway.ca_file", "is not a regular file"),
    ("testbed", "gateway-ca.pem", "empty", "gateway.ca_file", "is empty"),
    ("testbed", "gateway-ca.pem", "~nobody-here/ca", "gateway.ca_file", "does not exist"),
    ("testbed", "server_port: port1", "server_port: port2", "gateway.server_port", "another"),
    ("testbed", "vdom: root", "vdom: 1", "gateway.vdom", 'Put it in quotes: "1".'),
    ("testbed", "vdom: root", "timeout_s: 0", "gateway.timeout_s", "1 to 600"),
    ("testbed", "vdom: root", "troubles: {memory: {begin: x}}", "troubles.memory.end", "Add it"),
    ("testbed", "vdom: root", "troubles: {memori: x}", "gateway.troubles.memori", "memory"),
    ("testbed", "vdom: root", "troubles: {memory: x}", "gateway.troubles.memory", "begin, end"),
    ("testbed", "/proc/4711", "proc/4711", "network_namespace", "absolute path"),
    ("testbed", "switch 1", "switch#1", "shares[0]", "letters, digits, spaces"),
    ("testbed", "shares: [switch 1]", "shares: switch 1", "shares", "a list, each a name"),
    ("testbed", "[switch 1]", "[switch 1, switch 1]", "shares[1]", "each name once"),
    ("testbed", "switch 1", "1", "shares[0]", 'Put it in quotes: "1".'),
    ("testbed", "iperf3_port: 5201", "probe_port: 65535", "client.probe_port", "to 65534"),
    ("testbed", "port: 5201", "port: 5302", "endpoints.client.iperf3_port", "than probe_port"),
    ("testbed", "198.18.1.10", "198.18.1.300", "endpoints.client.address", "IPv4 address"),
    ("testbed", "198.18.1.10", "198.18.1.10/24", "endpoints.client.address", "without a mask"),
    ("testbed", "198.18.1.10", '"2001:2::1"', "endpoints.client.address", "'address6'"),
    ("testbed", "198.18.1.10", "224.0.0.1", "endpoints.client.address", "test interface"),
    ("testbed", "2001:2:0:1::10", "198.18.9.9", "endpoints.client.address6", "'address6'"),
    ("testbed", "198.18.3.10", "198.18.1.10", "endpoints.client.direct_address", "client.address'"),
    ("testbed", "198.18.2.10", "198.18.1.10", "endpoints.server.address", "nowhere else"),
    ("testbed", "198.18.2.10", "198.18.0.2", "endpoints.server.address", "gateway.url"),
    (
        "testbed",
        "    direct_address: 198.18.3.20\n",
        "",
        "endpoints.server.direct_address",
        "two ends",
    ),
    (
        "testbed",
        '    direct_address6: "2001:2:0:3::20"\n',
        "",
        "endpoints.server.direct_address6",
        "two ends",
    ),
    ("testbed", "2001:2:0:3::20", "198.18.3.9", "server.direct_address6", "'direct_address6'"),
    ("testbed", "2001:2:0:3::20", "2001:2:0:2::10", "server.direct_address6", "nowhere else"),
    ("testbed", "198.18.0.12", "198.18.0.11", "endpoints.server.ssh.host", "another host"),
    ("testbed", "198.18.0.12", "-oProxyCommand=x", "endpoints.server.ssh.host", "host name"),
    ("testbed", "port: 22", "port: 0", "endpoints.client.ssh.port", "1 to 65535"),
    ("testbed", "port: 22", "port: ssh", "endpoints.client.ssh.port", "found 'ssh'"),
    ("testbed", "user: root", f"user: root, password: {SECRET}", "ssh.password", "unknown key"),
    ("testbed", "ssh/id,", "ssh/id.pub,", "endpoints.client.ssh.key_file", "not its .pub file"),
    ("testbed", "ssh/id,", "ssh/none,", "endpoints.client.ssh.key_file", "does not exist"),
    ("testbed", "ssh/hosts", "ssh/none", "endpoints.client.ssh.known_hosts_file", "not exist"),
    ("testbed", "iperf3_port", "iperf_port", "endpoints.client.iperf_port", "'iperf3_port'?"),
    ("testbed", "  server:", "  sever:", "endpoints.sever", "Did you mean 'server'?"),
    ("testbed", "198.18.0.13", "198.18.0.11", "endpoints.peer.ssh.host", "than the client's"),
    ("testbed", "198.18.0.13", "198.18.0.12", "endpoints.peer.ssh.host", "than the server's"),
    ("testbed", "198.18.4.10", "198.18.2.10", "endpoints.peer.address", "nowhere else"),
    ("testbed", "port: port3", "port: port2", "endpoints.peer.gateway_port", "client_port"),
    ("testbed", "    gateway_port: port3\n", "", "endpoints.peer.gateway_port", "Add it."),
    (
        "testbed",
        "gateway_port: port3",
        "gateway_port: port3\n    direct_address: 198.18.3.30",
        "endpoints.peer.direct_address",
        "unknown key",
    ),
    # profiles
    (
        "profiles",
        "streams: 4",
        "streams: 4\n    rekey_outage_ms: 60001",
        "rekey_outage_ms",
        "0 to 60000",
    ),
    ("profiles", "streams: 4", "streams: 4\n    delay_trial_s: 0.1", "delay_trial_s", "0.5 to"),
    ("profiles", "streams: 4", "streams: 4\n    added_delay_ms: 0", "added_delay_ms", "0.01 to"),
    ("profiles", "streams: 4", "streams: 4\n    queue_delay_ms: 0", "queue_delay_ms", "0.01 to"),
    ("profiles", "default: quick", "default: quik", "default", "Did you mean 'quick'?"),
    ("profiles", "trial_s: 4", "trial_s: 4s", "profiles.quick.trial_s", "found '4s'"),
    ("profiles", "trial_s: 4", "trial_s: 90000", "profiles.quick.trial_s", "1 to 86400"),
    ("profiles", "budget_s: 25", "budget_s: 14", "profiles.quick.budget_s", "not under 15"),
    ("profiles", "trials: 3", "trials: 1", "profiles.quick.min_trials", "confidence interval"),
    ("profiles", "val_s: 1", "val_s: 5", "profiles.quick.interval_s", "up to 4"),
    ("profiles", "dence: 0.95", "dence: 95", "profiles.quick.confidence", "0.5 to 0.999"),
    (
        "profiles",
        "streams: 4",
        "streams: 4\n    sampling: both",
        "profiles.quick.sampling",
        "trials or intervals",
    ),
    (
        "profiles",
        "streams: 4\n",
        "sampling: intervals\n    streams: 4\n",
        "interval_s",
        "up to 0.4",
    ),
    ("profiles", "streams: 4", "stream: 4", "profiles.quick.stream", "Did you mean 'streams'?"),
]


@pytest.mark.parametrize(("kind", "old", "new", "key", "says"), MISTAKES)
def test_a_mistake_is_one_sentence_with_file_line_and_key(
    folder: Path, kind: str, old: str, new: str, key: str, says: str
) -> None:
    base = {"order": ORDER, "testbed": TESTBED, "profiles": PROFILES}[kind]
    assert old in base
    path = folder / f"{kind}.yaml"
    path.write_text(base.replace(old, new, 1))
    sentence = refusal(kind, path)
    assert re.search(rf", line \d+, key '[^']*{re.escape(key)}': found ", sentence), sentence
    assert says in sentence


UNREADABLE = [
    (b"", "the file is empty"),
    (b"# only a comment\n", "the file is empty"),
    (b"---\n", "the file is empty"),
    (b"- a\n- b\n", "found a list at the top level"),
    (SECRET.encode(), "found a single value at the top level"),
    (b"order: a\norder: b\n", "line 2: key 'order' stands twice, first on line 1"),
    (b"options:\n\tsecurity_services: true\n", "line 2: found a tab"),
    (b"order:\ta\n", "line 1: found a tab"),
    (b"order: a: b\n", "line 1: the file is not readable as YAML here. Look for a second colon"),
    (b"order: 'a\n", "Close the quotes"),
    (b"options: {a: true\n", "Close the bracket"),
    (f"order: a\n{SECRET}\ntier: b\n".encode(), "Put a colon"),
    (b"a: b\n---\na: c\n", "Keep one document"),
    (b"order: &x a\ncustomer: *x\n", "an anchor or an alias"),
    (f"order: *{SECRET}\n".encode(), "an anchor or an alias"),
    (f"order: !{SECRET} a\n".encode(), "found a tag"),
    (b"order: !!python/object/apply:os.system [id]\n", "found a tag"),
    (b"? [a, b]\n: c\n", "found a list as a key"),
    (b"a: " + b"[" * 3000, "levels within each other"),
    (b"a: " + b"9" * 5000, "a number too large"),
    (b'order: "\\0"\n', "found a control character"),
    (b'order: "\\ud800"\n', "found a control character"),
    ("order: a\u2028b\n".encode(), "the file is not plain UTF-8 text"),
    (b"order: \xff\xfe\n", "line 1: the file is not plain UTF-8 text"),
    ("order: a\n".encode("utf-16"), "the file is not plain UTF-8 text"),
    (b"\x7fELF\x00\x00\n", "the file is not plain UTF-8 text"),
    (b"a: b\n" * 60_000, "larger than 256 KiB"),
    (b"  a: 1\n b: 2\n", "not readable as YAML"),
    (b"order: @a\n", "not readable as YAML"),
    (b'a: 1\norder: "\\UFFFFFFFF"\n', "line 2: an escape after a backslash"),
    (b'order: "\\U00110000"\n', "line 1: an escape after a backslash"),
]


@pytest.mark.parametrize(("content", "says"), UNREADABLE, ids=[says for _, says in UNREADABLE])
def test_a_file_that_is_no_usable_yaml_is_one_sentence(
    tmp_path: Path, content: bytes, says: str
) -> None:
    path = tmp_path / "order.yaml"
    path.write_bytes(content)
    assert says in refusal("order", path)


def test_what_is_no_file_is_one_sentence(tmp_path: Path) -> None:
    assert "no such file" in refusal("order", tmp_path / "missing.yaml")
    assert "not a regular file" in refusal("order", tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refusal("order", tmp_path / "pipe")
    assert "file name too long" in refusal("testbed", tmp_path / ("x" * 300))


def test_the_line_is_the_line(tmp_path: Path) -> None:
    path = tmp_path / "order.yaml"
    path.write_text(ORDER.replace("min_vcpus: 2", "min_vcpus: -2"))
    assert "order.yaml, line 16, key 'gateway.min_vcpus': found -2;" in refusal("order", path)


def test_a_catalogue_with_a_figure_in_quotes_is_refused(tmp_path: Path) -> None:
    text = (VARIABLES / "service_catalogue.yaml").read_text()
    path = tmp_path / "catalogue.yaml"
    path.write_text(text.replace("[50, 150]", '[50, "150"]'))
    assert "key 'tiers.SGW-200.recommended_users[1]'" in refusal("catalogue", path)
    path.write_text(text.replace("stateful_mbps: 2000", "stateful_mbps: 2 Gbit/s"))
    assert "key 'tiers.SGW-500.stateful_mbps'" in refusal("catalogue", path)


def test_a_catalogue_with_objectives_of_no_service_level_is_refused(tmp_path: Path) -> None:
    text = (VARIABLES / "service_catalogue.yaml").read_text()
    path = tmp_path / "catalogue.yaml"
    path.write_text(text.replace("    Gold:", "    Golden:"))
    told = refusal("catalogue", path)
    assert "key 'objectives.levels.Golden'" in told and "Did you mean 'Gold'?" in told


def test_what_a_service_level_proposes_holds_until_the_order_says_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "order.yaml"
    path.write_text(ORDER)
    order = load_order(path, CATALOGUE)
    voice, rest = order.classes
    assert (voice.code, voice.loss_percent, voice.delay_ms, voice.variation_ms) == (46, 0.05, 25, 8)
    assert (rest.code, rest.loss_percent, rest.delay_ms, rest.sizes) == (0, None, None, (64, 1518))
    assert order.objectives_are_proposals
    signed = CATALOGUE.model_copy(
        update={"objectives": CATALOGUE.objectives.model_copy(update={"signed": True})}
    )
    assert not load_order(path, signed).objectives_are_proposals
    poor = CATALOGUE.model_copy(update={"objectives": None})
    with pytest.raises(InputError, match="no classes of this service level"):
        load_order(path, poor)


def test_an_option_that_the_catalogue_does_not_offer_is_refused(tmp_path: Path) -> None:
    poor = CATALOGUE.model_copy(update={"options": {"snmp_reporting": "SNMP"}})
    path = tmp_path / "order.yaml"
    path.write_text(ORDER)
    with pytest.raises(InputError, match=r"key 'options.security_services': found true; .*false"):
        load_order(path, poor)


def test_an_unknown_profile_is_refused_with_a_hint() -> None:
    with pytest.raises(InputError, match="Did you mean 'y1564-15min'"):
        load_profile(VARIABLES / "profiles.yaml", "y1564-15")

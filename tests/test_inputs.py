"""The input files: the examples load, and every mistake is one sentence with file and key."""

import os
import re
import subprocess
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from gatepass import order, profile, testbed
from gatepass.errors import InputError, NotApplicable, NotProven
from gatepass.inputs import load_catalogue, load_order, load_profile, load_testbed

ROOT = Path(__file__).resolve().parent.parent
VARIABLES = ROOT / "variables"
CATALOGUE = load_catalogue(VARIABLES / "service_catalogue.yaml")
SECRET = "Q3gmHrsQcH4rdkfGhh7xx4b0"

ORDER = """\
order: A-1
customer: Example Oy
tier: SGW-200
service_level: Gold
language: en
options:
  security_services: true
shaper:
  name: sgw-200
  burst_allowance_percent: 5
gateway:
  version: "7.4"
  min_vcpus: 2
"""

TESTBED = """\
testbed: lab-default
network_namespace: /proc/4711/ns/net
gateway:
  url: https://198.18.0.2
  ca_file: gateway-ca.pem
  token: {file: api-token}
  vdom: root
  client_port: port2
  server_port: port1
endpoints:
  client:
    ssh: {host: 198.18.0.11, port: 22, user: root, key_file: ssh/id, known_hosts_file: ssh/hosts}
    address: 198.18.1.10
    address6: "2001:2:0:1::10"
    direct_address: 198.18.3.10
    iperf3_port: 5201
  server:
    ssh: {host: 198.18.0.12, port: 22, user: root, key_file: ssh/id, known_hosts_file: ssh/hosts}
    address: 198.18.2.10
    address6: "2001:2:0:2::10"
    direct_address: 198.18.3.20
    iperf3_port: 5201
"""

PROFILES = """\
default: quick
profiles:
  quick:
    description: for tests
    source: Gatepass's own
    trial_s: 4
    omit_s: 1
    streams: 4
    interval_s: 1
    min_trials: 3
    max_trials: 5
    confidence: 0.95
"""


@pytest.fixture(scope="session")
def certificate() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    return built.public_bytes(serialization.Encoding.PEM)


@pytest.fixture
def folder(tmp_path: Path, certificate: bytes) -> Path:
    """A folder with the files that the testbed above names."""
    (tmp_path / "ssh").mkdir()
    for name, content, mode in (
        ("gateway-ca.pem", certificate, 0o644),
        ("api-token", f"{SECRET}\n".encode(), 0o600),
        ("ssh/id", b"-----BEGIN OPENSSH PRIVATE KEY-----\n", 0o600),
        ("ssh/id.pub", b"ssh-ed25519 AAAA\n", 0o644),
        ("ssh/hosts", b"198.18.0.11 ssh-ed25519 AAAA\n", 0o644),
        ("empty", b"", 0o600),
    ):
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(mode)
    return tmp_path


def load(kind: str, path: Path) -> object:
    if kind == "order":
        return load_order(path, CATALOGUE)
    loaders: dict[str, Callable[[Path], object]] = {
        "testbed": load_testbed,
        "profiles": load_profile,
        "catalogue": load_catalogue,
    }
    return loaders[kind](path)


def refusal(kind: str, path: Path) -> str:
    """The one sentence with which a file is refused."""
    with pytest.raises(InputError) as caught:
        load(kind, path)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    assert sentence.endswith((".", "?"))
    assert len(sentence) < 600
    shown = "".join(traceback.format_exception(caught.value))
    assert "pydantic" not in sentence
    assert SECRET not in sentence
    assert "ValidationError" not in shown, "the values that pydantic saw hang on the exception"
    return sentence


# --- what loads --------------------------------------------------------------------------------


def test_the_catalogue_is_the_published_one() -> None:
    figures = {
        name: (tier.stateful_mbps, tier.security_services_mbps, tier.ipsec_tunnels, tier.vpn_users)
        for name, tier in CATALOGUE.tiers.items()
    }
    assert figures == {
        "SGW-10": (100, 15, 2, 5),
        "SGW-20": (100, 20, 5, 5),
        "SGW-30": (100, 60, 5, 10),
        "SGW-200": (300, 120, 20, 50),
        "SGW-300": (500, 260, 30, 100),
        "SGW-500": (2000, 340, 100, 200),
    }
    assert CATALOGUE.tiers["SGW-20"].proxy_users is None
    assert CATALOGUE.tiers["SGW-500"].recommended_users == (300, 700)
    assert CATALOGUE.service_levels == ["Bronze", "Silver", "Gold", "Platinum"]


def test_an_order_may_switch_on_exactly_what_the_catalogue_offers() -> None:
    assert set(order.Options.model_fields) == set(CATALOGUE.options)


@pytest.mark.parametrize(
    "path", sorted((VARIABLES / "orders").glob("*.yaml")), ids=lambda p: p.stem
)
def test_the_example_orders_load(path: Path) -> None:
    loaded = load_order(path, CATALOGUE)
    assert loaded.promise is CATALOGUE.tiers[loaded.tier]
    assert loaded.path == path


def test_the_lab_order_is_the_lab() -> None:
    lab = load_order(VARIABLES / "orders" / "lab.yaml", CATALOGUE)
    assert (lab.order, lab.tier, lab.service_level) == ("lab", "SGW-200", "Gold")
    assert lab.options.security_services
    assert lab.shaper is not None
    assert (lab.shaper.name, lab.shaper.burst_allowance_percent) == ("sgw-200", 5)
    assert lab.gateway.model == "FortiGate-VM64-LAB"


def test_what_an_order_leaves_out_was_not_bought() -> None:
    short = load_order(VARIABLES / "orders" / "sgw-10-site.yaml", CATALOGUE)
    assert short.language == "en"
    assert short.shaper is None
    assert not any(bought for _, bought in short.options)


def test_the_example_testbed_loads_beside_the_files_it_names(folder: Path) -> None:
    example = (VARIABLES / "testbeds" / "site.yaml").read_text()
    site = folder / "site"
    site.mkdir()
    for name, existing in (
        ("gateway-ca.pem", "gateway-ca.pem"),
        ("api-token", "api-token"),
        ("id_ed25519", "ssh/id"),
        ("known_hosts", "ssh/hosts"),
    ):
        (folder / existing).rename(site / name)
    path = folder / "site.yaml"
    path.write_text(example)
    loaded = load_testbed(path)
    assert loaded.gateway.url == "https://192.0.2.1:8443"
    assert loaded.gateway.token.read() == SECRET
    assert loaded.endpoints.server.ssh.port == 22


def test_a_testbed_loads_with_its_defaults(folder: Path) -> None:
    text = re.sub(r" +(vdom|iperf3_port|address6|direct_address): .*\n", "", TESTBED)
    path = folder / "testbed.yaml"
    path.write_text(text.replace("network_namespace: /proc/4711/ns/net\n", ""))
    loaded = load_testbed(path)
    assert loaded.network_namespace is None
    assert (loaded.gateway.vdom, loaded.gateway.timeout_s) == ("root", 30)
    client = loaded.endpoints.client
    assert (client.iperf3_port, client.address6, client.direct_address) == (5201, None, None)
    assert client.ssh.key_file == folder / "ssh/id"


def test_ipv6_gateways_and_addresses_are_written_one_way(folder: Path) -> None:
    path = folder / "testbed.yaml"
    path.write_text(
        TESTBED.replace("https://198.18.0.2", '"https://[2001:DB8:0::1]:8443/"').replace(
            "2001:2:0:1::10", "2001:2:0:1:0:0:0:10"
        )
    )
    loaded = load_testbed(path)
    assert loaded.gateway.url == "https://[2001:db8::1]:8443"
    assert loaded.gateway.host == "2001:db8::1"
    assert loaded.endpoints.client.address6 == "2001:2:0:1::10"


@pytest.mark.parametrize(
    ("name", "run_s", "streams", "sampling"),
    [
        (None, 3, 4, "trials"),
        ("quick", 3, 4, "trials"),
        ("standard", 32, 10, "trials"),
        ("y1564-15min", 905, 10, "intervals"),
        ("y1564-2h", 7205, 10, "intervals"),
        ("y1564-24h", 86405, 10, "intervals"),
        ("thesis", 900, 10, "intervals"),
        ("smoke", 1, 2, "trials"),
    ],
)
def test_the_profiles_load(name: str | None, run_s: int, streams: int, sampling: str) -> None:
    loaded = load_profile(VARIABLES / "profiles.yaml", name)
    assert loaded.name == (name or "quick")
    assert (loaded.run_s, loaded.streams, loaded.sampling) == (run_s, streams, sampling)
    assert loaded.confidence == 0.95


def test_the_time_of_a_profile_is_known_beforehand() -> None:
    quick = load_profile(VARIABLES / "profiles.yaml", "quick")
    assert quick.traffic_s(9) == (9 * 3 * 3, 9 * 5 * 3)


@pytest.mark.parametrize(
    ("ordered", "reported", "fits"),
    [
        (None, "v7.6.3", True),
        ("7.4", "v7.4.8", True),
        ("7.4", "v7.6.0", False),
        ("7.4", "v7.40.1", False),
        ("7.4.8", "v7.4.8", True),
        ("7.4.8", "v7.4.9", False),
        (">=7.4.4", "v7.4.10", True),
        (">=7.4.4", "v7.4.3", False),
        (">= 7.4", "v7.6.0", True),
        (">=7.4", "v7.2.11", False),
    ],
)
def test_ordered_versions(ordered: str | None, reported: str, fits: bool) -> None:
    assert order.OrderedGateway(version=ordered).accepts_version(reported) is fits


def test_words_of_yaml_1_1_stay_words(tmp_path: Path) -> None:
    path = tmp_path / "order.yaml"
    path.write_text(
        ORDER.replace("A-1", "2026-01-31").replace("Example Oy", "no"), encoding="utf-8-sig"
    )
    loaded = load_order(path, CATALOGUE)
    assert (loaded.order, loaded.customer) == ("2026-01-31", "no")


# --- what is refused ---------------------------------------------------------------------------

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
    ("order", "language: en", "language: sv", "language", "found 'sv'; allowed is en or fi"),
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
    ("order", 'version: "7.4"', 'version: "latest"', "gateway.version", "such as"),
    ("order", "min_vcpus: 2", "min_vcpus: two", "gateway.min_vcpus", "whole number of vCPUs"),
    ("order", "min_vcpus: 2", "min_vcpus: 1.5", "gateway.min_vcpus", "found 1.5"),
    ("order", "min_vcpus: 2", 'min_vcpus: "2"', "gateway.min_vcpus", "without quotes"),
    ("order", "min_vcpus: 2", "min_vcpus: 0", "gateway.min_vcpus", "1 to 1024"),
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
    ("testbed", "/proc/4711", "proc/4711", "network_namespace", "absolute path"),
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
    # profiles
    ("profiles", "default: quick", "default: quik", "default", "Did you mean 'quick'?"),
    ("profiles", "trial_s: 4", "trial_s: 4s", "profiles.quick.trial_s", "found '4s'"),
    ("profiles", "trial_s: 4", "trial_s: 90000", "profiles.quick.trial_s", "1 to 86400"),
    ("profiles", "trials: 5", "trials: 2", "profiles.quick.max_trials", "min_trials, which is 3"),
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
    assert "order.yaml, line 13, key 'gateway.min_vcpus': found -2;" in refusal("order", path)


def test_a_catalogue_with_a_figure_in_quotes_is_refused(tmp_path: Path) -> None:
    text = (VARIABLES / "service_catalogue.yaml").read_text()
    path = tmp_path / "catalogue.yaml"
    path.write_text(text.replace("[50, 150]", '[50, "150"]'))
    assert "key 'tiers.SGW-200.recommended_users[1]'" in refusal("catalogue", path)
    path.write_text(text.replace("stateful_mbps: 2000", "stateful_mbps: 2 Gbit/s"))
    assert "key 'tiers.SGW-500.stateful_mbps'" in refusal("catalogue", path)


def test_an_option_that_the_catalogue_does_not_offer_is_refused(tmp_path: Path) -> None:
    poor = CATALOGUE.model_copy(update={"options": {"snmp_reporting": "SNMP"}})
    path = tmp_path / "order.yaml"
    path.write_text(ORDER)
    with pytest.raises(InputError, match=r"key 'options.security_services': found true; .*false"):
        load_order(path, poor)


def test_an_unknown_profile_is_refused_with_a_hint() -> None:
    with pytest.raises(InputError, match="Did you mean 'y1564-15min'"):
        load_profile(VARIABLES / "profiles.yaml", "y1564-15")


# --- secrets -----------------------------------------------------------------------------------


def bed(folder: Path, token: str = "{file: api-token}") -> testbed.Testbed:
    path = folder / "testbed.yaml"
    path.write_text(TESTBED.replace("{file: api-token}", token))
    return load_testbed(path)


def test_a_secret_is_read_when_asked_for_and_kept_nowhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_file = bed(folder)
    monkeypatch.setenv("GATEPASS_TOKEN", SECRET)
    from_environment = bed(folder, "{env: GATEPASS_TOKEN}")
    for loaded in (from_file, from_environment):
        assert loaded.gateway.token.read() == SECRET
        assert SECRET not in repr(loaded) + str(loaded) + loaded.model_dump_json()
        assert SECRET not in repr(vars(loaded.gateway.token))


def spoil_mode(token: Path) -> None:
    token.chmod(0o644)


def spoil_length(token: Path) -> None:
    token.write_text(SECRET * 200)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (Path.unlink, "does not exist"),
        (lambda token: token.write_text(""), "is empty"),
        (lambda token: token.write_text(" \n"), "holds no secret"),
        (lambda token: token.write_text(f"{SECRET}\n{SECRET}\n"), "not one word"),
        (lambda token: token.write_text(f"Bearer {SECRET}"), "not one word"),
        (lambda token: token.write_bytes(SECRET.encode() + b"\xff"), "not one word"),
        (spoil_length, "holds no secret"),
        (spoil_mode, "chmod"),
    ],
)
def test_a_secret_that_cannot_be_used_is_one_sentence(
    folder: Path, spoil: Callable[[Path], object], says: str
) -> None:
    loaded = bed(folder)
    spoil(folder / "api-token")
    with pytest.raises(InputError) as caught:
        loaded.gateway.token.read()
    sentence = str(caught.value)
    assert sentence.startswith(f"{folder / 'testbed.yaml'}, key 'gateway.token': ")
    assert says in sentence
    assert "\n" not in sentence
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_an_environment_variable_that_is_not_set_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = bed(folder, "{env: GATEPASS_TOKEN}")
    for value in (None, "", "  "):
        monkeypatch.delenv("GATEPASS_TOKEN", raising=False)
        if value is not None:
            monkeypatch.setenv("GATEPASS_TOKEN", value)
        with pytest.raises(InputError, match=r"GATEPASS_TOKEN is not set or empty\. Set it"):
            loaded.gateway.token.read()


def test_a_private_key_that_everybody_may_read_is_refused(folder: Path) -> None:
    (folder / "ssh/id").chmod(0o644)
    path = folder / "testbed.yaml"
    path.write_text(TESTBED)
    assert "run `chmod 600` on it" in refusal("testbed", path)


# --- the rest ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [NotProven, NotApplicable])
def test_reasons_begin_with_the_verdict(kind: type[NotProven] | type[NotApplicable]) -> None:
    prefix = "Not proven: " if kind is NotProven else "Not applicable: "
    assert str(kind("the client is lost.")) == f"{prefix}the client is lost."
    assert str(kind(str(kind("said once.")))) == f"{prefix}said once."
    assert kind.ROBOT_SKIP_EXECUTION
    assert kind.ROBOT_SUPPRESS_NAME


def test_the_inputs_know_no_robot() -> None:
    code = "import sys, gatepass.inputs; sys.exit('robot' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "libraries")}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=30)


def test_the_guide_explains_every_key() -> None:
    guide = (ROOT / "docs" / "orders-and-testbeds.md").read_text()
    models = (
        *(order.Order, order.Options, order.Shaper, order.OrderedGateway),
        *(testbed.Testbed, testbed.Gateway, testbed.Endpoints, testbed.Endpoint, testbed.Ssh),
        profile.Profile,
    )
    keys = {key for model in models for key in model.model_fields}
    assert not {key for key in keys if f"`{key}`" not in guide}

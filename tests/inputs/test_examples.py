"""The examples load, with their defaults; the guide explains every key."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from input_files import (
    CATALOGUE,
    ORDER,
    ROOT,
    SECRET,
    TESTBED,
    VARIABLES,
)

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.inputs import load_order, load_profile, load_testbed, order, profile, testbed


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
    assert (lab.shaper.name, lab.shaper.burst_allowance_percent) == ("sgw-200", 10)
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
    text = re.sub(r" +(vdom|iperf3_port|address6|direct_address6?): .*\n", "", TESTBED)
    path = folder / "testbed.yaml"
    path.write_text(text.replace("network_namespace: /proc/4711/ns/net\n", ""))
    loaded = load_testbed(path)
    assert loaded.network_namespace is None
    assert (loaded.gateway.vdom, loaded.gateway.timeout_s) == ("root", 30)
    client = loaded.endpoints.client
    assert (client.iperf3_port, client.address6, client.direct_address) == (5201, None, None)
    assert client.ssh.key_file == folder / "ssh/id"


def test_a_testbed_shares_what_it_names_and_what_its_addresses_imply(folder: Path) -> None:
    path = folder / "testbed.yaml"
    path.write_text(
        TESTBED.replace("network_namespace: /proc/4711/ns/net\n", "").replace("switch", "Switch")
    )
    own = {"gateway 198.18.0.2"} | {f"host 198.18.0.{number}:22" for number in (11, 12, 13)}
    assert load_testbed(path).resources == {"switch 1"} | own
    path.write_text(TESTBED)
    behind = {f"{name} in /proc/4711/ns/net" for name in own}
    assert load_testbed(path).resources == {"switch 1"} | behind


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
    assert quick.traffic_s(9) == (9 * 3 * 3, 9 * 12 * 3)


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
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=60)


def test_the_guide_explains_every_key() -> None:
    guide = (ROOT / "docs" / "orders-and-testbeds.md").read_text()
    models = (
        *(order.Order, order.Options, order.OrderedShaper, order.Vpn, order.OrderedTenants),
        order.OrderedGateway,
        *(testbed.Testbed, testbed.TestbedGateway, testbed.TestbedEndpoints),
        *(testbed.Endpoint, testbed.Ssh),
        *(testbed.Peer, testbed.FileServer, testbed.TestbedTroubles, testbed.Trouble),
        profile.Profile,
    )
    keys = {key for model in models for key in model.model_fields}
    assert not {key for key in keys if f"`{key}`" not in guide}

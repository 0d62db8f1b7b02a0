"""The examples of testbeds in docs/examples fit together, as far as shows without a FortiGate."""

from __future__ import annotations

import ipaddress
import os
import re
import shutil
import subprocess
from pathlib import Path
from uuid import UUID
from xml.etree import ElementTree

import pytest
import yaml
from input_files import ROOT

from gatepass import cli
from gatepass.inputs import load_testbed
from gatepass.inputs import testbed as files

SOURCE = ROOT / "docs" / "examples"
PLACES = ("containerlab", "libvirt")
ORDER = ROOT / "variables" / "orders" / "sgw-10-site.yaml"

# What containerlab 0.7x publishes of its topology files (schemas/clab.schema.json)
TOPOLOGY_KEYS = {"name", "prefix", "mgmt", "topology", "settings", "debug"}
MGMT_KEYS = {"network", "bridge", "ipv4-subnet", "ipv6-subnet", "ipv4-gw", "ipv6-gw", "mtu"}
NODE_KEYS = {
    *("image", "image-pull-policy", "kind", "license", "type", "group", "startup-config"),
    *("startup-delay", "enforce-startup-config", "exec", "binds", "ports", "env", "credentials"),
    *("cmd", "entrypoint", "mgmt-ipv4", "mgmt-ipv6", "network-mode", "cpu", "memory", "sysctls"),
    *("privileged", "cap-add", "devices", "dns", "labels", "user"),
}
LINK_KEYS = {"endpoints", "mtu", "ipv4", "ipv6", "vars"}
FIRST_PORT = 2
"""Of a FortiGate in containerlab: port1 is management, and cannot be linked."""


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with the files that its script makes, and a token."""
    folder = tmp_path_factory.mktemp("examples") / "examples"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("site"))
    site = folder / PLACES[0] / "site"
    subprocess.run([folder / "make-keys.sh", site], check=True, capture_output=True)
    token = site / "api-token"
    token.write_text("made-by-the-gateway-0123\n")
    token.chmod(0o600)
    for place in PLACES[1:]:
        shutil.copytree(site, folder / place / "site")
    return folder


def loaded(examples: Path, place: str) -> files.Testbed:
    return load_testbed(examples / place / "testbed.yaml")


def topology(examples: Path) -> dict:
    return yaml.safe_load((examples / "containerlab" / "gatepass.clab.yml").read_text())


def machine(examples: Path) -> ElementTree.Element:
    return ElementTree.parse(examples / "libvirt" / "gateway.xml").getroot()


@pytest.mark.parametrize("place", PLACES)
def test_the_testbed_is_valid(
    examples: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = examples / place / "testbed.yaml"
    assert cli.main(["validate", "--order", str(ORDER), "--testbed", str(path)]) == 0
    assert f"on testbed {place}" in capsys.readouterr().out


@pytest.mark.parametrize("place", PLACES)
def test_the_configuration_makes_the_gateway_the_endpoints_neighbour(
    examples: Path, place: str
) -> None:
    text = (examples / place / "gateway.cfg").read_text()
    assert text.count("config ") == len(re.findall(r"^ *end$", text, re.MULTILINE))
    ports = dict(re.findall(r'edit "(port\d)"\n(.*?)\n    next', text, re.DOTALL))
    testbed = loaded(examples, place)
    ends = testbed.endpoints
    for port, end in ((testbed.gateway.client_port, ends.client),
                      (testbed.gateway.server_port, ends.server)):
        address, mask = re.search(r"set ip (\S+) (\S+)", ports[port]).groups()
        network = ipaddress.ip_interface(f"{address}/{mask}").network
        assert ipaddress.ip_address(end.address) in network
        own6 = ipaddress.ip_interface(re.search(r"set ip6-address (\S+)", ports[port])[1])
        assert ipaddress.ip_address(end.address6) in own6.network
        routes = routes_of(examples, place, end.ssh.host)
        other = ends.server if end is ends.client else ends.client
        for target, first_hop in ((other.address, address), (other.address6, str(own6.ip))):
            where = ipaddress.ip_address(target)
            assert [hop for network, hop in routes if where in network] == [first_hop]
    if "port1" in ports:
        assert f"set ip {testbed.gateway.host} " in ports["port1"]
        assert "https" in ports["port1"]


def routes_of(examples: Path, place: str, management: str) -> list[tuple]:
    """The networks that an endpoint sends to a router, and the router; not the default route."""
    if place == "libvirt":
        cards = cards_of(examples, "client" if management.endswith("11") else "server")
        found = [(route["to"], route["via"]) for route in cards["test"]["routes"]]
    else:
        nodes = topology(examples)["topology"]["nodes"].values()
        (commands,) = (node["exec"] for node in nodes if node.get("mgmt-ipv4") == management)
        found = re.findall(r"ip route add (\S+) via (\S+)", "\n".join(commands))
    return [(ipaddress.ip_network(to), via) for to, via in found]


def test_the_topology_is_as_containerlab_publishes_it(examples: Path) -> None:
    whole = topology(examples)
    assert set(whole) <= TOPOLOGY_KEYS
    assert re.fullmatch(r"[a-zA-Z0-9][a-zA-Z0-9-._]*", whole["name"])
    assert set(whole["mgmt"]) <= MGMT_KEYS
    nodes = whole["topology"]["nodes"]
    assert {node["kind"] for node in nodes.values()} == {"fortinet_fortigate", "linux"}
    for node in nodes.values():
        assert set(node) <= NODE_KEYS
        assert all(isinstance(value, str) for value in node.get("env", {}).values())
    assert str(UUID(nodes["gateway"]["env"]["UUID"])) == nodes["gateway"]["env"]["UUID"]
    for link in whole["topology"]["links"]:
        assert set(link) <= LINK_KEYS and link["mtu"] == 1500
        for end in link["endpoints"]:
            node, card = end.split(":")
            pattern = r"port(\d)" if nodes[node]["kind"] == "fortinet_fortigate" else r"eth(\d)"
            number = int(re.fullmatch(pattern, card)[1])
            assert number >= (FIRST_PORT if node == "gateway" else 1)
    assert (examples / "containerlab" / nodes["gateway"]["startup-config"]).exists()


def test_the_topology_is_the_testbeds(examples: Path) -> None:
    whole, testbed = topology(examples), loaded(examples, "containerlab")
    nodes, ends = whole["topology"]["nodes"], testbed.endpoints
    assert nodes["gateway"]["mgmt-ipv4"] == testbed.gateway.host
    network = ipaddress.ip_network(whole["mgmt"]["ipv4-subnet"])
    links = {tuple(link["endpoints"]) for link in whole["topology"]["links"]}
    for name, card in (("client", testbed.gateway.client_port),
                       ("server", testbed.gateway.server_port)):
        end = getattr(ends, name)
        assert nodes[name]["mgmt-ipv4"] == end.ssh.host
        assert ipaddress.ip_address(end.ssh.host) in network
        wire = (f"{name}:eth1", f"gateway:{card}")
        assert wire in links or wire[::-1] in links
        commands = "\n".join(nodes[name]["exec"])
        found = dict(re.findall(r"ip address add (\S+)/(?:24|64) dev (eth\d)", commands))
        assert found == {
            end.address: "eth1",
            end.address6: "eth1",
            end.direct_address: "eth2",
            end.direct_address6: "eth2",
        }
    assert ("client:eth2", "server:eth2") in links


def test_the_images_that_the_topology_names_are_built(examples: Path) -> None:
    nodes = topology(examples)["topology"]["nodes"]
    built = (examples / "containerlab" / "Dockerfile").read_text()
    guide = (examples / "README.md").read_text()
    assert "docker build --build-arg ROLE=$role -t gatepass-$role" in guide
    assert {nodes[name]["image"] for name in ("client", "server")} == {
        "gatepass-client",
        "gatepass-server",
    }
    for copied in re.findall(r"^COPY (\S+)", built, re.MULTILINE):
        for role in ("client", "server"):
            assert (examples / copied.replace("${ROLE}", role)).exists()


def test_no_private_key_is_in_an_image(examples: Path) -> None:
    """Who has the image could stand in for the endpoint; a container gets its key at the start."""
    built = (examples / "containerlab" / "Dockerfile").read_text()
    copied = re.findall(r"^(?:COPY|ADD) (\S+)", built, re.MULTILINE)
    for role in ("client", "server"):
        for name in copied:
            assert "PRIVATE KEY" not in (examples / name.replace("${ROLE}", role)).read_text()
        (bound,) = topology(examples)["topology"]["nodes"][role]["binds"]
        here, there, mode = bound.split(":")
        assert "PRIVATE KEY" in (examples / "containerlab" / here).read_text()
        assert (here, there, mode) == (
            f"site/{role}_host_key", "/etc/ssh/ssh_host_ed25519_key", "ro"
        )
    assert "rm -f /etc/ssh/ssh_host_*" in built, "those that the package has made"


def test_the_machine_is_the_testbeds(examples: Path) -> None:
    root, testbed = machine(examples), loaded(examples, "libvirt")
    assert UUID(root.findtext("uuid").strip())
    networks = [source.get("network") for source in root.findall("devices/interface/source")]
    by_port = dict(zip(("port1", "port2", "port3"), networks, strict=True))
    assert by_port == {
        "port1": "gatepass-management",
        testbed.gateway.client_port: "gatepass-client",
        testbed.gateway.server_port: "gatepass-server",
    }
    files = {path.stem: path for path in (examples / "libvirt").glob("*.xml")}
    defined = {
        ElementTree.parse(path).getroot().findtext("name"): name
        for name, path in files.items()
        if name != "gateway"
    }
    assert set(networks) < set(defined) and "gatepass-direct" in defined
    management = ElementTree.parse(files["management"]).getroot().find("ip")
    own = ipaddress.ip_interface(f"{management.get('address')}/{management.get('netmask')}")
    for host in (testbed.gateway.host, testbed.endpoints.client.ssh.host):
        assert ipaddress.ip_address(host) in own.network


def cards_of(examples: Path, name: str) -> dict:
    path = examples / "libvirt" / f"{name}-network.yaml"
    return yaml.safe_load(path.read_text())["ethernets"]


@pytest.fixture(scope="module")
def created(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """What create.sh tells libvirt, by programs that take its place and write it down."""
    folder = tmp_path_factory.mktemp("libvirt")
    told = folder / "told"
    for program in ("virsh", "virt-install", "qemu-img"):
        path = folder / program
        path.write_text(f'#!/bin/sh\nprintf "%s\\037" {program} "$@" >> {told}\necho >> {told}\n')
        path.chmod(0o755)
    images = [folder / name for name in ("fortios.qcow2", "debian.qcow2")]
    for image in images:
        image.write_bytes(b"QFI\xfb")
    environment = os.environ | {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "IMAGES": str(folder),
    }
    call = [examples / "libvirt" / "create.sh", *images]
    subprocess.run(call, env=environment, check=True, capture_output=True)
    return [line.split("\037")[:-1] for line in told.read_text().splitlines()]


def test_what_is_created_is_what_the_machine_needs(
    examples: Path, created: list[list[str]]
) -> None:
    defined = [Path(call[2]) for call in created if call[:2] == ["virsh", "net-define"]]
    names = [ElementTree.parse(path).getroot().findtext("name") for path in defined]
    assert names == [call[2] for call in created if call[:2] == ["virsh", "net-start"]]
    sources = machine(examples).findall("devices/*/source")
    assert {source.get("network") for source in sources} - {None} <= set(names)
    disks = {Path(source.get("file")).name for source in sources if source.get("file")}
    (log,) = (Path(call[-2]).name for call in created if call[0] == "qemu-img")
    assert disks == {"gatepass-gateway.qcow2", log}


@pytest.mark.parametrize("name", ["client", "server"])
def test_the_endpoints_that_are_created_are_the_testbeds(
    examples: Path, created: list[list[str]], name: str
) -> None:
    end = getattr(loaded(examples, "libvirt").endpoints, name)
    begun = ["virt-install", "--name", f"gatepass-{name}"]
    (call,) = (call for call in created if call[:3] == begun)
    wires = re.findall(r"network=gatepass-(\w+),model=virtio,mac=(\S+)", " ".join(call))
    cards = cards_of(examples, name)
    by_mac = {card["match"]["macaddress"]: card["addresses"] for card in cards.values()}
    found = {wire: [one.split("/")[0] for one in by_mac[mac]] for wire, mac in wires}
    assert found == {
        "management": [end.ssh.host],
        name: [end.address, end.address6],
        "direct": [end.direct_address, end.direct_address6],
    }
    site = examples / "libvirt" / "site"
    user_data = (site / f"{name}-user-data").read_text()
    assert user_data.startswith("#cloud-config\n")
    data = yaml.safe_load(user_data)
    (root,) = data["users"]
    assert root["ssh_authorized_keys"] == [(site / "id_ed25519.pub").read_text().strip()]
    assert data["ssh_keys"]["ed25519_private"] == (site / f"{name}_host_key").read_text()
    kind, key = data["ssh_keys"]["ed25519_public"].split()[:2]
    assert f"{end.ssh.host} {kind} {key}" in (site / "known_hosts").read_text().splitlines()


def test_the_gateways_certificate_names_the_host_of_the_url(examples: Path) -> None:
    site = examples / "containerlab" / "site"
    told = (site / "gateway-certificate.cfg").read_text()
    assert (site / "gateway.pem").read_text().strip() in told
    assert 'set admin-server-cert "gatepass"' in told
    check = ["openssl", "verify", "-x509_strict", "-CAfile", site / "gateway-ca.pem"]
    host = loaded(examples, "containerlab").gateway.host
    for address, good in ((host, True), ("192.0.2.99", False)):
        done = subprocess.run(
            [*check, "-verify_ip", address, site / "gateway.pem"], capture_output=True
        )
        assert (done.returncode == 0) is good
    for secret in ("id_ed25519", "gateway.key", "gateway-ca.key", "gateway-certificate.cfg"):
        assert (site / secret).stat().st_mode & 0o077 == 0


def test_the_guide_has_the_packages_that_the_script_installs() -> None:
    """One line to be copied, for each of the endpoints of the first hour."""
    script = (SOURCE / "endpoint" / "setup.sh").read_text()
    tools, ipsec = (re.search(rf'^{name}="(.*)"$', script, re.MULTILINE)[1]
                    for name in ("tools", "ipsec"))
    guide = (ROOT / "docs" / "real-gateway.md").read_text()
    for role in ("client", "server"):
        more = re.search(rf'^ +{role}\) +tools="\$tools (.*?)"', script, re.MULTILINE)[1]
        packages = f"{tools} {more.replace('$ipsec', ipsec)}"
        assert f"apt install {packages}\n" in guide

"""What of a testbed's SSH cannot be used is told when it is read, before anything is sent."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from input_files import TESTBED, refusal

import ssh_files
from gatepass.inputs import load_testbed

KEY = ssh_files.public_key()
HOSTS = {
    f"198.18.0.11 {KEY}\n@revoked * {KEY}\n": "revoked key for this host in line 2",
    f"@cert-authority *.18.0.11 {KEY}\n": "certificates of hosts are not taken here",
    "198.18.0.11 ssh-ed25519 AAAA\n": "damaged key for this host in line 1",
}


def _refusal(folder: Path) -> str:
    (folder / "testbed.yaml").write_text(TESTBED)
    return refusal("testbed", folder / "testbed.yaml")


def test_a_key_with_a_passphrase(folder: Path) -> None:
    (folder / "ssh/id").unlink()
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "not a real one"]
    subprocess.run([*command, "-f", str(folder / "ssh/id")], check=True)
    assert (
        "endpoints.client.ssh.key_file': found 'ssh/id'; allowed is the file of a private SSH key. "
        "It has a passphrase, and nobody is there to type it: remove it with `ssh-keygen -p -N ''`"
    ) in _refusal(folder)


def test_a_key_of_putty(folder: Path) -> None:
    (folder / "ssh/id").write_text("PuTTY-User-Key-File-3: ssh-ed25519\n")
    assert "It is in PuTTY's own format: convert it with `puttygen KEY -O" in _refusal(folder)


@pytest.mark.parametrize("hosts", HOSTS)
def test_known_hosts_of_which_nothing_can_be_used(folder: Path, hosts: str) -> None:
    (folder / "ssh/hosts").write_text(hosts)
    told = _refusal(folder)
    assert "endpoints.client.ssh.known_hosts_file': found 'ssh/hosts'; allowed is a file" in told
    assert HOSTS[hosts] in told and "Add the key itself: `ssh-keyscan`" in told


@pytest.mark.parametrize(
    "others",
    ["@cert-authority *.example.com x\n", "@revoked * ssh-rsa AAAA\n", "damaged\n", "192.0.2.1\n"],
)
def test_lines_that_concern_no_endpoint_are_nobodys_trouble(folder: Path, others: str) -> None:
    with (folder / "ssh/hosts").open("a") as hosts:
        hosts.write(others)
    (folder / "testbed.yaml").write_text(TESTBED)
    load_testbed(folder / "testbed.yaml")

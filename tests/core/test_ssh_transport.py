"""Host keys and algorithms, agreed on as OpenSSH does."""

from __future__ import annotations

import base64
import socket
from pathlib import Path

import paramiko
import pytest

import ssh_files
from gatepass.endpoint.ssh_transport import HostKeyRefused, KnownHostKey, Transport
from gatepass.inputs.known_hosts import HostKey, KnownHosts

KEY = paramiko.Ed25519Key(data=base64.b64decode(ssh_files.public_key().split()[1]))
KNOWN = HostKey("ssh-ed25519", KEY.asbytes())
OTHER = HostKey("ssh-ed25519", b"another")
FILE = Path("/site/known_hosts")


@pytest.fixture
def transport() -> Transport:
    one, other = socket.socketpair()
    with one, other:
        made = Transport(one)
        yield made
        made.close()


def _offer(transport: Transport, **lists: list[str]) -> None:
    transport.offered = lists


def test_the_kinds_of_key_that_are_known_are_asked_for_first(transport: Transport) -> None:
    transport.prefer(KnownHosts(FILE, [HostKey("ssh-rsa", b""), HostKey("ssh-dss", b"")]))
    assert transport.preferred_keys[:2] == ("rsa-sha2-512", "rsa-sha2-256")
    assert set(transport.preferred_keys) >= set(paramiko.Transport._preferred_keys)
    transport.prefer(KnownHosts(FILE, [HostKey("ecdsa-sha2-nistp384", b"")]))
    assert transport.preferred_keys[0] == "ecdsa-sha2-nistp384"


def test_where_nothing_is_in_common_both_lists_are_named(transport: Transport) -> None:
    assert transport.disagreement() == ""
    _offer(transport, server_key_algo_list=["ssh-rsa", "ssh-dss"])
    assert transport.disagreement() == (
        "its HostKeyAlgorithms and those here have none in common: it offers ssh-rsa, ssh-dss, "
        "and here there are ssh-ed25519, ecdsa-sha2-nistp256, ecdsa-sha2-nistp384, "
        "ecdsa-sha2-nistp521, rsa-sha2-512, rsa-sha2-256; add one of these to HostKeyAlgorithms "
        "in its sshd_config"
    )
    _offer(transport, server_mac_algo_list=["hmac-sha2-256"])
    assert transport.disagreement() == ""


def test_signals_among_the_key_exchanges_are_none(transport: Transport) -> None:
    offered = ["sntrup761x25519-sha512", "ext-info-s", "kex-strict-s-v00@openssh.com"]
    _offer(transport, kex_algo_list=offered)
    assert "it offers sntrup761x25519-sha512, and here" in transport.disagreement()


def test_a_known_key_is_taken() -> None:
    known = KnownHosts(FILE, [OTHER, KNOWN])
    KnownHostKey(known).missing_host_key(paramiko.SSHClient(), "host", KEY)


@pytest.mark.parametrize(
    ("known", "why"),
    [
        (KnownHosts(FILE, [KNOWN], {KNOWN.blob: 7}), "revoked in /site/known_hosts (line 7)"),
        (KnownHosts(FILE, [OTHER]), "a host key other than the one in /site/known_hosts; either"),
        (KnownHosts(FILE, authorities=[3]), "key of an authority for this host in line 3"),
        (KnownHosts(FILE, damaged=[4]), "a damaged key for this host in line 4"),
        (KnownHosts(FILE), "is not in /site/known_hosts; add it"),
    ],
)
def test_any_other_is_refused(known: KnownHosts, why: str) -> None:
    with pytest.raises(HostKeyRefused) as refused:
        KnownHostKey(known).missing_host_key(paramiko.SSHClient(), "host", KEY)
    assert why in str(refused.value)

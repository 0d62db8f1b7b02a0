"""What paramiko leaves open of SSH: host keys as OpenSSH keeps them, and what a peer offers."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import ClassVar

import paramiko
from paramiko.kex_curve25519 import KexCurve25519

from gatepass.inputs.known_hosts import HostKey, KnownHosts

# Python prints what no handler takes, and a reader gets the sentence alone
logging.getLogger("paramiko").addHandler(logging.NullHandler())

_RSA = ("rsa-sha2-512", "rsa-sha2-256")
_NO_ALGORITHMS = ("ext-info-", "kex-strict-")
"""Signals that stand among the key exchanges (RFC 8308; CVE-2023-48795)."""
_MOST_NAMED = 8


class HostKeyRefused(paramiko.SSHException):
    """A host shows a key that it must not show; the message completes "it …"."""


class KnownHostKey(paramiko.MissingHostKeyPolicy):
    """Takes the host keys that a file names, and no other.

    Args:
        known: what the file says of the host.
    """

    def __init__(self, known: KnownHosts) -> None:
        self._known = known

    def missing_host_key(
        self, client: paramiko.SSHClient, hostname: str, key: paramiko.PKey
    ) -> None:
        """Look the key up; paramiko asks for each, as it is given no keys of its own.

        Raises:
            HostKeyRefused: it is revoked, another one, or the file has none.
        """
        shown, known = HostKey(key.get_name(), key.asbytes()), self._known
        if shown.blob in known.revoked:
            line = known.revoked[shown.blob]
            raise HostKeyRefused(f"its host key is revoked in {known.path} (line {line})")
        if shown in known.keys:
            return
        if known.keys:
            raise HostKeyRefused(
                f"it presents a host key other than the one in {known.path}; either the "
                "host was reinstalled (then renew that file), or this is another host"
            )
        if known.trouble:
            raise HostKeyRefused(f"{known.path} {known.trouble}")
        raise HostKeyRefused(
            f"its host key is not in {known.path}; add it (ssh-keyscan, then compare it)"
        )


class Transport(paramiko.Transport):
    """One that agrees on the kind of host key that is known, and keeps what the peer offers."""

    # RFC 8731 gave the method of libssh.org its name; paramiko knows the older name alone
    _kex_info: ClassVar = {**paramiko.Transport._kex_info, "curve25519-sha256": KexCurve25519}
    _preferred_kex = ("curve25519-sha256", *paramiko.Transport._preferred_kex)
    offered: dict[str, list[str]]

    def prefer(self, known: KnownHosts) -> None:
        """Ask for the kinds of key that are known first, as OpenSSH does."""
        kinds = dict.fromkeys(
            name
            for key in known.keys
            for name in (_RSA if key.kind == "ssh-rsa" else (key.kind,))
            if name in self._preferred_keys
        )
        others = [name for name in self._preferred_keys if name not in kinds]
        self._preferred_keys = (*kinds, *others)

    def _really_parse_kex_init(self, m: paramiko.Message, ignore_first_byte: bool = False) -> dict:
        parsed = super()._really_parse_kex_init(m, ignore_first_byte)
        self.offered = {name: list(value) for name, value in parsed.items() if name in _OFFERS}
        return parsed

    def disagreement(self) -> str:
        """On what this side and the other do not agree, with both sides' lists; empty if on all."""
        offered = getattr(self, "offered", {})
        for key, (setting, ours) in _OFFERS.items():
            own = getattr(self, ours)
            theirs = [name for name in offered.get(key, own) if not name.startswith(_NO_ALGORITHMS)]
            if not set(own) & set(theirs):
                return (
                    f"its {setting} and those here have none in common: it offers "
                    f"{_some(theirs)}, and here there are {_some(own)}; add one of these to "
                    f"{setting} in its sshd_config"
                )
        return ""


def _some(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join([*names[:_MOST_NAMED], *(["…"] if len(names) > _MOST_NAMED else [])])


_OFFERS = {
    "kex_algo_list": ("KexAlgorithms", "_preferred_kex"),
    "server_key_algo_list": ("HostKeyAlgorithms", "_preferred_keys"),
    "client_encrypt_algo_list": ("Ciphers", "_preferred_ciphers"),
    "server_encrypt_algo_list": ("Ciphers", "_preferred_ciphers"),
    "client_mac_algo_list": ("MACs", "_preferred_macs"),
    "server_mac_algo_list": ("MACs", "_preferred_macs"),
}
"""By paramiko's name of a list in SSH_MSG_KEXINIT: sshd's setting, our own list."""

"""Proposals of FortiOS in strongSwan's words."""

from __future__ import annotations

from collections.abc import Sequence

_GROUP = {
    "1": "modp768",
    "2": "modp1024",
    "5": "modp1536",
    "14": "modp2048",
    "15": "modp3072",
    "16": "modp4096",
    "17": "modp6144",
    "18": "modp8192",
    "19": "ecp256",
    "20": "ecp384",
    "21": "ecp521",
    "27": "ecp224bp",
    "28": "ecp256bp",
    "29": "ecp384bp",
    "30": "ecp512bp",
    "31": "curve25519",
    "32": "curve448",
}
_AEAD = {
    "aes128gcm": "aes128gcm16",
    "aes256gcm": "aes256gcm16",
    "chacha20poly1305": "chacha20poly1305",
}
_COMMON = ("aes128-sha256", "aes256-sha256", "aes128-sha1")


def in_strongswan_words(proposals: Sequence[str], groups: Sequence[str]) -> tuple[str, ...]:
    """Proposals of phase 1 or 2, each with all the Diffie-Hellman groups.

    `aes256-sha256` with group 14 is `aes256-sha256-modp2048`. A phase 2 without perfect forward
    secrecy has no groups.
    """
    return tuple(_with_groups(proposal, groups) for proposal in proposals)


def _with_groups(proposal: str, groups: Sequence[str]) -> str:
    cipher, _, digest = proposal.partition("-")
    words = [_AEAD.get(cipher, cipher), digest, *(_GROUP[group] for group in groups)]
    return "-".join(word for word in words if word)


def other_than(proposals: Sequence[str]) -> tuple[str, ...]:
    """Proposals of common ciphers that are none of these, with the same groups."""
    found = [
        "-".join([cipher, *_groups_of(proposal)])
        for proposal in proposals
        for cipher in _COMMON
        if not any(one.startswith(f"{cipher}-") or one == cipher for one in proposals)
    ]
    return tuple(dict.fromkeys(found))


def with_group(proposals: Sequence[str], group: str) -> tuple[str, ...]:
    """The same proposals with this Diffie-Hellman group, by FortiOS's number, and no other."""
    found = []
    for proposal in proposals:
        kept = [word for word in proposal.split("-") if word not in _GROUP.values()]
        found.append("-".join([*kept, _GROUP[group]]))
    return tuple(dict.fromkeys(found))


def _groups_of(proposal: str) -> list[str]:
    return [word for word in proposal.split("-") if word in _GROUP.values()]

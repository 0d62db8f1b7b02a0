"""How a tunnel between two sites may be encrypted: what an order can ask for.

A name stands for encryption, integrity and Diffie-Hellman group of both phases, IKEv2 with a
pre-shared key and perfect forward secrecy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ProposalName = Literal[
    "aes256-sha256-dh14",
    "aes128-sha256-dh14",
    "aes256gcm-dh14",
    "aes128-sha256-dh5",
    "3des-sha1-dh2",
]

_GROUPS = {2: 1024, 5: 1536, 14: 2048}
"""Size in bits of a group's prime (RFC 2409, RFC 3526)."""


@dataclass(frozen=True)
class Proposal:
    """One way to encrypt.

    Attributes:
        label: for readers.
        dh_group: number of the Diffie-Hellman group.
        phase1, phase2: in FortiOS's words, without the group.
        ike, esp: in strongSwan's words, without the group.
        encryption, integrity: of the ESP SA, as strongSwan tells of it.
        weak: why it should not be used any more; empty where it may be.
    """

    label: str
    dh_group: int
    phase1: str
    phase2: str
    ike: str
    esp: str
    encryption: str
    integrity: str
    weak: str = ""

    @property
    def group(self) -> str:
        """The Diffie-Hellman group as strongSwan tells of it."""
        return f"MODP_{_GROUPS[self.dh_group]}"

    def strongswan(self, words: str) -> str:
        """`ike` or `esp` with the group, as a whole proposal for strongSwan."""
        return f"{words}-modp{_GROUPS[self.dh_group]}"


PROPOSALS: dict[str, Proposal] = {
    "aes256-sha256-dh14": Proposal(
        *("AES256, SHA256, DH 14", 14, "aes256-sha256", "aes256-sha256"),
        *("aes256-sha256", "aes256-sha256", "AES_CBC-256", "HMAC_SHA2_256_128"),
    ),
    "aes128-sha256-dh14": Proposal(
        *("AES128, SHA256, DH 14", 14, "aes128-sha256", "aes128-sha256"),
        *("aes128-sha256", "aes128-sha256", "AES_CBC-128", "HMAC_SHA2_256_128"),
    ),
    "aes256gcm-dh14": Proposal(
        *("AES256-GCM, DH 14", 14, "aes256gcm-prfsha256", "aes256gcm"),
        *("aes256gcm16-prfsha256", "aes256gcm16", "AES_GCM_16-256", ""),
    ),
    "aes128-sha256-dh5": Proposal(
        *("AES128, SHA256, DH 5", 5, "aes128-sha256", "aes128-sha256"),
        *("aes128-sha256", "aes128-sha256", "AES_CBC-128", "HMAC_SHA2_256_128"),
        weak="DH group 5 has 1536 bits and is too short (RFC 8247)",
    ),
    "3des-sha1-dh2": Proposal(
        *("3DES, SHA1, DH 2", 2, "3des-sha1", "3des-sha1"),
        *("3des-sha1", "3des-sha1", "3DES_CBC", "HMAC_SHA1_96"),
        weak="3DES, SHA1 and DH group 2 should not be used any more (RFC 8221, RFC 8247)",
    ),
}

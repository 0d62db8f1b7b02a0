"""Private SSH keys in the formats in which they are met."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_ssh_private_key

from gatepass.inputs.private_key import UnusableKey, openssh_key

PASSPHRASE = "not a real one"
TAKEN = {
    "Ed25519": "ssh-keygen -q -t ed25519 -N '' -f key",
    "RSA": "ssh-keygen -q -t rsa -b 2048 -N '' -f key",
    "ECDSA": "ssh-keygen -q -t ecdsa -b 384 -N '' -f key",
    "RSA in PKCS#1": "ssh-keygen -q -t rsa -b 2048 -m PEM -N '' -f key",
    "ECDSA in SEC 1": "ssh-keygen -q -t ecdsa -m PEM -N '' -f key",
    "RSA in PKCS#8": "openssl genpkey -algorithm RSA -out key",
    "ECDSA in PKCS#8": "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key",
    "Ed25519 in PKCS#8": "openssl genpkey -algorithm ED25519 -out key",
    "with the curve before it": "openssl ecparam -name prime256v1 -genkey -out key",
    "from Windows": "ssh-keygen -q -t ed25519 -N '' -f key; sed -i 's/$/\\r/' key",
    "with a mark of UTF-8": (
        "ssh-keygen -q -t ed25519 -N '' -f a; { printf '\\357\\273\\277'; cat a; } >key"
    ),
    "with text before it": (
        "openssl genpkey -algorithm RSA -out a; { echo Bag Attributes; seq 200; cat a; } >key"
    ),
}
NOT_TAKEN = {
    "OpenSSH with a passphrase": (f"ssh-keygen -q -t ed25519 -N '{PASSPHRASE}' -f key", "phrase"),
    "PKCS#1 with a passphrase": (
        f"ssh-keygen -q -t rsa -b 2048 -m PEM -N '{PASSPHRASE}' -f key",
        "has a passphrase",
    ),
    "PKCS#8 with a passphrase": (
        f"openssl genpkey -algorithm RSA -aes256 -pass 'pass:{PASSPHRASE}' -out key",
        "has a passphrase",
    ),
    "PuTTY": (
        "printf 'PuTTY-User-Key-File-3: ssh-ed25519\\r\\nEncryption: none\\r\\n' >key",
        "PuTTY's own format: convert it with `puttygen",
    ),
    "Tectia": ("echo '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----' >key", "format of SSH Tectia"),
    "UTF-16": (
        "ssh-keygen -q -t ed25519 -N '' -f a; iconv -f ASCII -t UTF-16 a >key",
        "is text in UTF-16",
    ),
    "the public half": (
        "ssh-keygen -q -t ed25519 -N '' -f a; cp a.pub key",
        "is no private key: name the key itself, not its .pub file",
    ),
    "another kind": ("openssl genpkey -algorithm ED448 -out key", "a kind that is not taken"),
    "another curve": ("openssl ecparam -name secp256k1 -genkey -noout -out key", "not taken here"),
    "cut off": ("ssh-keygen -q -t ed25519 -N '' -f a; head -c 200 a >key", "damaged or cut off"),
    "damaged": (
        "openssl genpkey -algorithm RSA -out a; sed '3,5d' a >key",
        "damaged or cut off",
    ),
    "nothing": (": >key", "is no private key"),
}


def _made(folder: Path, command: str) -> Path:
    subprocess.run(["sh", "-ec", command], cwd=folder, check=True, capture_output=True)
    return folder / "key"


@pytest.mark.parametrize("name", TAKEN)
def test_a_key_is_taken_in_each_usual_format(name: str, tmp_path: Path) -> None:
    text = openssh_key(_made(tmp_path, TAKEN[name]))
    assert text.startswith("-----BEGIN OPENSSH PRIVATE KEY-----")
    load_ssh_private_key(text.encode(), None)


@pytest.mark.parametrize("name", NOT_TAKEN)
def test_why_a_key_is_not_taken(name: str, tmp_path: Path) -> None:
    command, why = NOT_TAKEN[name]
    with pytest.raises(UnusableKey) as unusable:
        openssh_key(_made(tmp_path, command))
    assert why in str(unusable.value)

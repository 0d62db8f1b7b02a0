"""known_hosts, read as OpenSSH reads it: `ssh-keygen -F` is the reference where it can be asked."""

from __future__ import annotations

import base64
import hashlib
import hmac
import subprocess
from pathlib import Path

import pytest

import ssh_files
from gatepass.inputs.known_hosts import known_hosts

KEY = ssh_files.public_key()
BLOB = base64.b64decode(KEY.split()[1])


def _hashed(name: str) -> str:
    salt = bytes(range(20))
    digest = hmac.new(salt, name.encode(), hashlib.sha1).digest()
    return f"|1|{base64.b64encode(salt).decode()}|{base64.b64encode(digest).decode()}"


def _read(folder: Path, text: str, host: str = "198.18.0.2", port: int = 22):
    (folder / "known_hosts").write_text(text)
    return known_hosts(folder / "known_hosts", host, port)


NAMES = [
    ("198.18.0.2", "198.18.0.2", 22, True),
    ("198.18.0.*", "198.18.0.2", 22, True),
    ("198.18.?.2", "198.18.0.2", 22, True),
    ("198.18.0.2,example.com", "example.com", 22, True),
    ("*.example.com,!a.example.com", "b.example.com", 22, True),
    ("*.example.com,!a.example.com", "a.example.com", 22, False),
    ("!a.example.com", "b.example.com", 22, False),
    ("Example.COM", "example.com", 22, True),
    ("example.com", "EXAMPLE.com", 22, True),
    ("2001:db8::1", "2001:db8::1", 22, True),
    ("[198.18.0.2]:2222", "198.18.0.2", 2222, True),
    ("[198.18.0.2]:2222", "198.18.0.2", 22, False),
    ("[2001:db8::1]:2222", "2001:db8::1", 2222, True),
    ("[198.18.0.*]:2222", "198.18.0.2", 2222, True),
    ("198.18.0.2", "198.18.0.2", 2222, True),
    ("198.18.0.20", "198.18.0.2", 22, False),
    ("198x18.0.2", "198.18.0.2", 22, False),
    ("198.18.0", "198.18.0.2", 22, False),
    ("*" * 60 + "x", "198.18.0.2", 22, False),
    (_hashed("198.18.0.2"), "198.18.0.2", 22, True),
    (_hashed("[198.18.0.2]:2222"), "198.18.0.2", 2222, True),
    (_hashed("198.18.0.3"), "198.18.0.2", 22, False),
    ("|1|damaged|=", "198.18.0.2", 22, False),
    ("|2|AAAA|AAAA", "198.18.0.2", 22, False),
]


@pytest.mark.parametrize(("patterns", "host", "port", "known"), NAMES)
def test_which_lines_are_a_hosts(
    tmp_path: Path, patterns: str, host: str, port: int, known: bool
) -> None:
    found = _read(tmp_path, f"{patterns} {KEY} comment\n", host, port)
    assert [key.blob for key in found.keys] == [BLOB] * known
    assert not found.trouble


@pytest.mark.parametrize(("patterns", "host", "port", "known"), NAMES)
def test_openssh_finds_the_same(
    tmp_path: Path, patterns: str, host: str, port: int, known: bool
) -> None:
    (tmp_path / "known_hosts").write_text(f"{patterns} {KEY} comment\n")
    names = [host.lower()] if port == 22 else [f"[{host}]:{port}", host]
    found = [
        subprocess.run(
            ["ssh-keygen", "-F", name, "-f", str(tmp_path / "known_hosts")], capture_output=True
        ).returncode
        == 0
        for name in names
    ]
    assert any(found) == known


def test_what_is_no_line_for_the_host_is_passed_over(tmp_path: Path) -> None:
    text = (
        "# a comment\n\n   \t\n198.18.0.9 ssh-rsa damaged!\nnothing\n198.18.0.9\n@unknown * x y\n"
        f"@cert-authority *.example.com {KEY}\n@revoked 198.18.0.9 {KEY}\n\xff\n"
        f"  198.18.0.2\t{KEY}\n"
    )
    found = _read(tmp_path, text)
    assert [key.blob for key in found.keys] == [BLOB]
    assert not found.trouble and not found.revoked


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("", ""),
        (f"198.18.0.9 {KEY}\n", ""),
        ("\n198.18.0.2 ssh-ed25519 AAAA\n", "damaged key for this host in line 2"),
        ("198.18.0.2 ssh-ed25519\n", "damaged key for this host in line 1"),
        (f"198.18.0.2 ssh-rsa {KEY.split()[1]}\n", "damaged key for this host in line 1"),
        (f"198.18.0.2 {KEY[:-10]}\n", "damaged key"),
        (f"@cert-authority * {KEY}\n", "key of an authority for this host in line 1"),
        (f"@revoked * {KEY}\n", "revoked key for this host in line 1"),
        (f"198.18.0.2 {KEY}\n@revoked * {KEY}\n", "revoked key for this host in line 2"),
        (f"198.18.0.2 {KEY}\n198.18.0.2 ssh-ed25519 AAAA\n@cert-authority * {KEY}\n", ""),
    ],
    ids=lambda text: text.replace(KEY.split()[1][:-10], "KEY").replace(KEY[-10:], ""),
)
def test_that_nothing_can_be_used_is_told(tmp_path: Path, text: str, trouble: str) -> None:
    found = _read(tmp_path, text).trouble
    assert trouble in found and bool(trouble) == bool(found)

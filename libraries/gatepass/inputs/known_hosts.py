"""The host keys that a file names for a host, read as OpenSSH reads it (sshd(8), SSH_KNOWN_HOSTS).

A line that cannot be read costs itself alone. Certificates of hosts are not taken: a line that
names an authority is passed over.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SSH_PORT = 22
_MOST_BYTES = 16 * 1024 * 1024
_AUTHORITY, _REVOKED = "@cert-authority", "@revoked"


@dataclass(frozen=True)
class HostKey:
    """One public key.

    Attributes:
        kind: its algorithm, such as "ssh-ed25519".
        blob: as it stands on the wire (RFC 4253, section 6.6).
    """

    kind: str
    blob: bytes


@dataclass
class KnownHosts:
    """What a file says of one host.

    Attributes:
        path: of the file.
        keys: that the host may show.
        revoked: keys that it may never show, each with the number of its line.
        authorities: lines that name an authority for it instead of a key.
        damaged: lines that are meant for it and cannot be read.
    """

    path: Path
    keys: list[HostKey] = field(default_factory=list)
    revoked: dict[bytes, int] = field(default_factory=dict)
    authorities: list[int] = field(default_factory=list)
    damaged: list[int] = field(default_factory=list)

    @property
    def trouble(self) -> str:
        """Why nothing that the file says of the host can be used; empty where something can, and
        where it says nothing of it.
        """
        if any(key.blob not in self.revoked for key in self.keys):
            return ""
        if self.damaged:
            return f"has a damaged key for this host in line {self.damaged[0]}"
        if self.revoked:
            line = min(self.revoked.values())
            return f"has nothing but a revoked key for this host in line {line}"
        if self.authorities:
            return (
                "has nothing but the key of an authority for this host in line "
                f"{self.authorities[0]}, and certificates of hosts are not taken here"
            )
        return ""


def known_hosts(path: Path, host: str, port: int) -> KnownHosts:
    """Read what a file says of a host.

    A host on another port than 22 is sought as ``[host]:port``, and where that is not named, by its
    bare name, as OpenSSH does.

    Args:
        path: of the file.
        host: name or address.
        port: of its SSH server.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        lines = stream.read(_MOST_BYTES).decode("utf-8", "replace").splitlines()
    host = host.lower()
    names = [host] if port == SSH_PORT else [f"[{host}]:{port}", host]
    found = [_of_name(path, lines, name) for name in names]
    named = next((one for one in found if one.keys or one.trouble), found[0])
    for one in found:  # what is revoked under either name stays so
        named.revoked.update(one.revoked)
    return named


def _of_name(path: Path, lines: list[str], name: str) -> KnownHosts:
    known = KnownHosts(path)
    for number, marker, key in _meant(lines, name):
        if marker == _AUTHORITY:
            known.authorities.append(number)
        elif marker == _REVOKED:
            if key:
                known.revoked.setdefault(key.blob, number)
        elif key:
            known.keys.append(key)
        else:
            known.damaged.append(number)
    return known


def _meant(lines: list[str], name: str) -> Iterator[tuple[int, str, HostKey | None]]:
    """The lines for a host: number, marker, key; None for a key that cannot be read."""
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        marker = words.pop(0) if words[0].startswith("@") else ""
        if marker in ("", _AUTHORITY, _REVOKED) and words and _matches(words[0], name):
            yield number, marker, _key(words[1:])


def _matches(patterns: str, name: str) -> bool:
    """Whether a line's first field names a host: hashed, or patterns, of which one that begins
    with ``!`` and fits takes the host out.
    """
    if patterns.startswith("|"):
        return _is_hash_of(patterns, name)
    fitting = False
    for pattern in patterns.lower().split(","):
        if pattern.startswith("!"):
            if _fits(pattern[1:], name):
                return False
        elif _fits(pattern, name):
            fitting = True
    return fitting


def _fits(pattern: str, name: str) -> bool:
    """OpenSSH's ``match_pattern``: ``*`` and ``?`` stand for letters, brackets for themselves."""
    parts = (
        {"*": ".*", "?": "."}.get(part, re.escape(part)) for part in re.split(r"([*?])", pattern)
    )
    # a row of stars says no more than one, and would take its time
    return re.fullmatch(re.sub(r"(\.\*)+", ".*", "".join(parts)), name) is not None


def _is_hash_of(field_: str, name: str) -> bool:
    """``|1|salt|hash``: HMAC-SHA1 of the name, as `ssh-keygen -H` writes it."""
    try:
        _, version, salt, digest = field_.split("|")
        wanted = base64.b64decode(digest, validate=True)
        made = hmac.new(base64.b64decode(salt, validate=True), name.encode(), hashlib.sha1)
    except ValueError:
        return False
    return version == "1" and hmac.compare_digest(made.digest(), wanted)


def _key(words: list[str]) -> HostKey | None:
    if len(words) < 2:
        return None
    kind, text = words[:2]
    try:
        blob = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    length = int.from_bytes(blob[:4], "big")
    whole = len(blob) > 4 + length and blob[4 : 4 + length] == kind.encode()
    return HostKey(kind, blob) if whole else None

"""Signatures by OpenSSH, which anybody can hold against a file without Gatepass.

``ssh-keygen -Y`` signs with any of OpenSSH's keys, also one that an agent or a token keeps
(ssh-keygen(1); the format is PROTOCOL.sshsig).
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from gatepass.base.errors import InputError
from gatepass.proof.folder import SIGNATURE, SUMS

NAMESPACE = "gatepass"
"""What the signature is for: one made for something else does not count."""
_PATIENCE_S = 60


@dataclass(frozen=True)
class Signed:
    """What a signature tells.

    Attributes:
        by: who is known to have signed; empty where nobody was named who may.
        key: the fingerprint of the key.
    """

    by: str
    key: str


class NotSigned(Exception):
    """The signature is none of that list, or of nobody who may sign."""


def sign(folder: Path, key: Path) -> Path:
    """Sign the list of a run; an older signature is replaced.

    Args:
        folder: of the run.
        key: private key, or the public one where an agent keeps the private.

    Raises:
        InputError: the key cannot be used.
    """
    target = folder / SIGNATURE
    target.unlink(missing_ok=True)  # OpenSSH would ask
    done = _keygen("-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(folder / SUMS))
    if done.returncode or not target.is_file():
        raise InputError(
            f"--key {key}: nothing can be signed with it: {_last(done)}. Name a private key of "
            "OpenSSH, or a public one whose private key ssh-agent keeps."
        )
    return target


def look(folder: Path, signers: Path | None) -> Signed | None:
    """Who has signed the list of a run; None where nobody has.

    Args:
        folder: of the run.
        signers: an ``allowed_signers`` file (ssh-keygen(1)); None to look at the key alone.

    Raises:
        NotSigned: the signature does not fit the list, or is of somebody else.
    """
    signature, content = folder / SIGNATURE, (folder / SUMS).read_bytes()
    if not signature.is_file():
        return None
    of = ("-n", NAMESPACE, "-s", str(signature))
    known = _keygen("-Y", "check-novalidate", *of, content=content)
    if known.returncode:
        raise NotSigned(
            f"{SUMS} is not what was signed: {_last(known)}. It, or {SIGNATURE}, was changed."
        )
    found = re.search(r"SHA256:\S+", known.stdout + known.stderr)
    key = found[0] if found else "of an unknown fingerprint"
    if signers is None:
        return Signed("", key)
    who = _keygen("-Y", "find-principals", "-s", str(signature), "-f", str(signers))
    names = who.stdout.split()
    if who.returncode or not names:
        raise NotSigned(f"it is signed with the key {key}, which {signers.name} does not name.")
    allowed = ("-f", str(signers), "-I", names[0])
    done = _keygen("-Y", "verify", *allowed, *of, content=content)
    if done.returncode:
        raise NotSigned(f"{signers.name} does not let {names[0]} sign this: {_last(done)}.")
    return Signed(names[0], key)


def _keygen(*words: str, content: bytes | None = None) -> subprocess.CompletedProcess[str]:
    try:
        done = subprocess.run(
            ["ssh-keygen", *words],
            input=content,
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except FileNotFoundError:
        raise InputError(
            "ssh-keygen is needed for signatures, and is not there. Call apt-get install "
            "openssh-client."
        ) from None
    except subprocess.TimeoutExpired:
        raise InputError(
            f"ssh-keygen gave no answer for {_PATIENCE_S} s. Load the key into ssh-agent first, "
            "and name its public key."
        ) from None
    output, errors = (part.decode(errors="replace") for part in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, output, errors)


def _last(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else "OpenSSH says nothing more"

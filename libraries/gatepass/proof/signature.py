"""Signatures by OpenSSH, which anybody can hold against a file without Gatepass.

``ssh-keygen -Y`` signs with any of OpenSSH's keys, also one that an agent or a token keeps
(ssh-keygen(1); the format is PROTOCOL.sshsig).
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory

from gatepass.base.environment import without_secrets
from gatepass.base.errors import InputError
from gatepass.base.files import contents
from gatepass.proof.folder import SIGNATURE, SUMS

NAMESPACE = "gatepass"
"""What the signature is for: one made for something else does not count."""
_PATIENCE_S = 60
_OF_SSH = ("SSH_AUTH_SOCK", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "SSH_SK_PROVIDER", "DISPLAY")
"""By which an agent, a token or whoever knows a pass phrase is reached (ssh-keygen(1))."""
_LARGEST_MIB = 1


@dataclass(frozen=True)
class Signed:
    """What a signature that fits tells.

    Attributes:
        key: the fingerprint of the key.
        by: who is known to have signed; empty where nobody was named who may, or somebody else.
        refused: why whoever was named does not vouch, as the end of a sentence; empty where nobody
            was named, or `by` does.
    """

    key: str
    by: str = ""
    refused: str = ""


class NotSigned(Exception):
    """The signature is of something else, or none."""


def made(content: bytes, key: Path, option: str = "--key", asks: bool = False) -> bytes:
    """A signature, in the armour of OpenSSH.

    Args:
        content: what is signed.
        key: private key, or the public one where an agent keeps the private.
        option: that names the key, for the sentence.
        asks: whether somebody is there whom OpenSSH may ask for the key's passphrase.

    Raises:
        InputError: the key cannot be used.
    """
    if not key.is_file():
        raise InputError(f"{option} {key}: there is no such file. Name a key of OpenSSH.")
    with TemporaryDirectory() as kept:
        file = Path(kept, "content")
        file.write_bytes(content)
        done = _keygen("-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(file), asks=asks)
        signature = file.with_suffix(".sig")
        if done.returncode or not signature.is_file():
            raise InputError(
                f"{option} {key}: nothing can be signed with it: {_last(done.stderr)}. Name a "
                "private key of OpenSSH without a passphrase that nobody else may read, or a "
                "public one whose private key ssh-agent keeps."
            )
        return signature.read_bytes()


def sign(folder: Path, key: Path) -> Path:
    """Sign the list of a run; an older signature is replaced.

    Args:
        folder: of the run.
        key: private key, or the public one where an agent keeps the private.

    Raises:
        InputError: the key cannot be used.
    """
    target = folder / SIGNATURE
    target.write_bytes(made((folder / SUMS).read_bytes(), key, asks=True))
    return target


def look(folder: Path, signers: Path | None) -> Signed | None:
    """Who has signed the list of a run; None where nobody has.

    Args:
        folder: of the run.
        signers: an ``allowed_signers`` file (ssh-keygen(1)); None to look at the key alone.

    Raises:
        NotSigned: the signature does not fit the list.
    """
    path = folder / SIGNATURE
    if not path.is_file():
        return None
    try:
        return who_signed((folder / SUMS).read_bytes(), contents(path, _LARGEST_MIB), signers)
    except NotSigned as error:
        raise NotSigned(
            f"{SUMS} is not what was signed: {error}. It, or {SIGNATURE}, was changed."
        ) from None
    except OSError as error:
        raise NotSigned(f"{SIGNATURE} cannot be read: {error.strerror}.") from None


def who_signed(content: bytes, armoured: bytes, signers: Path | None) -> Signed:
    """Whose a signature is.

    Args:
        content: what was signed.
        armoured: the signature, as `made` makes it.
        signers: an ``allowed_signers`` file; None to look at the key alone.

    Raises:
        NotSigned: it does not fit; in the words of OpenSSH.
    """
    with NamedTemporaryFile() as kept:
        kept.write(armoured)
        kept.flush()
        of = ("-n", NAMESPACE, "-s", kept.name)
        known = _keygen("-Y", "check-novalidate", *of, content=content)
        if known.returncode:
            raise NotSigned(_last(known.stdout + known.stderr))
        found = re.search(r"SHA256:\S+", known.stdout + known.stderr)
        key = found[0] if found else "of an unknown fingerprint"
        if signers is None:
            return Signed(key)
        who = _keygen("-Y", "find-principals", "-s", kept.name, "-f", str(signers))
        names = who.stdout.split()
        if who.returncode or not names:
            return Signed(key, refused=f"which {signers.name} does not name")
        done = _keygen("-Y", "verify", "-f", str(signers), "-I", names[0], *of, content=content)
        if done.returncode:
            why = _last(done.stdout + done.stderr)
            return Signed(key, refused=f"and {signers.name} does not let {names[0]} sign: {why}")
        return Signed(key, names[0])


def _keygen(
    *words: str, content: bytes | None = None, asks: bool = False
) -> subprocess.CompletedProcess[str]:
    try:
        done = subprocess.run(
            ["ssh-keygen", *words],
            **({"input": content or b""} if not asks else {}),
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
            start_new_session=not asks,  # without a terminal it asks nobody
            env=without_secrets(*_OF_SSH) | ({} if asks else {"SSH_ASKPASS_REQUIRE": "never"}),
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


def _last(words: str) -> str:
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else "OpenSSH says nothing more"

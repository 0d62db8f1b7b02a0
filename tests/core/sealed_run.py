"""The sealed run of the tests, and keys of OpenSSH to sign it with."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path

from gatepass.proof.verify import Trust, verify

_KEPT = Path(__file__).parents[1] / "data" / "sealed"
WHO = "quality@example.net"


def unpacked(results: Path, name: str = "run") -> Path:
    """The run's folder, in a folder of runs."""
    with tarfile.open(_KEPT / f"{name}.tar.xz") as kept:
        kept.extractall(results)
    (run,) = results.iterdir()
    return run


def new_key(path: Path) -> Path:
    """A private key without a passphrase."""
    made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", WHO, "-f", str(path)]
    subprocess.run(made, check=True)
    return path


def wrong(folder: Path, signers: Path | None = None) -> list[str]:
    """What is wrong with a run."""
    return verify(folder, Trust(signers)).wrong

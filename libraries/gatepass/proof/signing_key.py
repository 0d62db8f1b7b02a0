"""The key that a run signs itself with: one that is named, or else the operator's own.

The operator's own is made at first use, in the user's configuration folder (XDG Base Directory
Specification), with the line by which others know it beside it. Where ``sudo`` was called it is
that of the user who called it, and made with no more than that user's rights.
"""

from __future__ import annotations

import os
import pwd
import re
import socket
import subprocess
from base64 import b64decode, b64encode
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from gatepass.base.environment import without_secrets
from gatepass.base.errors import InputError
from gatepass.proof.signature import NAMESPACE, made

KEY = "GATEPASS_KEY"
"""Names the key where no option does, or says `LEFT_OUT`; a fleet's runs find their key there."""
LEFT_OUT = "no"
HELP = f"key of OpenSSH that the run is signed with; default: {KEY}, else your own"
PRIVATE, SIGNERS = "key", "allowed_signers"
_ROOM, _FOLDER = "gatepass", "signing"
_PATIENCE_S = 60
_MAKE = f"""
set -e
umask 077
mkdir -p "$1"
new=$(mktemp -d "$1/.{_FOLDER}.XXXXXX")
trap 'rm -rf "$new"' EXIT
ssh-keygen -q -t ed25519 -N '' -C "$2" -f "$new/{PRIVATE}"
printf '%s namespaces="{NAMESPACE}" %s\\n' "$2" "$(cat "$new/{PRIVATE}.pub")" > "$new/{SIGNERS}"
mv -T "$new" "$1/{_FOLDER}"
"""
"""All of it appears at once, and only where nothing is: of several runs, one makes the key."""


def choose(option: Path | None) -> None:
    """Take the key that a call names, for this run and for those that it begins.

    Args:
        option: the file of `--key`; None where it was left out.

    Raises:
        InputError: it cannot be used.
    """
    if option:
        made(b"", option)
        os.environ[KEY] = str(option.absolute())


def must_sign() -> None:
    """Sign something with the key that the environment names, if it names one.

    Raises:
        InputError: it cannot be used.
    """
    if path := _named():
        made(b"", path, KEY)


def prepare() -> str:
    """Have a key ready before a run begins.

    Returns:
        What was made, in a sentence; empty where the key was there, or none can be made, which the
        end of the run tells.
    """
    if _named() or _left_out():
        return ""
    with suppress(InputError):
        folder = _folder()
        if not _there(folder):
            _make(folder)
            return (
                "Runs are signed with a key of your own from now on; it was made in "
                f"{folder}: {_fingerprint(folder)}. Its {SIGNERS} is for those who are to know you "
                "by it; see docs/verify.md."
            )
    return ""


def of_the_run() -> Path | None:
    """The key that a run is signed with; None where the user wants none.

    Raises:
        InputError: there is none, and none can be made.
    """
    if path := _named():
        return path
    if _left_out():
        return None
    folder = _folder()
    if not _there(folder):
        _make(folder)
    return folder / PRIVATE


def own_signers(fingerprint: str) -> Path | None:
    """The file by which others know the operator's own key, if a fingerprint is of that.

    Args:
        fingerprint: of a key, as OpenSSH writes it.
    """
    with suppress(InputError, OSError, ValueError, IndexError):
        folder = _folder()
        if _fingerprint(folder) == fingerprint:
            return folder / SIGNERS
    return None


def _left_out() -> bool:
    return os.environ.get(KEY) == LEFT_OUT


def _named() -> Path | None:
    name = os.environ.get(KEY)
    return Path(name) if name and name != LEFT_OUT else None


def _operator() -> int:
    """Whose runs these are: the user's who called sudo, if that was called."""
    caller = os.environ.get("SUDO_UID", "")
    return int(caller) if os.geteuid() == 0 and caller.isdigit() else os.geteuid()


def _folder() -> Path:
    """Where the operator's own key lies."""
    given = os.environ.get("XDG_CONFIG_HOME", "")
    if os.path.isabs(given):  # the specification has others left aside
        return Path(given, _ROOM, _FOLDER)
    home = os.environ.get("HOME", "") if _operator() == os.geteuid() else ""
    if not os.path.isabs(home):
        with suppress(KeyError):
            home = pwd.getpwuid(_operator()).pw_dir
    if not os.path.isabs(home):
        raise InputError(
            "this user has no home, so no key of its own can be kept. Name one with --key FILE or "
            f"{KEY}, or set XDG_CONFIG_HOME."
        )
    return Path(home, ".config", _ROOM, _FOLDER)


def _there(folder: Path) -> bool:
    try:
        return (folder / PRIVATE).is_file()
    except OSError:
        return False


def _make(folder: Path) -> None:
    """Make a key, with no more rights than the operator's.

    Raises:
        InputError: it cannot be made.
    """
    uid = _operator()
    rights = {}
    if uid != os.geteuid():
        with suppress(KeyError):
            rights = {"user": uid, "group": pwd.getpwuid(uid).pw_gid, "extra_groups": []}
    try:
        done = subprocess.run(
            ["sh", "-c", _MAKE, "sh", str(folder.parent), _name_of(uid)],
            cwd="/",
            env=without_secrets(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
            **rights,
        )
        why = (done.stderr.strip().splitlines() or ["nothing tells why"])[-1]
    except (OSError, subprocess.SubprocessError) as error:
        why = str(error)
    if not _there(folder):  # another run may have been first
        raise InputError(
            f"no key can be made in {folder}: {why.rstrip('.')}. Name one with --key FILE or "
            f"{KEY}, or set XDG_CONFIG_HOME to a folder that this user may write."
        )


def _name_of(uid: int) -> str:
    """By which name others know the operator."""
    name = str(uid)
    with suppress(KeyError):
        name = pwd.getpwuid(uid).pw_name
    return re.sub(r"[^A-Za-z0-9.@_-]", "-", f"{name}@{socket.gethostname()}")


def _fingerprint(folder: Path) -> str:
    """Of a public key, as OpenSSH writes it."""
    blob = b64decode((folder / f"{PRIVATE}.pub").read_text(encoding="utf-8").split()[1])
    return f"SHA256:{b64encode(sha256(blob).digest()).decode().rstrip('=')}"

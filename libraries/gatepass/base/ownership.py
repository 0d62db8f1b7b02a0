"""Whose files are acted on: one's own, as with OpenSSH's ``StrictModes`` (sshd_config(5)).

A journal or a testbed makes Gatepass call programs and gateways with the operator's secrets. So it
has to belong to somebody who could do all that anyhow, and nobody else may be able to change it.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path

_ROOT = 0


def distrust(path: Path) -> str:
    """Why a file or folder may hold somebody else's words, as the end of a sentence.

    Args:
        path: of it; who owns the folder above is not looked at.

    Returns:
        "belongs to mallory", "may be changed by everybody"; empty where nobody else can have
        written it.

    Raises:
        OSError: it is not there.
    """
    status = path.stat()
    if status.st_uid not in _own():
        return f"belongs to {_user(status.st_uid)}"
    if status.st_mode & stat.S_IWOTH:
        return "may be changed by everybody"
    if status.st_mode & stat.S_IWGRP and not _private(status):
        return f"may be changed by the group {_group(status.st_gid)}"
    return ""


def secret_trouble(path: Path) -> str:
    """Why a file does not keep a secret, as the end of a sentence; empty where it does.

    Args:
        path: of a file that its owner alone may read and change, as OpenSSH asks of keys.
    """
    if why := distrust(path):
        return why
    return "may be read by others" if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO) else ""


def distrust_of_run(path: Path) -> str:
    """The same of a file that a run has written into its folder.

    Args:
        path: of it.

    Returns:
        "its folder belongs to mallory"; empty where nobody else can have written it.
    """
    for what, whose in ((path.parent, "its folder "), (path, "it ")):
        if why := distrust(what):
            return f"{whose}{why}"
    return ""


def _own() -> set[int]:
    """Who could make this process do anything: root, who runs it, and who owns its program."""
    own = {_ROOT, os.geteuid(), Path(__file__).stat().st_uid}
    caller = os.environ.get("SUDO_UID", "")
    return own | {int(caller)} if caller.isdecimal() else own


def _private(status: os.stat_result) -> bool:
    """Whether the group is the owner's alone, as distributions make one for each user."""
    try:
        owner, group = pwd.getpwuid(status.st_uid), grp.getgrgid(status.st_gid)
    except KeyError:
        return False
    return group.gr_gid == owner.pw_gid and set(group.gr_mem) <= {owner.pw_name}


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"the user {number}"


def _group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)

"""The user that shows a stranger's content: nobody else's, where this process is root's.

A browser may have a hole, and what comes through it has the rights of the browser's user. So root,
as the embedded lab needs it, starts it as a user that nothing else belongs to, as systemd's dynamic
users are, under whom Chromium's own sandbox can be had as well.
"""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from gatepass.base.environment import without_secrets

_USERS = range(61184, 65520)
"""Numbers that Linux systems leave to users without a name (systemd, *Users, Groups, UIDs and GIDs
on systemd Systems*)."""
_TRIAL_S = 10
_MOST = 1 << 26
"""Bytes that are read of a file which such a user wrote."""


@dataclass(frozen=True)
class Confined:
    """How a program is started that shows a stranger's content.

    Attributes:
        rights: arguments of `subprocess.Popen`; none where this process is not root's, or where no
            other user can reach the program.
        sandbox: whether Chromium's sandbox is to be asked for.
    """

    rights: dict[str, Any] = field(default_factory=dict)
    sandbox: bool = True

    def give(self, path: Path) -> None:
        """Have a file or an empty folder belong to the user.

        Args:
            path: of it.

        Raises:
            OSError: it cannot be given away.
        """
        if self.rights:
            os.chown(path, self.rights["user"], self.rights["group"], follow_symlinks=False)


def confined(program: str) -> Confined:
    """How a program is started; as before where another user cannot reach it, or its fonts.

    Args:
        program: its path.
    """
    if os.geteuid():
        return Confined()
    user = _free_user()
    rights = {"user": user, "group": user, "extra_groups": []}
    fonts = os.environ.get("FONTCONFIG_FILE") or program
    if not _works(["test", "-x", program, "-a", "-r", fonts], rights):
        return Confined({}, False)
    return Confined(rights, _namespaces(user))


def written(path: Path) -> bytes:
    """What such a program wrote into a file; empty where it is none, a link, or far too long.

    Args:
        path: of the file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return b""
    with open(descriptor, "rb") as file:
        content = file.read(_MOST + 1)
    return content if len(content) <= _MOST else b""


@cache
def _free_user() -> int:
    """The number of a user that has neither a name nor a process."""
    taken = {one.pw_uid for one in pwd.getpwall()} | {
        path.stat().st_uid for path in Path("/proc").glob("[0-9]*") if path.exists()
    }
    first = os.getpid() % len(_USERS)
    return next(one for one in [*_USERS[first:], *_USERS[:first]] if one not in taken)


@cache
def _namespaces(user: int) -> bool:
    """Whether a user may have name spaces of its own, which Chromium's sandbox is made of."""
    rights = {"user": user, "group": user, "extra_groups": []}
    return _works(["unshare", "--user", "--map-root-user", "true"], rights)


def _works(words: Sequence[str], rights: dict[str, Any]) -> bool:
    try:
        done = subprocess.run(
            words,
            cwd="/",
            env=without_secrets(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TRIAL_S,
            check=False,
            **rights,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0

"""A script through whatever shell a user logs in with: bash with a noisy start, fish, tcsh, rbash.

sshd hands a command to the login shell, which reads its own files first and its own language. So
the command is one that sh, bash, zsh, fish, tcsh and BusyBox read alike: it starts `/bin/sh`, with
the script as one word, in which whatever one of them acts upon within quotes stands as an octal
number. A random mark before and behind what the script writes parts it from what others write.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

from gatepass.base.printable import shown
from gatepass.endpoint.completed import Completed

STARTERS = ("exec /bin/sh", "sh")
"""How a POSIX shell is started; a restricted shell takes neither `exec` nor a path."""
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_BODY = (
    'm() {{ printf "%s%s%s\\n" {first} {second} "$1"; }}; '
    "PATH=$PATH:" + _SYSTEM_PATH + "; LC_ALL=C; export PATH LC_ALL; "
    "unset CDPATH ENV BASH_ENV; m; m >&2; "
    '(eval "$(printf %b "$1")"){source}; s=$?; m " $s"; m " $s" >&2; exit $s'
)
_PLAIN = re.compile(r"[ -~]")
_ACTED_UPON = "'\\!"
_MOST_SHOWN = 200


@dataclass(frozen=True)
class Wrapped:
    """A command for any login shell.

    Attributes:
        command: for the `exec` request of a session channel (RFC 4254, section 6.5).
        mark: that stands before and behind what the script writes, on both channels.
    """

    command: str
    mark: str

    def begun(self, printed: bytes) -> bool:
        """Whether the script has begun, by what was printed so far."""
        return f"{self.mark}\n".encode() in printed

    def completed(self, printed: bytes, complained: bytes, status: int) -> Completed:
        """How the script ended.

        Args:
            printed, complained: all that came, on standard output and standard error.
            status: of the whole command, which counts where the script told none.
        """
        output, told = self._cut(printed)
        return Completed(status if told is None else told, output, self._cut(complained)[0])

    def _cut(self, written: bytes) -> tuple[str, int | None]:
        text = written.decode(errors="replace")
        _, begun, rest = text.partition(f"{self.mark}\n")
        text = rest if begun else text
        ends = list(re.finditer(rf"{self.mark} (\d{{1,3}})\n", text))
        return (text[: ends[-1].start()], int(ends[-1][1])) if ends else (text, None)


def wrapped(script: str, starter: str = STARTERS[0], reads: bool = False) -> Wrapped:
    """Make a script fit for any login shell.

    Args:
        script: for a POSIX shell; it finds the programs of the system's administration, and speaks
            no language but English (`LC_ALL=C`).
        starter: one of `STARTERS`.
        reads: whether it is given something to read; where not, it finds its input at an end.
    """
    # in two halves, so that who prints the command does not print the mark
    first, second = secrets.token_hex(8), secrets.token_hex(8)
    source = "" if reads else " </dev/null"
    body = _BODY.format(first=first, second=second, source=source)
    return Wrapped(f"{starter} -c '{body}' gatepass '{encoded(script)}'", first + second)


def encoded(script: str) -> str:
    """A script as the `%b` of printf(1) takes it, in letters on which no shell acts in quotes."""
    return "".join(
        letter
        if _PLAIN.fullmatch(letter) and letter not in _ACTED_UPON
        else "".join(f"\\0{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape"))
        for letter in script
    )


class NoShell(Exception):
    """Something answers in the place of a shell; no script was run.

    Args:
        words: what it answers; empty where it answers nothing.
        status: with which it ends; None where it goes on.
    """

    def __init__(self, words: bytes, status: int | None = None) -> None:
        self.words = shown(" ".join(words.decode(errors="replace").split()), _MOST_SHOWN)
        self.status = status
        super().__init__(self.words)

    @property
    def lasts(self) -> bool:
        """Whether the next command will fare the same; silence may be that of a busy host."""
        return bool(self.words) or self.status is not None

    @property
    def remedy(self) -> str:
        """What to do about it, on the endpoint."""
        for pattern, remedy in _REMEDIES:
            if re.search(pattern, self.words, re.IGNORECASE):
                return remedy
        return _LOOK_FOR


_LOOK_FOR = (
    "Look there for command= in the user's authorized_keys, for ForceCommand in sshd_config, and "
    "for the user's login shell with the files that it reads first."
)
_REMEDIES = (
    (
        r"login as the user",
        "Allow this user to log in there: remove command= before its key in authorized_keys "
        "(cloud-init: disable_root: false).",
    ),
    (
        r"password change required|(password|account) (has )?expired|change your password",
        "Renew the user's password there (passwd), or have it not expire (chage -M -1).",
    ),
    (
        r"sftp",
        "Allow commands there: remove ForceCommand internal-sftp from sshd_config for this user.",
    ),
    (
        r"restricted|not currently available|currently not available|nologin",
        "Give the user another login shell there (chsh -s /bin/sh).",
    ),
)
"""By what is answered: what to do."""

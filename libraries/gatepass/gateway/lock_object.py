"""The object by which a gateway tells that a run has it, and the configuration without it."""

from __future__ import annotations

import os
import pwd
import re
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from gatepass.base.formats import MARK

TABLE = "firewall/address"
NAME = "gatepass-lock"
_ADDRESS = "0.0.0.0 255.255.255.255"
_WORD = r"[\w.@:-]{1,64}"
_COMMENT = re.compile(
    rf"(?P<mark>{MARK})-lock run=(?P<run>{_WORD}) account=(?P<account>{_WORD}) "
    rf"host=(?P<host>{_WORD}) since=(?P<since>[\dT:-]{{16}})Z",
    re.ASCII,
)
_OBJECT = re.compile(rf'^( *)edit "?{NAME}"?\s*?$\n.*?^\1next$\n?', re.DOTALL | re.MULTILINE)
_EMPTY = re.compile(r"^ *config firewall address\n *end\n?", re.MULTILINE)


class InUse(Exception):
    """Another run is at work on the same gateway."""


@dataclass(frozen=True)
class Lock:
    """Who has a gateway, as it tells.

    Attributes:
        mark: of the run; empty where what stands there is not understood.
        run: its name.
        account, host: that it was called from.
        since: when it began, by the clock there, UTC.
    """

    mark: str = ""
    run: str = ""
    account: str = ""
    host: str = ""
    since: str = ""

    @classmethod
    def own(cls, mark: str, run: str) -> Lock:
        """Of a run that begins now.

        Args:
            mark: of the run.
            run: its name.
        """
        account = os.environ.get("SUDO_USER") or _user()
        since = time.strftime("%Y-%m-%dT%H:%M", time.gmtime())
        return cls(mark, _word(run), _word(account), _word(socket.gethostname()), since)

    @classmethod
    def of(cls, comment: str) -> Lock:
        """The one that an object's comment tells of."""
        found = _COMMENT.fullmatch(comment)
        return cls(**found.groupdict()) if found else cls()

    @property
    def row(self) -> dict[str, str]:
        """The object; no policy uses it, so it lets nothing pass and stops nothing."""
        return {"name": NAME, "type": "ipmask", "subnet": _ADDRESS, "comment": self.comment}

    @property
    def comment(self) -> str:
        """How it stands on the gateway; it begins with the run's mark."""
        who = f"run={self.run} account={self.account} host={self.host}"
        return f"{self.mark}-lock {who} since={self.since}Z"

    @property
    def what(self) -> str:
        """Why another run may not begin, in a sentence without its full stop."""
        if not self.mark:
            return f"the gateway has an address object {NAME} that is not as a run makes it"
        return (
            f"the run {self.run}, called by {self.account} on {self.host}, has had this gateway "
            f"since {self.since.replace('T', ' ')} UTC"
        )

    @property
    def remedy(self) -> str:
        """What to do, in sentences."""
        if not self.mark:
            return "Ask who else tests this gateway. If nobody does, delete that object."
        return (
            "Wait until it has ended. If it was killed, call ./run.sh restore there from that "
            f"account. If nobody can, delete all that bears the mark {self.mark} on the gateway, "
            f"and the address object {NAME} last."
        )

    def must_be_over(self) -> NoReturn:
        """Nothing is done on a gateway that another run has.

        Raises:
            InUse: always.
        """
        raise InUse(f"{self.what}. {self.remedy}")


def others_in(backup: str, marks: Iterable[str]) -> Lock | None:
    """Another run that has a virtual domain of the same device.

    Args:
        backup: as it came.
        marks: of runs whose journals are known here.
    """
    for found in _OBJECT.finditer(backup):
        comment = re.search(r'set comment "([^"\n]*)"', found[0])
        lock = Lock.of(comment[1] if comment else "")
        if lock.mark not in marks:
            return lock
    return None


def without_locks(configuration: str) -> str:
    """A configuration as it is without the locks in it."""
    without, many = _OBJECT.subn("", configuration)
    return _EMPTY.sub("", without) if many else configuration


def _user() -> str:
    """Who runs this; a container may have no name for it."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"user-{os.geteuid()}"


def _word(text: str) -> str:
    """A name as it may stand in a comment of the device."""
    return re.sub(r"[^\w.@:-]", "-", text, flags=re.ASCII)[:64] or "-"

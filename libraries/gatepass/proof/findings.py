"""Whom `verify` goes by, and what it found."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path


class Code(IntEnum):
    """How `verify` ends."""

    VOUCHED = 0
    """All of it holds, and somebody whom the reader named vouches for it."""
    WRONG = 1
    """Something is not as it was, or does not follow."""
    UNVOUCHED = 3
    """Nothing is wrong; nobody whom the reader named vouches for it, or not all was looked at."""


@dataclass(frozen=True)
class Trust:
    """Who may sign and stamp; where nobody is named, nobody vouches.

    Attributes:
        signers: an ``allowed_signers`` file of OpenSSH.
        authorities: certificates of time stamping authorities, PEM.
        pdf_signers: certificates of who may sign the PDF, or of authorities above them, PEM.
    """

    signers: Path | None = None
    authorities: Path | None = None
    pdf_signers: Path | None = None


@dataclass
class Findings:
    """What came out.

    Attributes:
        wrong: what is not as it was, or does not follow; empty where all is in order.
        seen: what was looked at, and is in order.
        open: what nobody could tell, or nothing vouches for.
        vouchers: whose signatures hold for all of it, of those whom the reader named.
        stamped: when an authority that the reader named has stamped it; empty where none has.
        program: the first file by which the program that made it is not this copy of Gatepass;
            empty where it is the same.
    """

    wrong: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    vouchers: list[str] = field(default_factory=list)
    stamped: str = ""
    program: str = ""

    @property
    def code(self) -> Code:
        """How `verify` ends with this."""
        if self.wrong:
            return Code.WRONG
        return Code.VOUCHED if self.vouchers and not self.program else Code.UNVOUCHED

    @property
    def headline(self) -> str:
        """Who vouches for it, where nothing is wrong; a sentence without its period."""
        if not self.vouchers:
            head = "Consistent, and nobody vouches for it"
        elif self.stamped:
            head = f"Signed by {_joined(self.vouchers)}, stamped {self.stamped}"
        else:
            head = f"Signed by {_joined(self.vouchers)}, without a time stamp that counts"
        return f"{head}; another copy of Gatepass made it" if self.program else head


def _joined(names: list[str]) -> str:
    return " and ".join(dict.fromkeys(names))

"""Whom `verify` goes by, and what it found."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Trust:
    """Who may sign and stamp; where nobody is named, what a signature says of itself is told.

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
    """

    wrong: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

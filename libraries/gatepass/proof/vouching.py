"""Who vouches for a run: what its signature and its time stamp tell, by whom the reader goes."""

from __future__ import annotations

from pathlib import Path

from gatepass.proof import signature, timestamp
from gatepass.proof.findings import Findings, Trust


def look(folder: Path, trust: Trust, found: Findings) -> None:
    """Hold the signature and the time stamp of a run against its list.

    Args:
        folder: of the run.
        trust: who may sign and stamp.
        found: what is added to.
    """
    try:
        signed = signature.look(folder, trust.signers)
    except signature.NotSigned as error:
        found.wrong.append(f"The signature does not hold: {error}")
    else:
        _told_of_signature(signed, trust, found)
    try:
        moment = timestamp.look(folder, trust.authorities)
    except timestamp.NotStamped as error:
        found.wrong.append(f"The time stamp does not hold: {error}")
    else:
        _told_of_stamp(moment, trust, found)


def _told_of_signature(signed: signature.Signed | None, trust: Trust, found: Findings) -> None:
    if signed and signed.by:
        found.vouchers.append(signed.by)
        found.seen.append(f"signed by {signed.by} with the key {signed.key}")
    elif signed:
        found.open.append(
            f"It is signed by a key that nobody here knows ({signed.key}). Name who may sign with "
            "--signers FILE"
        )
    elif trust.signers:
        found.wrong.append(
            f"It is not signed, or no longer, and nobody of {trust.signers.name} vouches for it."
        )
    else:
        found.open.append(
            "It is not signed, so whoever can write all of these files could have made them. "
            "./run.sh sign RUN --key KEY signs it"
        )


def _told_of_stamp(moment: str, trust: Trust, found: Findings) -> None:
    if trust.authorities and not moment:
        found.wrong.append("It bears no time stamp, or no longer.")
    elif trust.authorities:
        found.stamped = moment
        found.seen.append(f"stamped at {moment}")
    elif moment:
        found.open.append(
            f"It bears a time stamp of {moment} by an authority that nobody here knows. Name its "
            "certificates with --authorities FILE"
        )

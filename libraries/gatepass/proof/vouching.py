"""Who vouches for a run: what its signatures and its time stamp tell, by whom the reader goes."""

from __future__ import annotations

from pathlib import Path

from gatepass.proof import attestation, signature, timestamp
from gatepass.proof.findings import Findings, Trust
from gatepass.proof.folder import ATTESTATION, SIGNATURE
from gatepass.proof.signature import Signed
from gatepass.proof.signing_key import own_signers
from gatepass.results.outcome import Outcome

_WHEN_IT_ENDED = "when it ended "


def look(folder: Path, outcome: Outcome | None, trust: Trust, found: Findings) -> None:
    """Hold the signatures and the time stamp of a run against its list.

    Args:
        folder: of the run.
        outcome: what its record tells; None where that cannot be read.
        trust: who may sign and stamp.
        found: what is added to.
    """
    there = {
        _WHEN_IT_ENDED: _of_its_end(folder, outcome, trust, found),
        "": _later(folder, trust, found),
    }
    signed = [(when, one) for when, one in there.items() if one]
    for when, one in signed:
        if one.by:
            found.vouchers.append(one.by)
            found.seen.append(f"signed {when}by {one.by} with the key {one.key}")
    for when, one in signed:
        if not one.by:
            _tell_of_stranger(when, one, trust, found)
    if not any((folder / name).is_file() for name in (ATTESTATION, SIGNATURE)):
        _tell_of_nobody(trust, found)
    stamped(folder, trust, found)


def look_before_signing(folder: Path, outcome: Outcome | None, found: Findings) -> None:
    """Hold what the run itself signed when it ended against its list.

    Args:
        folder: of the run.
        outcome: what its record tells; None where that cannot be read.
        found: what is added to.
    """
    if signed := _of_its_end(folder, outcome, Trust(), found):
        found.seen.append(f"signed when it ended with the key {signed.key}")
    elif not (folder / ATTESTATION).is_file():
        found.open.append(
            "It was not signed when it ended, so whoever signs it vouches for all that it says"
        )


def _of_its_end(
    folder: Path, outcome: Outcome | None, trust: Trust, found: Findings
) -> Signed | None:
    try:
        return attestation.look(folder, outcome, trust.signers, not found.program)
    except attestation.NotAttested as error:
        found.wrong.append(f"{ATTESTATION}, signed when the run ended, does not hold: {error}")
    return None


def _later(folder: Path, trust: Trust, found: Findings) -> Signed | None:
    try:
        return signature.look(folder, trust.signers)
    except signature.NotSigned as error:
        found.wrong.append(f"The signature does not hold: {error}")
    return None


def _tell_of_stranger(when: str, signed: Signed, trust: Trust, found: Findings) -> None:
    if trust.signers and not found.vouchers:
        found.wrong.append(f"It was signed {when}with the key {signed.key}, {signed.refused}.")
        return
    also = "also " if found.vouchers else ""
    own = own_signers(signed.key)
    remedy = "" if trust.signers else f". Name who may sign with --signers {own or 'FILE'}"
    found.open.append(
        f"It was {also}signed {when}by a key that nobody here knows ({signed.key}){remedy}"
    )


def _tell_of_nobody(trust: Trust, found: Findings) -> None:
    if trust.signers:
        found.wrong.append(
            f"It is not signed, or no longer, and nobody of {trust.signers.name} vouches for it."
        )
    else:
        remedy = "" if found.wrong else ". ./run.sh sign RUN --key KEY signs it"
        found.open.append(
            "It is not signed, so whoever can write all of these files could have made them"
            f"{remedy}"
        )


def stamped(folder: Path, trust: Trust, found: Findings) -> None:
    """Hold the time stamp of a run against its list; see `look`."""
    try:
        moment = timestamp.look(folder, trust.authorities)
    except timestamp.NotStamped as error:
        found.wrong.append(f"The time stamp does not hold: {error}")
        return
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

"""The signed certificate of a run: made from the sealed one, and held against it.

What signs and judges takes a while to load, so that is done only where it is needed.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

from gatepass.base.chromium import INSTALL
from gatepass.base.errors import InputError
from gatepass.base.files import contents
from gatepass.proof.findings import Findings, Trust
from gatepass.proof.folder import CERTIFICATE, SIGNED_PDF
from gatepass.report.verify import page_text
from gatepass.results.facts import group
from gatepass.results.outcome import Outcome, read_digested

if TYPE_CHECKING:
    from gatepass.proof.pdf_key import PdfKey
    from gatepass.proof.pdf_signature import SignedPdf, Words

_MARK = b"/ByteRange"
"""Stands in every signature of a PDF, in plain."""
SIGNERS, AUTHORITIES = "--pdf-signers", "--authorities"


def must_have_certificate(folder: Path) -> None:
    """A run leaves no PDF where there is no Chromium.

    Raises:
        InputError: this one has left none.
    """
    if not (folder / CERTIFICATE).is_file():
        raise InputError(
            f"--pdf-key: {folder} holds no {CERTIFICATE} that could be signed, as the run had no "
            f"Chromium ({INSTALL}) or was told to leave it out. Leave --pdf-key out, or run again."
        )


def sign(folder: Path, key: PdfKey, authority: str | None) -> Path:
    """Sign the certificate of a run; an older signed one is replaced.

    The sealed file stays as it is: the signed one stands beside it, and begins with all of it.

    Args:
        folder: of the run.
        key: to sign with.
        authority: the address of a time stamping authority; None for no time stamp.

    Raises:
        InputError: it cannot be signed so, or not be written.
    """
    from gatepass.proof import pdf_signature

    target = folder / SIGNED_PDF
    outcome, _ = read_digested(folder / "output.xml")
    signed = pdf_signature.sign(contents(folder / CERTIFICATE), key, _words(outcome), authority)
    made = target.with_name(f".{SIGNED_PDF}")
    try:
        made.write_bytes(signed)
        made.replace(target)
    except OSError as error:
        with suppress(OSError):
            made.unlink()
        raise InputError(
            f"{target}: this file cannot be written: {error.strerror}. Give it room and the right."
        ) from None
    return target


def _words(outcome: Outcome) -> Words:
    """What the record says of the run, and of where its provider is."""
    from gatepass.proof.pdf_signature import Words

    provider = group(outcome.run, "provider")
    order, run = group(outcome.run, "order").get("order"), outcome.run.get("run_id")
    place, contact = (str(provider.get(key) or "") for key in ("place", "contact"))
    return Words(f"Acceptance certificate: order {order}, run {run}", place, contact)


def look(folder: Path, trust: Trust, found: Findings) -> None:
    """Of a run: its signed certificate is the sealed one and a signature, nothing else.

    Args:
        folder: of the run.
        trust: who may sign and stamp.
        found: what is added to.

    Raises:
        InputError: the files of `trust` cannot be read.
    """
    signed, sealed = folder / SIGNED_PDF, folder / CERTIFICATE
    if signed.is_file():
        _judge(signed, sealed, trust, found)
    elif trust.pdf_signers:
        found.wrong.append(
            f"There is no {SIGNED_PDF}, or no longer, and nobody of {trust.pdf_signers.name} "
            "vouches for the certificate."
        )


def look_alone(pdf: Path, trust: Trust, found: Findings) -> None:
    """Of a certificate without its run: its signature, where it has one, and nothing else is new.

    Args:
        pdf: the certificate; it may be of another kind.
        trust: who may sign and stamp.
        found: what is added to.

    Raises:
        InputError: the files of `trust` cannot be read.
    """
    if trust.pdf_signers or _MARK in contents(pdf):
        _judge(pdf, None, trust, found)


def _judge(pdf: Path, sealed: Path | None, trust: Trust, found: Findings) -> None:
    from gatepass.proof.pdf_key import certificates_of
    from gatepass.proof.pdf_signature import NotSigned, NotStamped, judged

    signers = certificates_of(trust.pdf_signers, SIGNERS) if trust.pdf_signers else None
    authorities = certificates_of(trust.authorities, AUTHORITIES) if trust.authorities else None
    try:
        signed = judged(contents(pdf), contents(sealed) if sealed else None, signers, authorities)
        _must_read_alike(pdf, sealed)
    except NotSigned as error:
        found.wrong.append(f"{pdf.name} does not hold: {error}.")
        return
    except NotStamped as error:
        found.wrong.append(f"The time stamp in {pdf.name} does not hold: {error}.")
        return
    except OSError as error:
        why = error.strerror
        found.wrong.append(f"{pdf.name} and {CERTIFICATE} cannot be looked at: {why}.")
        return
    _tell(pdf.name, signed, trust, found)
    if sealed is None and signers:  # of a run, its list is what has to be signed
        found.vouchers.append(signed.by)
        found.stamped = _moment(signed) if authorities else ""


def _must_read_alike(pdf: Path, sealed: Path | None) -> None:
    """Another reader of PDF has to see no other words: what one overlooks, one may show."""
    from gatepass.proof.pdf_signature import NotSigned

    if sealed is None:
        return
    try:
        alike = page_text(pdf) == page_text(sealed)
    except InputError:
        raise NotSigned("another reader of PDF cannot read it") from None
    if not alike:
        raise NotSigned(f"another reader of PDF finds other words in it than in {sealed.name}")


def _tell(name: str, signed: SignedPdf, trust: Trust, found: Findings) -> None:
    who = f"{signed.by}, certificate SHA-256 {signed.certificate}"
    moment = _moment(signed)
    if trust.pdf_signers:
        found.seen.append(f"{name}, signed by {who}")
    else:
        found.open.append(
            f"{name} is signed by a key that nobody here knows: its certificate says {who}. "
            f"Name who may sign, or the authorities above them, with {SIGNERS} FILE"
        )
    if moment and trust.authorities:
        found.seen.append(f"that signature, stamped at {moment}")
    elif moment:
        found.open.append(
            f"The signature in {name} bears a time stamp of {moment} by an authority that nobody "
            f"here knows. Name its certificates with {AUTHORITIES} FILE"
        )


def _moment(signed: SignedPdf) -> str:
    """When it was stamped; empty where it was not."""
    return f"{signed.stamped.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if signed.stamped else ""

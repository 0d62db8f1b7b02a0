"""Signatures inside a PDF, as its readers show them: PAdES, ETSI EN 319 142-1.

pyHanko makes and judges them. It takes a while to load: import this module only where it is used.

A signature is added behind the content of the file, which stays as it was, byte for byte. Whatever
else is added there by the same hand would be signed too. So it is looked at what was added, and
nothing is content with a signature beside something else.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO

from asn1crypto import cms, keys, tsp
from asn1crypto.x509 import Certificate
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pyhanko.pdf_utils.extensions import DeveloperExtension
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.fields import SigSeedSubFilter
from pyhanko.sign.signers import PdfSignatureMetadata, SimpleSigner, sign_pdf
from pyhanko.sign.timestamps import TimeStamper
from pyhanko.sign.validation import (
    EmbeddedPdfSignature,
    KeyUsageConstraints,
    PdfSignatureStatus,
    SignatureCoverageLevel,
    validate_pdf_signature,
)
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.registry import SimpleCertificateStore

from gatepass.base.errors import InputError
from gatepass.proof import timestamp
from gatepass.proof.folder import CERTIFICATE
from gatepass.proof.pdf_added import strange
from gatepass.proof.pdf_key import KEY, PdfKey

FIELD = "Gatepass"
_VERSION = 1, 7
"""Of PDF, with which the signatures of PAdES came."""
_MAY_SIGN = frozenset({"digital_signature", "non_repudiation"})

# It tells of what it finds wrong, with tracebacks; here that is a sentence.
for _name in ("pyhanko", "pyhanko_certvalidator"):
    logging.getLogger(_name).addHandler(logging.NullHandler())
    logging.getLogger(_name).propagate = False


@dataclass(frozen=True)
class Words:
    """What a signature says beside who has signed.

    Attributes:
        reason: what it is for.
        location, contact: where it was made, and where the signer is reached; may be empty.
    """

    reason: str
    location: str = ""
    contact: str = ""


@dataclass(frozen=True)
class SignedPdf:
    """What the signature of a PDF tells.

    Attributes:
        by: the subject of the signer's certificate.
        certificate: SHA-256 of that, hexadecimal.
        stamped: when an authority has stamped the signature; None where none has.
    """

    by: str
    certificate: str
    stamped: datetime | None


class NotSigned(Exception):
    """The PDF bears no signature, one that does not hold, or one of nobody who may sign."""


class NotStamped(Exception):
    """The signature holds, and its time stamp does not, or is of nobody who is trusted."""


def sign(content: bytes, key: PdfKey, words: Words, authority: str | None) -> bytes:
    """The same PDF with a signature that shows on no page: PAdES-B-B, or PAdES-B-T.

    Args:
        content: of the PDF.
        key: to sign with.
        words: what the signature says.
        authority: the address of a time stamping authority after RFC 3161, for PAdES-B-T.

    Raises:
        InputError: it cannot be signed so.
    """
    made = PdfSignatureMetadata(
        field_name=FIELD,
        subfilter=SigSeedSubFilter.PADES,
        reason=words.reason,
        location=words.location or None,
        contact_info=words.contact or None,
    )
    stamper = _Authority(authority) if authority else None
    try:
        writer = _Writer(BytesIO(content))
        signed = sign_pdf(writer, made, _signer(key), timestamper=stamper).getvalue()
        judged(signed, content)
    except InputError:
        raise
    except NotStamped as error:
        raise timestamp.no_stamp(authority or "", str(error)) from None
    except Exception as error:  # whatever the library finds wrong with somebody's file
        raise InputError(
            f"{KEY} {key.path}: {CERTIFICATE} cannot be signed with it: {_brief(error)}. Take "
            "another key, or leave it out."
        ) from None
    return signed


def _signer(key: PdfKey) -> SimpleSigner:
    chain = SimpleCertificateStore()
    chain.register_multiple([_asn1(one) for one in key.chain])
    private = key.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return SimpleSigner(
        signing_cert=_asn1(key.certificate),
        signing_key=keys.PrivateKeyInfo.load(private),
        cert_registry=chain,
    )


def _asn1(certificate: x509.Certificate) -> Certificate:
    return Certificate.load(certificate.public_bytes(Encoding.DER))


class _Writer(IncrementalPdfFileWriter):
    """Adds a signature alone.

    For keys of elliptic curves pyHanko would make a PDF 2.0 of it (ISO/TS 32002) with new metadata,
    which readers show as the title. They have known such keys for longer.
    """

    def ensure_output_version(self, version: tuple[int, int]) -> None:
        super().ensure_output_version(min(version, _VERSION))

    def register_extension(self, ext: DeveloperExtension) -> None:
        if ext.base_version.lstrip("/") <= "{}.{}".format(*_VERSION):
            super().register_extension(ext)


class _Authority(TimeStamper):
    """One that is asked in the same way as for the run's own list."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address

    async def async_request_tsa_response(self, req: tsp.TimeStampReq) -> tsp.TimeStampResp:
        return tsp.TimeStampResp.load(timestamp.ask(self._address, req.dump()))

    async def async_timestamp(self, message_digest: bytes, md_algorithm: str) -> cms.ContentInfo:
        try:
            return await super().async_timestamp(message_digest, md_algorithm)
        except InputError:
            raise
        except Exception as error:  # the answer is parsed where it is first used
            raise timestamp.no_stamp(self._address, _brief(error)) from None


def judged(
    content: bytes,
    original: bytes | None = None,
    signers: list[x509.Certificate] | None = None,
    authorities: list[x509.Certificate] | None = None,
) -> SignedPdf:
    """Who has signed a PDF.

    Args:
        content: of the PDF.
        original: what it was before; None where that is not known.
        signers: who may sign, or authorities above them; None to look at the signature alone.
        authorities: whose time stamps count; None to look at the time alone.

    Raises:
        NotSigned: it is not signed, was changed, holds more than that and its signature, or is
            signed by somebody else.
        NotStamped: the time stamp does not hold, or is of somebody else.
    """
    if original is not None and not content.startswith(original):
        raise NotSigned(
            f"it does not begin with this run's {CERTIFICATE}, so it is another run's, or was "
            "changed"
        )
    try:
        signatures = PdfFileReader(BytesIO(content)).embedded_signatures
        if len(signatures) != 1:
            raise NotSigned(f"it bears {len(signatures) or 'no'} signatures, and must bear one")
        (signature,) = signatures
        status = _status(signature, [], authorities or [], None)
        _must_hold(content, signature, status, original)
        moment = _stamped(status, authorities)
        if signers is not None:
            _must_be_of(signature, signers, authorities, moment)
    except (NotSigned, NotStamped):
        raise
    except Exception as error:  # a file that anybody may have written, as the library finds it
        raise NotSigned(f"it cannot be read as a signed PDF: {_brief(error)}") from None
    by = _plain(signature.signer_cert)
    digest = by.fingerprint(SHA256()).hex()
    return SignedPdf(by.subject.rfc4514_string(), digest, moment)


def _must_hold(
    content: bytes,
    signature: EmbeddedPdfSignature,
    status: PdfSignatureStatus,
    original: bytes | None,
) -> None:
    if not (status.intact and status.valid):
        raise NotSigned("it was changed after it was signed")
    if status.coverage != SignatureCoverageLevel.ENTIRE_FILE:
        raise NotSigned("something was added to it after it was signed")
    if found := strange(content, signature, original):
        raise NotSigned(f"more than a signature was added to {CERTIFICATE}: {found}")
    # what is left of the room for the signature is the one place that no signature covers
    room = signature.pkcs7_content
    if room[len(cms.ContentInfo.load(room).dump()) :].strip(b"\0"):
        raise NotSigned("something was added to it beside the signature")


def _stamped(
    status: PdfSignatureStatus, authorities: list[x509.Certificate] | None
) -> datetime | None:
    stamp = status.timestamp_validity
    if stamp is None:
        return None
    if not (stamp.intact and stamp.valid):
        raise NotStamped("it is not of this signature, or was changed")
    if authorities is not None and not stamp.trusted:
        raise NotStamped("it is of nobody whose time stamps count")
    return stamp.timestamp


def _must_be_of(
    signature: EmbeddedPdfSignature,
    signers: list[x509.Certificate],
    authorities: list[x509.Certificate] | None,
    stamped: datetime | None,
) -> None:
    """A stamp of somebody who is trusted tells when it was signed; without one, now counts."""
    certificate = _plain(signature.signer_cert)
    sure = stamped is not None and authorities is not None
    moment = stamped if sure else datetime.now(UTC)
    who = f"it is signed by {certificate.subject.rfc4514_string()}, "
    if not certificate.not_valid_before_utc <= moment <= certificate.not_valid_after_utc:
        since = f"{certificate.not_valid_after_utc:%Y-%m-%d}"
        raise NotSigned(
            f"{who}whose certificate was not valid when it was signed"
            if sure
            else f"{who}whose certificate is valid until {since}, and no time stamp of an "
            "authority that is named tells that it was signed before"
        )
    if not _status(signature, signers, authorities or [], moment).trusted:
        raise NotSigned(f"{who}for whom nobody vouches that is named")


def _status(
    signature: EmbeddedPdfSignature,
    signers: list[x509.Certificate],
    authorities: list[x509.Certificate],
    moment: datetime | None,
) -> PdfSignatureStatus:
    # without the extension a certificate is for any use (RFC 5280, section 4.2.1.3)
    limited = signature.signer_cert.key_usage_value is not None
    return validate_pdf_signature(
        signature,
        _trusting(signers, {"moment": moment} if moment else {}),
        _trusting(authorities, {}),
        key_usage_settings=KeyUsageConstraints(key_usage=_MAY_SIGN if limited else frozenset()),
    )


def _trusting(roots: list[x509.Certificate], at: Mapping[str, datetime]) -> ValidationContext:
    """Nothing is asked over the network: neither for certificates nor whether one was revoked."""
    return ValidationContext(
        trust_roots=[_asn1(one) for one in roots], allow_fetching=False, **at
    )


def _plain(certificate: Certificate) -> x509.Certificate:
    return x509.load_der_x509_certificate(certificate.dump())


def _brief(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".")[:300] if lines else type(error).__name__

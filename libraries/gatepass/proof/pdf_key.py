"""The key that a PDF is signed with, and the certificates that belong to it.

Companies keep them as PKCS#12 (``.p12``, ``.pfx``), which holds all of it behind a password, or as
PEM. Which it is, the file itself tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from asn1crypto.pkcs12 import Pfx
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    pkcs12,
)

from gatepass.base.errors import InputError
from gatepass.base.files import contents, trouble_with
from gatepass.base.ownership import secret_trouble
from gatepass.inputs.secret import SecretReference

Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
KEY, CERTIFICATE, PASSWORD = "--pdf-key", "--pdf-certificate", "--pdf-password"
_NAME_IT = f"Name where that is kept: {PASSWORD} env:NAME or file:PATH."
_AMEND = f"Correct what {PASSWORD} names."
_LARGEST_MIB = 1
_LEAST_BITS = 2048
"""Of RSA, as NIST SP 800-131A; with fewer no reader trusts a signature."""
_CURVES = (ec.SECP256R1, ec.SECP384R1, ec.SECP521R1)
"""Those that readers of PDF know."""
_PEM = b"-----BEGIN "
_CERTIFICATE = _PEM + b"CERTIFICATE-----"


@dataclass(frozen=True)
class PdfKey:
    """What a PDF is signed with.

    Attributes:
        path: of the file that holds the key, for sentences.
        key: the private key.
        certificate: of its public key.
        chain: the certificates above that one, as far as they are given.
    """

    path: Path
    key: Key
    certificate: x509.Certificate
    chain: tuple[x509.Certificate, ...]


def read(path: Path, certificates: Path | None, password: SecretReference | None) -> PdfKey:
    """Read a key that can sign now.

    Args:
        path: PKCS#12 or PEM.
        certificates: of the key, and those above it, PEM; None where the first file has them.
        password: of the first file; None where it has none.

    Raises:
        InputError: a file cannot be used, the password is wrong, no certificate is the key's, or
            that one is not meant for signing, or not now.
    """
    content = _content(path, KEY)
    if trouble := secret_trouble(path):
        raise InputError(
            f"{KEY} {path}: it {trouble}. Make it yours alone with `chown` and `chmod 600`."
        )
    secret = password.read_phrase().encode() if password else None
    key, found = (_of_pem if _PEM in content else _of_pkcs12)(path, content, secret)
    if certificates:
        found += certificates_of(certificates, CERTIFICATE)
    own = _own(path, _usable(path, key), found)
    _must_sign_now(path, own)
    return PdfKey(path, key, own, tuple(one for one in dict.fromkeys(found) if one != own))


def certificates_of(path: Path, option: str) -> list[x509.Certificate]:
    """The certificates of a file, PEM.

    Args:
        path: of the file.
        option: that names it, with its dashes.

    Raises:
        InputError: it cannot be read, or holds none.
    """
    return _certificates_in(_content(path, option), f"{option} {path}")


def _content(path: Path, option: str) -> bytes:
    if trouble := trouble_with(path):
        raise InputError(f"{option} {path}: this file {trouble}. Correct the path.")
    try:
        return contents(path, _LARGEST_MIB)
    except OSError as error:
        raise InputError(f"{option} {path}: this file cannot be read: {error.strerror}.") from None


def _of_pem(
    path: Path, content: bytes, password: bytes | None
) -> tuple[object, list[x509.Certificate]]:
    wrong = f"{KEY} {path}: "
    try:
        key = load_pem_private_key(content, password)
    except TypeError:
        if password is None:
            raise InputError(f"{wrong}the key is behind a password. {_NAME_IT}") from None
        raise InputError(f"{wrong}the key has no password. Leave {PASSWORD} out.") from None
    except (ValueError, UnsupportedAlgorithm):
        if password is not None and b"PRIVATE KEY-----" in content:
            what = "the password is wrong, or the key damaged"
            raise InputError(f"{wrong}{what}. {_AMEND}") from None
        raise InputError(
            f"{wrong}there is no private key in it that can be used. Name a file with one, PKCS#12 "
            "or PEM."
        ) from None
    there = _certificates_in(content, f"{KEY} {path}") if _CERTIFICATE in content else []
    return key, there


def _of_pkcs12(
    path: Path, content: bytes, password: bytes | None
) -> tuple[object, list[x509.Certificate]]:
    wrong = f"{KEY} {path}: "
    try:
        key, own, others = pkcs12.load_key_and_certificates(content, password)
    except (ValueError, UnsupportedAlgorithm):
        if not _is_pkcs12(content):
            raise InputError(
                f"{wrong}this is neither PKCS#12 nor PEM. Name a .p12 or .pfx file, or a private "
                "key in PEM."
            ) from None
        what = "the file is behind a password" if password is None else "the password is wrong"
        remedy = _NAME_IT if password is None else _AMEND
        raise InputError(f"{wrong}{what}, or the file damaged. {remedy}") from None
    if key is None:
        raise InputError(f"{wrong}there is no private key in it. Export it together with its key.")
    return key, [*([own] if own else []), *others]


def _is_pkcs12(content: bytes) -> bool:
    try:
        return Pfx.load(content)["version"].native == "v3"
    except (ValueError, TypeError):
        return False


def _certificates_in(content: bytes, named: str) -> list[x509.Certificate]:
    try:
        return x509.load_pem_x509_certificates(content)
    except ValueError:
        raise InputError(
            f"{named}: this file holds no certificates, or a damaged one. Name a file of "
            "certificates, PEM."
        ) from None


def _usable(path: Path, key: object) -> Key:
    """The key, if readers of PDF know its kind."""
    if isinstance(key, rsa.RSAPrivateKey) and key.key_size >= _LEAST_BITS:
        return key
    if isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, _CURVES):
        return key
    raise InputError(
        f"{KEY} {path}: readers of PDF do not trust a key of this kind. Take one of RSA with at "
        f"least {_LEAST_BITS} bits, or of the curves P-256, P-384 or P-521."
    )


def _own(path: Path, key: Key, found: list[x509.Certificate]) -> x509.Certificate:
    """The certificate of a key."""
    if not found:
        raise InputError(
            f"{KEY} {path}: there is no certificate with the key. Name its file, PEM, with "
            f"{CERTIFICATE}."
        )
    form = Encoding.DER, PublicFormat.SubjectPublicKeyInfo
    public = key.public_key().public_bytes(*form)
    for one in found:
        try:
            if one.public_key().public_bytes(*form) == public:
                return one
        except (ValueError, UnsupportedAlgorithm):
            continue  # of a kind that this key is not
    raise InputError(
        f"{KEY} {path}: no certificate fits the key; there is {_of(found[0])}. Name the one that "
        f"was issued for the key with {CERTIFICATE}."
    )


def _must_sign_now(path: Path, certificate: x509.Certificate) -> None:
    whose = f"{KEY} {path}: the certificate of {_of(certificate)}"
    now = datetime.now(UTC)
    if now < certificate.not_valid_before_utc:
        raise InputError(
            f"{whose} is not valid before {certificate.not_valid_before_utc:%Y-%m-%d %H:%M} UTC. "
            "Sign later, or mend the clock of this machine."
        )
    if now > certificate.not_valid_after_utc:
        raise InputError(
            f"{whose} is no longer valid since {certificate.not_valid_after_utc:%Y-%m-%d %H:%M} "
            "UTC. Have it renewed."
        )
    try:
        usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    except x509.ExtensionNotFound:
        return  # for any use (RFC 5280, section 4.2.1.3)
    except ValueError:
        raise InputError(f"{whose} is damaged: its extensions cannot be read. Renew it.") from None
    if not (usage.digital_signature or usage.content_commitment):
        raise InputError(
            f"{whose} is not meant for signing: its key usage has neither digitalSignature nor "
            "nonRepudiation. Take one that has."
        )


def _of(certificate: x509.Certificate) -> str:
    try:
        return certificate.subject.rfc4514_string()
    except ValueError:
        return "somebody whose name cannot be read"

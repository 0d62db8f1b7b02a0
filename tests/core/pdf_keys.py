"""Keys and certificates to sign a PDF with, of companies that nobody knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import NameOID

PASSWORD = "grüner Elefant 7"
_USES = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment")
_USES += ("key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only")


@dataclass(frozen=True)
class Holder:
    """Somebody with a key, and its certificate."""

    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    def pem(self, path: Path, password: str = "") -> Path:
        """Write the key."""
        lock = BestAvailableEncryption(password.encode()) if password else NoEncryption()
        path.write_bytes(self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock))
        path.chmod(0o600)
        return path

    def pkcs12(self, path: Path, above: Sequence[Holder] = (), password: str = PASSWORD) -> Path:
        """Write key, certificate and those above it."""
        lock = BestAvailableEncryption(password.encode()) if password else NoEncryption()
        chain = [one.certificate for one in above]
        path.write_bytes(
            pkcs12.serialize_key_and_certificates(b"", self.key, self.certificate, chain, lock)
        )
        path.chmod(0o600)
        return path


def certificates(path: Path, *holders: Holder) -> Path:
    """Write their certificates, PEM."""
    path.write_bytes(b"".join(one.certificate.public_bytes(Encoding.PEM) for one in holders))
    return path


def new_holder(
    name: str,
    by: Holder | None = None,
    uses: Sequence[str] | None = ("digital_signature", "content_commitment"),
    days: tuple[int, int] = (-1, 30),
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | None = None,
) -> Holder:
    """Somebody new.

    Args:
        name: in the certificate.
        by: who issues it; None to issue it oneself.
        uses: of the key; None for a certificate that says nothing of it.
        days: from now, between which it is valid.
        key: None to make a new one.
    """
    key = key or ec.generate_private_key(ec.SECP256R1())
    names = [(NameOID.ORGANIZATION_NAME, "Example Networks"), (NameOID.COMMON_NAME, name)]
    subject = x509.Name([x509.NameAttribute(kind, value) for kind, value in names])
    now, above = datetime.now(UTC), uses is not None and "key_cert_sign" in uses
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by.certificate.subject if by else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + timedelta(days=days[0]))
        .not_valid_after(now + timedelta(days=days[1]))
        .add_extension(x509.BasicConstraints(ca=above, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    if uses is not None:
        chosen = {use: use in uses for use in _USES}
        made = made.add_extension(x509.KeyUsage(**chosen), critical=True)
    return Holder(key, made.sign(by.key if by else key, SHA256()))


def new_authority(name: str, by: Holder | None = None) -> Holder:
    """Somebody who may issue certificates."""
    return new_holder(name, by, uses=("key_cert_sign", "crl_sign"))

"""The certificate authority and the server certificate of one lab's gateway."""

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from lab.secret import write_secret

_VALID = timedelta(days=825)
_CLOCK_SKEW = timedelta(days=1)


def gateway_certificates(folder: Path, address: str, lab: str) -> None:
    """Make a certificate authority and a server certificate of it.

    Writes `ca.pem`, `server.pem` and `server.key`; the authority's key is not kept.

    Args:
        folder: where to.
        address: the IP address that the server is reached at (RFC 5280, 4.2.1.6).
        lab: the lab's name, which the authority carries.
    """
    ca_key = ec.generate_private_key(ec.SECP256R1())
    key = ec.generate_private_key(ec.SECP256R1())
    issuer = _name(f"Gatepass lab {lab} CA")
    ca = _certificate(issuer, issuer, ca_key, ca_key, x509.BasicConstraints(True, 0))
    server = _certificate(
        _name(address),
        issuer,
        key,
        ca_key,
        x509.BasicConstraints(False, None),
        x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]),
        x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]),
    )
    (folder / "ca.pem").write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    (folder / "server.pem").write_bytes(server.public_bytes(serialization.Encoding.PEM))
    write_secret(
        folder / "server.key",
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
    )


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    issuer_key: ec.EllipticCurvePrivateKey,
    constraints: x509.BasicConstraints,
    *more: x509.ExtensionType,
) -> x509.Certificate:
    """A certificate with all that strict checking (RFC 5280) asks for."""
    now = datetime.now(UTC)
    usage = dict.fromkeys(
        (
            *("digital_signature", "content_commitment", "key_encipherment"),
            *("data_encipherment", "key_agreement", "key_cert_sign", "crl_sign"),
            *("encipher_only", "decipher_only"),
        ),
        False,
    )
    usage["key_cert_sign" if constraints.ca else "digital_signature"] = True
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(now + _VALID)
        .add_extension(constraints, critical=True)
        .add_extension(x509.KeyUsage(**usage), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), False
        )
    )
    for extension in more:
        builder = builder.add_extension(extension, critical=False)
    return builder.sign(issuer_key, hashes.SHA256())

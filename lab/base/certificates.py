"""The certificate authority of one lab, and the server certificates that come from it."""

import ipaddress
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from lab.base.secret import write_secret

_VALID = timedelta(days=825)
_CLOCK_SKEW = timedelta(days=1)


class Authority:
    """A certificate authority; its key is kept nowhere.

    Args:
        lab: the lab's name, which the authority carries.
    """

    def __init__(self, lab: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(f"Gatepass lab {lab} CA")
        constraints = x509.BasicConstraints(True, 0)
        certificate = _certificate(self._name, self._name, self._key, self._key, constraints)
        self.pem = certificate.public_bytes(serialization.Encoding.PEM)

    def issue(self, folder: Path, address: str, names: Sequence[str] = ()) -> None:
        """Write `ca.pem`, `server.pem` and `server.key` of a server.

        Args:
            folder: where to.
            address: the IP address that the server is reached at (RFC 5280, 4.2.1.6).
            names: host names that it has as well.
        """
        certificate, key = self.server(
            address,
            x509.IPAddress(ipaddress.ip_address(address)),
            *(x509.DNSName(name) for name in names),
        )
        (folder / "ca.pem").write_bytes(self.pem)
        (folder / "server.pem").write_bytes(certificate)
        write_secret(folder / "server.key", key)

    def server(self, common_name: str, *names: x509.GeneralName) -> tuple[bytes, bytes]:
        """The certificate of a server and its key, in PEM.

        Args:
            common_name: whom it is for.
            names: by which it is reached.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _certificate(
            _name(common_name),
            self._name,
            key,
            self._key,
            x509.BasicConstraints(False, None),
            x509.SubjectAlternativeName(names),
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]),
        )
        return (
            certificate.public_bytes(serialization.Encoding.PEM),
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

"""The files that an example of a testbed names."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from input_files import SECRET

import ssh_files


@pytest.fixture(scope="session")
def certificate() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    return built.public_bytes(serialization.Encoding.PEM)


@pytest.fixture
def folder(tmp_path: Path, certificate: bytes) -> Path:
    """A folder with the files that the testbed above names."""
    (tmp_path / "ssh").mkdir()
    for name, content, mode in (
        ("gateway-ca.pem", certificate, 0o644),
        ("api-token", f"{SECRET}\n".encode(), 0o600),
        ("ssh/id", ssh_files.private_key().encode(), 0o600),
        ("ssh/id.pub", b"ssh-ed25519 AAAA\n", 0o644),
        ("ssh/hosts", f"198.18.0.11 {ssh_files.public_key()}\n".encode(), 0o644),
        ("empty", b"", 0o600),
    ):
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(mode)
    return tmp_path

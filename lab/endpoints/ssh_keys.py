"""Keys for SSH."""

from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from lab.base.secret import write_secret


def ssh_key_pair(private: Path, comment: str) -> str:
    """Make an Ed25519 key for SSH: `private` and, beside it, `.pub`.

    Returns:
        The public key as authorized_keys and known_hosts have it, without the comment.
    """
    key = Ed25519PrivateKey.generate()
    write_secret(
        private,
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.OpenSSH,
            serialization.NoEncryption(),
        ),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    )
    text = public.decode()
    private.with_suffix(".pub").write_text(f"{text} {comment}\n")
    return text

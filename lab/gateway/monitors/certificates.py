"""monitor/system/available-certificates: the certificates that the gateway may show."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from lab.gateway.call import Call
from lab.gateway.monitors.model import ANYONE, Monitor

if TYPE_CHECKING:
    from lab.gateway.device import Device

_PATH = "vpn.certificate/local"


async def _certificates(device: Device, call: Call) -> list[dict[str, Any]]:
    state = device.database.state
    return [
        _shown(row) | {
            "q_path": "vpn.certificate", "q_name": "local",
            "q_ref": len(state.referrers(_PATH, name)),
            "q_static": row["source"] == "factory",
        }
        for name, row in state.rows[_PATH].items()
        if row["certificate"]
    ]


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    found = x509.load_pem_x509_certificate(row["certificate"].encode())
    begins, ends = found.not_valid_before_utc, found.not_valid_after_utc
    key = found.public_key()
    return {
        "name": row["name"],
        "source": row["source"],
        "comments": row["comments"],
        "range": row["range"],
        "exists": True,
        "type": "local-cer",
        "status": "valid" if begins.timestamp() <= time.time() <= ends.timestamp() else "expired",
        "key_type": "ECDSA" if isinstance(key, ec.EllipticCurvePublicKey) else "RSA",
        "key_size": getattr(key, "key_size", 0),
        "valid_from": int(begins.timestamp()),
        "valid_to": int(ends.timestamp()),
        "subject_raw": found.subject.rfc4514_string(),
        "issuer_raw": found.issuer.rfc4514_string(),
        "serial_number": ":".join(f"{byte:02X}" for byte in found.serial_number.to_bytes(
            (found.serial_number.bit_length() + 7) // 8)),
        "fingerprint": found.fingerprint(hashes.SHA256()).hex(":").upper(),
        "version": found.version.value + 1,
    }


MONITORS = {"system/available-certificates": Monitor(ANYONE, get=_certificates)}

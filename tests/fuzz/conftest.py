"""Fixtures of other rooms that are altered here."""

from __future__ import annotations

import sys
from pathlib import Path

for room in ("core", "inputs", "lab"):
    sys.path.append(str(Path(__file__).parents[1] / room))

from core.conftest import certificates, device, gateway, lab_process, quick_retries  # noqa: E402
from inputs.conftest import certificate, folder  # noqa: E402

__all__ = [
    "certificate", "certificates", "device", "folder", "gateway", "lab_process", "quick_retries"
]

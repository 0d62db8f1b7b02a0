"""The languages of the certificate: whichever has a file of its texts."""

from __future__ import annotations

from gatepass.base.paths import TEMPLATES

FALLBACK = "en"
"""Also what checks speak."""
LANGUAGES = {path.suffixes[-2][1:]: path for path in sorted(TEMPLATES.glob("certificate.*.yaml"))}
"""The file of each by its code, which is what an order asks for it by."""

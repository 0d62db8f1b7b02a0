"""Who answers for a certificate: the provider, its number, and what decided the run."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markupsafe import Markup

from gatepass.report.phrases import join
from gatepass.report.qr_code import qr_code
from gatepass.report.wording import Wording
from gatepass.results.facts import group
from gatepass.results.outcome import Outcome

_SHORT_SUM = 12
_PICTURE = re.compile(r"data:image/(svg\+xml|png);base64,[A-Za-z0-9+/=]+")


@dataclass(frozen=True)
class Issuer:
    """Who answers for the page.

    Attributes:
        name, logo: of the provider; the logo as a data address. Either may be empty.
        facts: labels and values: contact, who tested, where.
        number: of the certificate.
        kept: what decided the run, by the first digits of its check sums; may be empty.
        code: a QR code of number, check sum and the address where records are kept.
    """

    name: str
    logo: str
    facts: list[tuple[str, str]]
    number: str
    kept: str
    code: Markup


def issuer(outcome: Outcome, digest: str, words: Wording) -> Issuer:
    """Who answers for the page, and its number.

    Args:
        outcome: of the run.
        digest: SHA-256 of its ``output.xml``, hexadecimal.
        words: of the page's language.
    """
    texts, known = words["decision"], group(outcome.run, "provider")
    facts = [
        (texts["provider"][key], str(known[key]))
        for key in ("name", "contact", "operator", "place")
        if known.get(key)
    ]
    kept = group(outcome.run, "inputs")
    sums = [
        f"{texts['kept_files'][name]} {kept[name][:_SHORT_SUM]}"
        for name in texts["kept_files"]
        if isinstance(kept.get(name), str)
    ]
    number = str(outcome.run.get("run_id") or words["not_known"])
    coded = [f"Gatepass {number}", f"SHA-256 {digest}", str(known.get("records") or "")]
    return Issuer(
        name=str(known.get("name") or ""),
        logo=str(known.get("logo") or "") if _is_picture(known.get("logo")) else "",
        facts=facts or [(texts["provider"]["name"], texts["no_provider"])],
        number=texts["number"].format(number=number),
        kept=texts["kept"].format(files=join(sums)) if sums else "",
        code=qr_code("\n".join(line for line in coded if line)),
    )


def _is_picture(address: object) -> bool:
    """A record may be anybody's: nothing else than a picture's content is shown."""
    return isinstance(address, str) and _PICTURE.fullmatch(address) is not None

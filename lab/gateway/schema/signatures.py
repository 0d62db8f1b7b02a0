"""What the lab has in the place of FortiGuard's signature packages."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from lab.gateway.errors import bad_value, duplicate
from lab.gateway.schema import fsbid
from lab.gateway.schema.model import Row


@dataclass(frozen=True)
class Predefined:
    """A signature that comes with the device.

    Attributes:
        id: number by which sensors and lists select it.
        name: as the log shows it.
        severity: of an IPS rule.
        category: of an application.
    """

    id: int
    name: str
    severity: str = ""
    category: int = 0


IPS_RULES = (Predefined(29844, "Eicar.Virus.Test.File", severity="info"),)
APPLICATIONS = (Predefined(15893, "HTTP.BROWSER", category=25),)

IPS_RULE_IDS = tuple(rule.id for rule in IPS_RULES)
APPLICATION_IDS = tuple(application.id for application in APPLICATIONS)

SEVERITIES = ("info", "low", "medium", "high", "critical")

CATEGORIES = {
    2: "P2P",
    3: "VoIP",
    5: "Video/Audio",
    6: "Proxy",
    7: "Remote.Access",
    8: "Game",
    12: "General.Interest",
    15: "Network.Service",
    17: "Update",
    21: "Email",
    22: "Storage.Backup",
    23: "Social.Media",
    25: "Web.Client",
    26: "Industrial",
    28: "Collaboration",
    29: "Business",
    30: "Cloud.IT",
    31: "Mobile",
    32: "Unknown Applications",
    36: "GenAI",
}
"""Application categories by number."""

# Where the numbers begin that the device gives to signatures of its own.
FIRST_IPS_RULE, FIRST_APPLICATION = 2000, 0x1000_0000


def numbered(
    row: Row, key: str, first: int, taken: Collection[int], predefined: Collection[int]
) -> fsbid.Signature:
    """Read a row's signature and give the row its number: the one it names, or the next.

    Args:
        row: of a table of signatures of one's own.
        key: of the number.
        first: where the numbers begin that the device gives.
        taken: numbers of the table's other rows.
        predefined: numbers that come with the device.

    Raises:
        CmdbError: there is no signature, it cannot be read, or its number is taken.
    """
    if not row["signature"]:
        raise bad_value("signature", "", "F-SBID( --KEYWORD VALUE; … )")
    try:
        signature = fsbid.parse(row["signature"])
    except ValueError as error:
        raise bad_value("signature", row["tag"], str(error).rstrip(".")) from None
    if signature.attack_id is not None:
        row[key] = signature.attack_id
    elif not row[key]:
        row[key] = _next_free(first, taken)
    if row[key] in predefined:
        raise duplicate(row[key])
    return signature


def _next_free(first: int, taken: Collection[int]) -> int:
    """The lowest number from `first` on that is not taken."""
    number = first
    while number in taken:
        number += 1
    return number

"""Service tiers as a provider delivers them: the same gateway, with another shaper."""

import yaml

from lab.base.errors import LabMistake
from lab.nodes.node import PROJECT

CATALOGUE = PROJECT / "variables" / "service_catalogue.yaml"
_SCRIPTED = "SGW-200"
"""The tier of `lab/delivered.conf`."""
_ROOM = 163 / 150
"""The shaper's rate for a tier's: it counts headers, which the tier's goodput does not.

Of it TCP gets 1448/1514 and datagrams 1472/1514: 4 % more than the tier promises, and 4 % less than
the lab's orders allow at most.
"""


def tiers() -> dict[str, int]:
    """The rate of each tier in Mbit/s of TCP goodput, in the catalogue's sequence."""
    rows = yaml.safe_load(CATALOGUE.read_text())["tiers"]
    return {name: row["stateful_mbps"] for name, row in rows.items()}


def check_tier(name: str) -> str:
    """A tier's name, if there is such a tier.

    Raises:
        LabMistake: there is none.
    """
    if name not in tiers():
        raise LabMistake(f"There is no tier {name[:40]!r}; choose one of {', '.join(tiers())}.")
    return name


def for_tier(script: str, tier: str | None) -> str:
    """A delivered configuration with the shaper of another tier; None leaves it as it is."""
    if tier is None:
        return script
    known = tiers()
    for before, after in (
        (_SCRIPTED, tier),
        (_SCRIPTED.lower(), tier.lower()),
        (_kbps(known[_SCRIPTED]), _kbps(known[tier])),
    ):
        script = script.replace(before, after)
    return script


def _kbps(mbps: int) -> str:
    return str(round(mbps * _ROOM * 1000))

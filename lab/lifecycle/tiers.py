"""Service tiers as a provider delivers them: the same gateway, with other shapers."""

import re

import yaml

from lab.base.errors import LabMistake
from lab.nodes.node import PROJECT

CATALOGUE = PROJECT / "variables" / "service_catalogue.yaml"
_SCRIPTED = "SGW-200"
"""The tier of `lab/delivered.conf`."""
_BANDWIDTH = re.compile(r"((?:guaranteed|maximum)-bandwidth )(\d+)")
"""A figure of a shaper in kbit/s.

The tier's own counts headers, which the tier's goodput does not: it is 163/150 of that. Of it TCP
gets 1448/1514 and datagrams 1472/1514: 4 % more than the tier promises, and 4 % less than the lab's
orders allow at most.
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
    """A delivered configuration with all its shapers in proportion to another tier.

    Args:
        script: the configuration of `SGW-200`.
        tier: its name; None leaves the configuration as it is.
    """
    if tier is None:
        return script
    known = tiers()
    script = _BANDWIDTH.sub(
        lambda found: f"{found[1]}{round(int(found[2]) * known[tier] / known[_SCRIPTED])}", script
    )
    for before, after in ((_SCRIPTED, tier), (_SCRIPTED.lower(), tier.lower())):
        script = script.replace(before, after)
    return script

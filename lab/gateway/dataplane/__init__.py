"""The lab gateway's data plane: nftables, tc and routes made from the configuration.

The way of a configuration: `compile` turns rows into an `intent`, `faults` may change it, and each
part puts its share in force (`routing`, `queues`, `firewall`). `rules` writes the rule text.
"""

from .errors import DataPlaneError
from .faults import FAULTS, NOT_APPLIED
from .plane import DataPlane, Part
from .usage import PolicyCounter

DATA_PLANE_FAULTS = frozenset({*FAULTS, NOT_APPLIED})
"""Names of the faults that `DataPlane.apply` knows."""

__all__ = ["DATA_PLANE_FAULTS", "DataPlane", "DataPlaneError", "Part", "PolicyCounter"]

"""The lab gateway's data plane: nftables, tc and routes made from the configuration.

The way of a configuration: `compile` turns rows into an `intent`, `faults` may change it, and each
part puts its share in force (`routing`, `queues`, `firewall`). `rules` writes the rule text.
"""

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.faults.network import FAULTS, FORGOTTEN, NOT_APPLIED
from lab.gateway.dataplane.faults.translation import VIP_STAYS
from lab.gateway.dataplane.faults.trouble import TROUBLE_FAULTS
from lab.gateway.dataplane.kernel.usage import PolicyCounter
from lab.gateway.dataplane.plane import DataPlane, Part

DATA_PLANE_FAULTS = frozenset(
    {*FAULTS, FORGOTTEN, NOT_APPLIED, VIP_STAYS, *TROUBLE_FAULTS}
)
"""Names of the faults that `DataPlane.apply` knows."""

__all__ = ["DATA_PLANE_FAULTS", "DataPlane", "DataPlaneError", "Part", "PolicyCounter"]

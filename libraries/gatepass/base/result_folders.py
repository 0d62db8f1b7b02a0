"""Where a fleet's run keeps what, and which results below a folder are runs of one order.

``results/fleet-<stamp>/fleet.json`` is the plan; ``orders/<name>/`` below it is the run folder of
an order, exactly as a run on its own leaves it. The ``output.xml`` beside the plan is merged of all
of them and is no run.
"""

from __future__ import annotations

from pathlib import Path

from gatepass.base.paths import ORDERS

PLAN = "fleet.json"
OUTPUT = "output.xml"


def outputs(results: Path) -> list[Path]:
    """The ``output.xml`` of every single run below a results folder, in order of their names."""
    alone = [path for path in results.glob(f"*/{OUTPUT}") if not path.with_name(PLAN).exists()]
    return sorted([*alone, *results.glob(f"*/{ORDERS}/*/{OUTPUT}")])

"""The largest tier of the catalogue on a lab's gateway: 2,500 Mbit/s of datagrams are its overload.

A run takes minutes, so it runs where it is asked for: `./run.sh test -m long`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.faulty_lab import PROJECT, hold, lab_in
from gatepass.results.record import APPROVED
from lab.lifecycle.device import DEFAULT_VERSION

TIER, USUAL = "SGW-500", "SGW-200"


@pytest.mark.long
def test_the_order_is_approved(tmp_path: Path) -> None:
    usual = (PROJECT / "variables" / "orders" / "lab.yaml").read_text()
    order = tmp_path / "order.yaml"
    order.write_text(usual.replace(USUAL, TIER).replace(USUAL.lower(), TIER.lower()))
    with lab_in(tmp_path, DEFAULT_VERSION, "--tier", TIER) as lab:
        ended = lab.run(order=order)
        checks = ended.outcome.checks
        hold((one, one.message) for one in checks if one.verdict not in ("pass", "not applicable"))
        assert ended.outcome.verdict == APPROVED, ended.output
        assert lab.is_as_delivered()

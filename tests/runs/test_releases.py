"""The whole suite on gateways of several releases of FortiOS: each order is approved.

A run takes minutes, so they run where they are asked for: `./run.sh test -m long`. The whole run
of the test command itself (`test_run`) is of the release that labs have unless told otherwise.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.faulty_lab import hold, lab_in
from gatepass.results.record import APPROVED

RELEASES = ("7.4.8", "7.6.2", "7.6.4")
"""The last has no SSL VPN any more: its users come by dial-up IPsec."""


@pytest.mark.long
@pytest.mark.parametrize("version", RELEASES)
def test_the_order_is_approved(tmp_path: Path, version: str) -> None:
    with lab_in(tmp_path, version) as lab:
        ended = lab.run()
        assert ended.outcome.run["gateway"]["version"] == f"v{version}"
        checks = ended.outcome.checks
        hold((one, one.message) for one in checks if one.verdict not in ("pass", "not applicable"))
        assert ended.outcome.verdict == APPROVED, ended.output
        assert ended.exit_code == 0
        assert lab.is_as_delivered()

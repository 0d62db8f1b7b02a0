"""No fault that the lab has is without its proof."""

from __future__ import annotations

import test_data_plane
import test_endpoints
import test_management
import test_proxy
import test_services

from lab.faults import FAULTS


def test_every_fault_has_its_case() -> None:
    cases = [*test_data_plane.CASES, *test_management.ACCESS, *test_management.LASTING]
    cases += [*test_endpoints.CASES, *test_services.CASES, *test_proxy.CASES]
    assert {case.fault[0] for case in cases} == set(FAULTS)

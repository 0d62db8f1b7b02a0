"""No fault that the lab has is without its proof."""

from __future__ import annotations

import test_data_plane
import test_endpoints
import test_management
import test_provisioning_faults
import test_proxy
import test_remote_faults
import test_services
import test_site_faults

from lab.faults import FAULTS


def test_every_fault_has_its_case() -> None:
    cases = [*test_data_plane.CASES, *test_management.ACCESS, *test_management.LASTING]
    cases += [*test_endpoints.CASES, *test_services.CASES, *test_proxy.CASES]
    cases += test_provisioning_faults.CASES
    cases += [*test_site_faults.CASES, *test_remote_faults.CASES]
    assert {case.fault[0] for case in cases} == set(FAULTS)

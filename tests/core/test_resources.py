"""vCPUs and memory held against what was ordered."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from played import Played

import Gateway


def held(wanted: int, found: int) -> Gateway.Gateway:
    """The keywords of an order for so much memory, on a gateway that reports so much, in MiB."""
    ordered = SimpleNamespace(min_vcpus=None, min_memory_mb=wanted)
    return Gateway.Gateway(
        Played(
            order=SimpleNamespace(gateway=ordered),
            identity=SimpleNamespace(vcpus=1, memory_mb=found),
        )
    )


@pytest.mark.parametrize(("wanted", "found"), [(2048, 1993), (8192, 7968), (2000, 2000)])
def test_what_a_vm_keeps_for_itself_is_not_missing(wanted: int, found: int) -> None:
    keywords = held(wanted, found)
    keywords.the_resources_should_fit_the_order()
    (evidence,) = keywords.check.noted
    assert evidence.holds
    assert evidence.observed.endswith("of which a VM keeps up to 3 % for itself.")


def test_what_is_missing_is() -> None:
    with pytest.raises(AssertionError, match="at least 8192; the gateway reports 7900"):
        held(8192, 7900).the_resources_should_fit_the_order()

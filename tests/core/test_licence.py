"""The licence of a FortiGate-VM: what it is called, and when it may be the evaluation licence."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from gateway_client import GatewayUnderTest
from played import Played

import Gateway
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.identity import EVALUATION, VALID, identify


def keywords(gateway: FortiGate, evaluation: bool) -> Gateway.Gateway:
    ordered = SimpleNamespace(evaluation=evaluation)
    order, identity = SimpleNamespace(gateway=ordered), identify(gateway, "198.18.0.2")
    return Gateway.Gateway(Played(order=order, identity=identity))


@pytest.mark.parametrize("evaluation", [False, True])
def test_a_licence_of_its_own_is_always_right(gateway: FortiGate, evaluation: bool) -> None:
    library = keywords(gateway, evaluation)
    library.the_licence_should_be_valid()
    (evidence,) = library.check.noted
    assert evidence.observed == f"The gateway reports its licence as {VALID}."


def test_an_evaluation_licence_is_right_where_it_was_ordered(
    gateway: FortiGate, device: GatewayUnderTest
) -> None:
    device.control("PUT", "/faults/evaluation-licence", {})
    library = keywords(gateway, True)
    assert library.run.identity.licence == EVALUATION and library.run.identity.evaluation
    library.the_licence_should_be_valid()
    (evidence,) = library.check.noted
    assert evidence.observed.endswith("as the permanent evaluation licence, as ordered.")
    with pytest.raises(AssertionError, match=r"as the permanent evaluation licence\. Have"):
        keywords(gateway, False).the_licence_should_be_valid()


def test_one_that_has_expired_never_is(gateway: FortiGate, device: GatewayUnderTest) -> None:
    for fault in ("evaluation-licence", "licence-expired"):
        device.control("PUT", f"/faults/{fault}", {})
    assert not identify(gateway, "198.18.0.2").evaluation
    with pytest.raises(AssertionError, match="vm_expired"):
        keywords(gateway, True).the_licence_should_be_valid()

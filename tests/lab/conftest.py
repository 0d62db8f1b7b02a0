"""Fixtures of the lab's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dataplane_rig import Rig
from gateway_client import GatewayUnderTest

MakeGateway = Callable[..., GatewayUnderTest]


@pytest.fixture(scope="module")
def make_gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeGateway]:
    """Starts gateways without a real data plane; ends them after the module."""
    made: list[GatewayUnderTest] = []

    def make(version: str = "7.4.8", delivered: Path | None = None) -> GatewayUnderTest:
        made.append(GatewayUnderTest(tmp_path_factory.mktemp("gw"), version, delivered))
        return made[-1]

    yield make
    for gateway in made:
        if gateway.process is not None:
            gateway.kill()
        gateway.session.close()


@pytest.fixture(scope="module")
def api(make_gateway: MakeGateway) -> GatewayUnderTest:
    """A gateway that the tests of one module share."""
    return make_gateway()


@pytest.fixture(scope="module")
def gateway_of(make_gateway: MakeGateway, api: GatewayUnderTest) -> MakeGateway:
    """Gateways by release that the tests of one module share."""
    found = {api.version: api}

    def of(version: str) -> GatewayUnderTest:
        return found.get(version) or found.setdefault(version, make_gateway(version))

    return of


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """Client, gateway and server in namespaces, with a real data plane."""
    made = Rig(tmp_path)
    try:
        yield made
    finally:
        made.close()

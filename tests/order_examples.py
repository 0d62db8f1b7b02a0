"""An order with every chapter, and a testbed for it whose hosts nobody asks."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from gatepass.inputs import load_catalogue, load_order, load_profile

_VARIABLES = Path(__file__).parents[1] / "variables"
ORDER = load_order(
    _VARIABLES / "orders" / "lab.yaml", load_catalogue(_VARIABLES / "service_catalogue.yaml")
)
PROFILE = load_profile(_VARIABLES / "profiles.yaml", None)


def _host(number: int, **more: object) -> SimpleNamespace:
    address6 = f"2001:2:0:{number}::10"
    return SimpleNamespace(
        address=f"198.18.{number}.10", address6=address6, probe_port=5301, **more
    )


TESTBED = SimpleNamespace(
    gateway=SimpleNamespace(
        client_port="port2", server_port="port1", ssl_vpn_port=10443, may_fill_sessions=True
    ),
    endpoints=SimpleNamespace(
        client=_host(1), server=_host(2), peer=_host(4, gateway_port="port3")
    ),
)

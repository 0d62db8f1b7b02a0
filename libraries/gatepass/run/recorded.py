"""Has a run recorded: what its gateway was asked and answered, for somebody else to replay."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import gatepass
from gatepass.gateway import transport
from gatepass.gateway.recorder import Recorder
from gatepass.gateway.recording import Head
from gatepass.gateway.workspace import new_mark
from gatepass.inputs.order import Order
from gatepass.inputs.testbed import Testbed

OF_A_GATEWAY = (
    *("url", "vdom", "client_port", "server_port", "ssl_vpn_port"),
    *("may_restart", "may_fill_sessions"),
)
OF_A_HOST = (
    *("address", "address6", "direct_address", "direct_address6"),
    *("iperf3_port", "probe_port", "gateway_port"),
)
"""What a recording tells of a testbed: no file, no log-in, no command."""
_OF_THE_CUSTOMER = {"customer", "notes", "flows"}
"""What of an order says who it is for."""
_ANONYMOUS = "recorded"
_SOME_FLOW = {"from": "192.0.2.1", "to": "192.0.2.2", "service": "icmp", "expect": "pass"}
"""In the place of all flows: that there are some decides what the API user needs rights for."""


@contextmanager
def recorded(path: Path | None, order: Order, testbed: Testbed, profile: str) -> Iterator[None]:
    """Record for as long as the block lasts, and tell what became of it.

    Args:
        path: of the recording; None where nobody asked for one.
        order, testbed: of the run.
        profile: its name.

    Raises:
        InputError: the file cannot be made.
    """
    if path is None:
        yield
        return
    gateway = testbed.gateway
    secrets = [one.read() for one in (gateway.token, gateway.backup_passphrase) if one]
    recorder = Recorder(path, _head(order, testbed, profile), secrets)
    try:
        with transport.by(recorder):
            yield
    finally:
        print(recorder.close(), flush=True)


def _head(order: Order, testbed: Testbed, profile: str) -> Head:
    ordered = order.model_dump(
        mode="json", by_alias=True, exclude_unset=True, exclude=_OF_THE_CUSTOMER
    )
    flows = {"flows": [_SOME_FLOW]} if order.flows else {}
    endpoints = {
        name: host.model_dump(mode="json", exclude_none=True, include=set(OF_A_HOST))
        for name, host in testbed.endpoints.named.items()
    }
    reached = testbed.gateway.model_dump(mode="json", include=set(OF_A_GATEWAY))
    return Head(
        gatepass=gatepass.__version__,
        began=datetime.now(UTC).isoformat(timespec="seconds"),
        mark=new_mark(),
        profile=profile,
        order={"customer": _ANONYMOUS, **ordered, **flows},
        testbed={"testbed": testbed.testbed, "gateway": reached, "endpoints": endpoints},
    )

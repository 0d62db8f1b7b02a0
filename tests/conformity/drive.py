"""What a gateway of the lab declares, and what the suite would send to it, release by release."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import yaml

from gatepass.gateway import transport
from gatepass.gateway.fortigate import FortiGate
from gatepass.scenarios.rehearsal import rehearse

from .facts import DEFAULTS_OF, RELEASES, Facts
from .lab import attributes_in
from .lab import hold as hold_lab
from .mismatch import Found
from .suite import Exchange, recorded
from .suite import hold as hold_suite

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS), str(TESTS / "lab")]

from gateway_client import TOKEN, GatewayUnderTest  # noqa: E402

from order_examples import ORDER, PROFILE, TESTBED  # noqa: E402

HERE = Path(__file__).parent
DIFFERENCES: list[dict[str, str]] = yaml.safe_load((HERE / "differences.yaml").read_text())
CALLS = HERE / "calls.jsonl.gz"
"""What a whole run of the suite asked a gateway of the lab, each kind of call once."""
RECORDINGS = TESTS / "data" / "recordings"
_MARK = "gp0a1b2c"


@contextmanager
def a_gateway(release: str) -> Iterator[GatewayUnderTest]:
    """The lab's gateway of a release, as delivered, with a data plane that only remembers."""
    with tempfile.TemporaryDirectory() as folder:
        delivered = TESTS.parent / "lab" / "delivered.conf"
        gateway = GatewayUnderTest(Path(folder), release, delivered)
        try:
            yield gateway
        finally:
            gateway.stop()
            gateway.session.close()


def schemas(gateway: GatewayUnderTest, paths: Iterable[str]) -> dict[str, Mapping[str, Any]]:
    """What it declares of these tables, as far as it has them."""
    answers = {path: gateway.call("GET", f"cmdb/{path}?action=schema") for path in paths}
    return {path: one.json()["results"] for path, one in answers.items() if one.status_code == 200}


def sent_to(gateway: GatewayUnderTest) -> list[Exchange]:
    """What the suite asks and would write for an order with every chapter."""
    calls: list[Exchange] = []
    send = transport.call

    def noting(session: Any, method: str, url: str, timeout_s: float, **more: Any) -> Any:
        path, query = url.partition("/api/v2/")[2], more.get("params") or {}
        calls.append(Exchange(method, path, query, more.get("json")))
        return send(session, method, url, timeout_s, **more)

    client = FortiGate(gateway.url, TOKEN, gateway.folder / "tls" / "ca.pem")
    try:
        with mock.patch.object(transport, "call", noting):
            rehearsal = rehearse(client, ORDER, TESTBED, PROFILE, f"v{gateway.version}", _MARK)
    finally:
        client.close()
    return [*calls, *(Exchange("POST", f"cmdb/{path}", {}, row) for path, row in rehearsal.rows)]


def hold_all(facts: Facts) -> tuple[Found, Found]:
    """The lab's mismatches and the suite's, of all releases."""
    lab, suite = Found(), Found()
    for release in (*RELEASES, DEFAULTS_OF):
        with a_gateway(release) as gateway:
            for path, schema in schemas(gateway, facts.paths).items():
                lab.held += attributes_in(schema)
                lab.add(hold_lab(facts, release, path, schema), release)
            if release in RELEASES:
                calls = [*sent_to(gateway), *conversations(release)]
                suite.held += len(calls)
                suite.add(hold_suite(facts, release, calls), release)
    return lab, suite


def conversations(release: str) -> list[Exchange]:
    """What was recorded of runs of the suite with a gateway of this release."""
    found = [call for file in RECORDINGS.glob(f"*-{release}.jsonl.gz") for call in recorded(file)]
    return [*recorded(CALLS), *found] if release == "7.4.8" else found


def is_listed(table: str, attribute: str, kind: str) -> bool:
    """Whether a difference of the lab's is among those that do not matter."""
    return any(
        one["table"] == table and attribute in one["attributes"].split() and one["kind"] == kind
        for one in DIFFERENCES
    )

"""`./run.sh draft-flows`: flows for an order, drafted from a delivered configuration."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from gatepass.base import namespace
from gatepass.base.arguments import Parser
from gatepass.base.arguments import file as a_file
from gatepass.base.errors import InputError
from gatepass.gateway.answers import GatewayLost, Refused
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.identity import identify
from gatepass.gateway.policy_table import PolicyTable
from gatepass.gateway.routing import RoutingTable
from gatepass.gateway.workspace import connect
from gatepass.inputs import load_testbed
from gatepass.inputs.testbed import Testbed
from gatepass.scenarios.flows.draft import Delivered, as_yaml, draft
from gatepass.scenarios.leaks.ways import addresses_of

_HEAD = """\
# Drafted from the configuration of {host} ({serial}) on {day}.
# It says what the gateway is set to do, not what the customer wants: go through it line by line,
# take out what is wrong, and put the rest into the order.
"""
_TABLES = ("firewall/vip", "firewall/ippool", "firewall/ippool6")


def draft_flows(arguments: Sequence[str]) -> int:
    """Draft flows from a testbed's gateway, which is only read; exit code 0.

    Raises:
        InputError: the call or the testbed is wrong, or the gateway does not answer.
    """
    parser = Parser(
        prog="./run.sh draft-flows",
        description="Drafts an order's flows from the policies of a gateway as it is now, for a "
        "person to confirm. Nothing is changed and nothing is sent.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--testbed", metavar="FILE", type=a_file, required=True, help="where the gateway is"
    )
    parser.add_argument("--to", metavar="FILE", type=a_file, help="default: print it")
    args = parser.parse_args(arguments)
    testbed = load_testbed(args.testbed)
    testbed.gateway.must_have_secrets()
    try:
        with (
            namespace.inside(testbed.network_namespace, testbed.path),
            closing(connect(testbed)) as gateway,
        ):
            text = _drafted(gateway, testbed)
    except (GatewayLost, Refused) as lost:
        raise InputError(
            f"{testbed.path}, key 'gateway.url': the gateway's configuration cannot be read: "
            f"{lost} Check url, token and the rights of its API user."
        ) from None
    if args.to is None:
        print(text, end="")
    else:
        _write(args.to, text)
        print(f"Drafted flows: {args.to}")
    return 0


def _drafted(gateway: FortiGate, testbed: Testbed) -> str:
    ends, ports = testbed.endpoints, testbed.gateway
    interfaces = {str(row.get("name")): row for row in gateway.rows("system/interface")}
    behind = [ports.client_port, ports.server_port]
    behind += [ends.peer.gateway_port] if ends.peer else []
    identity = identify(gateway, testbed.gateway.host)
    delivered = Delivered(
        table=PolicyTable.read(gateway),
        routes=RoutingTable.read(gateway),
        addresses={name: addresses_of(row) for name, row in interfaces.items()},
        rows={path: gateway.rows_if_any(path) for path in _TABLES},
        ports=list(dict.fromkeys(behind)),
        taken=frozenset(
            address for host in ends.named.values()
            for address in (host.address, host.address6) if address
        ),
        central_nat=any(
            row.get("central-nat") == "enable" for row in gateway.rows_if_any("system/settings")
        ),
    )
    head = _HEAD.format(
        host=identity.hostname, serial=identity.serial, day=datetime.now(UTC).date().isoformat()
    )
    return head + as_yaml(draft(delivered))


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise InputError(f"--to {path}: there is such a file. Name another one.") from None
    except OSError as error:
        raise InputError(
            f"--to {path}: it cannot be written: {error.strerror}. Name a place that can be."
        ) from None

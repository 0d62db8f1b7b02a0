"""``./run.sh doctor``: what keeps a testbed from proving something, before the first run."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict

from gatepass.base import namespace
from gatepass.base.arguments import Parser
from gatepass.base.arguments import file as a_file
from gatepass.base.errors import InputError
from gatepass.base.paths import ROOT, VARIABLES
from gatepass.doctor import screen, setup
from gatepass.doctor.examination import Examination, examine
from gatepass.doctor.outlook import Outlook, outlooks
from gatepass.inputs import load_catalogue, load_order, load_profile, load_testbed
from gatepass.inputs.scope import Scope

FINE, KEPT = 0, 2
_ANY_ORDER = ROOT / "variables" / "orders" / "lab.yaml"
"""Whose options an order has where none is named."""


def doctor(arguments: Sequence[str]) -> int:
    """Do what the call says; 0 where all is fine, 2 where something keeps checks from being proven.

    Raises:
        InputError: a mistake in the call or in a file.
    """
    args = _arguments(arguments)
    catalogue = load_catalogue(VARIABLES / "service_catalogue.yaml")
    order = load_order(args.order, catalogue) if args.order else None
    scope = Scope(load_testbed(args.testbed), order)
    with namespace.inside(scope.testbed.network_namespace, scope.testbed.path):
        if args.print_setup:
            return _print_setup(scope)
        scope.testbed.gateway.must_have_secrets()
        profile = load_profile(VARIABLES / "profiles.yaml", args.profile)
        made = examine(scope, profile)
    any_order = order or load_order(_ANY_ORDER, catalogue)
    tiers = [order.tier] if order else catalogue.tiers
    orders = [any_order.of_tier(tier, catalogue) for tier in tiers]
    found = outlooks(made.scope, orders, made.findings, made.speeds, profile)
    print(_as_json(made, found) if args.json else screen.page(made, found, profile.name))
    return FINE if made.is_fine else KEPT


def _arguments(arguments: Sequence[str]) -> Namespace:
    parser = Parser(
        prog="./run.sh doctor",
        description="Tells within seconds what keeps a testbed from proving something: rights of "
        "the API user, settings and licences of the gateway, programs, links and clocks of the "
        "endpoints. Nothing stays changed. Exit code 0: all is fine; 2: something is to be mended.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--testbed", metavar="FILE", type=a_file, required=True, help="where it is tested"
    )
    parser.add_argument(
        "--order", metavar="FILE", type=a_file, help="look for what this order takes, and no more"
    )
    parser.add_argument(
        "--profile", metavar="NAME", help="of which times are told (default: quick)"
    )
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument(
        "--print-setup",
        action="store_true",
        help="print the FortiOS commands that make the API user with the rights the order needs",
    )
    args = parser.parse_args(list(arguments))
    if args.print_setup and args.order is None:
        raise InputError(
            "--print-setup needs --order FILE: which rights the API user gets depends on what was "
            "ordered."
        )
    return args


def _print_setup(scope: Scope) -> int:
    """The commands on standard output, what to know about them beside it."""
    address = setup.own_address(scope.testbed.gateway)
    print("\n".join(setup.block(scope, address)))
    print(setup.remarks(scope, address), file=sys.stderr)
    return FINE


def _as_json(made: Examination, tiers: Sequence[Outlook]) -> str:
    document = {
        "testbed": made.scope.testbed.testbed,
        "order": made.scope.order.order if made.scope.order else None,
        "gateway": asdict(made.identity) if made.identity else None,
        "fine": made.is_fine,
        "findings": [
            asdict(finding) | {"mark": screen.mark(finding)} for finding in made.findings
        ],
        "tiers": [asdict(one) for one in tiers],
    }
    return json.dumps(document, ensure_ascii=False, indent=2)

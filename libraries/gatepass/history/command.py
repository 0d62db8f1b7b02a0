"""``./run.sh history``: what was measured run by run, of one gateway or of a fleet."""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from gatepass.base import paths
from gatepass.base.arguments import Parser, file
from gatepass.base.errors import InputError
from gatepass.history import as_json, prometheus, series, store
from gatepass.history.checks import checks
from gatepass.history.fleet import AcrossGateways, across_gateways
from gatepass.history.gateway import GatewayHistory, gateway_history
from gatepass.history.selection import Selection, day
from gatepass.history.series import RecordedRun
from gatepass.history.tables import TextPage
from gatepass.report import results_json as results
from gatepass.results.outcome import ManyRuns, read_digested

_EPILOG = """\
without an option: all gateways of the record, or the only one
with --tier: the fleet, each gateway's latest figures beside the fleet's median

examples
  ./run.sh history --gateway FGVM02TM24001234 --since 2026-01-01
  ./run.sh history --tier SGW-200 --version 7.4
  ./run.sh history --gateway FGVM02TM24001234 --promise "security services" --json
  ./run.sh history --add results/*/output.xml results/fleet-*/orders/*/output.xml
"""


def history(arguments: list[str]) -> int:
    """Do what the call says.

    Raises:
        InputError: a mistake in the call, or a record or a file that cannot be used.
    """
    args = _parser().parse_args(arguments)
    try:
        if args.add is not None:
            return _add(args.file, args.add)
        wanted = Selection(
            *(args.gateway, args.tier, args.version, args.promise),
            None if args.since is None else day(args.since),
        )
        with store.opened(args.file) as connection:
            if args.prometheus:
                return _prometheus(connection, wanted, args.prometheus)
            return _show(connection, wanted, args.json)
    except store.HistoryTrouble as trouble:
        raise InputError(str(trouble)) from None


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="./run.sh history",
        description="Shows what was measured run by run, and points out what changed by more than "
        "the runs differ by anyway.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--gateway", metavar="SERIAL", help="of one gateway, by serial number")
    parser.add_argument("--tier", help="the fleet of this tier; with --gateway: its runs as that")
    parser.add_argument("--version", help="of FortiOS, or its beginning: 7.4 for all of 7.4")
    parser.add_argument("--promise", metavar="TEXT", help="only figures with this in their name")
    parser.add_argument("--since", metavar="DAY", help="only runs from this day on: 2026-11-21")
    parser.add_argument("--json", action="store_true", help="for a program; see docs/history.md")
    parser.add_argument(
        "--prometheus",
        metavar="FILE.prom",
        type=file,
        help="write each gateway's last verdict and margins for node_exporter",
    )
    parser.add_argument(
        "--add", nargs="+", metavar="OUTPUT.XML", type=file, help="add runs again, then end"
    )
    parser.add_argument(
        "--file", type=file, default=paths.HISTORY, help=f"the record; default {paths.HISTORY}"
    )
    return parser


def _add(record: Path, outputs: Sequence[Path]) -> int:
    read = []
    for output in outputs:
        try:
            read.append((results.document(*read_digested(output)), output))
        except ManyRuns as merged:
            print(f"Left out: {merged}")
    for document, output in read:
        print(f"{store.add(record, document, output)}: {document['verdict']}")
    return 0


def _prometheus(connection: sqlite3.Connection, wanted: Selection, target: Path) -> int:
    prometheus.write(_gateways(connection, wanted, _chosen(connection, wanted)), target)
    print(target)
    return 0


def _chosen(connection: sqlite3.Connection, wanted: Selection) -> list[RecordedRun]:
    chosen = wanted.runs(series.runs(connection))
    if not chosen:
        raise InputError("no run is in the record. Each run is added to it at its end.")
    return chosen


def _gateways(
    connection: sqlite3.Connection, wanted: Selection, chosen: list[RecordedRun]
) -> list[GatewayHistory]:
    return [
        _gateway(connection, wanted, [run for run in chosen if run.serial == serial])
        for serial in dict.fromkeys(run.serial for run in chosen)
    ]


def _show(connection: sqlite3.Connection, wanted: Selection, for_program: bool) -> int:
    chosen = _chosen(connection, wanted)
    if wanted.tier and not wanted.gateway:
        return _fleets(connection, wanted, chosen, for_program)
    gateways = _gateways(connection, wanted, chosen)
    if for_program:
        _print([as_json.gateway(one) for one in gateways])
    elif len(gateways) == 1:
        TextPage().gateway(gateways[0])
    else:
        TextPage().overview(gateways)
    return 0


def _gateway(
    connection: sqlite3.Connection, wanted: Selection, runs: list[RecordedRun]
) -> GatewayHistory:
    found = wanted.series(series.series(connection, runs))
    return gateway_history(runs[0].serial, runs, found, checks(connection, runs))


def _fleets(
    connection: sqlite3.Connection, wanted: Selection, chosen: list[RecordedRun], for_program: bool
) -> int:
    """A fleet for each version that gateways of the tier have now."""
    last = {run.serial: run for run in chosen if run.serial}
    rows = []
    for version in dict.fromkeys(run.version for run in last.values()):
        own = {serial: run for serial, run in last.items() if run.version == version}
        figures = _figures(connection, wanted, own, chosen)
        rows.append((last[next(iter(own))].tier, version, own, figures))
    if not rows:
        raise InputError(f"--tier {wanted.tier}: no gateway of this tier was ever reached.")
    if for_program:
        _print([as_json.fleet(*one) for one in rows])
        return 0
    page = TextPage()
    for tier, version, own, figures in rows:
        page.fleet(f"Gateways of {tier} with FortiOS {version}", own, figures)
    return 0


def _figures(
    connection: sqlite3.Connection,
    wanted: Selection,
    own: dict[str, RecordedRun],
    chosen: list[RecordedRun],
) -> list[AcrossGateways]:
    """The figures of these gateways with the version that they have now."""
    fleet = []
    for serial, last in own.items():
        runs = [run for run in chosen if (run.serial, run.version) == (serial, last.version)]
        fleet.append((serial, wanted.series(series.series(connection, runs))))
    return across_gateways(fleet)


def _print(document: object) -> None:
    print(json.dumps(document, ensure_ascii=False, indent=2))

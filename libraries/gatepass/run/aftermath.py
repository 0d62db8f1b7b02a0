"""What is kept of an ended run beside its certificate: files for programs, and the record.

Nothing here may cost a run its verdict: what cannot be written is told in a sentence.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from gatepass.base.errors import InputError
from gatepass.history import store
from gatepass.history.gateway import GatewayHistory, gateway_history
from gatepass.history.series import runs, series
from gatepass.proof import signing_key, timestamp
from gatepass.proof.attestation import attest
from gatepass.proof.folder import seal
from gatepass.report import results_json as results
from gatepass.report import robot_report, xunit
from gatepass.report import trials_csv as trials_table
from gatepass.results.outcome import Outcome

_LATER = "./run.sh sign {folder} --key FILE signs it"


def keep(outcome: Outcome, digest: str, output: Path, record: Path) -> str:
    """Write the files beside ``output.xml`` and add the run to the record.

    Args:
        outcome: of the run.
        digest: SHA-256 of its ``output.xml``.
        output: that file.
        record: the record.

    Returns:
        What changed since the gateway's run before, in a line for the closing box; empty where
        nothing did.
    """
    document = results.document(outcome, digest)
    try:
        results.write(document, output.parent)
        trials_table.write(document, output.parent)
        xunit.write(outcome, output.parent)
    except OSError as error:
        files = "results.json, trials.csv and xunit.xml"
        _warn(f"{files} cannot be written in {output.parent}: {error.strerror}")
    try:
        run = store.add(record, document, output)
        return _changed(record, run, document["gateway"].get("serial"))
    except store.HistoryTrouble as trouble:
        _warn(f"the run is not in the record. {str(trouble).rstrip('.')}")
    except Exception as error:  # the verdict is told all the same
        _warn(f"the record is not in order ({type(error).__name__}: {error})")
    return ""


def seal_and_sign(folder: Path, outcome: Outcome, shown: Outcome) -> str:
    """Finish Robot's report, seal what the run has left, and sign that at once.

    From here on a change shows.

    Args:
        folder: of the run.
        outcome: of the run.
        shown: what Robot's report and log begin with; of a study its own part.

    Returns:
        Who has signed and stamped, in a line for the closing box; empty where nobody has.
    """
    try:
        robot_report.finish(folder, shown.verdict, robot_report.gravest_first(shown))
    except (OSError, ValueError) as error:
        _warn(f"Robot's report and log stay as Robot wrote them: {error}")
    try:
        seal(folder)
    except OSError as error:
        _warn(f"the run cannot be sealed in {folder}: {error.strerror}")
        return ""
    return ", ".join(filter(None, (_signed(folder, outcome), _stamped(folder))))


def _signed(folder: Path, outcome: Outcome) -> str:
    try:
        key = signing_key.of_the_run()
        return f"with the key {attest(folder, outcome, key).key}" if key else ""
    except InputError as error:
        _warn(f"the run is not signed: {error} {_LATER.format(folder=folder)}")
    except OSError as error:
        _warn(f"the run is not signed: {error.strerror}. {_LATER.format(folder=folder)}")
    return ""


def _stamped(folder: Path) -> str:
    authority = os.environ.get(timestamp.AUTHORITY)
    if not authority:
        return ""
    try:
        timestamp.stamp(folder, authority, timestamp.AUTHORITY)
        return f"stamped {timestamp.look(folder, None)}"
    except InputError as error:
        _warn(f"the run bears no time stamp: {str(error).rstrip('.')}")
    except (OSError, timestamp.NotStamped) as error:
        _warn(f"the run bears no time stamp: {error}")
    return ""


def _changed(record: Path, run: str, serial: str | None) -> str:
    if not serial:
        return ""
    with store.opened(record) as connection:
        own = [one for one in runs(connection) if one.serial == serial]
        history = gateway_history(serial, own, series(connection, own))
    return _line(history, run)


def _line(history: GatewayHistory, run: str) -> str:
    of_run = [since for since in history.since if since.run.run == run]
    changed = [change for since in of_run for change in since.changes]
    if not changed:
        return ""
    figures = f"{len(changed)} figure{'' if len(changed) == 1 else 's'}"
    return f"{figures} changed since the run before: ./run.sh history --gateway {history.serial}"


def _warn(sentence: str) -> None:
    print(f"Gatepass: {sentence}.", file=sys.stderr)

"""The SQLite file: what is in it, and how runs get into it.

Several runs may add to it at the same time. It holds nothing that the runs' ``output.xml`` do not
tell, so a lost or damaged file can be made again with ``./run.sh history --add``.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from gatepass.results import schema1

APPLICATION = 0x47504153
"""What SQLite's application_id of a record is: "GPAS"."""
PATIENCE_S = 30.0
"""How long to wait for another run that writes."""

# Each brings the file from its place in the list to the next version; never changed once released.
MIGRATIONS = (
    """
    CREATE TABLE runs (
        run TEXT PRIMARY KEY,        -- its id, the name of its folder
        started TEXT,                -- ISO 8601 with the zone
        started_s REAL,              -- the same in seconds since 1970, to sort by
        duration_s REAL NOT NULL,
        verdict TEXT NOT NULL,
        reasons TEXT NOT NULL,       -- JSON, a list
        order_name TEXT,
        customer TEXT,
        tier TEXT,
        serial TEXT,
        version TEXT,
        profile TEXT,
        facts TEXT NOT NULL,         -- JSON: what figures may differ by, see `facts_of`
        output TEXT NOT NULL,        -- where its output.xml lay when it was added
        output_sha256 TEXT NOT NULL
    );
    CREATE INDEX runs_of_a_gateway ON runs (serial, started_s);
    CREATE TABLE checks (
        run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
        position INTEGER NOT NULL,
        chapter TEXT NOT NULL,
        name TEXT NOT NULL,
        verdict TEXT NOT NULL,
        PRIMARY KEY (run, position)
    ) WITHOUT ROWID;
    CREATE TABLE measurements (
        run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
        position INTEGER NOT NULL,   -- in the run
        check_position INTEGER NOT NULL,
        promise TEXT NOT NULL,
        conditions TEXT NOT NULL,
        value REAL NOT NULL,
        unit TEXT NOT NULL,
        layer TEXT NOT NULL,
        half_width REAL,
        confidence REAL NOT NULL,
        threshold REAL,
        relation TEXT NOT NULL,
        trials TEXT NOT NULL,        -- JSON, a list
        PRIMARY KEY (run, position)
    ) WITHOUT ROWID;
    """,
    # promises by identity and conditions as phrases, where English sentences stood
    """
    UPDATE measurements
        SET promise = promise_of(promise), conditions = phrase_of(conditions);
    """,
)


class HistoryTrouble(Exception):
    """The record cannot be used; the message is the whole sentence for the user."""


@contextmanager
def opened(path: Path, write: bool = False) -> Iterator[sqlite3.Connection]:
    """The record, brought to this version's schema where it is written to.

    Args:
        path: of the SQLite file; it is made where it is not there and written to.
        write: whether something is to be added.

    Raises:
        HistoryTrouble: there is none, it is damaged, another program's, or a newer Gatepass's.
    """
    try:
        with closing(_connect(path, write)) as connection:
            _check(connection, path, write)
            yield connection
    except sqlite3.Error as error:
        raise HistoryTrouble(_sentence(path, str(error))) from error


def add(path: Path, document: dict[str, Any], output: Path) -> str:
    """Add a run; one that is there already is replaced.

    Args:
        path: of the record.
        document: the document of the run (see `gatepass.report.results_json`).
        output: where its ``output.xml`` lies.

    Returns:
        Its name in the record; see `name_of`.

    Raises:
        HistoryTrouble: the record cannot be written, or the run has no id.
    """
    if not document["run"]["id"]:
        raise HistoryTrouble(
            f"{output}: the run ended before it knew its own name, so it has no place in the "
            "record."
        )
    with opened(path, write=True) as connection, connection:
        connection.execute("BEGIN IMMEDIATE")
        run = name_of(connection, document)
        connection.execute("DELETE FROM runs WHERE run = ?", (run,))
        _insert(connection, "runs", {**_run(document, output), "run": run})
        position = 0
        for number, check in enumerate(document["checks"]):
            names = ("chapter", "name", "verdict")
            row = {"run": run, "position": number, **{name: check[name] for name in names}}
            _insert(connection, "checks", row)
            for measurement in check["measurements"]:
                if measurement["value"] is None:
                    continue
                row = {"run": run, "position": position, "check_position": number}
                _insert(connection, "measurements", row | _measurement(measurement))
                position += 1
    return run


def name_of(connection: sqlite3.Connection, document: dict[str, Any]) -> str:
    """The name under which a record has a run, or would have it.

    It is that of the run's folder. Runs that begin in the same second below several folders may
    have the same: where another gateway's run is there already, the serial number, or the
    beginning of the digest of ``output.xml`` where none is known, stands behind it.
    """
    name, own = document["run"]["id"], _identity(_run(document, Path()))
    longer = f"{name} {own}"
    found = "SELECT run, serial, output_sha256 FROM runs WHERE run IN (?, ?)"
    known = {row["run"]: _identity(row) for row in connection.execute(found, (name, longer))}
    return next((run for run in known if known[run] == own), longer if name in known else name)


def facts_of(document: dict[str, Any]) -> dict[str, Any]:
    """What the figures of two runs may differ by, from the document of a run."""
    gateway, profile = document["gateway"], document["profile"]
    return {
        "gateway": {
            key: gateway.get(key)
            for key in ("model", "version", "build", "licence", "vcpus", "memory_mb")
        },
        "gateway_settings": document["gateway_settings"],
        "tier": document["order"].get("tier"),
        "inspection_mode": document["order"].get("inspection_mode"),
        "testbed": document["testbed"].get("name"),
        "endpoints": {
            name: {key: facts.get(key) for key in ("kernel", "iperf3", "cpus")}
            for name, facts in document["endpoints"].items()
        },
        "profile": {key: profile.get(key) for key in ("name", "trial_s", "streams")},
        "gatepass": document["run"]["gatepass"],
    }


def _run(document: dict[str, Any], output: Path) -> dict[str, Any]:
    run, order, gateway = document["run"], document["order"], document["gateway"]
    return {
        "run": run["id"],
        "started": run["started"],
        "started_s": seconds(run["started"]),
        "duration_s": run["duration_s"],
        "verdict": document["verdict"],
        "reasons": _json(document["reasons"]),
        "order_name": order.get("order"),
        "customer": order.get("customer"),
        "tier": order.get("tier"),
        "serial": gateway.get("serial"),
        "version": gateway.get("version"),
        "profile": document["profile"].get("name"),
        "facts": _json(facts_of(document)),
        "output": str(output.resolve()),
        "output_sha256": run["output_sha256"],
    }


def _identity(row: Mapping[str, Any] | sqlite3.Row) -> str:
    return str(row["serial"] or row["output_sha256"][:12])


def _measurement(measurement: dict[str, Any]) -> dict[str, Any]:
    names = ("value", "unit", "layer", "half_width", "confidence", "threshold", "relation")
    row = {name: measurement[name] for name in names}
    identity = measurement["identity"]
    row |= {"promise": identity["promise"], "conditions": _json(identity["conditions"])}
    return row | {"trials": _json([trial for trial in measurement["trials"] if trial is not None])}


def seconds(iso: str | None) -> float | None:
    """An ISO 8601 time with its zone in seconds since 1970; None where it is none."""
    try:
        return datetime.fromisoformat(str(iso)).timestamp()
    except ValueError:
        return None


def _insert(connection: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    places = ", ".join("?" for _ in row)
    values = tuple(row.values())
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", values)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _connect(path: Path, write: bool) -> sqlite3.Connection:
    if not write and not os.path.exists(path):  # also where its folder may not be looked into
        raise HistoryTrouble(
            f"{path}: there is no record. Each run is added to it at its end; add older ones "
            "with ./run.sh history --add results/*/output.xml."
        )
    # isolation_level None: transactions begin where they are said to
    connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _check(connection: sqlite3.Connection, path: Path, write: bool) -> None:
    """See that the file is a record, and bring an older one to this version."""
    application, version, tables = _marks(connection)
    if application != APPLICATION and (application or version or tables):
        raise HistoryTrouble(
            f"{path}: this SQLite file is another program's and no record of Gatepass. Move it "
            "away, or name another file in GATEPASS_HISTORY."
        )
    if version > len(MIGRATIONS):
        raise HistoryTrouble(
            f"{path}: a newer Gatepass has made this record (schema {version}; this one knows "
            f"{len(MIGRATIONS)}). Use that Gatepass, or name another file in GATEPASS_HISTORY."
        )
    if not (write or tables):
        raise HistoryTrouble(f"{path}: this file is empty and no record. Name another with --file.")
    if version < len(MIGRATIONS):
        _migrate(connection)


def _marks(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Whose file it is, its schema's number and its tables, all of one moment.

    Another run may be making the record just now: read one by one, the marks could be from
    before and from after it.
    """
    connection.execute("BEGIN")
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    finally:
        connection.execute("ROLLBACK")
    return application, version, tables


def _migrate(connection: sqlite3.Connection) -> None:
    """All steps in one transaction; another run may have been faster."""
    _write_ahead(connection)
    connection.create_function("promise_of", 1, schema1.promise)
    connection.create_function("phrase_of", 1, lambda text: _json(schema1.phrase(text, "words")))
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for migration in MIGRATIONS[version:]:
            for statement in filter(str.strip, migration.split(";")):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Readers and a writer side by side. SQLite does not wait for this by itself."""
    give_up = time.monotonic() + PATIENCE_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise
            time.sleep(0.05)


def _sentence(path: Path, why: str) -> str:
    """What is wrong with the file, and what to do."""
    if "locked" in why:
        return f"{path}: another program holds the record locked. Try again when it has ended."
    if any(words in why for words in ("unable to open", "readonly", "disk I/O", "full")):
        return (
            f"{path}: the record cannot be opened or written ({why}). Look at its folder's rights "
            "and room, or name another file in GATEPASS_HISTORY."
        )
    return (
        f"{path}: this file is no record of Gatepass, or a damaged one ({why}). Move it away and "
        "make it again with ./run.sh history --add results/*/output.xml."
    )

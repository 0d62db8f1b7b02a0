"""`/api/v2/cmdb`: the configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from lab.gateway.access import READ, WRITE
from lab.gateway.call import Call
from lab.gateway.cmdb.database import Database
from lab.gateway.cmdb.editor import Editor, Location
from lab.gateway.cmdb.query import Query
from lab.gateway.cmdb.rows import Key, encoded, find_child, masked
from lab.gateway.errors import PERMISSION_DENIED, CmdbError, malformed, not_found
from lab.gateway.faults import Faults
from lab.gateway.identity import Identity
from lab.gateway.rest.envelope import VDOM, Answer, error_fields, revision, to_json, with_results
from lab.gateway.rest.unknown_choice import must_be_known, without_choice
from lab.gateway.schema.model import Table
from lab.gateway.schema.show import default_of, schema_of

if TYPE_CHECKING:
    from lab.gateway.device import Device

DEFAULT_TIMEOUT = 60.0
LONGEST_TIMEOUT = 3600.0


class Cmdb:
    """Serves the calls of the configuration.

    Args:
        device: whose configuration it is.
    """

    def __init__(self, device: Device) -> None:
        self._device = device
        self._database = device.database

    def answer(self, call: Call) -> Answer:
        """Serve one call."""
        if len(call.parts) == 1:
            return self._whole_call(call)
        return _Request(self._database, self._device.identity, self._device.faults, call).answer()

    def _whole_call(self, call: Call) -> Answer:
        """A call about the configuration as a whole: its transactions, and what tables it has."""
        fields: dict[str, Any] = {"http_method": call.method}
        status, error = 200, None
        try:
            fields |= self._run_whole_call(call)
        except CmdbError as caught:
            status, error = caught.http_status, caught
            fields |= error_fields(caught)
        fields |= {"vdom": VDOM, "action": call.parameter("action") or "",
                   "status": "error" if error else "success", "http_status": status}
        return Answer(status, to_json(fields | self._device.identity.signature()))

    def _run_whole_call(self, call: Call) -> dict[str, Any]:
        action, database = call.parameter("action"), self._database
        if action == "schema" and call.method == "GET":
            return {"results": [schema_of(table) for table in database.tables.values()]}
        if action == "transaction-list" and call.method == "GET":
            return {"results": [{"transaction-id": t.number, "user": t.owner,
                                 "timeout": int(t.timeout)}
                                for t in database.open_transactions()]}
        if call.method != "POST" or action not in (
                "transaction-start", "transaction-commit", "transaction-abort"):
            raise CmdbError(-1, "There is no such action of the configuration.", 405)
        if not call.caller.may("sysgrp.cfg", WRITE):
            raise CmdbError(PERMISSION_DENIED, "Permission denied.", 403)
        body = call.body()
        if action == "transaction-start":
            timeout = body.get("timeout", DEFAULT_TIMEOUT)
            if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not (
                    0 < timeout <= LONGEST_TIMEOUT):
                raise malformed(f"The timeout must be 1 to {LONGEST_TIMEOUT:.0f} s.")
            started = database.start(call.caller.name, float(timeout))
            return {"results": {"transaction-id": started.number}}
        number = body.get("transaction-id", call.transaction)
        transaction = database.transaction(number, call.caller.name)
        if action == "transaction-commit":
            database.commit(transaction)
        else:
            database.abort(transaction)
        return {"results": {"transaction-id": transaction.number}}


class _Request:
    """One call on a table, row or child."""

    def __init__(self, database: Database, identity: Identity, faults: Faults,
                 call: Call) -> None:
        self._database = database
        self._identity = identity
        self._faults = faults
        self._call = call
        parts = call.parts[1:]
        self._path, self._name = parts[0], parts[1] if len(parts) > 1 else ""
        self._place = _place(database.tables, f"{self._path}/{self._name}", parts[2:])
        self._mkey: Key | None = self._place.key

    def answer(self) -> Answer:
        call = self._call
        if not self._is_global:
            vdom = call.parameter("vdom")
            if vdom not in (None, "", VDOM):
                return self._failed(
                    CmdbError(PERMISSION_DENIED, f"There is no access to vdom '{vdom}'.", 403))
        try:
            table = self._database.tables.get(self._place.path)
            if table is None:
                raise not_found(self._place.path)
            if not call.caller.may(table.access, WRITE if call.is_write else READ):
                raise CmdbError(PERMISSION_DENIED, "Permission denied.", 403)
            if call.method == "GET":
                return self._wrapped(Answer(200, self._get(table)))
            return self._write(table)
        except CmdbError as error:
            return self._failed(error)

    @property
    def _is_global(self) -> bool:
        return self._call.parameter("vdom") == "*" or self._call.parameter("global") == "1"

    def _wrapped(self, answer: Answer) -> Answer:
        """`global=1` and `vdom=*` answer a list with one envelope a virtual domain."""
        if not self._is_global:
            return answer
        return Answer(answer.status, b"[" + answer.body + b"]")

    def _revision(self) -> str:
        number = self._database.state.revisions.get(self._place.path, 0)
        return revision(self._identity, self._place.path, number)

    def _tail(self, status: int) -> dict[str, Any]:
        fields: dict[str, Any] = {"vdom": VDOM, "path": self._path, "name": self._name}
        if self._mkey is not None:
            fields["mkey"] = self._mkey if isinstance(self._mkey, int) else str(self._mkey)
        fields["action"] = self._call.parameter("action") or ""
        fields["status"] = "success" if status == 200 else "error"
        fields["http_status"] = status
        return fields | self._identity.signature()

    def _failed(self, error: CmdbError) -> Answer:
        fields: dict[str, Any] = {"http_method": self._call.method, "revision": self._revision()}
        if self._call.is_write:
            fields["revision_changed"] = False
        fields |= error_fields(error) | self._tail(error.http_status)
        return self._wrapped(Answer(error.http_status, to_json(fields)))

    def _get(self, table: Table) -> bytes:
        call, place = self._call, self._place
        head: dict[str, Any] = {"http_method": "GET"}
        action = call.parameter("action")
        if action in ("schema", "default"):
            table = _declared(table, place)
            results = default_of(table)
            if action == "schema":
                results = without_choice(self._faults, place.path, schema_of(table))
            return to_json(head | {"revision": self._revision(), "results": results}
                           | self._tail(200))
        if action not in (None, "", "select"):
            raise malformed(f"There is no action '{action}' for GET.")
        query = Query.parse(call.query.get("filter", []), call.parameter("format"),
                            call.parameter("start"), call.parameter("count"),
                            call.query.get("sort", []))
        editor = self._reader()
        if place.key is None and not place.steps and table.mkey is not None:
            return self._listed(table, list(editor.state.rows[place.path].values()), query, head)
        root, key, row = editor.row(place.path, place.key)
        self._mkey = key if root.mkey is not None else None
        if not place.steps:
            if root.mkey is None:
                results = query.cut(root, masked(root, row))
                return to_json(head | {"revision": self._revision(), "results": results}
                               | self._tail(200))
            return self._listed(root, [row], query, head)
        child, value = find_child(root, row, place.steps)
        rows = value if isinstance(value, list) else [value]
        shown = [query.cut(child, masked(child, r)) for r in query.page(query.matching(rows))]
        results = shown[0] if child.mkey is None else shown
        return to_json(head | {"revision": self._revision(), "results": results} | self._tail(200))

    def _listed(self, table: Table, rows: list[Any], query: Query, head: dict[str, Any]) -> bytes:
        matching = query.matching(rows)
        page = query.page(matching)
        if query.keeps_rows_whole:
            shown = [encoded(table, row) for row in page]
        else:
            shown = [to_json(query.cut(table, masked(table, row))) for row in page]
        head |= {"size": len(rows), "limit_reached": len(page) < len(matching) - query.start,
                 "matched_count": len(matching), "next_idx": query.start + max(0, len(page) - 1),
                 "revision": self._revision()}
        return with_results(head, shown, self._tail(200))

    def _reader(self) -> Editor:
        if self._call.transaction is not None:
            return self._database.transaction(
                self._call.transaction, self._call.caller.name).recorder.editor
        return self._database.editor()

    def _write(self, table: Table) -> Answer:
        old = self._revision()
        place = self._place
        self._database.must_be_free(place.path, place.key, self._call.transaction)
        if self._call.transaction is not None:
            transaction = self._database.transaction(self._call.transaction,
                                                     self._call.caller.name)
            self._change(transaction.recorder, table)
        else:
            with self._database.change() as editor:
                self._change(editor, table)
        new = self._revision()
        fields: dict[str, Any] = {"http_method": self._call.method, "revision": new,
                                  "revision_changed": new != old, "old_revision": old}
        return self._wrapped(Answer(200, to_json(fields | self._tail(200))))

    def _change(self, editor: Any, table: Table) -> None:
        changes: Mapping[str, Callable[[Any, Table], Key | None]] = {
            "POST": self._post, "PUT": self._put, "DELETE": self._delete}
        change = changes.get(self._call.method)
        if change is None:
            raise CmdbError(-1, "The method is not allowed here.", 405)
        if self._call.method != "DELETE" and not self._call.parameter("action"):
            must_be_known(self._faults, self._place.path, self._call.body())
        self._mkey = change(editor, table)

    def _post(self, editor: Any, table: Table) -> Key:
        action = self._call.parameter("action")
        if action == "clone":
            return self._clone(editor)
        if action not in (None, ""):
            raise malformed(f"There is no action '{action}' for POST.")
        names_row = self._place.steps[-1][1] if self._place.steps else self._place.key
        if names_row is not None or (table.mkey is None and not self._place.steps):
            raise CmdbError(-1, "POST is not allowed on an object; use PUT.", 405)
        return editor.create(self._place, self._call.body())

    def _clone(self, editor: Any) -> Key:
        new_key = self._call.parameter("nkey")
        if self._place.key is None or new_key is None:
            raise malformed("A clone needs the object's key in the path and a new one in nkey.")
        return editor.clone(self._place, new_key)

    def _put(self, editor: Any, table: Table) -> Key | None:
        action = self._call.parameter("action")
        if action == "move":
            return self._move(editor)
        if action == "clone":
            return self._clone(editor)
        if action not in (None, ""):
            raise malformed(f"There is no action '{action}' for PUT.")
        if self._place.key is None and table.mkey is not None:
            raise CmdbError(-1, "PUT needs the key of an object in the path.", 405)
        key = editor.update(self._place, self._call.body())
        return key if table.mkey is not None else None

    def _move(self, editor: Any) -> Key | None:
        before, after = self._call.parameter("before"), self._call.parameter("after")
        neighbour = after if before is None else before
        if self._place.key is None or neighbour is None or (before is None) == (after is None):
            raise malformed("A move needs the object's key in the path and one of before, after.")
        editor.move(self._place, neighbour, after is not None)
        return self._place.key

    def _delete(self, editor: Any, table: Table) -> Key | None:
        if table.mkey is None and not self._place.steps:
            raise CmdbError(-1, f"{table.path} cannot be deleted.", 405)
        if self._place.key is not None:
            editor.row(self._place.path, self._place.key)
        if not self._faults.ignores_delete(self._call.path):
            editor.delete(self._place)
        return self._place.key


def _place(tables: Mapping[str, Table], path: str, rest: tuple[str, ...]) -> Location:
    """Where a path leads: key, child table, key of the child, and so on inwards."""
    table = tables.get(path)
    if table is None:
        return Location(path)
    words = list(rest)
    if words and words[-1] == "select":
        words.pop()
    key = words.pop(0) if words and table.mkey is not None else None
    steps: list[tuple[str, Key | None]] = []
    while words:
        name = words.pop(0)
        attribute = table.attributes.get(name)
        child = attribute.child if attribute is not None else None
        has_key = child is None or child.mkey is not None
        steps.append((name, words.pop(0) if words and has_key else None))
        table = child or table
    return Location(path, key, tuple(steps))


def _declared(table: Table, place: Location) -> Table:
    """The declaration of what a path leads to."""
    for name, _ in place.steps:
        attribute = table.attributes.get(name)
        if attribute is None or attribute.child is None:
            raise not_found(f"{name} of {table.path}")
        table = attribute.child
    return table

"""Changes to the customer's gateway that can all be undone.

Every object carries the run's mark and stands in the journal before it is created (see `undo`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from gatepass.gateway.answers import TABLE_FULL, Malformed
from gatepass.gateway.cli_script import NotInOneLine, cli_path, quoted, setting
from gatepass.gateway.config_objects import MARKED, hardware_address
from gatepass.gateway.fortigate import DUPLICATE, FortiGate, Refused
from gatepass.gateway.journal import Journal
from gatepass.gateway.tables import mkey_of

_SCRIPT_FROM = 20  # below this many rows, single calls are quicker than a script and its check

SECRETS = frozenset({"passwd", "psksecret"})
"""Attributes that a device never shows again as they were told; no script file holds them."""


class Changes:
    """The changes of one run.

    Args:
        gateway: the device.
        journal: of the run, open.
        mark: the run's mark, at most 12 characters; each name starts with it.
    """

    def __init__(self, gateway: FortiGate, journal: Journal, mark: str) -> None:
        self.gateway = gateway
        self.journal = journal
        self.mark = mark

    def name(self, what: str) -> str:
        """The name of an object of this run."""
        return f"{self.mark}-{what}"

    def create(self, path: str, row: dict) -> None:
        """Create one marked object, announced in the journal."""
        self._must_be_marked(path, [row])
        mkey = row[mkey_of(path)]
        if self.gateway.row(path, mkey) is not None:
            raise _taken(path, mkey)
        self.journal.creates(path, [mkey])
        self.gateway.create(path, row)

    def create_many(
        self, path: str, rows: Sequence[dict], before: int | str | None = None
    ) -> str:
        """Create many marked objects by the fastest way that the device offers, and verify them.

        Args:
            path: the table.
            rows: with explicit keys, in the order of evaluation.
            before: the key of the row that they come right before; None: they come last.

        Returns:
            The way that worked: "script", "transaction" or "one by one".

        Raises:
            Refused: the device took none of the ways, or has an object of such a key that is not
                the run's; nothing was created then.
            AssertionError: the device said yes, and its read-back differs from what it was told.
        """
        if not rows:
            return "script"
        key = mkey_of(path)
        self._must_be_marked(path, rows)
        self._keys_must_be_free(path, rows)
        self.journal.creates(path, [row[key] for row in rows])
        ways: tuple[tuple[str, Callable], ...] = (
            ("script", self._by_script),
            ("transaction", self._by_transaction),
            ("one by one", self._one_by_one),
        )
        if any(SECRETS & row.keys() for row in rows):
            ways = ways[1:]  # a device may keep the scripts that it was sent
        for way, create in ways:
            try:
                create(path, rows, before)
            except NotInOneLine:
                continue
            except Refused as refused:
                if way == "one by one":
                    raise
                if refused.status not in (403, 404, 405) and not refused.code:
                    raise
                self._remove(path, [row[key] for row in rows])  # the half that a script got done
                if refused.code == TABLE_FULL:  # no other way makes room
                    raise
                continue
            try:
                self.verify(path, rows, before)
            except AssertionError:
                if way != "script":
                    raise
                # a device carries out the lines that it understands, and may say yes all the same
                self.remove(path, [row[key] for row in rows])
                continue
            return way
        raise AssertionError("unreachable: the last way either works or raises")

    def _must_be_marked(self, path: str, rows: Sequence[dict]) -> None:
        for row in rows:
            if not marked(row, self.mark):
                raise ValueError(
                    f"an object for {path} without the run's mark: {row.get(mkey_of(path))}"
                )

    def _keys_must_be_free(self, path: str, rows: Sequence[dict]) -> None:
        """A script's `edit` of a key that is taken would change that object into one of ours.

        Our own of an attempt that broke off are removed.
        """
        key = mkey_of(path)
        keys = {row[key] for row in rows}
        shown = "|".join(name for name in (key, *MARKED) if name in rows[0])
        there = [row for row in self.gateway.rows(path, format=shown) if row.get(key) in keys]
        for row in there:
            if not marked(row, self.mark):
                raise _taken(path, row[key])
        if there:
            self.remove(path, [row[key] for row in there])

    def verify(
        self, path: str, rows: Sequence[dict], before: int | str | None = None
    ) -> None:
        """Read the rows back and compare the attributes that were set, and their order.

        Args:
            path, rows, before: see `create_many`.

        Raises:
            AssertionError: names the first row and attribute that differ.
            Refused: the device shows a row without one of them.
        """
        key = mkey_of(path)
        readable = [{name: row[name] for name in row if name not in SECRETS} for row in rows]
        wanted = list(dict.fromkeys(attribute for row in readable for attribute in row))
        keys = {row[key] for row in rows}
        # the row that they come before may be the customer's, which the filter would hide
        filtered = "name" in wanted and before is None
        query = {"filter": f"name=@{self.mark}"} if filtered else {}
        answer = self.gateway.rows(path, format="|".join(wanted), **query)
        found = {row.get(key): row for row in answer if row.get(key) in keys}
        if missing := [row[key] for row in rows if row[key] not in found]:
            raise AssertionError(
                f"The gateway accepted {len(rows)} rows for {path} and shows "
                f"{len(rows) - len(missing)} of them; {missing[0]} is the first that is missing."
            )
        for row in readable:
            for attribute, value in row.items():
                if attribute not in found[row[key]]:
                    raise Refused(
                        f"The gateway shows {path} {row[key]} without its {attribute}, so whether "
                        "it has accepted it is not known. Widen the API user's access profile."
                    )
                seen = found[row[key]][attribute]
                if not agrees(value, seen):
                    raise AssertionError(
                        f"The gateway accepted {path} {row[key]} with {attribute} = "
                        f"{_shown(value)} and shows {_shown(seen)}."
                    )
        wished = [row[key] for row in rows] + ([] if before is None else [before])
        order = [row.get(key) for row in answer if row.get(key) in {*keys, before}]
        if path == "firewall/policy" and order != wished:
            raise AssertionError(
                f"The gateway has the {len(rows)} policies in another order than configured."
            )

    def change(self, path: str, mkey: str | int | None, values: dict) -> None:
        """Change attributes of an object of the customer's; what they were goes to the journal."""
        row = object_of(self.gateway, path, mkey)
        if row is None:
            raise Refused(f"The gateway has no {path} {mkey}.")
        self.journal.changes(path, mkey, {name: settable(row.get(name)) for name in values})
        self.gateway.change(path, mkey, values)
        # whatever else it is at the end, somebody else has made it so
        now = object_of(self.gateway, path, mkey) or {}
        self.journal.changed(path, mkey, {name: settable(now.get(name)) for name in values})

    def remove(self, path: str, mkeys: Sequence[str | int]) -> None:
        """Remove objects of this run before its end.

        Raises:
            AssertionError: the device said yes and still has one of them.
            Refused: it refused to delete one of them.
        """
        if left := self._remove(path, mkeys):
            mkey, refusal = next(iter(left.items()))
            many = f"({len(left)} of {len(mkeys)} are left)"
            if refusal:
                raise Refused(f"{refusal} {many}")
            raise AssertionError(
                f"The gateway confirmed that it deleted {path} {mkey} and still has it {many}."
            )

    def _by_script(self, path: str, rows: Sequence[dict], before: int | str | None) -> None:
        key = mkey_of(path)
        lines = [f"config {cli_path(path)}"]
        for row in rows:
            lines.append(f"edit {quoted(row[key])}")
            lines += [setting(name, value) for name, value in row.items() if name != key]
            lines.append("next")
        if before is not None:
            lines += [f"move {quoted(row[key])} before {quoted(before)}" for row in rows]
        self.gateway.run_script(self.name("create"), "\n".join([*lines, "end", ""]))

    def _by_transaction(self, path: str, rows: Sequence[dict], before: int | str | None) -> None:
        with self.gateway.transaction():
            self._one_by_one(path, rows, before)

    def _one_by_one(self, path: str, rows: Sequence[dict], before: int | str | None) -> None:
        for row in rows:
            self.gateway.create(path, row)
            if before is not None:
                self.gateway.move(path, row[mkey_of(path)], before)

    def _remove(self, path: str, mkeys: Sequence[str | int]) -> dict[str | int, str]:
        return remove_marked(self.gateway, path, mkeys, self.mark)


def object_of(gateway: FortiGate, path: str, mkey: str | int | None) -> dict | None:
    """One object as it is now; `mkey` is None where a table holds but one."""
    return gateway.single(path) if mkey is None else gateway.row(path, mkey)


def remove_marked(
    gateway: FortiGate, path: str, mkeys: Sequence[str | int], mark: str
) -> dict[str | int, str]:
    """Delete those rows that exist and carry the mark.

    A key alone is not enough: after a kill somebody else may have taken it.

    Returns:
        The keys of those that would not go, each with the device's refusal; that is empty where
        the device said yes. One that is refused does not keep the others.
    """

    def present() -> list[str | int]:
        keys = set(mkeys)
        rows = _rows_of_keys(gateway, path, mkeys)
        found = [row for row in rows if isinstance(row.get(key), str | int)]
        return [row[key] for row in found if row[key] in keys and marked(row, mark)]

    key = mkey_of(path)
    there = present()
    if len(there) >= _SCRIPT_FROM:
        lines = [f"config {cli_path(path)}", *(f"delete {quoted(mkey)}" for mkey in there), "end"]
        with suppress(Refused):  # one by one, below, tells which row will not go
            gateway.run_script(f"{mark}-remove", "\n".join([*lines, ""]))
        there = present()
    refusals: dict[str | int, str] = {}
    for mkey in there:
        try:
            gateway.delete(path, mkey)
        except Refused as refused:
            refusals[mkey] = str(refused)
    return {mkey: refusals.get(mkey, "") for mkey in present()} if there else {}


def _rows_of_keys(gateway: FortiGate, path: str, mkeys: Sequence[str | int]) -> list[dict]:
    """A table, or of one that does not come whole the rows of these keys."""
    try:
        return gateway.rows(path)
    except Malformed:
        return [row for mkey in mkeys if (row := gateway.row(path, mkey))]


def marked(row: dict, mark: str) -> bool:
    """Whether an object carries a run's mark, in words or in its hardware address.

    No object carries an empty one.
    """
    if not mark:
        return False
    by_mac = hardware_address(mark)
    return any(str(row.get(attribute, "")).startswith(mark) for attribute in MARKED) or (
        bool(by_mac) and str(row.get("mac", "")).lower() == by_mac
    )


def _taken(path: str, mkey: str | int) -> Refused:
    return Refused(
        f"The gateway has a {path} {mkey} that is not of this run. Somebody else is changing the "
        "gateway; start again when they are done.",
        code=DUPLICATE,
    )


def agrees(wanted: object, seen: object) -> bool:
    """Whether a read-back is what was told: it may hold more attributes, and numbers as text."""
    if isinstance(wanted, dict):
        return isinstance(seen, dict) and all(agrees(wanted[key], seen.get(key)) for key in wanted)
    if isinstance(wanted, list):
        return (
            isinstance(seen, list)
            and len(wanted) == len(seen)
            and all(map(agrees, wanted, seen))
        )
    return seen is not None and str(wanted) == str(seen)


def settable(value: object) -> object:
    """A value as the device takes it: without the key that it adds to each row it shows."""
    if isinstance(value, list):
        return [settable(item) for item in value]
    if isinstance(value, dict):
        return {name: settable(item) for name, item in value.items() if name != "q_origin_key"}
    return value


def _shown(value: object) -> str:
    """A value for a sentence: a list of references by their names."""
    if not isinstance(value, list):
        return str(value)
    named = (item.get("name", item) if isinstance(item, dict) else item for item in value)
    return ", ".join(map(str, named)) or "nothing"

"""A gateway that is asked and never told: what would be put on it is kept aside instead.

Builders that work on a `FortiGate` and its `Changes` work on these as well. What they read is the
device's own; what they write they see again as if the device had it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.rules import RuleSet
from gatepass.gateway.tables import mkey_of


class RehearsedGateway:
    """The device as builders see it; nothing but questions reaches it.

    Args:
        gateway: the device.
        given: what the device would give a new row by itself, by table.

    Attributes:
        told: table and row, or some of a row's values, in the order in which they were written.
    """

    def __init__(self, gateway: FortiGate, given: Mapping[str, dict]) -> None:
        self._gateway = gateway
        self._given = given
        self._rows: dict[str, dict[str | int, dict]] = {}
        self.told: list[tuple[str, dict]] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._gateway, name)

    def rows(self, path: str, **query: object) -> list[dict]:
        """The device's rows of a table, and those that were written."""
        return [*self._gateway.rows(path, **query), *self._rows.get(path, {}).values()]

    def row(self, path: str, mkey: str | int) -> dict | None:
        """One row by its key."""
        return self._rows.get(path, {}).get(mkey) or self._gateway.row(path, mkey)

    def create(self, path: str, row: dict) -> str:
        """Keep a row."""
        self.told.append((path, row))
        key = row[mkey_of(path)]
        self._rows.setdefault(path, {})[key] = {**row, **self._given.get(path, {})}
        return str(key)

    def change(self, path: str, mkey: str | int | None, values: dict) -> None:
        """Keep the values."""
        self.told.append((path, values))

    def delete(self, path: str, mkey: str | int) -> None:
        """Forget a row that was written."""
        self._rows.get(path, {}).pop(mkey, None)

    def move(self, path: str, mkey: str | int, before: str | int) -> None:
        """Nothing has an order here."""

    def monitor(self, path: str, *, body: dict | None = None, **query: object) -> dict:
        """What a monitor of the device tells.

        Raises:
            Refused: it would be told to do something.
        """
        if body is not None:
            raise Refused(f"Nothing is told to the gateway's monitor {path} in a rehearsal.")
        return self._gateway.monitor(path, **query)

    def run_script(self, name: str, text: str) -> None:
        """Scripts are no rows.

        Raises:
            Refused: always; rows are written one by one then.
        """
        raise Refused("No script is run in a rehearsal.", status=405)

    @contextmanager
    def transaction(self, timeout_s: int = 120) -> Iterator[None]:
        """Rows are kept at once."""
        yield


class RehearsedRules(RuleSet):
    """Test policies of that gateway, of which none has to come into force."""

    def in_force_within(self, seconds: float) -> float:
        """At once."""
        return 0.0


class RehearsedChanges(Changes):
    """Changes of that gateway; there is no journal, as nothing has to be undone.

    Args:
        gateway: that keeps them aside.
        mark: of the run.
    """

    def __init__(self, gateway: RehearsedGateway, mark: str) -> None:
        self.gateway = gateway
        self.mark = mark

    def create(self, path: str, row: dict) -> None:
        """See `Changes.create`."""
        self.gateway.create(path, row)

    def create_many(
        self, path: str, rows: Sequence[dict], before: int | str | None = None
    ) -> str:
        """See `Changes.create_many`."""
        for row in rows:
            self.gateway.create(path, row)
        return "one by one"

    def verify(self, path: str, rows: Sequence[dict], before: int | str | None = None) -> None:
        """What was written is there."""

    def change(self, path: str, mkey: str | int | None, values: dict) -> None:
        """See `Changes.change`."""
        self.gateway.change(path, mkey, values)

    def remove(self, path: str, mkeys: Sequence[str | int]) -> None:
        """See `Changes.remove`."""
        for mkey in mkeys:
            self.gateway.delete(path, mkey)

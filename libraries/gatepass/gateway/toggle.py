"""Settings of the customer's that a check changes to and fro, and leaves as they were."""

from __future__ import annotations

from collections.abc import Mapping

from gatepass.gateway.changes import Changes, object_of, settable
from gatepass.gateway.fortigate import Refused


class Toggle:
    """Some attributes of one object.

    They are changed by the journal once; to and fro after that, between what they were and what
    the journal says the run made of them.

    Args:
        changes: of the run.
        path: the table.
        mkey: of the object; None where the table holds but one.
        values: what the attributes are to be.

    Raises:
        Refused: the device has no such object; with status 404 no such table or attribute.
    """

    def __init__(
        self, changes: Changes, path: str, mkey: str | int | None, values: Mapping[str, str | int]
    ) -> None:
        self._changes, self._path, self._mkey = changes, path, mkey
        self._values = dict(values)
        row = object_of(changes.gateway, path, mkey)
        if row is None:
            raise Refused(f"The gateway has no {path} {mkey}.")
        if lacking := [name for name in values if name not in row]:
            raise Refused(f"The gateway's {path} has no {lacking[0]}.", status=404)
        self.before = {name: settable(row[name]) for name in values}
        self._journaled = self._is_on = self.before == self._values

    def on(self) -> None:
        """Have them as they are to be."""
        if not self._journaled:
            self._changes.change(self._path, self._mkey, self._values)
            self._journaled = True
        elif not self._is_on:
            self._changes.gateway.change(self._path, self._mkey, self._values)
        self._is_on = True

    def off(self) -> None:
        """Have them as they were."""
        if self._is_on and self.before != self._values:
            self._changes.gateway.change(self._path, self._mkey, self.before)
            self._is_on = False


class Switch:
    """One attribute of an object that is enabled or disabled.

    Args:
        changes: of the run.
        path: the table.
        mkey: of the object.
        name: of the attribute.

    Attributes:
        delivered: whether it was enabled before the run.

    Raises:
        Refused: the device has no such object; with status 404 no such table or attribute.
    """

    def __init__(self, changes: Changes, path: str, mkey: str | int, name: str) -> None:
        disabled = Toggle(changes, path, mkey, {name: "disable"})
        self.delivered = disabled.before[name] == "enable"
        self._other = (
            disabled if self.delivered else Toggle(changes, path, mkey, {name: "enable"})
        )

    def set(self, on: bool) -> None:
        """Have it enabled or disabled."""
        if on == self.delivered:
            self._other.off()
        else:
            self._other.on()

    def back(self) -> None:
        """Have it as it was delivered."""
        self._other.off()

"""Compiles rows one by one, so that one that cannot be read holds up no other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

Made = TypeVar("Made")
Config = Mapping[str, Sequence[Mapping]]


class Each:
    """The rows of a configuration.

    Args:
        config: CMDB path -> rows.

    Attributes:
        problems: of each row that could not be read, which it is and why.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self.problems: list[str] = []

    def __call__(
        self,
        path: str,
        compiled: Callable[[Mapping], Made],
        instead: Callable[[Mapping], Made | None] = lambda row: None,
        only: Callable[[Mapping], bool] = lambda row: True,
    ) -> list[Made]:
        """The rows of a table, each compiled; those that cannot be are left out.

        Args:
            path: the table.
            compiled: makes of a row what the data plane works with.
            instead: what stands for a row that cannot be compiled.
            only: which rows count.
        """
        found = []
        for row in self._config.get(path, ()):
            if not only(row):
                continue
            made = self._tried(lambda row=row: compiled(row), f"{path} {_key(row)}")
            if made is None:
                made = instead(row)
            if made is not None:
                found.append(made)
        return found

    def whole(self, path: str, compiled: Callable[[Config], Made], instead: Made) -> Made:
        """What several rows say together."""
        made = self._tried(lambda: compiled(self._config), path)
        return instead if made is None else made

    def _tried(self, compiled: Callable[[], Made], what: str) -> Made | None:
        try:
            return compiled()
        except Exception as error:  # whatever is wrong with it, the others go on
            self.problems.append(f"{what} cannot be put in force: {error}.")
            return None


def _key(row: Mapping) -> object:
    return next((row[name] for name in ("policyid", "name", "seq-num", "id") if name in row), "")

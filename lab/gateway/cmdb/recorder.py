"""What a transaction has changed, to be made again when it is committed."""

from __future__ import annotations

from typing import Any

from lab.gateway.cmdb.editor import Editor
from lab.gateway.cmdb.rows import Key

REPLAYABLE = ("create", "update", "delete", "move", "clone", "rename")


class Recorder:
    """Notes each change that succeeded, so that it can be made again on another configuration."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self._changes: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.editor, name)
        if name not in REPLAYABLE:
            return method

        def run(*args: Any) -> Any:
            result = method(*args)
            if name == "create" and not args[0].steps:
                # The number that the client was told must stay.
                table = self.editor.table(args[0].path)
                args = (args[0], {**args[1], table.mkey: result})
            elif name == "clone":
                args = (args[0], result)
            self._changes.append((name, args))
            return result

        return run

    def holds(self, path: str, key: Key) -> bool:
        """Whether it has changed this row: nobody else may until the transaction ends."""
        places = (args[0] for _, args in self._changes)
        return any((place.path, str(place.key)) == (path, str(key)) for place in places)

    def replay(self, editor: Editor) -> None:
        """Make the changes again.

        Raises:
            CmdbError: one of them is no longer possible.
        """
        for name, args in self._changes:
            getattr(editor, name)(*args)

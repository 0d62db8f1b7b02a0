"""Runs FortiOS scripts: config, edit, set, unset, append, next, end, delete, move, rename, purge.

Like a console, a script goes on after a command that fails: the object is kept without it, or not
made at all if it cannot be without it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lab.gateway.cli.show import command_path
from lab.gateway.cli.words import Command, UnclosedQuoteError, commands
from lab.gateway.cmdb.editor import Editor, Location
from lab.gateway.cmdb.rows import Key, parse_key
from lab.gateway.errors import PARSE_ERROR, CmdbError, malformed, not_found
from lab.gateway.schema.model import Attribute, Table


@dataclass(frozen=True)
class Failure:
    """A command that failed.

    Attributes:
        line: its line in the script.
        command: the command, without secrets.
        code: FortiOS' error number.
        message: why.
    """

    line: int
    command: str
    code: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line} '{self.command}': {self.message} ({self.code})"


@dataclass
class _Rows:
    """Inside `config TABLE`: the command line of a table."""

    table: Table
    path: str | None = None  # None inside a row
    children: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class _Draft:
    """Inside `edit KEY`, or `config` of a group: a row that takes hold at `next` or `end`."""

    table: Table
    row: dict[str, Any]
    path: str | None
    key: Key | None  # None: new
    set: set[str] = field(default_factory=set)


@dataclass
class _Skipped:
    """Inside something that could not be opened."""

    depth: int = 0
    is_entry: bool = False


_Level = _Rows | _Draft | _Skipped
_SILENT = frozenset(("show", "get"))


def _unknown(word: str) -> CmdbError:
    return CmdbError(PARSE_ERROR, f"command parse error before '{word}'")


class Script:
    """One run of a script on a configuration.

    Args:
        editor: makes the changes.
    """

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._paths = {command_path(path): path for path in editor.state.tables}
        self._levels: list[_Level] = []
        self.failures: list[Failure] = []

    def run(self, text: str) -> list[Failure]:
        """Run the commands; answers those that failed."""
        try:
            for command in commands(text):
                try:
                    self._run(command)
                except CmdbError as error:
                    self._fail(command, error)
        except UnclosedQuoteError as error:
            self.failures.append(Failure(error.line, "", PARSE_ERROR, str(error)))
        if self._levels:
            self.failures.append(
                Failure(text.count("\n") + 1, "", PARSE_ERROR, "'end' is missing."))
        return self.failures

    def _fail(self, command: Command, error: CmdbError) -> None:
        self.failures.append(Failure(command.line, str(command), error.code, error.message))

    def _run(self, command: Command) -> None:
        verb, *words = command.words
        level = self._levels[-1] if self._levels else None
        if isinstance(level, _Skipped):
            self._skip(level, verb)
        elif verb in _SILENT:
            return
        elif verb == "config":
            self._config(level, words)
        elif isinstance(level, _Rows):
            self._in_table(level, verb, words)
        elif isinstance(level, _Draft):
            self._in_row(level, verb, words)
        else:
            raise _unknown(verb)

    def _skip(self, level: _Skipped, verb: str) -> None:
        if verb in ("config", "edit"):
            level.depth += verb == "config"
        elif verb == "end":
            if level.depth:
                level.depth -= 1
                return
            self._levels.pop()
            if level.is_entry:
                self._levels.pop()
        elif verb == "next" and level.is_entry and not level.depth:
            self._levels.pop()

    def _config(self, level: _Level | None, words: list[str]) -> None:
        try:
            if level is None:
                self._levels.append(self._open_table(" ".join(words)))
            elif isinstance(level, _Draft):
                self._levels.append(self._open_child(level, " ".join(words)))
            else:
                raise _unknown("config")
        except CmdbError:
            self._levels.append(_Skipped())
            raise

    def _open_table(self, name: str) -> _Level:
        path = self._paths.get(name)
        if path is None:
            raise _unknown(name)
        table = self._editor.table(path)
        if table.mkey is None:
            return _Draft(table, dict(self._editor.state.singleton(path)), path, None)
        return _Rows(table, path)

    def _open_child(self, draft: _Draft, name: str) -> _Level:
        attribute = draft.table.attributes.get(name)
        if attribute is None or attribute.child is None:
            raise _unknown(name)
        if attribute.child.mkey is None:
            return _Draft(attribute.child, dict(draft.row[name]), None, None)
        return _Rows(attribute.child, None, list(draft.row[name]))

    def _in_table(self, level: _Rows, verb: str, words: list[str]) -> None:
        if verb == "end":
            self._levels.pop()
            if level.path is None:
                self._store_child(level.table, level.children)
            return
        if verb == "edit" and len(words) == 1:
            try:
                self._levels.append(self._edit(level, words[0]))
            except CmdbError:
                self._levels.append(_Skipped(is_entry=True))
                raise
            return
        if verb == "delete" and words:
            for word in words:
                self._delete(level, word)
            return
        if verb == "purge" and not words:
            if level.path is None:
                level.children.clear()
            else:
                self._editor.delete(Location(level.path))
            return
        if level.path is None:
            raise _unknown(verb)
        self._arrange(level.path, level.table, verb, words)

    def _arrange(self, path: str, table: Table, verb: str, words: list[str]) -> None:
        if len(words) != 3:
            raise _unknown(verb)
        first, how, second = words
        place = Location(path, first)
        if verb == "move" and how in ("before", "after"):
            self._editor.move(place, second, how == "after")
        elif verb == "rename" and how == "to":
            self._editor.rename(place, second)
        elif verb == "clone" and how == "to":
            self._editor.clone(place, second)
        else:
            raise _unknown(verb)

    def _edit(self, level: _Rows, word: str) -> _Draft:
        table = level.table
        assert table.mkey is not None and table.key.parse is not None
        key = parse_key(table, word)
        if level.path is not None:
            present = self._editor.state.find(level.path, key)
        else:
            present = next((row for row in level.children if row[table.mkey] == key), None)
        if present is not None:
            return _Draft(table, dict(present), level.path, key)
        is_closed = table.fixed and table.may_come is None
        if is_closed and not self._editor.state.accepts_dangling:
            raise not_found(f"{table.path} {word}")
        row = dict(table.template)
        row[table.mkey] = table.key.parse(table.mkey, key)
        return _Draft(table, row, level.path, None, {table.mkey})

    def _delete(self, level: _Rows, word: str) -> None:
        if level.path is not None:
            self._editor.delete(Location(level.path, word))
            return
        key = parse_key(level.table, word)
        kept = [row for row in level.children if row[level.table.mkey or ""] != key]
        if len(kept) == len(level.children):
            raise not_found(f"{level.table.path} {word}")
        level.children[:] = kept

    def _in_row(self, draft: _Draft, verb: str, words: list[str]) -> None:
        is_entry = draft.table.mkey is not None
        if verb == "abort" and not words:
            self._leave(is_entry)
        elif verb == "next" and is_entry:
            self._levels.pop()
            self._take_hold(draft)
        elif verb == "end":
            try:
                if is_entry:
                    self._levels.pop()
                    self._take_hold(draft)
                else:
                    self._take_group(draft)
            finally:
                self._close_table()
        elif verb in ("set", "append", "unset") and words:
            self._assign(draft, verb, words[0], words[1:])
        else:
            raise _unknown(verb)

    def _assign(self, draft: _Draft, verb: str, name: str, words: list[str]) -> None:
        attribute = draft.table.attributes.get(name)
        if attribute is None or name == draft.table.mkey:
            raise _unknown(name)
        if verb == "unset":
            value = draft.table.template[name]
        else:
            value = _read(attribute, words)
            if verb == "append":
                value = _appended(attribute, draft.row[name], value)
        row = self._editor.builder.changed(draft.table, draft.row, {name: value})
        self._editor.state.check_names(attribute, row[name])
        draft.row = row
        draft.set.add(name)

    def _take_hold(self, draft: _Draft) -> None:
        body = {name: draft.row[name] for name in draft.set}
        if draft.path is None:
            self._store_entry(draft)
        elif draft.key is None:
            self._editor.create(Location(draft.path), body)
        else:
            self._editor.update(Location(draft.path, draft.key), body)

    def _take_group(self, draft: _Draft) -> None:
        if draft.path is not None:
            body = {name: draft.row[name] for name in draft.set}
            self._editor.update(Location(draft.path), body)

    def _store_entry(self, draft: _Draft) -> None:
        """Put a row of a child table among its siblings, which wait for the `end` of theirs."""
        level = self._levels[-1]
        assert isinstance(level, _Rows) and level.table.mkey is not None
        key = level.table.mkey
        for index, row in enumerate(level.children):
            if draft.key is not None and row[key] == draft.key:
                level.children[index] = draft.row
                return
        level.children.append(
            self._editor.builder.new_child(level.table, draft.row, level.children))

    def _store_child(self, table: Table, value: Any) -> None:
        parent = self._levels[-1]
        assert isinstance(parent, _Draft)
        parent.row = {**parent.row, table.path: value}
        parent.set.add(table.path)

    def _leave(self, is_entry: bool) -> None:
        """Forget the row and leave its table."""
        self._levels.pop()
        if is_entry:
            self._levels.pop()

    def _close_table(self) -> None:
        level = self._levels.pop()
        if isinstance(level, _Rows) and level.path is None:
            self._store_child(level.table, level.children)
        elif isinstance(level, _Draft) and level.path is None:
            self._store_child(level.table, level.row)


def _read(attribute: Attribute, words: list[str]) -> Any:
    """The words after `set NAME` as the value that a body would carry."""
    if not words:
        raise CmdbError(PARSE_ERROR, f"'{attribute.name}' needs a value")
    if attribute.is_member_list:
        assert attribute.child is not None
        return [{attribute.child.mkey: word} for word in words]
    if attribute.child is not None:
        raise _unknown(attribute.name)
    takes_several = (attribute.multiple or attribute.secret
                     or attribute.type.startswith("ipv4-classnet"))
    if len(words) > 1 and not takes_several:
        raise _unknown(words[1])
    return " ".join(words)


def _appended(attribute: Attribute, present: Any, value: Any) -> Any:
    if attribute.is_member_list:
        assert attribute.child is not None
        key = attribute.child.mkey
        known = {str(row[key]) for row in present}
        return [*present, *(row for row in value if str(row[key]) not in known)]
    if attribute.multiple:
        return f"{present} {value}".strip()
    raise malformed(f"'{attribute.name}' takes one value: use set.")

"""The running configuration with its durable copy, and transactions on it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from lab.gateway.cmdb.editor import Editor
from lab.gateway.cmdb.recorder import Recorder
from lab.gateway.cmdb.rows import SINGLETON, Builder, Key, Row
from lab.gateway.cmdb.state import State
from lab.gateway.cmdb.store import Store
from lab.gateway.errors import PERMISSION_DENIED, CmdbError, malformed
from lab.gateway.schema.model import Table

MOST_TRANSACTIONS = 10


@dataclass
class Transaction:
    """Changes that take hold together or not at all.

    Attributes:
        number: the transaction-id.
        owner: the administrator that started it.
        deadline: monotonic time in s at which it is aborted.
        timeout: s without a call after which it is aborted.
        recorder: makes the changes on a copy and notes them.
        base: the configuration that the copy was made from.
    """

    number: int
    owner: str
    timeout: float
    recorder: Recorder
    base: int
    deadline: float = field(default=0.0)


class Database:
    """The running configuration.

    Args:
        tables: declarations by path.
        store: the durable copy.
        builder: makes rows.
        on_change: called after each change that is committed.
        evaluation: whether the limits of the evaluation licence hold.
        furnish: adds what every configuration of this one device has, where it is missing.
        loses: see `Editor`.
    """

    def __init__(self, tables: Mapping[str, Table], store: Store, builder: Builder,
                 on_change: Callable[[], None],
                 evaluation: Callable[[], bool] = lambda: False,
                 furnish: Callable[[Editor], None] = lambda editor: None,
                 loses: Callable[[str], bool] = lambda path: False) -> None:
        self.tables = tables
        self.store = store
        self.builder = builder
        self._on_change = on_change
        self._evaluation = evaluation
        self._loses = loses
        self._furnish = furnish
        self._transactions: dict[int, Transaction] = {}
        self._last_number = 0
        self.generation = 0
        self.is_new = store.is_empty
        self.state = self.blank() if self.is_new else self._load()
        self._furnish(self.editor())

    def _load(self) -> State:
        state = self.store.load(self.tables)
        for path, table in self.tables.items():
            if table.mkey is None and not state.rows[path]:
                state.put(path, SINGLETON, Row(table.template))
        return state

    def blank(self, with_factory: bool = True) -> State:
        """A configuration as the device is delivered.

        Args:
            with_factory: whether objects that could be deleted are there too; ports always are.
        """
        state = State(self.tables)
        editor = Editor(state, self.builder)
        for path, table in self.tables.items():
            if table.mkey is None:
                row = Row(table.template)
                state.put(path, SINGLETON, row)
        pending = [(table, body) for table in self.tables.values() for body in table.factory
                   if with_factory or table.fixed]
        for table, body in pending:
            editor.install(table, body)
        return state

    def editor(self, state: State | None = None) -> Editor:
        """An editor of the running configuration, or of another."""
        return Editor(state or self.state, self.builder, self._evaluation, self._loses)

    @contextmanager
    def change(self) -> Iterator[Editor]:
        """Change the running configuration; what was done is kept also if an error ends it.

        Each method of the editor does all or nothing, so what is kept is whole.
        """
        try:
            yield self.editor()
        finally:
            self._commit()

    def _commit(self) -> None:
        if self.state.dirty:
            self.store.save(self.state)
            self.generation += 1
            self._on_change()

    def replace(self, state: State) -> None:
        """Put a whole configuration in the place of the running one."""
        self._furnish(self.editor(state))
        for path, number in self.state.revisions.items():
            state.revisions[path] = number + 1
        self.store.replace(state)
        self.state = state
        self.generation += 1
        self._on_change()

    def start(self, owner: str, timeout: float) -> Transaction:
        """Start a transaction.

        Args:
            timeout: s without a call after which it is aborted.

        Raises:
            CmdbError: too many are open.
        """
        self._drop_expired()
        if len(self._transactions) >= MOST_TRANSACTIONS:
            raise malformed(f"{MOST_TRANSACTIONS} transactions are open already.")
        self._last_number += 1
        transaction = Transaction(self._last_number, owner, timeout,
                                  Recorder(self.editor(self.state.copy())), self.generation)
        transaction.deadline = time.monotonic() + timeout
        self._transactions[transaction.number] = transaction
        return transaction

    def transaction(self, number: Any, owner: str) -> Transaction:
        """An open transaction of this administrator; its time-out starts again.

        Raises:
            CmdbError: there is none of this number.
        """
        self._drop_expired()
        try:
            transaction = self._transactions.get(int(number))
        except (TypeError, ValueError):
            transaction = None
        if transaction is None or transaction.owner != owner:
            raise malformed(f"There is no open transaction {number}; it may have timed out.")
        transaction.deadline = time.monotonic() + transaction.timeout
        return transaction

    def open_transactions(self) -> list[Transaction]:
        """The transactions that are open."""
        self._drop_expired()
        return list(self._transactions.values())

    def must_be_free(self, path: str, key: Key | None, number: object) -> None:
        """What an open transaction has changed is nobody else's until it ends (workspace mode).

        Args:
            path, key: a row; no key for a whole table, which is not looked at.
            number: of the transaction that asks; None for a call outside of one.

        Raises:
            CmdbError: it is another transaction's.
        """
        if key is None:
            return
        for other in self.open_transactions():
            if str(other.number) != str(number) and other.recorder.holds(path, key):
                raise CmdbError(
                    PERMISSION_DENIED,
                    f"The object {path} {key} is being configured in another transaction.",
                )

    def abort(self, transaction: Transaction) -> None:
        """Drop what was done in a transaction."""
        self._transactions.pop(transaction.number, None)

    def commit(self, transaction: Transaction) -> None:
        """Put what was done in a transaction in force as a whole.

        Raises:
            CmdbError: what others changed meanwhile makes a change impossible; nothing of the
                transaction takes hold.
        """
        self.abort(transaction)
        state = transaction.recorder.editor.state
        if transaction.base != self.generation:
            state = self.state.copy()
            transaction.recorder.replay(self.editor(state))
        self.store.save(state)
        self.state = state
        self.generation += 1
        self._on_change()

    def _drop_expired(self) -> None:
        now = time.monotonic()
        for number, transaction in list(self._transactions.items()):
            if transaction.deadline < now:
                del self._transactions[number]

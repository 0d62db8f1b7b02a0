"""What is declared of a table; REST, CLI, references, defaults and backup follow from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from lab.gateway.schema import values
from lab.gateway.versions import Release

Row = dict[str, Any]

NOTHING: tuple[Any, ...] = ("disable", "none", "", "0", 0, None, [])
"""Values by which an attribute says nothing."""


class View(Protocol):
    """What a table's own check may ask of the rest of the configuration."""

    def find(self, path: str, key: Any) -> Row | None:
        """The row of this key, or None."""

    def all(self, path: str) -> Collection[Row]:
        """The rows of a table; none where the release lacks it."""

    def taken(self, path: str, name: str) -> Collection[Any]:
        """The values that the rows of a table have in a unique attribute."""

    def referrers(self, path: str, key: Any) -> Collection[tuple[str, Any]]:
        """Table and key of the rows that name this one."""


Check = Callable[[Row, View], None]
Complete = Callable[[Row, View], Row]


@dataclass(frozen=True)
class Choice:
    """One choice of an option.

    Attributes:
        name: as on the wire.
        is_here: whether this gateway does what it asks for; otherwise it is refused by its name.
        since: first release that has it.
        until: last release that has it.
    """

    name: str
    is_here: bool = True
    since: Release | None = None
    until: Release | None = None


ChoiceParser = Callable[[Sequence[Choice]], values.Parser]


@dataclass(frozen=True)
class Attribute:
    """One attribute of a table.

    Attributes:
        name: hyphenated, as on the wire.
        type: FortiOS' name of the type, as `action=schema` shows it.
        default: value of a new row; for a child table an empty list.
        parse: reads and normalises what a client sends.
        choices: of an option.
        parse_choice: makes `parse` of them.
        multiple: an option that takes several choices, or a string set with several words.
        limits: lowest and highest number, or (0, characters).
        references: tables one of which must hold the named object.
        literals: names and numbers that are right although no table holds them (`any`).
        child: the table inside this attribute.
        secret: read back as `ENC …`.
        may_be_empty: whether an empty text is a value of its own rather than the default.
        since: first release that has it.
        until: last release that has it.
        variants: what it is in other releases.
    """

    name: str
    type: str
    default: Any
    parse: values.Parser | None = None
    choices: tuple[Choice, ...] = ()
    parse_choice: ChoiceParser | None = None
    multiple: bool = False
    limits: tuple[int, int] | None = None
    references: tuple[str, ...] = ()
    literals: frozenset[str | int] = frozenset()
    child: Table | None = None
    secret: bool = False
    quoted: bool = False
    may_be_empty: bool = False
    since: Release | None = None
    until: Release | None = None
    variants: tuple[Attribute, ...] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the choices."""
        return tuple(choice.name for choice in self.choices)

    @property
    def is_member_list(self) -> bool:
        """A list of names only, which the CLI sets in one line: `set member "a" "b"`."""
        return bool(self.child and self.child.mkey and len(self.child.attributes) == 1)

    def cut_to(self, release: Release) -> Attribute | None:
        """This attribute as a release has it; None if it does not."""
        for one in (self, *self.variants):
            if _is_within(release, one):
                return one._with_choices_of(release)
        return None

    def _with_choices_of(self, release: Release) -> Attribute:
        child = self.child and self.child.cut_to(release)
        choices = tuple(choice for choice in self.choices if _is_within(release, choice))
        parse = self.parse
        if self.parse_choice is not None and choices != self.choices:
            parse = self.parse_choice(choices)
        return replace(self, child=child, choices=choices, parse=parse, variants=())

    def limited_to(self, names: Collection[str], most: int) -> Attribute:
        """See `Table.limited_to`."""
        if self.child is not None:
            return replace(self, child=self.child.limited_to(names, most))
        if self.name not in names or self.limits is None:
            return self
        limits = self.limits[0], min(self.limits[1], most)
        return replace(self, limits=limits, parse=values.integer(*limits))


@dataclass(frozen=True)
class Companion:
    """A row of another table that a row brings along: made and removed with it.

    Neither of the two can be renamed.

    Attributes:
        path: the other table; a row there has the same key.
        body: from the row to what the other row says because of it.
    """

    path: str
    body: Callable[[Row], Row]


@dataclass(frozen=True)
class Table:
    """A table, a singleton, or a child table.

    Attributes:
        path: `firewall.service/custom`; of a child table the attribute's name.
        attributes: by name, in the order in which the CLI shows them.
        mkey: attribute that names a row; None for a singleton.
        factory: rows of a new device, as a client would post them.
        access: group of an access profile that governs it.
        movable: whether the order of rows means something and `action=move` is taken.
        limit: most rows; 0 is no limit.
        unique: attributes besides the key of which no two rows have the same value.
        namespace: tables that must not hold a row of the same name.
        handle: attribute, among the unique ones, by which other tables name a row instead of by
            its key.
        complete: fills in what the device itself gives a row, before the row is checked.
        check: rule about a whole row, raising `CmdbError`.
        read_only: keys of rows that come with the device and cannot be changed or removed.
        fixed: rows come with the device: none can be added or removed.
        may_come: of a fixed table: which rows can be added and removed all the same.
        companion: the row of another table that each row brings along.
        is_companion: of a fixed table: whether a row belongs to a row of another table.
        lacking: attributes that a device has and this table may lack, with the values that may be
            passed over as any unknown attribute is; others are refused.
        evaluation_limit: most rows under the permanent evaluation licence.
        since: first release that has it.
        until: last release that has it.
    """

    path: str
    attributes: Mapping[str, Attribute]
    mkey: str | None = "name"
    factory: Sequence[Mapping[str, Any]] = ()
    access: str = "sysgrp"
    movable: bool = False
    limit: int = 0
    unique: tuple[str, ...] = ()
    namespace: tuple[str, ...] = ()
    handle: str | None = None
    complete: Complete | None = None
    check: Check | None = None
    read_only: frozenset[str] = frozenset()
    fixed: bool = False
    companion: Companion | None = None
    may_come: Callable[[Row], bool] | None = None
    is_companion: Callable[[Row], bool] = lambda row: False
    lacking: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    evaluation_limit: int = 0
    since: Release | None = None
    until: Release | None = None

    @cached_property
    def key(self) -> Attribute:
        """The attribute that names a row."""
        assert self.mkey is not None
        return self.attributes[self.mkey]

    @cached_property
    def has_integer_key(self) -> bool:
        """Whether rows are numbered, so that key 0 asks for the next number."""
        return self.mkey is not None and self.key.type == "integer"

    @cached_property
    def template(self) -> Row:
        """A row of defaults, the key first and `q_origin_key` after it."""
        row: Row = {}
        if self.mkey is not None:
            row[self.mkey] = self.key.default
            row["q_origin_key"] = self.key.default
        for attribute in self.attributes.values():
            if attribute.child is not None and attribute.child.mkey is None:
                row[attribute.name] = attribute.child.template
            elif attribute.name != self.mkey:
                row[attribute.name] = attribute.default
        return row

    @cached_property
    def referring(self) -> tuple[Attribute, ...]:
        """Attributes that name objects of other tables, themselves or in their child table."""
        return tuple(
            a for a in self.attributes.values() if a.references or (a.child and a.child.referring)
        )

    @cached_property
    def secrets(self) -> tuple[Attribute, ...]:
        """Attributes that are secret, or hold a child table with a secret."""
        return tuple(
            a for a in self.attributes.values() if a.secret or (a.child and a.child.secrets)
        )

    @cached_property
    def has_uuid(self) -> bool:
        """Whether the device gives each new row a UUID."""
        return "uuid" in self.attributes

    def cut_to(self, release: Release) -> Table:
        """This table as a release has it."""
        cut = {name: attribute.cut_to(release) for name, attribute in self.attributes.items()}
        return replace(self, attributes={name: one for name, one in cut.items() if one})

    def limited_to(self, names: Collection[str], most: int) -> Table:
        """This table, in which numbers of these names, also further in, are this high at most."""
        limited = {key: one.limited_to(names, most) for key, one in self.attributes.items()}
        return replace(self, attributes=limited)

    def in_release(self, release: Release) -> bool:
        """Whether a release has this table."""
        return _is_within(release, self)


def _is_within(release: Release, what: Attribute | Choice | Table) -> bool:
    return (what.since is None or release >= what.since) and (
        what.until is None or release <= what.until
    )

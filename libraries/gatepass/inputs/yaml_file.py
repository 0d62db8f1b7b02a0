"""Read one small YAML file that a person wrote, and remember where each value stands.

The reader is stricter than YAML. Anchors, aliases and tags are refused, because an order needs
none of them and each can turn a short file into a large or a surprising one. Plain words follow
YAML 1.2: only ``true`` and ``false`` are booleans, so ``on``, ``no`` and ``08:30`` stay text. What
YAML would cut off at a number sign ("Store #42") is refused, and so is what cannot be seen.

A message never quotes a line of the file: the line may hold a secret that stands where it must not.
"""

import re
import stat
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import yaml

from gatepass.base.errors import InputError
from gatepass.inputs import odd_text

LARGEST_BYTES = 256 * 1024
DEEPEST_LEVEL = 12

Location = Sequence[str | int]
"""The keys and list positions that lead from the top of a file to a value."""

# Control characters, what turns the direction of writing round, halves of a character, line breaks
# that no editor shows, and what stands for bytes that are not UTF-8.
_UNUSABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufeff\ufffd-\uffff]"
)
_TAB = re.compile(r"[^#]*\t")
_COMMENT = re.compile(r"(?:^|[ \t])#.*")
_CUT_OFF = re.compile(r" +#[^ \n]| # *(?:\d|\n|$)")
"""Behind a text: a comment has a space before its words; "# 42" one space away may be text."""
_IN_QUOTES = 'Put the whole text in quotes: "… #1 …".'

# What PyYAML calls the problem, and what the writer of the file probably did.
_REMEDIES = {
    "mapping values are not allowed": "Look for a second colon (put that text in quotes) "
    "or a wrong indentation.",
    "could not find expected ':'": "Put a colon and a space between key and value.",
    "but found another document": "Keep one document in the file: remove the line '---'.",
    "while scanning a quoted scalar": "Close the quotes.",
    "while parsing a flow": "Close the bracket or brace, and put commas between its values.",
}


@dataclass(frozen=True)
class Position:
    """Where a value stands and how a message may name it."""

    line: int
    kind: str
    text: str | None
    quoted: bool


@dataclass(frozen=True)
class YamlFile:
    """A file that was read: its data as Python values, and the place of each of them."""

    path: Path
    data: dict[str, Any]
    root: yaml.MappingNode

    def place(self, location: Location) -> Position:
        """Find a value, or the closest group of keys around it that does stand in the file."""
        node: yaml.Node = self.root
        line = node.start_mark.line + 1
        for step in location:
            child = _child(node, step)
            if child is None:
                return Position(line, "nothing", None, quoted=False)
            line, node = child
        if isinstance(node, yaml.ScalarNode):
            if node.tag.endswith(":null"):
                return Position(line, "nothing", None, quoted=False)
            return Position(line, node.tag.rpartition(":")[2], node.value, quoted=bool(node.style))
        return Position(line, _kind(node), None, quoted=False)


def read_yaml(path: Path | str) -> YamlFile:
    """Read a file whose top level is a group of keys.

    Args:
        path: the file, absolute or relative to the working directory.

    Raises:
        InputError: the file cannot be read or is no such YAML; one sentence with file and line.
    """
    path = Path(path)
    text = _read_text(path)
    loader = _Loader(text)
    problem: tuple[int, str] | None = None
    try:
        root = loader.get_single_node()
        data = loader.construct_document(root) if isinstance(root, yaml.MappingNode) else None
    except _Refused as refused:
        problem = refused.line, refused.sentence
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        sentence = f"the file is not readable as YAML here. {_remedy(text, error)}"
        problem = (mark.line + 1 if mark else 1), sentence
    except (ValueError, OverflowError):  # an escape such as "\\UFFFFFFFF"
        problem = loader.line + 1, "an escape after a backslash names no character. Mend it there."
    finally:
        loader.dispose()
    if problem:
        raise InputError(f"{path}, line {problem[0]}: {problem[1]}")
    if root is None or root.value == "":
        raise InputError(f"{path}: the file is empty. Fill in the keys that it needs.")
    if data is None:
        start, end = root.start_mark, root.end_mark
        raise InputError(
            f"{path}, line {start.line + 1}: found {_kind(root)} at the top level; "
            "allowed is a group of keys, one 'key: value' a line."
            f"{_about_signs(text.splitlines()[start.line : end.line + 1])}"
        )
    return YamlFile(path, data, root)


def _read_text(path: Path) -> str:
    """The file's text, once it is known to be a small text file without tabs."""
    content = b""
    reason = ""
    try:
        # Looked at before it is opened: opening a pipe would wait for a writer for ever.
        if not stat.S_ISREG(path.stat().st_mode):
            reason = "it is not a regular file. Name a YAML file"
        else:
            with path.open("rb") as stream:
                content = stream.read(LARGEST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is not usable"
        reason = f"{reason[0].lower()}{reason[1:]}. Check the name and the permissions"
    if reason:
        raise InputError(f"{path}: the file cannot be read, {reason}.")
    if len(content) > LARGEST_BYTES:
        raise InputError(
            f"{path}: the file is larger than {LARGEST_BYTES // 1024} KiB, "
            "so it is none of Gatepass's input files. Name another file."
        )
    text = content.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    for number, line in enumerate(text.split("\n"), start=1):
        unseen = odd_text.unseen(_COMMENT.sub("", line).replace("\t", " "))
        unusable = _UNUSABLE.search(line)
        if unseen is None and unusable:
            unseen = unusable.start()
        if unseen is not None:
            raise InputError(f"{path}, line {number}: {_not_plain(line, unseen)}")
        if _TAB.match(line):
            raise InputError(
                f"{path}, line {number}: found a tab; allowed is spaces. Indent with two spaces."
            )
    return text


def _not_plain(line: str, place: int) -> str:
    """What keeps a line from being plain text."""
    one = line[place]
    if not unicodedata.name(one, "") or one == "\ufffd":
        return "the file is not plain UTF-8 text. Save it as UTF-8 text."
    return (
        f"the file is not plain UTF-8 text: character {place + 1} is {odd_text.named(one)}, "
        f"{odd_text.remedy(one)}"
    )


def _remedy(text: str, error: yaml.MarkedYAMLError) -> str:
    """What the writer of the file probably did, where YAML cannot be read."""
    marks = [mark.line for mark in (error.context_mark, error.problem_mark) if mark]
    lines = text.splitlines()[min(marks, default=0) : max(marks, default=0) + 1]
    context = f"{error.context} {error.problem}"
    found = next((hint for start, hint in _REMEDIES.items() if start in context), "")
    found = found or "Check quotes, brackets and indentation there."
    if "while parsing a flow" in context and any(_CUT_OFF.search(line) for line in lines):
        found = f"A # behind a space begins a comment. {_IN_QUOTES}"
    return f"{found}{_about_signs(lines)}"


def _about_signs(lines: Sequence[str]) -> str:
    """A sentence about what looks like one of YAML's signs in these lines, with a space before."""
    other = odd_text.sign("\n".join(_COMMENT.sub("", line) for line in lines))
    return f" {odd_text.named(other)} stands there, which is none of YAML's signs." if other else ""


def _child(node: yaml.Node, step: str | int) -> tuple[int, yaml.Node] | None:
    """The value under a key or at a list position, with the line on which its key stands."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == step:
                return key.start_mark.line + 1, value
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step].start_mark.line + 1, node.value[step]
    return None


def _kind(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a group of keys"
    return "a list" if isinstance(node, yaml.SequenceNode) else "a single value"


class _Refused(Exception):
    """Valid YAML that an input file must not hold."""

    def __init__(self, mark: yaml.Mark, sentence: str) -> None:
        super().__init__(sentence)
        self.line = mark.line + 1
        self.sentence = sentence


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader with YAML 1.2's plain words and without what an order never needs."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text
        self.level = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node:
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            raise _Refused(
                event.start_mark,
                "found an anchor or an alias (& or *); allowed is the value itself. "
                "Write it out, or put a text that begins with & or * in quotes.",
            )
        if event.tag:
            raise _Refused(
                event.start_mark,
                "found a tag (!); allowed is the plain value. "
                "Remove the tag, or put a text that begins with ! in quotes.",
            )
        if self.level == DEEPEST_LEVEL:
            raise _Refused(
                event.start_mark,
                f"found more than {DEEPEST_LEVEL} levels within each other; no key needs as many. "
                "Check brackets and indentation.",
            )
        self.level += 1
        node = super().compose_node(parent, index)
        self.level -= 1
        if isinstance(node, yaml.ScalarNode):
            self._must_be_plain(node)
            if node.tag.endswith(":int") and len(node.value) > 18:
                raise _Refused(node.start_mark, "found a number too large. Check its digits.")
        return node

    def _must_be_plain(self, node: yaml.ScalarNode) -> None:
        """What is read is what its writer sees.

        Raises:
            _Refused: it is not.
        """
        place = odd_text.unseen(node.value.replace("\t", " "))
        if place is not None and unicodedata.name(node.value[place], ""):
            one = node.value[place]
            raise _Refused(node.start_mark, f"found {odd_text.named(one)}, {odd_text.remedy(one)}")
        if _UNUSABLE.search(node.value):
            raise _Refused(
                node.start_mark, "found a control character. Remove the escape sequence."
            )
        text_or_nothing = node.tag.endswith((":str", ":null")) and node.style not in ("|", ">")
        if text_or_nothing and _CUT_OFF.match(self.text, node.end_mark.index):
            raise _Refused(
                node.end_mark,
                "found a # behind a space, which begins a comment: what follows would be lost. "
                f"{_IN_QUOTES} If it is a comment, put a space and a word behind the #.",
            )
        if node.style is None and (imitation := odd_text.imitation(node.value)):
            raise _Refused(node.start_mark, f"{imitation}. Write it so.")

    def compose_mapping_node(self, anchor: str | None) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        first: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _Refused(
                    key.start_mark,
                    f"found {_kind(key)} as a key; allowed is a word. Check brackets and braces.",
                )
            if key.value in first:
                raise _Refused(
                    key.start_mark,
                    f"key '{key.value[:60]}' stands twice, first on line {first[key.value]}. "
                    "Keep one of them.",
                )
            first[key.value] = key.start_mark.line + 1
            # A key is always text: `200:` and `on:` name things like any other word.
            key.tag = "tag:yaml.org,2002:str"
        return node


for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", list("-+0123456789")),
    ("float", r"[-+]?(?:0|[1-9][0-9]*)\.[0-9]+", list("-+0123456789")),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})$"), _first
    )

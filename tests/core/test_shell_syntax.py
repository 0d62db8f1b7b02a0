"""Where a word's quotes hold, as a POSIX shell reads a text."""

from __future__ import annotations

import pytest

from gatepass.endpoint.shell_syntax import (
    ARITHMETIC,
    COMMENT,
    ESCAPED,
    EXPANSION,
    HERE_DOCUMENT,
    context,
)

OPEN = {
    "": ["", "ls ", "ls 'a' ", 'ls "a b" ', "a=$(ls ", "(ls ", '"$(ls ', "# it's\n", "n=$((1)) "],
    "'": ["'", "ls 'a b", "a='\"", '"$(ls \''],
    '"': ['"', 'ls "a\\"', '"$(ls)', '"$((1))', '"$(ls "$a" b)'],
    "`": ["`", "a=`ls ", '"`ls ', "`ls $(cat ", "`ls 'a' "],
    COMMENT: ["#", "ls # ", "ls;# it's "],
    ARITHMETIC: ["$((", "n=$((1+", '"$((', "$(('"],
    HERE_DOCUMENT: ["cat <<", "cat <<EOF\n", "cat <<-EOF\n\n", "cat <<<"],
    ESCAPED: ["\\", "ls a\\", '"\\'],
    EXPANSION: ["$", "ls a$"],
}


@pytest.mark.parametrize(
    ("text", "where"), [(text, where) for where, texts in OPEN.items() for text in texts]
)
def test_what_is_open_behind_a_text(text: str, where: str) -> None:
    assert context(text) == where


@pytest.mark.parametrize("text", ["echo $#", "${a#b}", "a#b", "ls a\\#", "echo '#'", '"#"'])
def test_no_comment_begins_there(text: str) -> None:
    assert context(f"{text} ") == ""

"""The one way to a shell: words are quoted by the layer, and nothing else is taken."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepass.endpoint.script import Script, joined, must_be_script, script

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)


@given(WORDS, WORDS)
def test_a_word_arrives_as_it_is_whatever_stands_in_it(first: str, second: str) -> None:
    command = script("printf '%s\\0' {first} {both} x{first}.stop", first=first, both=[second, 7])
    shown = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True)
    assert shown.stdout.decode().split("\0")[:-1] == [first, second, "7", f"x{first}.stop"]


@given(WORDS)
def test_a_script_is_a_part_and_its_text_is_a_word(word: str) -> None:
    inner = script("printf %s {word}", word=word)
    command = script("{{ {inner}; }} && sh -c {text}", inner=inner, text=str(inner))
    shown = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True)
    assert shown.stdout.decode() == word * 2


def test_numbers_and_paths() -> None:
    assert script("timeout {s:.0f} {path}", s=7.4, path=Path("/a b")) == "timeout 7 '/a b'"


def test_parts_are_joined_and_empty_ones_left_out() -> None:
    whole = joined("; ", [script("true"), script(""), script("echo {x}", x="a b")])
    assert whole == "true; echo 'a b'"
    assert isinstance(whole, Script)


NOT_APART = [
    *("echo '{x}'", 'echo "{x}"', "echo 'a' \"b{x}\"", '"\\"{x}"', "echo `ls {x}`", "echo \\{x}"),
    *("echo ${x}", 'echo "$(cat "{x}")"', "echo $(('a{x}'))", "n=$((n+{x}))", "true # not {x}"),
    *("# {x}", "cat <<EOF\n{x}\nEOF", "cat <<-EOF {x}", 'echo "$((1)) {x}"', "(echo '{x})"),
    *("a=$(echo `ls {x}`)", 'echo "`ls {x}`"'),
]


@pytest.mark.parametrize("template", NOT_APART)
def test_no_word_may_stand_where_quotes_do_not_hold(template: str) -> None:
    with pytest.raises(ValueError, match="where no quotes hold"):
        script(template, x="y")


APART = [
    *("printf %s {x}", "a=$(printf %s {x}); printf %s \"$a\"", 'printf %s "$(printf %s {x})"'),
    *("printf %s '' {x} # it's", "(printf %s {x})", "case x in x) printf %s {x};; esac"),
    *("a=b#c; printf %s {x}", "n=$((1+1)); printf %s {x}", "set -- {x}; printf %s \"$1\""),
    *("printf \"%s\" {x}", "a=\"$(echo \"b\")\"; printf %s {x}", "# it's\nprintf %s {x}"),
    *("[ $# = 0 ] && printf %s {x}", "printf %s \\\\{x} | cut -c2-"),
]


@given(st.text(st.sampled_from("ab $()`'\"\\;|&<>#*?!{{}}~"), min_size=1, max_size=12))
def test_where_quotes_hold_it_is_one_word(word: str) -> None:
    for template in APART:
        shown = subprocess.run(["/bin/sh", "-c", script(template, x=word)], capture_output=True)
        assert shown.stdout.decode().removesuffix("\n") == word, template


def test_a_number_may_stand_in_arithmetic() -> None:
    assert script("n=$((n+{x}))", x=5) == "n=$((n+5))"


@pytest.mark.parametrize("word", [None, True, b"x", object(), [None]])
def test_what_is_no_word_is_refused(word: object) -> None:
    with pytest.raises(TypeError):
        script("echo {x}", x=word)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["echo", f"echo {script('x')}", script("a") + script("b")])
def test_text_is_no_script(text: str) -> None:
    with pytest.raises(TypeError, match="takes a Script"):
        must_be_script(text)


def test_a_nul_is_refused() -> None:
    with pytest.raises(ValueError, match="NUL"):
        script("echo {x}", x="a\0b")

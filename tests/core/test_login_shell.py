"""A script that any login shell hands on as it is, and what is its own of all that comes back."""

from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepass.endpoint.login_shell import STARTERS, NoShell, encoded, wrapped

ACTED_UPON = re.compile(r"[^ -~]|!|'")
"""What some login shell acts upon within single quotes, or ends them."""


def test_the_command_of_any_script_is_harmless_in_quotes() -> None:
    asked = wrapped("printf '%s' \"a!b\\c\n\td\" ä; exit 3")
    starter, body, name, text, end = re.split(r" '|' ?", asked.command)
    assert (starter, name, end) == (f"{STARTERS[0]} -c", "gatepass", "")
    for quoted in (body, text):
        assert not ACTED_UPON.search(quoted)
        assert "\\\\" not in quoted  # which fish reads as one
        assert not quoted.endswith("\\")
    assert asked.mark not in asked.command


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_any_script_is_decoded_to_what_it_was(text: str) -> None:
    word = encoded(f"{text}.")
    assert not ACTED_UPON.search(word) and "\\\\" not in word
    done = subprocess.run(["sh", "-c", 'printf %b "$1"', "sh", word], capture_output=True)
    assert done.stdout.decode() == f"{text}."


def test_what_comes_before_and_behind_is_cut_off() -> None:
    asked = wrapped("true")
    mark = asked.mark.encode()
    printed = b"Welcome\n" + mark + b"\nan answer" + mark + b" 3\nbye\n"
    complained = b"no tty\n" + mark + b"\nwrong\n" + mark + b" 3\n"
    assert asked.begun(printed) and not asked.begun(b"Welcome\n")
    done = asked.completed(printed, complained, 9)
    assert (done.status, done.output, done.errors) == (3, "an answer", "wrong\n")


def test_an_answer_without_its_end_has_the_status_of_the_command() -> None:
    asked = wrapped("kill -9 $PPID")
    done = asked.completed(f"{asked.mark}\nhalf".encode(), b"Killed\n", 137)
    assert (done.status, done.output, done.errors) == (137, "half", "Killed\n")


def test_a_script_may_write_a_mark_of_its_own() -> None:
    asked, other = wrapped("true"), wrapped("true")
    printed = f"{asked.mark}\n{other.mark}\n{asked.mark} 7\n{asked.mark} 0\n".encode()
    assert asked.completed(printed, b"", 0).output == f"{other.mark}\n{asked.mark} 7\n"


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (b'Please login as the user "admin" rather than the user "root".', "authorized_keys"),
        (b"WARNING: Your password has expired.\n", "passwd"),
        (b"Password change required but no TTY available.", "passwd"),
        (b"This service allows sftp connections only.", "ForceCommand internal-sftp"),
        (b"rbash: line 1: sh: restricted", "chsh"),
        (b"This account is currently not available.", "chsh"),
        (b"something else", "Look there"),
        (b"", "Look there"),
    ],
)
def test_what_to_do_follows_from_what_is_answered(words: bytes, remedy: str) -> None:
    assert remedy in NoShell(words, 1).remedy


def test_of_a_long_answer_the_ends_are_shown_without_what_steers_a_terminal() -> None:
    words = NoShell(b"\x1b[2Jone\n\n two " + b"x" * 5000 + b" end\xff", None).words
    assert words.startswith("[2Jone two xx") and words.endswith("end\ufffd") and len(words) <= 200

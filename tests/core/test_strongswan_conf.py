"""What is written for strongSwan holds nothing that it would take for its own syntax."""

from __future__ import annotations

import pytest

from gatepass.endpoint.strongswan_conf import settings


def test_sections_and_values() -> None:
    told = settings({"charon": {"load": "random nonce", "threads": 32, "a-b": {"path": "/x/y.z"}}})
    assert told == (
        "charon {\n  load = random nonce\n  threads = 32\n  a-b {\n    path = /x/y.z\n  }\n}\n"
    )


@pytest.mark.parametrize(
    "value", ["", "a\nb", "a}", "a{", "a # b", 'a"b', "a = b", "include /x\n", "é", " a", "a,b"]
)
def test_a_value_that_is_more_than_one_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="no value for strongSwan"):
        settings({"charon": {"path": value}})


@pytest.mark.parametrize("name", ["", "a b", "a.b", "a{", "a\n", "include *"])
def test_a_name_that_is_more_than_one_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no name for strongSwan"):
        settings({name: {"path": "x"}})

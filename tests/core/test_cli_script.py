"""Values of the REST API as the CLI writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepass.gateway.cli_script import NotInOneLine, cli_path, quoted, setting
from lab.gateway.cli.words import commands


@pytest.mark.parametrize(
    ("attribute", "value", "line"),
    [
        ("name", "gp1-p7", "set name gp1-p7"),
        ("comment", 'a "b" \\ c', 'set comment "a \\"b\\" \\\\ c"'),
        ("comment", "", 'set comment ""'),
        ("status", "enable", "set status enable"),
        ("maximum-bandwidth", 322000, "set maximum-bandwidth 322000"),
        ("srcintf", [{"name": "port1"}, {"name": "to b", "q_origin_key": "to b"}],
         'set srcintf port1 "to b"'),
        ("mappedip", [{"range": "10.0.0.5"}], "set mappedip 10.0.0.5"),
        ("category", [{"id": 2}, {"id": 7}], "set category 2 7"),
        ("groups", [], "unset groups"),
        ("comment", None, "unset comment"),
        ("subnet", "10.0.0.5 255.255.255.255", "set subnet 10.0.0.5 255.255.255.255"),
        ("subnet", "10.0.0.0/8", "set subnet 10.0.0.0/8"),
        ("tcp-portrange", "80 443-445", "set tcp-portrange 80 443-445"),
        ("allowaccess", "ping https", "set allowaccess ping https"),
        ("subnet", '10.0.0.1 "\nend', 'set subnet 10.0.0.1 "\\"" end'),
    ],
)  # fmt: skip
def test_setting(attribute: str, value: object, line: str) -> None:
    assert setting(attribute, value) == line


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("http", {"av-scan": "block"}),
        ("entries", [{"id": 1, "action": "block"}]),
        ("entries", [{"category": [{"id": 2}]}]),
    ],
)
def test_what_is_a_block_of_its_own(attribute: str, value: object) -> None:
    with pytest.raises(NotInOneLine, match=attribute):
        setting(attribute, value)


def test_path() -> None:
    assert cli_path("firewall.shaper/traffic-shaper") == "firewall shaper traffic-shaper"


@given(st.lists(st.text(st.sampled_from("ab7 \"\\'#$?\n\tä…"), max_size=12), max_size=4))
def test_a_word_is_one_word_whatever_it_holds(values: list[str]) -> None:
    script = " ".join(["set", *map(quoted, values)]) + "\nend"
    first, last = commands(script)
    assert list(first.words) == ["set", *values]
    assert last.words == ("end",)

"""Words of others are shown without what cannot be seen, and bounded."""

from __future__ import annotations

import pytest

from gatepass.base.boxed import one_line
from gatepass.base.printable import MOST, printable, shown
from gatepass.cli import main
from gatepass.gateway.answers import GatewayLost, Refused

TURNED = "ex\u202efdp.exe\x1b[2J\u2066"


def test_what_turns_writing_round_is_left_out() -> None:
    assert printable(TURNED) == "exfdp.exe[2J" == one_line(TURNED)
    assert str(GatewayLost(TURNED)) == str(Refused(TURNED)) == "exfdp.exe[2J"


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    text = shown("order.yaml: " + "x" * 9000 + " Write less.")
    assert len(text) == MOST and text.startswith("order.yaml: x")
    assert text.endswith(" Write less.")
    assert len(str(Refused("y" * 9000))) == MOST


def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--order", f"no\n{TURNED}.yaml"]) == 64
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "exfdp.exe[2J.yaml" in said

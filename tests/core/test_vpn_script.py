"""What openconnect calls: nothing but addresses and numbers is taken of the gateway's words."""

from __future__ import annotations

import os
import subprocess
from importlib import resources
from pathlib import Path

import pytest

SCRIPT = resources.files("gatepass.endpoint.remote").joinpath("vpn_script.sh")
HONEST = {
    "reason": "connect",
    "TUNDEV": "no-such",
    "INTERNAL_IP4_ADDRESS": "198.19.210.1",
    "INTERNAL_IP4_MTU": "1400",
    "CISCO_SPLIT_INC": "1",
    "CISCO_SPLIT_INC_0_ADDR": "198.19.248.0",
    "CISCO_SPLIT_INC_0_MASKLEN": "24",
    "VPN_TABLE": "7",
}


@pytest.fixture
def called(tmp_path: Path) -> Path:
    """Where `ip` writes down that it was called; it does nothing else, and has no rules."""
    ip = tmp_path / "ip"
    ip.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/called; [ "$1" != rule ]\n')
    ip.chmod(0o755)
    return tmp_path / "called"


def run(folder: Path, **told: str) -> subprocess.CompletedProcess[str]:
    own = {"PATH": f"{folder}:{os.environ['PATH']}", "VPN_STATE": f"{folder}/state"}
    words, environment = ["sh", str(SCRIPT)], HONEST | told | own
    return subprocess.run(
        words, env=environment, cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("word", ["$(touch x)", "1;touch x", "1 2", "1\n2", "*", "`touch x`", "-x"])
@pytest.mark.parametrize("name", [name for name in HONEST if name.startswith(("INT", "CISCO"))])
def test_anything_else_makes_no_tunnel(called: Path, name: str, word: str) -> None:
    done = run(called.parent, **{name: word})
    assert done.returncode == 1 and done.stderr.startswith("The gateway's ")
    assert {path.name for path in called.parent.iterdir()} == {"ip"}


def test_what_it_should_be_is_taken(called: Path) -> None:
    assert "no-such" in run(called.parent).stderr  # it comes as far as the device, which is none


def test_at_the_end_all_is_taken_back(called: Path) -> None:
    assert run(called.parent, reason="disconnect").returncode == 0
    assert "route flush table 7" in called.read_text()

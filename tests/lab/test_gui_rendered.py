"""The gateway's web page as a browser shows it, with few policies and with very many."""

from __future__ import annotations

from pathlib import Path

import pytest
from gateway_client import GatewayUnderTest, policy
from test_gui import password

from conftest import MakeGateway
from test_certificate_rendered import CHROMIUM, looked_at

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def fill(gateway: GatewayUnderTest, count: int) -> None:
    """Give it so many policies."""
    for number in range(1, count + 1):
        gateway.post("cmdb/firewall/policy", policy(f"policy-{number}"))


@pytest.mark.parametrize(
    ("version", "count"),
    [("7.6.4", 100), pytest.param("7.4.8", 5000, marks=pytest.mark.long)],
)
def test_what_a_browser_shows(
    make_gateway: MakeGateway, tmp_path: Path, version: str, count: int
) -> None:
    gateway = make_gateway(version)
    fill(gateway, count)
    done = looked_at(
        tmp_path, "gui.robot", URL=gateway.url, PASSWORD=password(gateway),
        COUNT=f"{count:,}", LAST=str(count),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr

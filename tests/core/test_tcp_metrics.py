"""RFC 6349's figures, by its own examples."""

from __future__ import annotations

import pytest

from gatepass.verdict.tcp_metrics import (
    buffer_delay_percent,
    efficiency_percent,
    full_segment,
    goodput_share,
    transfer_time_ratio,
)


def test_by_the_examples_of_the_rfc() -> None:
    # 100,000 bytes were to be sent, and 2,000 had to be sent again
    assert efficiency_percent(100_000, 2, 1000) == pytest.approx(98.04, abs=0.01)
    # 25 ms at rest, 32 ms on average during the transfer
    assert buffer_delay_percent(32, 25) == pytest.approx(28)
    # 8 s are ideal and 12 s were taken
    assert transfer_time_ratio(100 * 8 / 12, 100) == pytest.approx(1.5)


def test_segments() -> None:
    assert full_segment(1500) == 1448
    assert goodput_share(1448) == pytest.approx(1448 / 1514)

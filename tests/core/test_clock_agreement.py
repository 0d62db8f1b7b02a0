"""How far one clock is ahead of another: what follows from time stamps, and the real programs."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.endpoint import remote
from gatepass.endpoint.clock_agreement import agreement
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Detached
from gatepass.results.agreement import NOTHING_KNOWN, Agreement
from gatepass.results.agreement import agreement as followed

PORT, NS = 29_480, 1_700_000_000_000_000_000
US = 1000
delays = st.integers(1, 50_000)


@given(
    st.integers(-10_000_000, 10_000_000),
    st.lists(st.tuples(delays, delays, delays), min_size=1, max_size=20),
)
def test_the_truth_lies_between_the_bounds(ahead_us: int, ways: list[tuple]) -> None:
    exchanges = []
    for there, within, back in ways:
        came = NS + (there + ahead_us) * US
        answered = came + within * US
        exchanges.append([NS, came, answered, answered - ahead_us * US + back * US])
    seen = followed(exchanges)
    assert seen.low_us - 0.01 <= ahead_us <= seen.high_us + 0.01
    quickest = min(there for there, _, _ in ways) + min(back for _, _, back in ways)
    assert seen.error_us == pytest.approx(quickest / 2)
    assert abs(seen.offset_us - ahead_us) <= seen.error_us + 0.01


def test_of_no_exchange_nothing_follows() -> None:
    assert followed([]) == NOTHING_KNOWN and math.isinf(NOTHING_KNOWN.error_us)


def test_from_one_look_to_the_next() -> None:
    held = Agreement(90, 110, 5).and_then(Agreement(190, 230, 7))
    assert (held.offset_us, held.error_us, held.exchanges) == (160, 70, 12)
    assert (held.reversed().offset_us, held.reversed().error_us) == (-160, 70)


def test_a_clock_that_was_set_between_exchanges_tells_nothing() -> None:
    step = 100_000 * US
    before = [NS, NS + 50 * US, NS + 60 * US, NS + 110 * US]
    after = [NS, NS + 50 * US + step, NS + 60 * US + step, NS + 110 * US]
    seen = followed([before, after])
    assert math.isinf(seen.error_us)
    assert math.isinf(Agreement(0, 1, 1).and_then(seen).error_us)


class TestWithTheProgram:
    """Over a loopback of its own; both hosts have this machine's clock."""

    @pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
    def test_one_clock_agrees_with_itself(self, apart: LocalShell, address: str) -> None:
        seen = agreement(apart, apart, address, PORT)
        assert seen.exchanges > 0
        assert seen.low_us <= 0 <= seen.high_us

    def test_a_clock_that_is_ahead(self, apart: LocalShell, tmp_path: Path) -> None:
        script = (Path(remote.__file__).parent / "clock_exchange.py").read_text()
        # the answering host's: its stamps alone
        stamps = "came, time.time_ns()"
        ahead = script.replace(stamps, "came + 5_000_000, time.time_ns() + 5_000_000")
        assert ahead != script
        apart.put(ahead, f"{apart.folder()}/clock_exchange.py")
        seen = agreement(apart, apart, "127.0.0.1", PORT)
        assert seen.low_us <= 5000 <= seen.high_us

    def test_nobody_answers(self, apart: LocalShell) -> None:
        chain = f"type filter hook input priority 0; udp dport {PORT} drop;"
        assert apart.run(Script(f"nft 'table inet t {{ chain c {{ {chain} }}; }};'")).status == 0
        assert agreement(apart, apart, "127.0.0.1", PORT) == NOTHING_KNOWN

    def test_the_port_is_taken(self, apart: LocalShell) -> None:
        hold = f"import socket, time; s = socket.socket(2, 2); s.bind(('127.0.0.1', {PORT}))"
        ready = Script(f"ss -Hlun 'sport = :{PORT}' | grep -q .")
        stem = f"{apart.folder()}/other"
        holds = Script(f'python3 -c "{hold}; time.sleep(30)"')
        other = Detached.start(apart, stem, holds, 40, ready)
        with pytest.raises(NotProven, match=r"compared on the client: .*in use.* Free the UDP"):
            agreement(apart, apart, "127.0.0.1", PORT)
        other.stop()

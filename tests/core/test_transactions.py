"""Transactions between real programs in a network namespace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from local_shell import LocalShell

from crowd import Crowd
from gatepass.base.errors import NotProven
from gatepass.endpoint import remote
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Detached
from gatepass.endpoint.transactions import Exchange, run
from gatepass.results.broken import REFUSED, RESET, STOPPED, UNANSWERED, Broken

PORT, ADDRESS = 5201, "127.0.0.2"
SHORT = Exchange("UDP", 32, 256, 0.1)
REMOTE = Path(remote.__file__).parent


@pytest.mark.parametrize("protocol", ["TCP", "UDP"])
@pytest.mark.parametrize("sizes", [(1, 1), (32, 1024), (516, 4)])
def test_each_request_has_its_response(
    apart: LocalShell, protocol: str, sizes: tuple[int, int]
) -> None:
    crowd = Crowd()
    found = run(apart, apart, ADDRESS, PORT, Exchange(protocol, *sizes, 0.1))
    trial = found.trial
    assert found.per_s > 0 and trial.seconds >= 0.1
    done, asked = round(found.per_s * trial.seconds), trial.received_bytes // sizes[0]
    assert trial.received_bytes == asked * sizes[0]
    assert trial.seen == {"127.0.0.1"}
    if protocol == "TCP":
        assert found.lost_percent is None and asked == done
    else:  # on its way there, or the response on its way back
        lost = round(done * found.lost_percent / (100 - found.lost_percent))
        assert crowd.accounts_for(lost) and done <= asked <= done + lost


def test_over_ipv6(apart: LocalShell) -> None:
    assert run(apart, apart, "::1", PORT, SHORT).trial.seen == {"::1"}


def test_what_has_no_response_is_lost_and_the_next_is_sent(apart: LocalShell) -> None:
    rule = f"udp sport {PORT} numgen inc mod 50 0 drop"
    _filter(apart, rule)
    found = run(apart, apart, ADDRESS, PORT, replace(SHORT, seconds=0.5))
    assert found.per_s > 0
    assert 0 < found.lost_percent < 5
    assert found.trial.received_bytes > round(found.per_s * found.trial.seconds) * 32


def test_where_nothing_gets_through_there_are_none(apart: LocalShell) -> None:
    _filter(apart, f"udp sport {PORT} drop")
    found = run(apart, apart, ADDRESS, PORT, SHORT)
    assert (found.per_s, found.lost_percent) == (0, 100)


@pytest.mark.parametrize(
    ("rule", "how", "begun"),
    [
        ("tcp dport {0} reject with tcp reset", REFUSED, False),
        ("tcp dport {0} tcp flags syn drop", UNANSWERED, False),
        ("tcp dport {0} ct original packets gt 40 reject with tcp reset", RESET, True),
        ("tcp dport {0} ct original packets gt 40 drop", STOPPED, True),
    ],
)
def test_a_connection_that_breaks_off_is_told_as_such(
    apart: LocalShell, rule: str, how: str, begun: bool
) -> None:
    hasty = Path(apart.folder()) / "transactions.py"
    text = (REMOTE / "transactions.py").read_text()
    hasty.write_text(text.replace("SILENT_S = 10", "SILENT_S = 2"))
    _filter(apart, rule.format(PORT))
    with pytest.raises(Broken) as broken:
        run(apart, apart, ADDRESS, PORT, Exchange("TCP", 32, 32, 5))
    assert broken.value.how == how
    assert (broken.value.seconds > 0) == begun


def test_a_busy_port_is_not_proven(apart: LocalShell) -> None:
    other = Detached.start(
        apart,
        f"{apart.folder()}/other",
        Script(f"python3 -m http.server {PORT}"),
        60,
        ready=Script(f"ss -Hltn 'sport = :{PORT}' | grep -q ."),
    )
    with pytest.raises(NotProven, match="is busy on the"):
        run(apart, apart, ADDRESS, PORT, replace(SHORT, protocol="TCP"))
    other.stop()


def test_an_address_that_is_not_there_is_not_proven(apart: LocalShell) -> None:
    with pytest.raises(NotProven, match="no transaction can be made on the"):
        run(apart, apart, "198.18.99.99", PORT, SHORT)


def _filter(shell: LocalShell, rule: str) -> None:
    chain = "nft add chain inet t c '{ type filter hook input priority 0; }'"
    shell.run(Script(f"nft add table inet t && {chain} && nft add rule inet t c {rule}"))

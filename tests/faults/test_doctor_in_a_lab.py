"""`doctor` on a real lab: faults come and go, and it names each of them within seconds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from faulty_lab import NAME, FaultyLab, is_a_sentence


def told(lab: FaultyLab) -> list[dict]:
    """What keeps checks from being proven."""
    done = lab.doctor("--json")
    document = json.loads(done.stdout)
    found = [one for one in document["findings"] if one["keeps"]]
    assert done.returncode == (2 if found else 0), done.stderr
    assert all(is_a_sentence(f"{one['what'].capitalize()}. {one['remedy']}") for one in found)
    return found


@contextmanager
def mtu(lab: FaultyLab, endpoint: str, interface: str, size: int) -> Iterator[None]:
    """An interface of an endpoint takes packets of another size."""
    words = ("lab", "exec", endpoint, "--lab", NAME, "--", "ip", "link", "set", interface, "mtu")
    lab.must(*words, str(size))
    try:
        yield
    finally:
        lab.must(*words, "1500")


def test_nothing_keeps_a_whole_lab_from_being_proven(lab: FaultyLab) -> None:
    assert told(lab) == []
    assert lab.is_as_delivered()


@pytest.mark.parametrize(
    ("fault", "where", "words"),
    [
        (("iperf3-missing",), "client", "lacks iperf3"),
        (("iperf3-down",), "server", "needs iperf3 3.7 or later"),
        (("client-without-rights",), "client", "has no CAP_NET_ADMIN, CAP_NET_RAW"),
        (("iperf3-busy",), "server", "port 5201 on the server is busy"),
        (("endpoint-clock-off",), "client", "the client's clock differs by +"),
        (("host-key-changed",), "client", "a host key other than"),
        (("right-missing",), "gateway", "no right to write what belongs to fwgrp.others"),
        (("other-certificate",), "gateway", "its certificate must chain to"),
        (("tls-old",), "gateway", "the TLS connection failed"),
        (("clock-off",), "gateway", "ahead of this machine's"),
        (("licence-expired",), "gateway", "has no valid licence for antivirus"),
        (("evaluation-licence",), "gateway", "the permanent evaluation licence"),
        (("memory-short",), "gateway", "short of memory"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_fault_is_named(
    lab: FaultyLab, fault: tuple[str, ...], where: str, words: str
) -> None:
    with lab.faults(fault):
        found = told(lab)
    assert [one for one in found if one["where"] == where and words in one["what"]], found


def test_an_administrator_of_the_web_page_who_is_not_let_in_is_named(lab: FaultyLab) -> None:
    file = lab.testbed.with_name("gui-password")
    right = file.read_text()
    file.write_text("another-word")
    try:
        assert [one for one in told(lab) if "gatepass-gui is not let into" in one["what"]]
    finally:
        file.write_text(right)


def test_an_mtu_is_named(lab: FaultyLab) -> None:
    with mtu(lab, "client", "data", 1280):
        assert [one for one in told(lab) if "is 1,280, so datagrams" in one["what"]]
    with mtu(lab, "server", "direct", 1400):
        assert [one for one in told(lab) if "a packet of 1,500 bytes" in one["what"]]

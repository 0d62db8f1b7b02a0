"""A delivered configuration of 200 policies with mistakes in it: each mistake is named."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from faulty_lab import PROJECT, FaultyLab, gateway_of

POLICIES = range(1001, 1201)
DENIES = frozenset(POLICIES[9::10]) - {1040, 1200}
POOLS = {"out-1": "198.18.2.61", "out-2": "198.18.2.62"}
_PROFILES = {
    "utm-status": "enable",
    "ssl-ssh-profile": '"certificate-inspection"',
    "av-profile": '"default"',
    "webfilter-profile": '"default"',
    "ips-sensor": '"default"',
    "application-list": '"default"',
}

MISTAKES: dict[int, dict[str, str]] = {
    1011: {"srcaddr": '"net-1010"', "service": '"port-1010"'},
    1019: {"service": '"port-1018"'},
    1020: {"srcaddr": '"net-1018" "net-1019"', "service": '"port-1018"'},
    1040: {"logtraffic": "disable"},
    1051: {"utm-status": "disable"},
    1061: {"av-profile": ""},
    1072: {"nat": "enable"},
    1077: {"poolname": '"out-2"'},
    1090: {"action": "accept"},
    1101: {"schedule": '"none"'},
    1200: {"srcaddr": '"all"', "service": '"ALL"'},
}
"""What a careless hand has changed; 1019 and 1020 are one mistake: together with 1018 it is met."""
NAMED = {
    "Every Policy Can Be Met": (
        "Policy 1011 “p1011” is never met: policy 1010 before it",
        "Policy 1020 “p1020” is never met: policies 1018 and 1019 before it",
        "Policy 1101 “p1101” is never met: the time of its schedule",
    ),
    "No Policy Is Open To Everything": ("Policy 1200 “p1200” lets any address reach any",),
    "Every Policy Logs What It Lets Through": ("Policy 1040 “p1040” logs nothing",),
    "Every Policy Has The Ordered Profiles": (
        "Policy 1051 “p1051” inspects nothing",
        "Policy 1061 “p1061” lets traffic through without antivirus",
    ),
    "Every Flow That Is To Be Blocked Is Blocked": ("“p1090”, 10.20.90.77 to",),
    "Every Flow Is Translated As Agreed": (
        "was seen from 198.18.2.1, agreed is 10.20.72.77",
        "was seen from 198.18.2.62, agreed is 198.18.2.61",
    ),
}


def _policy(number: int) -> dict[str, str]:
    """A sound policy: some deny, some translate, some by a pool."""
    values = {
        "name": f'"p{number}"',
        "srcintf": '"port2"',
        "dstintf": '"port1"',
        "srcaddr": f'"net-{number}"',
        "dstaddr": '"all"',
        "action": "deny" if number in DENIES else "accept",
        "schedule": '"always"',
        "service": f'"port-{number}"',
        "logtraffic": "all",
    }
    if number in DENIES:
        return values
    if number % 10 == 7:
        values |= {"nat": "enable", "ippool": "enable", "poolname": '"out-1"'}
    elif number % 10 == 5:
        values |= {"nat": "enable"}
    return values | _PROFILES


def _edited(number: int, values: dict[str, str]) -> list[str]:
    lines = [f"set {key} {value}" if value else f"unset {key}" for key, value in values.items()]
    return [f"edit {number}", *lines, "next"]


def _script(path: str, *blocks: list[str]) -> str:
    return "\n".join([f"config {path}", *(line for block in blocks for line in block), "end", ""])


def _sound() -> str:
    nets = [[f'edit "net-{n}"', f"set subnet 10.20.{n - 1000}.0 255.255.255.0", "next"]
            for n in POLICIES]
    ports = [[f'edit "port-{n}"', f"set tcp-portrange {20000 + n}", "next"] for n in POLICIES]
    pools = [[f'edit "{name}"', f"set startip {one}", f"set endip {one}", "next"]
             for name, one in POOLS.items()]
    return (
        _script("firewall address", *nets)
        + _script("firewall service custom", *ports)
        + _script("firewall ippool", *pools)
        + _script("firewall policy", *(_edited(n, _policy(n)) for n in POLICIES))
    )


def _gone() -> str:
    return (
        _script("firewall policy", [f"delete {n}" for n in POLICIES])
        + _script("firewall ippool", [f'delete "{name}"' for name in POOLS])
        + _script("firewall service custom", [f'delete "port-{n}"' for n in POLICIES])
        + _script("firewall address", [f'delete "net-{n}"' for n in POLICIES])
    )


@contextmanager
def _delivered(lab: FaultyLab) -> Iterator[None]:
    """The lab's gateway with 200 policies more, all of them sound."""
    with gateway_of(lab.testbed) as gateway:
        gateway.run_script("sound", _sound())
    try:
        yield
    finally:
        with gateway_of(lab.testbed) as gateway:
            gateway.run_script("gone", _gone())


def test_all_of_ten_mistakes_among_200_policies_are_named(lab: FaultyLab, tmp_path: Path) -> None:
    drafted, order = tmp_path / "flows.yaml", tmp_path / "order.yaml"
    with _delivered(lab):
        lab.draft_flows(drafted)
        values = yaml.safe_load((PROJECT / "variables" / "orders" / "lab.yaml").read_text())
        values["flows"] = yaml.safe_load(drafted.read_text())["flows"]
        order.write_text(yaml.safe_dump(values))
        assert len(values["flows"]) > len(POLICIES)
        sound = lab.run("*.The customer's own rules.*", order=order)
        assert {name: check.message for name, check in sound.ran.items() if check.verdict != "pass"
                } == {}
        with gateway_of(lab.testbed) as gateway:
            wrong = (_edited(number, values) for number, values in MISTAKES.items())
            gateway.run_script("careless", _script("firewall policy", *wrong))
        ended = lab.run("*.The customer's own rules.*", order=order)
    for name, told in NAMED.items():
        check = ended.ran[name]
        assert check.verdict == "fail", name
        missing = [words for words in told if words not in check.message]
        assert not missing, check.message
    with (ended.folder / "flows.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(values["flows"]) and not [row for row in rows if row["not_proven"]]
    assert all(row["outcome"] for row in rows)
    assert lab.is_as_delivered()

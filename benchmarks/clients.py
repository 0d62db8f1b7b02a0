"""Time until 100 policies are in place: by Ansible, by fortigate-api and by the suite's own code.

Each as its user would have it: Ansible's module for policies with a loop, fortigate-api's `create`
on one connection, and the suite, which reads each policy back and compares it. They take turns on
one gateway in a lab.
"""

from __future__ import annotations

import json
import time
import warnings
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from fortigate_api import FortiGateAPI

from benchmarks import ansible_client as ansible
from benchmarks.bench_lab import MARK, BenchLab, labs
from benchmarks.table import show, spread
from gatepass.gateway.changes import remove_marked
from gatepass.gateway.rules import POLICY, RuleSet

COUNT = 100
ANSIBLE, OURS = "Ansible, fortinet.fortios", "the suite, read back and compared"
TIMES = {ANSIBLE: 1, "fortigate-api, one connection": 3, OURS: 3}

Way = Callable[[BenchLab, list[dict[str, Any]]], None]


def main(args: Namespace) -> None:
    """All ways in turn."""
    created = (_by_ansible, _by_fortigate_api, _by_us)
    ways: dict[str, Way] = dict(zip(TIMES, created, strict=True))
    if not ansible.is_installed():
        print(ansible.MISSING)
        del ways[ANSIBLE]
    taken: dict[str, list[float]] = {way: [] for way in ways}
    with labs() as (lab,), lab.inside():
        gateway = lab.gateway()
        rules = lab.rules(gateway)
        rules.set(1, nat=False)
        rows = [_row(rules, number) for number in range(COUNT)]
        for turn in range(args.times or max(TIMES.values())):
            for way, create in ways.items():
                if args.times is None and turn >= TIMES[way]:
                    continue
                begun = time.monotonic()
                create(lab, rows)
                taken[way].append(time.monotonic() - begun)
                there = {row["policyid"] for row in gateway.rows(POLICY)}
                assert there >= {row["policyid"] for row in rows}, f"{way} left some out"
                left = remove_marked(gateway, POLICY, [row["policyid"] for row in rows], MARK)
                assert not left, f"{len(left)} policies are left"
        gateway.close()
    show(
        ("way", "seconds", "a policy, ms", "against ours"),
        [
            (way, spread(values), f"{1000 * median(values) / COUNT:,.1f}",
             f"{median(values) / median(taken[OURS]):,.1f}")
            for way, values in taken.items()
        ],
    )


def _row(rules: RuleSet, number: int) -> dict[str, Any]:
    """A policy as the suite makes them, with a key of its own."""
    return rules.test_row(rules.free_id(number), nat=False)


def _by_ansible(lab: BenchLab, rows: list[dict[str, Any]]) -> None:
    device = lab.testbed.gateway
    url = urlsplit(device.url)
    place = ansible.Gateway(str(url.hostname), url.port or 443, Path(str(device.ca_file)),
                            ansible.by_token(device.token.read()))
    playbook = lab.folder / "policies.json"
    playbook.write_text(json.dumps([_play([_for_ansible(row) for row in rows])]))
    played = ansible.play(playbook, place, {})
    if played.code:
        raise SystemExit(f"Ansible: {played.text}")


def _play(rows: list[dict[str, Any]]) -> dict[str, Any]:
    module = {"vdom": "root", "state": "present", "firewall_policy": "{{ item }}"}
    task = {"name": "policies", "fortinet.fortios.fortios_firewall_policy": module,
            "loop": rows, "loop_control": {"label": "{{ item.policyid }}"}}
    return {"hosts": "all", "connection": "ansible.netcommon.httpapi", "gather_facts": False,
            "tasks": [task]}


def _for_ansible(value: Any) -> Any:
    """A row in the words of Ansible's modules."""
    if isinstance(value, dict):
        return {key.replace("-", "_"): _for_ansible(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_for_ansible(one) for one in value]
    return value


def _by_fortigate_api(lab: BenchLab, rows: list[dict[str, Any]]) -> None:
    device = lab.testbed.gateway
    url = urlsplit(device.url)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks at no certificate unless told to
        with FortiGateAPI(host=str(url.hostname), port=url.port or 443,
                          token=device.token.read()) as client:
            for row in rows:
                client.cmdb.firewall.policy.create(row).raise_for_status()


def _by_us(lab: BenchLab, rows: list[dict[str, Any]]) -> None:
    gateway = lab.gateway()
    lab.rules(gateway).changes.create_many(POLICY, rows)
    gateway.close()

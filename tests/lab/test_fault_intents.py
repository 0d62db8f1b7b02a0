"""What faults below the API make of an intent: that much and no more."""

from __future__ import annotations

from dataclasses import replace

from dataplane_config import config, policy

from lab.gateway.dataplane.faults.network import with_faults
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.intent.inspection import Inspected
from lab.gateway.dataplane.intent.model import Intent

FILES = {"profile": "f", "log": True, "rules": [
    {"name": "r", "protocols": ["HTTP", "FTP"], "action": "block", "types": ["exe"]},
]}  # fmt: skip


def inspecting(**buffering: tuple[int, bool]) -> Intent:
    """One policy that is inspected, by proxy where it says how much is buffered."""
    intent = compile_config(config(policy(1)))
    profiles = {"files": FILES, "webfilter": {"profile": "w"}}
    return replace(intent, inspected={1: Inspected({80: "HTTP"}, profiles, buffering=buffering)})


def test_policies_behind_many_are_slow() -> None:
    """What is disabled does not count, and what denies carries nothing."""
    rows = (policy(1), policy(2, status="disable"), policy(3), policy(4, action="deny"), policy(5))
    found = with_faults(
        compile_config(config(*rows)), {"large-ruleset-slow": {"policies": 2, "mbps": 70}}
    )
    assert set(found.inspected) == {5}
    assert all(one.by_process for one in found.inspected.values())
    assert found.inspector.mbps == 70


def test_a_few_policies_are_as_fast_as_ever() -> None:
    intent = compile_config(config(policy(1), policy(2)))
    assert with_faults(intent, {"large-ruleset-slow": {"policies": 2}}) == intent


def test_the_file_filter_forgets_ftp_alone() -> None:
    (found,) = with_faults(inspecting(), {"file-filter-not-ftp": {}}).inspected.values()
    assert [rule["protocols"] for rule in found.profiles["files"]["rules"]] == [["HTTP"]]
    assert found.profiles["webfilter"] == {"profile": "w"}


def test_the_web_filter_is_left_out_by_proxy_alone() -> None:
    fault = {"webfilter-not-by-proxy": {}}
    (by_proxy,) = with_faults(inspecting(HTTP=(1, False)), fault).inspected.values()
    (by_flow,) = with_faults(inspecting(), fault).inspected.values()
    assert set(by_proxy.profiles) == {"files"}
    assert set(by_flow.profiles) == {"files", "webfilter"}


def test_an_open_proxy_has_no_rules() -> None:
    found = with_faults(compile_config(config()), {"proxy-open": {}}).proxy
    assert (found.rules, found.accepts_rest) == ((), True)


def test_objects_take_time() -> None:
    found = with_faults(Intent(), {"small-objects-slow": {"milliseconds": 7}})
    assert (found.inspector.object_ms, found.inspector.mbps) == (7, 0)

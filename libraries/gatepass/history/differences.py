"""What else was different between two runs, of all that the record knows."""

from __future__ import annotations

from typing import Any

from gatepass.history.series import RecordedRun
from gatepass.results.facts import group

_MEMORY_SHARE = 0.1
"""Builds tell memory in different ways; less than this share is no difference."""
NOTHING = "Of what the record knows, nothing differs between the two runs"

_PLAIN = (
    (("gateway", "model"), "the gateway's model"),
    (("gateway", "licence"), "the gateway's licence"),
    (("gateway", "vcpus"), "the number of the gateway's vCPUs"),
    (("tier",), "the ordered tier"),
    (("inspection_mode",), "the ordered inspection mode"),
    (("profile", "name"), "the profile"),
    (("profile", "trial_s"), "a trial's length in seconds"),
    (("profile", "streams"), "the number of streams"),
    (("testbed",), "the testbed"),
    (("gatepass",), "Gatepass"),
)
_ENDPOINT = (("iperf3", "iperf3"), ("kernel", "kernel"), ("cpus", "number of CPUs"))


def differences(before: RecordedRun, after: RecordedRun) -> list[str]:
    """Phrases such as `the gateway's shaper "sgw-200" was 306 and is 250 Mbit/s`.

    The gateway comes first, then the order, then the rig. What one of the runs does not know is
    no difference.
    """
    found = [*_version(before, after), *_shapers(before.facts, after.facts)]
    for keys, name in _PLAIN:
        found += _differ(name, _fact(before, keys), _fact(after, keys))
    memory = [_fact(run, ("gateway", "memory_mb")) for run in (before, after)]
    if all(memory) and abs(memory[1] - memory[0]) > _MEMORY_SHARE * max(memory):
        found += _differ("the gateway's memory in MiB", *memory)
    for endpoint in group(before.facts, "endpoints"):
        for key, name in _ENDPOINT:
            keys = ("endpoints", endpoint, key)
            found += _differ(f"the {endpoint}'s {name}", _fact(before, keys), _fact(after, keys))
    return found


def _version(before: RecordedRun, after: RecordedRun) -> list[str]:
    builds = [_fact(run, ("gateway", "build")) for run in (before, after)]
    if before.version == after.version and None not in builds and builds[0] != builds[1]:
        return _differ(f"the build of FortiOS {before.version}", *builds)
    return _differ("FortiOS", before.version or None, after.version or None)


def _shapers(before: dict, after: dict) -> list[str]:
    settings = [group(facts, "gateway_settings").get("shapers") for facts in (before, after)]
    if None in settings:
        return []
    old, new = ({row["name"]: row for row in rows} for rows in settings)
    found = []
    for name in sorted(old.keys() | new.keys()):
        shaper = f'the gateway\'s shaper "{name}"'
        if name not in new:
            found.append(f"{shaper} ({_rate(old[name])}) is no longer in use")
        elif name not in old:
            found.append(f"{shaper} ({_rate(new[name])}) is in use since")
        elif old[name]["mbps"] != new[name]["mbps"]:
            first, last = _rate(old[name]), _rate(new[name])
            unit = " Mbit/s"
            first = first.removesuffix(unit) if last.endswith(unit) else first
            found.append(f"{shaper} was {first} and is {last}")
    return found


def _rate(shaper: dict[str, Any]) -> str:
    return f"{shaper['mbps']:g} Mbit/s" if shaper["mbps"] else "without a limit"


def _differ(name: str, before: Any, after: Any) -> list[str]:
    if before is None or after is None or before == after:
        return []
    return [f"{name} was {before} and is {after}"]


def _fact(run: RecordedRun, keys: tuple[str, ...]) -> Any:
    return group(run.facts, *keys[:-1]).get(keys[-1])

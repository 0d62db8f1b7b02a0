"""The certificate's sections on what was tested, with what, and how."""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.certificate_checks import is_baseline
from gatepass.certificate_facts import group, join
from gatepass.outcome import Outcome
from gatepass.record import Measurement
from gatepass.wording import Wording, most_digits

RFC2544_TRIAL_S = 60
"""RFC 2544, section 24: the least duration of a trial."""
DRIFT_PERCENT = 5
"""A rig that changes by more than this in a run is told as a deviation."""
CLOCK_S = 1.0
"""Logs of two hosts are hard to hold beside each other beyond this."""
_GATEWAY = (
    "serial",
    "model",
    "version",
    "build",
    "licence",
    "vcpus",
    "memory_mb",
    "hostname",
    "host",
)
_ENDPOINT = ("kernel", "iperf3", "cpus", "clock_offset_s")


@dataclass(frozen=True)
class BaselineRow:
    """The path without the gateway, once."""

    when: str
    measured: str
    spread: str
    trials: str
    layer: str


@dataclass(frozen=True)
class Rig:
    """The gateway and what it was tested with.

    Attributes:
        gateway: label and value; empty where the gateway is not known.
        endpoints: a row an endpoint: its name, then the columns of `_ENDPOINT`.
        baseline: before and after.
        drift: what changed between the two; empty where it cannot be told.
    """

    gateway: list[tuple[str, str]]
    endpoints: list[tuple[str, ...]]
    baseline: list[BaselineRow]
    drift: str


def rig(outcome: Outcome, words: Wording) -> Rig:
    """What was tested, and with what."""
    change = _drift(outcome)
    percent = "" if change is None else words.signed(change)
    return Rig(
        _gateway(outcome, words),
        _endpoints(outcome, words),
        _baseline(outcome, words),
        words["baseline_drift"].format(percent=percent) if percent else "",
    )


def method(outcome: Outcome, words: Wording) -> list[tuple[str, str]]:
    """Profile in words, start and duration."""
    label = words["method"]
    facts = _profile(group(outcome.run, "profile"), words)
    if started := outcome.run.get("started"):
        facts.append((label["date"], words.date(started)))
    facts.append((label["elapsed"], words.duration(outcome.elapsed_s)))
    if testbed := group(outcome.run, "testbed").get("name"):
        facts.append((label["testbed"], str(testbed)))
    return facts


def deviations(outcome: Outcome, words: Wording) -> list[str]:
    """In what the run differs from the published methods, or from a whole run of Gatepass."""
    texts = words["deviations"]
    profile = group(outcome.run, "profile")
    told = []
    if arguments := outcome.run.get("robot_arguments"):
        told.append(texts["arguments"].format(arguments=" ".join(map(str, arguments))))
    seconds = profile.get("trial_s")
    if isinstance(seconds, int | float) and seconds < RFC2544_TRIAL_S:
        told.append(texts["short_trials"].format(seconds=words.number(seconds)))
    if profile.get("sampling") == "intervals":
        told.append(texts["intervals"])
    measured = [m for check in outcome.checks for m in check.measurements]
    if {m.layer for m in measured if m.unit == "Mbit/s"} == {"TCP goodput"}:
        told.append(texts["goodput_only"])
    change = _drift(outcome)
    if change is not None and abs(change) > DRIFT_PERCENT:
        told.append(texts["drift"].format(percent=words.signed(change)))
    for name, facts in group(outcome.run, "endpoints").items():
        offset = facts.get("clock_offset_s") if isinstance(facts, dict) else None
        if isinstance(offset, int | float) and abs(offset) > CLOCK_S:
            endpoint = words["endpoints"].get(name, name).lower()
            seconds = words.signed(offset)
            told.append(texts["clock"].format(endpoint=endpoint, seconds=seconds))
    return told


def _profile(profile: dict, words: Wording) -> list[tuple[str, str]]:
    label, value = words["method"], words["method_values"]
    facts = []
    if name := profile.get("name"):
        description = profile.get("description")
        facts.append((label["profile"], f"{name}: {description}" if description else str(name)))
    if profile.get("trial_s") and profile.get("streams"):
        text = value["trial"] if profile.get("omit_s") else value["trial_whole"]
        told = text.format(
            trial=words.number(profile["trial_s"]),
            omit=words.number(profile.get("omit_s") or 0),
            streams=words.number(profile["streams"]),
        )
        facts.append((label["trial"], told))
    if profile.get("max_trials") and profile.get("confidence"):
        fewest, most = profile.get("min_trials") or 1, profile["max_trials"]
        told = value["repeats" if fewest < most else "repeats_fixed"].format(
            fewest=words.number(fewest),
            most=words.number(most),
            confidence=words.number(profile["confidence"] * 100),
        )
        facts.append((label["repeats"], told))
    return facts


def _gateway(outcome: Outcome, words: Wording) -> list[tuple[str, str]]:
    gateway = group(outcome.run, "gateway")
    if not gateway:
        return []
    facts = []
    for key in _GATEWAY:
        value = gateway.get(key)
        if key == "memory_mb" and isinstance(value, int | float):
            value = words["memory"].format(figure=words.number(value))
        facts.append((words["gateway"][key], _cell(key, value, words)))
    testbed = group(outcome.run, "testbed")
    if testbed.get("client_port") and testbed.get("server_port"):
        ports = words["ports"].format(client=testbed["client_port"], server=testbed["server_port"])
        facts.append((words["gateway"]["ports"], ports))
    return facts


def _endpoints(outcome: Outcome, words: Wording) -> list[tuple[str, ...]]:
    rows = []
    for name in ("client", "server"):
        facts = group(outcome.run, "endpoints", name)
        if facts:
            cells = (_cell(key, facts.get(key), words) for key in _ENDPOINT)
            rows.append((words["endpoints"][name], *cells))
    return rows


def _cell(key: str, value: object, words: Wording) -> str:
    if value in (None, ""):
        return words["not_known"]
    if key == "clock_offset_s" and isinstance(value, int | float):
        return words["seconds"].format(figure=words.signed(value, 2))
    return words.number(value) if isinstance(value, float) else str(value)


def _baselines(outcome: Outcome) -> list[Measurement]:
    return [m for check in outcome.checks for m in check.measurements if is_baseline(m.promise)]


def _baseline(outcome: Outcome, words: Wording) -> list[BaselineRow]:
    measured = _baselines(outcome)
    decimals = most_digits(measured)
    when = words["baseline_when"]
    return [
        BaselineRow(
            when=when.get(m.conditions, m.conditions or words["none"]),
            measured=words.number(m.value, decimals),
            spread=words["none"]
            if m.half_width is None
            else f"± {words.number(m.half_width, decimals)}",
            trials=words.number(len(m.trials)),
            layer=join((m.unit, m.layer)),
        )
        for m in measured
    ]


def _drift(outcome: Outcome) -> float | None:
    """Change of the baseline from before to after, in per cent; None where one is missing."""
    by_time = {m.conditions: m for m in _baselines(outcome)}
    before, after = by_time.get("before"), by_time.get("after")
    if before is None or after is None or not before.value or before.unit != after.unit:
        return None
    return (after.value - before.value) / before.value * 100

"""The certificate's facts on what was tested, with what, and how."""

from __future__ import annotations

from markupsafe import Markup, escape

from gatepass.base.phrase import say
from gatepass.report.phrases import filled, shortened
from gatepass.report.wording import Wording
from gatepass.results.facts import group
from gatepass.results.outcome import Outcome
from gatepass.results.promises import of_rig
from gatepass.results.record import Measurement
from gatepass.verdict.ceiling import FACT as ABOVE_CEILING
from gatepass.verdict.rfc9411 import UNSTEADY_PERCENT

RFC2544_TRIAL_S = 60
"""RFC 2544, section 24: the least duration of a trial."""
DRIFT_PERCENT = 5
"""A rig that changes by more than this in a run is told as a deviation."""
CLOCK_S = 1.0
"""Logs of two hosts are hard to hold beside each other beyond this."""
LONGEST_ARGUMENTS = 160
_GATEWAY = ("serial", "model", "version", "licence", "vcpus", "memory_mb", "host")
_ENDPOINT = ("kernel", "iperf3", "cpus", "clock_offset_s")
Facts = list[tuple[str, str | Markup]]


def gateway(outcome: Outcome, words: Wording) -> Facts:
    """What was tested; empty where the gateway is not known."""
    known = group(outcome.run, "gateway")
    if not known:
        return []
    facts: Facts = [(words["gateway"][key], _gateway_fact(key, known, words)) for key in _GATEWAY]
    testbed = group(outcome.run, "testbed")
    if testbed.get("client_port") and testbed.get("server_port"):
        ports = words["ports"].format(client=testbed["client_port"], server=testbed["server_port"])
        facts.append((words["gateway"]["ports"], ports))
    return facts


def about_test(outcome: Outcome, words: Wording) -> Facts:
    """Profile, time and place of the test."""
    label = words["method"]
    facts: Facts = []
    profile = group(outcome.run, "profile")
    if name := profile.get("name"):
        facts.append((label["profile"], _profile_name(name, profile.get("description"), words)))
    if started := outcome.run.get("started"):
        facts.append((label["date"], words.date(started)))
    facts.append((label["elapsed"], words.duration(outcome.elapsed_s)))
    if testbed := group(outcome.run, "testbed").get("name"):
        facts.append((label["testbed"], str(testbed)))
    facts.append((label["run"], str(outcome.run.get("run_id") or words["not_known"])))
    return facts


def rig(outcome: Outcome, words: Wording) -> Facts:
    """How it was measured, with what, and what that carries by itself."""
    facts = _trials(group(outcome.run, "profile"), words)
    for name, known in group(outcome.run, "endpoints").items():
        if isinstance(known, dict):
            cells = {key: _cell(key, known.get(key), words) for key in _ENDPOINT}
            label = words["rig"].get(name, name)
            text = filled(words["rig"]["host"], **cells)
            if known.get("esp"):
                text += filled(words["rig"]["esp"], esp=words.named("esp_in", known["esp"]))
            facts.append((label, text))
    facts.append((words["rig"]["baseline"], _baseline(outcome, words)))
    facts += _repeated(outcome, words)
    return facts


def _repeated(outcome: Outcome, words: Wording) -> Facts:
    """What the rig itself disturbed and had to be measured again; nothing where nothing was."""
    trials = [trial for check in outcome.checks for trial in check.trials]
    aside = [trial for trial in trials if trial.get("set_aside")]
    if not aside:
        return []
    lasted = (trial.get("lasted_s") for trial in aside)
    seconds = sum(one for one in lasted if isinstance(one, int | float))
    text = filled(
        words["rig"]["repeated_value"],
        count=str(len(aside)),
        all=str(len(trials)),
        duration=words.duration(seconds),
    )
    return [(words["rig"]["repeated"], text)]


def deviations(outcome: Outcome, words: Wording) -> list[Markup]:
    """In what the run differs from the published methods, or from a whole run of Gatepass.

    Args:
        outcome: of the run.
        words: of the page's language.
    """
    texts = words["deviations"]
    profile = group(outcome.run, "profile")
    found = [
        *_weak_ciphers(outcome, words),
        *_unsteady(outcome, words),
        *_above_the_ceiling(outcome, words),
    ]
    if arguments := outcome.run.get("robot_arguments"):
        typed = shortened(" ".join(map(str, arguments)), words, LONGEST_ARGUMENTS)
        found.append(filled(texts["arguments"], arguments=typed))
    seconds = profile.get("trial_s")
    if isinstance(seconds, int | float) and seconds < RFC2544_TRIAL_S:
        found.append(filled(texts["short_trials"], seconds=words.number(seconds)))
    if profile.get("sampling") == "intervals":
        found.append(escape(texts["intervals"]))
    measured = [m for check in outcome.checks for m in check.measurements]
    if {m.layer for m in measured if m.unit == "Mbit/s"} == {"TCP goodput"}:
        found.append(escape(texts["goodput_only"]))
    if group(outcome.run, "order").get("objectives_proposed"):
        level = str(group(outcome.run, "order").get("service_level", ""))
        found.append(filled(texts["proposals"], level=level))
    change = _drift(outcome)
    if change is not None and abs(change) > DRIFT_PERCENT:
        found.append(filled(texts["drift"], percent=words.signed(change)))
    for name, facts in group(outcome.run, "endpoints").items():
        count = facts.get("unwatched") if isinstance(facts, dict) else None
        if isinstance(count, int) and count:
            endpoint = words["rig"].get(name, name).lower()
            found.append(
                filled(texts["unwatched"], endpoint=endpoint, count=words.number(count))
            )
        offset = facts.get("clock_offset_s") if isinstance(facts, dict) else None
        if isinstance(offset, int | float) and abs(offset) > CLOCK_S:
            endpoint = words["rig"].get(name, name).lower()
            found.append(
                filled(texts["clock"], endpoint=endpoint, seconds=words.signed(offset))
            )
    return found


def _weak_ciphers(outcome: Outcome, words: Wording) -> list[Markup]:
    found = {
        m.conditions: str(m.facts["weak"])
        for check in outcome.checks
        for m in check.measurements
        if m.facts.get("weak") and not m.observed
    }
    text = words["deviations"]["weak"]
    return [
        filled(text, conditions=words.said(conditions))
        + " "
        + words.named("weak_ciphers", conditions.part("label"), f"{why.rstrip('.')}.")
        for conditions, why in found.items()
    ]


def _unsteady(outcome: Outcome, words: Wording) -> list[Markup]:
    """Figures that break RFC 9411's rule of a steady rate, which the promise does not ask for."""
    found = {
        m.conditions: m.facts["deviation_percent"]
        for check in outcome.checks
        for m in check.measurements
        if isinstance(m.facts.get("deviation_percent"), int | float)
    }
    texts = [
        words.said(conditions) + escape(f" ({words.number(percent)} %)")
        for conditions, percent in found.items()
        if percent >= UNSTEADY_PERCENT
    ]
    text = words["deviations"]["unsteady"]
    return [filled(text, conditions=Markup(", ").join(texts))] if texts else []


def _above_the_ceiling(outcome: Outcome, words: Wording) -> list[Markup]:
    measured = [m for check in outcome.checks for m in check.measurements]
    above = [m for m in measured if ABOVE_CEILING in m.facts]
    tunnels = [
        filled(
            words["decision"]["tunnel"],
            promise=words.said(say(m.promise)),
            conditions=words.said(m.conditions),
            figure=words.figure(m),
        )
        for m in above
    ]
    if not tunnels:
        return []
    ceiling = words.number(above[0].facts[ABOVE_CEILING])
    listed = Markup("; ").join(tunnels)
    return [filled(words["decision"]["above_ceiling"], ceiling=ceiling, tunnels=listed)]


def _profile_name(name: str, description: object, words: Wording) -> str | Markup:
    if not description:
        return str(name)
    text = words.named("profiles", name, description)
    return filled(words["method_values"]["profile"], name=name, description=text)


def _trials(profile: dict, words: Wording) -> Facts:
    label, value = words["method"], words["method_values"]
    facts: Facts = []
    if profile.get("trial_s") and profile.get("streams"):
        text = value["trial"] if profile.get("omit_s") else value["trial_whole"]
        trials = text.format(
            trial=words.number(profile["trial_s"]),
            omit=words.number(profile.get("omit_s") or 0),
            streams=words.number(profile["streams"]),
        )
        facts.append((label["trial"], trials))
    if profile.get("max_trials") and profile.get("confidence"):
        fewest, most = profile.get("min_trials") or 1, profile["max_trials"]
        trials = value["repeats" if fewest < most else "repeats_fixed"].format(
            fewest=words.number(fewest),
            most=words.number(most),
            confidence=words.number(profile["confidence"] * 100),
        )
        facts.append((label["repeats"], trials))
    return facts


def _gateway_fact(key: str, facts: dict, words: Wording) -> str:
    value = facts.get(key)
    if key == "memory_mb" and isinstance(value, int | float):
        return words["memory"].format(figure=words.number(value))
    if key == "version" and value and facts.get("build"):
        return words["version_build"].format(version=value, build=facts["build"])
    if key == "licence" and value:
        return words["licence_values"].get(value, str(value))
    return _cell(key, value, words)


def _cell(key: str, value: object, words: Wording) -> str:
    if value in (None, ""):
        return words["not_known"]
    if key == "clock_offset_s" and isinstance(value, int | float):
        return words["seconds"].format(figure=words.signed(value, 2))
    return words.number(value) if isinstance(value, float) else str(value)


def _baselines(outcome: Outcome) -> list[Measurement]:
    return [m for check in outcome.checks for m in check.measurements if of_rig(m.promise)]


def _baseline(outcome: Outcome, words: Wording) -> str:
    carried = _carried(outcome, words)
    asked = {m.facts["asked_mbps"] for m in _baselines(outcome) if "asked_mbps" in m.facts}
    if len(asked) != 1:  # of an older run: as fast as it went
        return carried
    return words["baseline_asked"].format(carried=carried, asked=words.number(asked.pop()))


def _carried(outcome: Outcome, words: Wording) -> str:
    by_time = {m.conditions.name: m for m in _baselines(outcome)}
    change = _drift(outcome)
    if change is not None:
        return words["baseline_value"].format(
            figure=words.figure(by_time["before"]),
            again=words.figure(by_time["after"]),
            percent=words.signed(change),
        )
    for when, measured in by_time.items():
        text = words["baseline_half"]
        name = words["baseline_when"].get(when, when)
        return text.format(figure=words.figure(measured), when=name)
    return words["baseline_unknown"]


def _drift(outcome: Outcome) -> float | None:
    """Change of the baseline from before to after, in per cent; None where one is missing."""
    by_time = {m.conditions.name: m for m in _baselines(outcome)}
    before, after = by_time.get("before"), by_time.get("after")
    if before is None or after is None or not before.value or before.unit != after.unit:
        return None
    return (after.value - before.value) / before.value * 100

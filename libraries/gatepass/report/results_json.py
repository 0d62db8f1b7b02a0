"""``results.json``: a whole run as one document that a program reads.

A function of ``output.xml`` alone, like the certificate: the same results make the same bytes. The
format is documented in docs/results-json.md and described by docs/results.schema.json.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gatepass.report.phrases import target
from gatepass.report.reasons import ShownReason, in_words, likely, reasons
from gatepass.report.wording import FALLBACK, wording
from gatepass.results.facts import group
from gatepass.results.outcome import Check, Outcome
from gatepass.results.promises import named
from gatepass.results.record import (
    FAIL,
    NOT_APPLICABLE,
    NOT_PROVEN,
    PASS,
    Cause,
    Measurement,
    Restoration,
)
from gatepass.verdict.judgement import figure_verdict

FORMAT = "gatepass-results"
VERSION = 1
"""Goes up when a key goes away or changes its meaning; a new key leaves it as it is."""
NAME = "results.json"


def document(outcome: Outcome, digest: str) -> dict[str, Any]:
    """The document of a run.

    Args:
        outcome: what ``output.xml`` tells; facts may be missing where the run ended early.
        digest: SHA-256 of that ``output.xml``, hexadecimal.
    """
    run, found = outcome.run, reasons(outcome)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "run": {
            "id": run.get("run_id"),
            "started": run.get("started"),
            "duration_s": outcome.elapsed_s,
            "gatepass": run.get("gatepass"),
            "robot_arguments": run.get("robot_arguments", []),
            "output_sha256": digest,
        },
        "verdict": outcome.verdict,
        "reasons": _sentences(found),
        "causes": [_reason(reason) for reason in found],
        "counts": {
            verdict: outcome.count(verdict) for verdict in (PASS, FAIL, NOT_PROVEN, NOT_APPLICABLE)
        },
        "lab": outcome.lab,
        **{
            name: group(run, name)
            for name in (
                *("order", "tier", "gateway", "gateway_settings"),
                *("testbed", "endpoints", "profile"),
            )
        },
        "restoration": _restoration(outcome.restoration),
        "checks": [_check(check) for check in outcome.checks],
    }
    return _finite(document)


def text(document: dict[str, Any]) -> str:
    """A document as the text of ``results.json``."""
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def write(document: dict[str, Any], folder: Path) -> Path:
    """Write ``results.json`` into a folder; an older one is replaced.

    Raises:
        OSError: it cannot be written.
    """
    target = folder / NAME
    target.write_text(text(document), encoding="utf-8", errors="replace", newline="\n")
    return target


def _sentences(found: Sequence[ShownReason]) -> list[str]:
    """A sentence for each check that a reason spoils, and for each reason that is none of a check.
    """
    return list(
        dict.fromkeys(
            sentence
            for reason in found
            for sentence in (
                [f"{check.name}: {check.message}" for check in reason.checks] or [reason.text]
            )
        )
    )


def _reason(reason: ShownReason) -> dict[str, Any]:
    words = wording(FALLBACK)
    return {
        "verdict": reason.verdict,
        "kind": reason.kind,
        "name": reason.name,
        "gravity": reason.gravity[0].name.lower().replace("_", " "),
        "text": str(in_words(reason, words).unescape()),
        "likely": str(likely(reason, words).unescape()),
        "checks": [
            {"chapter": check.chapter, "name": check.name, "page": target(check)}
            for check in reason.checks
        ],
    }


def _restoration(restoration: Restoration | None) -> dict[str, Any] | None:
    if restoration is None:
        return None
    return {
        "identical": restoration.identical,
        "differences": list(restoration.differences),
        "left": list(restoration.left),
        "problem": restoration.problem,
        "others": list(restoration.others),
    }


def _check(check: Check) -> dict[str, Any]:
    return {
        "chapter": check.chapter,
        "name": check.name,
        "verdict": check.verdict,
        "ran": not check.not_run,
        "message": check.message,
        "documentation": check.documentation,
        "duration_s": check.elapsed_s,
        "tags": list(check.tags),
        "measurements": [_measurement(one, check.verdict) for one in check.measurements],
        "evidence": [
            {
                "claim": str(one.claim),
                "identity": one.claim.as_json(),
                "observed": one.observed,
                "holds": one.holds,
            }
            for one in check.evidence
        ],
        "causes": [_cause(cause) for cause in check.causes],
        "trials": [_trial(noted) for noted in check.trials],
    }


def _trial(noted: Mapping[str, Any]) -> dict[str, Any]:
    """A trial as it ran; what its note does not tell is null."""
    number, began = noted.get("number"), noted.get("began")
    return {
        "number": number if isinstance(number, int) else None,
        "files": f"trials/{number:03d}-*" if isinstance(number, int) else None,
        "began": _moment(began) if isinstance(began, int | float) else None,
        "lasted_s": _number(noted.get("lasted_s")),
        "to": str(noted["to"]) if noted.get("to") else None,
        "mbps": _number(noted.get("mbps")),
        "set_aside": str(noted.get("set_aside") or ""),
    }


def _moment(seconds: float) -> str | None:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _cause(cause: Cause) -> dict[str, Any]:
    about = {
        "promise": named(cause.promise) if cause.promise else "",
        "conditions": str(cause.conditions),
    }
    return {"name": cause.name, "sentence": cause.sentence, "weight": cause.weight, **about}


def _measurement(measurement: Measurement, of_check: str) -> dict[str, Any]:
    return {
        "promise": named(measurement.promise),
        "conditions": str(measurement.conditions),
        "identity": {
            "promise": measurement.promise,
            "conditions": measurement.conditions.as_json(),
        },
        "value": measurement.value,
        "unit": measurement.unit,
        "layer": measurement.layer,
        "half_width": measurement.half_width,
        "confidence": measurement.confidence,
        "fail_half_width": measurement.fail_half_width,
        "fail_error": measurement.fail_error,
        "threshold": measurement.threshold,
        "relation": measurement.relation,
        "verdict": figure_verdict(measurement, of_check),
        "margin_percent": measurement.margin_percent,
        "baseline": measurement.baseline,
        "observed": measurement.observed,
        "tried": measurement.tried,
        "trials": list(measurement.trials),
        "trial_numbers": list(measurement.numbers),
        "series": list(measurement.series),
        "series_interval_s": measurement.series_interval_s,
        "facts": measurement.facts,
    }


def _finite(value: Any) -> Any:
    """The same with null for what is no finite number, which JSON cannot hold."""
    if isinstance(value, dict):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value

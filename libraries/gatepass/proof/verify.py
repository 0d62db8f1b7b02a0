"""Is a run's record what it was when the run ended, and does all of it follow from its trials?

Asked of the folder of a run. Of a certificate alone, and an ``output.xml``, see `report.verify`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gatepass.base.digests import has_digest
from gatepass.base.errors import InputError
from gatepass.proof import (
    chain,
    downloads,
    evidence_again,
    log_again,
    made_again,
    moments,
    plan_again,
    queue_delays,
    robot_output,
    signed_pdf,
    subject,
    vouching,
)
from gatepass.proof.delays_and_losses import kept_delays
from gatepass.proof.findings import Findings, Trust
from gatepass.proof.folder import CERTIFICATE, LEFT_BEHIND, SUMS, proof, sealed
from gatepass.proof.outside import left_behind
from gatepass.proof.recomputed import contradictions, other_program, recomputed
from gatepass.report import results_json
from gatepass.report import verify as page
from gatepass.results.outcome import Outcome, read_digested

OUTPUT = "output.xml"
CERTIFICATES = ("certificate.html", CERTIFICATE)
_MOST_KEYS = 12
"""Differences of a document that are told; the first of them says it."""


def verify(folder: Path, trust: Trust) -> Findings:
    """Look at everything in the folder of a run.

    Args:
        folder: of the run.
        trust: who may sign and stamp.

    Raises:
        InputError: it is no folder of a run, or the files of `trust` cannot be read.
    """
    found, outcome = record(folder)
    vouching.look(folder, outcome, trust, found)
    signed_pdf.look(folder, trust, found)
    return found


def record(folder: Path) -> tuple[Findings, Outcome | None]:
    """Look at all that a run has left, whoever vouches for it.

    Args:
        folder: of the run.

    Returns:
        What was found, and what its ``output.xml`` tells; None where that cannot be read.

    Raises:
        InputError: it is no folder of a run.
    """
    found = Findings()
    named = sealed(folder)
    away = left_behind(folder) & named.keys()
    named = {name: digest for name, digest in named.items() if name not in away}
    found.wrong += _changed_files(folder, named, away)
    found.seen.append(f"{len(named)} files, as {SUMS} lists them")
    if away:
        found.open.append(
            f"{len(away)} files stayed behind when this was exported ({LEFT_BEHIND}), and what "
            "follows from them was not looked at"
        )
    outcome, digest = _outcome(folder, found)
    if outcome:
        found.program = other = other_program(folder)
        found.wrong += _other_document(folder, outcome, digest, same_program=not other)
        probes = kept_delays(folder)
        found.wrong += contradictions(outcome, folder, probes, same_program=not other)
        evidence_again.look(outcome, folder, found, same_program=not other)
        _as_robot_has_it(outcome, digest, folder, found, same_program=not other)
        count = recomputed(outcome, probes, same_program=not other)
        found.seen.append(f"means and bounds, made again from their trials: {count}")
        if other:
            found.open.append(
                f"This is another copy of Gatepass than the run's ({other} is not the same)"
            )
            remarks = [downloads.not_kept(outcome, folder), queue_delays.not_kept(outcome)]
            found.open += filter(None, remarks)
        _certificates(folder, named, found, same_program=not other)
    chain.look(folder, str(outcome.run.get("run_id", "")) if outcome else "", found)
    return found, outcome


def _as_robot_has_it(
    outcome: Outcome, digest: str, folder: Path, found: Findings, same_program: bool
) -> None:
    """What stands in the output around the records, and in Robot's pages."""
    try:
        output = robot_output.read(folder / OUTPUT)
    except InputError as error:
        found.wrong.append(str(error))
        return
    found.wrong += moments.contradictions(outcome, output, folder)
    found.wrong += subject.contradictions(outcome, output, folder)
    found.wrong += log_again.counts(output)
    found.wrong += made_again.counts(output, folder)
    found.wrong += made_again.cases(outcome, folder)
    if same_program:
        found.wrong += log_again.contradictions(output)
        found.wrong += made_again.documents(outcome, digest, folder)
        found.wrong += plan_again.contradictions(outcome, folder)


def _certificates(
    folder: Path, named: Mapping[str, str], found: Findings, same_program: bool
) -> None:
    """Make them again; another copy of Gatepass may write one otherwise, and accuses nobody."""
    for name in CERTIFICATES:
        path = folder / name
        if not path.is_file():
            continue
        finding = page.verify(path, folder / OUTPUT)
        if finding.unchanged:
            found.seen.append(f"{name}, made again")
            found.open += [finding.left] * bool(finding.left)
        elif same_program or not has_digest(path, named.get(name, "")):
            found.wrong.append(finding.sentence)
        else:
            found.open.append(
                f"{name} has the check sum that it was sealed with; this copy of Gatepass writes "
                "it otherwise, so that its words were not compared"
            )


def _changed_files(folder: Path, named: Mapping[str, str], away: set[str]) -> Iterator[str]:
    there = {path.relative_to(folder).as_posix(): path for path in proof(folder)}
    for name, digest in named.items():
        if name not in there:
            yield f"{name} is missing."
        elif not has_digest(there[name], digest):
            yield f"{name} was changed after the run was sealed."
    for name in there.keys() - named.keys() - away:
        yield f"{name} was added after the run was sealed."


def _outcome(folder: Path, found: Findings) -> tuple[Outcome | None, str]:
    """What its ``output.xml`` tells, and the digest of that."""
    try:
        return read_digested(folder / OUTPUT)
    except InputError as error:
        found.wrong.append(f"{OUTPUT} holds no results of one run any more. {error}")
        return None, ""


def _other_document(
    folder: Path, outcome: Outcome, digest: str, same_program: bool
) -> Iterator[str]:
    """What `results.json` tells otherwise: it names whatever was altered in the record.

    Another copy of Gatepass may know keys that this run's did not, and they accuse nobody.
    """
    path = folder / results_json.NAME
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return  # the list of files has told that
    again = json.loads(results_json.text(results_json.document(outcome, digest)))
    if not same_program:
        again = _known(kept, again)
    differences = [one for one in _differences(kept, again, "") if one[0] not in _FOLLOWS]
    for key, was, now in differences[:_MOST_KEYS]:
        yield f"{results_json.NAME} and {OUTPUT} differ in {key}: {was} and {now}."
    if len(differences) > _MOST_KEYS:
        yield f"{results_json.NAME} and {OUTPUT} differ in {len(differences)} places."


_FOLLOWS = ("run.output_sha256",)
"""It is another one wherever anything is, which says nothing of what."""


_WORDED = ("claim", "conditions")
"""Of a sentence that has an identity another copy of Gatepass may have other words."""


def _known(kept: Any, again: Any) -> Any:
    """The same without the keys that the kept one does not have, and in its words."""
    if isinstance(kept, dict) and isinstance(again, dict):
        return {
            key: kept[key] if key in _WORDED else _known(kept[key], value)
            for key, value in again.items()
            if key in kept
        }
    if isinstance(kept, list) and isinstance(again, list) and len(kept) == len(again):
        return [_known(one, other) for one, other in zip(kept, again, strict=True)]
    return again


def _differences(one: Any, other: Any, key: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(one, dict) and isinstance(other, dict):
        for name in dict.fromkeys((*one, *other)):
            yield from _differences(one.get(name), other.get(name), f"{key}.{name}".lstrip("."))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (a, b) in enumerate(zip(one, other, strict=True), start=1):
            named = a.get("name") if isinstance(a, dict) else None
            yield from _differences(a, b, f"{key}[{named or number}]")
    elif isinstance(one, list) and isinstance(other, list):
        yield key, f"{len(one)} entries", f"{len(other)} entries"
    elif one != other:
        yield key, _short(one), _short(other)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"

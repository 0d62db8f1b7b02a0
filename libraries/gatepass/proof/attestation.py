"""What a run signs when it ends: an in-toto statement on its result, over its list of digests.

The statement is the Statement v1 of in-toto with the predicate test-result v0.1, in an envelope of
DSSE. Its signature is one of OpenSSH over the envelope's encoding (PAE), so that ``ssh-keygen -Y
verify`` tells whose it is, by the same file of signers as for a signature that is made later.

- https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md
- https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md
- https://github.com/secure-systems-lab/dsse/blob/master/protocol.md
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

from gatepass.base.digests import digest_of
from gatepass.base.files import contents
from gatepass.proof.folder import ATTESTATION, INPUTS, SUMS, sealed
from gatepass.proof.kept_inputs import TESTBED
from gatepass.proof.signature import NotSigned, Signed, made, who_signed
from gatepass.results.facts import group
from gatepass.results.outcome import Outcome
from gatepass.results.record import APPROVED, FAIL, NOT_PROVEN, PASS, REJECTED

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
PAYLOAD = "application/vnd.in-toto+json"
_RESULT = {APPROVED: "PASSED", NOT_PROVEN: "WARNED", REJECTED: "FAILED"}
_TESTS = {"passedTests": PASS, "warnedTests": NOT_PROVEN, "failedTests": FAIL}
_LARGEST_MIB = 64


class NotAttested(Exception):
    """There is no statement that can be read, it is not signed, or it is on something else."""


def statement(folder: Path, outcome: Outcome) -> dict[str, Any]:
    """What is known of a run that was sealed, as in-toto writes it.

    Args:
        folder: of the run, with its list.
        outcome: of the run.

    Raises:
        OSError, InputError: the list cannot be read.
    """
    listed = {SUMS: digest_of(folder / SUMS), **sealed(folder)}
    decided_by = {
        f"{INPUTS}/{name}": digest
        for name, digest in group(outcome.run, "inputs").items()
        if name != TESTBED
    }
    tests = {
        kind: [f"{one.chapter}: {one.name}" for one in _ran(outcome) if one.verdict == verdict]
        for kind, verdict in _TESTS.items()
    }
    return {
        "_type": STATEMENT,
        "subject": _described(listed),
        "predicateType": PREDICATE,
        "predicate": {
            "result": _RESULT[outcome.verdict],
            "configuration": _described(decided_by),
            **tests,
        },
    }


def _ran(outcome: Outcome) -> list:
    return [check for check in outcome.checks if not check.not_run]


def _described(named: dict[str, str]) -> list[dict[str, Any]]:
    """Files as in-toto describes them (ResourceDescriptor)."""
    return [{"name": name, "digest": {"sha256": digest}} for name, digest in named.items()]


def attest(folder: Path, outcome: Outcome, key: Path) -> Signed:
    """Sign what is known of a run, right after it was sealed.

    Args:
        folder: of the run.
        outcome: of it.
        key: private key of OpenSSH, or the public one where an agent keeps the private.

    Returns:
        What the signature tells.

    Raises:
        InputError: the key cannot be used.
        OSError: the statement cannot be written.
    """
    payload = json.dumps(statement(folder, outcome), ensure_ascii=False).encode()
    signature = made(encoded(payload), key, "the key")
    signed = who_signed(encoded(payload), signature, None)
    envelope = {
        "payload": b64encode(payload).decode(),
        "payloadType": PAYLOAD,
        "signatures": [{"keyid": signed.key, "sig": b64encode(signature).decode()}],
    }
    (folder / ATTESTATION).write_text(json.dumps(envelope) + "\n", encoding="utf-8")
    return signed


def encoded(payload: bytes) -> bytes:
    """What is signed of a statement: the pre-authentication encoding of DSSE.

    Args:
        payload: the statement as the envelope holds it.
    """
    kind = PAYLOAD.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def look(
    folder: Path, outcome: Outcome | None, signers: Path | None, same_program: bool
) -> Signed | None:
    """Who has signed a run when it ended; None where nobody has.

    Args:
        folder: of the run.
        outcome: what its record tells; None where that cannot be read.
        signers: an ``allowed_signers`` file (ssh-keygen(1)); None to look at the key alone.
        same_program: whether this copy of Gatepass would make the same statement.

    Raises:
        NotAttested: the statement does not fit the run, or its signature does not fit it.
    """
    path = folder / ATTESTATION
    if not path.is_file():
        return None
    payload, signature = _opened(path)
    try:
        signed = who_signed(encoded(payload), signature, signers)
    except NotSigned as error:
        raise NotAttested(f"it was changed after it was signed: {error}.") from None
    told = json.loads(payload)
    if outcome is None:
        return signed
    fits = statement(folder, outcome)
    if told.get("subject") != fits["subject"]:
        raise NotAttested(f"it was made of another {SUMS}, so that one was changed since.")
    if same_program and told != fits:
        raise NotAttested("it tells another result than output.xml.")
    return signed


def _opened(path: Path) -> tuple[bytes, bytes]:
    """The statement of an envelope, and its signature."""
    try:
        (line,) = contents(path, _LARGEST_MIB).decode().splitlines()
        envelope = json.loads(line)
        (signature,) = envelope["signatures"]
        payload = b64decode(envelope["payload"], validate=True)
        kinds = json.loads(payload)
        kind = envelope["payloadType"], kinds["_type"], kinds["predicateType"]
        opened = payload, b64decode(signature["sig"], validate=True)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise NotAttested("it is no signed statement that can be read.") from None
    if kind != (PAYLOAD, STATEMENT, PREDICATE):
        raise NotAttested("it is a statement of another kind.")
    return opened

"""A run that signed itself when it ended: whatever is done to it afterwards is named."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path

import pytest
from careful_forger import remade
from forging import another_observation, edited
from sealed_run import WHO, new_key, wrong

from gatepass import cli
from gatepass.proof import attestation
from gatepass.proof.attestation import attest, encoded
from gatepass.proof.findings import Code, Trust
from gatepass.proof.folder import ATTESTATION, INPUTS, SIGNATURE, SUMS, seal
from gatepass.proof.signature import sign
from gatepass.proof.signing_key import KEY
from gatepass.proof.timestamp import AUTHORITY, stamp
from gatepass.proof.verify import verify
from gatepass.results.outcome import read_digested
from gatepass.run import aftermath


def at_its_end(folder: Path, key: Path) -> None:
    """Sign a run as it does itself when it ends."""
    outcome, _ = read_digested(folder / "output.xml")
    attest(folder, outcome, key)


@pytest.fixture
def born(sealed: Path, provider_key: Path, same_program: None) -> Path:
    """The sealed run as this copy of Gatepass would have left it: signed by its provider."""
    remade(sealed)
    at_its_end(sealed, provider_key)
    return sealed


def enveloped(folder: Path) -> dict:
    return json.loads((folder / ATTESTATION).read_text())


def stated(folder: Path) -> dict:
    return json.loads(b64decode(enveloped(folder)["payload"]))


class TestStatement:
    def test_is_a_test_result_over_the_list(self, born: Path) -> None:
        said = stated(born)
        assert said["_type"] == "https://in-toto.io/Statement/v1"
        assert said["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
        names = {one["name"]: one["digest"]["sha256"] for one in said["subject"]}
        done = subprocess.run(
            ["sha256sum", *names], cwd=born, capture_output=True, text=True, check=True
        )
        assert dict(line.split()[::-1] for line in done.stdout.splitlines()) == names
        assert {SUMS, "certificate.html", "output.xml", "inputs/testbed.yaml"} <= names.keys()

    def test_tells_the_result_and_what_was_tested(self, born: Path) -> None:
        said = stated(born)["predicate"]
        assert said["result"] == "FAILED"
        assert "Stateful Firewall: One Policy, Without NAT" in said["failedTests"]
        assert said["passedTests"] and not set(said["passedTests"]) & set(said["failedTests"])

    def test_names_what_decided_and_not_the_testbed(self, born: Path) -> None:
        by = {one["name"] for one in stated(born)["predicate"]["configuration"]}
        assert {f"{INPUTS}/order.yaml", f"{INPUTS}/profiles.yaml"} <= by
        assert f"{INPUTS}/testbed.yaml" not in by

    def test_the_encoding_is_that_of_the_specification(self) -> None:
        """DSSE's own test vector, with in-toto's type in place of its own."""
        assert encoded(b"hello world") == (
            b"DSSEv1 28 application/vnd.in-toto+json 11 hello world"
        )


class TestWithoutGatepass:
    def test_the_commands_of_the_documentation(self, born: Path, signers: Path) -> None:
        """As docs/verify.md has them, word for word."""
        text = (Path(__file__).parents[2] / "docs" / "verify.md").read_text(encoding="utf-8")
        (block,) = [part for part in text.split("```") if ATTESTATION in part and "jq" in part]
        script = block.removeprefix("sh\n").replace("quality@example.net", WHO)
        shutil.copy(signers, born / "allowed_signers")
        words = ["bash", "-euo", "pipefail", "-c", script]
        done = subprocess.run(words, cwd=born, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert f'Good "gatepass" signature for {WHO}' in done.stdout
        (born / "certificate.html").write_text("another")
        done = subprocess.run(words, cwd=born, capture_output=True, text=True, check=False)
        assert done.returncode != 0 and "certificate.html" in done.stdout + done.stderr


class TestVerify:
    def test_by_whom_the_reader_named(
        self, born: Path, signers: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for what in (born, born.parent):
            assert cli.main(["verify", str(what), "--signers", str(signers)]) == 0
            assert capsys.readouterr().out.startswith(f"Signed by {WHO}, ")

    def test_by_a_key_that_nobody_here_knows(
        self, born: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert cli.main(["verify", str(born)]) == 3
        told = capsys.readouterr().out
        assert told.startswith("Consistent, and nobody vouches for it: ")
        assert "signed when it ended by a key that nobody here knows (SHA256:" in told

    def test_by_somebody_else(self, born: Path, signers: Path, tmp_path: Path) -> None:
        at_its_end(born, new_key(tmp_path / "other"))
        (found,) = wrong(born, signers)
        assert "signed when it ended with the key SHA256:" in found
        assert "which signers does not name" in found

    def test_by_the_operator_and_later_by_somebody_who_may(
        self, born: Path, provider_key: Path, signers: Path, tmp_path: Path
    ) -> None:
        at_its_end(born, new_key(tmp_path / "operator"))
        sign(born, provider_key)
        found = verify(born, Trust(signers))
        assert found.code == Code.VOUCHED and found.vouchers == [WHO]
        assert any("also signed when it ended by a key that nobody" in one for one in found.open)

    def test_by_another_program(
        self, born: Path, signers: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It may tell the result otherwise, and accuses nobody; nor does it say that all holds."""
        monkeypatch.undo()
        monkeypatch.setattr(attestation, "_RESULT", dict.fromkeys(attestation._RESULT, "WARNED"))
        found = verify(born, Trust(signers))
        assert found.wrong == [] and found.code == Code.UNVOUCHED


@pytest.mark.parametrize("key", ["nobody's", "the forger's"])
def test_what_no_longer_bears_its_first_signature_is_vouched_for_by_nobody(
    born: Path, signers: Path, tmp_path: Path, key: str
) -> None:
    """What nothing names: the signature of its end taken away, or made anew with another key."""
    another_observation(born)
    remade(born)
    (born / ATTESTATION).unlink()
    if key == "the forger's":
        at_its_end(born, new_key(tmp_path / "forgers"))
    assert verify(born, Trust()).code == Code.UNVOUCHED
    assert verify(born, Trust(signers)).code == Code.WRONG


def test_what_was_forged_after_its_end_is_not_signed(
    born: Path, provider_key: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where all else was made anew, and follows."""
    another_observation(born)
    remade(born)
    assert cli.main(["sign", str(born), "--key", str(provider_key)]) == 64
    assert "what was changed is not signed" in capsys.readouterr().err
    assert not (born / SIGNATURE).exists()


def test_whoever_signs_reads_what_was_looked_at(
    born: Path, provider_key: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["sign", str(born), "--key", str(provider_key)]) == 0
    told = capsys.readouterr().out
    assert "Looked at: " in told and "signed when it ended with the key SHA256:" in told
    (born / ATTESTATION).unlink()
    assert cli.main(["sign", str(born), "--key", str(provider_key)]) == 0
    assert "was not signed when it ended" in capsys.readouterr().out


def of_another_run(folder: Path) -> None:
    """The statement is one that the same key has signed over another list."""
    kept = (folder / "log.html").read_bytes()
    (folder / "log.html").write_text("another")
    seal(folder)
    at_its_end(folder, folder.parents[1] / "key")
    (folder / "log.html").write_bytes(kept)
    seal(folder)


def altered(change: Callable[[dict], None]) -> Callable[[Path], None]:
    """The statement says something else than was signed."""

    def forge(folder: Path) -> None:
        envelope, said = enveloped(folder), stated(folder)
        change(said)
        envelope["payload"] = b64encode(json.dumps(said).encode()).decode()
        (folder / ATTESTATION).write_text(json.dumps(envelope))

    return forge


def envelope_with(**changes: object) -> Callable[[Path], None]:
    def forge(folder: Path) -> None:
        (folder / ATTESTATION).write_text(json.dumps(enveloped(folder) | changes))

    return forge


def of_the_signer_himself(folder: Path) -> None:
    """Whoever holds the key states another result than the record."""
    outcome, _ = read_digested(folder / "output.xml")
    outcome.checks.clear()
    attest(folder, outcome, folder.parents[1] / "key")


ENVELOPES = {
    "another run's": (of_another_run, "made of another SHA256SUMS"),
    "another result": (
        altered(lambda said: said["predicate"].update(result="PASSED")),
        "changed after it was signed",
    ),
    "another subject": (
        altered(lambda said: said["subject"].clear()),
        "changed after it was signed",
    ),
    "another result, signed": (of_the_signer_himself, "another result than output.xml"),
    "no signature": (envelope_with(signatures=[]), "no signed statement"),
    "two signatures": (
        lambda folder: envelope_with(signatures=enveloped(folder)["signatures"] * 2)(folder),
        "no signed statement",
    ),
    "a signature that is none": (
        envelope_with(signatures=[{"sig": b64encode(b"none").decode()}]),
        "changed after it was signed",
    ),
    "a payload that is none": (envelope_with(payload="%"), "no signed statement"),
    "another kind": (envelope_with(payloadType="text/plain"), "statement of another kind"),
    "a list": (lambda folder: (folder / ATTESTATION).write_text("[]"), "no signed statement"),
    "nothing": (lambda folder: (folder / ATTESTATION).write_text(""), "no signed statement"),
    "no text": (
        lambda folder: (folder / ATTESTATION).write_bytes(b"\xff\n"), "no signed statement"
    ),
}


@pytest.mark.parametrize("name", ENVELOPES)
def test_a_statement_that_does_not_hold(
    born: Path, provider_key: Path, signers: Path, name: str
) -> None:
    shutil.copy(provider_key, born.parents[1] / "key")
    forge, sentence = ENVELOPES[name]
    forge(born)
    for trusted in (None, signers):
        found = [one for one in wrong(born, trusted) if ATTESTATION in one]
        assert found and sentence in found[0], (found, wrong(born, trusted))


class TestEnd:
    def test_the_signature_holds_all_that_the_end_has_written(
        self, sealed: Path, provider_key: Path, signers: Path, same_program: None,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv(KEY, str(provider_key))
        remade(sealed)
        outcome, _ = read_digested(sealed / "output.xml")
        told = aftermath.seal_and_sign(sealed, outcome, outcome)
        assert told.startswith("with the key SHA256:")
        assert verify(sealed, Trust(signers)).code == Code.VOUCHED

    def test_a_key_that_cannot_be_used_any_more_costs_no_verdict(
        self, sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setenv(KEY, str(tmp_path / "gone"))
        outcome, _ = read_digested(sealed / "output.xml")
        assert aftermath.seal_and_sign(sealed, outcome, outcome) == ""
        told = capsys.readouterr().err
        assert f"not signed: the key {tmp_path / 'gone'}: there is no such file" in told
        assert f"./run.sh sign {sealed} --key FILE" in told
        assert not (sealed / ATTESTATION).exists() and wrong(sealed) == []

    def test_none_is_wanted(
        self, sealed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv(KEY, "no")
        outcome, _ = read_digested(sealed / "output.xml")
        assert aftermath.seal_and_sign(sealed, outcome, outcome) == ""
        assert capsys.readouterr().err == "" and not (sealed / ATTESTATION).exists()

    def test_a_run_is_stamped_where_an_authority_is_named(
        self, sealed: Path, provider_key: Path, signers: Path, authority: tuple[str, Path],
        same_program: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setenv(KEY, str(provider_key))
        monkeypatch.setenv(AUTHORITY, authority[0])
        remade(sealed)
        outcome, _ = read_digested(sealed / "output.xml")
        assert ", stamped 20" in aftermath.seal_and_sign(sealed, outcome, outcome)
        words = ["--signers", str(signers), "--authorities", str(authority[1])]
        assert cli.main(["verify", str(sealed), *words]) == 0
        assert capsys.readouterr().out.startswith(f"Signed by {WHO}, stamped 20")
        monkeypatch.setenv(AUTHORITY, "http://127.0.0.1:9/")
        assert "stamped" not in aftermath.seal_and_sign(sealed, outcome, outcome)
        assert f"no time stamp: {AUTHORITY} http://127.0.0.1:9/: " in capsys.readouterr().err

    def test_a_fleet_signs_with_the_key_of_its_call(
        self, provider_key: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(KEY, "")
        assert cli.main(["validate", "--lab-gateways", "2", "--key", str(provider_key)]) == 0
        assert os.environ[KEY] == str(provider_key)


def test_a_stamp_of_something_else_is_named_without_authorities(
    born: Path, authority: tuple[str, Path]
) -> None:
    """Whether it is of this list needs nobody's trust."""
    stamp(born, authority[0])
    assert wrong(born) == []
    edited("A", "B", "log.html")(born)
    seal(born)
    assert any("time stamp does not hold" in one for one in wrong(born))

"""Each kind of forgery, by who makes all else anew: named, or vouched for by nobody."""

from __future__ import annotations

import shutil
from pathlib import Path

import forging
import pytest
from careful_forger import as_suites_were_then, by_this_copy, remade
from forgeries import FORGERIES, Kind
from sealed_run import new_key, unpacked

from gatepass import cli
from gatepass.base.chromium import chromium
from gatepass.proof.attestation import attest
from gatepass.proof.findings import Code, Trust
from gatepass.proof.folder import ATTESTATION, CERTIFICATE, SIGNATURE, seal
from gatepass.proof.signature import sign
from gatepass.proof.verify import verify
from gatepass.report.certificate import write_pdf
from gatepass.results.outcome import read, read_digested


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sealed run as this copy of Gatepass would have left it; nothing is changed in it."""
    folder = unpacked(tmp_path_factory.mktemp("honest") / "results")
    by_this_copy(folder)
    return folder


@pytest.fixture
def run(honest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy to be forged, whose plan is what the suites held when it was made."""
    as_suites_were_then(honest, monkeypatch)
    return shutil.copytree(honest, tmp_path / "results" / honest.name)


def signed(folder: Path, key: Path) -> None:
    """As a run does itself when it ends, and as somebody does later."""
    outcome, _ = read_digested(folder / "output.xml")
    attest(folder, outcome, key)
    sign(folder, key)


def without_signatures(folder: Path) -> None:
    for name in (ATTESTATION, SIGNATURE):
        (folder / name).unlink(missing_ok=True)


def test_what_nobody_forged(run: Path, provider_key: Path, signers: Path) -> None:
    assert verify(run, Trust()).code == Code.UNVOUCHED
    signed(run, provider_key)
    assert verify(run, Trust(signers)).code == Code.VOUCHED


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery(run: Path, provider_key: Path, signers: Path, name: str) -> None:
    kind = FORGERIES[name]
    signed(run, provider_key)
    kind.forge(run)
    kind.after(run)
    _was_signed_before(run, signers)
    without_signatures(run)
    _is_unsigned(run, kind)
    _is_signed_after(run, kind, provider_key, signers)


def _was_signed_before(folder: Path, signers: Path) -> None:
    """By either signature, each for itself."""
    found = verify(folder, Trust(signers))
    assert found.code == Code.WRONG
    assert any(one.startswith("The signature does not hold") for one in found.wrong), found.wrong
    assert any(one.startswith(f"{ATTESTATION}, signed when the run") for one in found.wrong)


def _is_unsigned(folder: Path, kind: Kind) -> None:
    found = verify(folder, Trust())
    assert bool(found.program) == (kind.program or "program.sha256" in kind.named)
    if kind.named:
        assert [one for one in found.wrong if kind.named in one], found.wrong
    else:
        assert found.wrong == [] and not found.vouchers
        assert "nobody vouches for it" in found.headline
    assert cli.main(["verify", str(folder)]) == (Code.WRONG if kind.named else Code.UNVOUCHED)


def _is_signed_after(folder: Path, kind: Kind, key: Path, signers: Path) -> None:
    code = cli.main(["sign", str(folder), "--key", str(key)])
    assert code == (64 if kind.named else 0)
    assert (folder / SIGNATURE).exists() == (code == 0)
    if code == 0:
        told = verify(folder, Trust(signers)).code
        assert told == (Code.UNVOUCHED if kind.program else Code.VOUCHED)


@pytest.mark.parametrize("name", [name for name, kind in FORGERIES.items() if kind.alone])
def test_one_that_is_left_as_it_is(sealed: Path, name: str) -> None:
    """Nothing else is touched, and another copy of Gatepass made the run."""
    kind = FORGERIES[name]
    kind.forge(sealed)
    found = verify(sealed, Trust()).wrong
    assert [one for one in found if kind.alone in one], found
    assert cli.main(["verify", str(sealed)]) == Code.WRONG


@pytest.mark.parametrize("name", ["03b the report", "15 JUnit's file"])
def test_totals_are_held_whoever_made_the_pages(sealed: Path, name: str) -> None:
    """Another copy of Gatepass may write them otherwise, and counts the same."""
    remade(sealed)
    FORGERIES[name].forge(sealed)
    seal(sealed)
    assert [one for one in verify(sealed, Trust()).wrong if "output.xml" in one]


def test_07_the_page_of_another_program_alone(run: Path) -> None:
    """Of the certificate alone nothing tells of another program, and its words are compared."""
    forging.page_of_another_program(run)
    assert cli.main(["verify", str(run / "certificate.html")]) == Code.WRONG


def test_11_another_key_under_the_same_name(run: Path, signers: Path, tmp_path: Path) -> None:
    """Whoever forges what nothing names signs it in the provider's name."""
    forging.another_observation(run)
    remade(run)
    signed(run, new_key(tmp_path / "forgers"))
    found = verify(run, Trust())
    assert found.code == Code.UNVOUCHED
    assert [one for one in found.open if "by a key that nobody here knows" in one]
    found = verify(run, Trust(signers))
    assert found.code == Code.WRONG
    assert [one for one in found.wrong if "which signers does not name" in one], found.wrong


@pytest.mark.skipif(chromium() is None, reason="no Chromium is installed")
def test_05_a_picture_over_the_text(run: Path, provider_key: Path, signers: Path) -> None:
    write_pdf(read(run / "output.xml"), run / "certificate.html")
    seal(run)
    signed(run, provider_key)
    assert verify(run, Trust(signers)).code == Code.VOUCHED
    forging.picture_over_the_text(run)
    assert cli.main(["verify", str(run / CERTIFICATE)]) == Code.WRONG
    seal(run)
    _was_signed_before(run, signers)
    without_signatures(run)
    kind = Kind(forging.picture_over_the_text, "does not look as the record prints it")
    _is_unsigned(run, kind)
    _is_signed_after(run, kind, provider_key, signers)

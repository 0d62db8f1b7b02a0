"""Who vouches for a run, and which runs there were before it: OpenSSH and coreutils alone tell."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from careful_forger import remade, with_files_as_they_are
from forging import edited, raised_mean, raised_trial
from sealed_run import WHO, new_key, wrong

from gatepass import cli
from gatepass.proof import chain
from gatepass.proof.folder import INPUTS, SIGNATURE, SUMS, seal
from gatepass.proof.signature import sign
from gatepass.proof.verify import Trust, verify


class TestSigned:
    def test_two_commands_without_gatepass(
        self, sealed: Path, provider_key: Path, signers: Path
    ) -> None:
        sign(sealed, provider_key)
        of = ["-I", WHO, "-n", "gatepass", "-s", SIGNATURE, "-f", str(signers)]
        with (sealed / SUMS).open() as sums:
            done = subprocess.run(
                ["ssh-keygen", "-Y", "verify", *of], cwd=sealed, stdin=sums, check=False
            )
        assert done.returncode == 0
        check = ["sha256sum", "--check", "--quiet", SUMS]
        assert subprocess.run(check, cwd=sealed, check=False).returncode == 0
        raised_trial(sealed)
        assert subprocess.run(check, cwd=sealed, check=False).returncode == 1

    def test_by_somebody_else(self, sealed: Path, signers: Path, tmp_path: Path) -> None:
        sign(sealed, new_key(tmp_path / "other"))
        (found,) = wrong(sealed, signers)
        assert "which signers does not name" in found

    def test_for_something_else(self, sealed: Path, provider_key: Path, signers: Path) -> None:
        words = ["-Y", "sign", "-f", str(provider_key), "-n", "file", str(sealed / SUMS)]
        subprocess.run(["ssh-keygen", *words], check=True, capture_output=True)
        (found,) = wrong(sealed, signers)
        assert found.startswith("The signature does not hold")

    def test_a_signature_that_was_taken_away(
        self, sealed: Path, provider_key: Path, signers: Path
    ) -> None:
        """Who asks for a signature is not content with none."""
        sign(sealed, provider_key)
        (sealed / SIGNATURE).unlink()
        (found,) = wrong(sealed, signers)
        assert found == "It is not signed, or no longer, and nobody of signers vouches for it."

    def test_a_signature_that_is_no_file(self, sealed: Path, signers: Path) -> None:
        (sealed / SIGNATURE).mkdir()
        (found,) = wrong(sealed, signers)
        assert found.startswith("It is not signed")

    def test_a_time_stamp_that_was_taken_away(self, sealed: Path, provider_key: Path) -> None:
        (found,) = verify(sealed, Trust(authorities=provider_key)).wrong
        assert found == "It bears no time stamp, or no longer."

    def test_a_key_that_nobody_here_knows(self, sealed: Path, provider_key: Path) -> None:
        sign(sealed, provider_key)
        (open_,) = [one for one in verify(sealed, Trust()).open if "signed" in one]
        assert "signed by a key that nobody here knows (SHA256:" in open_

    def test_what_was_changed_is_not_signed(
        self, sealed: Path, provider_key: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        raised_mean(sealed)
        assert cli.main(["sign", str(sealed), "--key", str(provider_key)]) == 64
        assert "what was changed is not signed" in capsys.readouterr().err
        assert not (sealed / SIGNATURE).exists()

    @pytest.mark.parametrize("content", [None, "no key"])
    def test_a_key_that_is_none(
        self, sealed: Path, tmp_path: Path, content: str | None,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        path = tmp_path / "key"
        if content is not None:
            path.write_text(content)
            path.chmod(0o600)
        assert cli.main(["sign", str(sealed), "--key", str(path)]) == 64
        assert f"--key {path}" in capsys.readouterr().err

    def test_a_run_that_is_not_there(
        self, provider_key: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert cli.main(["sign", "no-such-run", "--key", str(provider_key)]) == 64
        assert "'no-such-run': there is no such run" in capsys.readouterr().err

    def test_the_command(
        self, sealed: Path, provider_key: Path, signers: Path, same_program: None,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        remade(sealed)
        assert cli.main(["sign", str(sealed), "--key", str(provider_key)]) == 0
        capsys.readouterr()
        for what in (sealed, sealed.parent):
            assert cli.main(["verify", str(what), "--signers", str(signers)]) == 0
            assert capsys.readouterr().out.startswith(f"Signed by {WHO}, without a time stamp")

    @pytest.mark.parametrize("signing", [False, True], ids=["unsigned", "by-an-unknown-key"])
    def test_nobody_vouches(
        self, sealed: Path, provider_key: Path, same_program: None, signing: bool,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        remade(sealed)
        if signing:
            sign(sealed, provider_key)
        for what in (sealed, sealed.parent):
            assert cli.main(["verify", str(what)]) == 3
            head = f"Consistent, and nobody vouches for it: {what}\n"
            assert capsys.readouterr().out.startswith(head)

    def test_another_program_is_never_all_in_order(
        self, sealed: Path, provider_key: Path, signers: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Not even where it is signed: what this copy cannot make again, it does not vouch for."""
        sign(sealed, provider_key)
        for what in (sealed, sealed.parent):
            assert cli.main(["verify", str(what), "--signers", str(signers)]) == 3
            head = capsys.readouterr().out.partition("\n")[0]
            assert head.startswith(f"Signed by {WHO}") and "another copy of Gatepass" in head

    def test_the_first_line_says_what_is_wrong(
        self, sealed: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        raised_trial(sealed)
        for what in (sealed, sealed.parent):
            assert cli.main(["verify", str(what)]) == 1
            head = capsys.readouterr().out.partition("\n")[0]
            assert head.startswith(f"Wrong in {what}: ") and "-server.json was changed" in head


class TestChain:
    @staticmethod
    def after(sealed: Path, name: str) -> Path:
        """A run that comes after all that are there."""
        new = sealed.parent / name
        new.mkdir()
        chain.keep(new)
        seal(new)
        return new

    def test_each_names_the_one_before(self, sealed: Path) -> None:
        second = self.after(sealed, "20991231-000000-a")
        third = self.after(sealed, "20991231-000001-b")
        assert [link.run for link in chain.before(second)] == [sealed.name]
        assert [link.run for link in chain.before(third)] == [second.name]
        assert list(chain.missing(sealed.parent)) == []

    def test_runs_side_by_side_are_named_by_the_next(self, sealed: Path) -> None:
        pair = [sealed.parent / name for name in ("20991231-000000-a", "20991231-000000-b")]
        for one in pair:
            one.mkdir()
            chain.keep(one)
        for one in pair:
            seal(one)
        third = self.after(sealed, "20991231-000001-c")
        assert [link.run for link in chain.before(third)] == [one.name for one in pair]

    def test_a_run_that_vanished(
        self, sealed: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        second = self.after(sealed, "20991231-000000-a")
        self.after(sealed, "20991231-000001-b")
        (second / SUMS).unlink()
        assert cli.main(["verify", str(sealed.parent)]) == 1
        assert f"Run {second.name} is missing" in capsys.readouterr().out

    def test_a_run_that_was_sealed_anew(self, sealed: Path) -> None:
        second = self.after(sealed, "20991231-000000-a")
        raised_mean(sealed)
        remade(sealed)
        (found,) = chain.missing(sealed.parent)
        assert found.startswith(f"The record of run {sealed.name} was changed: {second.name}")
        assert [one for one in wrong(second) if "was changed after" in one]

    def test_a_damaged_list_keeps_no_other_run_from_being_looked_at(
        self, sealed: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        shutil.copytree(sealed, sealed.with_name("20991231-000000-a"))
        (sealed / SUMS).write_text("none")
        raised_trial(sealed.with_name("20991231-000000-a"))
        assert cli.main(["verify", str(sealed.parent)]) == 1
        told = capsys.readouterr().out
        assert f"{sealed.name}: {sealed / SUMS}: this is no list of sha256sum" in told
        assert "20991231-000000-a: trials/" in told

    def test_runs_that_are_alike_are_told_together(
        self, sealed: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for number in range(25):
            shutil.copytree(sealed, sealed.with_name(f"20991231-0000{number:02}-a"))
        cli.main(["verify", str(sealed.parent)])
        told = capsys.readouterr().out.splitlines()
        if "Consistent" in told[0]:
            assert len(told) == 3 and "and 6 more" in told[2]

    def test_a_folder_without_runs(self, tmp_path: Path) -> None:
        assert cli.main(["verify", str(tmp_path)]) == 64


class TestPlace:
    """Where a run stands among the others, as far as these can tell."""

    def test_names_that_were_swapped(self, sealed: Path) -> None:
        """The bad run's folder is the good one's, and the other way round."""
        swapped = sealed.with_name("20261126-101010-lab")
        sealed.rename(swapped)
        assert wrong(swapped) == [
            f"The folder is called {swapped.name}; the run in it is {sealed.name}."
        ]

    def test_a_copy_may_have_any_name(self, sealed: Path) -> None:
        copy = sealed.rename(sealed.with_name("helsinki"))
        found = verify(copy, Trust())
        assert found.wrong == []
        assert f"The folder is called helsinki; the run in it is {sealed.name}" in found.open

    def test_a_run_before_it_that_is_not_here(self, sealed: Path) -> None:
        link = {"run": "20261125-110000-lab", "sha256": "0" * 64}
        (sealed / INPUTS / chain.BEFORE).write_text(json.dumps([link]))
        with_files_as_they_are(sealed)
        remade(sealed)
        found = verify(sealed, Trust())
        assert found.wrong == []
        assert "It came after run 20261125-110000-lab, which is not here" in found.open

    def test_a_run_that_was_made_somewhere_else(self, sealed: Path) -> None:
        """Until it was a good one, and then moved here."""
        lucky = sealed.with_name("20991231-101010-lab")
        shutil.copytree(sealed, lucky)
        edited("2026-11-25", "2099-12-31", every=True)(lucky)
        edited(f'"run_id": "{sealed.name}"', f'"run_id": "{lucky.name}"')(lucky)
        remade(lucky)
        (found,) = [one for one in verify(lucky, Trust()).open if "names none of the runs" in one]
        assert sealed.name in found
        assert not any("names none" in one for one in verify(sealed, Trust()).open)

"""The key that a run signs itself with: named, in an agent, or the operator's own."""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sealed_run import new_key

from gatepass import cli
from gatepass.base.errors import InputError
from gatepass.proof import signing_key
from gatepass.proof.signature import who_signed
from gatepass.proof.signing_key import KEY, of_the_run, prepare


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of an operator who has no key yet, and names none."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", KEY, "SUDO_UID", "SSH_AUTH_SOCK"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The public key of one that an agent keeps, and nobody else."""
    socket = tmp_path / "agent"
    with subprocess.Popen(
        ["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None and running.stdout.readline()
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        key = new_key(tmp_path / "kept")
        subprocess.run(["ssh-add", "-q", str(key)], check=True)
        key.unlink()
        yield key.with_suffix(".pub")
        running.kill()


class TestOwn:
    def test_is_made_once_and_told_once(self, home: Path) -> None:
        sentence = prepare()
        folder = home / ".config" / "gatepass" / "signing"
        shown = subprocess.run(
            ["ssh-keygen", "-l", "-f", str(folder / "key.pub")], capture_output=True, text=True,
            check=True,
        ).stdout
        assert shown.split()[1] in sentence and str(folder) in sentence
        assert shown.split()[-1] == "(ED25519)"
        assert prepare() == "" and of_the_run() == folder / "key"

    def test_nobody_else_may_read_it(self, home: Path) -> None:
        prepare()
        folder = home / ".config" / "gatepass" / "signing"
        modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder / "key", folder)}
        assert list(modes.values()) == [0o600, 0o700]

    def test_has_the_line_by_which_others_know_it(self, home: Path) -> None:
        prepare()
        key = of_the_run()
        assert key is not None
        signature = signing_key.made(b"text", key)
        signed = who_signed(b"text", signature, key.with_name("allowed_signers"))
        assert signed.by.startswith(f"{pwd.getpwuid(os.geteuid()).pw_name}@")

    def test_lies_where_the_configuration_does(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "elsewhere"))
        assert of_the_run() == home / "elsewhere" / "gatepass" / "signing" / "key"
        monkeypatch.setenv("XDG_CONFIG_HOME", "not/absolute")  # the specification has it left aside
        assert of_the_run() == home / ".config" / "gatepass" / "signing" / "key"

    def test_of_several_runs_one_makes_it(self, home: Path) -> None:
        with ThreadPoolExecutor(8) as pool:
            keys = list(pool.map(lambda _: of_the_run(), range(8)))
        (key,) = set(keys)
        assert key is not None
        beside = {path.name for path in key.parent.parent.iterdir()}
        assert beside == {"signing"}, "what others had begun is gone"
        signature = signing_key.made(b"text", key)
        assert who_signed(b"text", signature, key.with_name("allowed_signers")).by

    def test_a_home_that_nobody_may_write(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (home / "file").write_text("")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "file"))
        assert prepare() == ""
        with pytest.raises(InputError, match="no key can be made in") as told:
            of_the_run()
        for named in (f"{home}/file/gatepass/signing: ", KEY, "XDG_CONFIG_HOME"):
            assert named in str(told.value)

    def test_a_user_without_a_home(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def unknown(uid: int) -> pwd.struct_passwd:
            raise KeyError(uid)

        monkeypatch.delenv("HOME")
        monkeypatch.setattr(pwd, "getpwuid", unknown)
        assert prepare() == ""
        with pytest.raises(InputError, match="this user has no home"):
            of_the_run()

    def test_of_a_call_without_a_home_in_its_environment(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As in many a pipeline: the user's home is known all the same."""
        monkeypatch.delenv("HOME")
        entry = pwd.struct_passwd(("somebody", "x", os.geteuid(), 0, "", str(home / "of"), ""))
        monkeypatch.setattr(pwd, "getpwuid", lambda uid: entry)
        assert of_the_run() == home / "of" / ".config" / "gatepass" / "signing" / "key"

    @pytest.mark.skipif(os.geteuid() != 0, reason="another user's home needs root")
    def test_under_sudo_it_is_the_callers(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Made with the caller's rights: nothing of root's can be overwritten by a link there."""
        with TemporaryDirectory() as theirs:  # where pytest's folders lie is for root alone
            os.chown(theirs, 65534, 65534)
            entry = pwd.struct_passwd(("caller", "x", 65534, 65534, "", theirs, ""))
            monkeypatch.setattr(pwd, "getpwuid", lambda uid: entry)
            monkeypatch.setenv("SUDO_UID", "65534")
            key = of_the_run()
            assert key == Path(theirs, ".config", "gatepass", "signing", "key")
            assert {path.stat().st_uid for path in key.parent.iterdir()} == {65534}
            assert signing_key.made(b"text", key)


class TestNamed:
    def test_in_the_environment(
        self, home: Path, provider_key: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(KEY, str(provider_key))
        assert prepare() == "" and of_the_run() == provider_key
        assert not (home / ".config").exists()

    def test_the_option_is_stronger(
        self, home: Path, provider_key: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(KEY, "elsewhere")
        signing_key.choose(provider_key)
        assert of_the_run() == provider_key
        signing_key.choose(None)
        assert of_the_run() == provider_key, "what the environment says stays"

    def test_one_that_an_agent_keeps(
        self, home: Path, agent: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(KEY, str(agent))
        signing_key.must_sign()
        assert who_signed(b"text", signing_key.made(b"text", agent), None).key

    def test_none_is_wanted(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(KEY, "no")
        assert prepare() == "" and of_the_run() is None
        assert not (home / ".config").exists()

    @pytest.mark.parametrize("wrong", ["missing", "passphrase", "open", "none", "no-agent"])
    @pytest.mark.parametrize("named", ["option", "environment"])
    def test_a_wrong_one_is_told_before_anything_is_touched(
        self, home: Path, named: str, wrong: str, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        path = home / "key"
        if wrong == "passphrase":
            made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", str(path)]
            subprocess.run(made, check=True)
        elif wrong in ("open", "no-agent"):
            new_key(path).chmod(0o644)
            if wrong == "no-agent":
                path.unlink()
                path = path.with_suffix(".pub")
        elif wrong == "none":
            path.write_text("no key")
        monkeypatch.setenv("GATEPASS_RESULTS", str(home / "results"))
        monkeypatch.setenv(KEY, "")
        words = ["--key", str(path)] if named == "option" else []
        if not words:
            monkeypatch.setenv(KEY, str(path))
        for call in (["validate", *words], ["labs-for", *words]):
            assert cli.main(call) == 64
            told = capsys.readouterr().err
            option = "--key" if words else KEY
            assert told.startswith(f"Mistake: {option} {path}: ") and told.count("\n") == 1, told
        assert not (home / "results").exists()

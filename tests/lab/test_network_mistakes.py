"""A mistake in the call is one sentence and 64; what the lab lacks, one sentence and 70."""

import os

import pytest
from network_lab import Labs

from lab import cli
from lab.base.errors import LabError
from lab.lifecycle import build

NEEDS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="the lab needs root")

MISTAKES = [
    [],
    ["upp"],
    ["up", "Not A Name"],
    ["up", "../etc"],
    ["up", "-x"],
    ["up", "one", "two"],
    ["up", "--delivered", "/no/such/file"],
    ["up", "--version"],
    ["up", "--version", "1.2"],
    ["shell"],
    ["shell", "nowhere"],
    ["shell", "client", "no-such-lab"],
    ["exec", "client"],
    ["exec", "client", "--"],
    ["exec", "nowhere", "--", "true"],
    ["exec", "client", "--lab", "no-such-lab", "--", "true"],
    ["down", "--all", "one"],
    ["down", "a b"],
    ["fault"],
    ["fault", "no-such-fault"],
    ["fault", "any-any", "--lab", "no-such-lab"],
    ["fault", "any-any", "x=1"],
    ["fault", "packet-loss", "percent"],
    ["fault", "packet-loss", "percent=much"],
    ["fault", "packet-loss", "percent=-1"],
    ["fault", "packet-loss", "percent=nan"],
    ["fault", "--clear", "--lab", "no-such-lab"],
    ["run"],
    ["run", "--"],
    ["run", "true"],
    ["run", "--fault", "no-such-fault", "--", "true"],
    ["run", "--fault", "packet-loss,percent", "--", "true"],
    ["run", "--name", "UPPER", "--", "true"],
    ["status", "x" * 40],
]


@NEEDS_ROOT
@pytest.mark.parametrize("words", MISTAKES, ids=" ".join)
def test_mistakes(words, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("LAB_FOLDER", str(tmp_path / "labs"))
    assert cli.main(words) == 64
    printed = capsys.readouterr()
    assert printed.err.startswith("lab: ")
    assert printed.err.count("\n") == 1
    assert not (tmp_path / "labs").exists()


def test_help_reads_well(capsys):
    for words in (["--help"], ["run", "--help"], ["fault", "--help"]):
        with pytest.raises(SystemExit) as end:
            cli.main(words)
        assert end.value.code == 0
        assert "usage: python -m lab" in capsys.readouterr().out


def test_the_list_of_faults_needs_no_root(capsys, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert cli.main(["fault", "--list"]) == 0
    text = capsys.readouterr().out
    for name in ("shaper-below-tier", "api-hang", "slow-endpoint"):
        assert name in text


def test_not_root(capsys, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert cli.main(["up"]) == 70
    assert "sudo" in capsys.readouterr().err


def test_missing_programs_are_named_with_their_packages(monkeypatch):
    monkeypatch.setattr(build, "program", lambda name: None if name in ("sshd", "nft") else "/x")
    with pytest.raises(LabError) as found:
        build.check_programs()
    text = str(found.value)
    assert found.value.exit_code == 70
    assert "sshd, nft" in text
    assert text.endswith("nftables openssh-server")


@NEEDS_ROOT
def test_status_of_no_lab_is_no_mistake_but_not_up(tmp_path):
    done = Labs(tmp_path / "labs").call("status")
    assert done.returncode == 1
    assert "There is no lab default" in done.stdout

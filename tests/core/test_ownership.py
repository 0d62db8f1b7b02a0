"""Files are acted on by owner and mode: what others may have written makes nothing be done."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gatepass.base.errors import InputError
from gatepass.base.ownership import distrust, secret_trouble
from gatepass.endpoint import visits
from gatepass.gateway import restore
from gatepass.gateway.journal import NAME, Journal, pending
from gatepass.gateway.restore import restore_all
from gatepass.inputs.secret import SecretReference

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="giving a file away needs root")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a killed run, with its journal."""
    folder = tmp_path / "results" / "20261128-120000-acme"
    folder.mkdir(parents=True, mode=0o700)
    head = {"mark": "gp0a1b2c", "serial": "LAB1", "testbed": str(tmp_path / "bed.yaml")}
    Journal.start(folder / NAME, head).release()
    (folder / NAME).chmod(0o600)
    return folder


def restored(folder: Path) -> list:
    return restore_all(folder.parent, lambda *_: pytest.fail("an endpoint was asked"))


def test_ones_own_is_believed(run: Path) -> None:
    assert distrust(run) == distrust(run / NAME) == ""
    (journal,) = pending(run.parent)
    assert journal.strange == "" and not journal.damaged
    assert "bed.yaml" in restored(run)[0].sentence  # which is not there: it was looked for


@pytest.mark.parametrize(
    ("what", "mode", "why"),
    [
        ("", 0o777, "its folder may be changed by everybody"),
        (NAME, 0o646, "it may be changed by everybody"),
    ],
)
def test_what_others_may_change_is_not(run: Path, what: str, mode: int, why: str) -> None:
    (run / what).chmod(mode)
    (one,) = restored(run)
    assert not one.done and f"is not followed, as {why}." in one.sentence


@as_root
@pytest.mark.parametrize(("what", "whose"), [("", "its folder"), (NAME, "it")])
def test_what_others_have_written_is_not(run: Path, what: str, whose: str) -> None:
    os.chown(run / what, NOBODY, NOBODY)
    (one,) = restored(run)
    assert not one.done and f"is not followed, as {whose} belongs to nobody." in one.sentence


@as_root
def test_a_group_is_trusted_where_it_is_the_owners_alone(run: Path) -> None:
    (run / NAME).chmod(0o660)
    assert distrust(run / NAME) == ""  # root's own group
    os.chown(run / NAME, 0, NOBODY)
    assert "may be changed by the group" in distrust(run / NAME)


@as_root
def test_who_called_sudo_is_oneself(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chown(run / NAME, NOBODY, 0)
    assert distrust(run / NAME) == "belongs to nobody"
    monkeypatch.setenv("SUDO_UID", str(NOBODY))
    assert distrust(run / NAME) == ""


@pytest.mark.parametrize("mark", ["gp0a1b2c/../x", "$(id)", "gp0A1B2C", "gp0a1b2c\n", "m", ""])
def test_a_mark_that_is_none_is_a_damaged_journal(run: Path, mark: str) -> None:
    (run / NAME).unlink()
    head = {"mark": mark, "serial": "LAB1", "testbed": "bed.yaml"}
    Journal.start(run / NAME, head).release()
    (run / visits.NAME).write_text(json.dumps({"do": "start", **head}) + "\n")
    (run / visits.NAME).chmod(0o600)
    (journal,) = pending(run.parent)
    assert journal.damaged and visits.Visits.read(run / visits.NAME).damaged
    assert not restored(run)[0].done


def test_a_testbed_among_the_results_is_not_called(run: Path) -> None:
    (run / NAME).unlink()
    head = {"mark": "gp0a1b2c", "serial": "LAB1", "testbed": str(run / "bed.yaml")}
    Journal.start(run / NAME, head).release()
    (run / NAME).chmod(0o600)
    (one,) = restored(run)
    assert not one.done and "lies among the results" in one.sentence


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o622])
def test_a_secrets_file_is_its_owners_alone(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "token"
    path.write_text("secret")
    path.chmod(0o600)
    assert secret_trouble(path) == ""
    path.chmod(mode)
    assert secret_trouble(path)
    with pytest.raises(InputError, match=r"the secret's file may be .* by .*chmod 600"):
        SecretReference.of_option("--x", f"file:{path}").read()


def _plant(how: str, run: Path, elsewhere: Path) -> None:
    """Leave a journal among the results as somebody else could."""
    journal = run / NAME
    if how == "among the results":
        journal.unlink()
        head = {"mark": "gp0a1b2c", "serial": "LAB1", "testbed": str(run / "bed.yaml")}
        Journal.start(journal, head).release()
        journal.chmod(0o600)
    elif how == "a mark for a shell":
        journal.unlink()
        head = {"mark": "$(id)", "serial": "LAB1", "testbed": str(elsewhere / "bed.yaml")}
        Journal.start(journal, head).release()
        journal.chmod(0o600)
    elif how == "a file of somebody else":
        os.chown(journal, NOBODY, NOBODY)
    elif how == "a folder of somebody else":
        os.chown(run, NOBODY, NOBODY)
    elif how == "a file that everybody may write":
        journal.chmod(0o666)
    elif how == "a folder that everybody may write":
        run.chmod(0o777)
    elif how == "a link to a file of somebody else":
        journal.rename(elsewhere / "theirs")
        os.chown(elsewhere / "theirs", NOBODY, NOBODY)
        journal.symlink_to(elsewhere / "theirs")
    elif how == "a link to a folder of somebody else":
        run.rename(elsewhere / "theirs")
        os.chown(elsewhere / "theirs", NOBODY, NOBODY)
        run.symlink_to(elsewhere / "theirs")


PLANTED = (
    *("among the results", "a mark for a shell"),
    *("a file of somebody else", "a folder of somebody else"),
    *("a file that everybody may write", "a folder that everybody may write"),
    *("a link to a file of somebody else", "a link to a folder of somebody else"),
)


@as_root
@pytest.mark.parametrize("how", PLANTED)
def test_promise_6_a_planted_journal_is_never_acted_on(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """No testbed of its naming is read, so that none of its commands runs and nobody is asked."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr(restore, "load_testbed", lambda *_: pytest.fail("a testbed was read"))
    _plant(how, run, elsewhere)
    (one,) = restored(run)
    assert not one.done and (run / NAME).exists()

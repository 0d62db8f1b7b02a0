"""A word that no sentence knows is told before anything is contacted, in rows of templates too."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from robot.api import TestSuite
from robot.libdocpkg import LibraryDocumentation

from gatepass.cli import main
from gatepass.run import run
from gatepass.run.sentences import must_be_sound

ROOT = Path(__file__).parents[2]

MISTAKES = {
    "stateful_firewall nat": ("enable      gateway", "enabel      gateway", "enable or disable"),
    "stateful_firewall whose": ("disable     client", "disable     Servr", "client or gateway"),
    "tier_ceiling kind": ("UDP         IPv4", "TCQ         IPv4", "TCP or UDP"),
    "tier_ceiling direction": ("to the client", "to the Clint", "to the server or to the client"),
    "policy_enforcement packets": ("    Fragments\n", "    Fragmens\n", "fragments"),
    "security_services what": ("a clean file  ", "a cleen file  ", "a clean file"),
    "security_services kilobytes": ("objects of 16 KB", "objects of sixteen KB", "integer"),
    "site_to_site_vpn name": ("aes256gcm-dh14", "aes256gcm-dh15", "aes256gcm-dh14"),
    "remote_access who": ("    a disabled user\n", "    a disabld user\n", "a disabled user"),
    "security_services inspected": ("on by proxy", "by proxy", "on by proxy"),
    "edge what": ("Published Port Should Have Led To", "Published Prot Should Have Led To", "port"),
    "remote_access how": ("    logout\n", "    logut\n", "logout or expiry"),
    "policy_enforcement port": ("The First TCP Port", "The Frist TCP Port", "first or second"),
    "policy_enforcement status": ("Policy Is Disabled", "Policy Is Disbled", "enabled or disabled"),
    "baseline_before when": ("Measured Before", "Measured Befor", "before or after"),
    "remote_access nat": ("nat=enable", "nat=enabel", "enable or disable"),
    "tier_ceiling row": ("to the client", "to the client    now", "expected 3 arguments, got 4"),
    "edge flood": ("    SYN Flood\n", "    SIN Flood\n", "SYN flood"),
    "latency size": ("small      IPv6    at rest", "smal       IPv6    at rest", "small or large"),
    "latency load": ("IPv6    in an overload", "IPv6    in an overlord", "in an overload"),
    "latency direction": ("The Delay To The Client", "The Delay To The Cliont", "to the client"),
    "baseline_before verb": ("The Rig Should Carry", "The Rig Shuld Carry", "The Rig Should Carry"),
}
"""By chapter and argument: what stands there, what is typed instead, what is said to be allowed."""


def _copied(folder: Path, chapter: str, old: str, new: str) -> Path:
    for room in ("suites", "resources"):
        shutil.copytree(ROOT / room, folder / room)
    suites = folder / "suites"
    parts = [*suites.glob(f"*__{chapter}.robot"), *suites.glob(f"*__{chapter}/*.robot")]
    (file,) = (part for part in parts if old in part.read_text())
    file.write_text(file.read_text().replace(old, new, 1))
    return folder / "suites"


def _must_be_sound(suites: Path) -> None:
    must_be_sound(TestSuite.from_file_system(suites), suites)


def test_the_suites_are_sound() -> None:
    _must_be_sound(ROOT / "suites")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistyped_word_is_told_with_what_is_allowed(
    mistake: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    chapter, old, new, allowed = mistake.split()[0], *MISTAKES[mistake]
    monkeypatch.setattr(run, "SUITES", _copied(tmp_path, chapter, old, new))
    assert main(["validate"]) == 64
    told = capsys.readouterr().err
    assert f"__{chapter}" in told and "check “" in told and allowed in told
    assert "Traceback" not in told


def test_small_and_capital_letters_are_alike(tmp_path: Path) -> None:
    _must_be_sound(_copied(tmp_path, "tier_ceiling", "to the client", "To The Client"))


def test_a_check_that_is_left_out_may_say_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chapter, (old, new, _) = "tier_ceiling", MISTAKES["tier_ceiling kind"]
    monkeypatch.setattr(run, "SUITES", _copied(tmp_path, chapter, old, new))
    assert main(["validate", "--", "--suite", "Policy enforcement"]) == 0
    assert main(["validate", "--", "--suite", "The tier's ceiling"]) == 64
    assert f"__{chapter}" in capsys.readouterr().err


def test_every_example_in_the_documentation_can_be_typed(tmp_path: Path) -> None:
    keywords = LibraryDocumentation("Gatepass").keywords
    examples = [re.search("Example: ``(.+?)``", keyword.doc)[1] for keyword in keywords]
    steps = "\n".join(f"    {example}" for example in examples)
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "examples.robot").write_text(
        f"*** Settings ***\nLibrary    Gatepass\n*** Test Cases ***\nExamples\n{steps}\n"
    )
    _must_be_sound(tmp_path / "suites")

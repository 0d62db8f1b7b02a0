"""What a run will do on an endpoint is done there in small: on real hosts that cannot."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import resources
from pathlib import Path
from shutil import which

import pytest
from local_shell import LocalShell

from gatepass.base.own_yaml import own_yaml
from gatepass.base.paths import TEMPLATES
from gatepass.endpoint import self_test
from gatepass.endpoint.host import survey
from gatepass.endpoint.needs import ROOT, TUN, every, programs
from gatepass.endpoint.paths import paths_of
from gatepass.endpoint.readiness import lacking
from gatepass.report.sentences import Sentences
from gatepass.scenarios.leaks.ways import links_of

ALL = dict.fromkeys((*every(), ROOT, TUN, "nft"), ("edge",))
WITHOUT = ("setpriv", "--bounding-set")
FLOOR = tuple(map(int, programs()["python3"].least.split(".")))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "gatepass.run"
    made.mkdir()
    return made


def found(folder: Path, *inside: str) -> list[str]:
    """What is found on this machine as seen by a command that gives something up."""
    shell = LocalShell("client", folder, inside)
    facts = survey(shell)
    told = [*lacking(facts, ALL), *self_test.look(shell, facts, ALL)]
    assert list(folder.iterdir()) == [], "something is left"
    return [one.sentence for one in told]


@contextmanager
def played(tmp_path: Path, program: str, text: str) -> Iterator[tuple[str, ...]]:
    """A way in where a program is another.

    Args:
        tmp_path: a folder.
        program: its name.
        text: of the shell script in its place.
    """
    file = tmp_path / f"other-{program}"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    real = os.path.realpath(which(program, path="/usr/sbin:/usr/bin:/sbin:/bin") or "")
    words = f'mount --bind {file} {real} && exec "$@"'
    yield "unshare", "--mount", "sh", "-c", words, "sh"


root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@root
def test_where_all_is_there_nothing_is_found(folder: Path) -> None:
    assert found(folder, "unshare", "--net") == []


@root
@pytest.mark.parametrize(
    ("gone", "named"),
    [
        ("-net_admin,-net_raw", "CAP_NET_ADMIN, CAP_NET_RAW"),
        ("-net_raw", "CAP_NET_RAW"),
        ("-net_bind_service", "CAP_NET_BIND_SERVICE"),
    ],
)
def test_root_without_capabilities_is_named(folder: Path, gone: str, named: str) -> None:
    (only,) = found(folder, *WITHOUT, gone)
    assert f"has no {named}. If it is a container, start it with --cap-add " in only


@root
def test_rights_that_do_not_work_although_they_are_there(folder: Path, tmp_path: Path) -> None:
    """In a user namespace root has all capabilities, and none over the host's network."""
    told = found(folder, "unshare", "--user", "--map-root-user")
    assert [one for one in told if "open a socket for crafted packets: Operation not" in one]
    assert [one for one in told if "change addresses and routes: RTNETLINK answers: " in one]
    assert [one for one in told if "set up a TUN interface: Operation not permitted" in one]
    assert [one for one in told if "set up rules of nftables: Error: " in one]
    assert len(told) == 4


@root
@pytest.mark.parametrize(
    "text",
    [
        """echo 'Option "-j" is unknown, try "ip -help".' >&2; exit 255""",
        "case $3 in addr*) echo '[]';; *) echo 'default via 192.0.2.1 dev eth0';; esac",
        """echo "ip: unrecognized option: j" >&2; exit 1""",
    ],
    ids=["Ubuntu 16.04", "Ubuntu 18.04", "BusyBox"],
)
def test_an_ip_without_json_is_named_and_says_nothing_of_routes(
    folder: Path, tmp_path: Path, text: str
) -> None:
    with played(tmp_path, "ip", text) as inside:
        told = found(folder, *inside)
        assert "answers its option -j without JSON: “" in told[0] and len(told) == 1
        shell = LocalShell("client", folder, inside)
        assert paths_of(shell, ["127.0.0.1"]) == {}
        with pytest.raises(Exception, match="does not list its network interfaces: ip "):
            links_of(shell, ["127.0.0.1"])


@root
@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("timeout", "timeout: unrecognized option: foreground"),
        ("ps", "ps: unrecognized option: w"),
        ("ss", "ss: invalid option -- 'H'"),
    ],
)
def test_a_program_without_the_options_that_a_run_gives_it(
    folder: Path, tmp_path: Path, program: str, says: str
) -> None:
    with played(tmp_path, program, f'echo "{says}" >&2; exit 1') as inside:
        (only,) = found(folder, *inside)
    assert f"cannot do what the test asks of it: “{says}”." in only


@root
def test_a_python_without_a_part_of_its_library(folder: Path, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.write_text("raise ImportError('no asyncio here')\n")
    own = "import asyncio; print(asyncio.__file__)"
    words = f'mount --bind {hidden} $(python3 -c "{own}") && exec "$@"'
    (only,) = found(folder, "unshare", "--mount", "sh", "-c", words, "sh")
    assert "cannot run the test's own scripts: import asyncio: no asyncio here." in only
    assert "Install Python 3.9 or later there, with its whole standard library." in only


def test_a_file_that_is_cut_short_is_named(folder: Path) -> None:
    class Full(LocalShell):
        def put(self, text: str, path: str) -> None:
            super().put(text[:4096], path)

    shell = Full("client", folder)
    (only,) = self_test.look(shell, survey(shell), dict.fromkeys(every(), ("edge",)))
    assert "is another when it is read back: 4096 B" in only.what


def test_what_a_stranger_answers_is_no_finding_of_his(folder: Path) -> None:
    shell = LocalShell("client", folder)
    facts = survey(shell)
    for answer in ("", "[]", '{"format": "{name}"}', "null", '{"ip": {"a": [1]}}'):
        odd = _Answering(shell, answer)
        told = self_test.look(odd, facts, ALL)
        assert all("Traceback" not in str(one) for one in told) and len(told) <= 1


class _Answering(LocalShell):
    def __init__(self, of: LocalShell, answer: str) -> None:
        super().__init__(of.name, Path(of.folder()))
        self._answer = answer

    def run(self, command: str, timeout_s: float = 15, again: bool = False):
        done = super().run(command, timeout_s, again)
        return type(done)(0, self._answer) if command.startswith("python3 -c ") else done


@pytest.mark.parametrize("name", sorted(self_test.scripts()))
def test_every_script_is_of_the_declared_python(name: str) -> None:
    ast.parse(self_test.scripts()[name], name, feature_version=FLOOR)


def test_the_self_test_itself_is_of_older_ones() -> None:
    text = resources.files("gatepass.endpoint.remote").joinpath("self_test.py").read_text()
    tree = ast.parse(text, feature_version=(3, 5))
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]


@pytest.mark.parametrize("language", ["fi", "sv"])
def test_readers_get_each_finding_in_their_language(folder: Path, language: str) -> None:
    known = Sentences(own_yaml(TEMPLATES / f"sentences.{language}.yaml"))
    shell = LocalShell("client", folder)
    facts = replace(survey(shell), is_root=True, capabilities=0)
    found = lacking(facts, ALL)
    tests = ("file", "scripts", "tools", "packets", "addresses", "tun", "nft", "ip")
    for answer in (json.dumps({name: "Operation not permitted"}) for name in tests):
        odd = _Answering(shell, answer)
        found += self_test.look(odd, replace(facts, capabilities=None), ALL)
    assert len(found) == 1 + len(tests)
    by_others = ("this machine", "Operation not permitted", "--cap-add NET_ADMIN ")
    for one in found:
        pieces = known.of(one.sentence)
        left = [piece.text for piece in pieces if not piece.known]
        assert all(text.startswith(by_others) for text in left), left

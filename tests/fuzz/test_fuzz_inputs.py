"""Altered files and calls: 64 with one sentence, or what stands there is right."""

from __future__ import annotations

import copy
import io
import json
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType
from xml.sax.saxutils import escape, unescape

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from robot.api import TestSuite as Suite  # pytest would collect a class named Test…

from fuzz.limits import examples, within
from fuzz.mangling import NASTY, damaged, mangled
from gatepass import cli
from gatepass.base.errors import InputError
from gatepass.base.phrase import say
from gatepass.base.printable import MOST, printable
from gatepass.gateway.journal import NAME as JOURNAL
from gatepass.gateway.journal import Journal
from gatepass.gateway.restore import restore_all
from gatepass.inputs import load_catalogue, load_order, load_profile, load_testbed
from gatepass.results.record import PREFIX, Evidence, Measurement, Restoration, dump
from inputs.input_files import CATALOGUE, ORDER, TESTBED, VARIABLES

LONGEST_S = 10
"""After which a call is stuck; nothing is asserted about times."""

Load = Callable[[Path], object]
FILES: dict[str, tuple[str, Load]] = {
    "order": (ORDER, lambda path: load_order(path, CATALOGUE)),
    "testbed": (TESTBED, load_testbed),
    "catalogue": ((VARIABLES / "service_catalogue.yaml").read_text(), load_catalogue),
    "profiles": (
        (VARIABLES / "profiles.yaml").read_text(),
        lambda path: [load_profile(path, name) for name in (None, "smoke", "thesis")],
    ),
}


def told(load: Load, path: Path) -> str:
    """The sentence of a refusal; empty where the file is taken."""
    try:
        with within(LONGEST_S):
            load(path)
    except InputError as mistake:
        return str(mistake)
    return ""


def must_be_a_sentence(text: str, about: str) -> None:
    """One that names what it is about and may be shown."""
    assert about in text and "\n" not in text and "Traceback" not in text
    assert printable(text) == text and len(text) <= MOST


@pytest.mark.parametrize("kind", FILES)
def test_values_are_altered(kind: str, folder: Path) -> None:
    text, load = FILES[kind]
    path = folder / f"{kind}.yaml"

    @examples(200)
    @given(mangled(yaml.safe_load(text)))
    def altered(content: object) -> None:
        path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
        if sentence := told(load, path):
            must_be_a_sentence(sentence, path.name)
        else:
            assert isinstance(content, dict)

    altered()


@pytest.mark.parametrize("kind", FILES)
def test_bytes_are_altered(kind: str, folder: Path) -> None:
    text, load = FILES[kind]
    path = folder / f"{kind}.yaml"

    @examples(150)
    @given(damaged(text.encode()))
    def altered(content: bytes) -> None:
        path.write_bytes(content)
        if sentence := told(load, path):
            must_be_a_sentence(sentence, path.name)

    altered()


def called(*words: str) -> tuple[int, str]:
    """Exit code and words of a command."""
    output = io.StringIO()
    try:
        with within(LONGEST_S), redirect_stdout(output), redirect_stderr(output):
            code = cli.main(words)
    except SystemExit as end:  # argparse, after --help
        code = int(end.code or 0)
    return code, output.getvalue()


_OPTIONS = """
--order --testbed --profile --orders --testbeds --lab-gateways --processes --shard --turns --resume
--yes --by-mark --to --language -- -h --help smoke 1/2 3 run . / /dev/null --suite --test -v -A --o
--listener variables/orders/lab.yaml --outputdir=x
"""
_WORDS = st.one_of(
    st.sampled_from(_OPTIONS.split()),
    st.sampled_from([str(one) for one in NASTY if "\0" not in str(one)]),
    st.text(max_size=20).filter(lambda text: "\0" not in text),
)


@pytest.mark.parametrize(
    "command", ["validate", "restore", "certificate", "verify", "results", "fleet", "anything"]
)
def test_calls_are_altered(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that touch no gateway; nothing is left behind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gatepass.base.paths.RESULTS", tmp_path / "results")

    @examples(40)
    @given(st.lists(_WORDS, max_size=5))
    def altered(words: list[str]) -> None:
        code, said = called(command, *words)
        assert code in (0, 1, 2, 64), said
        assert "Traceback" not in said and "itself failed" not in said
        if code == 64:
            assert said.startswith("Mistake: ") and said.count("\n") == 1
            must_be_a_sentence(said.removeprefix("Mistake: ").rstrip("\n"), "")

    altered()


HEAD = {"mark": "gp0a1b2c", "serial": "LAB1", "testbed": "bed.yaml", "namespace": ""}


def test_journals_are_altered(tmp_path: Path) -> None:
    """What can be told is told; nothing is ever taken for undone."""
    path = tmp_path / "20260101-120000-a" / JOURNAL
    path.parent.mkdir()
    journal = Journal.start(path, HEAD | {"testbed": str(tmp_path / "bed.yaml")})
    for number in range(4):
        journal.creates("firewall/address", [f"gp0a1b2c-{number}"])
    journal.changes("system/dns", None, {"primary": "192.0.2.1"})
    journal.changed("system/dns", None, {"primary": "192.0.2.2"})
    journal.changes_host("client", "far.undo", "0" * 64)
    journal.release()
    whole = path.read_bytes()

    @examples(250)
    @given(damaged(whole))
    def altered(content: bytes) -> None:
        path.write_bytes(content)
        with within(LONGEST_S):
            read = Journal.read(path)
            (one,) = restore_all(tmp_path, lambda *_: [])
        assert len(read.entries) <= 5 + content.count(b"\n")
        assert not one.done and "not restored: " in one.sentence
        must_be_a_sentence(one.sentence, "")

    altered()


MEASURED = Measurement(
    "throughput", say("rule_set", policies=1000, nat="on"), 312.0, "Mbit/s", "TCP goodput",
    half_width=2.0, trials=(311.0, 313.0, 312.0), threshold=300.0,
    series=(311.0, 313.0), series_interval_s=1.0,
)  # fmt: skip
SEEN = Evidence(say("counted"), "It counted 3 GB.", True)


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run: output and certificate."""
    folder = tmp_path_factory.mktemp("run")
    run = {
        "run_id": "20260101-120000-a", "started": "2026-01-01T12:00:00+00:00", "gatepass": "1",
        "order": {"order": "A-1", "customer": "Example Oy", "tier": "SGW-200"},
        "tier": {"throughput_mbps": 300}, "profile": {"name": "smoke", "confidence": 0.95},
        "gateway": {"serial": "LAB1", "model": "LAB", "version": "v7.4.8", "build": 1},
        "testbed": {"name": "lab"}, "plan": [["Suite", "One"]], "endpoints": {},
    }  # fmt: skip
    library = folder / "Gatepass.py"
    library.write_text("import robot.api\n\n\ndef keep(text):\n    robot.api.logger.debug(text)\n")
    suite = Suite("Acceptance").suites.create("Suite")
    suite.resource.imports.library(str(library))
    test = suite.tests.create("One")
    for kind, content in (
        ("run", run), ("measurement", MEASURED), ("evidence", SEEN),
        ("restoration", Restoration(True)),
    ):  # fmt: skip
        text = dump(kind, content).replace("\\", "\\\\")
        test.body.create_keyword("Keep", args=[text])
    path = folder / "output.xml"
    with pytest.MonkeyPatch.context() as patch:  # what a later test imports is the product's own
        patch.setitem(sys.modules, "Gatepass", ModuleType("Gatepass"))
        suite.parent.run(
            output=str(path), log=None, report=None, loglevel="DEBUG", console="none"
        )
    assert called("certificate", str(path))[0] == 0
    return folder


_RECORD = re.compile(rf"({PREFIX})(.*?)(?=</msg>)")


def test_outputs_are_altered(
    output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are refused, or told to be another than the certificate was made of."""
    monkeypatch.setenv("GATEPASS_PDF", "no")  # printing them would be a test of the browser
    whole = (output / "output.xml").read_text(encoding="utf-8")
    records = [json.loads(unescape(found[2])) for found in _RECORD.finditer(whole)]
    assert len(records) == 4
    path = tmp_path / "output.xml"

    def look(content: bytes) -> None:
        path.write_bytes(content)
        for words in (
            ("certificate", str(path), "--to", str(tmp_path / "made.html")),
            ("results", str(path)),
            ("verify", str(output / "certificate.html"), str(path)),
        ):
            code, said = called(*words)
            assert "Traceback" not in said and "itself failed" not in said, said
            assert code in (0, 64) if words[0] != "verify" else code in (1, 64), said

    @examples(60)
    @given(damaged(whole.encode()).filter(lambda content: content != whole.encode()))
    def bytes_altered(content: bytes) -> None:
        look(content)

    @examples(60)
    @given(st.integers(0, 3).flatmap(lambda at: st.tuples(st.just(at), mangled(records[at]))))
    def values_altered(changed: tuple[int, object]) -> None:
        at, record = changed
        mine = copy.deepcopy(records)
        mine[at] = record
        texts = iter(escape(json.dumps(one)) for one in mine)
        content = _RECORD.sub(lambda found: found[1] + next(texts), whole).encode()
        if content != whole.encode():
            look(content)

    bytes_altered()
    values_altered()

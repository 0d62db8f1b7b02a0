"""Words of others are text in Robot's pages, wherever they stand in them."""

from __future__ import annotations

import ast
import re
import zlib
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from robot.api import ResultWriter
from robot.result import Message, Result
from robot.result import TestSuite as Suite  # pytest would collect a class named Test…
from robot.utils import html_escape, html_format

from gatepass.report.robot_text import PlainMessages, bold, link, message, quoted
from gatepass.report.sparkline import sparkline
from gatepass.report.timeline import timeline
from said import measurement

RATE = measurement(
    "Stateful throughput", "", 287.2, "Mbit/s", "TCP goodput", 4.1, 0.95, (285.0, 289.4), 300.0
)
OVER_TIME = replace(RATE, series=(1.0, 2.0, 3.0), series_interval_s=1.0, observed=True)
LIBRARIES = Path(__file__).parents[2] / "libraries"
WORDS = (
    "[javascript:alert(1)|The certificate]",
    "[https://stranger.example/x.png|x]",
    "[x|data:image/svg+xml,<svg onload=alert(1)>]",
    "[certificate.html",  # its other half is markup of ours
    "other half|x]",
    "https://stranger.example",
    'see "javascript://%0aalert(1)".',
    "*HTML*<img src=x onerror=alert(1)>",
    "  *HTML* <b>x</b>",
    "*bold* _italic_ ``code`` _*both*_",
    "*",
    "_",
    "``",
    "| a | b |",
    "| text",
    "- item",
    "= Heading =",
    "---",
    "one\n= Heading =\n\n- item\n| a |\n---\n",
    "x\u2028= Heading =\x85- item\x0b---",
    "<script>alert(1)</script>",
    ":\x00//x *HT\x00ML*",
    "a [b] c",
)
FOREIGN = (
    "<b>x</b><script>alert(1)</script>",
    "<b onclick=alert(1)>x</b>",
    '<b onclick="alert(1)">x</b>',
    '<img src="x.png" onerror="alert(1)">',
    '<img src="https://stranger.example/x.png">',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="https://stranger.example">x</a>',
    '<a href="//stranger.example">x</a>',
    "<!--><img src=x>",
    "<svg><style>*{}</style></svg>",
    '<b style="x">x</b>',
)
"""Of an output that comes from elsewhere."""
_STRINGS = re.compile(r'window\.output\["strings"\].*?concat\(\[(.*?)\]\);', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def tags(html: str) -> list[str]:
    return [tag for tag in _TAG.findall(html) if tag not in ("<p>", "</p>")]


def _parts() -> st.SearchStrategy[str]:
    signs = st.sampled_from([*"*_`[]|-=:/ <>&\"'(.!\n\r\t\x00\x0b\x1c\x85\u2028\u2060", "://"])
    return st.lists(signs | st.sampled_from(["a", "http", "x.png", "*HTML*"]), max_size=12).map(
        "".join
    )


def _in_robots_words(words: str) -> str:
    """A documentation of ours with words of others in every place."""
    return "\n".join(
        [
            f"{bold(words)} Checks: {quoted(words)}, *ours*.", "",
            f"- {bold('Title')}: {quoted(words)} {link('failures/a_b/index.html', 'Ours')}",
            f"- {quoted(words)}",
        ]
    )  # fmt: skip


OURS = ["<b>", "</b>", '<a href="failures/a_b/index.html">', "</a>", "<ul>", "<li>", "</li>"]


@given(_parts() | st.sampled_from(WORDS))
def test_what_is_quoted_is_text(words: str) -> None:
    assert tags(html_format(quoted(words))) == []
    found = tags(html_format(_in_robots_words(words)))
    assert set(found) <= {*OURS, "</ul>"}
    assert (found.count("<li>"), found.count(OURS[2])) == (1 + bool(quoted(words)), 1)
    assert 2 <= found.count("<b>") <= 3


@given(_parts() | st.sampled_from(WORDS))
def test_a_link_of_ours_leads_to_a_file_of_the_run(place: str) -> None:
    found = html_format(link(f"failures/{place}", "Ours"))
    for scheme in ("://", "javascript:", "data:"):
        assert scheme not in found
    assert len(tags(found)) <= 2


@given(_parts() | st.sampled_from(WORDS))
def test_a_message_is_text(words: str) -> None:
    told = message(words)
    assert tags(html_escape(told)) == []
    assert not told.lstrip().startswith("*HTML*")


@pytest.mark.parametrize(
    "words",
    [
        "FortiGate-VM64 LABGW_0000000001, FortiOS 7.4.8 build 2795",
        "287 ± 4 Mbit/s (95 %, 5 trials, TCP goodput)",
        "19\u202f800 packets; 3 * 4 = 12 - 1".replace("*", "×"),
        "Asiakas Öy & Söner <x@example.net>",
        "✓ The path was the gateway's",
    ],
)
def test_what_is_no_markup_stays_as_it_is(words: str) -> None:
    assert quoted(words) == message(words) == words


def shown(result: Result, folder: Path) -> Iterator[str]:
    """Every text that Robot's pages hold, as their scripts put it in."""
    ResultWriter(result).write_results(log=str(folder / "log.html"), report=None, loglevel="TRACE")
    page = (folder / "log.html").read_text()
    for strings in _STRINGS.findall(page):
        for text in ast.literal_eval(f"[{strings}]"):
            yield text[1:] if text.startswith("*") else zlib.decompress(b64decode(text)).decode()


@pytest.mark.parametrize("words", WORDS)
def test_messages_of_robots_pages_are_text(words: str, tmp_path: Path) -> None:
    suite = Suite("Gatepass", message=words)
    test = suite.tests.create("Check", status="FAIL", message=words)
    keyword = test.body.create_keyword("Step", args=[words], status="FAIL", message=words)
    for level in ("TRACE", "DEBUG", "INFO", "WARN", "FAIL"):
        keyword.body.create_message(words, level)
    keyword.body.create_message("<b>ours</b>", "INFO", html=True)
    for html in FOREIGN:
        keyword.body.create_message(html, "INFO", html=True)
    result = Result(suite=suite)
    result.suite.visit(PlainMessages())
    found = {tag for text in shown(result, tmp_path) for tag in _TAG.findall(text)}
    assert found == {"<b>", "</b>"}


@pytest.mark.parametrize("html", [
    'Likely cause, shaper: the shaper &quot;x&quot; limits to 290 Mbit/s',
    f"Rate: <b>287 ± 4 Mbit/s</b>; at least 300 is promised {sparkline(RATE)}",
    f"Rate: <b>287 ± 4 Mbit/s</b> {timeline(OVER_TIME)}",
    '<img src="gui/policies.png" width="960" alt="What Chromium showed">',
    'First failure data: <a href="failures/a/index.html">what was seen</a> (3).',
])  # fmt: skip
def test_lines_of_ours_stay_html(html: str) -> None:
    entry = Message(html, "INFO", html=True)
    entry.visit(PlainMessages())
    assert entry.html and entry.message == html


_WAYS = {
    "set_suite_metadata": {"support/robot_log.py"},
    "set_test_message": {"support/robot_log.py"},
    "set_suite_documentation": set(),
    "set_test_documentation": set(),
    "warn": {"support/robot_log.py"},
    "error": set(),
}
"""Of Robot's interfaces for keywords, and the files that may use them."""
_HTML = {"ManagementGui.py", "support/check_context.py", "support/first_failure.py"}
_MARKUP = {"listeners/Verdicts.py", "gatepass/fleet/merged.py"}
_ESCAPED = {*_MARKUP, "listeners/Turns.py"}


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (one for one in ast.walk(tree) if isinstance(one, ast.Call))


def _other_ways(name: str, code: str) -> Iterator[str]:
    """How words come to Robot elsewhere than through the functions above, in one module."""
    tree = ast.parse(code)
    for call in _calls(tree):
        function = call.func
        if not isinstance(function, ast.Attribute):
            continue
        of = ast.unparse(function.value)
        if of in ("logger", "BuiltIn()") and name not in _WAYS.get(function.attr, {name}):
            yield f"{name}: {ast.unparse(function)}"
        if of in ("BuiltIn()", "data.setup") and function.attr in ("run_keyword", "config"):
            values = [one for word in call.keywords if word.arg == "args"
                      for one in getattr(word.value, "elts", [word.value])]  # fmt: skip
            if not all(ast.unparse(one).startswith("escape(") for one in values):
                yield f"{name}: arguments of a keyword, in which Robot looks for variables"
        html = any(word.arg == "html" for word in call.keywords)
        if of == "logger" and html and name not in _HTML:
            yield f"{name}: HTML in the log"
    for one in ast.walk(tree):
        targets = getattr(one, "targets", [])
        for target in map(ast.unparse, targets):
            if re.search(r"\.(doc|metadata(\[.*\])?)$", target) and name not in _MARKUP:
                yield f"{name}: {target}"


def test_there_is_no_other_way() -> None:
    files = [one for one in LIBRARIES.rglob("*.py") if "gatepass/endpoint/remote" not in str(one)]
    assert len(files) > 300
    named = [(file.relative_to(LIBRARIES).as_posix(), file.read_text()) for file in files]
    assert [way for one in named for way in _other_ways(*one)] == []


@pytest.mark.parametrize(
    "code",
    [
        "BuiltIn().set_suite_metadata('Order', order.customer)",
        "BuiltIn().set_test_message(words)",
        "logger.warn(words)",
        "logger.info(words, html=True)",
        "result.doc = words",
        "result.metadata['Order'] = words",
        "data.setup.config(name='Skip', args=[words])",
    ],
)
def test_another_way_is_found(code: str) -> None:
    assert list(_other_ways("Another.py", code))

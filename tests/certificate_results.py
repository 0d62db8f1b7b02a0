"""An ``output.xml`` that holds an outcome, as a run of Gatepass would have written it."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from gatepass.results import record
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import FAIL, NOT_APPLICABLE, NOT_PROVEN, PASS

_STATUS = {PASS: "PASS", FAIL: "FAIL", NOT_PROVEN: "SKIP", NOT_APPLICABLE: "SKIP"}
_PREFIX = {NOT_PROVEN: "Not proven: ", NOT_APPLICABLE: "Not applicable: "}
_START = 'start="2026-11-21T07:22:31.000000"'


def write_output(outcome: Outcome, path: Path) -> Path:
    """Write it; what `gatepass.results.outcome.read` makes of it makes the same certificate."""
    chapters = dict.fromkeys(check.chapter for check in outcome.checks)
    suites = [_suite(name, outcome) for name in chapters]
    setup = _keyword("Begin The Run", "SETUP", [record.dump("run", outcome.run)])
    told = [record.dump("restoration", outcome.restoration)] if outcome.restoration else []
    teardown = _keyword("End The Run", "TEARDOWN", told)
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<robot generator="Robot 7.5" generated="2026-11-21T07:25:05.000000" rpa="false" '
        'schemaversion="6">\n'
        f'<suite id="s1" name="Gatepass">\n{setup}{"".join(suites)}{teardown}'
        f'<status status="PASS" {_START} elapsed="{outcome.elapsed_s}"/>\n</suite>\n</robot>\n',
        encoding="utf-8",
    )
    return path


def _suite(name: str, outcome: Outcome) -> str:
    documentation = outcome.chapters.get(name, "")
    tests = "".join(_test(check) for check in outcome.checks if check.chapter == name)
    return (
        f"<suite name={quoteattr(name)}>\n{tests}<doc>{escape(documentation)}</doc>\n"
        f'<status status="PASS" {_START} elapsed="1"/>\n</suite>\n'
    )


def _test(check: Check) -> str:
    said = [record.dump("measurement", one) for one in check.measurements]
    said += [record.dump("evidence", one) for one in check.evidence]
    said += [record.dump("study", one.as_json()) for one in check.tables]
    message = _PREFIX.get(check.verdict, "") + check.message if check.message else ""
    tags = "".join(f"<tag>{escape(tag)}</tag>" for tag in check.tags)
    return (
        f"<test name={quoteattr(check.name)}>\n{_keyword('Step', '', said)}{tags}"
        f'<status status="{_STATUS[check.verdict]}" {_START} elapsed="1">{escape(message)}</status>'
        "\n</test>\n"
    )


def _keyword(name: str, kind: str, said: list[str]) -> str:
    kind = f' type="{kind}"' if kind else ""
    messages = "".join(
        f'<msg time="2026-11-21T07:22:32.000000" level="{record.LEVEL}">{escape(text)}</msg>\n'
        for text in said
    )
    return (
        f'<kw name={quoteattr(name)} owner="{record.LIBRARY}"{kind}>\n{messages}'
        f'<status status="PASS" {_START} elapsed="1"/>\n</kw>\n'
    )

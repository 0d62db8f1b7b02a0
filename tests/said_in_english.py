"""What the run's own code says of a gateway in English sentences, as templates with {1}, {2}, …"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gatepass.base.paths import ROOT

RAISED = (
    *("NotProven", "AssertionError", "GatewayLost", "EndpointLost", "Refused", "NotRestored"),
    *("AnotherDevice", "InUse", "OtherCertificate", "ServerLost"),
)
"""What ends a check with a reason."""
_ELSEWHERE = ("fleet", "serve", "history", "proof", "doctor", "run", "inputs", "report", "results")
"""Packages whose words are those of the command line."""
_NO_REASONS = ("rehearsed.py",)
"""Modules whose refusals are taken by who rehearses a run."""
_LIBRARIES = ROOT / "libraries"
_GAP = "\0"


def templates(raised: str = "") -> Iterator[tuple[str, str]]:
    """Every sentence that is raised, or told of what was seen, as far as written out; and where.

    Args:
        raised: only by what is raised so; all of them unless given.
    """
    for path in sorted(_LIBRARIES.rglob("*.py")):
        place = path.relative_to(_LIBRARIES)
        if place.parts[0] == "gatepass" and place.parts[1] in _ELSEWHERE:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            said = _said(node, raised)
            text = said and _text(said)
            if not text or not re.search("[a-z]{2}", text) or text.startswith("unreachable"):
                continue
            if place.name not in _NO_REASONS:
                yield _numbered(text), f"{place}:{node.lineno}"


def _said(node: ast.AST, raised: str) -> ast.expr | None:
    """The sentence of a raise, or of an observation."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
        wanted = (raised,) if raised else RAISED
        return node.exc.args[0] if getattr(node.exc.func, "id", "") in wanted else None
    if raised:
        return None
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "evidence":
        return node.args[1] if len(node.args) > 1 else None
    return None


def _text(node: ast.expr) -> str:
    """A literal, with a gap for whatever is filled in; nothing for what is no literal."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or _GAP for part in node.values)
    return ""


def _numbered(text: str) -> str:
    parts = " ".join(text.split()).split(_GAP)
    told = (f"{part}{{{number}}}" for number, part in enumerate(parts[:-1], 1))
    return "".join(told) + parts[-1]


def samples(template: str, values: tuple[str, ...]) -> Iterator[str]:
    """A template with its gaps filled in, each time by another value.

    Args:
        template: as `templates` has it.
        values: what may stand in a gap.
    """
    parts = re.split(r"\{\d+\}", template)
    gaps = len(parts) - 1
    alike = ([value] * gaps for value in values)
    each = (
        [first if place == at else other for place in range(gaps)]
        for at in range(gaps)
        for first in values
        for other in values
    )
    for filled in (*alike, *each):
        yield parts[0] + "".join(a + b for a, b in zip(filled, parts[1:], strict=True))

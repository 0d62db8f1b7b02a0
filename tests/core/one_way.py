"""Ways to a shell, or to nftables, past the one that there is, found in a source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

MAKERS = {"script": "template", "ruleset": "template", "joined": "separator"}
"""Functions whose first argument is our own text."""
MADE = ("Script", "Ruleset")
QUOTING = {"shlex", "pipes"}
SHELLS = ("sh", "bash", "dash", "ash", "ksh", "zsh")
ELSEWHERE = ("ssh", "su", "rsh")
OF_A_SHELL = {
    *("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"),
    *("asyncio.create_subprocess_shell", "commands.getoutput", "pty.spawn"),
}
PUTS = {"put": 0, "put_secret": 1}
"""What writes a file of an endpoint, and which of its arguments is the text."""
_WITH_A_TEXT = re.compile("-[a-z]*c[a-z]*")
_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
_NFT = re.compile(r"\bnft (-|[a-z]+ )|\btable (ip6?|inet|arp|bridge) |\btype (filter|nat) hook ")


def offences(source: str) -> Iterator[tuple[int, str]]:
    """What a source does past `gatepass.endpoint.script` and `ruleset`.

    Args:
        source: of a module.

    Yields:
        The line, and what is wrong there.
    """
    tree = ast.parse(source)
    names = _imported(tree)
    texts = _constants(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imports(node)
        elif isinstance(node, ast.ClassDef):
            for base in node.bases:
                if _last(base, names) in MADE:
                    yield node.lineno, f"a class of its own for {_name(base)}"
        elif isinstance(node, ast.Call):
            yield from _call(node, names, texts)
        elif isinstance(node, ast.Attribute | ast.Name) and _name(node) in OF_A_SHELL:
            yield node.lineno, f"{_name(node)} goes to a shell"
        if _NFT.search(_put_together(node)):
            yield node.lineno, "text for nftables that is no ruleset"
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            yield from _files(function)


def _imported(tree: ast.Module) -> dict[str, str]:
    """What names of other modules stand for, with the module, under whatever alias."""
    return {
        each.asname or each.name: f"{node.module}.{each.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    }


def _constants(tree: ast.Module) -> set[str]:
    """Upper-case names of the module that are bound once, to a literal text."""
    bound: dict[str, list[ast.expr | None]] = {}
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            targets = [node.target]
        for target in targets:
            for name in ast.walk(target):
                if isinstance(name, ast.Name):
                    at_top = node in tree.body and target is name
                    bound.setdefault(name.id, []).append(node.value if at_top else None)
    return {
        name
        for name, values in bound.items()
        if _CONSTANT.fullmatch(name) and len(values) == 1 and _literal(values[0])
    }


def _literal(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _name(node: ast.AST) -> str:
    """A name with dots as it is written; empty for what is none."""
    return ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[int, str]]:
    module = getattr(node, "module", None) or ""
    for each in node.names:
        if {module, each.name} & QUOTING:
            yield node.lineno, "words are quoted past the one layer"
        if f"{module}.{each.name}" in OF_A_SHELL:
            yield node.lineno, f"{module}.{each.name} goes to a shell"


def _call(node: ast.Call, names: dict[str, str], texts: set[str]) -> Iterator[tuple[int, str]]:
    called = _last(node.func, names)
    if called in MADE:
        yield node.lineno, f"{' and '.join(MADE)} are made by script and ruleset alone"
    # map(Script, texts), str.__new__(Script, text)
    handed = [_last(one, names) for one in node.args if _name(one) in names]
    if called not in ("isinstance", "issubclass") and {"script", "ruleset", *MADE} & {*handed}:
        yield node.lineno, "what makes texts for a shell is handed on"
    whole = names.get(_name(node.func), _name(node.func))
    if called in MAKERS and (called != "joined" or whole.endswith("script.joined")):
        named = [one.value for one in node.keywords if one.arg == MAKERS[called]]
        (first,) = (*node.args, *named, None)[:1]
        if not (_literal(first) or (isinstance(first, ast.Name) and first.id in texts)):
            yield node.lineno, f"the text of {called} is no literal"
    words = [*node.args, *(one.value for one in node.keywords)]
    runs = called == "run" and not _name(node.func).endswith("window.run")  # a page's own script
    if runs and node.args and (_is_text(node.args[0]) or _name(node.args[0]) in texts):
        yield node.lineno, "a command that is no script"
    if any(one.arg == "shell" and not _is_false(one.value) for one in node.keywords):
        yield node.lineno, "a shell is asked for"
    if any(map(_runs_a_shell, words)):
        yield node.lineno, "a program of this machine is a shell"


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr | ast.BinOp)


def _last(node: ast.AST, names: dict[str, str]) -> str:
    """The last part of a name with dots, without its alias."""
    name = _name(node) or getattr(node, "attr", "")
    return names.get(name, name).rpartition(".")[2]


def _is_false(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _runs_a_shell(node: ast.AST) -> bool:
    """Whether it is a list of words in which a shell gets a text, here or elsewhere."""
    if not isinstance(node, ast.List | ast.Tuple) or len(node.elts) < 2:
        return False
    words = [one.value if _literal(one) else "" for one in node.elts]  # type: ignore[attr-defined]
    if words[0].rpartition("/")[2] in ELSEWHERE:
        return True
    shells = [at for at, word in enumerate(words) if word.rpartition("/")[2] in SHELLS]
    return any(_WITH_A_TEXT.fullmatch(word) for at in shells for word in words[at + 1 :])


def _put_together(node: ast.AST) -> str:
    """What is literal of a text that is put together from parts; empty for any other."""
    if isinstance(node, ast.JoinedStr):
        parts = [one.value if _literal(one) else "{}" for one in node.values]  # type: ignore[attr-defined]
        return "".join(parts) if len(parts) > 1 or parts == ["{}"] else ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        sides = (node.left, node.right)
        if not all(map(_literal, sides)):
            return "{}".join(one.value for one in sides if _literal(one))  # type: ignore[attr-defined]
    formats = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "format"
    if formats and _literal(node.func.value):  # type: ignore[attr-defined]
        return node.func.value.value  # type: ignore[attr-defined]
    return ""


def _files(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """Files of endpoints whose text is put together."""
    bound = {
        target.id: node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and (at := PUTS.get(_last(node.func, {}))) is not None:
            text = node.args[at] if len(node.args) > at else node
            if _is_put_together(bound.get(_name(text), text)):
                yield node.lineno, "a file of an endpoint whose text is put together"


def _is_put_together(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("format", "format_map", "join", "replace", "substitute")
    return isinstance(node, ast.JoinedStr | ast.BinOp)

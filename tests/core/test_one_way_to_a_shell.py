"""Nothing reaches a shell of an endpoint, or nftables, but by `script` and `ruleset`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from one_way import offences

ROOT = Path(__file__).parents[2] / "libraries"
OF_THE_OPERATOR = {
    "gatepass/gateway/troubles.py": "a testbed's own commands, which only its operator writes",
    "gatepass/run/notice.py": "GATEPASS_AT_END",
    "gatepass/proof/signing_key.py": "a text of its own, whose words are arguments",
}
"""Where a program of this machine is a shell, and whose commands it is given."""
SHOWN = {
    "Run.py": "a call of Gatepass is read as it was typed",
    "gatepass/run/execution.py": "a call of Gatepass is shown as it was typed",
}
"""Where words are quoted or parted for people alone."""
LAYER = {"gatepass/endpoint/script.py", "gatepass/endpoint/ruleset.py"}


def found_in(path: Path) -> Iterator[str]:
    """What a file does past the one way, but for what is named above."""
    name = str(path.relative_to(ROOT))
    for line, what in offences(path.read_text()):
        if name in LAYER:
            continue
        if name in OF_THE_OPERATOR and what == "a program of this machine is a shell":
            continue
        if name in SHOWN and what == "words are quoted past the one layer":
            continue
        yield f"{name}:{line}: {what}"


def test_there_is_one_way() -> None:
    assert [one for path in sorted(ROOT.rglob("*.py")) for one in found_in(path)] == []


@pytest.mark.parametrize("name", sorted([*OF_THE_OPERATOR, *SHOWN, *LAYER]))
def test_the_exceptions_are_still_some(name: str) -> None:
    assert list(offences((ROOT / name).read_text()))


PAST = {
    "an f-string": 'script(f"ls {folder}")',
    "a text put together": 'script("ls " + folder)',
    "a text by format": 'script("ls {}".format(folder))',
    "a text by percent": 'script("ls %s" % folder)',
    "a name": "script(command)",
    "a constant that is bound again": 'TEXT = "ls"\nTEXT += folder\nscript(TEXT)',
    "a constant that is put together": 'TEXT = f"ls {folder}"\nscript(TEXT)',
    "a constant of a function": 'def f(folder):\n    TEXT = folder\n    script(TEXT)',
    "a constant of another module": "from texts import TEXT\nscript(TEXT)",
    "by keyword": 'script(template=f"ls {folder}")',
    "by unpacking": "script(*parts)",
    "under another name": "from gatepass.endpoint.script import script as s\ns(text)",
    "by its module": "endpoint.script.script(text)",
    "joined by something": (
        'from gatepass.endpoint.script import joined\njoined(f"; {x}; ", parts)'
    ),
    "a ruleset": 'ruleset(f"table inet {name}")',
    "a Script": "Script(text)",
    "a Script by another name": "from gatepass.endpoint.script import Script as S\nS(text)",
    "a Script by its module": "script.Script(text)",
    "a Script by new": (
        "from gatepass.endpoint.script import Script\nstr.__new__(Script, text)"
    ),
    "a Script handed on": "from gatepass.endpoint.script import Script\nmap(Script, texts)",
    "script handed on": "from gatepass.endpoint.script import script\nmap(script, texts)",
    "a class of its own": "class Mine(Script): pass",
    "shlex": "import shlex",
    "a part of shlex": "from shlex import quote",
    "a command by f-string": 'shell.run(f"[ -f {stem}.rc ]")',
    "a command that is a constant": 'BOOT = "cat /proc/boot"\nshell.run(BOOT)',
    "a command by adding": 'self._client.run("ls " + folder)',
    "a shell": "subprocess.run(text, shell=True)",
    "a shell that may be": "subprocess.run(text, shell=flag)",
    "system": "os.system(text)",
    "popen": "from os import popen",
    "a shell by its words": 'subprocess.run(["/bin/sh", "-c", text])',
    "a shell behind another program": 'subprocess.Popen(("env", "-i", "bash", "-c", text))',
    "a shell with options": 'subprocess.run(["sh", "-ec", text])',
    "a shell elsewhere": 'subprocess.run(["ssh", host, text])',
    "nft by format": 'text = "table inet {} {{}}".format(name)',
    "nft by f-string": 'text = f"table inet {name} {{}}"',
    "nft's command by f-string": 'text = f"nft delete table {name}"',
    "nft by adding": 'text = "type filter hook " + hook',
    "a file by f-string": 'def f(shell):\n    shell.put(f"set {x}", path)',
    "a file by format": 'def f(shell):\n    text = T.format(x=x)\n    shell.put(text, path)',
    "a secret file by joining": 'def f(shell):\n    put_secret(shell, "".join(lines), path)',
}


@pytest.mark.parametrize("source", PAST.values(), ids=PAST)
def test_another_way_is_found(source: str) -> None:
    assert list(offences(source))


@pytest.mark.parametrize(
    "source",
    [
        'script("ls {folder}", folder=folder)',
        'TEXT = "ls {folder}"\nscript(TEXT, folder=folder)',
        'TEXT = ("ls "\n        "{folder}")\nscript(TEXT, folder=folder)',
        'joined("; ", parts)',
        "def f(x: Script) -> Script: return x",
        "from gatepass.endpoint.script import Script\nisinstance(x, Script)",
        'subprocess.run(["ssh-keygen", "-c"])',
        "subprocess.run(words, shell=False)",
        'text = f"the counters of nftables cannot be read on {name}"',
        'def f(shell):\n    shell.put(json.dumps(plan), f"{folder}/plan")',
        "def f(server):\n    server.put(name, [*seated, caller])",
    ],
)
def test_the_one_way_is_none(source: str) -> None:
    assert list(offences(source)) == []

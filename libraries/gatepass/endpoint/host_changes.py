"""What a run changes on an endpoint's own system, such as an address or a route.

Beside each change stands a script that takes it back, in the run's folder there and written before
the change is made: whoever removes that folder (`SshShell.remove_folder`) runs it first, also
after a kill. The run's journal knows it by its digest, so that nobody else's script is ever run.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from gatepass.base.errors import NotProven
from gatepass.endpoint.script import Script, joined, script
from gatepass.endpoint.shell import Shell

SUFFIX = ".undo"
_ROOT = script("[ $(id -u) = 0 ] || {{ echo its SSH user has to be root >&2; exit 1; }}")
_STRICT = script("set -e")


def change(shell: Shell, name: str, commands: Sequence[Script], undo: Sequence[Script]) -> None:
    """Change the host.

    Args:
        shell: the endpoint, where it takes root.
        name: of the change, in letters and dashes; one of the same name is taken back first.
        commands: each of them has to succeed.
        undo: take it all back, in this order; each may fail, and does no harm when run twice.

    Raises:
        NotProven: a command failed, with its own words; what was done is taken back.
    """
    take_back(shell, name)
    announce(shell, name, undo)
    done = shell.run(joined("; ", [_ROOT, _STRICT, *commands]))
    if done.status:
        take_back(shell, name)
        words = done.errors.strip() or f"it ended with {done.status}"
        raise NotProven(f"the {shell.name} could not be prepared ({name}): {words}")


def announce(shell: Shell, name: str, undo: Sequence[Script]) -> None:
    """Write down what takes back a change that another program is about to make."""
    text = joined("", [script("{line}\n", line=line) for line in undo])
    shell.announce(f"{name}{SUFFIX}", sha256(text.encode()).hexdigest())
    shell.put(text, _path(shell, name))


def take_back(shell: Shell, name: str) -> None:
    """Undo a change before the end of the run; nothing happens where there was none."""
    shell.run(
        script(
            "[ ! -e {path} ] || {{ sh {path} >/dev/null 2>&1; rm -f {path}; }}",
            path=_path(shell, name),
        )
    )


def _path(shell: Shell, name: str) -> str:
    return f"{shell.folder()}/{name}{SUFFIX}"

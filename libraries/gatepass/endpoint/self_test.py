"""An endpoint does in small what a run will do there, so that nothing is taken for granted.

That a program, a device or a right is there by name does not say that it works: root of a container
may lack the rights of root, `ip` may know no JSON, a Python may be too old for the run's scripts, a
file may not be written. One file and one command tell (`remote/self_test.py`); nothing is changed,
and nothing is left behind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources

from gatepass.base.errors import NotProven
from gatepass.base.finding import Finding
from gatepass.endpoint.answers import Words, of_json, words_of
from gatepass.endpoint.host import HostFacts
from gatepass.endpoint.needs import ROOT, TUN, capabilities_of, programs
from gatepass.endpoint.probe import run_script
from gatepass.endpoint.shell import Completed, EndpointLost, Shell

_LONGEST_S = 30
_PYTHON, _IP, _NFT = "python3", "ip", "nft"
_FORBIDDEN = (
    "Allow it there: in a container its seccomp profile or a read-only /proc/sys may forbid it, on "
    "a host SELinux or AppArmor."
)


@dataclass(frozen=True)
class _Test:
    """One thing that is done in small (see `remote/self_test.py`).

    Attributes:
        need: for which it is done (see `needs.yaml`).
        what: that it fails, in a sentence without its full stop.
        remedy: what to do then.
        program: that it calls, if any.
        of_root: whether it is root's alone.
    """

    need: str
    what: str
    remedy: str = _FORBIDDEN
    program: str = ""
    of_root: bool = True


_ALWAYS = {
    "file": _Test(
        _PYTHON,
        "a file that was written to the {name} ({where}) is another when it is read back: {why}",
        "Check the file system of /tmp there.",
    ),
    "scripts": _Test(
        _PYTHON,
        "Python on the {name} ({where}) cannot run the test's own scripts: {why}",
        "Install Python {least} or later there, with its whole standard library.",
    ),
}
_TESTS = {
    "tools": _Test(
        _PYTHON,
        "a program of the {name} ({where}) cannot do what the test asks of it: “{why}”",
        "Install coreutils, util-linux, procps and iproute2 there, in the place of BusyBox.",
        of_root=False,
    ),
    "packets": _Test(
        ROOT, "root of the {name} ({where}) cannot open a socket for crafted packets: {why}"
    ),
    "addresses": _Test(
        ROOT, "root of the {name} ({where}) cannot change addresses and routes: {why}", program=_IP
    ),
    "tun": _Test(TUN, "root of the {name} ({where}) cannot set up a TUN interface: {why}"),
    "nft": _Test(
        _NFT, "root of the {name} ({where}) cannot set up rules of nftables: {why}", program=_NFT
    ),
    "ip": _Test(
        _IP,
        "the command ip of the {name} ({where}) answers its option -j without JSON: “{why}”",
        "Install iproute2 5.0 or later there.",
        program=_IP,
        of_root=False,
    ),
}


def look(shell: Shell, facts: HostFacts, needs: Mapping[str, tuple[str, ...]]) -> list[Finding]:
    """What of it fails; what is known to be missing is not tried again.

    Args:
        shell: the endpoint.
        facts: what it is and has.
        needs: what it has to have, each with the chapters that do.

    Raises:
        EndpointLost: it cannot be reached.
    """
    path = f"{shell.folder()}/self_test.json"
    content = json.dumps(scripts())
    try:
        shell.put(content, path)
    except EndpointLost:
        raise
    except NotProven as refused:
        return [Finding(facts.name, str(refused.reason).rstrip("."), keeps=needs[_PYTHON])]
    if _PYTHON not in facts.has:
        return []
    tests = [name for name, test in _TESTS.items() if _can_be_done(test, facts, needs)]
    words = [path, sha256(content.encode()).hexdigest(), *tests]
    failed = _failed(run_script(shell, "self_test.py", words, _LONGEST_S))
    if not programs()[_PYTHON].suffices(facts.versions.get(_PYTHON, "")):
        failed.pop("scripts", None)
    return [
        _finding(facts, test, failed[name], needs)
        for name, test in (_ALWAYS | _TESTS).items()
        if name in failed
    ]


def _can_be_done(test: _Test, facts: HostFacts, needs: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether it is needed, and nothing that is known stands in its way."""
    return (
        test.need in needs
        and (not test.program or test.program in facts.has)
        and (test.need != TUN or TUN in facts.has)
        and (not test.of_root or facts.is_root)
        and all(map(facts.may, capabilities_of(test.need)))
    )


def scripts() -> dict[str, str]:
    """All that a run may have a Python there run, by name."""
    own, vici = resources.files("gatepass.endpoint.remote"), resources.files("vici")
    found = {file.name: file for file in own.iterdir()}
    found |= {f"vici/{file.name}": file for file in vici.iterdir()}
    return {name: file.read_text() for name, file in found.items() if name.endswith(".py")}


def _failed(done: Completed) -> dict[str, str]:
    """Why tests failed, by name; where there is no answer at all, why the scripts do not run."""
    try:
        return of_json(dict[str, Words], done.output)
    except ValueError:
        return {"scripts": words_of(done)}


def _finding(
    facts: HostFacts, test: _Test, why: str, needs: Mapping[str, tuple[str, ...]]
) -> Finding:
    gaps = {
        "name": facts.name,
        "where": facts.where,
        "why": why,
        "least": programs()[_PYTHON].least,
    }
    return Finding(
        facts.name, test.what.format(**gaps), test.remedy.format(**gaps), needs[test.need]
    )

"""Whether an endpoint has what a test takes, and whether that works there; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from gatepass.base.finding import Finding, found_by
from gatepass.endpoint import rig_watch, self_test, strongswan
from gatepass.endpoint.host import TEMPORARY, HostFacts, survey
from gatepass.endpoint.needs import (
    FILES,
    ROOT,
    STRONGSWAN,
    STRONGSWAN_PACKAGES,
    TUN,
    capabilities_of,
    needs_of,
    programs,
)
from gatepass.endpoint.shell import Shell
from gatepass.inputs.scope import NO_FILE_SERVER, Scope
from gatepass.inputs.testbed import FileServer, Host

Needs = Mapping[str, tuple[str, ...]]
"""What is needed, each with the chapters that need it."""
LEAST_MIB = 64
"""Of room for a run's folder: captures, scripts, outputs."""
_INSTALL = {"apt-get": "apt-get install -y", "dnf": "dnf install -y"}
_NO_INSTALLER = "apt-get"
"""Whose names of packages are told where none is known."""


def look(shell: Shell, scope: Scope, download_mib: int = 0) -> tuple[HostFacts, list[Finding]]:
    """What an endpoint is, and what it lacks; what the test does there is done in small.

    The run's folder is made for that, where there is none yet.

    Args:
        shell: the endpoint.
        scope: what is to be tested.
        download_mib: size of the file that is put onto the file server.

    Raises:
        EndpointLost: it cannot be reached.
    """
    name = shell.name
    needs = needs_of(scope, name)
    host = scope.testbed.endpoints.named[name]
    server: FileServer | None = getattr(host, "files", None)
    facts = survey(shell, [server.folder] if server else ())
    found = lacking(facts, needs)
    found += self_test.look(shell, facts, needs)
    if STRONGSWAN in needs:
        found += _strongswan(shell, facts, name == "client", needs[STRONGSWAN])
    if measured := needs.get("iperf3"):
        found += rig_watch.look(shell, measured) if "python3" in facts.has else []
    found += _room(facts, scope.chapters)
    found += _busy(facts, host, scope.chapters)
    if FILES in needs:
        found += _files(facts, server, download_mib, needs[FILES])
    return facts, found


def lacking(facts: HostFacts, needs: Needs) -> list[Finding]:
    """What of programs, versions and rights an endpoint lacks.

    Args:
        facts: of the endpoint.
        needs: what it has to have.
    """
    return [
        *_missing(facts, needs),
        *_too_old(facts, needs),
        *_no_root(facts, needs),
        *_no_capabilities(facts, needs),
        *_no_tun(facts, needs),
    ]


def _missing(facts: HostFacts, needs: Needs) -> Iterator[Finding]:
    known = programs()
    gone = [need for need in needs if need in known and need not in facts.has]
    if gone:
        keeps = dict.fromkeys(chapter for need in gone for chapter in needs[need])
        packages = dict.fromkeys(
            known[need].packages.get(facts.installer or _NO_INSTALLER, need) for need in gone
        )
        what = f"the {facts.name} ({facts.where}) lacks {', '.join(gone)}"
        yield _to_install(facts, what, packages, keeps)


def _too_old(facts: HostFacts, needs: Needs) -> Iterator[Finding]:
    for name, program in programs().items():
        if name not in needs or name not in facts.has or not program.least:
            continue
        if not program.suffices(facts.versions.get(name, "")):
            what = (
                f"the {facts.name} ({facts.where}) needs {name} {program.least} or later; asked "
                f"for its version, {name} there says “{facts.says.get(name, '')}”"
            )
            if program.since:
                remedy = (
                    f"Use a distribution with a newer one ({program.since} or later), or install "
                    f"one that runs as {name}."
                )
                yield Finding(facts.name, what, remedy, needs[name])
                continue
            package = program.packages.get(facts.installer or _NO_INSTALLER, name)
            yield _to_install(facts, what, [package], needs[name])


def _to_install(
    facts: HostFacts, what: str, packages: Iterable[str], keeps: Iterable[str]
) -> Finding:
    command = f"{_INSTALL[facts.installer or _NO_INSTALLER]} {' '.join(packages)}"
    return Finding(
        facts.name, what, f"Install it there: {command}.", tuple(keeps), commands=(command,)
    )


def _no_root(facts: HostFacts, needs: Needs) -> Iterator[Finding]:
    if ROOT in needs and not facts.is_root:
        sudo = ", who may use sudo, which Gatepass does not," if facts.may_sudo else ""
        yield not_root(facts.name, f"{facts.user}{sudo}", needs[ROOT])


def not_root(name: str, user: str, keeps: tuple[str, ...] = ()) -> Finding:
    """That an endpoint's user is not the one who is needed."""
    what = (
        f"the {name}'s SSH user {user} is not root, and crafted packets, other hosts' addresses "
        "and VPN need that"
    )
    remedy = f"Name root in endpoints.{name}.ssh.user of the testbed file."
    return Finding(name, what, remedy, keeps)


def _no_capabilities(facts: HostFacts, needs: Needs) -> Iterator[Finding]:
    """Another finding tells already of who is not root."""
    if not facts.is_root:
        return
    gone = {need: [one for one in capabilities_of(need) if not facts.may(one)] for need in needs}
    lacks = sorted({one for missing in gone.values() for one in missing})
    if lacks:
        keeps = dict.fromkeys(chapter for need in needs if gone[need] for chapter in needs[need])
        names = ", ".join(f"CAP_{one}" for one in lacks)
        options = " ".join(f"--cap-add {one}" for one in lacks)
        what = f"root of the {facts.name} ({facts.where}) has no {names}"
        yield Finding(
            facts.name, what, f"If it is a container, start it with {options}.", tuple(keeps)
        )


def _may(facts: HostFacts, need: str) -> bool:
    return facts.is_root and all(map(facts.may, capabilities_of(need)))


def _no_tun(facts: HostFacts, needs: Needs) -> Iterator[Finding]:
    if TUN in needs and TUN not in facts.has:
        what = f"the {facts.name} ({facts.where}) has no TUN device (/dev/net/tun)"
        remedy = "Load it there (modprobe tun); a container has to be given it."
        yield Finding(facts.name, what, remedy, needs[TUN], commands=("modprobe tun",))


def _strongswan(
    shell: Shell, facts: HostFacts, in_user_space: bool, keeps: tuple[str, ...]
) -> list[Finding]:
    """Of a host without root, or without its rights, another finding tells already."""
    if not _may(facts, STRONGSWAN):
        return []
    installer = facts.installer or _NO_INSTALLER
    command = f"{_INSTALL[installer]} {' '.join(STRONGSWAN_PACKAGES[installer])}"
    missing = found_by(lambda: strongswan.look(shell, in_user_space), facts.name, keeps)
    if missing:
        return [replace(one, commands=(command,)) for one in missing]
    return found_by(lambda: strongswan.try_start(shell, in_user_space), facts.name, keeps)


def _room(facts: HostFacts, keeps: tuple[str, ...]) -> Iterator[Finding]:
    free = facts.free_mib.get(TEMPORARY, LEAST_MIB)
    if free < LEAST_MIB:
        what = f"of {TEMPORARY} on the {facts.name} {free} MiB are free; a run needs {LEAST_MIB}"
        yield Finding(facts.name, what, "Make room there.", keeps)


def _busy(facts: HostFacts, host: Host, keeps: tuple[str, ...]) -> Iterator[Finding]:
    for key, port in (
        ("iperf3_port", host.iperf3_port),
        ("probe_port", host.probe_port),
        ("probe_port", host.probe_port + 1),
    ):
        if port in facts.listening:
            what = f"port {port} on the {facts.name} is busy: another program listens there"
            remedy = f"End it, or set {key} in the testbed file."
            yield Finding(facts.name, what, remedy, keeps)


def _files(
    facts: HostFacts, server: FileServer | None, download_mib: int, keeps: tuple[str, ...]
) -> Iterator[Finding]:
    if server is None:
        yield Finding(facts.name, *NO_FILE_SERVER, keeps)
        return
    folder, where = server.folder, "endpoints.server.files"
    if folder not in facts.writable:
        what = f"the {facts.name}'s SSH user may not write into {folder}, or it is not there"
        yield Finding(facts.name, what, f"Make it, and give it to that user ({where}).", keeps)
    elif facts.free_mib.get(folder, download_mib) < download_mib + LEAST_MIB:
        what = (
            f"of {folder} on the {facts.name} {facts.free_mib[folder]} MiB are free; a file of "
            f"{download_mib} MiB has to find room there"
        )
        yield Finding(facts.name, what, "Make room there, or choose another profile.", keeps)
    for kind, port in (
        ("HTTP", server.http_port),
        ("HTTPS", server.https_port),
        ("FTP", server.ftp_port),
    ):
        if port not in facts.listening:
            what = f"nothing listens on port {port} of the {facts.name}, which should serve {kind}"
            yield Finding(facts.name, what, f"Start the server, or correct {where}.", keeps)

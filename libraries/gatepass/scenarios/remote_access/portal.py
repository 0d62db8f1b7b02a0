"""The SSL VPN portal, asked from the client without its VPN program: the control of a failed login.

What the portal refuses as well is the gateway's doing. What it grants, and the VPN program did not
bring about, may be the program's.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.endpoint.answers import Address, Nothing, Words, of_json, words_of
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Shell, put_secret
from gatepass.scenarios.remote_access.configuration import VpnUser

_PATIENCE_S = 5
_REQUESTS = 4


@dataclass(frozen=True)
class Portal:
    """How far a login by plain HTTPS came.

    Attributes:
        reached: whether TCP and TLS came about.
        same: whether it showed the gateway's certificate.
        let_in: whether the login was granted.
        address: that its configuration gave the user; empty for none.
        words: of what went wrong.
    """

    reached: bool
    same: bool
    let_in: bool
    address: Address | Nothing
    words: Words


def log_in(shell: Shell, host: str, port: int, fingerprint: str, user: VpnUser) -> Portal:
    """Log a user in and out again.

    Args:
        shell: the client endpoint.
        host, port: where the portal listens.
        fingerprint: SHA-256 of its certificate; whoever shows another one gets no password.
        user: who.

    Raises:
        NotProven: the script did not work on the endpoint.
    """
    program, job = install(shell, "portal.py"), f"{shell.folder()}/portal.job"
    call = {
        "host": host,
        "port": port,
        "fingerprint": fingerprint,
        "name": user.name,
        "password": user.password,
        "patience_s": _PATIENCE_S,
    }
    put_secret(shell, json.dumps(call), job)
    ask = script("python3 {program} {job}", program=program, job=job)
    done = shell.run(ask, timeout_s=_REQUESTS * _PATIENCE_S + 10)
    try:
        return of_json(Portal, done.output)
    except ValueError:
        words = words_of(done)
        raise NotProven(f"asking the portal failed on the {shell.name}: {words}") from None


def must_be_the_gateways(portal: Portal, program: str) -> str:
    """What shows that a failed login is the gateway's doing, in a sentence; it was reached.

    Args:
        portal: how far a login by plain HTTPS came.
        program: the VPN program that did not get in.

    Raises:
        NotProven: that login was granted, so that the program may be at fault.
    """
    if not portal.same:
        return "Its SSL VPN shows another certificate than its configuration."
    if not portal.let_in:
        return f"A login without {program} is refused as well ({portal.words or 'no reason'})."
    if not portal.address:
        return f"A login without {program} is granted and gets no address ({portal.words})."
    raise NotProven(
        f"the gateway lets the same user in without {program} and gives the address "
        f"{portal.address}: the cause may be on the client. Check {program} there."
    )

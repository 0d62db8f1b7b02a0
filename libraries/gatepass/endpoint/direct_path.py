"""The control of a connection: what does not get through the gateway has to get past it.

Without it a firewall on an endpoint would look like a gateway that lets nothing through, and in a
check of what is blocked like one that does its work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gatepass.base.errors import NotProven
from gatepass.endpoint.probe import ANSWERED, Probe, try_all
from gatepass.endpoint.shell import Shell
from gatepass.inputs.testbed import Endpoint

_TRIES = 3


def must_be_answered_directly(
    shell: Shell, name: str, far: Endpoint, probes: Sequence[Probe]
) -> str:
    """Try the same connections on the path without the gateway; what came of it, in a sentence.

    Args:
        shell: the endpoint from which they are tried.
        name: of the endpoint to which they go.
        far: its addresses; a responder listens there.
        probes: as they were or will be tried through the gateway, at least one.

    Raises:
        NotProven: there is no such path, or one of them is not answered on it either.
    """
    directly = list(dict.fromkeys(_without_the_gateway(probe, far) for probe in probes))
    mute = [one for one in try_all(shell, directly) if one.outcome != ANSWERED]
    if mute:
        raise NotProven(
            f"{mute[0].probe} is not answered on the path without the gateway either "
            f"({mute[0].outcome}; {len(mute)} of {len(directly)} tried there), so the silence "
            f"shows nothing about the gateway. Is there a firewall on the {name}, or on the "
            f"{shell.name}? Permit port {mute[0].probe.port} there."
        )
    return f"On the path without the gateway {directly[0]} is answered."


def _without_the_gateway(probe: Probe, far: Endpoint) -> Probe:
    key = "direct_address6" if ":" in probe.address else "direct_address"
    address = getattr(far, key)
    if address is None:
        raise NotProven(
            f"{probe} cannot be tried on a path without the gateway, so a firewall on an endpoint "
            f"cannot be distinguished from the gateway. Give both endpoints a {key} in the "
            "testbed file."
        )
    return replace(probe, address=address, tries=_TRIES, via="")

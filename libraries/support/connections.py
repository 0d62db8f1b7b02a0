"""Connections that are tried between two endpoints."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.endpoint.direct_path import must_be_answered_directly
from gatepass.endpoint.probe import Probe, start_responder
from gatepass.endpoint.script import script
from gatepass.endpoint.ssh import SshShell
from gatepass.endpoint.where_lost import must_be_lost_in_between
from gatepass.gateway.host_filters import INTERFACE
from gatepass.scenarios.leaks.ways import addresses_of
from gatepass.scenarios.remote_access.configuration import BEHIND, host_of
from support.run_context import RunContext

_RESPONDER_S = 900


def respond(run: RunContext, name: str) -> None:
    """Have a responder at work on this endpoint."""
    shell: SshShell = getattr(run, name)
    running = run.responders.get(name)
    if running and shell.run(script("[ -f {stem}.rc ]", stem=running.stem)).status:
        return
    port = run.testbed.endpoints.server.probe_port
    addresses = [*getattr(run.testbed.endpoints, name).test_addresses, *map(host_of, BEHIND)]
    run.responders[name] = start_responder(shell, addresses, (port, port + 1), _RESPONDER_S)


def control(
    run: RunContext,
    source: str,
    target: str,
    probes: Sequence[Probe],
    sources: Collection[str] = (),
) -> str:
    """What should have got through and did not was lost by the gateway, and not by an endpoint.

    It is tried on the path without the gateway, and then once more through it, with an eye on what
    passes the endpoints' own interfaces.

    Args:
        run: whose endpoints these are.
        source, target: names of the endpoints.
        probes: as they were tried.
        sources: see `must_be_lost_in_between`.

    Returns:
        That the same is answered without the gateway, in a sentence.

    Raises:
        NotProven: it is not answered there either, or there is no such path; or an endpoint loses
            what comes through the gateway.
    """
    directly = answered_directly(run, source, target, probes)
    near, far = getattr(run, source), getattr(run, target)
    must_be_lost_in_between(near, far, probes, sources=sources)
    return directly


def must_be_reached(run: RunContext, port: int, again: Callable[[], object] | None = None) -> None:
    """What a service of the server did not give through the gateway was lost at no endpoint.

    Args:
        run: whose client and server these are.
        port: of the service, over TCP.
        again: has it asked again through the gateway; the client connects to it unless given.

    Raises:
        NotProven: an endpoint loses what comes through the gateway.
    """
    # who asks for it, as a proxy does, need not be the client
    via = "" if again is None else "again"
    probe = Probe("tcp", run.testbed.endpoints.server.address, port, via=via)
    must_be_lost_in_between(run.client, run.server, [probe], opens=True, again=again)


def answered_directly(run: RunContext, source: str, target: str, probes: Sequence[Probe]) -> str:
    """Try what did not get through, and need not, on the path without the gateway.

    Raises:
        NotProven: it is not answered there either, or there is no such path.
    """
    respond(run, target)
    far = getattr(run.testbed.endpoints, target)
    return must_be_answered_directly(getattr(run, source), target, far, probes)


def address_over(run: RunContext, version: str, name: str) -> str:
    """An endpoint's address towards the gateway.

    Args:
        run: whose testbed names it.
        version: IPv4 or IPv6.
        name: client or server.

    Raises:
        NotApplicable: the testbed names no IPv6 address for it.
    """
    host = getattr(run.testbed.endpoints, name)
    if version == "IPv4":
        return host.address
    if host.address6 is None:
        raise NotApplicable(say("no_ipv6"))
    return host.address6


def address_of(run: RunContext, whose: str, version: int = 4) -> str:
    """The client's own address, or the gateway's on the server's side.

    Args:
        run: whose testbed names it.
        whose: client or gateway.
        version: of IP.

    Raises:
        NotProven: the gateway does not tell its address.
    """
    if whose == "client":
        return address_over(run, f"IPv{version}", "client")
    port = run.testbed.gateway.server_port
    if version == 4:
        known = run.gateway.interfaces().get(port, {}).get("ip")
    else:
        known = next(iter(addresses_of(run.gateway.row(INTERFACE, port) or {})[6]), None)
    if not known:
        raise NotProven(
            f"the gateway reports no IPv{version} address of its port {port}; check server_port."
        )
    return known

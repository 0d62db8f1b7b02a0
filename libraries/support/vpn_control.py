"""Whether a VPN user who did not get in was kept out by the gateway, or by the client itself."""

from __future__ import annotations

from gatepass.base.errors import NotProven
from gatepass.endpoint.direct_path import must_be_answered_directly
from gatepass.endpoint.probe import Probe, start_responder
from gatepass.endpoint.where_lost import must_be_lost_in_between
from gatepass.scenarios.remote_access import portal
from gatepass.scenarios.remote_access.configuration import VpnUser
from gatepass.scenarios.remote_access.ssl_vpn import SslVpn
from support.run_context import RunContext

_RESPONDER_S = 30
_IKE_PORTS = (500, 4500)


def kept_out_by_the_gateway(run: RunContext, user: VpnUser, words: str) -> str:
    """What shows that, in sentences.

    The gateway's portal is asked without the VPN program. Where it is not reached, or the VPN has
    none, the same ports are tried on the path without the gateway.

    Args:
        run: whose gateway and client these are.
        user: who did not get in.
        words: of the VPN program.

    Raises:
        NotProven: the client may have caused it.
    """
    access, program = run.remote_access, run.vpn_client.program
    address = run.gateway.port_address(run.testbed.gateway.client_port)
    try:
        if not isinstance(access, SslVpn):
            return _let_out(run, [Probe("udp", address, port) for port in _IKE_PORTS])
        login = portal.log_in(run.client, address, access.port, access.fingerprint(), user)
        if login.reached:
            return portal.must_be_the_gateways(login, program)
        probe = Probe("tcp", address, access.port)
        shown = _let_out(run, [probe])
        must_be_lost_in_between(run.client, None, [probe], opens=True)
        return f"Its SSL VPN port {access.port} does not answer the client ({login.words}). {shown}"
    except NotProven as error:
        reason = str(error).removeprefix(f"{error.verdict}: ")
        raise NotProven(f"{user.name} did not get in (“{words}”), but {reason}") from error


def _let_out(run: RunContext, probes: list[Probe]) -> str:
    """The client's packets for these ports leave it, as the path without the gateway shows."""
    ports = [probe.port for probe in probes]
    far = run.testbed.endpoints.server
    responder = start_responder(
        run.server, far.test_addresses, ports, _RESPONDER_S, "vpn-ports"
    )
    try:
        return must_be_answered_directly(run.client, "server", far, probes)
    finally:
        responder.stop()

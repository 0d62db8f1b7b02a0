"""The certificate of the gateway's management, held against the pinned one."""

from __future__ import annotations

import socket
import ssl

from gatepass.base.errors import NotProven
from gatepass.inputs.testbed import TestbedGateway

_TIMEOUT_S = 5


def certificate_of(gateway: TestbedGateway) -> tuple[bytes, str]:
    """The certificate as it is presented, in DER, and what is wrong with it.

    Args:
        gateway: of the testbed, with the file that its certificate has to chain to.

    Returns:
        The certificate, empty where it is wrong; a sentence, empty where it chains to the pinned CA
        and names the host.

    Raises:
        NotProven: none is shown.
    """
    context = ssl.create_default_context(cafile=str(gateway.ca_file))
    try:
        with (
            socket.create_connection((gateway.host, gateway.port), _TIMEOUT_S) as plain,
            context.wrap_socket(plain, server_hostname=gateway.host) as tls,
        ):
            return tls.getpeercert(binary_form=True) or b"", ""
    except ssl.SSLCertVerificationError as error:
        pinned = gateway.ca_file.name
        return b"", (
            f"Its certificate does not chain to {pinned}, or names another host: "
            f"{error.verify_message}."
        )
    except ssl.SSLError as error:
        why = f"no handshake ({error.reason or error})"
        raise NotProven(f"the gateway shows no certificate: {why}.") from error
    except OSError as error:
        where = f"{gateway.host}:{gateway.port}"
        raise NotProven(f"no connection to the management plane at {where}: {error}.") from error

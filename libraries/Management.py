"""The gateway's management plane as a stranger on the network meets it: HTTPS, TLS, token."""

from __future__ import annotations

import socket
import ssl

from RequestsLibrary import RequestsLibrary

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.gateway import open_ports, transport
from gatepass.gateway.certificate import certificate_of
from gatepass.gateway.fortigate import broken
from gatepass.gateway.port_language import CLEAR, UNKNOWN, Spoken, language_of
from gatepass.gateway.transport import Answer
from support.guard import keyword
from support.keyword_library import KeywordLibrary

_STATUS = "/api/v2/monitor/system/status"
_TIMEOUT_S = 5


class Management(KeywordLibrary):
    """Keywords that knock at the management plane without the run's token."""

    @keyword()
    def the_management_plane_should_answer_over_https_only(self) -> None:
        """Every TCP port of the management address is tried; none answers in clear text.

        TLS and SSH are encrypted. A port that only sends the caller to HTTPS (FortiOS's
        `admin-https-redirect`) is let pass and told: it serves nobody.

        Raises:
            AssertionError: a port answers in clear text.
            NotProven: not all ports could be tried, or what one of them speaks cannot be told.
        """
        gateway = self.run.testbed.gateway
        self._connected().close()
        looked = open_ports.look(gateway.host, gateway.port)
        spoken = [language_of(gateway.host, port) for port in looked.open]
        clear, unknown = (
            [one for one in spoken if one.language == kind] for kind in (CLEAR, UNKNOWN)
        )
        if unknown and not clear:
            raise NotProven(
                f"at {gateway.host} {listed(unknown)} to a caller with TLS or HTTP, so "
                "whether it is encrypted cannot be determined. Find out what listens there; close "
                "it, or restrict who may come (local-in-policy)."
            )
        listing = listed(clear or spoken)
        self.check.evidence(
            say("https_only"),
            f"{listing[0].upper()}{listing[1:]}. All {looked.tried:,} TCP ports of {gateway.host} "
            f"were tried; {len(looked.open)} of them accepted a connection."
            + (" Take its protocol out of allowaccess." if clear else ""),
            not clear,
        )

    @keyword()
    def the_management_plane_should_refuse_old_tls(self) -> None:
        """A client that offers TLS 1.0 and 1.1 only is refused; one with TLS 1.2 is not."""
        modern, agreed = self._handshake(ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.MAXIMUM_SUPPORTED)
        old, agreed_old = self._handshake(ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1)
        self.check.evidence(
            say("tls"),
            f"A client that offers TLS 1.2 and later gets {agreed}; one that offers TLS 1.0 and "
            f"1.1 gets {agreed_old}.",
            modern,
        )
        if "NO_PROTOCOLS_AVAILABLE" in agreed_old:
            raise NotProven("this machine's OpenSSL cannot offer TLS 1.1, so it cannot be tried.")
        self.check.evidence(
            say("tls_old"),
            f"A client that offers TLS 1.0 and 1.1 gets {agreed_old}.",
            not old,
        )

    @keyword()
    def the_management_plane_should_present_the_pinned_certificate(self) -> None:
        """Its certificate chains to the testbed's ca_file and names the host."""
        _, wrong = certificate_of(self.run.testbed.gateway)
        fine = "Its certificate chains to the pinned CA and names the host."
        self.check.evidence(say("certificate"), wrong or fine, not wrong)

    @keyword()
    def the_management_plane_should_refuse_a_call_without_a_token(self) -> None:
        """A call with no token at all is answered 401 or 403, and with no data."""
        gateway = self.run.testbed.gateway
        stranger = RequestsLibrary().create_session(
            "stranger", gateway.url, verify=str(gateway.ca_file), max_retries=0
        )
        stranger.trust_env = False  # no proxy or .netrc of the environment speaks for it
        try:
            answer = transport.call(stranger, "GET", f"{gateway.url}{_STATUS}", _TIMEOUT_S)
        except OSError as error:  # requests' errors are OSErrors
            raise NotProven(
                f"a call without a token gets no answer from {gateway.url}: "
                f"{broken(error, _TIMEOUT_S)}."
            ) from error
        finally:
            stranger.close()
        if answer.status == 429 or answer.status >= 500:
            raise NotProven(
                f"the gateway answers HTTP {answer.status} to a call without a token, which "
                "shows nothing about tokens."
            )
        told = _tells(answer)
        if answer.status not in (401, 403) and not told:
            raise NotProven(
                f"a call without a token is answered with HTTP {answer.status} and a page that is "
                "not the REST API's, so it cannot be determined whether a token is required. "
                "Check the gateway's url in the testbed file."
            )
        self.check.evidence(
            say("token"),
            f"It answers HTTP {answer.status}{', and with data' * told}.",
            answer.status in (401, 403) and not told,
        )

    def _connected(self) -> socket.socket:
        gateway = self.run.testbed.gateway
        try:
            return socket.create_connection((gateway.host, gateway.port), timeout=_TIMEOUT_S)
        except OSError as error:
            raise NotProven(
                f"no connection to the management plane at {gateway.host}:{gateway.port}: {error}."
            ) from error

    def _handshake(self, oldest: ssl.TLSVersion, newest: ssl.TLSVersion) -> tuple[bool, str]:
        """Whether a handshake within these versions succeeds, and what was agreed or said."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # another check is about the certificate
        # the library's own policy would refuse old versions before the gateway can
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version, context.maximum_version = oldest, newest
        try:
            with self._connected() as plain, context.wrap_socket(plain) as tls:
                return True, str(tls.version())
        except OSError as error:  # TLS errors are OSErrors
            return False, _no_handshake(error)


def _tells(answer: Answer) -> bool:
    """Whether an answer holds what the API tells about a device."""
    try:
        told = answer.json()
    except ValueError:
        return False
    return isinstance(told, dict) and bool(told.get("results") or told.get("serial"))


def _no_handshake(error: OSError) -> str:
    return f"no handshake ({getattr(error, 'reason', None) or error})"


def listed(spoken: list[Spoken]) -> str:
    """What ports speak, in one sentence's part."""
    return "; ".join(map(str, spoken))

"""Security services: is inspection on, and what does it stop."""

from __future__ import annotations

from robot.api.deco import library

from gatepass.download import Download, Source, fetch
from gatepass.errors import NotApplicable, NotProven
from gatepass.fortigate import Refused
from gatepass.security import PROXY, must_be_licensed
from gatepass.security_log import stopped, told
from gatepass.specimens import Specimen
from gatepass.waiting import until
from Gateway import APPLY_S, decided_by
from guard import keyword
from session import session

_OK = 200
_LOG_LAG_S = 10
"""How long an entry may take until the log shows it."""


@library(scope="GLOBAL", doc_format="ROBOT")
class Services:
    """Keywords that switch security services, ask for specimens and read the gateway's log."""

    # -- the policy --------------------------------------------------------------------------

    @keyword()
    def the_security_services_are_prepared(self) -> None:
        """Test files lie on the server, and one policy with NAT permits the test traffic.

        Raises:
            NotApplicable: the order does not include security services.
            NotProven: the testbed names no file server.
        """
        if not session.order.options.security_services:
            raise NotApplicable("the order does not include security services.")
        session.files.put(session.specimens.values())
        session.inspection.begin()

    @keyword("Security services are ${state}")
    def security_services_are(self, state: str) -> None:
        """Switch inspection on the test policy.

        Args:
            state: `off`, `on` (as ordered), `on by flow` or `on by proxy`.
        """
        word, _, mode = state.lower().partition(" by ")
        session.inspection.switch({"on": True, "off": False}[word], mode)

    # -- specimens ---------------------------------------------------------------------------

    @keyword("${what} should arrive over ${protocol}")
    def should_arrive(self, what: str, protocol: str) -> None:
        """It arrives byte for byte.

        Args:
            what: name of a specimen.
            protocol: HTTP, HTTPS or FTP.

        Raises:
            AssertionError: it does not, or other bytes do; or a licence that it takes is missing.
            NotProven: it does not arrive on the path without the gateway either.
        """
        must_arrive(what, protocol)

    @keyword("${what} should be stopped over ${protocol}")
    def should_be_stopped(self, what: str, protocol: str) -> None:
        """It does not arrive.

        Args:
            what: name of a specimen.
            protocol: HTTP, HTTPS or FTP.

        Raises:
            AssertionError: it arrives although services are on, or the licence is missing.
        """
        specimen = specimen_of(what)
        self._entries = self._logged(specimen)
        download = ask(specimen, protocol, arrives=False)
        arrived = download.is_copy_of(specimen.content)
        session.evidence(
            f"{_sentence(what)} is stopped over {protocol}",
            f"{download}; "
            + ("it arrived although services are on." if arrived else "it did not arrive."),
            not arrived,
        )
        if session.inspection.mode == PROXY and protocol != "HTTPS":
            part = download.bytes if protocol == "FTP" or download.status == _OK else 0
            session.evidence(
                "A proxy passes on no byte of what it stops",
                f"{part:,} bytes of the file reached the client over {protocol}.",
                not part,
            )

    @keyword("The gateway's log should tell of ${what}")
    def log_should_tell(self, what: str) -> None:
        """A new entry of the matching log says that something of the client's was stopped.

        Raises:
            AssertionError: there is none.
            NotProven: the log cannot be read.
        """
        specimen = specimen_of(what)
        before = len(self._entries)
        found: list[dict] = []

        def grown() -> bool:
            found[:] = self._logged(specimen)
            return len(found) > before

        there = until(grown, _LOG_LAG_S)
        session.evidence(
            f"The gateway's {specimen.log} log tells what was stopped",
            told(found[0]) + "." if there else "No new entry about the client's address.",
            there,
        )

    # -- helpers -----------------------------------------------------------------------------

    def _logged(self, specimen: Specimen) -> list[dict]:
        address = session.testbed.endpoints.client.address
        try:
            return stopped(session.gateway, specimen.log, address, session.inspection.policyid)
        except Refused as refused:
            raise NotProven(
                f"the gateway's {specimen.log} log cannot be read: {refused} Give the API user "
                "read access to the log (loggrp)."
            ) from None


def specimen_of(what: str) -> Specimen:
    """A specimen by its name.

    Raises:
        AssertionError: the gateway has no licence for what has to stop it.
    """
    specimen = session.specimens[what.lower()]
    if specimen.licence:
        must_be_licensed(session.gateway, [specimen.licence])
    return specimen


def must_arrive(what: str, protocol: str) -> None:
    """Have a specimen arrive byte for byte through the gateway, as evidence.

    Raises:
        AssertionError: it does not, although it does on the path without the gateway.
        NotProven: it does not there either, or there is no such path.
    """
    specimen = specimen_of(what)
    download = ask(specimen, protocol, arrives=True)
    arrived = download.is_copy_of(specimen.content)
    if arrived:
        seen = "it is the server's file byte for byte."
    else:
        must_arrive_directly(specimen, protocol)
        size = len(specimen.content)
        seen = (
            "as many bytes as the server has, but not the same: it was altered on the way."
            if download.bytes == size
            else f"the server's file has {size:,} bytes. {decided_by(port_of(protocol))}"
        ) + " It arrives on the path without the gateway."
    session.evidence(
        f"{_sentence(what)} arrives over {protocol} with services {_state()}",
        f"{download}; {seen}",
        arrived,
    )


def must_arrive_directly(specimen: Specimen, protocol: str) -> None:
    """The control of what did not arrive through the gateway: without it, it does.

    Raises:
        NotProven: it does not, or there is no such path.
    """
    direct = session.testbed.endpoints.server.direct_address
    if not direct:
        raise NotProven(
            f"{specimen.name} does not arrive over {protocol}, and nothing tells whether that is "
            "the gateway's doing. Give both endpoints a direct_address in the testbed file."
        )
    if not fetched(specimen, protocol, direct).is_copy_of(specimen.content):
        raise NotProven(
            f"{specimen.name} does not arrive over {protocol} on the path without the gateway "
            "either: do the web and FTP servers run on the server, and does nothing scan there?"
        )


def fetched(specimen: Specimen, protocol: str, address: str) -> Download:
    """One download of a specimen from this address of the server."""
    source = Source(protocol.lower(), address, port_of(protocol), specimen.host, specimen.agent)
    return fetch(session.client, source, session.files.path(specimen.file))


def ask(specimen: Specimen, protocol: str, arrives: bool) -> Download:
    """The first download that ends as it should, or the last one after the last change's time.

    FortiOS brings a change into force behind its answer, so the first one may come too soon.
    """
    address = session.testbed.endpoints.server.address
    kept: list[Download] = []

    def look() -> bool:
        kept[:] = [fetched(specimen, protocol, address)]
        return kept[0].is_copy_of(specimen.content) is arrives

    until(look, session.rules.in_force_within(APPLY_S))
    return kept[0]


def port_of(protocol: str) -> int:
    """The server's port of a protocol: HTTP, HTTPS or FTP."""
    return getattr(session.file_server, f"{protocol.lower()}_port")


def _state() -> str:
    return "on" if session.inspection.mode else "off"


def _sentence(what: str) -> str:
    return what[0].upper() + what[1:].lower()

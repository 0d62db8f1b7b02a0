"""Security services: are they licensed, is inspection on, and what does it stop."""

from __future__ import annotations

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.endpoint.specimens import Specimen, SpecimenName
from gatepass.gateway.fortigate import Refused
from gatepass.gateway.licences import FUNCTIONS, LICENSED, lacking_licence, licences
from gatepass.gateway.security_log import described, stopped
from gatepass.scenarios.security.profiles import PROXY
from support import words
from support.arrivals import ask, must_arrive, specimen_of
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.steps import Steps

_OK = 200
_LOG_LAG_S = 10
"""How long an entry may take until the log shows it."""


class Logged(Steps):
    """What the gateway's log told before a specimen was asked for.

    Attributes:
        entries: of the log that is to tell of it.
    """

    entries: list[dict]


class Services(KeywordLibrary):
    """Keywords that switch security services, ask for specimens and read the gateway's log."""

    # -- licences ----------------------------------------------------------------------------

    @keyword()
    def the_ordered_services_should_be_licensed(self) -> None:
        """The gateway has a valid licence for each function of the security services.

        What works without one is looked at all the same: the other checks tell what is stopped.

        Raises:
            AssertionError: a licence is missing or has expired.
            NotApplicable: the order does not include security services.
            NotProven: the gateway does not tell of all of them.
        """
        if not self.run.order.options.security_services:
            raise NotApplicable(say("services_not_ordered"))
        told = licences(self.run.gateway)
        lacking = lacking_licence(told)
        silent = [name for function, name in FUNCTIONS.items() if function not in told]
        if silent and not lacking:
            raise NotProven(
                f"the gateway reports nothing about a licence for {' and '.join(silent)} "
                "(license/status)."
            )
        named = ", ".join(FUNCTIONS[function] for function in told)
        self.check.evidence(
            say("services_licensed"),
            lacking or f"license/status says “{LICENSED}” of {named}.",
            not lacking,
        )

    # -- the policy --------------------------------------------------------------------------

    @keyword()
    def the_security_services_are_prepared(self) -> None:
        """Test files lie on the server, and one policy with NAT permits the test traffic.

        Raises:
            NotApplicable: the order does not include security services.
            NotProven: the testbed names no file server.
        """
        if not self.run.order.options.security_services:
            raise NotApplicable(say("services_not_ordered"))
        self.run.files.put(self.run.specimens.values())
        self.run.inspection.begin()

    @keyword("Security services are ${state}")
    def security_services_are(self, state: words.Inspection) -> None:
        """Switch inspection on the test policy.

        Example: ``Security Services Are Off``

        Args:
            state: `off`, `on` (as ordered), `on by flow` or `on by proxy`.
        """
        word, _, mode = state.partition(" by ")
        self.run.inspection.switch(word == "on", mode)

    # -- specimens ---------------------------------------------------------------------------

    @keyword("${what} should arrive over ${protocol}")
    def should_arrive(self, what: SpecimenName, protocol: words.WebProtocol) -> None:
        """It arrives byte for byte.

        Example: ``The Virus Test File Should Arrive Over HTTP``

        Args:
            what: name of a specimen.
            protocol: HTTP, HTTPS or FTP.

        Raises:
            AssertionError: it does not, or other bytes do; or a licence that it takes is missing.
            NotProven: it does not arrive on the path without the gateway either.
        """
        must_arrive(self.check, what, protocol)

    @keyword("${what} should be stopped over ${protocol}")
    def should_be_stopped(self, what: SpecimenName, protocol: words.WebProtocol) -> None:
        """It does not arrive.

        Example: ``The Virus Test File Should Be Stopped Over HTTP``

        Args:
            what: name of a specimen.
            protocol: HTTP, HTTPS or FTP.

        Raises:
            AssertionError: it arrives although services are on, or the licence is missing.
        """
        specimen = specimen_of(self.run, what)
        self.check.left(Logged).entries = self._logged(specimen)
        download = ask(self.run, specimen, protocol, arrives=False)
        arrived = download.is_copy_of(specimen.content)
        self.check.evidence(
            say("stopped", what=specimen.said, by=protocol),
            f"{download}; "
            + ("it arrived although services are on." if arrived else "it did not arrive."),
            not arrived,
        )
        if self.run.inspection.mode == PROXY and protocol != "HTTPS":
            part = download.bytes if protocol == "FTP" or download.status == _OK else 0
            self.check.evidence(
                say("no_byte"),
                f"{part:,} bytes of the file reached the client over {protocol}.",
                not part,
            )

    @keyword("The gateway's log should tell of ${what}")
    def log_should_tell(self, what: SpecimenName) -> None:
        """A new entry of the matching log says that something of the client's was stopped.

        Example: ``The Gateway's Log Should Tell Of The Virus Test File``

        Raises:
            AssertionError: there is none.
            NotProven: the log cannot be read.
        """
        specimen = specimen_of(self.run, what)
        before = len(self.check.left(Logged).entries)
        found: list[dict] = []

        def grown() -> bool:
            found[:] = self._logged(specimen)
            return len(found) > before

        there = until(grown, _LOG_LAG_S)
        self.check.evidence(
            say("logged", log=specimen.log),
            described(found[0]) + "." if there else "No new entry about the client's address.",
            there,
        )

    # -- helpers -----------------------------------------------------------------------------

    def _logged(self, specimen: Specimen) -> list[dict]:
        address = self.run.testbed.endpoints.client.address
        try:
            return stopped(self.run.gateway, specimen.log, address, self.run.inspection.policyid)
        except Refused as refused:
            raise NotProven(
                f"the gateway's {specimen.log} log cannot be read: {refused} Give the API user "
                "read access to the log (loggrp)."
            ) from None



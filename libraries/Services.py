"""Security services: are they licensed, is inspection on, and what does it stop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.endpoint.specimens import Specimen, SpecimenName
from gatepass.gateway.fortigate import Refused
from gatepass.gateway.licences import FUNCTIONS, lacking_licence, licences
from gatepass.gateway.security_log import stopped, unread
from gatepass.scenarios.security.answers import (
    NoByte,
    ServicesLicensed,
    SpecimenStopped,
    StoppedLogged,
)
from gatepass.scenarios.security.profiles import PROXY
from support import words
from support.arrivals import ask, must_arrive, specimen_of
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.steps import Steps

_LOG_LAG_S = 10
"""How long an entry may take until the log shows it."""


class Logged(Steps):
    """What the gateway's log told before a specimen was asked for.

    Attributes:
        entries: of the log that is to tell of it.
    """

    entries: list[Mapping[str, Any]]


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
        silent = [name for function, name in FUNCTIONS.items() if function not in told]
        if silent and not lacking_licence(told):
            raise NotProven(
                f"the gateway reports nothing about a licence for {' and '.join(silent)} "
                "(license/status)."
            )
        self.check.answered(ServicesLicensed(told))

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
        asked = ask(self.run, specimen, protocol, arrives=False)
        self.check.answered(SpecimenStopped(asked))
        if self.run.inspection.mode == PROXY and protocol != "HTTPS":
            self.check.answered(NoByte(asked))

    @keyword("The gateway's log should tell of ${what}")
    def log_should_tell(self, what: SpecimenName) -> None:
        """A new entry of the matching log says that something of the client's was stopped.

        Example: ``The Gateway's Log Should Tell Of The Virus Test File``

        Raises:
            AssertionError: there is none.
            NotProven: the log cannot be read, or one of both cannot and the other has none.
        """
        specimen = specimen_of(self.run, what)
        before = len(self.check.left(Logged).entries)
        found: list[Mapping[str, Any]] = []

        def grown() -> bool:
            found[:] = self._logged(specimen)
            return len(found) > before

        if not until(grown, _LOG_LAG_S) and (refused := unread(self.run.gateway, specimen.log)):
            raise NotProven(
                f"the gateway's {specimen.log} log tells of nothing new as far as it can be read: "
                f"{refused}"
            )
        where = (self.run.testbed.endpoints.client.address, self.run.inspection.policyid)
        self.check.answered(StoppedLogged.of(specimen.log, *where, before, found))

    # -- helpers -----------------------------------------------------------------------------

    def _logged(self, specimen: Specimen) -> list[Mapping[str, Any]]:
        address = self.run.testbed.endpoints.client.address
        try:
            return stopped(self.run.gateway, specimen.log, address, self.run.inspection.policyid)
        except Refused as refused:
            raise NotProven(
                f"the gateway's {specimen.log} log cannot be read: {refused} Give the API user "
                "read access to the log (loggrp)."
            ) from None



"""What passes while the gateway cannot inspect: crashed, without a licence, short of memory."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from gatepass.base.errors import NotApplicable
from gatepass.base.phrase import Phrase, say
from gatepass.endpoint.download import FileSource
from gatepass.endpoint.specimens import SpecimenName
from support import words
from support.arrivals import port_of, specimen_of
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.steps import Steps

if TYPE_CHECKING:
    from gatepass.scenarios.trouble.inspection import Endured, File

CLEAN: SpecimenName = "a clean file"
HARMFUL: SpecimenName = "the virus test file"


class Seen(Steps):
    """A trouble that was seen.

    Attributes:
        what: it was, in words.
        endured: what passed meanwhile.
    """

    what: Phrase
    endured: Endured


class FailClosed(KeywordLibrary):
    """Keywords about troubles that the testbed's commands bring about (`gateway.troubles`)."""

    @keyword("The gateway was in trouble with its ${trouble} while files were asked for")
    def the_gateway_was_in_trouble(self, trouble: words.Trouble) -> None:
        """A clean and a harmful file are asked for over HTTP before, meanwhile and after.

        Beside them TCP, UDP and ICMP packets that no policy permits go from the server to the
        client, a hundred of each a second. Services are on already.

        Example: ``The Gateway Was In Trouble With Its Inspection While Files Were Asked For``

        Args:
            trouble: `inspection`, `licence` or `memory`.

        Raises:
            NotApplicable: the testbed names no commands for it.
            NotProven: a command fails, or an endpoint cannot do what is needed.
        """
        self._seen.what = say(f"trouble_{trouble}")
        if self.run.troubles.commands(trouble) is None:
            raise NotApplicable(say("trouble_unknown", what=self._seen.what))
        from gatepass.scenarios.trouble.inspection import endure  # it takes scapy with it

        shells = {"client": self.run.client, "server": self.run.server}
        self._seen.endured = endure(
            trouble,
            self.run.troubles,
            self.run.gateway,
            self.run.testbed,
            shells,
            (self._file(CLEAN), self._file(HARMFUL)),
        )

    @keyword()
    def the_harmful_file_should_never_have_arrived(self) -> None:
        """Neither meanwhile nor right after, when the gateway inspects again.

        Raises:
            AssertionError: it did.
            NotProven: it did before, too, or a clean one did not.
        """
        endured = self._seen.endured
        endured.must_have_been_seen()
        harmful = endured.harmful
        meanwhile = harmful.arrived(endured.asked, endured.over)
        after = harmful.arrived(endured.over, float("inf"))
        self.check.evidence(
            say("trouble_stopped", what=self._seen.what),
            f"During the disturbance {meanwhile[0]} of {meanwhile[1]} attempts to download it "
            f"succeeded, and {after[0]} of {after[1]} right afterwards.",
            not meanwhile[0] and not after[0],
        )

    @keyword()
    def nothing_should_have_passed_beside_it_that_no_policy_permits(self) -> None:
        """None of the packets from the server arrived at the client.

        Raises:
            AssertionError: some did.
        """
        forbidden = self._seen.endured.forbidden
        self.check.evidence(
            say("trouble_closed", what=self._seen.what), str(forbidden), forbidden.stopped
        )

    @keyword()
    def clean_files_should_arrive_again_by_themselves(self) -> None:
        """After the trouble they do; for how long they did not is told.

        Raises:
            AssertionError: they do not.
        """
        endured = self._seen.endured
        away = endured.clean.away(endured.asked)
        told = (
            "No clean file arrived any more"
            if away is None
            else f"No clean file arrived for {away * 1000:,.0f} ms"
            if away
            else "Clean files arrived all the while"
        )
        lasted = endured.over - endured.there
        self.check.evidence(
            say("trouble_back", what=self._seen.what),
            f"{told}; the disturbance lasted {lasted:.1f} s.",
            away is not None,
        )

    @property
    def _seen(self) -> Seen:
        return self.check.left(Seen)

    def _file(self, what: SpecimenName) -> File:
        from gatepass.scenarios.trouble.inspection import File

        specimen = specimen_of(self.run, what)
        address, port = self.run.testbed.endpoints.server.address, port_of(self.run, "HTTP")
        source = FileSource("http", address, port, specimen.host, specimen.agent)
        digest = sha256(specimen.content).hexdigest()
        return File(source, self.run.files.path(specimen.file), digest)

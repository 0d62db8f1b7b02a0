"""What was answered to who asked for specimens, and what the gateway's log told of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gatepass.base.phrase import say
from gatepass.endpoint.download import Download
from gatepass.endpoint.specimens import Specimen, SpecimenName, specimens
from gatepass.gateway.licences import FUNCTIONS, LICENSED, lacking_licence
from gatepass.gateway.security_log import described, excerpt, of_client
from gatepass.results.kept_answers import Answer
from gatepass.results.record import Evidence

_OK = 200


@dataclass(frozen=True)
class Asked:
    """A specimen that was asked for, and what came.

    Attributes:
        what: its name.
        by: HTTP, HTTPS or FTP.
        mark, file_types: what the run's specimens are made of; see `specimens`.
        download: how it ended.
    """

    what: SpecimenName
    by: str
    mark: str
    file_types: tuple[str, ...]
    download: Download

    @property
    def specimen(self) -> Specimen:
        """As the run has put it on the server."""
        return specimens(self.mark, self.file_types)[self.what]

    @property
    def arrived(self) -> bool:
        """Whether it came byte for byte."""
        return self.download.is_copy_of(self.specimen.content)

    def contradictions(self) -> Iterator[str]:
        """What in it does not agree with the rest of it, each in a clause."""
        yield from self.download.contradictions()
        asked, *headers = self.download.request or ("nothing",)
        scheme, path = f" {self.by.lower()}://", f"/{self.mark}/{self.specimen.file}"
        if scheme not in asked or not asked.endswith(path):
            yield f"{self.what} over {self.by} is told of, and “{asked}” was sent"
        agent = f"User-Agent: {self.specimen.agent}"
        if self.by != "FTP" and agent not in headers:
            yield f"{self.what} is told of, and it was asked for without “{agent}”"


@dataclass(frozen=True)
class _OfSpecimen(Answer):
    """What shows by a specimen.

    Attributes:
        asked: how it was asked for, and what came.
    """

    asked: Asked

    @abstractmethod
    def evidence(self) -> Evidence:
        """See `Answer`."""

    def contradictions(self) -> Iterator[str]:
        """See `Answer`."""
        return self.asked.contradictions()

    def of_run(self) -> Mapping[str, object]:
        """See `Answer`."""
        return {"mark": self.asked.mark, "file types": self.asked.file_types}


@dataclass(frozen=True)
class SpecimenStopped(_OfSpecimen):
    """A specimen that must not come."""

    CLAIMS = frozenset({"stopped"})

    def evidence(self) -> Evidence:
        """It did not arrive as it lies on the server."""
        asked = self.asked
        told = "it arrived although services are on." if asked.arrived else "it did not arrive."
        claim = say("stopped", what=asked.specimen.said, by=asked.by)
        return Evidence(claim, f"{asked.download}; {told}", not asked.arrived)


@dataclass(frozen=True)
class NoByte(_OfSpecimen):
    """A specimen of which nothing must come."""

    CLAIMS = frozenset({"no_byte"})

    def evidence(self) -> Evidence:
        """No part of it arrived; another page than the file may have."""
        download, by = self.asked.download, self.asked.by
        part = download.bytes if by == "FTP" or download.status == _OK else 0
        told = f"{part:,} bytes of the file reached the client over {by}."
        return Evidence(say("no_byte"), told, not part)


@dataclass(frozen=True)
class SpecimenArrived(_OfSpecimen):
    """A specimen that has to come.

    Attributes:
        inspected: whether security services are on.
        decided: what the gateway says of such a connection, where it did not come.
    """

    inspected: bool
    decided: str = ""
    CLAIMS = frozenset({"harmless_arrived", "arrived_without"})

    def evidence(self) -> Evidence:
        """It arrived byte for byte."""
        claim = say(
            "harmless_arrived" if self.inspected else "arrived_without",
            what=self.asked.specimen.said,
            by=self.asked.by,
        )
        return Evidence(claim, f"{self.asked.download}; {self._told()}", self.asked.arrived)

    def _told(self) -> str:
        if self.asked.arrived:
            return "it is the server's file byte for byte."
        size = len(self.asked.specimen.content)
        if self.asked.download.bytes == size:
            told = "as many bytes as the server has, but not the same: it was altered on the way."
        else:
            told = f"the server's file has {size:,} bytes. {self.decided}"
        return f"{told} It arrives on the path without the gateway."


@dataclass(frozen=True)
class Inspecting(_OfSpecimen):
    """A specimen by which inspection shows.

    Attributes:
        on: whether it is to be on.
        when: "before" or "after" the trials.
    """

    on: bool
    when: str
    CLAIMS = frozenset({"inspecting"})

    def evidence(self) -> Evidence:
        """It arrives where inspection is off, and only there."""
        told = "arrives" if self.asked.arrived else "does not arrive"
        claim = say("inspecting", state=say("on" if self.on else "off"))
        observed = f"The virus test file {told} {self.when} the trials."
        return Evidence(claim, observed, self.asked.arrived is not self.on)


@dataclass(frozen=True)
class CountryBlocked(_OfSpecimen):
    """A page of a server whose country is blocked."""

    CLAIMS = frozenset({"country"})

    def evidence(self) -> Evidence:
        """No answer came at all."""
        arrived = bool(self.asked.download.status)
        told = "the address was not counted as that country's." if arrived else "nothing arrived."
        return Evidence(say("country"), f"{self.asked.download}; {told}", not arrived)


@dataclass(frozen=True)
class CountryPassed(_OfSpecimen):
    """A page of a server that lies in another country."""

    CLAIMS = frozenset({"other_country"})

    def evidence(self) -> Evidence:
        """It arrived byte for byte."""
        return Evidence(say("other_country"), f"{self.asked.download}.", self.asked.arrived)


@dataclass(frozen=True)
class StoppedLogged(Answer):
    """What the gateway's log told after a specimen was asked for.

    Attributes:
        log: virus, webfilter, ips, app-ctrl or file-filter.
        client: source address of the sessions.
        policyid: of the policy that they met.
        before: how many of its entries told of something that was stopped, before.
        rows: its latest entries about the client, as far as they are kept.
        count: how many tell of something that was stopped, of all that were read.
    """

    log: str
    client: str
    policyid: int
    before: int
    rows: tuple[dict[str, str], ...]
    count: int
    CLAIMS = frozenset({"logged"})

    @classmethod
    def of(
        cls,
        log: str,
        client: str,
        policyid: int,
        before: int,
        found: Sequence[Mapping[str, Any]],
    ) -> StoppedLogged:
        """Of the entries that tell of something that was stopped, the newest first."""
        rows = tuple(excerpt(row) for row in found[:_ROWS])
        return cls(log, client, policyid, before, rows, len(found))

    def evidence(self) -> Evidence:
        """There is an entry more than before."""
        told = of_client(self.rows, self.client, self.policyid)
        holds = bool(told) and self.count > self.before
        observed = f"{described(told[0])}." if holds else "No new entry about the client's address."
        return Evidence(say("logged", log=self.log), observed, holds)

    def contradictions(self) -> Iterator[str]:
        """See `Answer`."""
        kept = len(of_client(self.rows, self.client, self.policyid))
        if kept != min(self.count, _ROWS):
            yield f"the log is said to tell of {self.count}, and {kept} of them are kept"

    def of_run(self) -> Mapping[str, object]:
        """See `Answer`."""
        return {"client": self.client}


_ROWS = 20


@dataclass(frozen=True)
class ServicesLicensed(Answer):
    """What ``license/status`` told.

    Attributes:
        told: the word for each function that it speaks of.
    """

    told: dict[str, str]
    CLAIMS = frozenset({"services_licensed"})

    def evidence(self) -> Evidence:
        """None lacks its licence."""
        named = ", ".join(FUNCTIONS[function] for function in self.told)
        lacking = lacking_licence(self.told)
        observed = lacking or f"license/status says “{LICENSED}” of {named}."
        return Evidence(say("services_licensed"), observed, not lacking)


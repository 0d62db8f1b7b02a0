"""Downloads of a large file with security services off and on, beside the path without it."""

from __future__ import annotations

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.endpoint.download import Broken, timed
from gatepass.results.downloads import BESIDE, COMPARED, OFF, DownloadTrial, Transfer
from gatepass.verdict.services_rule import FEWEST, LARGE_FILE, WITHOUT
from support import words
from support.connections import must_be_reached
from support.guard import keyword
from support.inspection_proof import inspection
from support.keyword_library import KeywordLibrary
from support.services_rate import Rates, ServicesRate
from support.steps import Steps

MIB = 2**20
_SLOWEST_MBPS = 8
"""Below this a download is given up: it would take for ever."""
_TRIES = 3


class LargeFile(Steps):
    """What is downloaded again and again.

    Attributes:
        protocol: HTTP or FTP.
        size: of the file in bytes.
        asked: how often it was asked for through the gateway.
        broken: what became of the others.
    """

    protocol: str
    size: int

    def __init__(self) -> None:
        self.asked = 0
        self.broken: list[str] = []


class Downloads(KeywordLibrary):
    """Keywords that time downloads and hold them against the tier's figure with services on."""

    @keyword("A large file is downloaded over ${protocol} with services off and on")
    def large_file(self, protocol: words.FileProtocol) -> None:
        """As often as the profile says, each way; the path without the gateway as baseline.

        Example: ``A Large File Is Downloaded Over FTP With Services Off And On``

        The published test (Hokkanen 2016, test 2): 1 GiB by FTP, ten times, one policy, NAT on.

        Raises:
            AssertionError: one breaks, or inspection is not what it should be.
            NotProven: one breaks on the path without the gateway at that time as well.
        """
        count, file = self.run.profile.downloads, self._file
        file.protocol, file.size = protocol, self.run.profile.download_mib * MIB
        conditions = say(LARGE_FILE, protocol=protocol, mib=file.size // MIB)
        rate = ServicesRate(self.check, conditions)
        self.run.inspection.must_inspect(self.run.profile.download_mib)
        self.run.files.noise("large.bin", file.size)
        if rate.direct_address:
            for _ in range(FEWEST):
                rate.trial(BESIDE, lambda: self._beside(rate))
        with inspection(self.check, False):
            for _ in range(count):
                rate.trial(OFF, lambda: self._one(rate))
        with inspection(self.check, True):
            rate.repeated(lambda: self._one(rate), lambda: self._beside(rate))
        rate.measured(WITHOUT)
        rate.measured()
        self._each_should_have_arrived()

    @keyword()
    def it_is_downloaded_as_often_beside_the_gateway(self) -> None:
        """As often as through the gateway, for who compares; where there is such a path.

        Raises:
            NotProven: one breaks there.
        """
        rate, count = self.check.left(Rates).rate, self.run.profile.downloads
        if rate.direct_address:
            for _ in range(count - FEWEST):
                rate.trial(COMPARED, lambda: self._beside(rate))

    @keyword()
    def the_rate_with_services_on_should_reach_the_promise(self) -> None:
        """The lower bound of the interval reaches the tier's figure with security services.

        Raises:
            AssertionError: the upper bound is under it, and the rig could have carried it.
            NotProven: the rig cannot carry it, or the interval straddles it.
        """
        self.check.left(Rates).rate.conclude()

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _file(self) -> LargeFile:
        return self.check.left(LargeFile)

    def _one(self, rate: ServicesRate) -> DownloadTrial:
        """One whole download for the figure; one that breaks counts for the verdict.

        Raises:
            AssertionError: none arrives whole.
            NotProven: one breaks on the path without the gateway at that time as well.
        """
        file = self._file
        for broken_before in range(_TRIES):
            file.asked += 1
            try:
                transfer = self._timed(rate, self.run.testbed.endpoints.server.address)
            except Broken as broken:
                file.broken.append(str(broken))
                if not rate.direct_address:
                    raise NotProven(
                        f"{self._told_broken()} Without a direct_address it cannot be determined "
                        "whether the gateway is the cause."
                    ) from None
                self._directly(rate)
                if len(file.broken) == 1:
                    port = rate.source(file.protocol, rate.direct_address).port
                    must_be_reached(self.run, port)
                continue
            return DownloadTrial((transfer,), broken_before)
        raise AssertionError(f"{self._told_broken()} {_TRIES} in a row broke.")

    def _beside(self, rate: ServicesRate) -> DownloadTrial:
        return DownloadTrial((self._directly(rate),))

    def _directly(self, rate: ServicesRate) -> Transfer:
        """The same download on the path without the gateway.

        Raises:
            NotProven: it breaks.
        """
        file = self._file
        try:
            return self._timed(rate, rate.direct_address)
        except Broken as broken:
            raise NotProven(
                f"{file.protocol} download of {file.size // MIB} MiB without the gateway: "
                f"{broken} {self._told_broken() if file.broken else ''}".strip()
            ) from None

    def _timed(self, rate: ServicesRate, address: str) -> Transfer:
        source, size = rate.source(self._file.protocol, address), self._file.size
        path, limit_s = self.run.files.path("large.bin"), size * 8 / 1e6 / _SLOWEST_MBPS
        return timed(self.run.client, source, path, size, limit_s)

    def _told_broken(self) -> str:
        file = self._file
        if not file.broken:
            return f"All {file.asked} {file.protocol} downloads arrived whole."
        return (
            f"{len(file.broken)} of {file.asked} {file.protocol} downloads of "
            f"{file.size // MIB} MiB through the gateway broke, the first so: {file.broken[0]}"
        )

    def _each_should_have_arrived(self) -> None:
        control = " Without the gateway one right after each of them arrived whole."
        broken = self._file.broken
        self.check.evidence(
            say("whole_downloads"),
            self._told_broken() + (control if broken else ""),
            not broken,
        )

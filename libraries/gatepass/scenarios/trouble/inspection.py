"""Files and forbidden packets while the gateway cannot inspect: what passes, and for how long not.

What must not pass is asked for all the while, as is what may: a gateway that lets through what it
cannot look at (fail open) shows by the first, and how long it was away by the second.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.download import FileSource
from gatepass.endpoint.frames import must_be_root
from gatepass.endpoint.repeated import RepeatedDownload, Try
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.stream import clock_of
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.troubles import Troubles
from gatepass.inputs.testbed import Testbed
from gatepass.scenarios.leaks.counters import counted_in, not_counted
from gatepass.scenarios.leaks.ways import INTERFACES, sides_of
from gatepass.scenarios.trouble.forbidden import PPS, Sent, Way

_BEFORE_S, _DURING_S, _AFTER_S = 0.5, 1.2, 0.3
BACK_S = 30
"""How long what is permitted may stay away after the trouble is over."""
_TRIED_S = 20
"""How long it takes at most until the harmful file has been tried once meanwhile."""
_LIMIT_S = BACK_S + 300


@dataclass(frozen=True)
class File:
    """A file on the server.

    Attributes:
        source: where it is asked for.
        path: of it there.
        digest: SHA-256 of its content, hexadecimal.
    """

    source: FileSource
    path: str
    digest: str


@dataclass(frozen=True)
class Asked:
    """A file that was asked for all the while.

    Attributes:
        tries: in their order.
        digest: of the file.
    """

    tries: Sequence[Try]
    digest: str

    def arrived(self, since: float, before: float) -> tuple[int, int]:
        """How many of the tries in that time brought the file, and how many there were.

        When a try was sent is known to lie between its beginning and its end alone: one that began
        before that time and ended in it counts, one that ended after it does not.

        Args:
            since, before: by the client's clock.
        """
        there = [one for one in self.tries if since < one.ended <= before]
        return sum(one.digest == self.digest for one in there), len(there)

    def within(self, since: float, before: float) -> int:
        """How many tries were made in that time from their beginning to their end."""
        return sum(since <= one.began and one.ended <= before for one in self.tries)

    def away(self, since: float) -> float | None:
        """The longest time from one that arrived to the next that did, over tries that failed.

        Args:
            since: those that began after this moment count.

        Returns:
            Seconds; 0 where none failed, None where none arrived any more.
        """
        longest, last, failed = 0.0, since, False
        for one in self.tries:
            if one.digest != self.digest:
                failed = failed or one.began >= since
                continue
            if failed:
                longest, failed = max(longest, one.ended - last), False
            last = one.ended
        return None if failed else longest


@dataclass(frozen=True)
class Endured:
    """A trouble that is over.

    Attributes:
        asked: when it was to begin, by the client's clock.
        there: when its command had ended.
        over: when its end was asked for.
        clean, harmful: the file that may pass, and the one that must not.
        forbidden: packets that no policy permits.
    """

    asked: float
    there: float
    over: float
    clean: Asked
    harmful: Asked
    forbidden: Sent

    def must_have_been_seen(self) -> None:
        """Before the trouble the clean file passed and the other did not; both were tried in it.

        Raises:
            NotProven: it was not so, so that what was seen meanwhile would prove nothing.
        """
        if not self.clean.arrived(0, self.asked)[0]:
            raise NotProven(
                "no clean file arrived even before the disturbance, so it would prove nothing "
                "that none arrives during it."
            )
        if self.harmful.arrived(0, self.asked)[0]:
            raise NotProven(
                "the harmful file arrived even before the disturbance, so its arrival during the "
                "disturbance would show nothing about it. See the checks of what is stopped."
            )
        if not self.harmful.within(self.there, self.over):
            raise NotProven(
                "no harmful file was asked for while the disturbance lasted. Give the client "
                "more processors."
            )


def endure(
    name: str,
    troubles: Troubles,
    gateway: FortiGate,
    testbed: Testbed,
    shells: Mapping[str, Shell],
    files: tuple[File, File],
) -> Endured:
    """Have the trouble for a while; what inspects is in force already.

    Args:
        name: of the trouble.
        troubles: how it is brought about.
        gateway: the device.
        testbed: where it stands.
        shells: client and server by their names.
        files: a clean one and a harmful one.

    Raises:
        NotProven: it cannot be brought about or ended, an endpoint cannot do what is needed, or
            what is forbidden does not come to the gateway's port.
    """
    rows = {str(row.get("name")): row for row in gateway.rows(INTERFACES)}
    sides = {side.name: side for side in sides_of(testbed, shells, rows)}
    client, server = sides["client"], sides["server"]
    for shell in shells.values():
        must_be_root(shell)
    counted = counted_in(gateway, [server])
    way = Way(shells, server, client, f"trouble-{name}", 0, _LIMIT_S)
    asking: list[RepeatedDownload] = []
    try:
        way.begin()
        # what never came to the gateway is not its merit
        if lost := not_counted(gateway, [server], counted, {server.name: PPS}):
            raise NotProven(lost)
        for which, file in zip(("clean", "harmful"), files, strict=True):
            stem = f"trouble-{name}-{which}"
            ask = RepeatedDownload(shells["client"], stem, file.source, file.path, _LIMIT_S)
            asking.append(ask)
        clean, harmful = asking
        time.sleep(_BEFORE_S)
        asked = clock_of(shells["client"])
        try:
            troubles.begin(name)
            there = clock_of(shells["client"])
            time.sleep(_DURING_S)
            until(lambda: Asked(harmful.tries(), "").within(there, inf), _TRIED_S)
            over = clock_of(shells["client"])
        finally:
            troubles.end(name)
        until(lambda: _is_back(clean, files[0].digest), BACK_S)
        time.sleep(_AFTER_S)
        tried = [
            Asked(one.end(), file.digest)
            for one, file in zip((clean, harmful), files, strict=True)
        ]
        forbidden = way.end()
    finally:
        for one in asking:
            one.stop()
        way.stop()
    return Endured(asked, there, over, *tried, forbidden)


def _is_back(clean: RepeatedDownload, digest: str) -> bool:
    tries = clean.tries()
    return bool(tries) and tries[-1].digest == digest

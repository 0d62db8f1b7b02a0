"""A host that the gateway bans for a while: what arrived of all that it sent meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.base.phrase import say
from gatepass.endpoint.stream import Arrivals
from gatepass.results.kept_answers import Answer
from gatepass.results.record import Evidence

LASTS_S = 2.5
"""How long it is banned, and at most looked at after."""
WITHIN_S = 2.0
"""After which it has to be silent."""


@dataclass(frozen=True)
class BanListed(Answer):
    """What the monitor ``user/banned`` lists.

    Attributes:
        address: of the host.
        listed: all addresses.
    """

    address: str
    listed: tuple[str, ...]
    CLAIMS = frozenset({"ban_listed"})

    def evidence(self) -> Evidence:
        """The host is among them."""
        named = self.address in self.listed
        told = f"The monitor user/banned {'named' if named else 'did not name'} it."
        return Evidence(say("ban_listed"), told, named)


@dataclass(frozen=True)
class BanHeeded(Answer):
    """What arrived while the host was banned.

    Attributes:
        arrivals: of what it sent.
        asked, ended: when the ban and its end were asked for, by the host's clock.
    """

    arrivals: Arrivals
    asked: float
    ended: float
    CLAIMS = frozenset({"ban_heeded"})

    def evidence(self) -> Evidence:
        """Nothing any more, once it had to be silent.

        Raises:
            NotProven: nothing was sent in that time.
        """
        last = self.arrivals.last_before(self.ended) or self.asked
        late = last - self.asked
        if late >= WITHIN_S:
            told = f"Datagrams still arrived {late:.1f} s after the ban was asked for."
            return Evidence(say("ban_heeded"), told, False)
        self.arrivals.must_have_been_sent(self.asked + WITHIN_S, self.ended, "client")
        ms = max(0.0, late) * 1000
        told = f"The last datagram that arrived was sent {ms:.0f} ms after the ban was asked for."
        return Evidence(say("ban_heeded"), told, True)


@dataclass(frozen=True)
class BanEnded(Answer):
    """What arrived after the ban.

    Attributes:
        arrivals: of what the host sent.
        ended: when the end of the ban was asked for, by the host's clock.
    """

    arrivals: Arrivals
    ended: float
    CLAIMS = frozenset({"ban_ended"})

    def evidence(self) -> Evidence:
        """Something.

        Raises:
            NotProven: nothing was sent in that time.
        """
        first = self.arrivals.first_after(self.ended)
        if first is None:
            begin, end = self.ended + LASTS_S / 2, self.ended + LASTS_S
            self.arrivals.must_have_been_sent(begin, end, "client")
            told = f"No datagram arrived in the {LASTS_S:.1f} s after the ban was ended."
            return Evidence(say("ban_ended"), told, False)
        ms = (first - self.ended) * 1000
        told = (
            f"The first that arrived was sent {ms:.0f} ms after the end of the ban was asked for."
        )
        return Evidence(say("ban_ended"), told, True)

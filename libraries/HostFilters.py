"""Hosts that pretend to be others, and what the gateway has against them."""

from __future__ import annotations

from collections.abc import Sequence

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.endpoint.forged import ROUNDS, Seen
from gatepass.scenarios.edge.hosts import (
    FORGED,
    HOST,
    IN_FORCE_S,
    MOVED,
    NEIGHBOUR,
    OWN,
    Borrowed,
    Contest,
    Phases,
)
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.steps import Steps

_BOTH = {OWN: "the client's own", NEIGHBOUR: "another host's"}
_WRONG = {
    FORGED: "with the client's IP address from another hardware address",
    MOVED: "from the client's hardware address with another IP address",
}


class Tried(Steps):
    """What arrived in each phase of what was tried."""

    phases: Phases
    borrowed: Borrowed
    contest: Contest


class HostFilters(KeywordLibrary):
    """Keywords about hosts that pretend to be others.

    The client sends frames that are made by hand for hosts of its own side: under its own
    addresses, under others', and under free ones that it stands in with. Right and wrong ones are
    sent by turns, and what arrives is taken down on the far side.
    """

    @keyword()
    def datagrams_from_any_address_are_permitted_to_the_server(self) -> None:
        """One policy lets the client's side send to the server, whatever the source address."""
        self.run.hosts.permit_any_source()

    @keyword("The client's address is bound to its hardware address for a while")
    def the_clients_address_is_bound_to_its_hardware_address_for_a_while(self) -> None:
        """By ``firewall.ipmacbinding``, on the client's port; hosts in no pair go on passing.

        Four senders send before, while it is bound, and after: the client, another hardware address
        with its IP address, its hardware address with another IP address, and another host.

        Raises:
            NotApplicable: the device binds no addresses.
            NotProven: the customer has it do so already, or not all of it arrives before.
        """
        self._tried.phases = self.run.hosts.bind_the_client()

    @keyword()
    def nobody_else_should_have_got_through_in_its_name(self) -> None:
        """Neither half of the pair gets through with another, three seconds later at the latest.

        Raises:
            AssertionError: one does.
        """
        seen = self._tried.phases.during
        for name, told in _WRONG.items():
            self.check.evidence(
                say(f"bound_{name}"),
                f"{seen.of(name)} of {ROUNDS} datagrams {told} arrived; before that all did.",
                seen.none(name),
            )

    @keyword()
    def the_client_and_its_neighbour_should_have_got_through_beside_it(self) -> None:
        """The bound host itself, and one that is in no pair, at the same time.

        Raises:
            AssertionError: one of them did not, and did before and after.
            NotProven: it did not after, either.
        """
        phases = self._tried.phases
        lost = _lost(phases.during, tuple(_BOTH))
        if lost and not phases.after.whole(*lost):
            raise NotProven(
                f"{_told(lost)} do not get through after the binding, either, so it is not shown "
                "that the binding stopped them. Check the path and run the check again."
            )
        told = " and ".join(
            f"{phases.during.of(name)} of {ROUNDS} of {whose}" for name, whose in _BOTH.items()
        )
        self.check.evidence(say("bound_passes"), f"{told} arrived while it was bound.", not lost)

    @keyword()
    def all_should_get_through_again_after(self) -> None:
        """What was stopped arrives again, three seconds after the binding ended at the latest.

        Raises:
            AssertionError: it does not.
            NotProven: the client's own does not, either.
        """
        seen = self._tried.phases.after
        if not seen.whole(OWN):
            raise NotProven("the client's own datagrams did not arrive after the binding, either.")
        told = [
            f"{IN_FORCE_S:.0f} s later {seen.of(name)} of {ROUNDS} datagrams {told} arrived."
            for name, told in _WRONG.items() if not seen.whole(name)
        ]
        self.check.evidence(say("bound_ended"), " ".join(told) or "All arrived.", not told)

    # -- where a source may come from --------------------------------------------------------

    @keyword()
    def the_client_sends_from_borrowed_addresses_with_the_source_check_and_without(self) -> None:
        """Addresses behind the server's port, sent from behind the client's, beside its own.

        The port's ``src-check`` is on, then off, then on again.

        Raises:
            NotApplicable: the device cannot switch it.
            NotProven: the gateway routes to all of them by the client's port as well.
        """
        self._tried.borrowed = self.run.hosts.borrow_addresses()

    @keyword()
    def no_borrowed_address_should_have_got_through_while_it_was_checked(self) -> None:
        """With the check none arrives, and the client's own does; without it they arrive.

        Raises:
            AssertionError: one arrives with the check, or the client's own does not.
            NotProven: they do not arrive without it, either, or nothing does.
        """
        tried = self._tried.borrowed
        on = (tried.first, tried.again)
        through = [seen for seen in on if not seen.none(*tried.addresses)]
        if through:
            counts = " and ".join(_counts(through[0], tried))
            told = f"{counts} arrived.{tried.overruled}"
            self.check.evidence(say("source_refused"), told, False)
        if not tried.off.whole(OWN):
            raise NotProven(
                "the client's own datagrams do not get through without the source check, either."
            )
        held_up = [seen for seen in on if not seen.whole(OWN)]
        arrived = held_up[0].of(OWN) if held_up else ROUNDS
        self.check.evidence(
            say("source_passes"),
            f"{arrived} of {ROUNDS} from the client's own address arrived while it was on.",
            not held_up,
        )
        if not tried.off.whole(*tried.addresses):
            raise NotProven(
                f"{' and '.join(_counts(tried.off, tried))} arrived without the source check, so "
                "it is not shown that the check stops them. Let the virtual switch pass forged "
                "senders to the gateway."
            )
        self.check.evidence(
            say("source_refused"),
            f"None of those from {' and '.join(tried.addresses)} arrived; without the check all "
            "did.",
            True,
        )

    # -- whose hardware address it is --------------------------------------------------------

    @keyword()
    def datagrams_are_permitted_to_a_host_that_nobody_else_is(self) -> None:
        """One policy lets the server send to the client, and to a free address of its network."""
        self.run.hosts.permit_to_the_host()

    @keyword()
    def another_claims_to_be_that_host_with_an_arp_entry_for_it_and_without(self) -> None:
        """The client stands in for the host, and claims its address for its own hardware address.

        By announcements and by answers that nobody asked for: without an entry in
        ``system/arp-table``, with one, and without again.

        Raises:
            NotApplicable: the device has no such table.
            NotProven: what is sent to the host does not come to it before that.
        """
        self._tried.contest = self.run.hosts.claim_the_host()

    @keyword()
    def what_is_for_the_host_should_have_stayed_with_it(self) -> None:
        """With the entry all goes to the host's hardware address, and nothing to the other.

        Raises:
            AssertionError: it does not.
            NotProven: nothing arrives at all, or the claims draw it away the first time alone.
        """
        one = self._tried.contest
        away, here = one.fixed.of(HOST, one.attacker), one.fixed.of(HOST, one.mac)
        if not away and not one.fixed.whole(OWN):
            raise NotProven("what the server sends to the client did not arrive meanwhile, either.")
        without = (
            f"Without an entry {one.claimed.of(HOST, one.attacker)} of {ROUNDS} went to the host "
            f"that claimed to be {one.address}"
            if one.is_real
            else "Without an entry the false claims did not draw traffic away, either"
        )
        self.check.evidence(
            say("arp_fixed"),
            f"{without}; with the entry {away} went to the wrong host and {here} to the right one.",
            not away and here == ROUNDS,
        )
        if one.is_real and not one.freed.of(HOST, one.attacker):
            raise NotProven(
                "after the entry was removed the false claims no longer drew traffic away, so it "
                "is not shown that the entry protected the host. Run the check again."
            )

    @keyword()
    def the_filters_of_hosts_are_as_they_were(self) -> None:
        """Bindings, source check and ARP entry; to be called also after a failure."""
        if self.run.has("hosts"):
            self.run.hosts.undo()

    @property
    def _tried(self) -> Tried:
        return self.check.left(Tried)


def _lost(seen: Seen, names: Sequence[str]) -> list[str]:
    return [name for name in names if not seen.whole(name)]


def _told(names: Sequence[str]) -> str:
    return " and ".join(f"{_BOTH[name]} datagrams" for name in names)


def _counts(seen: Seen, tried: Borrowed) -> list[str]:
    return [
        f"{seen.of(address)} of {ROUNDS} datagrams from {address}" for address in tried.addresses
    ]

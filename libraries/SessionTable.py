"""What passes while the gateway's session table is full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gatepass.base.errors import NotApplicable
from gatepass.base.phrase import say
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.steps import Steps

if TYPE_CHECKING:
    from gatepass.scenarios.trouble.full_table import FullTable


class Seen(Steps):
    """A full table that was seen.

    Attributes:
        table: what passed meanwhile.
    """

    table: FullTable


class SessionTable(KeywordLibrary):
    """Keywords about the limit of sessions (`system/resource-limits`), where it may be lowered."""

    @keyword()
    def the_session_table_was_full_while_packets_were_sent(self) -> None:
        """The limit is lowered to thirty sessions more than there are; 300 connections are tried.

        One connection has been open before and goes on talking. Beside it TCP, UDP and ICMP
        packets that no policy permits go from the client to the server, a hundred of each a second.

        Raises:
            NotApplicable: the testbed does not allow it (`gateway.may_fill_sessions`), or the
                device has no such limit.
            NotProven: an endpoint cannot do what is needed.
        """
        if not self.run.testbed.gateway.may_fill_sessions:
            raise NotApplicable(say("full_table_not_allowed"))
        from gatepass.scenarios.trouble.full_table import fill_table  # it takes scapy with it

        self.run.stop_responders()
        shells = {"client": self.run.client, "server": self.run.server}
        self._seen.table = fill_table(self.run.rules, self.run.testbed, shells)

    @keyword()
    def nothing_should_have_passed_the_full_table_that_no_policy_permits(self) -> None:
        """None of the packets that no policy permits arrived.

        Raises:
            AssertionError: some did.
        """
        forbidden = self._seen.table.forbidden
        self.check.evidence(say("full_table_closed"), str(forbidden), forbidden.stopped)

    @keyword()
    def the_connection_from_before_should_have_gone_on(self) -> None:
        """It was answered while others found no room; its longest silence is told.

        Raises:
            AssertionError: it was silent all the while.
            NotProven: it did not open at all, or the table was not full.
        """
        from gatepass.scenarios.trouble.full_table import TRIED

        table = self._seen.table
        table.must_have_been_full()
        self.check.evidence(
            say("full_table_kept"),
            f"The table was to hold {table.most:,} sessions, and {table.opened} of {TRIED} more "
            f"connections opened. {table.lasted_s:.1f} s after that one from before was silent for "
            f"{table.kept.silent_s * 1000:,.0f} ms, and for {table.kept.longest_s * 1000:,.0f} ms "
            "at most before.",
            table.kept_on,
        )

    @keyword()
    def new_connections_should_open_again_where_there_is_room(self) -> None:
        """As soon as the limit is what it was, all of them do.

        Raises:
            AssertionError: they do not.
        """
        from gatepass.scenarios.trouble.full_table import BACK_S, TRIED

        again_s = self._seen.table.again_s
        told = (
            f"All {TRIED} connections opened {again_s:.1f} s after the limit was gone"
            if again_s is not None
            else f"{BACK_S} s after the limit was gone {TRIED} connections did not all open"
        )
        self.check.evidence(say("full_table_back"), f"{told}.", again_s is not None)

    @property
    def _seen(self) -> Seen:
        return self.check.left(Seen)

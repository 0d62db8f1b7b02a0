"""What the permanent evaluation licence takes from a row: FortiOS's low encryption."""

from __future__ import annotations

from lab.gateway.errors import bad_value
from lab.gateway.schema.model import Row, Table

_PROPOSALS = ("vpn.ipsec/phase1-interface", "vpn.ipsec/phase2-interface")
_WEAK = "des-"


def must_be_weak(table: Table, row: Row) -> None:
    """Low encryption has DES alone.

    Raises:
        CmdbError: a proposal has another cipher.
    """
    if table.path not in _PROPOSALS:
        return
    for proposal in row["proposal"].split():
        if not proposal.startswith(_WEAK):
            raise bad_value("proposal", proposal, f"{_WEAK}… with an evaluation licence")

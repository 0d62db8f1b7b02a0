"""What an endpoint took down proves something only where it had room for all that arrived."""

from __future__ import annotations

from gatepass.base.errors import NotProven


def loss(name: str, dropped: int) -> str:
    """Why what an endpoint did not see proves nothing; empty where it had room for everything.

    Args:
        name: of the endpoint.
        dropped: packets that its kernel had no room for.
    """
    if not dropped:
        return ""
    return (
        f"the {name} lost {dropped:,} packets while it recorded what arrived, so what it did not "
        "see proves nothing. Give it more processors."
    )


def must_be_whole(name: str, dropped: int) -> None:
    """All that arrived was taken down.

    Args:
        name, dropped: as for `loss`.

    Raises:
        NotProven: it was not.
    """
    if lost := loss(name, dropped):
        raise NotProven(lost)

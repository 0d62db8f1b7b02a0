"""Whether the web page answers where customers are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.endpoint.probe import run_script
from gatepass.endpoint.shell import Shell

USUAL = (80, 443, 4443, 8080, 8443, 10443)
"""Ports at which such a page is put as a rule, beside those that the gateway is set to."""
MARKS = ("secretkey", "login_button", "/logincheck", "/ng/")
"""Words of FortiOS's page, of which two tell it; that of its SSL VPN has others."""
_TIMEOUT_S = 60


@dataclass(frozen=True)
class Tried:
    """One port of one address, as a host of the customer's meets it.

    Attributes:
        address, port: which.
        spoken: HTTPS or HTTP where it answers so; open where it takes connections and says nothing
            of the kind; empty where there was none.
        page: what it answered, as far as was read.
    """

    address: str
    port: int
    spoken: str
    page: str

    @property
    def is_gui(self) -> bool:
        """Whether that is the gateway's page."""
        return is_gui(self.page)

    def __str__(self) -> str:
        return f"{self.address} port {self.port} ({self.spoken})"


def is_gui(page: str) -> bool:
    """Whether a page is that of the gateway's administrators."""
    return sum(mark in page for mark in MARKS) > 1


def seen_from(shell: Shell, addresses: Sequence[str], ports: Iterable[int]) -> list[Tried]:
    """Ask each port of each address for a page.

    Args:
        shell: of a host on the customer's side.
        addresses: the gateway's.
        ports: to be tried, each once.

    Raises:
        NotProven: the host cannot tell.
    """
    words = [",".join(addresses), ",".join(map(str, sorted(set(ports))))]
    done = run_script(shell, "pages.py", words, _TIMEOUT_S)
    try:
        return [Tried(*one) for one in json.loads(done.output)]
    except (ValueError, TypeError):
        raise NotProven(f"the {shell.name} cannot ask the gateway's ports for pages.") from None

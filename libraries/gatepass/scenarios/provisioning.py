"""Many tenants on one gateway, some at a time, and how long each step of each takes.

Each tenant is set up over a REST connection of its own. A step counts until all of its objects were
read back and compared with what the gateway was told.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from gatepass.base.phrase import NOTHING, Phrase
from gatepass.gateway import transport
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused
from gatepass.gateway.rules import POLICY
from gatepass.gateway.tables import mkey_of
from gatepass.scenarios.site_to_site.tunnels import ROUTE
from gatepass.scenarios.tenant import DHCP, FreeKeys, Tenant

_APART = 500_000
"""How far the policies' numbers lie from all others, so that no other chapter takes them."""


@dataclass(frozen=True)
class SetUp:
    """How far a tenant came.

    Attributes:
        tenant: which one.
        seconds: of each step that was finished, by its name.
        step: where it broke off; empty where it is whole.
        error: why.
    """

    tenant: Tenant
    seconds: dict[Phrase, float]
    step: Phrase = NOTHING
    error: Exception | None = None

    @property
    def whole_s(self) -> float:
        """Seconds of all steps."""
        return sum(self.seconds.values())


class TenantProvisioning:
    """The tenants of one run.

    Args:
        connect: gives a client of the gateway, a new one each time.
        changes: of the run.
        outer_port: the gateway's port to the world.
    """

    def __init__(self, connect: Callable[[], FortiGate], changes: Changes, outer_port: str) -> None:
        self._connect = connect
        self._changes = changes
        self._outer_port = outer_port
        self._tenants: list[Tenant] = []
        self._stopped = threading.Event()

    def set_up(self, count: int, parallel: int) -> list[SetUp]:
        """Set up so many tenants, so many of them at a time.

        Returns:
            All of them in their order; each one that broke off with its reason.
        """
        self._tenants = self.new(count)
        self._stopped.clear()
        with ThreadPoolExecutor(parallel, "tenant") as pool:
            under_way = [pool.submit(self._one, tenant) for tenant in self._tenants]
            try:
                return [one.result() for one in under_way]
            except BaseException:
                self._stopped.set()  # nothing may come once the run takes its changes back
                raise

    def take_away(self) -> int:
        """Remove what there is of all tenants, the last step first.

        Returns:
            How many objects that were.

        Raises:
            AssertionError, Refused: see `Changes.remove`.
        """
        per_table: dict[str, list] = {}
        for tenant in self._tenants:
            for tables in tenant.steps.values():
                for path, rows in tables:
                    per_table.setdefault(path, []).extend(row[mkey_of(path)] for row in rows)
        for path, mkeys in reversed(per_table.items()):
            self._changes.remove(path, mkeys)
        objects = sum(tenant.objects for tenant in self._tenants)
        self._tenants = []
        return objects

    def new(self, count: int) -> list[Tenant]:
        """So many tenants, of which nothing is on the gateway yet."""
        gateway = self._changes.gateway
        free = FreeKeys(
            _free(gateway, POLICY) + _APART, _free(gateway, ROUTE), _free(gateway, DHCP)
        )
        where = (self._changes.mark, self._outer_port, gateway.vdom, free)
        return [Tenant(number, *where) for number in range(1, count + 1)]

    def _one(self, tenant: Tenant) -> SetUp:
        gateway = self._connect()
        changes = Changes(gateway, self._changes.journal, self._changes.mark)
        seconds: dict[Phrase, float] = {}
        try:
            for step, tables in tenant.steps.items():
                if self._stopped.is_set():
                    return SetUp(tenant, seconds, step)
                begun = transport.current.elapsed_s()
                try:
                    for path, rows in tables:
                        _put(changes, path, rows)
                except (AssertionError, Refused, GatewayLost) as error:
                    return SetUp(tenant, seconds, step, error)
                seconds[step] = transport.current.elapsed_s() - begun
            return SetUp(tenant, seconds)
        finally:
            gateway.close()


def _put(changes: Changes, path: str, rows: Sequence[dict]) -> None:
    """Create rows and read them back; for a single one, one call does."""
    if len(rows) > 1:
        changes.create_many(path, rows)
    else:
        changes.create(path, rows[0])
        changes.verify(path, rows)


def _free(gateway: FortiGate, path: str) -> int:
    """The first number above those of all rows of a table."""
    key = mkey_of(path)
    return max([0, *(row[key] for row in gateway.rows(path, format=key))]) + 1

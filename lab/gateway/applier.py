"""Brings the configuration into force, behind the answers of the API as on a FortiGate."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from lab.gateway.dataplane.intent.expiry import soonest_end

log = logging.getLogger(__name__)

_AGAIN_S = 5.0
"""After so many seconds what could not be put in force is tried again."""

Config = Mapping[str, Sequence[Mapping[str, Any]]]
Result = TypeVar("Result")


class DataPlane(Protocol):
    """What the gateway needs of its data plane."""

    def apply(self, config: Config, faults: Mapping[str, Mapping[str, Any]]) -> None:
        """Bring a configuration into force as a whole."""

    def policy_counters(self) -> dict[int, Any]:
        """Counters by policyid; 0 is the implicit deny."""

    def clear_counters(self, policyids: Sequence[int] | None = None) -> None:
        """Set counters to zero."""

    def lookup(self, srcintf: str, sourceip: str, protocol: int, dest: str,
               destport: int | None) -> tuple[int, str]:
        """The policy that a packet would meet, and its action."""

    def remote_users(self) -> Mapping[str, Any]:
        """Who is logged in to the SSL VPN."""

    def end_remote_users(self, index: int | None) -> bool:
        """End the session or tunnel of a number, or all; False where there is none."""

    def leases(self) -> Sequence[Any]:
        """The addresses that DHCP has given out."""

    def sessions(self, count: int) -> list[dict[str, Any]]:
        """Sessions at present."""

    def session_count(self) -> int:
        """Number of sessions at present."""

    def session_counts(self) -> tuple[int, int]:
        """Number of sessions at present, of IPv4 and of IPv6."""

    def routes(self) -> list[dict[str, Any]]:
        """The routing table."""

    def interfaces(self) -> dict[str, dict[str, Any]]:
        """Link state and counters by port."""

    def ipsec(self) -> Any:
        """The tunnels' connections and what they carried."""

    def reset_ipsec_counters(self, tunnel: str | None) -> None:
        """Set the bytes of one tunnel, or of all, to zero."""

    def end_ipsec(self, name: str) -> bool:
        """End all connections of a tunnel, or that of one dial-up peer."""

    def tunnel_up(self, tunnel: str, child: str) -> None:
        """Negotiate the keys of a phase 2 now."""

    def tunnel_down(self, tunnel: str, child: str) -> None:
        """Delete the keys of a phase 2."""

    def close(self) -> None:
        """Remove everything that was set."""


class Applier:
    """Calls the data plane from one thread, never twice at once.

    Changes that arrive while one is being applied are applied together next. While something is
    not in force it is tried again from time to time.

    Args:
        data_plane: what brings a configuration into force.
        snapshot: the configuration at this moment and the faults of the data plane.

    Attributes:
        plane: the data plane; to be called through `call` alone.
        last_error: what of the last configuration is not in force and why; None if all is.
    """

    def __init__(self, data_plane: DataPlane,
                 snapshot: Callable[[], tuple[Config, Mapping[str, Mapping[str, Any]]]]) -> None:
        self.plane = data_plane
        self._snapshot = snapshot
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="data-plane")
        self._changed = asyncio.Event()
        self._advanced = asyncio.Condition()
        self._wanted = 0
        self._applied = 0
        self._task: asyncio.Task[None] | None = None
        self._ends_s: float | None = None
        self.last_error: str | None = None

    def start(self) -> None:
        """Begin to apply."""
        self._task = asyncio.create_task(self._run())

    def request(self) -> int:
        """Ask that what is configured now comes into force; answers a number to wait for."""
        self._wanted += 1
        self._changed.set()
        return self._wanted

    async def settled(self, number: int | None = None) -> None:
        """Wait until a request, or all so far, were applied (or failed to be)."""
        number = self._wanted if number is None else number
        async with self._advanced:
            await self._advanced.wait_for(lambda: self._applied >= number)

    @property
    def is_settled(self) -> bool:
        """Whether everything that was asked for has been applied."""
        return self._applied >= self._wanted

    async def _run(self) -> None:
        while True:
            with suppress(TimeoutError):
                again_s = _soonest(self._ends_s, None if self.last_error is None else _AGAIN_S)
                await asyncio.wait_for(self._changed.wait(), again_s)
            self._changed.clear()
            number = self._wanted
            config, faults = self._snapshot()
            self._ends_s = soonest_end(config)
            if late := faults.get("applied-late"):
                await asyncio.sleep(float(late["seconds"]))
            try:
                await self.call(self.plane.apply, config, faults)
                self.last_error = None
            except Exception as error:  # the API lives on
                if self.last_error != str(error):
                    log.exception("The configuration is not in force as a whole.")
                self.last_error = str(error) or type(error).__name__
            async with self._advanced:
                self._applied = number
                self._advanced.notify_all()

    async def call(self, function: Callable[..., Result], *args: Any) -> Result:
        """Call a function of the data plane in its thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *args)

    async def stop(self) -> None:
        """Finish what is under way, then let the data plane remove what it set."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self.call(self.plane.close)
        self._thread.shutdown(wait=False)


def _soonest(*seconds: float | None) -> float | None:
    """The least of these; None where there is none."""
    return min((one for one in seconds if one is not None), default=None)

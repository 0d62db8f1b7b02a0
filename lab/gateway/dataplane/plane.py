"""The gateway's data plane: parts that each put their share of an intent in force."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from . import conntrack, links
from .compile import Config, compile_config
from .errors import DataPlaneError
from .faults import NOT_APPLIED, with_faults
from .firewall import Firewall
from .inspection_part import Inspection
from .intent import Intent
from .kernel import FORWARDING, SETTINGS, KernelSettings
from .lookup import Packet, look_up
from .proxy_part import WebProxy
from .queues import Queues
from .routing import Routing
from .usage import PolicyCounter, Usage

log = logging.getLogger(__name__)


class Part(Protocol):
    """One share of the data plane; more of them can be put in `DataPlane.parts`."""

    def apply(self, intent: Intent) -> None:
        """Go from what is in force to the intent; does nothing where nothing changed.

        Raises:
            DataPlaneError: it could not; the plane then applies the intent before again.
        """

    def close(self) -> None:
        """Remove everything the part set."""


class DataPlane:
    """Puts the gateway's configuration in force in the network namespace it runs in.

    Not for concurrent calls; any thread of the namespace may call.
    """

    def __init__(self, folder: Path) -> None:
        """Args: folder: the gateway's own folder, for parts that need files."""
        self.folder = folder
        self._settings = KernelSettings()
        self._inspection = Inspection(folder)
        self._firewall = Firewall(lambda: self._inspection.ports)
        # The firewall comes last: marks, addresses and ports that it names are there by then.
        self.parts: list[Part] = [
            Routing(),
            Queues(),
            self._inspection,
            WebProxy(folder),
            self._firewall,
        ]
        self._usage = Usage()
        self._configured: Intent | None = None
        self._in_force = Intent()

    def apply(self, config: Mapping[str, Sequence[Mapping]], faults: Mapping[str, Mapping]) -> None:
        """Put a configuration in force: the old rule set or the new one, never half.

        Args:
            config: CMDB path -> rows in the order of evaluation, with defaults filled in.
            faults: name -> parameters of the faults on; those of other rooms are ignored.

        Raises:
            DataPlaneError: it cannot be put in force; what was in force before is.
        """
        configured = self._configured if NOT_APPLIED in faults else None
        if configured is None:
            configured = _compiled(config)
        intent = with_faults(configured, faults)
        self._settings.set(SETTINGS)
        self._apply_parts(intent)
        self._settings.set(FORWARDING)
        self._configured, self._in_force = configured, intent

    def _apply_parts(self, intent: Intent) -> None:
        for index, part in enumerate(self.parts):
            try:
                part.apply(intent)
            except DataPlaneError:
                if self._configured is not None:
                    self._go_back(self.parts[: index + 1])
                raise

    def _go_back(self, parts: Sequence[Part]) -> None:
        for part in parts:
            try:
                part.apply(self._in_force)
            except DataPlaneError as error:
                log.error("The data plane could not go back to what was in force: %s", error)

    def policy_counters(self) -> dict[int, PolicyCounter]:
        """Counters of every policy of the configuration, and of the implicit deny as 0."""
        intent = self._in_force
        shown = [0, *(policy.id for policy in intent.policies if policy.configured)]
        if not intent.reports_counters:
            return {policyid: PolicyCounter() for policyid in shown}
        return self._usage.read(shown, self._firewall.counters(), conntrack.active_by_mark())

    def clear_counters(self, policyids: Sequence[int] | None = None) -> None:
        """Set the counters of some policies, or of all (0 included), back to zero."""
        if policyids is None:
            policyids = [0, *(policy.id for policy in self._in_force.policies)]
        self._firewall.clear_counters(policyids)

    def lookup(
        self, srcintf: str, sourceip: str, protocol: int, dest: str, destport: int | None
    ) -> tuple[int, str]:
        """Which policy a packet would meet by the rules really in force, faults included.

        Returns:
            The policyid, 0 for the implicit deny, and "accept" or "deny".
        """
        packet = Packet(srcintf, sourceip, protocol, dest, destport)
        try:
            return look_up(self._in_force, packet, links.outgoing)
        except ValueError as error:
            raise DataPlaneError(f"The policy lookup takes two IP addresses: {error}.") from None

    def sessions(self, count: int) -> list[dict]:
        """The first `count` sessions; see `conntrack.sessions` for their attributes."""
        return conntrack.sessions(count)

    def session_count(self) -> int:
        """Number of sessions in the table."""
        return conntrack.count()

    def routes(self) -> list[dict]:
        """The IPv4 routing table as `monitor/router/ipv4` shows it."""
        return links.routes()

    def interfaces(self) -> dict[str, dict]:
        """State and counters of the interfaces by name."""
        return links.interfaces()

    def close(self) -> None:
        """Remove everything that was set: forwarding ends first, then rules, queues, routes."""
        self._settings.restore()
        for part in reversed(self.parts):
            part.close()
        self._configured, self._in_force = None, Intent()


def _compiled(config: Config) -> Intent:
    try:
        return compile_config(config)
    except (KeyError, ValueError, TypeError) as error:
        raise DataPlaneError(
            f"The configuration holds a value that the data plane cannot read: {error}."
        ) from None

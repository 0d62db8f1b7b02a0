"""What the gateway is told for a scan: on each way one port of an endpoint is permitted."""

from __future__ import annotations

from collections.abc import Sequence

from gatepass.gateway.rules import ADDRESS, ADDRESS6, RuleSet, dotted
from gatepass.scenarios.leaks.ways import Side, Way

SERVICE = "firewall.service/custom"
_FIRST_POLICY = 30


class ScanRules:
    """The policies of a scan, in the place of all other test policies.

    Args:
        rules: the run's test policies.
        permitted: the TCP and UDP port that each of them permits.
    """

    def __init__(self, rules: RuleSet, permitted: int) -> None:
        self._rules = rules
        self._permitted = permitted
        self._made: set[str] = set()

    def put(self, ways: Sequence[Way]) -> list[int]:
        """Have them on the gateway.

        Returns:
            Their policyids, in the order of the pairs of ports.
        """
        rules, changes = self._rules, self._rules.changes
        rules.prepare()
        if not self._made:
            port = str(self._permitted)
            changes.create(
                SERVICE,
                {
                    "name": rules.named("scan"),
                    "tcp-portrange": port,
                    "udp-portrange": port,
                    "comment": rules.named("service"),
                },
            )
            self._made.add("scan")
        for side in dict.fromkeys(way.source for way in ways):
            self._addresses(side)
        pairs: dict[tuple[Side, Side], set[int]] = {}
        for way in ways:
            pairs.setdefault((way.source, way.target), set()).add(way.version)
        rules.clear()
        numbers = []
        for offset, ((source, target), versions) in enumerate(pairs.items()):
            policyid = rules.free_id(_FIRST_POLICY + offset)
            rules.add(self._row(policyid, source, target, versions))
            numbers.append(policyid)
        return numbers

    def _addresses(self, side: Side) -> None:
        changes = self._rules.changes
        for version, address in side.addresses.items():
            name = self._named(side, version)
            if name in self._made:
                continue
            if version == 4:
                subnet = dotted(f"{address}/32")
                changes.create(ADDRESS, {"name": name, "type": "ipmask", "subnet": subnet})
            else:
                changes.create(
                    ADDRESS6, {"name": name, "type": "ipprefix", "ip6": f"{address}/128"}
                )
            self._made.add(name)

    def _named(self, side: Side, version: int) -> str:
        return self._rules.named(f"at-{side.name}{'6' * (version == 6)}")

    def _row(self, policyid: int, source: Side, target: Side, versions: set[int]) -> dict:
        def members(side: Side, version: int) -> list[dict]:
            return [{"name": self._named(side, version)}] if version in versions else []

        return self._rules.test_row(
            policyid,
            nat=False,
            srcintf=[{"name": source.port}],
            dstintf=[{"name": target.port}],
            srcaddr=members(source, 4),
            dstaddr=members(target, 4),
            srcaddr6=members(source, 6),
            dstaddr6=members(target, 6),
            service=[{"name": self._rules.named("scan")}],
        )

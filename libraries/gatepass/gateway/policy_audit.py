"""What is wrong with a rule set as it is written, policy by policy.

Nothing is sent: what a policy does is found out by traffic. Here is looked for what no traffic
shows, or only by chance (Wool 2004, "A quantitative study of firewall configuration errors", counts
rules such as these in rule sets that were in use).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gatepass.gateway.address_objects import EVERY, names
from gatepass.gateway.boxes import Span, complement
from gatepass.gateway.policy_criteria import is_on
from gatepass.gateway.policy_services import ANY_SERVICE, is_narrowed, service_boxes
from gatepass.gateway.policy_table import PolicyTable
from gatepass.gateway.shadows import Shadows, spans_of

Row = Mapping[str, Any]
SHADOWED, OPEN, UNLOGGED, UNINSPECTED = "shadowed", "open", "unlogged", "uninspected"

INSPECTING = {
    "av-profile": "antivirus",
    "webfilter-profile": "web filter",
    "ips-sensor": "intrusion prevention",
    "application-list": "application control",
}
"""What a policy has to name where security services were bought, and what a reader calls it."""
TLS_INSPECTION = "ssl-ssh-profile"
_LOOKS_AT_NOTHING = ("", "no-inspection")


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with one policy.

    Attributes:
        policyid: of the policy.
        name: of the policy; may be empty.
        kind: SHADOWED, OPEN, UNLOGGED or UNINSPECTED.
        reason: why, as the rest of a sentence that begins with the policy.
    """

    policyid: int
    name: str
    kind: str
    reason: str

    @property
    def sentence(self) -> str:
        """The finding as a sentence."""
        return f"Policy {self.policyid}{f' “{self.name}”' if self.name else ''} {self.reason}."


@dataclass(frozen=True)
class Audit:
    """What came of reading a rule set.

    Attributes:
        looked_at: numbers of the policies that are switched on.
        findings: in the order of the policies.
        unread: policy -> why it could not be held against those before it.
        may_be_open: policy -> the attribute, not known here, that may keep it from being open to
            everything.
    """

    looked_at: tuple[int, ...]
    findings: tuple[Finding, ...]
    unread: Mapping[int, str]
    may_be_open: Mapping[int, str] = field(default_factory=dict)

    def of(self, kind: str) -> tuple[Finding, ...]:
        """The findings of one kind."""
        return tuple(one for one in self.findings if one.kind == kind)


def audit(
    table: PolicyTable,
    inspected: bool,
    profile_groups: Iterable[Row] = (),
) -> Audit:
    """Read a rule set, policy by policy.

    Args:
        table: as it was read from the gateway.
        inspected: whether security services were bought, so that each policy has to inspect.
        profile_groups: rows of ``firewall/profile-group``.
    """
    rows = [row for row in table.policies if is_on(row)]
    groups = {str(row.get("name")): row for row in profile_groups}
    shadows = Shadows(table, rows)
    findings, may_be_open = [], {}
    for row in rows:
        looked = {SHADOWED: shadows.of(row)}
        if row.get("action") == "accept":
            looked[OPEN] = _open(table, row)
            if looked[OPEN] and (unknown := table.criteria(row).unknown):
                may_be_open[int(row["policyid"])] = unknown[0]
                looked[OPEN] = ""
            looked[UNLOGGED] = _unlogged(row)
            looked[UNINSPECTED] = _uninspected(row, groups) if inspected else ""
        findings += [
            Finding(int(row["policyid"]), str(row.get("name") or ""), kind, reason)
            for kind, reason in looked.items()
            if reason
        ]
    numbers = tuple(int(row["policyid"]) for row in rows)
    return Audit(numbers, tuple(findings), shadows.unread, may_be_open)


# -- what one policy says of itself ----------------------------------------------------------


def _open(table: PolicyTable, row: Row) -> str:
    """Why a policy is open to everything; empty where it is not."""
    criteria = table.criteria(row)
    if criteria.narrowed or criteria.replaced:
        return ""
    for version, suffix in ((4, ""), (6, "6")):
        ends = [spans_of(table, row, f"{key}{suffix}", version) for key in ("srcaddr", "dstaddr")]
        if all(spans is not None and _is_whole(spans, EVERY[version][0]) for spans in ends) and (
            _any_service(table, row)
        ):
            ways = " to ".join(
                " and ".join(names(row.get(key))) or "nowhere" for key in ("srcintf", "dstintf")
            )
            return f"lets any address reach any address by any service over IPv{version} ({ways})"
    return ""


def _any_service(table: PolicyTable, row: Row) -> bool:
    if row.get("service-negate") == "enable":
        return False
    rows = [one for name in names(row.get("service")) for one in table.services(name) or ()]
    return any(ANY_SERVICE in service_boxes(one) and not is_narrowed(one) for one in rows)


def _unlogged(row: Row) -> str:
    """Why nothing is logged of what a policy lets through; empty where something is."""
    logged = row.get("logtraffic", "utm")
    if logged == "disable":
        return "logs nothing of what it lets through (logtraffic is disable)"
    if logged == "utm" and row.get("utm-status", "disable") != "enable":
        return "logs what its profiles find and has no profile, so it logs nothing (logtraffic utm)"
    return ""


def _uninspected(row: Row, groups: Mapping[str, Row]) -> str:
    """Which ordered inspection a policy lacks; empty where it lacks none."""
    if row.get("utm-status", "disable") != "enable":
        return "inspects nothing, although security services were ordered (utm-status is disable)"
    profiles = row
    if row.get("profile-type") == "group":
        profiles = groups.get(str(row.get("profile-group")), {})
    lacking = [what for key, what in INSPECTING.items() if not profiles.get(key)]
    if str(profiles.get(TLS_INSPECTION) or "") in _LOOKS_AT_NOTHING:
        lacking.append("inspection of TLS")
    return f"lets traffic through without {' and '.join(lacking)}" if lacking else ""


def _is_whole(spans: Sequence[Span], whole: Span) -> bool:
    return bool(spans) and not complement(spans, whole)

"""Rules about DoS policies: each has every anomaly that there is, most of them off."""

from __future__ import annotations

from typing import Any

from lab.gateway.errors import BAD_VALUE, CmdbError, bad_value, missing
from lab.gateway.schema.model import Row, View
from lab.gateway.schema.rules.registry import check, complete

THRESHOLDS = {
    "tcp_syn_flood": 2000,
    "tcp_port_scan": 1000,
    "tcp_src_session": 5000,
    "tcp_dst_session": 5000,
    "udp_flood": 2000,
    "udp_scan": 2000,
    "udp_src_session": 5000,
    "udp_dst_session": 5000,
    "icmp_flood": 250,
    "icmp_sweep": 100,
    "icmp_src_session": 300,
    "icmp_dst_session": 1000,
    "ip_src_session": 5000,
    "ip_dst_session": 5000,
    "sctp_flood": 2000,
    "sctp_scan": 1000,
    "sctp_src_session": 5000,
    "sctp_dst_session": 5000,
}
"""The anomalies in the device's order, each with its threshold unless another is told."""


@complete("firewall/DoS-policy")
def _with_all_anomalies(row: Row, view: View) -> Row:
    """With those that were not told, off."""
    told = {one["name"]: one for one in row["anomaly"]}
    for name in told:
        if name not in THRESHOLDS:
            raise bad_value("anomaly", name, " ".join(THRESHOLDS))
    row["anomaly"] = [_whole(name, told.get(name, {})) for name in THRESHOLDS]
    return row


def _whole(name: str, told: dict[str, Any]) -> dict[str, Any]:
    threshold = THRESHOLDS[name]
    off = {
        "name": name,
        "q_origin_key": name,
        "status": "disable",
        "log": "disable",
        "action": "pass",
        "quarantine": "none",
        "quarantine-expiry": "5m",
        "quarantine-log": "disable",
    }
    return off | told | {
        "threshold": told.get("threshold") or threshold,
        "threshold(default)": threshold,
    }


@check("firewall/DoS-policy")
def _dos_policy(row: Row, view: View) -> None:
    for needed in ("interface", "srcaddr", "dstaddr", "service"):
        if not row[needed]:
            raise missing(needed)
    for one in row["anomaly"]:
        if one["status"] == "enable" and one["quarantine"] != "none":
            raise CmdbError(BAD_VALUE, f"quarantine of anomaly {one['name']}: not in this lab.")

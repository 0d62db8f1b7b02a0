"""DoS policies as rules: before address translation and all policies, after the session table.

Each anomaly keeps a set of hosts, of senders or of receivers. By rate a host has a bucket of
tokens, as many a second as its threshold says and a second's worth at most: what comes beyond is
dropped. That is what FortiOS calls the anomaly mode `periodical`; its `continuous` lets less pass.
By sessions the kernel counts those that there are.
"""

from __future__ import annotations

from lab.gateway.dataplane.intent.floods import Anomaly, DosPolicy
from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.nft.matching import Matcher, content_name

_SYN = "tcp flags & (fin | syn | rst | ack) == syn"
_PACKETS = {
    "tcp_syn_flood": _SYN,
    "tcp_port_scan": _SYN,
    "udp_flood": "meta l4proto udp",
    "udp_scan": "ct state new meta l4proto udp",
    "icmp_flood": "meta l4proto icmp",
    "icmp_sweep": "ct state new meta l4proto icmp",
    "sctp_flood": "meta l4proto sctp",
    "sctp_scan": "ct state new meta l4proto sctp",
}
"""What of each counts by rate."""
_BY_SOURCE = ("_scan", "_sweep", "_src_session")
_SESSIONS = "_session"
_ROOM = 65535


def flood_rules(intent: Intent, matcher: Matcher) -> tuple[list[str], dict[str, list[str]]]:
    """The rules that lead to the policies' chains, and these chains by their names.

    Args:
        intent: with the faults in it.
        matcher: collects sets.
    """
    jumps: list[str] = []
    chains: dict[str, list[str]] = {}
    for policy in intent.floods if intent.heeds_floods else ():
        texts = [_rule(intent, matcher, policy, one) for one in policy.anomalies]
        name = content_name("floods", [str(policy.id), *texts])
        chains[name] = texts
        where = matcher.interfaces(policy.selects.srcintf, ())
        jumps += [f"{where} {text} goto {name}" for text in matcher.sessions(policy.selects)]
    return jumps, chains


def _rule(intent: Intent, matcher: Matcher, policy: DosPolicy, anomaly: Anomaly) -> str:
    """What drops the packets beyond the threshold."""
    by_source = anomaly.name.endswith(_BY_SOURCE)
    host = "saddr" if by_source is not intent.mixes_up_hosts else "daddr"
    by_sessions = anomaly.name.endswith(_SESSIONS)
    name = content_name("hosts", [str(policy.id), anomaly.name, str(anomaly.threshold)])
    expires = "" if by_sessions else ",timeout; timeout 10s"
    matcher.sets[name] = f"{{ type ipv4_addr; size {_ROOM}; flags dynamic{expires}; }}"
    if by_sessions:
        protocol = anomaly.name.split("_")[0]
        what = "ct state new" + ("" if protocol == "ip" else f" meta l4proto {protocol}")
        return f"{what} add @{name} {{ ip {host} ct count over {anomaly.threshold} }} drop"
    rate = f"limit rate over {anomaly.threshold}/second burst {anomaly.threshold} packets"
    return f"{_PACKETS[anomaly.name]} update @{name} {{ ip {host} {rate} }} drop"

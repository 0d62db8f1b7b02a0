"""Rules that hand sessions to the inspector, and that count and shape what it sends.

How an inspected session goes:

1. `inspection`, after destination NAT, holds the first packet against the policies in their order.
   Where the policy has this port inspected, the session gets the policyid as its mark, counts as a
   hit, and goes to the inspector's socket (TPROXY) instead of through `forward`. Without an
   inspector there is no socket, and the packet ends there: inspection fails closed.
2. Further packets of either half find the inspector's sockets (`socket transparent`) and stay here.
   `inspected` counts the first half for the policy, as `forward` does for others, and ends sessions
   whose policy is gone.
3. The second half gets the policyid as its mark until address translation has seen it, then one
   mark that counts for no policy. So the server sees the address that it would see otherwise.
4. Shapers apply to both halves where they leave.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lab.gateway.dataplane.intent.inspection import Inspected
from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.nft.matching import Matcher
from lab.gateway.dataplane.nft.shaping import ShaperClasses
from lab.gateway.dataplane.nft.translation import ids_in_set
from lab.inspector.marks import CLIENT_LEG, KIND, PLAIN_LEG, SERVER_LEG, SERVER_LEG_SESSION, slots

BASE_CHAINS = {
    "inspection": "type filter hook prerouting priority dstnat + 10; policy accept;",
    "inspector_sends": "type filter hook output priority mangle; policy accept;",
    "inspector_shaping": "type filter hook postrouting priority srcnat - 10; policy accept;",
    "inspector_sent": "type filter hook postrouting priority srcnat + 10; policy accept;",
}
PLAIN_CHAINS = (
    "inspection_policies",
    "inspection_vip_policies",
    "to_inspector",
    "inspected",
    "inspector_shapers",
)
MAPS = {
    "ftp_data4": "{ type ipv4_addr . ipv4_addr . inet_service : mark; flags timeout; }",
    "ftp_data6": "{ type ipv6_addr . ipv6_addr . inet_service : mark; flags timeout; }",
}
"""Filled by the inspector with the FTP data connections that it expects."""


def _is(kind: int) -> str:
    return f"meta mark & {KIND:#x} == {kind:#x}"


def inspection_chains(
    intent: Intent,
    inspecting: Mapping[int, Inspected],
    policies: list[str],
    vip_policies: list[str],
    ports: tuple[int, int],
) -> dict[str, list[str]]:
    """The rules of all these chains but the shapers'; empty where nothing is inspected.

    Args:
        intent: with the faults in it.
        inspecting: what is inspected, by policyid.
        policies: rules of the policies for sessions without a virtual address.
        vip_policies: and for those with one.
        ports: where the inspector listens, for IPv4 and IPv6.
    """
    if not inspecting:
        return {name: [] for name in (*BASE_CHAINS, *PLAIN_CHAINS)}
    slot = slots(list(inspecting))
    return {
        "inspection": [
            "meta l4proto != tcp accept",
            # Not the first packet of a session whose ports another has just left: a socket that
            # only waits for its time to end would not take it, but gives way to TPROXY.
            f"tcp flags & (syn | ack) != syn socket transparent 1 "
            f"meta mark set {CLIENT_LEG:#x} accept",
            "ct state != new accept",
            f"ct mark {ids_in_set(inspecting)} goto to_inspector",
            *_expected_data(slot),
            # what was expected under a policy that is inspected no more goes where others go
            f"{_is(CLIENT_LEG)} meta mark set 0x0",
            "fib daddr type local accept",
            "ct status & dnat == dnat jump inspection_vip_policies",
            "ct status & dnat != dnat jump inspection_policies",
        ],
        "inspection_policies": policies,
        "inspection_vip_policies": vip_policies,
        "to_inspector": _to_inspector(slot, ports),
        "inspected": _inspected(intent),
        "inspector_sends": _inspector_sends(intent, slot),
        "inspector_sent": [f"{_is(SERVER_LEG)} ct mark set {SERVER_LEG_SESSION:#x}"],
    }


def _pairs(pairs: Iterable[tuple[object, object]]) -> str:
    return "{ " + ", ".join(f"{key} : {value}" for key, value in pairs) + " }"


def _expected_data(slot: Mapping[int, int]) -> list[str]:
    policy = _pairs((f"{CLIENT_LEG | number:#x}", policyid) for policyid, number in slot.items())
    return [
        f"meta mark set {family} saddr . {family} daddr . tcp dport map @ftp_data{version} "
        f"ct mark set meta mark map {policy} add @hits {{ ct mark }} goto to_inspector"
        for family, version in (("ip", 4), ("ip6", 6))
    ]


def _to_inspector(slot: Mapping[int, int], ports: tuple[int, int]) -> list[str]:
    marks = _pairs((policyid, f"{CLIENT_LEG | number:#x}") for policyid, number in slot.items())
    return [
        f"meta mark set ct mark map {marks}",
        f"meta nfproto ipv4 meta l4proto tcp tproxy ip to 127.0.0.1:{ports[0]} accept",
        f"meta nfproto ipv6 meta l4proto tcp tproxy ip6 to [::1]:{ports[1]} accept",
        "drop",
    ]


def _accepting(intent: Intent) -> str:
    return ids_in_set(policy.id for policy in intent.in_force if policy.accept)


def _inspected(intent: Intent) -> list[str]:
    return [
        f"ct mark {SERVER_LEG_SESSION:#x} accept",
        "ct state new accept",  # counted as the hit
        f"ct mark {_accepting(intent)} add @traffic {{ ct mark }} accept",
        "drop",
    ]


def _inspector_sends(intent: Intent, slot: Mapping[int, int]) -> list[str]:
    policy = _pairs((f"{SERVER_LEG | number:#x}", policyid) for policyid, number in slot.items())
    return [
        f"{_is(SERVER_LEG)} ct state new ct mark set meta mark map {policy}",
        f"{_is(PLAIN_LEG)} ct mark set {SERVER_LEG_SESSION:#x}",
        f"{_is(CLIENT_LEG)} ct mark {_accepting(intent)} add @traffic {{ ct mark }}",
    ]


def local_in_rule() -> str:
    """What of the packets to the gateway itself belongs to the inspector."""
    return f"{_is(CLIENT_LEG)} goto inspected"


def shaping_chains(
    intent: Intent, inspecting: Iterable[int], classes: ShaperClasses, matcher: Matcher
) -> dict[str, list[str]]:
    """The chains of the shapers for what the inspector sends, by where it leaves."""
    slot = slots(list(inspecting))
    if not slot:
        return {"inspector_shaping": [], "inspector_shapers": []}
    rules = list(classes.marking_rules(intent, matcher, arriving=False))
    elements = []
    for policy in intent.in_force:
        classid = classes.classid(intent, policy.shaper, f"policy {policy.id}")
        if policy.id in slot and classid:
            elements.append((f"{SERVER_LEG | slot[policy.id]:#x}", classid))
    if elements:
        # The second half has the policy's mark no longer.
        rules.append(f"meta priority set meta mark map {_pairs(elements)}")
    ours = [f"{_is(kind)} jump inspector_shapers" for kind in (CLIENT_LEG, SERVER_LEG, PLAIN_LEG)]
    return {"inspector_shaping": ours, "inspector_shapers": rules}

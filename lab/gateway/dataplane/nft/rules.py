"""The rule text for an intent.

What single hosts may send is looked at before all policies (`hosts`). How a packet goes through the
`forward` chain:

1. A session carries the policyid of the policy that let it in as its conntrack mark. A packet
   whose mark is that of a policy in force is counted for it, in either direction, and passes. One
   hash look-up finds the policy, whatever the number of policies.
2. Everything else is a first packet, or belongs to a session whose policy is gone, disabled, or
   denies now: it is held against the policies in their order. So a session without a policy
   ends, unless another policy lets it through, as FortiOS does with sessions marked dirty.
3. Sessions that a virtual address has translated are seen only by the policies that name the
   virtual address (and by deny policies with match-vip).
4. Sessions that are to be inspected do not come here at all, see `inspection_rules`.
5. What is left is the implicit deny's, counted as policy 0.

The policies stand in chains of about a hundred, cut after policyids that are multiples of 100 and
where the interfaces change, and named after their content: a change loads only the chains that it
touches, and the interfaces are compared once a chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lab.gateway.dataplane.intent.inspection import Inspected
from lab.gateway.dataplane.intent.model import Intent, Policy, Vip
from lab.gateway.dataplane.intent.ranges import EVERY_ADDRESS, address_elements
from lab.gateway.dataplane.intent.table import SessionTable
from lab.gateway.dataplane.nft import hosts, leaving
from lab.gateway.dataplane.nft import inspection as inspection_rules
from lab.gateway.dataplane.nft.floods import flood_rules
from lab.gateway.dataplane.nft.leaks import before_reassembly, forward_rules
from lab.gateway.dataplane.nft.localin import local_in_policy_rules, local_in_rules
from lab.gateway.dataplane.nft.matching import Matcher, content_name
from lab.gateway.dataplane.nft.sessions import session_fault_rules, session_limit_rules
from lab.gateway.dataplane.nft.shaping import ShaperClasses
from lab.gateway.dataplane.nft.translation import (
    destination_nat_rules,
    ids_in_set,
    source_nat_rules,
)

CHUNK = 100

BASE_CHAINS = {
    # before the kernel puts fragments together (priority -400), which it does for the session table
    "before_reassembly": "type filter hook prerouting priority -450; policy accept;",
    "floods": "type filter hook prerouting priority -160; policy accept;",
    "local_in": "type filter hook input priority filter; policy drop;",
    "forward": "type filter hook forward priority filter; policy drop;",
    "shaping": "type filter hook forward priority filter + 10; policy accept;",
    "destination_nat": "type nat hook prerouting priority dstnat; policy accept;",
    "source_nat": "type nat hook postrouting priority srcnat; policy accept;",
    **hosts.BASE_CHAINS,
    **inspection_rules.BASE_CHAINS,
    **leaving.BASE_CHAINS,
}
PLAIN_CHAINS = (
    *("permitted", "denied", "policies", "vip_policies", "local_in_policies"),
    *hosts.PLAIN_CHAINS,
    *inspection_rules.PLAIN_CHAINS,
)
"""Chains that are always there and that no hook leads to."""


@dataclass(slots=True)
class Ruleset:
    """A rule set ready to be loaded.

    Attributes:
        base: rules of the chains that are always there and are written anew each time.
        chains: rules of chains named after their content.
        sets: definitions of sets named after their content.
        timeouts: definitions of times after which sessions end.
        marks: policyids that keep their counters.
    """

    base: dict[str, list[str]] = field(default_factory=dict)
    chains: dict[str, list[str]] = field(default_factory=dict)
    sets: dict[str, str] = field(default_factory=dict)
    timeouts: dict[str, str] = field(default_factory=dict)
    marks: frozenset[int] = frozenset()


def render(
    intent: Intent, classes: ShaperClasses, inspector_ports: tuple[int, int] = (1, 1)
) -> Ruleset:
    """Write the rule set for an intent.

    Args:
        intent: with the faults in it.
        classes: where each shaper's queues are.
        inspector_ports: where the inspector listens, for IPv4 and IPv6.
    """
    rules, matcher = Ruleset(), Matcher()
    in_force, inspecting = intent.in_force, intent.inspecting
    floods, rules.chains = flood_rules(intent, matcher)
    rules.base = {
        "floods": floods,
        "before_reassembly": [*_ban_rules(intent), *before_reassembly(intent.leaks)],
        **hosts.host_chains(intent),
        "local_in": local_in_rules(intent),
        "local_in_policies": local_in_policy_rules(intent.local_in, matcher),
        "permitted": [
            *_room_rules(intent.table),
            *session_limit_rules(intent.session_faults),
            *_timer_rules(rules, in_force, matcher),
            "add @hits { ct mark } accept",
        ],
        "denied": ["add @hits { ct mark } drop"],
        "policies": _in_chunks(rules, matcher, in_force, _policy_rules),
        "vip_policies": _in_chunks(rules, matcher, _about_vips(in_force), _vip_policy_rules),
        "forward": [
            *session_fault_rules(intent.session_faults, matcher),
            *_forward_rules(intent, in_force),
        ],
        "shaping": list(classes.marking_rules(intent, matcher)),
        "leaving": leaving.leaving_rules(intent),
        "destination_nat": destination_nat_rules(intent.vips, matcher),
        "source_nat": source_nat_rules(in_force, intent.pools, matcher),
    }
    before = _up_to_the_last(in_force, inspecting)
    chosen = _Inspection(inspecting)
    rules.base |= inspection_rules.inspection_chains(
        intent,
        inspecting,
        _in_chunks(rules, matcher, before, chosen.policy_rules, arriving=True),
        _in_chunks(rules, matcher, _about_vips(before), chosen.vip_policy_rules, arriving=True),
        inspector_ports,
    )
    rules.base |= inspection_rules.shaping_chains(intent, inspecting, classes, matcher)
    rules.sets = matcher.sets
    rules.marks = frozenset({0, *(policy.id for policy in intent.policies)})
    return rules


def _ban_rules(intent: Intent) -> list[str]:
    """What drops the packets of hosts that are cut off, before all else, also of open sessions."""
    if not intent.heeds_bans:
        return []
    return ["ip saddr @banned4 drop", "ip6 saddr @banned6 drop"]


def _room_rules(table: SessionTable) -> list[str]:
    """What refuses sessions that a policy permits, as there is no room for them."""
    return [] if table.room is None else [f"ct count over {table.room} drop"]


def _forward_rules(intent: Intent, in_force: Sequence[Policy]) -> list[str]:
    rules = forward_rules(intent.leaks)
    limited = intent.table.room is not None
    if limited and intent.table.ends:
        rules.append("ct state established drop")
    if intent.loss_percent:
        # Counts packets as they come: a TCP super-packet made by offloading is one of them.
        rules.append(f"numgen random mod 100000 < {round(intent.loss_percent * 1000)} drop")
    if intent.mss:
        rules.append(f"tcp flags & syn == syn tcp option maxseg size set {intent.mss}")
    accepting = [policy.id for policy in in_force if policy.accept]
    if accepting:
        rules.append(f"ct mark {ids_in_set(accepting)} add @traffic {{ ct mark }} accept")
    return [
        *rules,
        "ct state invalid drop",
        # The way back says nothing of who asked: wait for a packet that goes the session's way.
        "ct direction reply drop",
        "ct status & dnat == dnat jump vip_policies",
        "ct status & dnat != dnat jump policies",
        _implicit_verdict(intent, limited and intent.table.opens),
    ]


def _implicit_verdict(intent: Intent, opens: bool) -> str:
    if opens:
        return "accept"
    return "ct mark set 0 goto denied" if intent.counts_implicit_deny else "drop"


def _timer_rules(rules: Ruleset, in_force: Iterable[Policy], matcher: Matcher) -> Iterator[str]:
    """What gives a new session of UDP a time of its own after which it ends when idle; IPv4."""
    for policy in in_force:
        for match, seconds in policy.udp_idle:
            name = f"udp_idle_{seconds}"
            rules.timeouts[name] = (
                f"{{ protocol udp; l3proto ip; "
                f"policy = {{ unreplied : {seconds}, replied : {seconds} }}; }}"
            )
            (service,) = matcher.services([match])
            yield f'ct mark {policy.id} meta nfproto ipv4 {service} ct timeout set "{name}"'


def _about_vips(policies: Iterable[Policy]) -> list[Policy]:
    return [policy for policy in policies if policy.vips or policy.denies_vips]


def _up_to_the_last(policies: Sequence[Policy], inspecting: Mapping[int, Inspected]) -> list:
    """The policies as far as they decide which sessions are inspected."""
    last = max((at for at, policy in enumerate(policies) if policy.id in inspecting), default=-1)
    return list(policies[: last + 1])


def _in_chunks(
    rules: Ruleset, matcher: Matcher, policies: Sequence[Policy], write, arriving: bool = False
) -> list[str]:
    """Put the policies into chains of some hundred; returns the rules that lead to them.

    Args:
        rules: takes the chains.
        matcher: collects sets.
        policies: in the order of evaluation.
        write: makes the rules of one policy.
        arriving: whether the packets have not been routed yet.
    """
    jumps = []
    for chunk in _chunks(policies):
        texts = [text for policy in chunk for text in write(rules, matcher, policy)]
        if texts:
            name = content_name("run", texts)
            rules.chains[name] = texts
            selects = chunk[0].selects
            where = matcher.interfaces(selects.srcintf, selects.dstintf)
            if arriving:
                where = where.replace("oifname", "fib daddr oifname")
            jumps.append(f"{where} jump {name}".strip())
    return jumps


def _chunks(policies: Sequence[Policy]) -> Iterator[list[Policy]]:
    chunk: list[Policy] = []
    for policy in policies:
        if chunk and (
            chunk[-1].id % CHUNK == 0
            or chunk[0].selects.srcintf != policy.selects.srcintf
            or chunk[0].selects.dstintf != policy.selects.dstintf
        ):
            yield chunk
            chunk = []
        chunk.append(policy)
    if chunk:
        yield chunk


def _policy_rules(rules: Ruleset, matcher: Matcher, policy: Policy) -> list[str]:
    return _ending(rules, matcher, policy, matcher.sessions(policy.selects), _verdict(policy))


def _vip_policy_rules(rules: Ruleset, matcher: Matcher, policy: Policy) -> list[str]:
    return _ending(rules, matcher, policy, _vip_sessions(matcher, policy), _verdict(policy))


class _Inspection:
    """Rules that choose the sessions to inspect, in the place of those that let them pass."""

    def __init__(self, inspecting: Mapping[int, Inspected]) -> None:
        self._inspecting = inspecting

    def policy_rules(self, rules: Ruleset, matcher: Matcher, policy: Policy) -> list[str]:
        return self._ending(rules, matcher, policy, matcher.sessions(policy.selects))

    def vip_policy_rules(self, rules: Ruleset, matcher: Matcher, policy: Policy) -> list[str]:
        return self._ending(rules, matcher, policy, _vip_sessions(matcher, policy))

    def _ending(
        self, rules: Ruleset, matcher: Matcher, policy: Policy, expressions: Sequence[str]
    ) -> list[str]:
        found = self._inspecting.get(policy.id)
        if found is None:
            return _ending(rules, matcher, policy, expressions, "accept")
        chosen = f"ct mark set {policy.id} add @hits {{ ct mark }} goto to_inspector"
        if found.every_port:
            return _ending(rules, matcher, policy, expressions, chosen)
        ports = ", ".join(map(str, sorted(found.ports)))
        texts = [f"tcp dport {{ {ports} }} {chosen}"] if ports else []
        name = content_name("inspect", [*texts, "accept"])
        rules.chains[name] = [*texts, "accept"]
        return _ending(rules, matcher, policy, expressions, f"goto {name}")


def _verdict(policy: Policy) -> str:
    return f"ct mark set {policy.id} goto {'permitted' if policy.accept else 'denied'}"


def _vip_sessions(matcher: Matcher, policy: Policy) -> list[str]:
    sources = policy.selects.sources.get(4) or ()
    if not sources:
        return []
    dests = [_translated_from(vip) for vip in policy.vips]
    if policy.denies_vips:
        dests += _external_dests(policy)
    return [
        text
        for dest in dests
        for text in matcher.translated(dest, sources, policy.selects.services)
    ]


def _ending(
    rules: Ruleset, matcher: Matcher, policy: Policy, expressions: Sequence[str], verdict: str
) -> list[str]:
    if policy.selects.except_services and expressions:
        # "Any service but these": a chain that returns for these.
        texts = [f"{text} return".strip() for text in matcher.services(policy.selects.services)]
        name = content_name("except", [*texts, verdict])
        rules.chains[name] = [*texts, verdict]
        verdict = f"jump {name}"
    return [
        " ".join(part for part in (member, text, verdict) if part)
        for member in matcher.members(policy.who)
        for text in expressions
    ]


def _translated_from(vip: Vip) -> str:
    text = f"ct original ip daddr {address_elements((vip.external,), 4)[0]}"
    if vip.external_ports:
        low, high = vip.external_ports
        span = f"{low}" if low == high else f"{low}-{high}"
        text += f" meta l4proto {vip.protocol} ct original proto-dst {span}"
    elif vip.protocol is not None:
        text += f" meta l4proto {vip.protocol}"
    return text


def _external_dests(policy: Policy) -> list[str]:
    dests = policy.selects.dests.get(4) or ()
    if dests == EVERY_ADDRESS[4]:
        return [""]
    return [f"ct original ip daddr {text}" for text in address_elements(dests, 4)]

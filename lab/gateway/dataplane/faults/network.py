"""The data plane's faults: what each changes in the intent.

A fault is one function from the intent (and the fault's parameters) to another intent. The rule
text and the policy lookup follow from the changed intent, so that a faulty gateway is as
consistent in its error as a wrongly built one would be.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lab.base.faults import FAULTS as CATALOGUE
from lab.gateway.dataplane.faults.classes import CLASS_FAULTS
from lab.gateway.dataplane.faults.dhcp import DHCP_FAULTS
from lab.gateway.dataplane.faults.impairment import IMPAIRMENT_FAULTS
from lab.gateway.dataplane.faults.sessions import SESSION_FAULTS
from lab.gateway.dataplane.faults.translation import TRANSLATION_FAULTS
from lab.gateway.dataplane.faults.vpn import VPN_FAULTS, Params
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.intent.countries import OVERRIDES
from lab.gateway.dataplane.intent.hosts import Bindings, SourceCheck
from lab.gateway.dataplane.intent.inspection import Inspected
from lab.gateway.dataplane.intent.model import Intent, Policy
from lab.gateway.dataplane.intent.ranges import EVERY_ADDRESS
from lab.gateway.dataplane.intent.signatures import EICAR_RULE
from lab.gateway.dataplane.intent.values import Port, Selector

NOT_APPLIED = "not-applied"
"""Changes are accepted and not put in force: the plane stays with the configuration it has."""

FORGOTTEN = "policies-forgotten"
"""After a restart no policy is in force, until the fault is gone."""

# Where the lab attaches its endpoints.
CLIENT_SIDE, SERVER_SIDE, MANAGEMENT = "port2", "port1", "mgmt"

# Marks of what is in force without a policy; FortiOS gives out no policyid as high as these.
DENY_ABOVE, ANY_ANY, ONE_WAY_OPEN, IPV6_OPEN = 0xFFFFFFF1, 0xFFFFFFF2, 0xFFFFFFF3, 0xFFFFFFF4


def _everything(srcintf: tuple[str, ...] = (), dstintf: tuple[str, ...] = ()) -> Selector:
    return Selector(srcintf, dstintf, sources=EVERY_ADDRESS, dests=EVERY_ADDRESS)


def _shaper_below_tier(intent: Intent, params: Params) -> Intent:
    factor = float(params["percent"]) / 100
    return replace(
        intent,
        shapers={
            name: replace(shaper, kbps=int(shaper.kbps * factor))
            for name, shaper in intent.shapers.items()
        },
    )


def _shaper_missing(intent: Intent, params: Params) -> Intent:
    return replace(intent, shapers={})


def _nat_not_applied(intent: Intent, params: Params) -> Intent:
    return replace(intent, policies=[replace(policy, nat=False) for policy in intent.policies])


def _nat_always(intent: Intent, params: Params) -> Intent:
    policies = [replace(policy, nat=policy.accept) for policy in intent.policies]
    return replace(intent, policies=policies)


def _policy_missing(intent: Intent, params: Params) -> Intent:
    policies = list(intent.policies)
    for index in range(len(policies) - 1, -1, -1):
        policy = policies[index]
        if policy.accept and policy.enabled and _serves_client_side(policy, intent.ports):
            policies[index] = replace(policy, enabled=False)
            break
    return replace(intent, policies=policies)


def _serves_client_side(policy: Policy, ports: Sequence[Port]) -> bool:
    """Whether a policy is for hosts of the network that the client is attached to.

    A policy for networks behind that one sees none of the lab's traffic, so nobody would notice
    that it is missing.
    """
    attached = [
        ipaddress.ip_interface(address).network
        for port in ports
        if port.name == CLIENT_SIDE
        for address in port.addresses
    ]
    return not attached or any(
        low <= int(network.broadcast_address) and int(network.network_address) <= high
        for network in attached
        for low, high in policy.selects.sources.get(network.version, ())
    )


def _deny_above(intent: Intent, params: Params) -> Intent:
    deny = Policy(
        DENY_ABOVE,
        _everything(srcintf=(CLIENT_SIDE,)),
        accept=False,
        denies_vips=True,
        configured=False,
    )
    return replace(intent, policies=[deny, *intent.policies])


def _any_any(intent: Intent, params: Params) -> Intent:
    permit = Policy(ANY_ANY, _everything(), configured=False)
    return replace(intent, policies=[*intent.policies, permit])


def _one_way_open(intent: Intent, params: Params) -> Intent:
    selects = _everything(srcintf=(SERVER_SIDE,), dstintf=(CLIENT_SIDE,))
    permit = Policy(ONE_WAY_OPEN, selects, configured=False)
    return replace(intent, policies=[*intent.policies, permit])


def _ipv6_open(intent: Intent, params: Params) -> Intent:
    only = {6: EVERY_ADDRESS[6]}
    permit = Policy(IPV6_OPEN, Selector((), (), sources=only, dests=only), configured=False)
    return replace(intent, policies=[*intent.policies, permit])


def _leak(intent: Intent, params: Params) -> Intent:
    return replace(intent, leaks=tuple(str(params["of"]).split("+")))


def _ban_ignored(intent: Intent, params: Params) -> Intent:
    return replace(intent, heeds_bans=False)


def _ban_stays(intent: Intent, params: Params) -> Intent:
    return replace(intent, ends_bans=False)


def _full_table_opens(intent: Intent, params: Params) -> Intent:
    return replace(intent, table=replace(intent.table, opens=True))


def _full_table_ends_sessions(intent: Intent, params: Params) -> Intent:
    return replace(intent, table=replace(intent.table, ends=True))


def _full_table_stays(intent: Intent, params: Params) -> Intent:
    return replace(intent, table=replace(intent.table, stays=True))


def _boots_open(intent: Intent, params: Params) -> Intent:
    """It shows before there is any intent: see `lab.gateway.__main__`."""
    return intent


def _flood_ignored(intent: Intent, params: Params) -> Intent:
    return replace(intent, heeds_floods=False)


def _flood_stops_neighbours(intent: Intent, params: Params) -> Intent:
    return replace(intent, mixes_up_hosts=True)


def _binding_ignored(intent: Intent, params: Params) -> Intent:
    return replace(intent, bindings=Bindings())


def _binding_stops_host(intent: Intent, params: Params) -> Intent:
    strays = tuple(pair.address for pair in intent.bindings.pairs if pair.address)
    return replace(intent, bindings=replace(intent.bindings, strays=strays))


def _source_check_ignored(intent: Intent, params: Params) -> Intent:
    return replace(intent, source_check=SourceCheck())


def _arp_entry_ignored(intent: Intent, params: Params) -> Intent:
    return replace(intent, neighbours=())


def _ipv6_not_forwarded(intent: Intent, params: Params) -> Intent:
    """No policy lets IPv6 pass, whatever it says; what denies IPv6 still does."""

    def without(policy: Policy) -> Policy:
        if not policy.accept:
            return policy
        sources = {version: spans for version, spans in policy.selects.sources.items()
                   if version != 6}
        return replace(policy, selects=replace(policy.selects, sources=sources))

    return replace(intent, policies=[without(policy) for policy in intent.policies])


def _packet_loss(intent: Intent, params: Params) -> Intent:
    return replace(intent, loss_percent=float(params["percent"]))


def _mss_small(intent: Intent, params: Params) -> Intent:
    return replace(intent, mss=int(params["bytes"]))


def _gateway_cpu_busy(intent: Intent, params: Params) -> Intent:
    """TCP goes through a process, as nobody can take the processor from the kernel's forwarding.

    It holds itself to what it would get: where it really waited for one of the processors that
    all nodes share, the endpoints would wait as well, and what they see would be the rig's.
    """
    slow = _inspector(busy=True, mbps=float(params["mbps"]))
    return slow(_by_process(intent, intent.policies), params)


def _large_ruleset_slow(intent: Intent, params: Params) -> Intent:
    """Sessions of policies far down go through a process: the rules themselves are never slow."""
    behind = intent.in_force[int(params["policies"]) :]
    if not behind:
        return intent
    intent = _by_process(intent, behind)
    return _inspector(mbps=float(params["mbps"]))(intent, params)


def _by_process(intent: Intent, policies: Sequence[Policy]) -> Intent:
    """The sessions of these policies are forwarded by a process, not by the kernel."""
    nothing = Inspected({})
    slow = {
        policy.id: replace(intent.inspected.get(policy.id, nothing), by_process=True)
        for policy in policies
        if policy.accept
    }
    return replace(intent, inspected={**intent.inspected, **slow})


def _counters_zero(intent: Intent, params: Params) -> Intent:
    return replace(intent, reports_counters=False)


def _implicit_deny_uncounted(intent: Intent, params: Params) -> Intent:
    return replace(intent, counts_implicit_deny=False)


def _disabled_policy_active(intent: Intent, params: Params) -> Intent:
    return replace(intent, policies=[replace(policy, enabled=True) for policy in intent.policies])


def _order_reversed(intent: Intent, params: Params) -> Intent:
    return replace(intent, policies=list(reversed(intent.policies)))


def _http_open(intent: Intent, params: Params) -> Intent:
    """Lets plain HTTP reach the REST API, which is what answers there under this fault."""
    return _allowing(intent, MANAGEMENT, "http")


def _gui_on_customers_port(intent: Intent, params: Params) -> Intent:
    """Lets HTTPS in at a port that allows none; the web page listens there under this fault."""
    return _allowing(intent, str(params["port"]), "https")


def _allowing(intent: Intent, name: str, access: str) -> Intent:
    """One port answers what its configuration does not name."""

    def opened(port: Port) -> Port:
        if port.name != name:
            return port
        return replace(port, allowaccess=port.allowaccess | {access})

    return replace(intent, ports=[opened(port) for port in intent.ports])


def _anti_replay_ignored(intent: Intent, params: Params) -> Intent:
    return replace(intent, packet_checks=replace(intent.packet_checks, windows=False))


def _broadcasts_forwarded(intent: Intent, params: Params) -> Intent:
    checks = intent.packet_checks
    return replace(
        intent, packet_checks=replace(checks, broadcasts=dict.fromkeys(checks.broadcasts, True))
    )


def _services_not_applied(intent: Intent, params: Params) -> Intent:
    return replace(intent, inspected={})


def _license_missing(intent: Intent, params: Params) -> Intent:
    """What comes by a licence is gone; lists of URLs and signatures of one's own need none."""
    function = params["function"]

    def left(found: Inspected) -> Inspected:
        profiles = dict(found.profiles)
        if function in ("antivirus", "all"):
            profiles.pop("antivirus", None)
        if function in ("ips", "all") and (sensor := profiles.pop("sensor", None)):
            own = [rule for rule in sensor["rules"] if rule["id"] != EICAR_RULE]
            profiles |= {"sensor": sensor | {"rules": own}} if own else {}
        return replace(found, profiles=profiles)

    kept = {number: left(found) for number, found in intent.inspected.items()}
    return replace(
        intent, inspected={number: found for number, found in kept.items() if found.profiles}
    )


def _inspector(**how: Any) -> Callable[[Intent, Params], Intent]:
    def change(intent: Intent, params: Params) -> Intent:
        return replace(intent, inspector=replace(intent.inspector, **how))

    return change


def _inspector_dead_open(intent: Intent, params: Params) -> Intent:
    return _services_not_applied(_inspector(runs=False)(intent, params), params)


def _proxy_not_applied(intent: Intent, params: Params) -> Intent:
    inspected = {
        number: replace(found, buffering={}) for number, found in intent.inspected.items()
    }
    return replace(intent, inspected=inspected)


def _file_filter_not_ftp(intent: Intent, params: Params) -> Intent:
    def without(rule: Mapping[str, Any]) -> dict[str, Any]:
        return {**rule, "protocols": [name for name in rule["protocols"] if name != "FTP"]}

    def change(profiles: Mapping[str, Any]) -> dict[str, Any]:
        files = profiles.get("files")
        if not files:
            return dict(profiles)
        return {**profiles, "files": {**files, "rules": list(map(without, files["rules"]))}}

    inspected = {
        number: replace(found, profiles=change(found.profiles))
        for number, found in intent.inspected.items()
    }
    return replace(intent, inspected=inspected)


def _webfilter_not_by_proxy(intent: Intent, params: Params) -> Intent:
    def left(found: Inspected) -> Inspected:
        kept = {key: value for key, value in found.profiles.items() if key != "webfilter"}
        return replace(found, profiles=kept) if found.buffering else found

    inspected = {number: left(found) for number, found in intent.inspected.items()}
    return replace(intent, inspected=inspected)


def _countries_unknown(intent: Intent, params: Params) -> Intent:
    """What the configuration says of where addresses lie is not heeded."""
    config = {**intent.config, OVERRIDES: ()}
    return replace(intent, policies=compile_config(config).policies)


def _inspection_slow(intent: Intent, params: Params) -> Intent:
    return _inspector(mbps=float(params["mbps"]))(intent, params)


def _small_objects_slow(intent: Intent, params: Params) -> Intent:
    return _inspector(object_ms=float(params["milliseconds"]))(intent, params)


def _proxy_open(intent: Intent, params: Params) -> Intent:
    return replace(intent, proxy=replace(intent.proxy, rules=(), accepts_rest=True))


def _proxy_refuses_half(intent: Intent, params: Params) -> Intent:
    return replace(intent, proxy=replace(intent.proxy, users=int(params["users"])))


def _proxy_mixes_answers(intent: Intent, params: Params) -> Intent:
    return replace(intent, proxy=replace(intent.proxy, mixes=max(int(params["every"]), 1)))


# In the order in which they take effect: what turns policies over comes before what is put above
# or below all of them.
FAULTS: dict[str, Callable[[Intent, Params], Intent]] = {
    "countries-unknown": _countries_unknown,
    "disabled-policy-active": _disabled_policy_active,
    "policy-missing": _policy_missing,
    "order-reversed": _order_reversed,
    "nat-not-applied": _nat_not_applied,
    "nat-always": _nat_always,
    "deny-above": _deny_above,
    "any-any": _any_any,
    "one-way-open": _one_way_open,
    "leak": _leak,
    "ban-ignored": _ban_ignored,
    "ban-stays": _ban_stays,
    "boots-open": _boots_open,
    "full-table-opens": _full_table_opens,
    "full-table-ends-sessions": _full_table_ends_sessions,
    "full-table-stays": _full_table_stays,
    "flood-ignored": _flood_ignored,
    "flood-stops-neighbours": _flood_stops_neighbours,
    "binding-ignored": _binding_ignored,
    "binding-stops-host": _binding_stops_host,
    "source-check-ignored": _source_check_ignored,
    "arp-entry-ignored": _arp_entry_ignored,
    "anti-replay-ignored": _anti_replay_ignored,
    "broadcasts-forwarded": _broadcasts_forwarded,
    **TRANSLATION_FAULTS,
    "ipv6-not-forwarded": _ipv6_not_forwarded,
    "ipv6-open": _ipv6_open,
    "shaper-below-tier": _shaper_below_tier,
    "shaper-missing": _shaper_missing,
    **CLASS_FAULTS,
    "packet-loss": _packet_loss,
    **SESSION_FAULTS,
    "mss-small": _mss_small,
    "counters-zero": _counters_zero,
    "implicit-deny-uncounted": _implicit_deny_uncounted,
    "http-open": _http_open,
    "gui-on-customers-port": _gui_on_customers_port,
    "license-missing": _license_missing,
    "services-not-applied": _services_not_applied,
    "webfilter-not-by-proxy": _webfilter_not_by_proxy,
    "proxy-not-applied": _proxy_not_applied,
    "signatures-empty": _inspector(signatures=False),
    "webfilter-blocks-all": _inspector(blocks_all=True),
    "download-altered": _inspector(alters=True),
    "inspection-slow": _inspection_slow,
    "small-objects-slow": _small_objects_slow,
    "file-filter-not-ftp": _file_filter_not_ftp,
    "large-ruleset-slow": _large_ruleset_slow,
    "gateway-cpu-busy": _gateway_cpu_busy,
    "log-lost": _inspector(logs=False),
    "inspector-dead-open": _inspector_dead_open,
    "proxy-open": _proxy_open,
    "proxy-refuses-half": _proxy_refuses_half,
    "proxy-mixes-answers": _proxy_mixes_answers,
    **DHCP_FAULTS,
    **VPN_FAULTS,
    **IMPAIRMENT_FAULTS,
}


def with_faults(intent: Intent, faults: Mapping[str, Params]) -> Intent:
    """The intent that a gateway with these faults carries out; other parts' faults are ignored."""
    for name, change in FAULTS.items():
        if name in faults:
            intent = change(intent, CATALOGUE[name].defaults | dict(faults[name] or {}))
    return intent

"""Faults of address translation, of local-in policies, and of sessions that stay too long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from lab.gateway.dataplane.faults.vpn import Params
from lab.gateway.dataplane.intent.model import Intent, Policy, Vip

VIP_STAYS = "vip-stays"
"""What was published stays so when it is taken out of the configuration."""


def published(intent: Intent) -> dict[int, Policy]:
    """The policies that name virtual addresses, by their numbers."""
    return {policy.id: policy for policy in intent.policies if policy.vips}


def still_published(intent: Intent, former: Mapping[int, Policy]) -> Intent:
    """With such policies of before that are not there any more, and their virtual addresses.

    Args:
        intent: of the configuration as it is.
        former: by their numbers.
    """
    there = {policy.id for policy in intent.policies}
    gone = [replace(one, configured=False) for number, one in former.items() if number not in there]
    known = {vip.name for vip in intent.vips}
    vips = {vip.name: vip for policy in gone for vip in policy.vips if vip.name not in known}
    return replace(
        intent, policies=[*gone, *intent.policies], vips=[*intent.vips, *vips.values()]
    )


def _each_vip(change: Callable[[Vip], Iterable[Vip]]) -> Callable[[Intent, Params], Intent]:
    """A fault that puts other virtual addresses in the place of each."""

    def changed(intent: Intent, params: Params) -> Intent:
        return replace(
            intent,
            vips=[one for vip in intent.vips for one in change(vip)],
            policies=[
                replace(policy, vips=tuple(one for vip in policy.vips for one in change(vip)))
                for policy in intent.policies
            ],
        )

    return changed


def _wrong_port(vip: Vip) -> Iterable[Vip]:
    if vip.mapped_port is None:
        return [vip]
    return [replace(vip, mapped_port=vip.mapped_port + 1)]


def _every_port(vip: Vip) -> Iterable[Vip]:
    """All other ports lead to the same host, each to its like."""
    if vip.external_ports is None:
        return [vip]
    return [vip, replace(vip, external_ports=None, mapped_port=None)]


def _from_outside(vip: Vip) -> Iterable[Vip]:
    return [replace(vip, interface="port1") if vip.interface is None else vip]


def _one_way(vip: Vip) -> Iterable[Vip]:
    return [replace(vip, hides_hosts=False)]


def _pool_ignored(intent: Intent, params: Params) -> Intent:
    return replace(intent, policies=[replace(policy, pools=()) for policy in intent.policies])


def _local_in_ignored(intent: Intent, params: Params) -> Intent:
    return replace(intent, local_in=())


def _idle_sessions_stay(intent: Intent, params: Params) -> Intent:
    return replace(intent, policies=[replace(policy, udp_idle=()) for policy in intent.policies])


TRANSLATION_FAULTS: dict[str, Callable[[Intent, Params], Intent]] = {
    "vip-wrong-port": _each_vip(_wrong_port),
    "vip-every-port": _each_vip(_every_port),
    "vip-not-from-inside": _each_vip(_from_outside),
    "vip-one-way": _each_vip(_one_way),
    "pool-ignored": _pool_ignored,
    "local-in-ignored": _local_in_ignored,
    "idle-sessions-stay": _idle_sessions_stay,
}

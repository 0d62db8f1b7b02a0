"""Whether a gateway is in a state to be tested. It is asked, and nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gatepass.base.finding import Finding
from gatepass.gateway import condition, policy_form, rights
from gatepass.gateway.answers import Malformed, Unanswered
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.own_state import own_state
from gatepass.inputs.scope import Scope

_POLICIES = "firewall/policy"


def look(gateway: FortiGate, scope: Scope) -> list[Finding]:
    """What its API user may do, and what of its configuration or state stands in the way.

    Args:
        gateway: the device.
        scope: what is to be tested.

    Raises:
        GatewayLost: it does not answer.
    """
    state = own_state(gateway)
    found = rights.look(gateway, scope, state)
    concerned = condition.of_the_gateway(scope)
    writing = policies_of(scope)

    def of_ports() -> Iterable[Finding]:
        rows = {str(row.get("name")): row for row in gateway.rows("system/interface")}
        return condition.ports(scope, rows, gateway.interfaces(), gateway.vdom)

    looks: list[Callable[[], Iterable[Finding]]] = [
        of_ports,
        lambda: policy_form.look(gateway, condition.ports_of(scope), writing),
    ]
    if state:
        services = tuple(name for name in ("security_services",) if name in scope.chapters)
        looks += [
            lambda: condition.cluster(state, concerned),
            lambda: condition.domains(state, gateway.vdom, concerned),
            lambda: condition.log(state, gateway.vdom, services),
            lambda: condition.memory(state, concerned),
        ]
    for one in looks:
        try:
            found += one()
        except Refused as refused:
            if refused.status != 403 and not isinstance(refused, Unanswered):  # told above
                found.append(Finding("gateway", str(refused).rstrip("."), keeps=concerned))
        except Malformed as odd:
            found.append(Finding("gateway", str(odd).rstrip("."), keeps=concerned))
    return found


def policies_of(scope: Scope) -> tuple[str, ...]:
    """The chapters that put policies on the gateway."""
    calls = rights.calls_of(scope)
    return tuple(name for name, asked in calls.items() if asked.get(_POLICIES))

"""The one service that a policy permits while the gateway is in trouble."""

from __future__ import annotations

import time

from gatepass.gateway.rules import RuleSet
from gatepass.scenarios.leaks.rules import SERVICE

_APPLY_S = 0.5


def permit_only(rules: RuleSet, number: int, what: str, **ports: str) -> None:
    """One port is permitted from the client to the server, and nothing else.

    Args:
        rules: the run's test policies; the one for this takes their place.
        number: of the policy, among those outside the range of the fillers.
        what: it is for, in the names of its objects.
        ports: a range of the service, as FortiOS names it.
    """
    rules.prepare()
    name = rules.named(what)
    row = {"name": name, "comment": name} | {
        key.replace("_", "-"): value for key, value in ports.items()
    }
    rules.changes.create(SERVICE, row)
    rules.clear()
    rules.add(rules.test_row(rules.free_id(number), nat=False, service=[{"name": name}]))
    time.sleep(rules.in_force_within(_APPLY_S))

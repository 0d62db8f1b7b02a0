"""Tries everything at the edge at once: before its rules are there, with them, and after.

Endpoints stand in for hosts with free addresses on either side, so no host of the customer's and
no endpoint's own address is in any of the rules.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.endpoint.shell import Shell
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.rules import ADDRESS, POLICY, RuleSet, dotted
from gatepass.gateway.tables import mkey_of
from gatepass.inputs.testbed import Testbed
from gatepass.scenarios.edge.rules import addresses
from gatepass.scenarios.edge.rules.attempts import (
    AFTER,
    BEFORE,
    WITH,
    Attempt,
    Seen,
    wrong,
)
from gatepass.scenarios.edge.rules.company import Company
from gatepass.scenarios.edge.rules.findings import EdgeFindings, Tried
from gatepass.scenarios.edge.rules.stories import (
    CONTROL,
    EXTERNAL,
    LOCAL_IN,
    OWN_ADDRESS,
    PUBLISHED_PORT,
    SERVICE,
    control,
    several_interfaces,
    stories,
)
from gatepass.scenarios.leaks.ways import sides_of

INTERFACES = "system/interface"
_AGAIN_S, _APPLY_S = 0.2, 10
"""FortiOS brings a change into force behind its answer."""
_FIRST_POLICY = 60


def try_edge(
    gateway: FortiGate,
    rules: RuleSet,
    testbed: Testbed,
    shells: Mapping[str, Shell],
) -> EdgeFindings:
    """Try everything, and leave nothing of it on the gateway but address objects and services.

    Args:
        gateway: the device.
        rules: the run's test policies; those for this take their place.
        testbed: where it stands.
        shells: client and server by their names.

    Raises:
        NotProven: an endpoint cannot stand in for hosts, or too few addresses are free.
    """
    rows = {str(row.get("name")): row for row in gateway.rows(INTERFACES)}
    sides = {side.name: side for side in sides_of(testbed, shells, rows)}
    if not {"client", "server"} <= sides.keys():
        raise NotProven("client and server are behind the same port of the gateway.")
    company = Company(sides["client"], sides["server"], addresses.used(gateway, rows.values()))
    try:
        company.gather(shells)
        edge = _Edge(gateway, rules, company)
        edge.run()
    finally:
        company.stop()
    return EdgeFindings(edge.tried)


class _Edge:
    """The rules, and what is tried with and without them."""

    def __init__(self, gateway: FortiGate, rules: RuleSet, company: Company) -> None:
        self._gateway, self._rules, self._company = gateway, rules, company
        self._cast = company.cast()
        self._stories = {
            CONTROL: control(self._cast, self._named),
            **stories(self._cast, self._named, several_interfaces(gateway)),
        }
        self._made: list[tuple[str, str | int]] = []
        self._policies = 0
        self.tried = {
            name: Tried({one.name: one for one in story.attempts}, story.taken_in)
            for name, story in self._stories.items()
        }

    def _named(self, what: str) -> str:
        return self._rules.named(f"edge-{what}")

    def run(self) -> None:
        """Try all of it at all moments."""
        rules = self._rules
        rules.prepare()
        rules.clear()
        rules.changes.create_many(
            ADDRESS,
            [
                {"name": self._named(name), "type": "ipmask", "subnet": dotted(f"{address}/32")}
                for name, address in self._cast.hosts.items()
            ],
        )
        try:
            self._put(CONTROL)
            if refused := self.tried[CONTROL].refused:
                raise refused
            self._try(BEFORE)
            self._own_address_must_answer()
            for name in self._stories:
                if name != CONTROL and not self.tried[name].refused:
                    self._put(name)
            self._try(WITH)
            self._take_away()
            self._try(AFTER)
        finally:
            try:
                self._take_away()
            finally:
                rules.clear()
        self._keep()

    # -- rules -------------------------------------------------------------------------------

    def _put(self, name: str) -> None:
        """Put the rules of a story on the gateway; where it refuses one, none of them stay."""
        begun, path = len(self._made), ""
        try:
            if name == PUBLISHED_PORT:
                self._ports_must_be_free()
            for path, row in self._stories[name].rows:
                self._create(path, row)
        except (Refused, NotProven) as refused:
            self._remove(self._made[begun:])
            del self._made[begun:]
            self.tried[name].refused = _reason(refused, path)

    def _ports_must_be_free(self) -> None:
        own = self._cast.outer_own
        for row in self._gateway.rows_if_any(addresses.VIP):
            if addresses.forwards(row, own, range(EXTERNAL, EXTERNAL + 2)):
                raise NotProven(
                    f"the customer's virtual address {row.get('name')} translates port {EXTERNAL} "
                    f"of {own} already. It is left alone."
                )

    def _create(self, path: str, row: Mapping) -> None:
        rules, row, key = self._rules, dict(row), mkey_of(path)
        if path == POLICY:
            self._policies += 1
            row = rules.test_row(rules.free_id(_FIRST_POLICY + self._policies), nat=False) | row
        else:
            # asked before it is announced: of a table that is not there nothing can be undone
            there = [one[key] for one in self._gateway.rows(path, format=key)]
            if path == LOCAL_IN:
                row[key] = max(map(int, there), default=0) + 1
        self._made.append((path, row[key]))
        if path == POLICY:
            rules.add(row)
        else:
            rules.changes.create(path, row)

    def _take_away(self) -> None:
        """What was put on the gateway, but for the control's policies."""
        kept = len(self._stories[CONTROL].rows)
        self._remove(self._made[kept:])
        del self._made[kept:]

    def _remove(self, made: Sequence[tuple[str, str | int]]) -> None:
        """Policies first, as they name the others; services stay until the end of the run."""
        for path, key in made:
            if path == POLICY:
                self._rules.drop(int(key))
        for path in dict.fromkeys(path for path, _ in made if path not in (POLICY, SERVICE)):
            self._rules.changes.remove(path, [key for one, key in made if one == path])

    # -- traffic -----------------------------------------------------------------------------

    def _try(self, moment: str) -> None:
        """Try everything, and once more what a change that comes late would make right."""
        give_up = time.monotonic() + _APPLY_S
        names = [name for name in self._stories if not self.tried[name].refused]
        tries = [
            one
            for name in names
            for one in self._stories[name].attempts
            if moment in one.moments
        ]
        ask = [text for name in names for text in self._stories[name].taken_in]
        always = self._stories[CONTROL].attempts
        while True:
            answered = self._company.try_all(
                dict.fromkeys((*always, *tries)), moment, ask if moment == WITH else ()
            )
            for name in names:
                self.tried[name].answered |= answered
            seen = self._company.seen()[moment]
            tries = [
                one
                for one in tries
                if wrong(one, moment, seen[one]) and _may_come(one, moment, seen[one])
            ]
            if not tries or time.monotonic() > give_up:
                return
            time.sleep(_AGAIN_S)

    def _own_address_must_answer(self) -> None:
        """What answers nobody cannot be closed to somebody."""
        seen = self._company.seen()[BEFORE]
        for one in self._stories[OWN_ADDRESS].attempts:
            sentence = wrong(one, BEFORE, seen[one])
            if sentence and one.at is None:
                self.tried[OWN_ADDRESS].refused = NotProven(
                    f"{sentence} Have the gateway's port {self._cast.inner} answer ping "
                    "(allowaccess) while it is tested."
                )

    def _keep(self) -> None:
        seen = self._company.seen()
        for tried in self.tried.values():
            tried.seen = {
                moment: {
                    name: found[one] for name, one in tried.attempts.items() if one in found
                }
                for moment, found in seen.items()
            }


def _may_come(attempt: Attempt, moment: str, seen: Seen) -> bool:
    """Whether a change that comes late may be what it waits for.

    It is not where the gateway itself does not answer before there are any rules, nor where a rule
    is in force and leads to another place.
    """
    if moment == BEFORE and attempt.at is None:
        return False
    elsewhere = any((one.target, one.port) != attempt.at for one in seen.arrived)
    return attempt.changes(moment) and not (elsewhere and moment in attempt.passes)


def _reason(refused: Refused | NotProven, path: str) -> NotProven | NotApplicable:
    """Why the gateway has not got the rules of a check.

    Args:
        refused: what came of them.
        path: of the table that took none.
    """
    if isinstance(refused, NotProven):
        return refused
    if refused.status == 404:
        return NotApplicable(say("not_offered", table=path))
    return NotProven(f"the gateway does not accept what is tried: {refused}")

"""Decides over one session by its policy, and logs what it decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab.inspector.events import SecurityLog
from lab.inspector.legs import Leg
from lab.inspector.plan import InspectionPlan, InspectionPolicy
from lab.inspector.signatures import Rule, Search
from lab.inspector.urlfilter import first_match

FROM_CLIENT, FROM_SERVER = "from_client", "from_server"
HTTP_BROWSER = (15893, "HTTP.BROWSER", 25)
"""The one application that the lab's gateway knows by itself: id, name, category."""
_IPS_LOGGED = {"block": "dropped", "reset": "reset", "pass": "pass"}


class Blocked(Exception):
    """The session may not go on.

    Attributes:
        kind: of the event.
        facts: what a page tells the user.
        page: whether the user gets a page, where one can still be sent, or a reset.
        partly: whether a part of what is blocked is on its way already.
    """

    def __init__(self, kind: str, facts: dict[str, str], page: bool = True) -> None:
        super().__init__(kind)
        self.kind, self.facts, self.page, self.partly = kind, facts, page, False


class Judge:
    """What the policy says of one session.

    Attributes:
        hostname: of the request at hand.
        url: likewise.
        exempt: whether the web filter has exempted the request from all else.
    """

    def __init__(
        self,
        plan: InspectionPlan,
        policy: InspectionPolicy,
        leg: Leg,
        service: str,
        log: SecurityLog,
    ) -> None:
        self.plan, self.policy, self.service = plan, policy, service
        self._leg, self._log = leg, log
        self._name = "SSL" if service == "HTTPS" else service
        self._seen: set[tuple[str, int]] = set()
        self.hostname = self.url = self.filename = ""
        self.exempt = False

    def event(self, kind: str, action: str, profile: str, **more: Any) -> None:
        """Log an event of this session."""
        if not (self.policy.log and self.plan.log):
            return
        facts = {"hostname": self.hostname, "url": self.url, "filename": self.filename, **more}
        self._log.write(
            {
                "type": kind,
                "subtype": kind,
                "policyid": self.policy.id,
                "srcip": self._leg.source[0],
                "srcport": self._leg.source[1],
                "dstip": self._leg.dest[0],
                "dstport": self._leg.dest[1],
                "service": self.service,
                "action": action,
                "profile": profile,
                **{key: value for key, value in facts.items() if value not in ("", None)},
            }
        )

    def facts(self, **more: str) -> dict[str, str]:
        """What a page names."""
        return {"URL": self.url or self.hostname, "File": self.filename, **more}

    # Web filter

    def web(self, path: str | None) -> None:
        """Hold a request, by host name and path (None if unseen), against the web filter.

        Raises:
            Blocked: it may not pass.
        """
        self.exempt = False
        found = self.policy.web
        if found is None:
            return
        entry = first_match(found.entries, self.hostname, path)
        if self.plan.block_all or (entry is not None and entry.action == "block"):
            self.event(
                "webfilter", "blocked", found.profile, subtype="urlfilter", msg="URL was blocked"
            )
            raise Blocked("webfilter", self.facts())
        if found.log_all or (entry is not None and entry.action == "monitor"):
            self.event("webfilter", "passthrough", found.profile, subtype="urlfilter")
        self.exempt = entry is not None and entry.action == "exempt"

    # Signatures

    @property
    def has_signatures(self) -> bool:
        """Whether any signature is looked for in sessions of this policy."""
        return self.policy.sensor is not None or self.policy.applications is not None

    def rules(self, flow: str, *contexts: str) -> list[Rule]:
        """The signatures that concern a part of this session."""
        found: list[Rule] = []
        if self.policy.sensor is not None:
            found += self.policy.sensor.rules
        if self.policy.applications is not None:
            found += self.policy.applications.rules
        return [
            rule
            for rule in found
            if any(rule.concerns(self._name, flow, context) for context in contexts)
        ]

    def search(self, flow: str, *contexts: str) -> Search | None:
        """A search in a stream of this session; None where nothing is looked for."""
        rules = self.rules(flow, *contexts)
        return Search(rules) if rules else None

    def look(self, flow: str, context: str, data: bytes) -> None:
        """Look for signatures in a part of the session that is there as a whole.

        Raises:
            Blocked: one was found that may not pass.
        """
        if self.has_signatures:
            self.hit([rule for rule in self.rules(flow, context) if rule.hits(data)])

    def hit(self, rules: Sequence[Rule]) -> None:
        """Do what is to be done about signatures that were found.

        Raises:
            Blocked: one of them may not pass.
        """
        sensor, applications = self.policy.sensor, self.policy.applications
        for rule in rules:
            if sensor is not None and rule in sensor.rules:
                if rule.log:
                    self.event(
                        "ips",
                        _IPS_LOGGED[rule.action],
                        sensor.profile,
                        subtype="signature",
                        attack=rule.name,
                        attackid=rule.id,
                    )
                if rule.action != "pass":
                    raise Blocked("ips", self.facts(Attack=rule.name), page=False)
            if applications is not None and rule in applications.rules:
                self.application(rule.id, rule.name, rule.category)

    @property
    def recognised(self) -> bool:
        """Whether any application was recognised in this session."""
        return bool(self._seen)

    def application(self, app: int, name: str, category: int) -> None:
        """Hold an application that was recognised against the application list.

        Raises:
            Blocked: it may not pass.
        """
        applications = self.policy.applications
        if applications is None or ("app", app) in self._seen:
            return
        self._seen.add(("app", app))
        action, log = applications.decide(app, category)
        self._application(app, name, action, log)

    def unknown_application(self) -> None:
        """Do what is to be done about a session in which no application was recognised.

        Raises:
            Blocked: it may not pass.
        """
        applications = self.policy.applications
        if applications is not None and not self._seen:
            self._seen.add(("app", 0))
            self._application(0, "unknown", *applications.unknown)

    def _application(self, app: int, name: str, action: str, log: bool) -> None:
        assert self.policy.applications is not None
        if log or action != "pass":
            self.event(
                "app-ctrl",
                action,
                self.policy.applications.profile,
                subtype="signature",
                app=name,
                appid=app,
            )
        if action != "pass":
            raise Blocked("app-ctrl", self.facts(Application=name), page=action == "block")

"""Compiles what each policy has inspected, from its security profiles. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lab.gateway.dataplane.intent.signatures import applications, sensor

Config = Mapping[str, Sequence[Mapping]]
Row = Mapping[str, Any]

_TYPES = {"http": "HTTP", "ftp": "FTP"}
_OVERSIZE_MB = 10
"""What FortiOS buffers unless told otherwise."""
_BY_SERVER_NAME = ("certificate-inspection", "deep-inspection")
_FACTORY_BY_SERVER_NAME = (*_BY_SERVER_NAME, "custom-deep-inspection")


@dataclass(frozen=True, slots=True)
class Inspected:
    """What one policy has inspected.

    Attributes:
        services: TCP port -> HTTP, HTTPS or FTP.
        profiles: antivirus, webfilter, files, applications, sensor: as the inspector takes them.
        log: whether events are logged.
        buffering: service -> bytes that a proxy buffers of one content, and whether larger
            content is blocked; none where the policy inspects by flow.
        server_name_check: see `lab.inspector.plan.InspectionPolicy`.
        by_process: True for the fault that every session is forwarded by a process.
    """

    services: Mapping[int, str]
    profiles: Mapping[str, Any] = field(default_factory=dict)
    log: bool = True
    buffering: Mapping[str, tuple[int, bool]] = field(default_factory=dict)
    server_name_check: str = "disable"
    by_process: bool = False

    @property
    def every_port(self) -> bool:
        """Whether sessions to other ports are inspected as well."""
        return self.by_process or bool(
            self.profiles.get("applications") or self.profiles.get("sensor")
        )

    @property
    def ports(self) -> dict[int, str]:
        """The ports whose sessions concern one of the profiles."""
        web_alone = set(self.profiles) == {"webfilter"}
        tls = {"webfilter", "applications", "sensor"} & set(self.profiles)
        return {
            port: name
            for port, name in self.services.items()
            if (name != "FTP" or not web_alone) and (name != "HTTPS" or tls)
        }

    def as_policy(self, policyid: int, nat: bool) -> dict[str, Any]:
        """What the inspector is told."""
        antivirus = self.profiles.get("antivirus") or {"profile": "", "services": {}}
        return {
            "id": policyid,
            "log": self.log,
            "nat": nat,
            "services": {str(port): name for port, name in self.services.items()},
            "antivirus": antivirus["services"],
            "antivirus_profile": antivirus["profile"],
            "buffering": self.buffering,
            "server_name_check": self.server_name_check,
            **{
                key: self.profiles.get(key)
                for key in ("webfilter", "files", "applications", "sensor")
            },
        }


def inspection_of(config: Config, row: Row) -> Inspected | None:
    """What a policy has inspected by its security profiles; None for nothing.

    Args:
        config: CMDB path -> rows.
        row: of firewall/policy.
    """
    if row.get("utm-status") != "enable" or row.get("action", "deny") != "accept":
        return None
    profiles = {
        "antivirus": _antivirus(_named(config, "antivirus/profile", row.get("av-profile"))),
        "webfilter": _web_filter(
            config, _named(config, "webfilter/profile", row.get("webfilter-profile"))
        ),
        "files": _files(_named(config, "file-filter/profile", row.get("file-filter-profile"))),
        "applications": applications(
            config, _named(config, "application/list", row.get("application-list"))
        ),
        "sensor": sensor(config, _named(config, "ips/sensor", row.get("ips-sensor"))),
    }
    profiles = {key: value for key, value in profiles.items() if value}
    if not profiles:
        return None
    options = _named(
        config, "firewall/profile-protocol-options", row.get("profile-protocol-options")
    )
    return Inspected(
        _services(config, row, options),
        profiles,
        row.get("logtraffic", "utm") in ("utm", "all"),
        _buffering(options) if row.get("inspection-mode") == "proxy" else {},
        _server_name_check(config, row),
    )


def _named(config: Config, path: str, name: object) -> Row | None:
    if not name:
        return None
    return next((row for row in config.get(path, ()) if row.get("name") == name), None)


def _buffering(options: Row | None) -> dict[str, tuple[int, bool]]:
    found = {}
    for key, name in _TYPES.items():
        child = (options or {}).get(key) or {}
        options_on = str(child.get("options") or "").split()
        if "splice" not in options_on:  # with it the client gets what has come so far
            limit = int(child.get("oversize-limit") or _OVERSIZE_MB) << 20
            found[name] = (limit, "oversize" in options_on)
    return found


def _services(config: Config, policy: Row, options: Row | None) -> dict[int, str]:
    found = {}
    for key, ports in (("http", "80"), ("ftp", "21")):
        child = (options or {}).get(key) or {}
        if child.get("status", "enable") == "enable":
            found |= dict.fromkeys(_ports(child.get("ports") or ports), _TYPES[key])
    name = policy.get("ssl-ssh-profile")
    row = _named(config, "firewall/ssl-ssh-profile", name)
    if row is not None:
        https = row.get("https") or {}
        if https.get("status") in _BY_SERVER_NAME:
            found |= dict.fromkeys(_ports(https.get("ports") or "443"), "HTTPS")
    elif name in _FACTORY_BY_SERVER_NAME:
        found[443] = "HTTPS"
    return found


def _server_name_check(config: Config, policy: Row) -> str:
    profile = _named(config, "firewall/ssl-ssh-profile", policy.get("ssl-ssh-profile"))
    return str(((profile or {}).get("https") or {}).get("sni-server-cert-check") or "disable")


def _ports(value: object) -> list[int]:
    words = value if isinstance(value, list) else str(value).split()
    return [int(word) for word in words]


def _antivirus(row: Row | None) -> dict[str, Any] | None:
    if row is None:
        return None
    scans = {name: (row.get(key) or {}).get("av-scan", "disable") for key, name in _TYPES.items()}
    services = {name: action for name, action in scans.items() if action in ("block", "monitor")}
    return {"profile": row["name"], "services": services} if services else None


def _web_filter(config: Config, row: Row | None) -> dict[str, Any] | None:
    if row is None:
        return None
    number = int((row.get("web") or {}).get("urlfilter-table") or 0)
    tables = config.get("webfilter/urlfilter", ())
    table: Row = next((table for table in tables if number and int(table["id"]) == number), {})
    return {
        "profile": row["name"],
        "log_all": row.get("log-all-url") == "enable",
        "entries": [
            {
                "url": str(entry.get("url") or ""),
                "type": entry.get("type", "simple"),
                "action": entry.get("action", "exempt"),
            }
            for entry in table.get("entries") or ()
            if entry.get("status", "enable") == "enable"
        ],
    }


def _files(row: Row | None) -> dict[str, Any] | None:
    if row is None:
        return None
    rules = [
        {
            "name": rule.get("name", ""),
            "protocols": [
                _TYPES[word]
                for word in str(rule.get("protocol") or "http ftp").split()
                if word in _TYPES
            ],
            "action": rule.get("action", "log-only"),
            "direction": rule.get("direction", "any"),
            "types": [item["name"] for item in rule.get("file-type") or ()],
        }
        for rule in row.get("rules") or ()
    ]
    if not rules:
        return None
    return {"profile": row["name"], "log": row.get("log", "enable") == "enable", "rules": rules}

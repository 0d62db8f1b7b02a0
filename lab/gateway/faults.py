"""The faults that the lab can put into its gateway, and those of the API that strike now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.gateway.cmdb.store import Store

EVERY_FUNCTION = "all"
LICENSED_FUNCTIONS = ("antivirus", "ips", "appctrl", "web_filtering", EVERY_FUNCTION)

_CALLS: dict[str, Any] = {"path": "", "method": "", "after": 0, "times": 0}

# Name -> parameters with their defaults.
API_FAULTS: dict[str, dict[str, Any]] = {
    "api-500": _CALLS,
    "api-429": _CALLS,
    "api-hang": _CALLS | {"seconds": 600},
    "api-drop": _CALLS,
    "api-slow": _CALLS | {"milliseconds": 400},
    "delete-ignored": {"path": ""},
    "objects-lost": {"path": "", "every": 20},
    "http-open": {"port": 80},
    "tls-old": {},
    "token-ignored": {},
    "other-certificate": {},
    "licence-expired": {},
    "evaluation-licence": {},
    "too-few-resources": {},
    "other-device": {},
    "other-firmware": {},
    "clock-off": {"minutes": 10},
}
DATA_PLANE_FAULTS: dict[str, dict[str, Any]] = {
    "shaper-below-tier": {"percent": 80},
    "shaper-missing": {},
    "nat-not-applied": {},
    "nat-always": {},
    "policy-missing": {},
    "deny-above": {},
    "any-any": {},
    "packet-loss": {"percent": 2},
    "mss-small": {"bytes": 216},
    "gateway-cpu-busy": {"mbps": 150},
    "large-ruleset-slow": {"policies": 50, "mbps": 150},
    "not-applied": {},
    "counters-zero": {},
    "disabled-policy-active": {},
    "order-reversed": {},
    "implicit-deny-uncounted": {},
    "one-way-open": {},
    "ipv6-not-forwarded": {},
    "ipv6-open": {},
    "services-not-applied": {},
    "proxy-not-applied": {},
    "countries-unknown": {},
    "signatures-empty": {},
    "inspector-dead-open": {},
    "inspector-dead": {},
    "webfilter-blocks-all": {},
    "download-altered": {},
    "inspection-slow": {"mbps": 60},
    "small-objects-slow": {"milliseconds": 5},
    "file-filter-not-ftp": {},
    "webfilter-not-by-proxy": {},
    "log-lost": {},
    "proxy-open": {},
    "proxy-refuses-half": {"users": 37},
    "proxy-mixes-answers": {"every": 10},
    "vpn-pool-small": {"users": 37},
    "split-tunnel-leaks": {},
    "group-ignored": {},
    "logout-ignored": {},
    "vpn-slow": {"mbps": 5},
    "ipsec-other-cipher": {},
    "ipsec-clear-beside": {},
    "ipsec-never-rekeys": {},
    "ipsec-slow": {"mbps": 5},
    "disabled-users-let-in": {},
    "vpn-not-served": {},
    "vpn-password-ignored": {},
    "vpn-session-endless": {},
    "full-tunnel-split": {},
    "ipsec-weak-group": {},
    "ipsec-few-tunnels": {"tunnels": 12},
    "ipsec-stays-down": {},
    "ipsec-renewal-outage": {"seconds": 2},
}
# Faults that the API shows and the data plane carries out.
LICENCE_FAULTS: dict[str, dict[str, Any]] = {
    "license-missing": {"function": "antivirus"},
}
FAULTS = API_FAULTS | DATA_PLANE_FAULTS | LICENCE_FAULTS

# (fault, parameter) -> what it may be.
_CHOICES = {("license-missing", "function"): LICENSED_FUNCTIONS}


class Faults:
    """The faults in effect; kept over a restart.

    Args:
        store: keeps them.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._active = {name: parameters for name, parameters in store.faults().items()
                        if name in FAULTS}
        self._calls: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._active

    def active(self) -> dict[str, dict[str, Any]]:
        """The faults in effect with all their parameters."""
        return {name: dict(parameters) for name, parameters in self._active.items()}

    def parameter(self, name: str, parameter: str) -> Any:
        """A parameter of a fault in effect."""
        return self._active[name][parameter]

    def put(self, name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Put a fault into effect; answers its parameters.

        Raises:
            ValueError: no such fault, or a parameter that it does not take.
        """
        defaults = FAULTS.get(name)
        if defaults is None:
            raise ValueError(f"There is no fault {name!r}; known are {', '.join(sorted(FAULTS))}.")
        for key, value in parameters.items():
            if key not in defaults:
                takes = ", ".join(defaults) or "none"
                raise ValueError(f"Fault {name} has no parameter {key!r}; it takes {takes}.")
            wanted = type(defaults[key])
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not (is_number and value >= 0 if wanted is int else isinstance(value, wanted)):
                raise ValueError(f"Parameter {key} of fault {name} must be "
                                 f"{'a number, 0 or more' if wanted is int else 'text'}.")
            choices = _CHOICES.get((name, key))
            if choices is not None and value not in choices:
                raise ValueError(f"Parameter {key} of fault {name} must be one of "
                                 f"{', '.join(choices)}.")
        self._active[name] = {**defaults, **parameters}
        self._calls.pop(name, None)
        self._store.set_fault(name, self._active[name])
        return dict(self._active[name])

    def remove(self, name: str) -> None:
        """End a fault; one that is not in effect is fine."""
        self._active.pop(name, None)
        self._calls.pop(name, None)
        self._store.set_fault(name, None)

    def clear(self) -> None:
        """End all faults."""
        for name in list(self._active):
            self.remove(name)

    def strikes(self, name: str, path: str, method: str) -> bool:
        """Whether a fault of the API hits this call; calls it lets pass are counted.

        Args:
            path: behind `/api/v2/`, e.g. `cmdb/firewall/policy`.
        """
        parameters = self._active.get(name)
        if parameters is None or not _covers(parameters["path"], path):
            return False
        if parameters["method"] and parameters["method"].upper() != method:
            return False
        seen = self._calls[name] = self._calls.get(name, 0) + 1
        struck = seen - parameters["after"]
        return struck > 0 and (not parameters["times"] or struck <= parameters["times"])

    def loses_object(self, path: str) -> bool:
        """Whether a new object of this table is to be answered and not kept; counts them.

        Args:
            path: e.g. `firewall/policy`.
        """
        parameters = self._active.get("objects-lost")
        if parameters is None or not path.startswith(parameters["path"]):
            return False
        seen = self._calls["objects-lost"] = self._calls.get("objects-lost", 0) + 1
        return seen % max(1, int(parameters["every"])) == 0

    def ignores_delete(self, path: str) -> bool:
        """Whether a DELETE of this path is to be answered and not done."""
        parameters = self._active.get("delete-ignored")
        return parameters is not None and _covers(parameters["path"], path)


def _covers(prefix: str, path: str) -> bool:
    """Whether a prefix, with or without `cmdb/` or `monitor/` before it, covers a path."""
    prefix = prefix.strip("/").removeprefix("api/v2/")
    return path.startswith(prefix) or path.partition("/")[2].startswith(prefix)

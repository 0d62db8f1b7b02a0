"""Who calls: tokens with their trusted hosts, sessions, permissions, and the lock-out."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.gateway.cmdb.database import Database
from lab.gateway.cmdb.rows import Row
from lab.gateway.cmdb.vault import Vault
from lab.gateway.faults import Faults

_RANKS = {"none": 0, "read": 1, "read-write": 2}
READ, WRITE = 1, 2
_BY_PARTS = "custom"
FORGET_FAILURES_AFTER = 60.0


@dataclass(frozen=True)
class Caller:
    """An administrator whose call is served.

    Attributes:
        name: as configured.
        rights: group of an access profile, or part of one (`fwgrp.policy`) -> rank.
        csrf: what writes must repeat in X-CSRFTOKEN; None for a token.
    """

    name: str
    rights: Mapping[str, int]
    csrf: str | None = None

    def may(self, group: str, rank: int) -> bool:
        """Whether the access profile gives this right.

        Args:
            group: a group or a part of one, or several of which all are needed; empty for what
                anyone may.
            rank: `READ` or `WRITE`.
        """
        return all(self._rank(one) >= rank for one in group.split())

    def _rank(self, group: str) -> int:
        whole = group.partition(".")[0]
        return self.rights.get(group, self.rights.get(whole, 0))


@dataclass
class AdminSession:
    """A login with a password.

    Attributes:
        name: of the administrator.
        csrf: what writes must repeat; None for a session key.
        last_used: monotonic time in s.
    """

    name: str
    csrf: str | None
    last_used: float = field(default_factory=time.monotonic)


class LockOut:
    """Locks out an address from which logins keep failing.

    Args:
        threshold: failures that lock, now.
        duration: s for which they do, now.
    """

    def __init__(self, threshold: Callable[[], int], duration: Callable[[], float],
                 clock: Callable[[], float] = time.monotonic) -> None:
        self._threshold = threshold
        self._duration = duration
        self._clock = clock
        self._failures: dict[str, list[float]] = {}
        self._until: dict[str, float] = {}

    def is_locked(self, address: str) -> bool:
        """Whether calls from here are refused."""
        until = self._until.get(address)
        if until is None:
            return False
        if self._clock() < until:
            return True
        del self._until[address]
        return False

    def fail(self, address: str) -> None:
        """Note a failed login."""
        now = self._clock()
        recent = [t for t in self._failures.get(address, []) if now - t < FORGET_FAILURES_AFTER]
        recent.append(now)
        self._failures[address] = recent
        if len(recent) >= self._threshold():
            self._until[address] = now + self._duration()
            del self._failures[address]

    def succeed(self, address: str) -> None:
        """Note a login that worked."""
        self._failures.pop(address, None)


def _same(secret: str, given: str) -> bool:
    """Whether a secret was given, compared in a time that does not tell how much is right."""
    return hmac.compare_digest(secret.encode(), given.encode(errors="surrogateescape"))


def _trusted(address: str, networks: list[str]) -> bool:
    """Whether an address is in one of the networks, written `A.B.C.D MASK` or `PREFIX/LENGTH`."""
    ip = ipaddress.ip_address(address)
    for network in networks:
        allowed = ipaddress.ip_network(network.replace(" ", "/"), strict=False)
        if allowed.version == ip.version and ip in allowed:
            return True
    return False


def _rights(profile: Row) -> dict[str, int]:
    """What an access profile gives, each part of a group by itself where it says so (custom)."""
    rights = {}
    for name, value in profile.items():
        if value == _BY_PARTS:
            parts = profile[f"{name}-permission"]
            rights |= {f"{name}.{part}": _RANKS[rank] for part, rank in parts.items()}
        elif name.endswith("grp") or name == "wifi":
            rights[name] = _RANKS[value]
    return rights


def narrowed(profile: Row, faults: Faults) -> dict[str, Any]:
    """An access profile as it counts: without the part that is taken out of it on purpose."""
    counts = dict(profile)
    if "right-missing" in faults:
        group, _, part = faults.parameter("right-missing", "part").partition(".")
        parts = counts.get(f"{group}-permission")
        if parts is None or not part:
            counts[group] = "none"
        else:
            whole = counts[group]
            given = parts if whole == _BY_PARTS else dict.fromkeys(parts, whole)
            counts |= {group: _BY_PARTS, f"{group}-permission": {**given, part: "none"}}
    return counts


class Access:
    """Decides who calls.

    Args:
        database: holds administrators, API users and access profiles.
        vault: opens their secrets.
        faults: what is put into effect.
    """

    def __init__(self, database: Database, vault: Vault, faults: Faults) -> None:
        self._database = database
        self._vault = vault
        self._faults = faults
        self._sessions: dict[str, AdminSession] = {}
        self.lock_out = LockOut(lambda: self._setting("admin-lockout-threshold"),
                                lambda: self._setting("admin-lockout-duration"))

    def _setting(self, name: str) -> Any:
        return self._database.state.singleton("system/global")[name]

    def by_token(self, token: str, address: str) -> Caller | None:
        """The API user, or the session from `/api/v2/authentication`, of a bearer token."""
        for row in self._database.state.rows["system/api-user"].values():
            key = self._vault.reveal(row["api-key"])
            if key and _same(key, token):
                # Without a trusted host an API user is not served at all.
                hosts = [host["ipv4-trusthost"] if host["type"] == "ipv4-trusthost"
                         else host["ipv6-trusthost"] for host in row["trusthost"]]
                return self._caller(row) if _trusted(address, hosts) else None
        return self.by_session(token, needs_csrf=False)

    def by_session(self, key: str, *, needs_csrf: bool = True) -> Caller | None:
        """The administrator of a session cookie or session key."""
        session = self._sessions.get(key)
        if session is None or (session.csrf is not None) != needs_csrf:
            return None
        idle_s = time.monotonic() - session.last_used
        if idle_s > self._setting("admintimeout") * 60 and "gui-never-idle" not in self._faults:
            del self._sessions[key]
            return None
        row = self._database.state.find("system/admin", session.name)
        if row is None:
            return None
        session.last_used = time.monotonic()
        return self._caller(row, session.csrf)

    def _caller(self, row: Row, csrf: str | None = None) -> Caller:
        profile = self._database.state.find("system/accprofile", row["accprofile"]) or {}
        return Caller(row["name"], _rights(narrowed(profile, self._faults)), csrf)

    def log_in(self, name: str, password: str, address: str, *,
               with_csrf: bool) -> tuple[str, AdminSession] | None:
        """Start a session; None if name or password are wrong."""
        row = self._database.state.find("system/admin", name)
        sealed = row["password"] if row is not None else ""
        known = self._vault.reveal(sealed) if sealed else secrets.token_hex()
        is_right = _same(known, password) or "gui-any-password" in self._faults
        if row is None or not is_right or not self._may_log_in(row, address):
            self.lock_out.fail(address)
            return None
        self.lock_out.succeed(address)
        key = secrets.token_urlsafe(32)
        session = AdminSession(name, secrets.token_hex(16).upper() if with_csrf else None)
        self._sessions[key] = session
        return key, session

    @staticmethod
    def _may_log_in(row: Row, address: str) -> bool:
        hosts = [row[f"{kind}{n}"] for n in range(1, 11) for kind in ("trusthost", "ip6-trusthost")]
        narrowed = [host for host in hosts if host not in ("0.0.0.0 0.0.0.0", "::/0")]
        return not narrowed or _trusted(address, narrowed)

    def log_out(self, key: str) -> None:
        """End a session."""
        if "gui-log-out-ignored" not in self._faults:
            self._sessions.pop(key, None)

    def anyone(self) -> Caller:
        """The caller whom nobody asked who it is: what a gateway without authentication serves."""
        return Caller("", dict.fromkeys(
            ("secfabgrp", "ftviewgrp", "authgrp", "sysgrp", "netgrp", "loggrp", "fwgrp", "vpngrp",
             "utmgrp", "wifi"), WRITE))

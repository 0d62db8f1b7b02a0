"""The security profiles of a run, and the test policy that they are attached to.

One set for proof and for figures: what is measured is what was shown to inspect. It is the set of
the published test (Hokkanen 2016, appendix 1: the profiles named "default" of antivirus, web
filter, application control and IPS), with the run's own specimens added.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.endpoint.specimens import BLOCKED_HOST, CONTROLLED_AGENT, exploit
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.rules import RuleSet

_UNTOUCHED_TLS = ("ftps", "imaps", "pop3s", "smtps", "ssh", "dot")
_MAIL = ("imap", "pop3", "smtp")
_WARNED = (2, 7, 8, 9, 11, 12, 13, 14, 15, 16, 0, 57, 63, 64, 65, 66, 67)
_FORBIDDEN = (26, 61, 86, 88)  # malicious, phishing, spam, dynamic names
"""FortiGuard's categories of web sites in appendix 1."""
_WEB_CLIENT = 25  # a category of FortiOS' application control
_NUMBERS = range(1000, 10000)
"""What FortiOS takes as ``--attack_id`` of a signature of one's own."""
_OFF = (
    *("av-profile", "webfilter-profile", "application-list", "ips-sensor"),
    *("file-filter-profile",),
)
FLOW, PROXY = "flow", "proxy"
_LIMITS = "firewall/profile-protocol-options"
_LARGEST_MB = 4095
"""The most that FortiOS can be told to buffer of one file; a device's memory may allow less."""


class SecurityProfiles:
    """The run's profiles on the gateway, for one mode of inspection.

    Args:
        gateway: the device.
        changes: of the run.
        file_types: that the order filters, as FortiOS names them.
        mode: inspection mode of the policy: flow or proxy.
        largest_mib: size of the largest file that has to be inspected. A proxy that is not told
            lets pass uninspected what is larger than 10 MB.

    Attributes:
        inspected_mib: size of the largest file that the device can inspect, once they are made.
    """

    def __init__(
        self,
        gateway: FortiGate,
        changes: Changes,
        file_types: Sequence[str],
        mode: str = FLOW,
        largest_mib: int = 10,
    ) -> None:
        self.gateway = gateway
        self.changes = changes
        self.file_types = tuple(file_types)
        self.mode = mode
        self.largest_mib = self.inspected_mib = largest_mib
        self._made: dict[str, object] | None = None

    def attributes(self) -> dict[str, object]:
        """What a policy is told to inspect with these profiles, which are made at first use.

        Raises:
            Refused: the device does not take a profile.
        """
        if self._made is None:
            self._made = self._make()
        return self._made

    @staticmethod
    def none() -> dict[str, object]:
        """What a policy is told to inspect nothing."""
        return {
            "utm-status": "disable",
            "inspection-mode": FLOW,
            **dict.fromkeys(_OFF, ""),
            "ssl-ssh-profile": "no-inspection",
            "profile-protocol-options": "default",
        }

    def _make(self) -> dict[str, object]:
        makers: tuple[Callable[[], None], ...] = (
            self._antivirus,
            self._web_filter,
            self._intrusion_prevention,
            self._application_control,
            self._file_filter,
            self._limits,
            self._tls,
        )
        for make in makers:
            make()
        return {
            "utm-status": "enable",
            "inspection-mode": self.mode,
            "av-profile": self._name("av"),
            "webfilter-profile": self._name("wf"),
            "application-list": self._name("app"),
            "ips-sensor": self._name("ips"),
            "file-filter-profile": self._name("files"),
            "profile-protocol-options": self._name("limits"),
            "ssl-ssh-profile": self._name("tls"),
            "logtraffic": "utm",
        }

    def _name(self, what: str) -> str:
        return self.changes.name(what if self.mode == FLOW else f"{what}-{self.mode}")

    def _limits(self) -> None:
        """What is buffered of one file; the default would let a large one pass uninspected."""
        most = self.gateway.declared(_LIMITS).most("http", "oversize-limit") or _LARGEST_MB
        limit = min(self.largest_mib + 1, most)
        self.inspected_mib = min(self.largest_mib, limit)
        sizes = {"oversize-limit": limit, "uncompressed-oversize-limit": limit}
        # without "splice", with which an FTP client gets what has come before it is scanned
        row = {"name": self._name("limits"), "http": sizes, "ftp": sizes | {"options": ""}}
        self.changes.create(_LIMITS, row)

    def _tls(self) -> None:
        """As FortiOS's own `certificate-inspection`, without its look at the server's certificate.

        Where that holds another name than the one that was asked for, FortiOS's own goes by the
        certificate's: a blocked site would pass by what is in the test server's certificate.
        """
        https = {"status": "certificate-inspection", "sni-server-cert-check": "disable"}
        off = {protocol: {"status": "disable"} for protocol in _UNTOUCHED_TLS}
        row = {"name": self._name("tls"), "https": https, **off}
        self.changes.create("firewall/ssl-ssh-profile", row)

    def _antivirus(self) -> None:
        scan = {"av-scan": "block"}
        row = {"name": self._name("av"), "feature-set": self.mode, "http": scan, "ftp": scan}
        row |= {name: scan | {"executables": "virus"} for name in _MAIL}
        self.changes.create("antivirus/profile", row)

    def _web_filter(self) -> None:
        number = self._free("webfilter/urlfilter", "id")
        entry = {
            "id": 1,
            "url": BLOCKED_HOST,
            "type": "simple",
            "action": "block",
            "status": "enable",
        }
        name = self._name("wf")
        self.changes.create(
            "webfilter/urlfilter", {"id": number, "name": name, "entries": [entry]}
        )
        row = {
            "name": name,
            "feature-set": self.mode,
            "web": {"urlfilter-table": number},
            "ftgd-wf": {"options": "error-allow", "filters": _categories()},
        }
        self.changes.create("webfilter/profile", row)

    def _intrusion_prevention(self) -> None:
        name, rule = self._name("ips"), self._free_number("ips/custom")
        signature = (
            f'F-SBID( --attack_id {rule}; --name "{name}"; --protocol tcp; --service HTTP; '
            f'--flow from_client; --pattern "{exploit(self.changes.mark)}"; --context uri; '
            "--no_case; )"
        )
        row = {
            "tag": name,
            "signature": signature,
            "comment": name,
            "severity": "critical",
            "action": "block",
            "log": "enable",
            "status": "enable",
        }
        self.changes.create("ips/custom", row)
        entries = [
            {"id": 1, "rule": [{"id": rule}], "status": "enable", "action": "block"},
            {"id": 2, "severity": "medium high critical", "status": "default", "action": "default"},
        ]
        self.changes.create("ips/sensor", {"name": name, "entries": entries})

    def _application_control(self) -> None:
        name, number = self._name("app"), self._free_number("application/custom")
        signature = (
            f'F-SBID( --attack_id {number}; --name "{name}"; --protocol tcp; --service HTTP; '
            f'--flow from_client; --pattern "{CONTROLLED_AGENT}"; --context header; '
            f"--app_cat {_WEB_CLIENT}; )"
        )
        row = {"tag": name, "signature": signature, "comment": name}
        self.changes.create("application/custom", row)
        entries = [
            {"id": 1, "application": [{"id": number}], "action": "block", "log": "enable"},
            {"id": 2, "action": "pass", "log": "enable"},
        ]
        self.changes.create("application/list", {"name": name, "entries": entries})

    def _file_filter(self) -> None:
        name = self._name("files")
        rule = {
            "name": "filtered",
            "protocol": "http ftp",
            "action": "block",
            "file-type": [{"name": kind} for kind in self.file_types],
        }
        row = {"name": name, "feature-set": self.mode, "log": "enable", "rules": [rule]}
        self.changes.create("file-filter/profile", row)

    def _free(self, path: str, key: str) -> int:
        return max([0, *(row[key] for row in self.gateway.rows(path, format=key))]) + 1

    def _free_number(self, path: str) -> int:
        """A number for a signature of ours, given in its text as the device takes it.

        FortiOS shows no number of its own for a signature from 7.4 on.
        """
        used = "".join(str(row.get("signature", "")) for row in self.gateway.rows(path))
        taken = {int(number) for number in re.findall(r"--attack_id\s+(\d+)", used)}
        return next(number for number in _NUMBERS if number not in taken)


def _categories() -> list[dict]:
    """The published profile's filters.

    Where FortiGuard cannot be asked, a page is let pass: it is no matter of the test whether the
    gateway has a way to the Internet.
    """
    actions = [(number, "warning") for number in _WARNED]
    actions += [(number, "block") for number in _FORBIDDEN]
    return [
        {"id": place, "category": number, "action": action}
        for place, (number, action) in enumerate(actions, 1)
    ]


class Inspection:
    """The one policy that the chapter's traffic meets, and how it inspects.

    Args:
        rules: the run's policies.
        profiles: that are attached to it, by mode of inspection.
        ordered: the mode that the order asks for.
    """

    def __init__(
        self, rules: RuleSet, profiles: Mapping[str, SecurityProfiles], ordered: str
    ) -> None:
        self.rules = rules
        self.profiles = profiles
        self.ordered = ordered
        self.policyid = 0
        self.mode = ""  # flow or proxy; empty while nothing is inspected

    def begin(self) -> None:
        """Bring the gateway to this one policy, with NAT and without inspection."""
        self.policyid = self.rules.free_id(10)
        self.rules.only(self.rules.test_row(self.policyid, nat=True, logtraffic="utm"))
        self.mode = ""

    def switch(self, on: bool, mode: str = "") -> None:
        """Attach the profiles, or take them off.

        Args:
            on: whether to inspect.
            mode: flow or proxy; the ordered one if empty.

        Raises:
            Refused: the device does not take a profile.
            NotApplicable: it does not offer this mode, which was not ordered.
        """
        wanted = (mode or self.ordered) if on else ""
        if wanted == self.mode:
            return
        try:
            values = (
                self.profiles[wanted].attributes() if on else SecurityProfiles.none()
            )
            self.rules.attach(self.policyid, values)
        except Refused as refused:
            if wanted in ("", self.ordered):
                raise
            raise NotApplicable(
                say("no_such_mode", mode=wanted, why=str(refused))
            ) from None
        self.mode = wanted

    def must_inspect(self, mib: int) -> None:
        """A file of this size is inspected, in the ordered mode.

        Raises:
            Refused: the device does not take a profile.
            NotProven: it lets pass uninspected what is as large as that.
        """
        profiles = self.profiles[self.ordered]
        profiles.attributes()
        most = profiles.inspected_mib
        if most < mib:
            raise NotProven(
                f"the gateway inspects files of up to {most:,} MiB, as its memory allows no more "
                f"(oversize-limit in {_LIMITS}); one of {mib:,} MiB would pass uninspected and "
                "show nothing about the rate with security services. Choose a profile with a "
                f"download_mib of {most:,} or less, or give the gateway more memory."
            )

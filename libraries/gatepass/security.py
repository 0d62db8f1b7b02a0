"""The security profiles of a run, and the test policy that they are attached to.

One set for proof and for figures: what is measured is what was shown to inspect. It is the set of
the published test (Hokkanen 2016, appendix 1: antivirus, web filter, application control and IPS
at their defaults), with the run's own specimens added.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gatepass.changes import Changes
from gatepass.fortigate import FortiGate, Refused
from gatepass.rules import RuleSet
from gatepass.specimens import BLOCKED_HOST, CONTROLLED_AGENT, exploit

FUNCTIONS = {
    "antivirus": "antivirus",
    "web_filtering": "web filter",
    "ips": "intrusion prevention",
    "appctrl": "application control",
}
"""Names in ``license/status``, and what a reader calls them."""
LICENSED = "licensed"
_WEB_CLIENT = 25  # a category of FortiOS' application control
_NUMBERS = range(1000, 10000)
"""What FortiOS takes as ``--attack_id`` of a signature of one's own."""
_OFF = (
    *("av-profile", "webfilter-profile", "application-list", "ips-sensor"),
    *("file-filter-profile",),
)


class SecurityProfiles:
    """The run's profiles on the gateway.

    Args:
        gateway: the device.
        changes: of the run.
        file_types: that the order filters, as FortiOS names them.
        mode: inspection mode of the policy: flow or proxy.
    """

    def __init__(
        self, gateway: FortiGate, changes: Changes, file_types: Sequence[str], mode: str = "flow"
    ) -> None:
        self.gateway = gateway
        self.changes = changes
        self.file_types = tuple(file_types)
        self.mode = mode
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
            **dict.fromkeys(_OFF, ""),
            "ssl-ssh-profile": "no-inspection",
        }

    def _make(self) -> dict[str, object]:
        name = self.changes.name
        makers: tuple[Callable[[], None], ...] = (
            self._antivirus,
            self._web_filter,
            self._intrusion_prevention,
            self._application_control,
            self._file_filter,
        )
        for make in makers:
            make()
        return {
            "utm-status": "enable",
            "inspection-mode": self.mode,
            "av-profile": name("av"),
            "webfilter-profile": name("wf"),
            "application-list": name("app"),
            "ips-sensor": name("ips"),
            "file-filter-profile": name("files"),
            "ssl-ssh-profile": "certificate-inspection",
            "logtraffic": "utm",
        }

    def _antivirus(self) -> None:
        scan = {"av-scan": "block"}
        row = {"name": self.changes.name("av"), "feature-set": self.mode, "http": scan, "ftp": scan}
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
        name = self.changes.name("wf")
        self.changes.create(
            "webfilter/urlfilter", {"id": number, "name": name, "entries": [entry]}
        )
        row = {"name": name, "feature-set": self.mode, "web": {"urlfilter-table": number}}
        self.changes.create("webfilter/profile", row)

    def _intrusion_prevention(self) -> None:
        name, rule = self.changes.name("ips"), self._free_number("ips/custom")
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
            {"id": 2, "severity": "high critical", "status": "default", "action": "default"},
        ]
        self.changes.create("ips/sensor", {"name": name, "entries": entries})

    def _application_control(self) -> None:
        name, number = self.changes.name("app"), self._free_number("application/custom")
        signature = (
            f'F-SBID( --attack_id {number}; --name "{name}"; --protocol tcp; --service HTTP; '
            f'--flow from_client; --pattern "{CONTROLLED_AGENT}"; --context header; '
            f"--app_cat {_WEB_CLIENT}; )"
        )
        row = {"tag": name, "signature": signature, "comment": name}
        self.changes.create("application/custom", row)
        entry = {"id": 1, "application": [{"id": number}], "action": "block", "log": "enable"}
        self.changes.create("application/list", {"name": name, "entries": [entry]})

    def _file_filter(self) -> None:
        name = self.changes.name("files")
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


class Inspection:
    """The one policy that the chapter's traffic meets, and whether it inspects.

    Args:
        rules: the run's policies.
        profiles: that are attached to it.
    """

    def __init__(self, rules: RuleSet, profiles: SecurityProfiles) -> None:
        self.rules = rules
        self.profiles = profiles
        self.policyid = 0
        self.on = False

    def begin(self) -> None:
        """Bring the gateway to this one policy, with NAT and without inspection."""
        self.policyid = self.rules.free_id(10)
        self.rules.only(self.rules.test_row(self.policyid, nat=True, logtraffic="utm"))
        self.on = False

    def switch(self, on: bool) -> None:
        """Attach the profiles, or take them off.

        Raises:
            Refused: the device does not take a profile.
        """
        if on != self.on:
            values = self.profiles.attributes() if on else self.profiles.none()
            self.rules.attach(self.policyid, values)
            self.on = on


def without_licence(gateway: FortiGate) -> dict[str, str]:
    """The functions that the device has no valid licence for, with its own word for that.

    A function that the device does not speak of is taken as there: its own check will show.
    """
    try:
        told = gateway.monitor("license/status").get("results", {})
    except Refused:
        return {}
    return {
        function: str(told[function].get("status", "unknown")).replace("_", " ")
        for function in FUNCTIONS
        if isinstance(told.get(function), dict) and told[function].get("status") != LICENSED
    }

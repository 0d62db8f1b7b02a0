"""The chapters of the suites: their short names, and what everybody calls them.

A short name is a file's or folder's, without its number. The other one is the suite's own (`Name`),
so that Robot's report, the certificate, the history and every table say the same.
"""

from __future__ import annotations

from collections.abc import Iterable

_TITLES = {
    "preflight": "Before the test",
    "customer_rules": "The customer's own rules",
    "baseline_before": "The test set-up before",
    "stateful_firewall": "Stateful firewall",
    "policy_enforcement": "Policy enforcement",
    "tier_ceiling": "The tier's ceiling",
    "security_services": "Security services",
    "explicit_proxy": "Web proxy",
    "site_to_site_vpn": "Site-to-site VPN",
    "remote_access": "Remote access",
    "provisioning": "Provisioning of tenants",
    "edge": "The edge of the network",
    "latency": "Delay",
    "service_objectives": "Classes of service",
    "management_gui": "Management page",
    "studies": "Published methods",
    "baseline_after": "The test set-up after",
    "handover": "Handover",
}
CHAPTERS = tuple(_TITLES)
"""In their order."""
_EARLIER = {"The rig before": "baseline_before", "The rig after": "baseline_after"}
"""What chapters were called before, in runs that were kept."""
_SHORT = {**_EARLIER, **{title: name for name, title in _TITLES.items()}}
_WITHOUT_THE_GATEWAY = ("baseline_before", "baseline_after")
OF_THE_GATEWAY = tuple(name for name in CHAPTERS if name not in _WITHOUT_THE_GATEWAY)


def title(chapter: str) -> str:
    """A chapter by its short name, as everybody calls it."""
    return _TITLES[chapter]


def short(name: str) -> str:
    """The short name of a suite, also of one that was called by its file or folder before."""
    return _SHORT.get(name) or name.casefold().replace(" ", "_").replace("-", "_")


def called_now(name: str) -> str:
    """What a chapter of an earlier run is called today; another suite's name as it is."""
    return _TITLES.get(short(name), name)


def titles(chapters: Iterable[str]) -> str:
    """Several of them in a sentence's part, in the suites' order."""
    wanted = set(chapters)
    return ", ".join(title(name) for name in CHAPTERS if name in wanted)

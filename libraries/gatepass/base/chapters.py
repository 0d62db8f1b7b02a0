"""The chapters of the suites by their short names: a file's or folder's, without its number."""

from __future__ import annotations

from collections.abc import Iterable

CHAPTERS = (
    *("preflight", "customer_rules", "baseline_before", "stateful_firewall"),
    *("policy_enforcement", "tier_ceiling", "security_services", "explicit_proxy"),
    *("site_to_site_vpn", "remote_access", "provisioning", "edge"),
    *("latency", "service_objectives", "studies", "baseline_after", "handover"),
)
"""In their order."""
_WITHOUT_THE_GATEWAY = ("baseline_before", "baseline_after")
OF_THE_GATEWAY = tuple(name for name in CHAPTERS if name not in _WITHOUT_THE_GATEWAY)


def title(chapter: str) -> str:
    """A chapter as reports name it."""
    return chapter.replace("_", " ").title()


def titles(chapters: Iterable[str]) -> str:
    """Several of them in a sentence's part, in the suites' order."""
    wanted = set(chapters)
    return ", ".join(title(name) for name in CHAPTERS if name in wanted)

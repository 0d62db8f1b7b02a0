"""The security profiles that a policy may name."""

from __future__ import annotations

from lab.gateway.errors import BAD_VALUE, CmdbError
from lab.gateway.schema.model import Attribute, Row, View, option, reference

# Attribute of a policy -> table. Some of the tables are not in the lab.
_TABLES = {
    "av-profile": "antivirus/profile",
    "webfilter-profile": "webfilter/profile",
    "dnsfilter-profile": "dnsfilter/profile",
    "emailfilter-profile": "emailfilter/profile",
    "dlp-profile": "dlp/profile",
    "file-filter-profile": "file-filter/profile",
    "ips-sensor": "ips/sensor",
    "application-list": "application/list",
    "voip-profile": "voip/profile",
    "icap-profile": "icap/profile",
    "waf-profile": "waf/profile",
}


def profiles() -> list[Attribute]:
    """The attributes of a policy that name profiles."""
    return [
        option("profile-type", "single", "group"),
        reference(
            "profile-protocol-options", "firewall/profile-protocol-options", default="default"
        ),
        reference("ssl-ssh-profile", "firewall/ssl-ssh-profile", default="no-inspection"),
        *(reference(name, table) for name, table in _TABLES.items()),
    ]


def check_feature_sets(row: Row, view: View) -> None:
    """Check that a policy in flow mode names no profile that needs a proxy.

    Raises:
        CmdbError: it does.
    """
    if row["inspection-mode"] != "flow":
        return
    for name, table in _TABLES.items():
        profile = view.find(table, row[name]) if row[name] else None
        if profile is not None and profile.get("feature-set") == "proxy":
            raise CmdbError(
                BAD_VALUE,
                f'{name} "{row[name]}" has feature-set proxy and the policy inspection-mode flow.',
            )

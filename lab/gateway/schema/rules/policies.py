"""Rules about policies, security profiles and signatures of one's own."""

from __future__ import annotations

from lab.gateway.errors import BAD_VALUE, CmdbError, bad_value, missing, not_here
from lab.gateway.schema import values
from lab.gateway.schema.model import Row, View
from lab.gateway.schema.parsers import NEVER
from lab.gateway.schema.rules.modes import FIRST_ZONE, must_not_name_members, sdwan_members
from lab.gateway.schema.rules.registry import check, complete
from lab.gateway.schema.signatures import (
    APPLICATION_IDS,
    CATEGORIES,
    FIRST_APPLICATION,
    FIRST_IPS_RULE,
    IPS_RULE_IDS,
    numbered,
)
from lab.inspector.marks import SERVER_LEG_SESSION
from lab.inspector.urlfilter import UrlEntry

# Attributes of a policy that name profiles which may need a proxy, and their tables.
_PROFILES = {
    "av-profile": "antivirus/profile",
    "webfilter-profile": "webfilter/profile",
    "file-filter-profile": "file-filter/profile",
}


_INTERNET_SERVICES = {
    "internet-service": {"dstaddr", "service"},
    "internet-service-src": {"srcaddr"},
    "internet-service6": {"dstaddr6", "service"},
    "internet-service6-src": {"srcaddr6"},
}
"""Switch -> what it stands in for."""
_KINDS_OF_SERVICES = ("name", "group", "custom", "custom-group")
_HIGHEST = SERVER_LEG_SESSION - 1
_MOST_NESTED = 16
_EXPRESSION = (
    "a regular expression that the lab's inspector can match in linear time, without look-around, "
    "back-references, atomic groups, possessive quantifiers and more than 1,000 repeats"
)


def _check_feature_sets(row: Row, view: View) -> None:
    """Check that a policy in flow mode names no profile that needs a proxy.

    Raises:
        CmdbError: it does.
    """
    if row["inspection-mode"] != "flow":
        return
    for name, table in _PROFILES.items():
        profile = view.find(table, row[name]) if row[name] else None
        if profile is not None and profile.get("feature-set") == "proxy":
            raise CmdbError(
                BAD_VALUE,
                f'{name} "{row[name]}" has feature-set proxy and the policy inspection-mode flow.',
            )


def _check_is_no_proxys(name: str, view: View, depth: int = 0) -> None:
    """Check that a service, or none of a group's, is one that only a proxy knows.

    Raises:
        CmdbError: it is one.
    """
    service = view.find("firewall.service/custom", name)
    group = view.find("firewall.service/group", name) if depth < _MOST_NESTED else None
    if (service or group or {}).get("proxy") == "enable":
        raise CmdbError(
            BAD_VALUE,
            f"entry not found in datasource\n\nvalue parse error before '{name}' (service), "
            "which is a proxy's",
        )
    for member in group["member"] if group is not None else ():
        _check_is_no_proxys(member["name"], view, depth + 1)


def _internet_services(row: Row) -> set[str]:
    """The attributes that Internet services stand in for.

    Raises:
        CmdbError: a policy goes by them and names none.
    """
    replaced: set[str] = set()
    for switch, keys in _INTERNET_SERVICES.items():
        if row[switch] == "enable":
            if not any(row[f"{switch}-{kind}"] for kind in _KINDS_OF_SERVICES):
                raise missing(f"{switch}-name")
            replaced |= keys
    return replaced


def _check_marking(row: Row) -> None:
    """Check that a policy by type of service is for marked packets, which the lab lets it not meet.

    Raises:
        CmdbError: it is for packets without a mark.
    """
    mask, value = (int(row[name], 16) for name in ("tos-mask", "tos"))
    if mask and (not value & mask or row["tos-negate"] == "enable"):
        raise not_here("tos of unmarked packets", row["tos"])


def _check_sdwan(row: Row, view: View) -> None:
    """Check that a policy names SD-WAN only where that is on.

    Raises:
        CmdbError: it is off.
    """
    named = {member["name"] for side in ("srcintf", "dstintf") for member in row[side]}
    if FIRST_ZONE in named and not sdwan_members(view):
        raise CmdbError(BAD_VALUE, f"entry not found in datasource\n\nvalue parse error before "
                                   f"'{FIRST_ZONE}', as SD-WAN has no member")


@check("firewall/policy")
def _policy(row: Row, view: View) -> None:
    by_service = _internet_services(row)
    for needed in ("srcintf", "dstintf", "service", "schedule"):
        if not row[needed] and needed not in by_service:
            raise missing(needed)
    has = {key for key in ("srcaddr", "dstaddr", "srcaddr6", "dstaddr6") if row[key]} | by_service
    if not ({"srcaddr", "dstaddr"} <= has or {"srcaddr6", "dstaddr6"} <= has):
        for needed in ("srcaddr", "dstaddr"):
            if not has & {needed, needed + "6"}:
                raise missing(needed)
        raise CmdbError(BAD_VALUE, "Source and destination address must be of one IP version.")
    if row["policy-expiry"] == "enable" and row["policy-expiry-date"] == NEVER:
        raise missing("policy-expiry-date")
    _check_marking(row)
    _check_sdwan(row, view)
    must_not_name_members(row, view)
    if row["policyid"] > _HIGHEST:
        raise bad_value("policyid", row["policyid"], f"{_HIGHEST} at most")
    for member in row["service"]:
        _check_is_no_proxys(member["name"], view)
    if row["nat"] == row["ippool"] == "enable" and not (row["poolname"] or row["poolname6"]):
        raise missing("poolname")
    _check_feature_sets(row, view)


@check("firewall/proxy-policy")
def _proxy_policy(row: Row, view: View) -> None:
    for needed in ("proxy", "dstintf", "service", "schedule"):
        if not row[needed]:
            raise missing(needed)
    if not (row["srcaddr"] or row["srcaddr6"]):
        raise missing("srcaddr")
    if not (row["dstaddr"] or row["dstaddr6"]):
        raise missing("dstaddr")
    if row["proxy"] == "transparent-web" and not row["srcintf"]:
        raise missing("srcintf")
    must_not_name_members(row, view)


@check("firewall/local-in-policy")
def _local_in_policy(row: Row, view: View) -> None:
    for needed in ("intf", "srcaddr", "dstaddr", "service", "schedule"):
        if not row[needed]:
            raise missing(needed)


@check("web-proxy/explicit")
def _explicit_proxy(row: Row, view: View) -> None:
    if row["status"] == "enable" and not row["http-incoming-port"]:
        raise missing("http-incoming-port")


@check("web-proxy/global")
def _proxys_name(row: Row, view: View) -> None:
    values.fqdn("proxy-fqdn", row["proxy-fqdn"])


@check("webfilter/urlfilter")
def _urlfilter(row: Row, view: View) -> None:
    for entry in row["entries"]:
        if not entry["url"]:
            raise missing("url")
        try:
            UrlEntry.of(entry["url"], entry["type"], entry["action"])
        except ValueError as error:
            raise bad_value("url", entry["url"], f"{_EXPRESSION} ({error})") from None
        if entry["action"] == "exempt" and "all" not in entry["exempt"].split():
            raise not_here("exempt", f"{entry['exempt']} without all")


@check("file-filter/profile")
def _file_filter(row: Row, view: View) -> None:
    for rule in row["rules"]:
        if not rule["file-type"]:
            raise missing("file-type")


@complete("ips/custom")
def _with_rule_id(row: Row, view: View) -> Row:
    """With the number that the signature names, or the next one."""
    numbered(row, "rule-id", FIRST_IPS_RULE, view.taken("ips/custom", "rule-id"), IPS_RULE_IDS)
    return row


@complete("application/custom")
def _with_application_id(row: Row, view: View) -> Row:
    """With the number that the signature names, or the next; the category that it names."""
    taken = view.taken("application/custom", "id")
    signature = numbered(row, "id", FIRST_APPLICATION, taken, APPLICATION_IDS)
    if signature.category is not None:
        row["category"] = signature.category
    if row["category"] not in CATEGORIES:
        raise bad_value("category", row["category"], " ".join(map(str, CATEGORIES)))
    return row

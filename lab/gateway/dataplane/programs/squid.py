"""Squid's configuration for the explicit web proxy. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lab.gateway.dataplane.intent.proxy import Proxy, ProxyRule
from lab.gateway.dataplane.intent.ranges import (
    EVERY_ADDRESS,
    EVERY_PORT,
    Spans,
    address_elements,
    port_elements,
    subtract,
)

MIXER_FILE = "mixer.sh"

# Nothing is kept: a cache would measure itself. Headers of the client pass as they are, which is
# what a web proxy profile of FortiOS does unless told otherwise. 8192 descriptors: a user takes
# two (client and server), so it is room for some 4000.
_ALWAYS = """\
access_log none
cache_log cache.log
cache_store_log none
pid_filename none
coredump_dir none
pinger_enable off
digest_generation off
cache deny all
cache_mem 8 MB
shutdown_lifetime 0 seconds
max_filedescriptors 8192
via off
forwarded_for transparent
httpd_suppress_version_string on
dns_timeout 5 seconds
"""
_A_LINE = 20
_MAPPED: Spans = ((0xFFFF << 32, (0xFFFF << 32) + 0xFFFFFFFF),)


def squid_configuration(proxy: Proxy) -> str:
    """The whole configuration file."""
    lines = [
        *(f"http_port {_host(item.address)}:{item.port}" for item in proxy.listeners),
        *_ALWAYS.splitlines(),
        f"visible_hostname {proxy.name}",
        f"request_header_max_size {proxy.message_kb} KB",
        f"reply_header_max_size {proxy.message_kb} KB",
        "acl tls_port port 443",
        *_acl("own", "dst", ["127.0.0.0/8", "::1", *proxy.own]),
        "http_access deny manager",
        # What comes from the proxy itself would pass where an interface's allowaccess does not.
        "http_access deny own",
        "http_access deny CONNECT !tls_port",
    ]
    for number, rule in enumerate(proxy.rules):
        lines += _rule(number, rule)
    lines.append(f"http_access {'allow' if proxy.accepts_rest else 'deny'} all")
    if proxy.users is not None:
        # squid compares before it counts the new connection, so one more than it says gets in.
        lines.append(f"client_ip_max_connections {max(proxy.users - 1, 0)}")
    if proxy.mixes:
        lines += [
            f"url_rewrite_program /bin/sh {MIXER_FILE} {proxy.mixes}",
            "url_rewrite_children 1 startup=1 concurrency=10000",
            "url_rewrite_access deny CONNECT",
            "url_rewrite_access allow all",
        ]
    return "\n".join(lines) + "\n"


MIXER = """\
# Sends every $1-th request where the one before it went.
count=0 before=
while read -r channel url rest; do
    count=$((count + 1))
    if [ $((count % $1)) -eq 0 ] && [ -n "$before" ]; then
        echo "$channel OK rewrite-url=\\"$before\\""
    else
        echo "$channel ERR"
    fi
    before=$url
done
"""


def _rule(number: int, rule: ProxyRule) -> Iterable[str]:
    conditions = []
    for kind, found in (("src", rule.sources), ("dst", rule.dests)):
        if found != EVERY_ADDRESS:
            conditions.append(f"{kind}{number}")
            yield from _acl(conditions[-1], kind, _addresses(found))
    if rule.ports != EVERY_PORT:
        conditions.append(f"port{number}")
        yield from _acl(conditions[-1], "port", port_elements(rule.ports))
    verdict = "allow" if rule.accept else "deny"
    yield " ".join(["http_access", verdict, *(conditions or ["all"])])


def _addresses(found: Mapping[int, Spans]) -> list[str]:
    return [text for version in sorted(found) for text in _elements(found[version], version)]


def _elements(spans: Spans, version: int) -> Iterable[str]:
    """Spans in squid's notation, so that those of one IP version hold for that version alone.

    squid keeps IPv4 addresses as IPv6 ones (`::ffff:0:0/96`), and takes 0.0.0.0/0 for both.
    """
    if version == 6:
        return address_elements(subtract(spans, _MAPPED, EVERY_ADDRESS[6]), 6)
    if spans == EVERY_ADDRESS[4]:
        return ["0.0.0.0/1", "128.0.0.0/1"]
    return address_elements(spans, version)


def _acl(name: str, kind: str, values: Iterable[str]) -> Iterable[str]:
    """Lines that define one list; squid reads lines of a limited length, and adds them up."""
    values = list(values)
    for start in range(0, len(values), _A_LINE):
        yield " ".join(["acl", name, kind, *values[start : start + _A_LINE]])


def _host(address: str) -> str:
    return f"[{address}]" if ":" in address else address

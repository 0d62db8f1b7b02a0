"""What is kept of a configuration as text shows nothing but what is known to be harmless."""

from __future__ import annotations

import pytest

from gatepass.gateway.config_objects import object_changes
from gatepass.gateway.configuration import comparable, differences
from gatepass.gateway.masked_configuration import masked_configuration

HUSH = "T0KEN/B0/xyzzy"


def within(section: str, *lines: str) -> str:
    return "\n".join([f"config {section}", "    edit 1", *lines, "    next", "end", ""])


KINDS = {
    "webhook": within("system automation-action", f'set uri "hooks.slack.com/services/{HUSH}"'),
    "headers": within("system automation-action", f'set headers "Authorization: Basic {HUSH}"'),
    "header": within(
        "system automation-action",
        "config http-headers", "edit 1", 'set key "X-Key"', f'set value "{HUSH}"', "next", "end",
    ),
    "body of a request": within(
        "system automation-action", f'set http-body "{{\\"k\\": \\"{HUSH}\\"}}"'
    ),
    "script": within("system automation-action", f'set script "config user local\n {HUSH}\nend"'),
    "script of lines": within("system auto-script", f'set script "a\n\n#{HUSH}\n"', "set repeat 3"),
    "URL with a log-in": within("system external-resource", f'set resource "https://u:{HUSH}@h/x"'),
    "only a user": within("system external-resource", f'set resource "https://{HUSH}@h/x"'),
    "community": within("system snmp community", f'set name "{HUSH}"'),
    "community of switches": within("switch-controller snmp-community", f'set name "{HUSH}"'),
    "community of one switch": within(
        "switch-controller managed-switch",
        "config snmp-community", "edit 1", f'set name "{HUSH}"', "next", "end",
    ),
    "community of wireless": within(
        "wireless-controller snmp",
        "config community", "edit 1", f'set name "{HUSH}"', "next", "end",
    ),
    "community as a word": within("system snmp community", "set name hunter2xyzzy"),
    "community as a key": f'config system snmp community\n    edit "{HUSH}"\n    next\nend\n',
    "activation code": within("user fortitoken", f'set activation-code "{HUSH}"'),
    "activation code as a word": within("user fortitoken", "set activation-code EEIDxyzzy"),
    "licence": within("user fortitoken", f'set license "{HUSH}"'),
    "registration": within("user fortitoken", f'set reg-id "{HUSH}"'),
    "encrypted": within("user local", f"set passwd ENC {HUSH}=="),
    "encrypted, of other letters": within("user local", "set passwd ENC $2y$xyzzy#!"),
    "access key": within("system sdn-connector", f'set access-key "{HUSH}"'),
    "key of a chain": within("router key-chain", f'set key-string "{HUSH}"'),
    "user of a service": within("system ddns", f'set ddns-username "{HUSH}"'),
    "comment": within("firewall policy", f'set comments "the password is {HUSH}"'),
    "page": within("system replacemsg-image", f'set image-base64 "{HUSH}"'),
    "key of an address": f'config webfilter urlfilter\nedit "https://u:{HUSH}@h"\nnext\nend',
    "name with a log-in": within("firewall policy", f'set name "https://u:{HUSH}@h"'),
    "appended": within("system csf", f'append downstream-authorization "{HUSH}"'),
    "word without a command": within("firewall policy", f"{HUSH}"),
    "of a domain": "config vdom\nedit root\n"
    + within("system snmp community", f'set name "{HUSH}"'),
    "private key": within(
        "firewall ssh local-key",
        f'set private-key "-----BEGIN RSA PRIVATE KEY-----\n{HUSH}\n-----END RSA PRIVATE KEY-----"',
    ),
    "cut off": f'config system automation-action\n    edit "a"\n        set uri "x/{HUSH}',
    "of a head": f"#config-version=a\n#private-encryption-key={HUSH}\nconfig a b\nend\n",
}


@pytest.mark.parametrize("text", KINDS.values(), ids=list(KINDS))
def test_no_secret_of_any_kind_is_kept_or_shown(text: str) -> None:
    kept = comparable(text)
    changed = text.replace("xyzzy", "other")
    now = comparable(changed)
    told = [one.sentence for one in object_changes(kept, now)] + list(differences(kept, now))
    for shown in (kept, masked_configuration(text), " ".join(told)):
        assert "xyzzy" not in shown and "hunter2" not in shown and "T0KEN" not in shown
    assert comparable(kept) == kept, "what is comparable stays as it is"


@pytest.mark.parametrize(
    "name", [name for name in KINDS if name not in ("of a head", "private key")]
)
def test_another_secret_is_a_difference(name: str) -> None:
    """But of what a device encrypts anew for each backup."""
    text = KINDS[name]
    before, after = comparable(text), comparable(text.replace("xyzzy", "other"))
    assert (before != after) == ("ENC" not in text)


SHOWN = """config firewall policy
    edit 7
        set name "to the web"
        set uuid 8e7b4fba-6f3e-51ee-9a5c-1f2d3c4b5a69
        set srcintf "port2" "vlan 10"
        set dstaddr "all"
        set action accept
        set schedule "always"
        set service "HTTP" "HTTPS"
        set tcp-portrange 80-90 443:1024-65535
        set comments "gp0a1b2c-1"
        unset utm-status
    next
end
config system interface
    edit "port1"
        set ip 192.0.2.1 255.255.255.0
        set allowaccess ping https
        set mac 02:67:70:0a:1b:2c
        config ipv6
            set ip6-address 2001:db8::1/64
        end
    next
end
config system global
    set hostname "customer-gw"
    set timezone "Europe/Helsinki"
end
"""


def test_what_is_harmless_stands_there_as_it_came() -> None:
    assert masked_configuration(SHOWN) == SHOWN and comparable(SHOWN) == SHOWN


def test_a_sentence_names_object_and_attribute() -> None:
    text = KINDS["webhook"]
    (one,) = object_changes(comparable(text), comparable(text.replace("xyzzy", "other")))
    assert one.sentence == (
        "system/automation-action 1 was changed "
        "(before: set uri ***; now: set uri ***)"
    )


def test_without_a_key_all_that_is_masked_is_alike() -> None:
    text = KINDS["webhook"]
    digests = comparable(text, b"one"), comparable(text, b"another")
    assert digests[0] != digests[1]
    assert comparable(digests[0], b"") == comparable(digests[1], b"") == comparable(text, b"")
    old = within("system snmp community", "set name ***")
    assert comparable(KINDS["community"], b"") == comparable(old, b"")

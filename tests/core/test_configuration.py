"""Configurations as text that can be compared and kept."""

from __future__ import annotations

import random

from gatepass.gateway.configuration import comparable, differences

BACKUP = """#config-version=FGVM64-7.4.8-FW-build2795-250522:opmode=0:vdom=0:user=admin
#conf_file_ver=1234
config user local
    edit "alice"
        set passwd ENC AbC+/=dEf

        set status enable
    next
end
config vpn certificate local
    edit "own"
        set private-key "-----BEGIN ENCRYPTED PRIVATE KEY-----
MIIabc
-----END ENCRYPTED PRIVATE KEY-----"
    next
end
"""


COMMUNITY = """config system snmp community
    edit 1
        set name "hush-hush"
        config hosts
            edit 1
                set ip 192.0.2.1 255.255.255.255
            next
        end
    next
end
config firewall address
    edit "a"
        set name "kept"
    next
end
"""


def test_what_the_device_shows_in_clear_is_masked() -> None:
    kept = comparable(COMMUNITY)
    assert "hush-hush" not in kept
    assert "192.0.2.1" in kept and '"kept"' in kept


def test_two_backups_of_one_configuration_are_equal() -> None:
    later = BACKUP.replace("ver=1234", "ver=1235").replace("AbC+/=dEf", "XyZ").replace("abc", "xyz")
    assert comparable(BACKUP) == comparable(later)
    assert differences(comparable(BACKUP), comparable(later)) == ()


def _with_updates(service: str, renewed: str) -> str:
    return f"""{BACKUP}config firewall internet-service-name
    edit "{service}"
        set internet-service-id 65536
    next
end
config vpn certificate local
    edit "own"
        set comments "Renewed with ACME on {renewed} (UTC)"
    next
    edit "other"
        set comments "for the web server"
    next
end
"""


def test_what_a_device_rewrites_by_itself_is_no_difference() -> None:
    before = comparable(_with_updates("Google-Other", "Mon Nov 2 10:00:00 2026"))
    after = comparable(_with_updates("Google-Web", "Tue Nov 3 10:00:00 2026"))
    assert differences(before, after) == ()
    assert after.count("set comments") == 1 and "set passwd" in after


def test_no_secret_is_kept() -> None:
    kept = comparable(BACKUP)
    assert not any(secret in kept for secret in ("AbC", "dEf", "MIIabc", "PRIVATE KEY"))
    assert "set status enable" in kept


def test_a_difference_is_told_with_its_section() -> None:
    after = comparable(BACKUP.replace("enable", "disable"))
    assert differences(comparable(BACKUP), after) == (
        "config user local: - set status enable",
        "config user local: + set status disable",
    )


def test_the_same_line_in_another_section_is_a_difference() -> None:
    one = "config firewall address\n    edit 1\nend\nconfig firewall policy\nend\n"
    other = "config firewall address\nend\nconfig firewall policy\n    edit 1\nend\n"
    assert len(differences(one, other)) == 2


def test_many_differences_are_a_screenful() -> None:
    # a comparison line by line with a look for similar ones would take minutes here
    made = random.Random(1)
    one, other = (
        "".join(f"    set comment {made.random()} of many\n" for _ in range(4000)) for _ in "ab"
    )
    told = differences(one, other)
    assert len(told) == 41
    assert told[-1] == "… and 7960 further lines"

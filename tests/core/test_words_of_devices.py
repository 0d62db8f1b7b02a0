"""What a device tells of addresses and names is of its type, or is refused in one sentence."""

from __future__ import annotations

from copy import deepcopy

import pytest

from gatepass.gateway.answers import Malformed
from gatepass.gateway.tables import must_be_answer

ANSWERS = {
    "system/interface": {"results": {"port1": {"ip": "198.18.1.1", "rx_packets": 1}}},
    "system/dhcp": {
        "results": [{"ip": "198.18.1.9", "mac": "02:00:5e:10:00:01", "interface": "port1"}]
    },
    "vpn/ipsec": {
        "results": [{"name": "t", "type": "dialup", "user": "a", "tun_id": "198.19.0.1"}]
    },
    "vpn/ssl": {"results": [{"user_name": "a", "subsessions": [{"aip": "198.19.0.1"}]}]},
    "user/banned": {"results": [{"ip_address": "2001:db8::1"}]},
    "router/ipv4": {"results": [{"ip_mask": "0.0.0.0/0", "interface": "port1"}]},
    "router/ipv6": {"results": [{"ip_mask": "::/0", "interface": "port1"}]},
}
ADDRESSES = {
    "system/interface": ("port1", "ip"),
    "system/dhcp": (0, "ip"),
    "vpn/ipsec": (0, "tun_id"),
    "vpn/ssl": (0, "subsessions", 0, "aip"),
    "user/banned": (0, "ip_address"),
}
NAMES = {
    "system/dhcp": (0, "interface"),
    "vpn/ipsec": (0, "user"),
    "vpn/ssl": (0, "user_name"),
    "router/ipv4": (0, "interface"),
    "router/ipv6": (0, "interface"),
}
NO_ADDRESSES = (
    "198.18.1.1;id >/run/x;:",
    "$(id)",
    "`id`",
    "198.18.1.1 -j ACCEPT",
    "198.18.1.1\n",
    "fe80::1%$(id)",
    "198.18.1.256",
    "::ffff:198.18.1.1'",
    "\x1b[2J",
)


def with_word(path: str, place: tuple[str | int, ...], word: object) -> dict:
    """The answer with another word at a place among its results."""
    answer = deepcopy(ANSWERS[path])
    at = answer["results"]
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = word
    return answer


@pytest.mark.parametrize("path", ANSWERS)
def test_an_honest_answer_is_taken(path: str) -> None:
    must_be_answer(path, ANSWERS[path])


@pytest.mark.parametrize("word", NO_ADDRESSES)
@pytest.mark.parametrize("path", ADDRESSES)
def test_what_is_no_address_is_refused(path: str, word: str) -> None:
    with pytest.raises(Malformed, match=f"answer to GET monitor/{path} is not the API's") as caught:
        must_be_answer(path, with_word(path, ADDRESSES[path], word))
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("word", ["a\nb", "a\x1b[2Jb", "a\u202eb", "\0", 7, ["a"]])
@pytest.mark.parametrize("path", NAMES)
def test_what_is_no_name_is_refused(path: str, word: object) -> None:
    with pytest.raises(Malformed):
        must_be_answer(path, with_word(path, NAMES[path], word))


@pytest.mark.parametrize("word", ["02:00:5e:10:00", "02:00:5e:10:00:01;id", "02:00:5e:10:00:0g"])
def test_what_is_no_mac_address_is_refused(word: str) -> None:
    with pytest.raises(Malformed):
        must_be_answer("system/dhcp", with_word("system/dhcp", (0, "mac"), word))


def test_a_port_without_an_address_is_one() -> None:
    must_be_answer("system/interface", with_word("system/interface", ("port1", "ip"), ""))
    must_be_answer("system/interface", with_word("system/interface", ("port1", "ip"), "0.0.0.0"))

"""What the gateway itself opens, by its configuration."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import pytest

from gatepass.gateway.answers import Malformed, Refused
from gatepass.gateway.own_services import OwnServices
from gatepass.gateway.tables import must_be_rows

ROWS: dict[str, list[Mapping]] = {
    "system/global": [{"admin-sport": 8443, "admin-ssh-port": 22}],
    "vpn.ssl/settings": [
        {"status": "enable", "port": 10443, "source-interface": [{"name": "wan"}]}
    ],
    "web-proxy/explicit": [{"status": "enable", "http-incoming-port": "8080 8090-8091"}],
    "system/dns-server": [{"name": "lan"}],
}


def gateway(refused: Mapping[str, Refused] | None = None) -> SimpleNamespace:
    """One that answers so, or refuses a table."""

    def rows(path: str) -> list[Mapping]:
        if refused and path in refused:
            raise refused[path]
        return ROWS[path]

    return SimpleNamespace(rows=rows)


def ports(services: OwnServices, **row: str) -> set[int]:
    return set(services.on(row, 4))


def test_what_a_port_offers() -> None:
    services = OwnServices(gateway())
    assert ports(services, name="wan", allowaccess="https ping") == {8443, 10443}
    lan = {"name": "lan", "explicit-web-proxy": "enable"}
    assert ports(services, **lan) == {8080, 8090, 8091, 53}


def test_a_table_that_a_model_lacks_opens_nothing() -> None:
    lacking = {"vpn.ssl/settings": Refused("no such table", status=404)}
    assert ports(OwnServices(gateway(lacking)), name="wan", allowaccess="https") == {8443}


@pytest.mark.parametrize("status", [403, 500])
def test_a_table_that_may_not_be_read_may_open_something(status: int) -> None:
    with pytest.raises(Refused, match="not this user"):
        OwnServices(gateway({"vpn.ssl/settings": Refused("not this user", status=status)}))


@pytest.mark.parametrize(
    ("path", "row"),
    [
        ("system/global", {"admin-sport": "443; id"}),
        ("system/global", {"admin-sport": 70_000}),
        ("vpn.ssl/settings", {"port": -1}),
        ("web-proxy/explicit", {"http-incoming-port": "8080 $(id)"}),
        ("web-proxy/explicit", {"http-incoming-port": "8080-"}),
    ],
)
def test_a_port_is_a_number(path: str, row: Mapping) -> None:
    with pytest.raises(Malformed):
        must_be_rows(path, [row], "")


@pytest.mark.parametrize("path", ROWS)
def test_an_honest_table_is_taken(path: str) -> None:
    must_be_rows(path, ROWS[path], "")

"""Custom signatures: their numbers, and the sensors and lists that name them."""

from __future__ import annotations

import pytest
from gateway_client import GatewayUnderTest
from security_client import (
    APP_CUSTOM,
    APP_LIST,
    IPS_CUSTOM,
    SENSOR,
    refused,
    signature,
)


@pytest.mark.parametrize(
    ("path", "number", "first"), [(IPS_CUSTOM, "rule-id", 2000), (APP_CUSTOM, "id", 0x1000_0000)]
)
def test_the_device_numbers_signatures(
    api: GatewayUnderTest, path: str, number: str, first: int
) -> None:
    more = {"app_cat": 25} if path == APP_CUSTOM else {}
    for tag in ("a", "b"):
        api.post(path, {"tag": tag, "signature": signature(tag, **more)})
    api.post(path, {"tag": "own", "signature": signature("own", attack_id=4242, **more)})
    api.post(path, {"tag": "told", "signature": signature("told", **more), number: 5555})
    rows = {row["tag"]: row for row in api.get(path)}
    assert [rows[tag][number] for tag in ("a", "b", "own", "told")] == [
        first,
        first + 1,
        4242,
        5555,
    ]
    assert rows["a"]["signature"] == signature("a", **more)
    assert (
        refused(
            api, "POST", path, {"tag": "c", "signature": signature("c", attack_id=4242, **more)}
        )[0]
        == -5
    )
    assert (
        refused(api, "POST", path, {"tag": "c", "signature": signature("c", **more), number: 5555})[
            0
        ]
        == -5
    )
    api.put(f"{path}/a", {"comment": "same number"})
    assert api.get(f"{path}/a")[0][number] == first
    api.kill()
    api.start()
    assert {row["tag"]: row[number] for row in api.get(path)} == {
        tag: row[number] for tag, row in rows.items()
    }
    for tag in rows:
        api.delete(f"{path}/{tag}")


def test_the_predefined_numbers_are_taken(api: GatewayUnderTest) -> None:
    assert (
        refused(
            api, "POST", IPS_CUSTOM, {"tag": "x", "signature": signature("x"), "rule-id": 29844}
        )[0]
        == -5
    )
    assert (
        refused(
            api,
            "POST",
            APP_CUSTOM,
            {"tag": "x", "id": 15893, "signature": signature("x", app_cat=25)},
        )[0]
        == -5
    )


def test_a_sensor_holds_its_signature(api: GatewayUnderTest) -> None:
    api.post(
        IPS_CUSTOM,
        {"tag": "held", "severity": "high", "action": "block", "signature": signature("held")},
    )
    number = api.get(f"{IPS_CUSTOM}/held")[0]["rule-id"]
    api.post(
        SENSOR,
        {
            "name": "s",
            "entries": [
                {"rule": [{"id": number}, {"id": 29844}], "status": "enable", "action": "block"}
            ],
        },
    )
    assert refused(api, "DELETE", f"{IPS_CUSTOM}/held")[0] == -23
    assert refused(api, "PUT", f"{IPS_CUSTOM}/held", {"rule-id": number + 1})[0] == -23
    assert refused(api, "DELETE", IPS_CUSTOM)[0] == -23
    api.put(f"{IPS_CUSTOM}/held", {"tag": "held too", "severity": "low"})
    assert refused(api, "DELETE", f"{IPS_CUSTOM}/held too")[0] == -23
    rule = api.applied()["config"]["ips/sensor"][-1]["entries"][0]["rule"]
    assert [row["id"] for row in rule] == [number, 29844]
    api.delete(f"{SENSOR}/s")
    api.delete(f"{IPS_CUSTOM}/held too")


def test_a_list_holds_its_application(api: GatewayUnderTest) -> None:
    api.post(APP_CUSTOM, {"tag": "app", "signature": signature("app", app_cat=25)})
    row = api.get(f"{APP_CUSTOM}/app")[0]
    assert row["category"] == 25
    api.post(
        APP_LIST,
        {
            "name": "al",
            "entries": [
                {"application": [{"id": row["id"]}], "action": "block"},
                {"application": [{"id": 15893}], "action": "pass"},
            ],
        },
    )
    assert refused(api, "DELETE", f"{APP_CUSTOM}/app")[0] == -23
    api.delete(f"{APP_LIST}/al")
    api.delete(f"{APP_CUSTOM}/app")


@pytest.mark.parametrize("path", [IPS_CUSTOM, APP_CUSTOM])
def test_a_signature_that_the_lab_cannot_carry_out(api: GatewayUnderTest, path: str) -> None:
    error, text = refused(
        api, "POST", path, {"tag": "x", "signature": signature("x", app_cat=25, pcre='"/x/"')}
    )
    assert error == -651
    assert "--pcre" in text
    assert refused(api, "POST", path, {"tag": "x"})[0] == -651
    assert api.get(path) == []

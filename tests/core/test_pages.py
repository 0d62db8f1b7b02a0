"""Tables are read whole, or not at all."""

from __future__ import annotations

import pytest
from api_server import ScriptedApi, told

from gatepass.gateway.answers import Malformed
from gatepass.gateway.fortigate import FortiGate

PATH = "firewall/policy"
ALL = [{"policyid": number, "name": f"p{number}"} for number in range(1, 6)]


def page(begin: int, end: int, next_idx: int, cut: bool, **more: object):
    """Rows of `ALL` as FortiOS ends such an answer."""
    fields = {"size": 5, "matched_count": 5, "next_idx": next_idx, "limit_reached": cut} | more
    return told(results=ALL[begin:end], **fields)


@pytest.mark.parametrize(
    "pages",
    [
        [page(0, 2, 2, True), page(2, 4, 4, True), page(4, 5, 5, False)],
        [page(0, 2, 1, True), page(2, 4, 3, True), page(4, 5, 4, False)],
        [page(0, 3, 2, False), page(3, 5, 4, False)],
        [page(0, 3, 2, True, matched_count=None), page(3, 5, 4, False, matched_count=None)],
        [page(0, 5, 5, True), page(5, 5, 5, False)],
        [told(results=ALL)],
        [page(0, 5, 4, False)],
    ],
    ids=["next index", "last index", "count alone", "mark alone", "mark at the end", "none", "one"],
)
def test_a_table_in_pieces_is_read_to_its_end(
    api: ScriptedApi, client: FortiGate, pages: list
) -> None:
    api.script = list(pages)
    assert client.rows(PATH) == ALL
    assert len(api.calls) == len(pages)
    starts = [call.path.partition("start=")[2].partition("&")[0] for call in api.calls]
    assert starts[:1] == [""] and all(starts[1:])


@pytest.mark.parametrize(
    "rest",
    [page(0, 2, 2, True), page(5, 5, 5, True), told(), told(results={"name": "a"})],
    ids=["the same again", "nothing", "no rows", "no list"],
)
def test_a_table_whose_rest_does_not_come_is_refused(
    api: ScriptedApi, client: FortiGate, rest
) -> None:
    api.script = [page(0, 2, 2, True), rest]
    with pytest.raises(Malformed, match=f"GET cmdb/{PATH} with 2 of 5 rows"):
        client.rows(PATH)


def test_who_wants_some_rows_gets_them(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [page(0, 2, 2, True)]
    assert client.rows(PATH, count=2) == ALL[:2]
    assert len(api.calls) == 1


def test_a_monitor_in_pieces_is_read_to_its_end(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [page(0, 2, 2, True), page(2, 5, 5, False)]
    assert client.monitor(PATH)["results"] == ALL
    api.script = [page(0, 2, 2, True), told(results=[])]
    with pytest.raises(Malformed, match=f"GET monitor/{PATH} with 2 of 5 rows"):
        client.monitor(PATH)


def test_the_rest_is_of_the_same_question(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [page(0, 2, 2, True), page(2, 5, 4, False)]
    client.rows(PATH, filter="name!=x", format="policyid")
    assert all("format=policyid" in call.path and "filter=" in call.path for call in api.calls)

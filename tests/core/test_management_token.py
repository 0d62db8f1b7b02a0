"""What an answer to a call without a token says about the gateway."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from api_server import ScriptedApi, text
from played import Played

from gatepass.base.errors import NotProven
from Management import Management

DATA = json.dumps({"status": "success", "results": {"hostname": "x"}, "serial": "FGT1"})


@pytest.fixture
def knock(api: ScriptedApi, certificates) -> Management:
    gateway = SimpleNamespace(url=api.url, ca_file=certificates / "ca.pem")
    return Management(Played(testbed=SimpleNamespace(gateway=gateway)))


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal(knock: Management, api: ScriptedApi, status: int) -> None:
    api.script = [text(status, "")]
    knock.the_management_plane_should_refuse_a_call_without_a_token()


@pytest.mark.parametrize("status", [200, 401, 404])
def test_data_for_anybody(knock: Management, api: ScriptedApi, status: int) -> None:
    api.script = [text(status, DATA)]
    with pytest.raises(AssertionError, match="and with data"):
        knock.the_management_plane_should_refuse_a_call_without_a_token()


@pytest.mark.parametrize("status", [200, 302, 404])
def test_a_page_says_nothing(knock: Management, api: ScriptedApi, status: int) -> None:
    api.script = [text(status, "<html>Please log in</html>")]
    with pytest.raises(NotProven, match="is not the REST API's, so it cannot be determined"):
        knock.the_management_plane_should_refuse_a_call_without_a_token()

"""Who the provider is: what may stand in the file, and where it is sought."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from gatepass import cli
from gatepass.base.errors import InputError
from gatepass.inputs.provider import NAME, load_provider, provider_file

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 40
WHOLE = "name: Example Networks\ncontact: quality@example.net\n"


def written(folder: Path, text: str) -> Path:
    path = folder / NAME
    path.write_text(text)
    return path


def test_all_that_it_may_say(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(PNG)
    more = "operator: Team 2\nplace: Espoo\nrecords: https://records.example.net\nlogo: logo.png\n"
    provider = load_provider(written(tmp_path, WHOLE + more))
    assert provider is not None
    facts = provider.facts()
    assert facts.pop("logo") == f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    assert facts == {
        "name": "Example Networks",
        "contact": "quality@example.net",
        "operator": "Team 2",
        "place": "Espoo",
        "records": "https://records.example.net",
    }


def test_what_it_leaves_out_is_not_there(tmp_path: Path) -> None:
    provider = load_provider(written(tmp_path, WHOLE))
    assert provider is not None and provider.facts().keys() == {"name", "contact"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name: A\n", "contact"),
        ("contact: b\n", "name"),
        (WHOLE + "operater: x\n", "operater"),
        (WHOLE + "records: ftp://x\n", "http:// or https://"),
        (WHOLE + "logo: none.png\n", "does not exist"),
        (WHOLE + "logo: provider.yaml\n", ".svg or .png"),
        (WHOLE + "logo: false.png\n", "no picture of its ending"),
        (WHOLE + "logo: 3\n", ".svg or .png"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "false.png").write_text("<html/>")
    with pytest.raises(InputError, match=told) as caught:
        load_provider(written(tmp_path, text))
    assert NAME in str(caught.value)


def test_a_logo_that_is_too_large(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(PNG + b"0" * 70_000)
    with pytest.raises(InputError, match="at most 64 KB"):
        load_provider(written(tmp_path, WHOLE + "logo: logo.png\n"))


def test_the_file_beside_the_testbed_comes_first(tmp_path: Path) -> None:
    variables, site = tmp_path / "variables", tmp_path / "site"
    for folder in (variables, site):
        folder.mkdir()
    assert provider_file(site / "testbed.yaml", variables) is None
    own = written(variables, WHOLE)
    assert provider_file(site / "testbed.yaml", variables) == own
    assert provider_file(None, variables) == own
    beside = written(site, WHOLE)
    assert provider_file(site / "testbed.yaml", variables) == beside


def test_a_mistake_is_told_before_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatepass.run.run.provider_file", lambda testbed, variables: path)
    path = written(tmp_path, "name: A\n")
    assert cli.main(["validate", "--order", "variables/orders/lab.yaml"]) == 64
    assert f"{path}" in capsys.readouterr().err


def test_nobody_is_named(tmp_path: Path) -> None:
    assert load_provider(None) is None

"""Secrets are read when they are asked for, and one that cannot be used is explained."""

import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from input_files import SECRET, TESTBED, bed, refusal

from gatepass.base.errors import InputError


def test_a_secret_is_read_when_asked_for_and_kept_nowhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_file = bed(folder)
    monkeypatch.setenv("GATEPASS_TOKEN", SECRET)
    from_environment = bed(folder, "{env: GATEPASS_TOKEN}")
    for loaded in (from_file, from_environment):
        assert loaded.gateway.token.read() == SECRET
        assert SECRET not in repr(loaded) + str(loaded) + loaded.model_dump_json()
        assert SECRET not in repr(vars(loaded.gateway.token))


def spoil_mode(token: Path) -> None:
    token.chmod(0o644)


def spoil_length(token: Path) -> None:
    token.write_text(SECRET * 200)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (Path.unlink, "does not exist"),
        (lambda token: token.write_text(""), "is empty"),
        (lambda token: token.write_text(" \n"), "holds no secret"),
        (lambda token: token.write_text(f"{SECRET}\n{SECRET}\n"), "not one word"),
        (lambda token: token.write_text(f"Bearer {SECRET}"), "not one word"),
        (lambda token: token.write_bytes(SECRET.encode() + b"\xff"), "not one word"),
        (spoil_length, "holds no secret"),
        (spoil_mode, "chmod"),
    ],
)
def test_a_secret_that_cannot_be_used_is_one_sentence(
    folder: Path, spoil: Callable[[Path], object], says: str
) -> None:
    loaded = bed(folder)
    spoil(folder / "api-token")
    with pytest.raises(InputError) as caught:
        loaded.gateway.token.read()
    sentence = str(caught.value)
    assert sentence.startswith(f"{folder / 'testbed.yaml'}, key 'gateway.token': ")
    assert says in sentence
    assert "\n" not in sentence
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_an_environment_variable_that_is_not_set_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = bed(folder, "{env: GATEPASS_TOKEN}")
    for value in (None, "", "  "):
        monkeypatch.delenv("GATEPASS_TOKEN", raising=False)
        if value is not None:
            monkeypatch.setenv("GATEPASS_TOKEN", value)
        with pytest.raises(InputError, match=r"GATEPASS_TOKEN is not set or empty\. Set it"):
            loaded.gateway.token.read()


@pytest.mark.parametrize("name", ["AWS_SECRET_KEY", "TOKEN", "MY_GATEPASS_TOKEN", "GATEPASS"])
def test_the_secret_of_another_program_is_not_sent_away(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, SECRET)
    with pytest.raises(InputError) as caught:
        bed(folder, f"{{env: {name}}}")
    assert str(caught.value) == (
        f"{folder / 'testbed.yaml'}, key 'gateway.token': the environment variable {name} may be "
        "the secret of another program. Name one that begins with GATEPASS_."
    )


def test_a_private_key_that_everybody_may_read_is_refused(folder: Path) -> None:
    (folder / "ssh/id").chmod(0o644)
    path = folder / "testbed.yaml"
    path.write_text(TESTBED)
    assert "may be read by others: make it yours alone" in refusal("testbed", path)

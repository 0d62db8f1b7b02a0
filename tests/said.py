"""Measurements and evidence of the tests, written in the words in which a reader sees them."""

from __future__ import annotations

from typing import Any

from gatepass.base.phrase import Phrase, from_json
from gatepass.results import record, schema1


def words(text: str) -> Phrase:
    """The phrase behind conditions in words."""
    return from_json(schema1.phrase(text, "words"))


def claim(text: str) -> Phrase:
    """The phrase behind a claim in words."""
    return from_json(schema1.phrase(text, "claims"))


def measurement(promise: str, conditions: str = "", *rest: Any, **more: Any) -> record.Measurement:
    """A measurement whose promise and conditions are given in words."""
    return record.Measurement(schema1.promise(promise), words(conditions), *rest, **more)


def evidence(text: str, observed: str, holds: bool) -> record.Evidence:
    """Evidence whose claim is given in words."""
    return record.Evidence(claim(text), observed, holds)

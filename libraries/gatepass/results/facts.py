"""Reading a run's facts, of which any may be missing where the run ended early."""

from __future__ import annotations

from typing import Any


def group(facts: object, *keys: str) -> dict[str, Any]:
    """The group of facts under these keys, one within the other; empty where there is none."""
    for key in keys:
        facts = facts.get(key) if isinstance(facts, dict) else None
    return facts if isinstance(facts, dict) else {}

"""Records of schema 1, which held English sentences where there are phrases now.

They are converted once, as they are read. ``schema1.yaml`` holds the patterns of what runs have
recorded until then; nothing is added to it. A sentence that it does not know stays as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from gatepass.base.own_yaml import own_yaml
from gatepass.base.phrase import NOTHING, Phrase, from_json

_PLAIN = ("label", "protocol", "by", "log", "tier", "model", "version")
"""Parts that are no phrases."""
LIBRARIES = (
    *("Run", "Management", "Gateway", "Endpoints", "Traffic", "Services", "Countries", "Downloads"),
    *("Proxy", "SiteToSite", "ManyTunnels", "TunnelLife", "RemoteAccess", "RemoteTraffic"),
    "Provisioning",
)
"""Whose keywords wrote records, before there was one library of all."""
AS_IT_STANDS = "as_it_stands"
"""The phrase of a sentence that nobody knows."""


def converted(kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """A record's fields, with phrases for sentences.

    Args:
        kind: of the record.
        body: its fields as schema 1 has them.

    Raises:
        ValueError: it is damaged.
    """
    new = dict(body)
    if not all(isinstance(new.get(key, ""), str) for key in ("promise", "conditions", "claim")):
        raise ValueError("a sentence of an older record is no text")
    if kind in ("measurement", "cause"):
        new["promise"] = promise(new.get("promise", ""))
        new["conditions"] = phrase(new.get("conditions", ""), "words")
    elif kind == "evidence":
        new["claim"] = phrase(new["claim"], "claims")
    return new


def reason(message: str) -> Phrase:
    """Why a check is not applicable, as runs said it before they recorded that."""
    said = phrase(message, "reasons")
    return NOTHING if said["say"] in ("", AS_IT_STANDS) else from_json(said)


def promise(sentence: str) -> str:
    """The identity of a promise; of one that nobody knows, its own words."""
    for name, pattern in _patterns("promises").items():
        if pattern.fullmatch(sentence.strip()):
            return name
    return sentence


def phrase(sentence: str, of: str) -> dict[str, Any]:
    """A phrase as JSON has it.

    Args:
        sentence: as it was recorded; may be empty.
        of: "words" or "claims".
    """
    if not sentence:
        return {"say": ""}
    for name, pattern in _patterns(of).items():
        if found := pattern.fullmatch(sentence.strip()):
            parts = {key: part for key, part in found.groupdict().items() if part}
            return {"say": name} | {
                key: part if key in _PLAIN else _part(part) for key, part in parts.items()
            }
    return {"say": AS_IT_STANDS, "text": sentence}


def _part(text: str) -> object:
    """A figure, another phrase, or the words as they stand."""
    if re.fullmatch(r"\d+", text):
        return int(text)
    if re.fullmatch(r"\d+\.\d+", text):
        return float(text)
    known = phrase(text, "words")
    return text if known["say"] == AS_IT_STANDS else known


@cache
def _patterns(of: str) -> dict[str, re.Pattern[str]]:
    texts = own_yaml(Path(__file__).with_suffix(".yaml"))
    return {name: re.compile(text, re.IGNORECASE) for name, text in texts[of].items()}

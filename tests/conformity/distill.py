"""Makes `calls.jsonl.gz` of a recorded run: each kind of call once, without answers and secrets.

    PYTHONPATH=libraries:.:tests python -m conformity.distill RECORDING
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

from .drive import CALLS
from .suite import Exchange, recorded

_SECRET = frozenset({"passwd", "psksecret", "file_content"})


def distilled(calls: list[Exchange]) -> list[Exchange]:
    """The first call of each kind: of a table or monitor, with the same attributes."""
    found: dict[str, Exchange] = {}
    for call in calls:
        table = "/".join(call.path.split("/")[: 3 if call.path.startswith("cmdb/") else None])
        kind = [call.method, table, sorted(call.query), call.query.get("format"), _shape(call.body)]
        told = Exchange(call.method, call.path, call.query, _without_secrets(call.body))
        found.setdefault(json.dumps(kind), told)
    return list(found.values())


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shape(one) for name, one in sorted(value.items())}
    return _shape(value[0]) if isinstance(value, list) and value else type(value).__name__


def _without_secrets(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_secrets(one) for one in value]
    if isinstance(value, dict):
        return {
            name: "a secret" if name in _SECRET else _without_secrets(one)
            for name, one in value.items()
        }
    return value


def main() -> None:
    """Write them."""
    calls = distilled(recorded(Path(sys.argv[1])))
    lines = "".join(json.dumps(vars(call)) + "\n" for call in calls)
    CALLS.write_bytes(gzip.compress(lines.encode(), mtime=0))
    print(f"{CALLS.name}: {len(calls)} calls")


if __name__ == "__main__":
    main()

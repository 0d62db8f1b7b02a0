"""Records all studies on the lab anew, as root: `python tests/recordings/make_studies.py`.

Needed where studies ask the endpoints something else on purpose. It takes some ten minutes, and of
each kind of command for the same job it keeps the first answers alone.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / room) for room in ("libraries", ".", "tests")]

STUDIES = ROOT / "tests" / "data" / "studies" / "studies.jsonl.gz"
CHOSEN = "*.Published methods.*"
_MOST_ANSWERS = 2


def main() -> None:
    """Record them."""
    # not above: what the run's process imports first would take this process's folder of results
    from faults.faulty_lab import lab_in, of_endpoints
    from faults.study_orders import order_with
    from gatepass.inputs.studies import STUDIES as NAMES

    with tempfile.TemporaryDirectory() as name, lab_in(Path(name)) as lab:
        made = Path(name) / STUDIES.name
        ended = lab.run(CHOSEN, order=order_with(Path(name), *NAMES), recording=made)
        STUDIES.write_bytes(made.read_bytes())
        with gzip.open(of_endpoints(made), "rt") as answers:
            first = _first(answers.readlines())
        with gzip.GzipFile(of_endpoints(STUDIES), "wb", mtime=0) as file:
            file.write("".join(first).encode())
    print(*(f"{one.verdict}: {one.name}" for one in ended.ran.values()), sep="\n")


def _first(answers: list[str]) -> list[str]:
    """The first answers of each kind, as lines of `hostile.endpoint_recorder`."""
    given: Counter[tuple[str, ...]] = Counter()
    kept = []
    for line in answers:
        endpoint, check, shape, job, *_ = json.loads(line)
        given[endpoint, check, shape, job] += 1
        if given[endpoint, check, shape, job] <= _MOST_ANSWERS:
            kept.append(line)
    return kept


if __name__ == "__main__":
    main()

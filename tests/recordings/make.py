"""Records the lab's gateway of each release anew: `.venv/bin/python tests/recordings/make.py`.

Needed where what the checks ask, or what the lab answers, has changed on purpose.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for room in ("libraries", ".", "tests"):
    sys.path.insert(0, str(ROOT / room))

from recordings.talker import a_gateway, record  # noqa: E402

RELEASES = ("7.4.8", "7.6.2", "7.6.4")
RECORDINGS = ROOT / "tests" / "data" / "recordings"


def main() -> None:
    """Record all of them."""
    for release in RELEASES:
        path = RECORDINGS / f"lab-{release}.jsonl.gz"
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with a_gateway(folder / "gateway", release) as gateway:
                made = folder / path.name
                done = record(gateway, made, folder / "results")
                print(done.stdout[done.stdout.rindex("Recorded:") :], done.stderr, end="")
                path.write_bytes(made.read_bytes())


if __name__ == "__main__":
    main()

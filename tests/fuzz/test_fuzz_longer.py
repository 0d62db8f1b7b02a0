"""The same with other and many more examples; minutes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.limits import LONG


@pytest.mark.long
def test_twenty_times_as_much() -> None:
    words = [sys.executable, "-m", "pytest", "-x", "-m", "not long", str(Path(__file__).parent)]
    done = subprocess.run(
        words, env=os.environ | {LONG: "20"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:]

"""Where the project's rooms are."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUITES = ROOT / "suites"
VARIABLES = ROOT / "variables"
RESULTS = Path(os.environ.get("GATEPASS_RESULTS", ROOT / "results"))
"""One folder a run. GATEPASS_RESULTS moves it, for a pipeline that keeps artifacts elsewhere."""
HISTORY = Path(os.environ.get("GATEPASS_HISTORY", RESULTS / "history.sqlite3"))
"""The record of all runs. GATEPASS_HISTORY moves it, for one that outlives a pipeline's folder."""

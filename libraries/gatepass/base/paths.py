"""Where the project's rooms are."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SUITES = ROOT / "suites"
LIBRARIES = ROOT / "libraries"
VARIABLES = ROOT / "variables"
TEMPLATES = LIBRARIES / "gatepass" / "report" / "templates"
"""Of the pages; the texts of each language of the certificate lie among them."""
RESULTS = Path(os.environ.get("GATEPASS_RESULTS", ROOT / "results"))
"""One folder a run. GATEPASS_RESULTS moves it, for a pipeline that keeps artifacts elsewhere."""
FLEET = "fleet-"
"""What the name of a fleet's folder begins with; the folders of its runs lie two below it."""
ORDERS = "orders"
"""The folder in a fleet's folder that holds those of its runs."""
HISTORY = Path(os.environ.get("GATEPASS_HISTORY", RESULTS / "history.sqlite3"))
"""The record of all runs. GATEPASS_HISTORY moves it, for one that outlives a pipeline's folder."""


def results_of(folder: Path) -> Path:
    """The results folder that a run's own folder belongs to, also where a fleet stands between."""
    return folder.parents[2] if folder.parents[1].name.startswith(FLEET) else folder.parent


def run_name(folder: Path) -> str:
    """What a run is called: its folder's name, in a fleet after that of the fleet."""
    path = folder.relative_to(results_of(folder)).as_posix()
    return path.replace(f"/{ORDERS}/", "/")


def run_folder(results: Path, name: str) -> Path:
    """The folder of the run that is called so; need not be there."""
    fleet, _, order = name.partition("/")
    inside = results / fleet / ORDERS / order
    return inside if order and inside.is_dir() else results / name

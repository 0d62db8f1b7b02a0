"""What Gatepass costs and how exact it is, measured in the embedded lab on this machine."""

import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT / "libraries"))

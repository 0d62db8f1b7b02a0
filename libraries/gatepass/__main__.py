"""``python -m gatepass``: the command line behind run.sh."""

import sys

from gatepass.cli import main

sys.exit(main(sys.argv[1:]))

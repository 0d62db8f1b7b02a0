"""``python -m gatepass``: the command line behind run.sh."""

import os
import sys

from gatepass.cli import main

os.umask(0o077)  # what is written of a customer's gateway is its tester's alone
sys.exit(main(sys.argv[1:]))

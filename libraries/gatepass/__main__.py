"""``python -m gatepass``: the command line behind run.sh."""

import os
import sys

from gatepass.base.steady_output import own_output
from gatepass.cli import acts, main

os.umask(0o077)  # what is written of a customer's gateway is its tester's alone
own_output(steady=acts(sys.argv[1:]))
sys.exit(main(sys.argv[1:]))

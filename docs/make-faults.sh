#!/usr/bin/env bash
# Makes the table of checks and faults (docs/faults.md) from the suites and the tests of the faults.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
page=$(PYTHONPATH=$root/libraries:$root:$root/tests PYTHONDONTWRITEBYTECODE=1 \
  "$root/.venv/bin/python" "$root/tests/faults/table.py")
printf '%s\n' "$page" >"$root/docs/faults.md"

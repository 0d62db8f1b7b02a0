#!/usr/bin/env bash
# Writes the reference of all keywords, docs/keywords/*.md (or the folder named), from the libraries.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
target=${1:-$root/docs/keywords}
cd "$root/libraries"
pairs=()
for source in [A-Z]*.py ../resources/*.resource; do
  name=$(basename "${source%.*}")
  # these two only take in the others
  [[ $name == Gatepass || $name == gatepass ]] && continue
  # a resource may have the name of a library
  [[ $source == *.resource ]] && name=resource-$name
  pairs+=("$source" "$target/${name,,}.md")
done
# all in one process: to begin one takes longer than to write a page
"${PYTHON:-$root/.venv/bin/python}" -c '
import sys
from robot.libdoc import libdoc
for source, page in zip(sys.argv[1::2], sys.argv[2::2]):
    libdoc(source, page, quiet=True)
' "${pairs[@]}"

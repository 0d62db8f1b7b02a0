#!/usr/bin/env bash
# Writes the reference of all keywords, docs/keywords/*.md (or the folder named), from the libraries.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
target=${1:-$root/docs/keywords}
cd "$root/libraries"
for source in [A-Z]*.py ../resources/*.resource; do
  name=$(basename "${source%.*}")
  # these two only take in the others
  [[ $name == Gatepass || $name == gatepass ]] && continue
  # a resource may have the name of a library
  [[ $source == *.resource ]] && name=resource-$name
  "${PYTHON:-$root/.venv/bin/python}" -m robot.libdoc --quiet "$source" "$target/${name,,}.md"
done

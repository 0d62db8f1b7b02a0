#!/usr/bin/env bash
# Writes the reference of all keywords, docs/keywords/*.md (or the folder named), from the libraries.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
target=${1:-$root/docs/keywords}
cd "$root/libraries"
for source in Run Gateway Endpoints Traffic Management Services Downloads Countries Proxy SiteToSite ManyTunnels TunnelLife RemoteAccess RemoteTraffic Provisioning ../resources/firewall.resource ../resources/services.resource ../resources/site_to_site.resource ../resources/remote_access.resource; do
  name=$(basename "$source" .resource)
  "${PYTHON:-$root/.venv/bin/python}" -m robot.libdoc --quiet "$source" "$target/${name,,}.md"
done

#!/usr/bin/env bash
# Gatepass: sets up what is missing, then hands over to the command line in libraries/gatepass.
# Without a testbed it builds the embedded lab (lab/) around that command line.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=$root/.venv
export PATH=$venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PYTHONPATH=$root/libraries:$root PYTHONDONTWRITEBYTECODE=1

failed()  { printf 'Gatepass: %s\n' "$*" >&2; exit 70; }
say()     { printf '%s\n' "$*" >&2; }

# --- what was asked for ---------------------------------------------------------------------------
yes=no
while [[ ${1-} == --yes ]]; do yes=yes; shift; done
command=run
case ${1-} in
  run)   shift ;;
  ''|-*) ;;
  *)     command=$1; shift ;;   # libraries/gatepass/cli.py knows which there are
esac

# whether the orders of an earlier run were tested in labs, which are gone
in_labs() {
  grep -qs '"lab": true' -- "$1/fleet.json" "${GATEPASS_RESULTS:-$root/results}/$1/fleet.json"
}

has_testbed=no wants_help=no
arguments=()
for word in "$@"; do
  if [[ ${before-} == --resume && ! ${past_dashes-} ]]; then
    if [[ $word == --* ]]; then arguments+=(--resume); else word=--resume=$word; fi   # RUN is missing
  fi
  before=$word
  [[ ${past_dashes-} ]] || case $word in
    --)                         past_dashes=1 ;;
    --yes)                      yes=yes; continue ;;
    --testbed|--testbed=*)      has_testbed=yes ;;
    --testbeds|--testbeds=*)    has_testbed=yes ;;
    --output|--output=*)        has_testbed=yes ;;   # of a study that has been carried out
    --resume)                   continue ;;
    --resume=*)                 in_labs "${word#*=}" || has_testbed=yes ;;
    -h|--help)                  wants_help=yes ;;
  esac
  arguments+=("$word")
done
[[ ${past_dashes-} || ${before-} != --resume ]] || arguments+=(--resume)   # without its RUN
[[ -t 0 && -t 2 ]] || yes=yes   # nobody there to ask

# the lab makes network namespaces; against a real testbed nothing needs root
lab=no
[[ $command == lab || $command == test ]] && lab=yes
[[ ( $command == run || $command == study ) && $has_testbed == no && $wants_help == no ]] && lab=yes

as_root=()
if (( EUID != 0 )) && [[ $lab == yes ]]; then
  command -v sudo >/dev/null || failed "the embedded lab needs root, and there is no sudo. Run this as root, or name a --testbed."
  say "The embedded lab needs root: using sudo."
  as_root=(sudo --preserve-env=PATH,PYTHONPATH,PYTHONDONTWRITEBYTECODE,GATEPASS_RESULTS,GATEPASS_HISTORY,GATEPASS_PDF,GATEPASS_DEBUG,GATEPASS_WEBHOOK,GATEPASS_AT_END,GATEPASS_KEY,GATEPASS_TIMESTAMP,SSH_AUTH_SOCK,XDG_CONFIG_HOME,LAB_FOLDER)
fi

# --- system packages ------------------------------------------------------------------------------
# program or file:package; iputils and the like are not needed
needed=(python3:python3 git:git)
[[ $lab == yes ]] && needed+=(ip:iproute2 tc:iproute2 nft:nftables sshd:openssh-server ssh-keygen:openssh-client iperf3:iperf3 setsid:util-linux ps:procps nginx:nginx-light vsftpd:vsftpd clamd:clamav-daemon squid:squid dnsmasq:dnsmasq-base curl:curl openconnect:openconnect)
plugins=/usr/lib/ipsec/plugins/libstrongswan
[[ $lab == yes ]] && needed+=(swanctl:strongswan-swanctl /usr/lib/ipsec/charon:strongswan-charon "$plugins-openssl.so:libstrongswan-standard-plugins" "$plugins-kernel-libipsec.so:libcharon-extra-plugins" "$plugins-eap-mschapv2.so:libcharon-extauth-plugins")
[[ $lab == yes ]] && needed+=(chromium:chromium)
[[ $command == test ]] && needed+=(pdfinfo:poppler-utils openfortivpn:openfortivpn)
fonts=/usr/share/fonts/truetype   # the page is looked at in each of these families
[[ $command == test ]] && needed+=("$fonts/dejavu/DejaVuSans.ttf:fonts-dejavu-core" "$fonts/liberation/LiberationSans-Regular.ttf:fonts-liberation" "$fonts/noto/NotoSansMath-Regular.ttf:fonts-noto-core")

missing_packages() {
  local pair
  for pair in "${needed[@]}"; do
    command -v "${pair%%:*}" >/dev/null || [[ -f ${pair%%:*} ]] || printf '%s\n' "${pair##*:}"
  done
  # Debian splits venv's own pip off from python3
  [[ -x $venv/bin/python ]] || python3 -c 'import ensurepip' 2>/dev/null || printf 'python3-venv\n'
}

enabled_units() {
  systemctl --root=/ list-unit-files --state=enabled --no-legend 2>/dev/null | awk '{print $1}' | sort || true
}

install_packages() {
  command -v apt-get >/dev/null || failed "these packages are missing, and there is no apt-get to install them: $*"
  local sudo=() policy=/usr/sbin/policy-rc.d before unit alive=
  (( EUID == 0 )) || sudo=(sudo)
  before=$(enabled_units)
  # a server package would start its service; this is the distribution's own way to say no
  if [[ ! -e $policy ]]; then
    # who removes it waits until nobody holds the pipe: neither this script, killed or not, nor apt
    exec {alive}> >(exec "${sudo[@]}" setsid sh -c 'cat >/dev/null; rm -f "$1"' sh "$policy")
    printf '#!/bin/sh\nexit 101\n' | "${sudo[@]}" tee "$policy" >/dev/null
    "${sudo[@]}" chmod 755 "$policy"
  fi
  export DEBIAN_FRONTEND=noninteractive
  "${sudo[@]}" apt-get update -q >&2 || say "apt-get update failed; trying with the package lists that are here."
  "${sudo[@]}" apt-get install -y -q --no-install-recommends "$@" >&2 \
    || failed "apt-get could not install: $*. See its words above."
  for unit in $(comm -13 <(printf '%s\n' "$before") <(enabled_units)); do
    "${sudo[@]}" systemctl --root=/ disable "$unit" >/dev/null 2>&1 || true
  done
  if [[ $alive ]]; then "${sudo[@]}" rm -f "$policy"; exec {alive}>&-; fi
}

mapfile -t missing < <(missing_packages | sort -u)
if (( ${#missing[@]} )); then
  say "System packages that are missing: ${missing[*]}"
  if [[ $yes == no ]]; then
    read -r -p "Install them now? [Y/n] " answer
    [[ ${answer:-y} == [yY]* ]] || failed "without these packages it cannot go on: ${missing[*]}"
  fi
  install_packages "${missing[@]}"
fi

# --- Python packages ------------------------------------------------------------------------------
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
  || failed "Python 3.11 or later is needed; this is $(python3 --version)."

locks=$root/requirements   # each file that pip may install, by its digest
lock=$locks/run.lock
[[ $command == test ]] && lock=$locks/dev.lock
stamp=$venv/.installed
want=$(cat "$locks"/{build,run}.lock "$lock" | sha256sum)
if ! grep -qxF "$want" "$stamp" 2>/dev/null; then
  say "Setting up $venv (once; some minutes) …"
  [[ -x $venv/bin/python ]] || python3 -m venv "$venv" || failed "python3 -m venv $venv failed."
  install=("$venv/bin/python" -m pip install -qq --disable-pip-version-check --require-hashes)
  { "${install[@]}" -r "$locks/build.lock" && "${install[@]}" --no-build-isolation -r "$lock"; } >&2 \
    || failed "pip could not install $lock. See its words above."
  printf '%s\n' "$want" >>"$stamp"
fi
# what has changed since the last call; otherwise each process would compile it anew
"$venv/bin/python" -m compileall -q "$root/libraries" "$root/lab" >/dev/null 2>&1 || true

# --- hand over ------------------------------------------------------------------------------------
cd "$root"
give_back() {   # files that sudo made belong to whoever called
  (( ${#as_root[@]} == 0 )) || "${as_root[@]}" chown -R "$(id -u):$(id -g)" "$root/results" "$venv" 2>/dev/null || true
}
trap give_back EXIT

run() {
  if (( ${#as_root[@]} == 0 )); then exec "$@"; fi
  "${as_root[@]}" "$@"
}

case $command in
  lab)  run python -m lab ${arguments[@]+"${arguments[@]}"} ;;
  test)
    # what takes minutes each runs where it is asked for: ./run.sh test -m long
    run python -m pytest -n 6 --no-loadscope-reorder -m "not long" ${arguments[@]+"${arguments[@]}"} ;;
  run)
    if [[ $lab == yes ]]; then
      # a mistake is told before a lab is built for it
      tiers=$(python -m gatepass labs-for ${arguments[@]+"${arguments[@]}"}) || exit $?
      if [[ -z $tiers ]]; then
        say "No testbed named: building the embedded lab …"
        run python -m lab run -- python -m gatepass run --testbed '{testbed}' ${arguments[@]+"${arguments[@]}"}
      else
        say "No testbed named: building a lab for each order …"
        labs=()
        for tier in $tiers; do labs+=(--tier "$tier"); done
        run python -m lab run --gateways "$(wc -w <<<"$tiers")" "${labs[@]}" -- \
          python -m gatepass run --lab '--testbed={testbed}' ${arguments[@]+"${arguments[@]}"}
      fi
    else
      run python -m gatepass run ${arguments[@]+"${arguments[@]}"}
    fi ;;
  study)
    if [[ $lab == yes ]]; then
      python -m gatepass labs-for study ${arguments[@]+"${arguments[@]}"} || exit $?
      say "No testbed named: building the embedded lab …"
      run python -m lab run -- python -m gatepass study --testbed '{testbed}' ${arguments[@]+"${arguments[@]}"}
    else
      run python -m gatepass study ${arguments[@]+"${arguments[@]}"}
    fi ;;
  *)    run python -m gatepass "$command" ${arguments[@]+"${arguments[@]}"} ;;
esac

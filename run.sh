#!/usr/bin/env bash
# Gatepass: sets up what is missing, then hands over to the command line in libraries/gatepass.
# Without a testbed it builds the embedded lab (lab/) around that command line.
[ -n "${BASH_VERSION-}" ] || { echo "Gatepass: this needs bash. Call it with bash: ./run.sh, or bash run.sh" >&2; exit 70; }
set +o posix -euo pipefail

say()     { printf '%s\n' "$*" >&2 || true; }
failed()  { say "Gatepass: $*"; exit 70; }

# 0, 1 and 2 are verdicts, so nothing ends with them before the command line has taken over
handed_over=no
at_exit() {
  local code=$?
  if [[ $handed_over == no && $code != 64 && $code != 70 ]]; then
    say "Gatepass: it ended before anything was looked at or tested (code $code); the lines above say why."
    code=70   # where a signal ends it, the signal's
  fi
  give_back
  exit "$code"
}
trap at_exit EXIT
give_back() {   # files that sudo made belong to whoever called
  [[ $handed_over == no ]] || (( ${#as_root[@]} == 0 )) || "${as_root[@]}" chown -R "$(id -u):$(id -g)" "$root/results" "$venv" 2>/dev/null || true
}
as_root=()

# what shell, Python, pip or Robot were told for other work is not meant for this
unset CDPATH GLOBIGNORE ${!PYTHON@} ${!ROBOT_@} ${!REBOT_@} PIP_TARGET PIP_PREFIX PIP_ROOT PIP_USER

self=$(readlink -f -- "${BASH_SOURCE[0]-}") && [[ $self == */run.sh ]] \
  || failed "it cannot tell where it lies. Call the file itself: /path/to/gatepass/run.sh"
root=${self%/run.sh}
[[ $root != *[:[:cntrl:]]* ]] && { ! type -P iconv >/dev/null || iconv -f UTF-8 -t UTF-8 <<<"$root" >/dev/null 2>&1; } \
  || failed "${root@Q}: a colon, a control character or what is no UTF-8 stands in the path of this checkout. Move it elsewhere."
venv=$root/.venv
python=$venv/bin/python
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PYTHONPATH=$root/libraries:$root PYTHONDONTWRITEBYTECODE=1

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
asks=yes
if ! [[ -t 0 && -t 2 ]]; then   # nobody there to ask, and nobody's sudo is used unasked
  asks=no
  (( EUID != 0 )) || yes=yes
fi

# the lab makes network namespaces; against a real testbed nothing needs root
lab=no
[[ $command == lab || $command == test ]] && lab=yes
[[ ( $command == run || $command == study ) && $has_testbed == no && $wants_help == no ]] && lab=yes

if (( EUID != 0 )) && [[ $lab == yes ]]; then
  type -P sudo >/dev/null || failed "the embedded lab needs root, and there is no sudo. Run this as root, or name a --testbed."
  say "The embedded lab needs root: using sudo."
  as_root=(sudo --preserve-env=PATH,PYTHONPATH,PYTHONDONTWRITEBYTECODE,GATEPASS_RESULTS,GATEPASS_HISTORY,GATEPASS_PDF,GATEPASS_DEBUG,GATEPASS_WEBHOOK,GATEPASS_AT_END,GATEPASS_KEY,GATEPASS_TIMESTAMP,SSH_AUTH_SOCK,XDG_CONFIG_HOME,LAB_FOLDER)
fi

# --- system packages ------------------------------------------------------------------------------
# program or file:package; iputils and the like are not needed
needed=(python3:python3 git:git)
[[ $lab == yes ]] && needed+=(ip:iproute2 tc:iproute2 nft:nftables sshd:openssh-server ssh-keygen:openssh-client iperf3:iperf3 setsid:util-linux ps:procps nginx:nginx-light vsftpd:vsftpd clamd:clamav-daemon squid:squid dnsmasq:dnsmasq-base curl:curl openconnect:openconnect)
plugins=/usr/lib/ipsec/plugins/libstrongswan
[[ $lab == yes ]] && needed+=(swanctl:strongswan-swanctl /usr/lib/ipsec/charon:strongswan-charon "$plugins-openssl.so:libstrongswan-standard-plugins" "$plugins-kernel-libipsec.so:libcharon-extra-plugins" "$plugins-eap-mschapv2.so:libcharon-extauth-plugins")
[[ $command == test ]] && needed+=(pdfinfo:poppler-utils openfortivpn:openfortivpn)
fonts=/usr/share/fonts/truetype   # the page is looked at in each of these families
[[ $command == test ]] && needed+=("$fonts/dejavu/DejaVuSans.ttf:fonts-dejavu-core" "$fonts/liberation/LiberationSans-Regular.ttf:fonts-liberation" "$fonts/noto/NotoSansMath-Regular.ttf:fonts-noto-core")

# nothing where the environment has no interpreter, an unfit one, or no pip
interpreter() {
  "$python" -I -c 'import os, pip, sys
if sys.version_info >= (3, 11):
    print(sys.implementation.cache_tag, os.uname().machine, os.path.realpath(sys.prefix))' 2>/dev/null || true
}

# whether the environment is of the interpreter and the place that it was made for
fits() {
  local now made
  now=$(interpreter)
  made=$(cat -- "$venv/.interpreter" 2>/dev/null) || made=$now
  [[ $now && $now == "$made" && $now == *" $(readlink -f -- "$venv")" ]]
}

must_be_new_enough() {
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
    || failed "Python 3.11 or later is needed; this is $(python3 --version 2>&1 || true)."
}

missing_packages() {
  local pair
  for pair in "${needed[@]}"; do
    type -P "${pair%%:*}" >/dev/null || [[ -f ${pair%%:*} ]] || printf '%s\n' "${pair##*:}"
  done
  # Debian splits venv's own pip off from python3
  [[ $environment == fits ]] || python3 -c 'import ensurepip' 2>/dev/null || printf 'python3-venv\n'
}

# a browser prints the certificate's PDF and looks at the management page; all else does without.
# It has to answer: Ubuntu's chromium-browser only says where the snap is to be had.
browsers=(chromium chromium-browser google-chrome google-chrome-stable)
has_browser() {
  local name
  for name in "${browsers[@]}"; do
    if type -P "$name" >/dev/null && timeout 20 "$name" --version >/dev/null 2>&1; then return 0; fi
  done
  return 1
}

environment=anew
if fits; then environment=fits; elif type -P python3 >/dev/null; then must_be_new_enough; fi

wanted=
no_browser=$venv/.no-browser   # it is looked for, and missed in words, once
if [[ $lab == yes && ! -e $no_browser && ( -w $venv || ! -e $venv ) ]] && ! has_browser; then wanted=chromium; fi

enabled_units() {
  systemctl --root=/ list-unit-files --state=enabled --no-legend 2>/dev/null | awk '{print $1}' | sort || true
}

install_packages() {
  type -P apt-get >/dev/null || failed "these packages are missing, and there is no apt-get to install them: $*"
  local sudo=() policy=/usr/sbin/policy-rc.d before unit alive=
  if (( EUID != 0 )); then
    sudo=(sudo)
    sudo true || failed "sudo did not let it install packages. Install them, or run this as root: $*"
  fi
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
  if (( $# )); then
    "${sudo[@]}" apt-get install -y -q --no-install-recommends "$@" >&2 \
      || failed "apt-get could not install: $*. See its words above."
  fi
  if [[ ${wanted-} && $(LC_ALL=C apt-cache policy "$wanted") == *"Candidate: "[0-9]* ]]; then
    "${sudo[@]}" apt-get install -y -q --no-install-recommends "$wanted" >&2 || true
  fi
  for unit in $(comm -13 <(printf '%s\n' "$before") <(enabled_units)); do
    "${sudo[@]}" systemctl --root=/ disable "$unit" >/dev/null 2>&1 || true
  done
  if [[ $alive ]]; then "${sudo[@]}" rm -f "$policy"; exec {alive}>&-; fi
}

mapfile -t missing < <(missing_packages | sort -u)
if (( ${#missing[@]} )) || [[ $wanted ]]; then
  names=("${missing[@]}" ${wanted:+"$wanted"})
  say "System packages that are missing: ${names[*]}"
  answer=$yes
  if [[ $yes == no && $asks == yes ]]; then
    read -r -p "Install them now? [Y/n] " answer || answer=no
  fi
  if [[ ${answer:-y} == [yY]* ]] && { (( ${#missing[@]} )) || type -P apt-get >/dev/null; }; then
    install_packages "${missing[@]}"
  elif (( ${#missing[@]} )); then
    [[ $asks == yes ]] || failed "these packages are missing, and there is nobody to ask. Install them, or call it with --yes: ${missing[*]}"
    failed "without these packages it cannot go on: ${missing[*]}"
  fi
fi

# --- Python packages ------------------------------------------------------------------------------
locks=$root/requirements   # each file that pip may install, by its digest
stamp=$venv/.installed
digest() { cat "$locks"/{build,run}.lock "$locks/$1.lock" | sha256sum; }
lock=run
[[ $command == test ]] && lock=dev
want=$(digest "$lock")

set_up() {
  say "Setting up $venv (once; some minutes) …"
  if ! fits; then
    must_be_new_enough
    [[ ! -L $venv ]] || failed "$venv is a link to an environment that does not fit this checkout. Remove the link."
    python3 -m venv --clear "$venv" >&2 || failed "python3 -m venv $venv failed. See its words above."
  fi
  local install=("$python" -m pip install -qq --disable-pip-version-check --require-hashes)
  { "${install[@]}" -r "$locks/build.lock" && "${install[@]}" --no-build-isolation -r "$locks/$lock.lock"; } >&2 \
    || failed "pip could not install $locks/$lock.lock. See its words above."
  { interpreter >"$venv/.interpreter" && printf '%s\n' "$want" >>"$stamp"; } || failed "$venv cannot be written."
}
# what the tests need holds what a run needs
ready() { fits && grep -qxF -e "$want" -e "$(digest dev)" "$stamp" 2>/dev/null; }

if ! ready; then
  exec {turn}<"$root"   # one call at a time; another may have done it meanwhile
  flock "$turn" || true
  if ! ready; then set_up; fi
  exec {turn}<&-
fi
if [[ $wanted ]] && ! has_browser; then
  say "There is no Chromium here: certificates come without a PDF, and the management page is not looked at. This is said once; install one where you want them."
  : >"$no_browser" || true
fi
# what has changed since the last call; otherwise each process would compile it anew
"$python" -m compileall -q "$root/libraries" "$root/lab" >/dev/null 2>&1 || true

# --- hand over ------------------------------------------------------------------------------------
cd "$root"
export PATH=$venv/bin:$PATH   # not before: the environment is made by the system's Python
hand_over() {
  if (( ${#as_root[@]} == 0 )); then exec "$python" "$@"; fi
  local waits code=0   # a file that is gone as soon as sudo has let the program begin
  waits=$(mktemp) || failed "no temporary file can be made in ${TMPDIR:-/tmp}."
  handed_over=yes
  "${as_root[@]}" env PATH="$PATH" sh -c 'rm -f -- "$1"; shift; exec "$@"' sh "$waits" "$python" "$@" || code=$?
  if [[ -e $waits ]]; then
    handed_over=no
    rm -f -- "$waits"
    failed "sudo did not let it begin; see its words above. Run this as root, or name a --testbed."
  fi
  exit "$code"
}

case $command in
  lab)  hand_over -m lab ${arguments[@]+"${arguments[@]}"} ;;
  test)
    # what takes minutes each runs where it is asked for: ./run.sh test -m long
    hand_over -m pytest -n 6 --no-loadscope-reorder -m "not long" ${arguments[@]+"${arguments[@]}"} ;;
  run)
    if [[ $lab == yes ]]; then
      # a mistake is told before a lab is built for it
      tiers=$("$python" -m gatepass labs-for ${arguments[@]+"${arguments[@]}"}) || exit $?
      if [[ -z $tiers ]]; then
        say "No testbed named: building the embedded lab …"
        hand_over -m lab run -- "$python" -m gatepass run --testbed '{testbed}' ${arguments[@]+"${arguments[@]}"}
      else
        say "No testbed named: building a lab for each order …"
        labs=()
        for tier in $tiers; do labs+=(--tier "$tier"); done
        hand_over -m lab run --gateways "$((${#labs[@]} / 2))" "${labs[@]}" -- \
          "$python" -m gatepass run --lab '--testbed={testbed}' ${arguments[@]+"${arguments[@]}"}
      fi
    else
      hand_over -m gatepass run ${arguments[@]+"${arguments[@]}"}
    fi ;;
  study)
    if [[ $lab == yes ]]; then
      "$python" -m gatepass labs-for study ${arguments[@]+"${arguments[@]}"} || exit $?
      say "No testbed named: building the embedded lab …"
      hand_over -m lab run -- "$python" -m gatepass study --testbed '{testbed}' ${arguments[@]+"${arguments[@]}"}
    else
      hand_over -m gatepass study ${arguments[@]+"${arguments[@]}"}
    fi ;;
  *)    hand_over -m gatepass "$command" ${arguments[@]+"${arguments[@]}"} ;;
esac

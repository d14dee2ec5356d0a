#!/usr/bin/env bash
# Lets systemd itself read deploy/kinloop@.service: no complaint, and hardly anything left to attack.
# usage: systemd_unit_test.sh <root of the tree>; exit code 77: skipped
set -euo pipefail

# Of 10 in systemd 252; what remains is the network, real-time scheduling and /proc.
readonly max_exposure=2.5

command -v systemd-analyze >/dev/null || {
  echo 'skipped: there is no systemd-analyze here'
  exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# verify wants the program to exist, which says nothing about the unit: a program that surely does stands in.
unit=$folder/kinloop@.service
sed "s|^ExecStart=/usr/bin/kinloop |ExecStart=$(command -v true) |" "$1/deploy/kinloop@.service" >"$unit"
! grep -q '^ExecStart=/usr/bin/kinloop' "$unit" || { echo 'the stand-in did not take' && exit 1; }

# What it says about our unit counts, be the exit code 0; what it says about units of this host is not ours.
code=0
complaints=$(systemd-analyze verify --man=no --recursive-errors=no "$unit" 2>&1) || code=$?
if [[ $code != 0 ]] || grep -q 'kinloop@' <<<"$complaints"; then
  printf 'systemd-analyze verify, exit code %d:\n%s\n' "$code" "$complaints"
  exit 1
fi
echo 'systemd-analyze verify: no complaint'

# Bounds that a judge of exposure does not ask for.
for bound in MemoryMax=2G LimitNOFILE=4096 OOMScoreAdjust=-900 OOMPolicy=continue; do
  grep -q "^$bound\$" "$1/deploy/kinloop@.service" || { echo "the unit lacks $bound" && exit 1; }
done

# Before systemd 250 it could not judge a file.
systemd-analyze --help | grep -e --offline >/dev/null || exit 0
if ! security=$(systemd-analyze security --no-pager --offline=yes --threshold="${max_exposure/./}" "$unit" 2>&1); then
  grep '^✗' <<<"$security" || true
  printf '%s\nmore than %s\n' "$(tail -n 1 <<<"$security")" "$max_exposure"
  exit 1
fi
tail -n 1 <<<"$security"

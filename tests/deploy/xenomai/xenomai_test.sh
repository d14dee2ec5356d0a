#!/usr/bin/env bash
# Builds the Xenomai back end against a stand-in for libcobalt and tries it with Cobalt there, absent and unfit.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here/stand_in" "$work/xenomai"
mkdir "$work/xenomai/lib"
cc -Wall -Wextra -Werror -shared -fPIC "$here/stand_in/cobalt.c" -o "$work/xenomai/lib/libcobalt.so" -ldl

configure() {
  cmake -S "$here" -B "$1" "-DXENO_CONFIG=$2" >"$work/log" 2>&1
}
fail() {
  echo "$1" >&2
  cat "$work/log" >&2
  exit 1
}

# A Xenomai without Cobalt is refused by name.
! CORE=mercury configure "$work/mercury" "$work/xenomai/xeno-config" || fail "Mercury was accepted"
grep -q 'is of mercury' "$work/log" || fail "the refusal does not name the core"

configure "$work/build" "$work/xenomai/xeno-config" || fail "not configured"
cmake --build "$work/build" >"$work/log" 2>&1 || fail "not built"
check=$work/build/platform_check
: >"$work/log"

# The library is found where it is, without LD_LIBRARY_PATH, and ordinary calls are not redirected.
STAND_IN_COBALT=1 "$check" '' || fail "with Cobalt"
"$check" '/proc/xenomai/version' || fail "without Cobalt"
STAND_IN_COBALT=1 STAND_IN_AHEAD_S=7 "$check" 'clock' || fail "with a clock of its own"
! nm "$check" | grep -q '__wrap_' || fail "POSIX calls are wrapped"
echo "xenomai: with Cobalt, without, and with another clock: as it should"

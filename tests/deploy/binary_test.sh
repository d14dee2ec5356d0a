#!/usr/bin/env bash
# What ships is hardened as cmake/options.cmake asks for: a compiler that ignores an option would not say so.
# usage: binary_test.sh <program>
set -euo pipefail
readonly program=$1

headers=$(readelf --file-header --program-headers --dynamic --wide "$program")
symbols=$(readelf --dyn-syms --wide "$program")
failures=0
expect() { # <what> <text> <pattern>
  grep -qE "$3" <<<"$2" || {
    echo "missing: $1"
    failures=1
  }
}
expect 'position-independent' "$headers" 'Type: +DYN'
expect 'read-only relocations' "$headers" 'GNU_RELRO'
expect 'all symbols bound at the start' "$headers" 'BIND_NOW|FLAGS_1.*NOW'
expect 'canaries on the stack' "$symbols" '__stack_chk_fail'
expect 'checked copies' "$symbols" '__(memcpy|sprintf|snprintf|vsnprintf|read|memset|strcpy|poll)_chk'
if grep -E 'GNU_STACK' <<<"$headers" | grep -q 'RWE'; then
  echo 'the stack can be executed'
  failures=1
fi
exit "$failures"

#!/usr/bin/env bash
# The page's own checks: types, then unit tests.
# usage: page_test.sh <folder of the page>; exit code 77: skipped
set -euo pipefail
cd "$1"
[[ -d node_modules ]] || {
  echo 'skipped: the page was not built here (./dev build)'
  exit 77
}
exec npm run check

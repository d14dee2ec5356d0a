#!/usr/bin/env bash
# Opens the pages of real plants in Debian's Chromium. Screenshots stay in the folder.
# usage: run.sh <kinloop> <folder>; exit code 77: skipped
set -euo pipefail

readonly kinloop=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

skip() {
  echo "skipped: $1"
  exit 77
}
for program in node npm chromium; do command -v "$program" >/dev/null || skip "there is no $program here"; done
[[ -f $root/services/gateway/panel/dist/index.html ]] || skip 'the page is not built: ./dev build'

mkdir -p "$folder"
cp "$here"/*.mjs "$here"/package.json "$here"/package-lock.json "$folder"
if ! cmp -s "$here/package-lock.json" "$folder/installed.json"; then
  (cd "$folder" && timeout 300 npm ci --no-audit --no-fund >npm.log 2>&1) || skip "playwright-core cannot be fetched, see $folder/npm.log"
  cp "$here/package-lock.json" "$folder/installed.json"
fi
cd "$folder"
export KINLOOP_BINARY=$kinloop KINLOOP_ROOT=$root KINLOOP_PANEL_SHOTS=$folder/shots
exec node --test --test-concurrency=1 panel.test.mjs rigs.test.mjs

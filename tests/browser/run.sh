#!/usr/bin/env bash
# Opens the pages of real plants in Debian's Chromium: the tests of <part>.test.mjs. Parts may run side by side: each has
# a folder of its own in the given one, where its screenshots and runs stay.
# usage: run.sh <kinloop> <folder> <part>; exit code 77: skipped
set -euo pipefail

readonly kinloop=$1 folder=$2 part=$3
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

skip() {
  echo "skipped: $1"
  exit 77
}
for program in node npm chromium; do command -v "$program" >/dev/null || skip "there is no $program here"; done
[[ -f $root/services/gateway/panel/dist/index.html ]] || skip 'the page is not built: ./dev build'

# What the parts share, installed by the first of them: node looks for it in the folders above its script.
install() {
  cmp -s "$here/package-lock.json" "$folder/installed.json" && return
  cp "$here"/package.json "$here"/package-lock.json "$folder"
  (cd "$folder" && timeout 300 npm ci --no-audit --no-fund >npm.log 2>&1) || return
  cp "$here/package-lock.json" "$folder/installed.json"
}
mkdir -p "$folder/$part"
(flock 9 && install) 9>"$folder/lock" || skip "playwright-core cannot be fetched, see $folder/npm.log"

cp "$here"/*.mjs "$here/package.json" "$folder/$part"
cd "$folder/$part"
sockets=$(mktemp -d /tmp/kl-XXXXXX)
trap 'rm -rf "$sockets"' EXIT
export KINLOOP_BINARY=$kinloop KINLOOP_ROOT=$root KINLOOP_PANEL_SHOTS=$folder/shots KINLOOP_RUNTIME_DIR=$sockets
node --test "$part.test.mjs"

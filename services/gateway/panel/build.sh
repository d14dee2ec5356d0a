#!/usr/bin/env bash
# Builds the page into dist/. Asks nothing of the network where node_modules is what package-lock.json wants.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
readonly installed=node_modules/.installed-lock.json
if ! cmp -s package-lock.json "$installed"; then
  npm ci --no-audit --no-fund
  cp package-lock.json "$installed"
fi
npm run build

#!/usr/bin/env bash
# Lets the format's own library, @mcap/core, read a record.
# usage: mcap_core_test.sh <record, or the test program that writes one> <folder for the library>; exit code 77: skipped
set -euo pipefail

readonly subject=$1 folder=$2

skip() {
  echo "skipped: $1"
  exit 77
}
command -v node >/dev/null || skip 'there is no node here'
command -v npm >/dev/null || skip 'there is no npm here'

mkdir -p "$folder"
if [[ ! -d $folder/node_modules/@mcap/core ]]; then
  timeout 120 npm install --no-audit --no-fund --prefix "$folder" @mcap/core@2 >"$folder/npm.log" 2>&1 ||
    skip "@mcap/core cannot be fetched, see $folder/npm.log"
fi

record=$subject
if [[ -x $subject ]]; then
  record=$folder/sample.mcap
  rm -f "$record"
  KINLOOP_SAMPLE_RECORD=$record "$subject" --gtest_brief=1 \
    --gtest_filter=RecordWriterTest.ASampleIsWrittenWhereItIsAskedFor
fi
node "$(dirname "$0")/mcap_core_test.mjs" "$record" "$folder"

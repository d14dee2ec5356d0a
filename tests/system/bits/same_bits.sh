#!/usr/bin/env bash
# Two builds of one source give the same bits: what one recorded the other replays, and what both simulate is equal byte by
# byte, for every model, formulation and integrator.
#   same_bits.sh <kinloop> <kinloop of the other build>
set -euo pipefail
cd "$(dirname "$0")/../../.."
[[ $# -eq 2 && -x $1 && -x $2 ]] || {
  echo "usage: $0 <kinloop> <kinloop of the other build>" >&2
  exit 2
}
readonly first=$1 second=$2
readonly formulations=(semi_recursive_1 semi_recursive_2 partition rcr rfda rfda_constraint hybrid)
readonly integrators=(semi_implicit_euler heun rk4 ab2 ab3 ab4 linearly_implicit)
work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

differs() {
  failed=$((failed + 1))
  echo "differs: $1"
}

# simulate <kinloop> <out> <model> <formulation> <integrator>: exit code of sim; 2 where the formulation is not for the model.
simulate() {
  local code=0
  "$1" sim "$3" -t 100ms --dt 1ms -d "$4" -i "$5" -o "$2" >"$2.log" 2>&1 || code=$?
  echo "$code"
}

# Every formulation with one integrator, every integrator with the formulation that auto takes.
compare_model() {
  local model=$1 formulation=$2 integrator=$3 name codes
  name="$(basename "$model" .yaml), $formulation, $integrator"
  codes="$(simulate "$first" "$work/first" "$model" "$formulation" "$integrator")"
  codes+=" $(simulate "$second" "$work/second" "$model" "$formulation" "$integrator")"
  case $codes in
    '0 0' | '5 5') if cmp -s "$work/first" "$work/second"; then passed=$((passed + 1)); else differs "$name"; fi ;;
    '2 2') grep -q -- --dynamics "$work/first.log" || { cat "$work/first.log" && differs "$name: refused"; } ;;
    *) differs "$name: exit codes $codes" ;;
  esac
}

for model in configs/models/*.yaml; do
  for formulation in "${formulations[@]}"; do compare_model "$model" "$formulation" rk4; done
  for integrator in "${integrators[@]}"; do compare_model "$model" auto "$integrator"; done
done

# Rigs add actuators, sensors, noise and policies; a rig of the network has the same plant as the one without.
for rig in configs/rigs/*.yaml; do
  name=$(basename "$rig" .yaml)
  [[ $name != *_udp ]] || continue
  if ! "$first" run "$rig" --mode free -t 500ms --allow-degraded --listen none --runs "$work/runs" \
    --record "$work/$name.mcap" >"$work/run.log" 2>&1; then
    cat "$work/run.log"
    differs "$name: does not run"
  elif "$first" replay "$work/$name.mcap" >/dev/null && "$second" replay "$work/$name.mcap"; then
    passed=$((passed + 1))
  else
    differs "$name: replay"
  fi
done

# A comparison that compared nothing would pass, too.
((passed + failed >= 150)) || differs "only $((passed + failed)) comparisons were made"
echo "$passed passed, $failed failed"
((failed == 0))

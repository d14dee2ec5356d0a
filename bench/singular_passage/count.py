#!/usr/bin/env python3
"""Counts the instructions of every single call while the N-four-bar passes its flat position.

usage: count.py [path of singular_passage] [--json FILE]     (build it with KINLOOP_BUILD_BENCH, needs valgrind)
"""
import argparse
import collections
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def read_dumps(folder):
    """Instructions by (kind, contestant): a list of (instructions, angle in nrad)."""
    calls = collections.defaultdict(list)
    for path in folder.glob("out.*"):
        text = path.read_text(errors="replace")
        label = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
        total = re.search(r"^totals: (\d+)", text, re.M)
        if label and total:
            kind, contestant, angle = label.group(1).split("|")
            calls[kind, contestant].append((int(total.group(1)), float(angle)))
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("driver", nargs="?", default=REPOSITORY / "build/bin/singular_passage")
    parser.add_argument("--json")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "-q", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/out",
             str(options.driver)], stdout=subprocess.PIPE, text=True)
        if run.returncode != 0:
            sys.exit(f"{options.driver} failed")
        calls = read_dumps(pathlib.Path(folder))
    # The farthest from the flat position where an acceleration is not that of the branch.
    wrong = dict(line.rsplit("|", 1) for line in run.stdout.splitlines())

    rows = []
    for (kind, contestant), counted in sorted(calls.items()):
        worst, angle = max(counted)
        median = statistics.median(n for n, _ in counted)
        rows.append({"call": kind, "contestant": contestant, "calls": len(counted), "median": median, "worst": worst,
                     "ratio": worst / median, "worst_at_rad": angle * 1e-9,
                     "off_branch_within_rad": float(wrong.get(contestant, "nan"))})
    print(f"{'instructions a call':<60} {'median':>10} {'worst':>10} {'ratio':>6} {'worst at rad':>13} {'off branch':>11}")
    for row in rows:
        print(f"{row['call'] + ', ' + row['contestant']:<60} {row['median']:>10.0f} {row['worst']:>10} "
              f"{row['ratio']:>6.2f} {row['worst_at_rad']:>13.1e} {row['off_branch_within_rad']:>11.0e}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()

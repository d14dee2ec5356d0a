#!/usr/bin/env python3
"""Counts the instructions of the main kernels and compares them with those stored in figures.json beside this file.

usage: count.py DRIVER [--store] [--only four_bar]     (needs valgrind; ./dev count builds the driver and calls this)

A kernel that takes more than 5 % above its figure is an error, one without a figure or a figure without a kernel too: who
changes what a kernel costs stores the new figures with the change (--store). Instructions depend on the compiler, so
figures are kept with its version, and with another one they are printed and not compared.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FIGURES = pathlib.Path(__file__).with_name("figures.json")
TOLERANCE = 0.05
# Below this a few instructions of noise are more than the tolerance.
SLACK = 20


def counts_of(driver):
    """Instructions by kernel: callgrind writes one file for each, which ends in its number and tells its name."""
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind"
        run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", driver], cwd=REPOSITORY,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"count.py: {driver} failed under valgrind:\n{run.stdout}")
        dumps = pathlib.Path(folder).glob("callgrind.*")
        for file in sorted(dumps, key=lambda file: int(file.suffix[1:])):
            text = file.read_text(errors="replace")
            name = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.M)
            if name:
                counts[name.group(1)] = int(re.search(r"^(?:totals|summary): (\d+)", text, re.M).group(1))
    return counts


def findings_in(stored, counted):
    """What is wrong, a line each."""
    lines = []
    for name, count in counted.items():
        if name not in stored:
            lines.append(f"{name}: {count} instructions, and no figure is stored")
        elif count > (1 + TOLERANCE) * stored[name] + SLACK:
            lines.append(f"{name}: {count} instructions, {100 * (count / stored[name] - 1):.1f} % more than the {stored[name]} stored")
    lines += [f"{name}: a figure is stored, but there is no such kernel" for name in stored if name not in counted]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("driver", type=pathlib.Path)
    parser.add_argument("--store", action="store_true", help="write the figures instead of comparing with them")
    parser.add_argument("--only", default="", help="show kernels whose name has this in it")
    given = parser.parse_args()

    compiler = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    counted = counts_of(given.driver.resolve())
    stored = json.loads(FIGURES.read_text()) if FIGURES.exists() else {"compiler": compiler, "instructions": {}}
    for name, count in counted.items():
        if given.only in name:
            before = stored["instructions"].get(name)
            print(f"{name:<44} {count:>10}" + (f" {100 * (count / before - 1):>+7.1f} %" if before else ""))
    if given.store:
        FIGURES.write_text(json.dumps({"compiler": compiler, "instructions": counted}, indent=1) + "\n")
        return 0
    if stored["compiler"] != compiler:
        print(f"not compared: the figures are of gcc {stored['compiler']}, this is {compiler}")
        return 0
    findings = findings_in(stored["instructions"], counted)
    for line in findings:
        print(f"count.py: {line}", file=sys.stderr)
    if findings:
        print("count.py: mend it, or store the new figures with the change that needs them: ./dev count --store", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

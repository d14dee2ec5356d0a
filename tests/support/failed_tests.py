#!/usr/bin/env python3
"""Says once more at the very end what failed, for those who see only the end of a log.

    failed_tests.py RESULTS BUILD_FOLDER

RESULTS is what `ctest --output-junit` wrote of the tests of BUILD_FOLDER. Exit code 0: all that failed goes by the clock
(label `service`), so that what ran beside it may have been the cause, and running it alone will tell; 1: something else
failed, or nothing at all.
"""
import json
import subprocess
import sys
import xml.etree.ElementTree

BY_THE_CLOCK = "service"
LAST_LINES = 15  # of one test
# What pytest, GoogleTest and our own scripts begin a line with that says what is wrong.
MARKS = ("E  ", "FAILED ", "ERROR ", "[  FAILED  ]", "Assertion", "not ok")


def telling_lines(output: str) -> list:
    """The last lines, and before them those that say what is wrong."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    earlier = [line for line in lines[:-LAST_LINES] if line.lstrip().startswith(MARKS)]
    return earlier[-LAST_LINES:] + lines[-LAST_LINES:]


def has_failed(case) -> bool:
    reason = case.find("skipped")
    return case.get("status") == "fail" or (reason is not None and "Unable" in reason.get("message", ""))


def failures_in(results) -> dict:
    """The telling lines of each failed test, by its name."""
    cases = xml.etree.ElementTree.parse(results).iter("testcase")
    return {case.get("name"): telling_lines(case.findtext("system-out") or "") for case in cases if has_failed(case)}


def tests_by_the_clock(folder) -> set:
    listing = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], check=True, capture_output=True)
    return {
        test["name"]
        for test in json.loads(listing.stdout)["tests"]
        for one in test.get("properties", [])
        if one["name"] == "LABELS" and BY_THE_CLOCK in one["value"]
    }


def main() -> int:
    results, folder = sys.argv[1:]
    failures = failures_in(results)
    for name, lines in failures.items():
        print(f"\nfailed: {name}")
        for line in lines:
            print(f"  | {line}")
    return 0 if failures and failures.keys() <= tests_by_the_clock(folder) else 1


if __name__ == "__main__":
    sys.exit(main())

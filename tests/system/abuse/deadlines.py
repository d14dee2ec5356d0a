"""Measures whether abuse from outside costs the plant deadlines: runs of one plant with and without it, in turns.

    deadlines.py OUT.json [--pairs 5] [--seconds 10]

The plant stays on one core (--core); io, which stays off it by itself, the abusers and this script are on the others.
Exit code 0: measured, whatever came out; the verdict is in the file.
"""

import argparse
import contextlib
import datetime
import itertools
import json
import os
import pathlib
import platform
import signal
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import abusers
from plant import Client, Plant, memory_kb

SIGNIFICANT = 0.05


def mob(endpoints):
    """Everybody at once, for as long as the run takes."""
    return [
        (abusers.slow_subscribers, endpoints, 60),
        (abusers.deaf_subscribers, endpoints, 40),
        (abusers.thousands_of_subscriptions, endpoints),
        (abusers.control_flood, endpoints, abusers.CHEAP_VERBS),
        (abusers.control_flood, endpoints, abusers.FORCES),
        (abusers.control_flood_unread, endpoints, "describe"),
        (abusers.actuator_flood, endpoints),
        (abusers.actuator_flood, endpoints),
        (abusers.garbage, endpoints, 1000),
        (abusers.oversized, endpoints),
        (abusers.broken_handshakes, endpoints),
        (abusers.in_the_middle_of_a_message, endpoints),
    ]


def abuse_for(seconds, plant):
    """The mob, holders that are killed one after the other, and in the middle of it io is killed once."""
    until = time.monotonic() + seconds
    endpoints = plant.endpoints()
    killed_io = False
    with abusers.run_apart(*mob(endpoints)):
        while time.monotonic() < until:
            with contextlib.suppress(AssertionError), abusers.run_apart((abusers.leased_and_sending, endpoints)) as holders:
                time.sleep(0.3)
                os.kill(holders[0].pid, signal.SIGSTOP)
            if not killed_io and time.monotonic() > until - seconds / 2 and plant.io():
                os.kill(plant.io(), signal.SIGKILL)
                killed_io = True


def run_once(is_abused, seconds, core):
    plant = Plant(options=["--core", str(core)])
    try:
        cpu = time.process_time()
        max_kb = 0
        if is_abused:
            abuse_for(seconds, plant)
            max_kb = memory_kb(plant.io())
        else:
            time.sleep(seconds)
        assert plant.process.poll() is None, plant.text()
        refused = None
        with contextlib.suppress(TimeoutError):
            client = Client(plant.endpoints())
            refused = client.status().messages_refused
            client.close()
        code = plant.stop()
        report = json.loads((plant.directory() / "timing.json").read_text())
        facts = json.loads((plant.directory() / "host.json").read_text())
    finally:
        plant.remove()
    spreads = {name: {key: value for key, value in report[name].items()} for name in ("wake_up", "execution", "jitter")}
    run = {
        "abused": is_abused,
        "exit_code": code,
        "steps": report["steps"],
        "overrun": report["overrun"],
        **spreads,
        "thread": report["thread"],
        "dropped": report["dropped"],
        "refusals": report["refusals"],
        "messages_refused_by_the_last_io": refused,
        "io_resident_kb_at_the_end": max_kb,
        "script_cpu_s": time.process_time() - cpu,
        "load_average": os.getloadavg()[0],
    }
    return run, facts


def chance_of_so_much(differences):
    """Of a mean as large or larger if the sign of each difference were a matter of luck: all signs are tried."""
    seen = statistics.mean(differences)
    means = [
        statistics.mean(sign * one for sign, one in zip(signs, differences))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(mean >= seen - 1e-12 for mean in means) / len(means)


QUANTITIES = {
    "late steps per 10000": lambda run: 1e4 * run["overrun"]["misses"] / max(1, run["steps"]),
    "wake-up p50, us": lambda run: run["wake_up"]["p50_ns"] / 1e3,
    "wake-up p99, us": lambda run: run["wake_up"]["p99_ns"] / 1e3,
    "wake-up p99.9, us": lambda run: run["wake_up"]["p99_9_ns"] / 1e3,
    "execution p50, us": lambda run: run["execution"]["p50_ns"] / 1e3,
    "execution p99, us": lambda run: run["execution"]["p99_ns"] / 1e3,
    "execution p99.9, us": lambda run: run["execution"]["p99_9_ns"] / 1e3,
}


def compare(pairs):
    """Each quantity: what abuse added, how much calm runs differ among themselves, and how likely luck is."""
    rows = {}
    for name, quantity in QUANTITIES.items():
        calm = [quantity(calm) for calm, _ in pairs]
        differences = [quantity(abused) - quantity(calm) for calm, abused in pairs]
        rows[name] = {
            "calm": calm,
            "added_by_abuse": differences,
            "calm_median": statistics.median(calm),
            "calm_range": max(calm) - min(calm),
            "added_median": statistics.median(differences),
            "chance_of_so_much_by_luck": chance_of_so_much(differences),
        }
    return rows


def verdict_of(rows):
    late = rows["late steps per 10000"]
    if late["chance_of_so_much_by_luck"] <= SIGNIFICANT:
        return "abuse cost deadlines: more steps were late with it than luck explains"
    return (
        "no deadline was seen to be lost to abuse; on this host calm runs differ by up to "
        f"{late['calm_range']:.2f} late steps in 10000 among themselves, and less than that would not be seen"
    )


def print_table(rows):
    print(f"{'':22} {'calm':>10} {'calm range':>11} {'added':>10} {'luck':>7}")
    for name, row in rows.items():
        print(
            f"{name:22} {row['calm_median']:10.2f} {row['calm_range']:11.2f} {row['added_median']:+10.2f}"
            f" {row['chance_of_so_much_by_luck']:7.3f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    core = cores[-1]
    others = set(cores[:-1]) or set(cores)
    pairs = []
    facts = {}
    for i in range(options.pairs):
        runs = {}
        for is_abused in (False, True) if i % 2 == 0 else (True, False):  # a drift of the host hits both alike
            abusers.CORES = others
            runs[is_abused], facts = run_once(is_abused, options.seconds, core)
            late = runs[is_abused]["overrun"]["misses"]
            print(f"pair {i + 1}, {'abused' if is_abused else 'calm'}: {late} of {runs[is_abused]['steps']} steps late")
        pairs.append((runs[False], runs[True]))
    rows = compare(pairs)
    verdict = verdict_of(rows)
    print_table(rows)
    print(verdict)
    host = {"kernel": platform.release(), "cores": len(cores), "plant_core": core, "others_on": sorted(others), **facts}
    host.pop("name", None)
    result = {
        "when": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "seconds_of_each_run": options.seconds,
        "host": host,
        "verdict": verdict,
        "comparison": rows,
        "pairs": [{"calm": calm, "abused": abused} for calm, abused in pairs],
    }
    options.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()

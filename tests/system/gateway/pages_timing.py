#!/usr/bin/env python3
"""Measures whether open pages cost the plant deadlines: runs with and without them, in turns.

    pages_timing.py KINLOOP OUT.json [--pages 20] [--pairs 6] [--seconds 10]

A page is a WebSocket that reads all pictures, with forces, as a browser's does; drawing them costs the browser's host,
not the plant's. Plant on the last core, all else on the others.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from web_socket import WebSocket

ROOT = pathlib.Path(__file__).resolve().parents[3]
WISHES = bytes([0x1A, 0x02, 0x10, 0x01])  # PageRequest.wishes { forces: true }


def look(port, ends, counts):
    """One page, until the end."""
    page = WebSocket(port)
    page.send(WISHES)
    while not ends.is_set():
        message = page.recv()
        if message is None:
            return
        counts.append(len(message))
    page.close()


def run(kinloop, seconds, pages, runs):
    """The timing of one run, and what pages read."""
    command = [kinloop, "run", ROOT / "configs/rigs/excavator.yaml", "--allow-degraded", "--panel=127.0.0.1:0", "--runs", runs]
    process = subprocess.Popen([*command, "-t", str(seconds + 3)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    port = directory = None
    for line in process.stderr:
        directory = directory or (re.search(r"run directory (\S+)", line) or [None, None])[1]
        found = re.search(r"open http://\S+:(\d+)", line)
        if found:
            port = int(found.group(1))
            break
    ends, counts = threading.Event(), []
    threads = [threading.Thread(target=look, args=(port, ends, counts), daemon=True) for _ in range(pages)]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    ends.set()
    process.stderr.read()
    process.wait()
    timing = json.loads((pathlib.Path(directory) / "timing.json").read_text())
    return {"pages": pages, "messages_read": len(counts), "bytes_read": sum(counts), "timing": timing}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinloop")
    parser.add_argument("out")
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(0, cores[:-1])  # this script is not to be in the plant's way
    load_before = os.getloadavg()
    pairs = []
    with tempfile.TemporaryDirectory() as runs:
        for number in range(options.pairs):
            order = [0, options.pages] if number % 2 == 0 else [options.pages, 0]
            pair = {("open" if pages else "closed"): run(options.kinloop, options.seconds, pages, runs) for pages in order}
            pairs.append(pair)
            print(f"pair {number + 1} of {options.pairs}", file=sys.stderr)
    result = {"host": platform.platform(), "cores": len(cores), "pages": options.pages, "seconds": options.seconds,
              "load_before": load_before, "pairs": pairs}
    pathlib.Path(options.out).write_text(json.dumps(result, indent=1) + "\n")
    for name, path in {"late steps": ("overrun", "misses"), "wake-up p99.9 ns": ("wake_up", "p99_9_ns"), "execution p99.9 ns": ("execution", "p99_9_ns")}.items():
        values = {kind: [value_at(pair[kind]["timing"], path) for pair in pairs] for kind in ("closed", "open")}
        print(f"{name}: closed {values['closed']} median {statistics.median(values['closed'])}, "
              f"open {values['open']} median {statistics.median(values['open'])}")


def value_at(timing, path):
    for key in path:
        timing = timing[key]
    return timing


if __name__ == "__main__":
    main()

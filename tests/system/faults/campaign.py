"""Does to running plants what a seed draws, while honest clients work, and checks what must hold all the same.

    campaign.py --program build/bin/kinloop [--seed N] [--minutes M] [--history FILE]

Three plants are commanded, watched, stopped and re-armed: one in real time by local sockets, one in lockstep, one in real
time by TCP and keys in a network of its own. Meanwhile processes are killed and hung, their memory and descriptors
limited, disks filled or made read-only, the time of day steps, packets are lost and delayed, sockets flooded, filled with
garbage and left half open, snapshots and records are altered. Checked: an acknowledged stop holds until it is re-armed,
what was asked is done once, an actuator has one lease, old commands move nothing, every frame is accounted for and holds numbers,
nothing altered is accepted, memory, descriptors and processes stay flat, and the record of it all replays. Exit code 0:
all of it held. A seed that fails is named with the command that repeats its schedule.
"""
import argparse
import collections
import gc
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CLIENT = ROOT / "services" / "clients" / "python"
sys.path[:0] = [str(CLIENT), str(HERE), str(HERE.parent)]
subprocess.run([sys.executable, str(CLIENT / "generate")], check=True)

import faults  # noqa: E402
import world  # noqa: E402
from disks import Unavailable  # noqa: E402
from history import History, percentile, worst_times  # noqa: E402
from scene import Scene  # noqa: E402
from schedule import draw_fault  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("KINLOOP", "kinloop"), help="the binary that is tried")
    parser.add_argument("--seed", type=int, default=None, help="of the schedule (drawn, and printed)")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--history", default=None, help="keep everything that was asked, answered and seen in this file")
    parser.add_argument("--only", default=None, help="kinds of faults, separated by commas")
    return parser.parse_args()


def run_faults(scene, seed, minutes, kinds):
    """One after the other until time is over; gives what could not be tried."""
    breaks = world.World(scene)
    left_out = collections.Counter()
    end = time.monotonic() + 60.0 * minutes
    number = 0
    while time.monotonic() < end:
        number += 1
        kind, name, own = draw_fault(seed, number, kinds)
        plants = world.KINDS[kind] if kind in world.KINDS else [name]
        begin = time.monotonic()
        try:
            if kind in world.KINDS:
                getattr(breaks, kind)(own)
            elif name in scene.targets:
                getattr(scene.faults_of(name), kind)(own)
            else:
                raise Unavailable(scene.why_no_network)
            scene.history.add("fault", t=begin, what=kind, plants=plants, until=time.monotonic())
        except Unavailable as error:
            left_out[f"{kind}: {error}"] += 1
        except Exception as error:  # noqa: BLE001
            scene.history.problem(f"{kind}, number {number}: {type(error).__name__}: {error}")
        if scene.look_for_dead(f"{kind}, number {number}"):
            break
        time.sleep(own.uniform(0.0, 1.0))
    return left_out


def campaign(options, seed, folder):
    gc.disable()  # one look through all of the history took seconds on a busy machine, and no client saw anything meanwhile
    history = History(options.history or folder / "history.jsonl")
    kinds = options.only.split(",") if options.only else [*faults.KINDS, *world.KINDS]
    rig = ROOT / "configs" / "rigs" / "cart_pole.yaml"
    with Scene(options.program, folder, rig, history) as scene:
        for why in scene.missing:
            print(f"NOT TRIED HERE: {why}", flush=True)
        scene.start_clients()
        left_out = run_faults(scene, seed, options.minutes, kinds)
        scene.end_clients()
        if not scene.look_for_dead("the end"):
            scene.look_at_footprints()
        scene.archivist.replay_last()
        runs = [target.run for target in scene.targets.values()]
    codes = [run.exit_code for run in runs]
    if any(codes):
        history.problem(f"exit codes {codes}")
    problems = history.check()
    report(history, left_out)
    return problems


def report(history, left_out):
    print(f"{'fault':18} {'times':>6} {'lasted at most':>15} {'silence at most':>16} {'stop at most':>13}   s")
    for kind, row in sorted(worst_times(history).items()):
        print(f"{kind:18} {row['count']:6} {row['lasted']:15.2f} {row['silence']:16.2f} {row['stop']:13.3f}")
    for text, count in left_out.items():
        print(f"left out {count} times: {text}")
    took = [entry["took"] for entry in history.of("stopped")]
    if took:
        print(f"{len(took)} stops, answered within {percentile(took, 0.5):.3f} s (median), {percentile(took, 0.99):.3f} s (99 %), "
              f"{max(took):.3f} s (longest)")
    altered = collections.Counter((entry["what"], entry.get("code", "refused")) for entry in history.of("altered"))
    print(f"{len(history.of('frame'))} frames, {len(history.of('lease'))} leases, {len(history.of('refused'))} refusals, "
          f"{len(history.of('request'))} requests, {len(history.of('command'))} commands, {len(history.of('replay'))} records done again; altered: "
          + ", ".join(f"{count} {what}s: {how}" for (what, how), count in sorted(altered.items(), key=str)))


def main():
    options = arguments()
    options.program = os.path.abspath(options.program)
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 31)
    print(f"campaign --seed {seed} --minutes {options.minutes:g}", flush=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kl-", dir="/tmp"))  # closed to others, short enough for sockets
    try:
        problems = campaign(options, seed, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for problem in dict.fromkeys(problems):
        print(f"PROBLEM: {problem}")
    only = f" --only {options.only}" if options.only else ""
    repeat = f"repeat: ./dev campaign --seed {seed} --minutes {options.minutes:g}{only}"
    print("all of it held" if not problems else repeat)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

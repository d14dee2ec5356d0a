"""Does to running plants what a seed draws, while honest clients work, and checks what must hold all the same.

    campaign.py --program build/bin/kinloop [--seed N] [--minutes M] [--history FILE]

A plant in real time is commanded, watched, stopped and re-armed, one in lockstep is stepped, and processes are killed and
hung, sockets flooded, filled with garbage and left half open. Checked: an acknowledged stop holds until it is re-armed,
steps are done once, an actuator has one lease, no frame goes back or holds what is no number, memory, descriptors and
processes stay flat, and the record of it all replays. Exit code 0: all of it held. A seed that fails is named with the
command that repeats its schedule.
"""
import argparse
import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CLIENT = ROOT / "services" / "clients" / "python"
sys.path[:0] = [str(CLIENT), str(HERE), str(HERE.parent)]
subprocess.run([sys.executable, str(CLIENT / "generate")], check=True)

import kinloop  # noqa: E402
from faults import KINDS, Faults  # noqa: E402
from history import History  # noqa: E402
from honest import PATIENCE_S, Controller, Observer, Operator  # noqa: E402
from processes import children_of, memory_kb  # noqa: E402

# Processes hang on purpose, and machines that run this stall: the watchdog is not what is tried here.
PATIENT = {"watchdog": "{timeout: 10 s}"}
MAX_GROWTH_KB = 64 << 10
MAX_MORE_DESCRIPTORS = 40


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("KINLOOP", "kinloop"), help="the binary that is tried")
    parser.add_argument("--seed", type=int, default=None, help="of the schedule (drawn, and printed)")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--history", default=None, help="keep everything that was asked, answered and seen in this file")
    return parser.parse_args()


def footprint(pid):
    """Memory in kB and open descriptors."""
    return memory_kb(pid), len(os.listdir(f"/proc/{pid}/fd"))


class Stepper(threading.Thread):
    """Steps a plant in lockstep; every number is asked for until it is answered."""

    def __init__(self, plant, history):
        super().__init__(name="stepper", daemon=True)
        self.plant, self.history = plant, history
        self.acknowledged = 0
        self.ends = threading.Event()

    def run(self):
        try:
            while not self.ends.is_set():
                self.plant.step_n(10, timeout=PATIENCE_S)
                self.acknowledged += 10
            self.history.add("lockstep", made=self.plant.status().step, acknowledged=self.acknowledged)
        except Exception as error:  # noqa: BLE001
            self.history.problem(f"the stepper died: {type(error).__name__}: {error}")


def run_faults(numbers, run, lockstep, plant, minutes, history):
    """The schedule; gives how often each fault came."""
    def addresses(of):
        return {one.socket: one.address for one in of.description.endpoints if one.address.startswith("ipc://")}

    targets = [Faults(run.process.pid, addresses(plant)), Faults(lockstep.process.pid, addresses(lockstep.plant))]
    counts = collections.Counter()
    end = time.monotonic() + 60.0 * minutes
    while time.monotonic() < end:
        kind, target = numbers.choice(KINDS), numbers.choice(targets)
        begin = time.monotonic()
        getattr(target, kind)(numbers)
        history.add("fault", t=begin, what=kind, lockstep=target is targets[1], until=time.monotonic())
        counts[kind] += 1
        time.sleep(numbers.uniform(0.0, 1.0))
        for which in (run, lockstep):
            if which.process.poll() is not None:
                history.problem(f"a plant ended with code {which.process.returncode} after {kind}:\n{which.log}")
                return counts
    return counts


def check_flat(run, before, history):
    parts = {"supervisor": run.process.pid, **children_of(run.process.pid)}
    if set(parts) != set(before):
        history.problem(f"processes were {sorted(before)} and are {sorted(parts)}")
    for name, (memory_before_kb, descriptors) in before.items():
        if name not in parts or name == "io":  # a new one each time it was killed
            continue
        memory_now_kb, descriptors_now = footprint(parts[name])
        if memory_now_kb > memory_before_kb + MAX_GROWTH_KB:
            history.problem(f"the memory of {name} grew from {memory_before_kb} to {memory_now_kb} kB")
        if descriptors_now > descriptors + MAX_MORE_DESCRIPTORS:
            history.problem(f"the descriptors of {name} grew from {descriptors} to {descriptors_now}")


def check_records(program, runs, history):
    """The part before the first death of io is one record, what follows others: each replays bit by bit."""
    for record in sorted(runs.rglob("*.mcap")):
        done = subprocess.run([program, "replay", str(record)], capture_output=True, text=True, timeout=600)
        history.add("replay", file=record.name, code=done.returncode)
        if done.returncode != 0:
            history.problem(f"{record.name} does not replay: {done.stderr.strip() or done.stdout.strip()}")


def campaign(options, seed, folder):
    history = History(options.history or folder / "history.jsonl")
    numbers = random.Random(seed)
    rig = ROOT / "configs" / "rigs" / "cart_pole.yaml"
    common = {"changes": PATIENT, "binary": options.program, "runtime_folder": folder, "timeout": PATIENCE_S}
    run = kinloop.launch(rig, "real_time", runs=folder / "runs", **common)
    lockstep = kinloop.launch(rig, "lockstep", runs=folder / "lockstep", **common)
    with run as plant, lockstep as stepped:
        plant.start_record("campaign.mcap")
        plant.rearm()
        address = plant._control.address
        before = {name: footprint(pid) for name, pid in
                  {"supervisor": run.process.pid, **children_of(run.process.pid)}.items()}
        clients = [Controller("controller", address, history, acquire_again=True),
                   Controller("rival", address, history, acquire_again=True),
                   Observer("observer", address, history), Operator("operator", address, history),
                   Stepper(stepped, history)]
        for client in clients:
            client.start()
        counts = run_faults(numbers, run, lockstep, plant, options.minutes, history)
        for client in clients:
            client.ends.set()
        for client in clients:
            client.join(3 * PATIENCE_S)
            if client.is_alive():
                history.problem(f"the {client.name} hangs")
        if run.process.poll() is None:
            check_flat(run, before, history)
    if run.exit_code != 0 or lockstep.exit_code != 0:
        history.problem(f"exit codes {run.exit_code} and {lockstep.exit_code}")
    check_records(options.program, folder / "runs", history)
    problems = history.check()
    report(history, counts)
    return problems


def report(history, counts):
    for kind in KINDS:
        print(f"{kind:16} {counts[kind]:5}")
    took = sorted(entry["took"] for entry in history.of("stopped"))
    if took:
        print(f"{len(took)} stops, answered within {took[len(took) // 2]:.3f} s (median), {took[-1]:.3f} s (longest)")
    print(f"{len(history.of('frame'))} frames, {len(history.of('lease'))} leases, {len(history.of('refused'))} refusals, "
          f"{len(history.of('replay'))} records replayed")


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
    print("all of it held" if not problems else f"repeat: ./dev campaign --seed {seed} --minutes {options.minutes:g}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

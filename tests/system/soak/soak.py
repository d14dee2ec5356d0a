"""Runs a plant for long, with all that clients do to it, and accounts for every step, frame and command.

    soak.py [--minutes 30]

Exit code 0 only if everything adds up; 77 where Python lacks what it needs.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import threading
import time

try:
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "abuse"))
    from plant import BINARY, Client, Plant, Refused, eventually, frames_pb2, memory_kb
except (ImportError, FileNotFoundError) as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

MOST_GROWTH_KB = {"io": 32 << 10, "plant": 4 << 10, "supervisor": 8 << 10}  # after the first minute
SETTLE_S = 60.0


class Subscriber(threading.Thread):
    """Counts what it gets and, by their numbers, what it does not."""

    def __init__(self, endpoints, every):
        super().__init__(daemon=True)
        self.every, self.received, self.gaps, self.first, self.last = every, 0, 0, 0, 0
        self.client = Client(endpoints)
        self.socket = self.client.subscribe(b"sensors/%d/" % every)
        self.commands, self.overwritten, self.command = 0, 0, 0  # as frames tell of them
        self.stops = False

    def run(self):
        while not self.stops or self.socket.poll(500):
            if not self.socket.poll(200):
                continue
            frame = frames_pb2.SensorFrame.FromString(self.socket.recv_multipart()[1])
            if self.first == 0:
                self.first = frame.sequence
            else:
                self.gaps += (frame.sequence - self.last) // self.every - 1
            self.last = frame.sequence
            self.received += 1
            if frame.command_sequence != self.command:
                self.commands += 1
                self.overwritten += frame.command_sequence - self.command - 1
                self.command = frame.command_sequence


class Sender(threading.Thread):
    """Commands at its own pace under one lease; refusals are answered, and counted."""

    def __init__(self, endpoints):
        super().__init__(daemon=True)
        self.client = Client(endpoints)
        self.client.describe()
        self.client.acquire(time_s=30.0, holder="soak")
        self.sent, self.not_sent, self.refused = 0, 0, 0
        self.stops = False

    def run(self):
        while not self.stops:
            if self.client.send(12.0 + (self.sent % 7)):
                self.sent += 1
            else:
                self.client.sequence -= 1
                self.not_sent += 1
            self.take_refusals()
            time.sleep(0.0005)  # faster than the plant steps: some are overwritten

    def take_refusals(self):
        while self.client.actuators.poll(0):
            self.client.actuators.recv()
            self.refused += 1

    def take_last_refusals(self):
        """A frame without a lease is refused: what was refused before it has been answered by then."""
        last = self.client.frame(0.0, lease=0)
        self.client.actuators.send(last.SerializeToString())
        while self.client.answer().sequence != last.sequence:
            self.refused += 1


class Operator:
    """Asks for a bit of everything; what is refused at a bad moment is counted and no harm."""

    def __init__(self, endpoints):
        self.client = Client(endpoints)
        self.client.describe()
        self.source = random.Random(11)
        self.snapshots = []
        self.done, self.refused, self.unanswered = {}, {}, 0

    def act(self):
        verb = self.source.choice(
            ("fault", "fault", "clear_faults", "override", "set_parameters", "snapshot", "restore", "apply_force")
            + ("status", "timing", "note", "linearize", "get_parameters")
        )
        try:
            self.ask(verb)
            self.done[verb] = self.done.get(verb, 0) + 1
        except Refused as refused:
            self.refused[str(refused)] = self.refused.get(str(refused), 0) + 1
        except TimeoutError:
            self.unanswered += 1

    def ask(self, verb):
        ask = self.client.ask
        if verb == "fault":
            kind = self.source.choice((1, 2, 3, 4, 5, 6, 8))
            signal = self.source.choice(("crank_angle", "crank_speed", "motor_current"))
            ask("inject_fault", signal=signal, kind=kind, value=0.1, duration_s=self.source.choice((0.0, 0.05)))
        elif verb == "override":
            ask("override", signal="motor_current", value=1.0, duration_s=0.1)
        elif verb == "set_parameters":
            request = self.client.request("set_parameters")
            mass = self.source.choice(("1 kg", "1.1 kg", "1.2 kg"))
            request.set_parameters.values.add(name="crank_mass", value=mass)
            self.client.ask_message(request)
        elif verb == "snapshot":
            self.snapshots = [*self.snapshots[-4:], ask("snapshot").snapshot]
        elif verb == "restore":
            if self.snapshots:
                ask("restore", snapshot=self.source.choice(self.snapshots))
        elif verb == "apply_force":
            ask("apply_force", body="coupler", force=[0.0, 5.0, 0.0], duration_s=0.02)
        elif verb == "note":
            ask("note", text="all is well")
        else:
            ask(verb)


class Account:
    """Rows of a table, each of which must add up."""

    def __init__(self):
        self.rows = []

    def equal(self, what, left, right):
        self.rows.append((left == right, what, str(left), str(right)))

    def within(self, what, value, most):
        self.rows.append((value <= most, what, str(value), f"<= {most}"))

    def print(self):
        for holds, what, left, right in self.rows:
            print(f"{'ok ' if holds else 'BAD'}  {what:62} {left:>12} {right:>12}")

    def adds_up(self):
        return all(holds for holds, *_ in self.rows)


def when_all_arrived(client, patience_s=20.0):
    """Status and timing of a plant that is paused, once its last frames have left; or as they are when time is over."""
    until = time.monotonic() + patience_s
    while True:
        status, timing = client.status(), client.ask("timing").timing
        if timing.steps == status.frames_published + status.frames_dropped or time.monotonic() > until:
            return status, timing
        time.sleep(0.02)


def soak(plant, minutes, account):
    endpoints = plant.endpoints()
    subscribers = [Subscriber(endpoints, every) for every in (1, 1, 10, 100)]
    for one in subscribers:
        one.start()
    eventually(lambda: all(one.received for one in subscribers), "subscribers get frames")
    operator = Operator(endpoints)
    sender = Sender(endpoints)
    sender.start()
    until = time.monotonic() + 60 * minutes
    settled = time.monotonic() + min(SETTLE_S, 20 * minutes)
    baseline = None
    told = time.monotonic()
    while time.monotonic() < until:
        operator.act()
        time.sleep(operator.source.uniform(0.05, 0.3))
        if baseline is None and time.monotonic() > settled:
            baseline = {name: memory_kb(pid) for name, pid in plant.pids.items()}
        if time.monotonic() > told + 60:
            told = time.monotonic()
            print(f"{(told - until) / 60 + minutes:6.1f} min, step count {operator.client.ask('timing').timing.steps}", flush=True)

    sender.stops = True
    sender.join()
    sender.take_last_refusals()
    steps = operator.client.ask("timing").timing.steps  # the last command is taken by the next one
    eventually(lambda: operator.client.ask("timing").timing.steps > steps + 1, "it goes on")
    operator.client.ask("pause")
    status, timing = when_all_arrived(operator.client)
    record = operator.client.ask("record", stop=True).record
    for one in subscribers:
        one.stops = True
        one.join()
    for name, kb in baseline.items():
        account.within(f"growth of the {name}, kB", memory_kb(plant.pids[name]) - kb, MOST_GROWTH_KB[name])

    account.equal("steps = steps in the record + dropped ones", timing.steps, record.steps + record.dropped)
    account.equal("steps = frames that left io + those the plant dropped", timing.steps,
                  status.frames_published + status.frames_dropped)
    for i, one in enumerate(subscribers):
        account.equal(f"subscriber {i} of every {one.every}.: frames since its first = received + gaps",
                      (status.frames_published - one.first) // one.every + 1, one.received + one.gaps)
    whole = subscribers[0] if subscribers[0].gaps <= subscribers[1].gaps else subscribers[1]
    hidden = status.commands_accepted - whole.commands  # in frames that this subscriber did not get
    account.equal("commands sent = accepted + refused + overwritten", sender.sent,
                  status.commands_accepted + sender.refused + status.commands_refused + whole.overwritten - hidden)
    account.within("commands accepted that no frame told of, for gaps", hidden, whole.gaps)
    account.within("commands that frames told of and were not accepted", -hidden, 0)
    account.equal("requests without an answer", operator.unanswered, 0)
    print(f"steps {timing.steps}, late {status.overruns}, failed {status.failed_steps}, record dropped {record.dropped}")
    print(f"commands sent {sender.sent}, in force {whole.commands}, overwritten {whole.overwritten}, refused {sender.refused}")
    print(f"gaps of subscribers {[one.gaps for one in subscribers]}, requests done {operator.done}, refused {operator.refused}")
    print(f"resident kB after settling {baseline}, at the end { {n: memory_kb(p) for n, p in plant.pids.items()} }")
    return record, timing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    minutes = parser.parse_args().minutes
    account = Account()
    plant = Plant(options=["--record", "{folder}/soak.mcap"])
    try:
        record, timing = soak(plant, minutes, account)
        account.equal("exit code of the plant", plant.stop(), 0)
        replay = subprocess.run([BINARY, "replay", record.file], capture_output=True, text=True)
        print(replay.stdout.strip() or replay.stderr.strip())
        account.equal("exit code of the replay", replay.returncode, 0)
        replayed = re.search(r"(\d+) steps", replay.stdout)
        account.equal("steps that were replayed", int(replayed.group(1)) if replayed else -1, record.steps)
    finally:
        plant.remove()
    account.print()
    return 0 if account.adds_up() else 1


if __name__ == "__main__":
    sys.exit(main())

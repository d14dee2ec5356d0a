"""Owns the honest clients of a campaign: each a thread with a connection of its own that goes on through every fault."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import threading
import time

import kinloop

PATIENCE_S = 20.0  # machines stall
RECORD_S = 15.0


class Client(threading.Thread):
    """Calls work() with a connection until it is told to end; a lost answer is part of the history, not a failure."""

    def __init__(self, name, target, history, **options):
        super().__init__(name=f"{name} of {target.name}", daemon=True)
        self.target = target
        self.history = history
        self.options = {"timeout": PATIENCE_S, "holder": name, **target.connection, **options}
        self.ends = threading.Event()

    def add(self, kind, **what):
        self.history.add(kind, plant=self.target.name, **what)

    def run(self):
        while not self.ends.is_set():
            try:
                with kinloop.connect(self.target.address, **self.options) as plant:
                    while not self.ends.is_set():
                        self.work(plant)
            except kinloop.KinloopError as error:
                self.add("refused", client=self.name, text=str(error))
                self.ends.wait(0.05)
            except Exception as error:  # noqa: BLE001: a client that dies is a finding, not the end of the campaign
                self.history.problem(f"the {self.name} died: {type(error).__name__}: {error}")
                return

    def work(self, plant):
        raise NotImplementedError


class Controller(Client):
    """Holds the belt now and then, and moves it."""

    def work(self, plant):
        plant.acquire()
        begin, lost, pause = time.monotonic(), plant.counters.leases_lost, 0.0
        try:
            last = begin
            while last < begin + 1.0 and not self.ends.is_set():
                plant.send([5.0])
                time.sleep(0.02)
                now = time.monotonic()
                pause, last = max(pause, now - last), now
            asked = time.monotonic()  # to give it back; when that is done is known to the plant alone
            plant.release()  # which fails where it was lost
            if plant.counters.leases_lost == lost:  # else others may have held it meanwhile
                self.add("lease", holder=self.name, t=begin, released=asked)
        finally:
            if plant.counters.leases_lost > lost:
                self.add("lease_lost", holder=self.name, since=begin, pause=pause)
        self.ends.wait(0.3)


class Observer(Client):
    """Sees every frame."""

    def work(self, plant):
        frame = plant.recv(newest=False, timeout=PATIENCE_S)
        message = frame.message
        self.add("frame", step=message.step, flags=message.flags, values=list(message.value),
                 number=message.sequence, age=message.command_age_ticks)


class Operator(Client):
    """Stops the plant, waits, and lets it move again."""

    def work(self, plant):
        self.ends.wait(0.5)
        begin = time.monotonic()
        stop = plant.emergency_stop()
        self.add("stopped", step=stop.step, took=time.monotonic() - begin)
        self.ends.wait(0.7)
        self.add("rearm")
        plant.rearm()


class Stepper(Client):
    """Steps a plant in lockstep; every number is asked for until it is answered."""

    def run(self):
        acknowledged = 0
        try:
            with kinloop.connect(self.target.address, **self.options) as plant:
                while not self.ends.is_set():
                    plant.step_n(10, timeout=2 * PATIENCE_S)
                    acknowledged += 10
                    self.add("steps", number=acknowledged)
                self.add("lockstep", made=plant.status().step, acknowledged=acknowledged)
        except Exception as error:  # noqa: BLE001
            self.history.problem(f"the {self.name} died: {type(error).__name__}: {error}")


class Archivist(Client):
    """Records the run in pieces, and does each again once it is whole; keeps one of them for those who damage records."""

    def __init__(self, target, history, program, runs):
        super().__init__("archivist", target, history)
        self.program, self.runs = program, pathlib.Path(runs)
        self.sample = self.runs.parent / "sample.mcap"
        self.tries = 0

    def work(self, plant):
        if not plant.status().recording:  # it goes on by itself after a death of io
            self.tries += 1
            plant.start_record(f"piece{self.tries}.mcap")
        self.ends.wait(RECORD_S)
        status = plant.status()
        if status.recording:
            plant.stop_record()
        self.replay_all(status.record_trouble)

    def replay_last(self):
        """What was being written when the campaign ended, as far as it is there."""
        with contextlib.suppress(kinloop.KinloopError):
            with kinloop.connect(self.target.address, **self.options) as plant:
                if plant.status().recording:
                    plant.stop_record()
        self.replay_all()

    def replay_all(self, trouble=""):
        """What is not being written any more; a record that lacks steps has to say so."""
        for record in sorted(self.runs.rglob("*.mcap")):
            done = run_replay(self.program, record)
            self.add("replay", file=record.name, trouble=trouble, **done)
            if done["code"] == 0 and not self.sample.exists():
                part = self.sample.with_suffix(".part")  # its disk may be full: whole or not at all
                with contextlib.suppress(OSError):
                    shutil.copy(record, part)
                    part.replace(self.sample)
            record.unlink(missing_ok=True)


def run_replay(program, record):
    """Its exit code, none where it did not end, and what it said."""
    try:
        done = subprocess.run(["nice", program, "replay", os.fspath(record)], capture_output=True, text=True,
                              errors="replace", timeout=300)
    except subprocess.TimeoutExpired:
        return {"code": None, "text": "no end within 300 s"}
    return {"code": done.returncode, "text": (done.stderr.strip() or done.stdout.strip())[-400:]}

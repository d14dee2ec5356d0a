"""Owns the faults of a campaign that hit what plants stand on: disks, clocks, networks, files that were kept."""
import os
import pathlib
import shutil
import subprocess
import time

import kinloop
from disks import ReadOnlyDisk, Unavailable
from honest import run_replay
from processes import children_of

RUN_CODES = (0, 1, 2)  # of a run that ends on a disk that takes nothing: it ends, and by itself


class World:
    """Every method takes random numbers of its own and lasts as long as the fault does; Unavailable where it cannot be done."""

    def __init__(self, scene):
        self.scene = scene
        self.history = scene.history

    def full_disk(self, random):
        """Where the run and its record are written."""
        self.scene.disk.fill(random.uniform(0.5, 4.0))

    def read_only_disk(self, random):
        """Of a run that was begun on it: it goes on, can be stopped, and ends."""
        disk = ReadOnlyDisk(self.scene.folder / "ro")
        try:
            self._run_on(disk, random)
        finally:
            disk.close()

    def _run_on(self, disk, random):
        run = self.scene.launch("real_time", runs=disk.folder / "runs")
        with run as plant:
            plant.start_record("lost.mcap")
            plant.rearm()
            time.sleep(random.uniform(0.1, 0.5))
            disk.give_up()
            time.sleep(random.uniform(0.1, 1.5))
            if random.random() < 0.5:
                os.kill(children_of(run.process.pid)["io"], 9)  # the next one finds no disk to write to
            begin = time.monotonic()
            step = plant.emergency_stop().step
            self.history.add("stopped_apart", took=time.monotonic() - begin)
            if plant.status().step < step or run.process.poll() is not None:
                self.history.problem(f"a plant whose disk is read-only does not go on:\n{run.log}")
        if run.exit_code not in RUN_CODES:
            self.history.problem(f"a run whose disk became read-only ended with code {run.exit_code}")
        again = subprocess.run([self.scene.program, "run", str(self.scene.rig), "--allow-degraded", "-t", "1", "--runs",
                                str(disk.folder / "runs"), "--listen", "none"], capture_output=True, text=True, timeout=60)
        if again.returncode != 2 or "ead-only" not in again.stderr:
            self.history.problem(f"a run on a read-only disk ended with {again.returncode}: {again.stderr.strip()}")

    def step_clock(self, random):
        """The time of day of all plants: seconds to years, back and forth."""
        for _ in range(random.randint(1, 4)):
            self.scene.clock.step(random.choice([-1.0, 1.0]) * 10.0 ** random.uniform(0.0, 8.0))
            time.sleep(random.uniform(0.2, 1.2))
        self.scene.clock.step(0.0)

    def lose_packets(self, random):
        self._network().lose(random.choice([5, 20, 50]), random.uniform(0.5, 4.0))

    def cut_cable(self, random):
        self._network().lose(100, random.uniform(0.2, 4.0))

    def delay_network(self, random):
        self._network()
        self.scene.relay.delay_s = random.choice([0.01, 0.1, 0.5])
        time.sleep(random.uniform(0.5, 4.0))
        self.scene.relay.delay_s = 0.0

    def cut_connections(self, random):
        self._network()
        for _ in range(random.randint(1, 5)):
            self.scene.relay.cut()
            time.sleep(random.uniform(0.05, 0.5))

    def corrupt_record(self, random):
        """Bytes changed, or the end cut off; read by the program that replays records."""
        sample = self.scene.sample
        if sample is None or not sample.exists():
            return  # none is whole yet
        altered = self.scene.folder / "altered.mcap"
        data = bytearray(sample.read_bytes())
        if random.random() < 0.3:
            del data[random.randrange(len(data)):]
        else:
            for _ in range(random.choice([1, 1, 10, 1000])):
                data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        altered.write_bytes(bytes(data))
        self.history.add("altered", what="record", **run_replay(self.scene.program, altered))

    def _network(self):
        if self.scene.namespace is None:
            raise Unavailable(self.scene.why_no_network)
        return self.scene.namespace


# And which of the campaign's plants they hit.
KINDS = {"full_disk": ["local"], "read_only_disk": [], "step_clock": ["local", "lockstep", "remote"], "lose_packets": ["remote"],
         "cut_cable": ["remote"], "delay_network": ["remote"], "cut_connections": ["remote"], "corrupt_record": []}


def write_program(path, command):
    """A file that runs the command with its own arguments."""
    path = pathlib.Path(path)
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    path.chmod(0o700)
    return path


def make_keys(program, folder):
    """Of a server and of an admin; gives the server's options and the client's."""
    (folder / "keys").mkdir()
    for name, role in (("server", "server"), ("admin", "admin")):
        subprocess.run([program, "keygen", name, "--role", role], cwd=folder, check=True, capture_output=True)
    shutil.copy(folder / "admin.public", folder / "keys")
    return ({"server_key": folder / "server.secret", "keys": folder / "keys"},
            {"keys": kinloop.read_keys(folder / "admin.secret", folder / "server.public")})

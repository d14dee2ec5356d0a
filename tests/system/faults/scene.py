"""Owns the scene of a campaign: three plants, the disk, the clock and the network they stand on, their honest clients."""
import contextlib
import os
import random
import shutil
import socket

import kinloop
from clocks import FalseClock
from disks import SmallDisk, Unavailable
from faults import Faults
from honest import PATIENCE_S, Archivist, Controller, Observer, Operator, Stepper
from network import PORTS, Namespace, Relay
from processes import children_of, memory_kb
from world import make_keys, write_program

# Processes hang on purpose, and machines that run this stall: the watchdog is not what is tried here.
CHANGES = {"watchdog": "{timeout: 10 s}", "frames": "{rate: 100 Hz}"}

ORPHANS_END = "setpriv --pdeathsig TERM " if shutil.which("setpriv") else ""  # whatever becomes of the campaign


class Target:
    """A plant of the campaign: its run, how clients reach it, and what it takes."""

    def __init__(self, name, run, plant):
        self.name, self.run, self.plant = name, run, plant
        self.local = {one.socket: one.address for one in plant.description.endpoints if one.address.startswith("ipc://")}
        self.address, self.connection = self.local["control"], {}
        self.before = self.footprints()

    def footprints(self):
        """Memory in kB and open descriptors of each process."""
        parts = {"supervisor": self.run.process.pid, **children_of(self.run.process.pid)}
        return {part: (memory_kb(pid), len(os.listdir(f"/proc/{pid}/fd"))) for part, pid in parts.items()}


class Scene:
    """A context manager. What this machine does not permit is told in `missing`, and is not there."""

    def __init__(self, program, folder, rig, history):
        self.program, self.folder, self.rig, self.history = program, folder, rig, history
        self.missing, self.targets, self.clients = [], {}, []
        self.namespace, self.relay, self.why_no_network, self.sample = None, None, "", None
        self._ends = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as on_failure:
            on_failure.push(self._ends)
            self.disk = SmallDisk(self.folder / "disk")
            self._ends.callback(self.disk.close)
            self.clock = FalseClock(self.folder)
            self.missing += [why for why in (self.disk.why_not, self.clock.why_not) if why]
            self.here = write_program(self.folder / "here", f"{ORPHANS_END}{self.clock.command()}{self.program}")
            self._start("local", self.launch("real_time", runs=self.disk.folder / "runs"))
            self._start("lockstep", self.launch("lockstep", runs=self.folder / "lockstep"))
            self._start_remote()
            on_failure.pop_all()
        return self

    def __exit__(self, *error):
        self._ends.close()

    def launch(self, mode, binary=None, **options):
        return kinloop.launch(self.rig, mode, changes=CHANGES, binary=binary or self.here,
                              runtime_folder=self.folder, timeout=PATIENCE_S, **options)

    def _start(self, name, run):
        self.targets[name] = Target(name, run, self._ends.enter_context(run))

    def _start_remote(self):
        """In a network of its own, by TCP and keys, through a relay."""
        try:
            self.namespace = Namespace()
        except Unavailable as error:
            self.why_no_network = str(error)
            self.missing.append(self.why_no_network)
            return
        self._ends.callback(self.namespace.close)
        port = free_ports()
        server, client = make_keys(self.program, self.folder)
        inside = write_program(self.folder / "inside",
                               f"{ORPHANS_END}{self.namespace.command()}{self.clock.command()}{self.program}")
        self._start("remote", self.launch("real_time", binary=inside, runs=self.folder / "remote",
                                          listen=[f"tcp://*:{port}"], **server))
        self.relay = Relay(port, self.namespace.there)
        self.relay.start()
        self._ends.callback(self.relay.close)
        self.targets["remote"].address, self.targets["remote"].connection = f"tcp://127.0.0.1:{port}", client

    def start_clients(self):
        for name in ("local", "remote"):
            if name not in self.targets:
                continue
            target = self.targets[name]
            target.plant.rearm()
            self.clients += [Controller("controller", target, self.history, acquire_again=True),
                             Controller("rival", target, self.history, acquire_again=True),
                             Observer("observer", target, self.history), Operator("operator", target, self.history)]
        self.archivist = Archivist(self.targets["local"], self.history, self.program, self.disk.folder / "runs")
        self.sample = self.archivist.sample
        self.clients += [Stepper(self.targets["lockstep"], self.history, self.folder / "lockstep"), self.archivist]
        for client in self.clients:
            client.start()

    def end_clients(self):
        for client in self.clients:
            client.ends.set()
        for client in self.clients:
            client.join(3 * PATIENCE_S)
            if client.is_alive():
                self.history.problem(f"the {client.name} hangs")

    def faults_of(self, name):
        target = self.targets[name]
        return Faults(name, target.run.process.pid, target.local, self.history)

    def look_at_footprints(self):
        """Of what lived from the beginning to the end: io is a new one each time it was killed."""
        for target in self.targets.values():
            now = target.footprints()
            if set(now) != set(target.before):
                self.history.problem(f"{target.name}: processes were {sorted(target.before)} and are {sorted(now)}")
            for part, before in target.before.items():
                if part in now and part != "io":
                    self.history.add("footprint", plant=target.name, part=part, before=before, after=now[part])

    def look_for_dead(self, after):
        """Whether a plant is gone, which ends the campaign."""
        dead = [target for target in self.targets.values() if target.run.process.poll() is not None]
        for target in dead:
            self.history.problem(f"the {target.name} plant ended with code {target.run.process.returncode} after {after}:\n"
                                 f"{target.run.log[-4000:]}")
        return bool(dead)


def free_ports():
    """The first of as many ports in a row as a plant has."""
    for _ in range(100):
        first = random.SystemRandom().randrange(20000, 32000)
        with contextlib.ExitStack() as held:
            try:
                for port in range(first, first + PORTS):
                    held.enter_context(socket.create_server(("127.0.0.1", port)))
            except OSError:
                continue
            return first
    raise RuntimeError("no ports are free")

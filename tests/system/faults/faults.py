"""Owns the faults of a campaign: what is done to a running plant, each for a time that the seed draws."""
import os
import signal
import socket
import time

import zmq
from processes import children_of


class Faults:
    """Faults of one run. Every method takes the random numbers of the schedule and says how long it lasted."""

    def __init__(self, supervisor, addresses):
        self.supervisor = supervisor
        self.addresses = addresses  # of its sockets, by name

    def kill_io(self, random):
        self._signal("io", signal.SIGKILL)

    def hang_io(self, random):
        self._hang(children_of(self.supervisor).get("io"), random.uniform(0.05, 7.0))

    def hang_supervisor(self, random):
        self._hang(self.supervisor, random.uniform(0.05, 1.5))

    def hang_plant(self, random):
        """Shorter than the watchdog of the campaign's rig bears."""
        self._hang(children_of(self.supervisor).get("plant"), random.uniform(0.01, 0.3))

    def ask_to_end(self, random):
        """What io and plant leave to the supervisor: signals of a terminal."""
        for name in ("io", "plant"):
            self._signal(name, random.choice([signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2]))

    def garbage(self, random):
        """Bytes that are no message, on every socket."""
        context = zmq.Context()
        for address in self.addresses.values():
            dealer = context.socket(zmq.DEALER)
            dealer.linger = 0
            dealer.connect(address)
            for _ in range(random.randint(1, 200)):
                parts = [random.randbytes(random.choice([0, 1, 7, 64, 4096])) for _ in range(random.randint(1, 4))]
                try:
                    dealer.send_multipart(parts, zmq.NOBLOCK)
                except zmq.Again:
                    break  # nobody reads
        time.sleep(random.uniform(0.0, 0.5))
        context.destroy(linger=0)

    def flood(self, random):
        """Well-formed beginnings, as fast as the socket takes them."""
        context = zmq.Context()
        dealer = context.socket(zmq.DEALER)
        dealer.linger = 0
        dealer.connect(self.addresses["control"])
        end = time.monotonic() + random.uniform(0.2, 2.0)
        message = b"\x08\x01" * random.choice([1, 100, 20000])
        while time.monotonic() < end:
            try:
                dealer.send(message, zmq.NOBLOCK)
            except zmq.Again:
                time.sleep(0.001)
        context.destroy(linger=0)

    def deaf_clients(self, random):
        """Subscribe to everything and read nothing."""
        context = zmq.Context()
        for _ in range(random.randint(1, 10)):
            deaf = context.socket(zmq.SUB)
            deaf.rcvhwm = 1
            deaf.linger = 0
            deaf.subscribe(b"")
            deaf.connect(self.addresses["sensors"])
        time.sleep(random.uniform(0.5, 3.0))
        context.destroy(linger=0)

    def half_open(self, random):
        """Connect to the file of a socket and say nothing, or half a greeting."""
        path = self.addresses["control"].removeprefix("ipc://")
        open_ones = []
        for _ in range(random.randint(1, 100)):
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(1.0)
            try:
                one.connect(path)
                one.send(b"\xff" + random.randbytes(random.randint(0, 8)))
            except OSError:
                pass  # io is being restarted
            open_ones.append(one)
        time.sleep(random.uniform(0.1, 1.0))
        for one in open_ones:
            one.close()

    def _signal(self, name, number):
        pid = children_of(self.supervisor).get(name)
        if pid is not None:
            os.kill(pid, number)

    @staticmethod
    def _hang(pid, time_s):
        if pid is None:
            return
        try:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(time_s)
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass  # the supervisor was quicker


KINDS = ("kill_io", "hang_io", "hang_supervisor", "hang_plant", "ask_to_end", "garbage", "flood", "deaf_clients", "half_open")

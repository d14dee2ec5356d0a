"""Owns the faults of a campaign that hit the processes and sockets of one plant, each for a time that the seed draws."""
import contextlib
import os
import resource
import signal
import socket
import time
import warnings

import kinloop
import zmq
from kinloop.v1 import control_pb2, state_pb2
from processes import children_of

MB = 1 << 20


class Faults:
    """Faults of one run. Every method takes random numbers of its own and lasts as long as the fault does."""

    def __init__(self, name, supervisor, addresses, history):
        self.name = name
        self.supervisor = supervisor
        self.addresses = addresses  # of its local sockets, by name
        self.history = history

    # Processes.

    def kill_io(self, random):
        self._signal("io", signal.SIGKILL)

    def hang_io(self, random):
        self._hang([self._pid("io")], random.uniform(0.05, 7.0))

    def hang_supervisor(self, random):
        self._hang([self.supervisor], random.uniform(0.05, 1.5))

    def hang_plant(self, random):
        """Shorter than the watchdog of the campaign's rig bears."""
        self._hang([self._pid("plant")], random.uniform(0.01, 0.3))

    def hang_both(self, random):
        """Supervisor and io: nobody could tell the plant of a stop, so that it makes itself safe."""
        self._hang([self.supervisor, self._pid("io")], random.uniform(2.5, 3.5))

    def ask_to_end(self, random):
        """What io and plant leave to the supervisor: signals of a terminal."""
        for name in ("io", "plant"):
            self._signal(name, random.choice([signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2]))

    # What the system gives them.

    def few_descriptors(self, random):
        """Not one more than are open."""
        pid = random.choice([self.supervisor, self._pid("io")])
        with self._limited(pid, resource.RLIMIT_NOFILE, lambda: len(os.listdir(f"/proc/{pid}/fd"))):
            time.sleep(random.uniform(0.2, 3.0))

    def little_memory(self, random):
        """io may take hardly any more."""
        pid = self._pid("io")
        with self._limited(pid, resource.RLIMIT_AS, lambda: size_of(pid) + random.randrange(8 * MB)):
            time.sleep(random.uniform(0.2, 3.0))

    def no_memory(self, random):
        """The plant has taken all that it needs before it began."""
        with self._limited(self._pid("plant"), resource.RLIMIT_AS, lambda: 4096):
            time.sleep(random.uniform(0.2, 3.0))

    # What clients send.

    def corrupt_snapshot(self, random):
        """A snapshot of this very plant with a few bytes changed is no snapshot."""
        try:
            with kinloop.connect(self.addresses["control"], timeout=5.0, holder="vandal") as plant:
                true = plant.snapshot().message
                for _ in range(random.randint(1, 20)):
                    altered = corrupted(true, random)
                    if altered is not None:
                        self._try_to_restore(plant, altered)
        except kinloop.KinloopError as error:
            self.history.add("refused", plant=self.name, client="vandal", text=str(error))

    def _try_to_restore(self, plant, altered):
        try:
            plant.restore(kinloop.Snapshot(altered))
            self.history.add("altered", plant=self.name, what="snapshot", accepted=True)
        except kinloop.NoAnswerError:
            raise
        except kinloop.KinloopError as error:
            self.history.add("altered", plant=self.name, what="snapshot", accepted=False, text=str(error))

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

    def slow_reader(self, random):
        """Subscribes to everything, asks for what is long, and takes a message now and then, through small buffers."""
        context = zmq.Context()
        readers = []
        for socket_name, kind in (("sensors", zmq.SUB), ("events", zmq.SUB), ("control", zmq.DEALER)):
            reader = context.socket(kind)
            reader.linger, reader.rcvhwm, reader.sndhwm, reader.rcvbuf = 0, 1, 10, 4096
            if kind == zmq.SUB:
                reader.subscribe(b"")
            reader.connect(self.addresses[socket_name])
            readers.append(reader)
        ask = control_pb2.ControlRequest(version=1, describe=control_pb2.DescribeRequest()).SerializeToString()
        end = time.monotonic() + random.uniform(0.5, 4.0)
        while time.monotonic() < end:
            with contextlib.suppress(zmq.Again):
                while True:
                    readers[-1].send(ask, zmq.NOBLOCK)
            for reader in readers:
                with contextlib.suppress(zmq.Again):
                    reader.recv_multipart(zmq.NOBLOCK)
            time.sleep(random.uniform(0.02, 0.2))
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

    # How.

    def _pid(self, name):
        """0 where there is none at the moment."""
        return children_of(self.supervisor).get(name, 0)

    def _signal(self, name, number):
        pid = self._pid(name)
        if pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    @staticmethod
    def _hang(pids, time_s):
        held = []
        for pid in filter(None, pids):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                held.append(pid)
        time.sleep(time_s if held else 0.0)
        for pid in held:
            with contextlib.suppress(ProcessLookupError):  # the supervisor was quicker
                os.kill(pid, signal.SIGCONT)

    @contextlib.contextmanager
    def _limited(self, pid, what, limit):
        """Its soft limit for as long as the block lasts."""
        before = None
        with contextlib.suppress(OSError):
            if pid:
                before = resource.prlimit(pid, what)
                resource.prlimit(pid, what, (limit(), before[1]))
        try:
            yield
        finally:
            if before is not None:
                with contextlib.suppress(OSError):  # it may be gone
                    resource.prlimit(pid, what, before)


def size_of(pid):
    """Bytes that it has asked for."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def corrupted(message, random):
    """A copy with some bytes changed that still is a message, and another one; nothing where that was not found."""
    for _ in range(20):
        data = bytearray(message.SerializeToString())
        for _ in range(random.randint(1, 4)):
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        altered = state_pb2.Snapshot()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # not all of it was a message
                altered.ParseFromString(bytes(data))
        except Exception:  # noqa: BLE001: which one depends on how protobuf is implemented
            continue
        altered.DiscardUnknownFields()
        if altered.SerializeToString(deterministic=True) != message.SerializeToString(deterministic=True):
            return altered
    return None


KINDS = ("kill_io", "hang_io", "hang_supervisor", "hang_plant", "hang_both", "ask_to_end", "few_descriptors",
         "little_memory", "no_memory", "corrupt_snapshot", "garbage", "flood", "deaf_clients", "slow_reader", "half_open")

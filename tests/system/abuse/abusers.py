"""Owns those who do a plant harm, as far as they can: each is a function that ends by itself or is killed.

An abuser gets the plant's endpoints and an event to set once it is at it. run_apart() puts it into a process of its own,
which can be killed or stopped like any client.
"""

import contextlib
import itertools
import multiprocessing
import os
import random
import signal
import socket
import struct
import time
import urllib.parse

import zmq

from plant import Client, Refused, control_pb2, frames_pb2

FORK = multiprocessing.get_context("fork")
FOREVER_S = 3600.0
CORES = None  # that abusers stay on; None: all


def _stay_on_cores():
    if CORES:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, CORES)


@contextlib.contextmanager
def run_apart(*abusers):
    """Processes, one for each (function, arguments...), that are at it; killed at the end."""
    processes = []
    try:
        for function, *arguments in abusers:
            is_at_it = FORK.Event()

            def begin(function=function, arguments=arguments, is_at_it=is_at_it):
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                _stay_on_cores()
                function(*arguments, is_at_it)

            process = FORK.Process(target=begin, daemon=True)
            process.start()
            processes.append((process, is_at_it))
        for process, is_at_it in processes:
            assert is_at_it.wait(20), "the abuser begins"
        yield [process for process, _ in processes]
    finally:
        for process, _ in processes:
            with contextlib.suppress(OSError):
                os.kill(process.pid, signal.SIGKILL)
            process.join()


# --- clients that are killed ---


def connected(endpoints, is_at_it):
    client = Client(endpoints)
    client.describe()
    is_at_it.set()
    time.sleep(FOREVER_S)


def leased_and_sending(endpoints, is_at_it):
    client = Client(endpoints)
    client.describe()
    client.acquire(time_s=1.0, holder="doomed")
    while True:
        client.send(12.0)
        if client.sequence == 200:
            is_at_it.set()
        time.sleep(0.001)


def subscribed(endpoints, is_at_it):
    client = Client(endpoints)
    frames = client.subscribe()
    while True:
        client.next_frame(frames)
        is_at_it.set()


def in_the_middle_of_a_message(endpoints, is_at_it):
    """Some parts of a message that never ends, and half a part."""
    wires = []
    for name, kind in (("control", b"DEALER"), ("actuators", b"DEALER"), ("sensors", b"XSUB"), ("events", b"XSUB")):
        wire = Wire(endpoints[name], kind)
        for _ in range(3):
            wire.part(b"half a message", more=True)
        wire.raw(b"\x01\x40" + b"not the 64 bytes that were told of")
        wires.append(wire)
    is_at_it.set()
    time.sleep(FOREVER_S)


def waiting_in_lockstep(endpoints, is_at_it):
    """Of a plant that is paused: the answer does not come."""
    client = Client(endpoints)
    client.describe()
    client.acquire(time_s=1.0, holder="doomed")
    client.send(12.0)
    is_at_it.set()
    client.answer(FOREVER_S)


# --- those who send too much, or read too little ---


def slow_subscribers(endpoints, count, is_at_it):
    context = zmq.Context()
    context.set(zmq.MAX_SOCKETS, 4096)
    sockets = []
    for i in range(count):
        slow = context.socket(zmq.SUB)
        slow.rcvhwm = 1
        slow.setsockopt(zmq.RCVBUF, 4096)
        slow.connect(endpoints["sensors" if i % 2 == 0 else "events"])
        slow.subscribe(b"")
        sockets.append(slow)
    is_at_it.set()
    time.sleep(FOREVER_S)


def deaf_subscribers(endpoints, count, is_at_it):
    """Subscribed on the wire, and nothing is ever read from it."""
    wires = [Wire(endpoints["sensors"], b"SUB") for _ in range(count)]
    for wire in wires:
        wire.part(b"\x01sensors/1/")
    is_at_it.set()
    time.sleep(FOREVER_S)


def thousands_of_subscriptions(endpoints, is_at_it):
    context = zmq.Context()
    greedy = context.socket(zmq.SUB)
    greedy.connect(endpoints["sensors"])
    for i in range(1, 3000):
        greedy.subscribe(b"sensors/%d/" % i)
        greedy.subscribe(os.urandom(20))
    events = context.socket(zmq.SUB)
    events.connect(endpoints["events"])
    for i in range(3000):
        events.subscribe(os.urandom(20))
    is_at_it.set()
    while True:
        if greedy.poll(100):
            greedy.recv_multipart()


def control_flood(endpoints, verbs, is_at_it):
    client = Client(endpoints)
    client.control.sndhwm = 100
    requests = []
    for verb, fields in verbs:
        requests.append(client.request(verb, **fields))
        requests[-1].request_id = 0
    bodies = [request.SerializeToString() for request in requests]
    for count in range(1 << 62):
        with contextlib.suppress(zmq.Again):
            client.control.send(bodies[count % len(bodies)], zmq.DONTWAIT)
        if count % 64 == 0:
            with contextlib.suppress(zmq.Again):
                while True:
                    client.control.recv(zmq.DONTWAIT)
        if count == 1000:
            is_at_it.set()


def control_flood_unread(endpoints, verb, is_at_it):
    """Asks for what is large, and reads no answer."""
    wire = Wire(endpoints["control"], b"DEALER")
    client = Client(endpoints)
    request = client.request(verb)
    request.request_id = 0
    body = request.SerializeToString()
    wire.socket.settimeout(0.2)
    is_at_it.set()
    while True:
        with contextlib.suppress(OSError):
            wire.part(body)


CHEAP_VERBS = (("describe", {}), ("status", {}), ("timing", {}), ("snapshot", {}), ("get_parameters", {}))
FORCES = (("apply_force", {"body": "crank", "force": [0.0, 0.0, 0.0]}),)


def actuator_flood(endpoints, is_at_it):
    """Frames without a right to be heard, as fast as it goes."""
    client = Client(endpoints)
    client.describe()
    client.lease = random.getrandbits(63)
    count = 0
    while True:
        if not client.send(1.0):
            with contextlib.suppress(zmq.Again):
                while True:
                    client.actuators.recv(zmq.DONTWAIT)
        count += 1
        if count == 1000:
            is_at_it.set()


# --- messages that are wrong ---


def _garbage(source):
    kind = source.randrange(6)
    if kind == 0:
        return [b""]
    if kind == 1:
        return [source.randbytes(source.randrange(1, 4000))]
    if kind == 2:
        return [source.randbytes(8) for _ in range(source.randrange(2, 40))]
    if kind == 3:
        return [b"", b"", source.randbytes(30)]
    if kind == 4:  # nested and unending lengths
        return [b"\x52" + b"\xff" * 9 + b"\x01", b""][: source.randrange(1, 3)]
    return [b"\x08\x01" + b"\x9a\x01\xff\xff\xff\xff\x0f" + source.randbytes(20)]


def garbage(endpoints, count, is_at_it):
    """Random and truncated bytes, in one part and in many, on every socket."""
    source = random.Random(7)
    context = zmq.Context()
    kinds = {"control": zmq.DEALER, "actuators": zmq.DEALER, "sensors": zmq.XSUB, "events": zmq.XSUB}
    sockets = {}
    for name, kind in kinds.items():
        sockets[name] = context.socket(kind)
        sockets[name].connect(endpoints[name])
    whole = Client(endpoints).request("acquire", time_s=1.0, holder="x" * 50).SerializeToString()
    for i in range(count):
        for name, one in sockets.items():
            parts = [whole[: i % len(whole)]] if i % 5 == 0 else _garbage(source)
            with contextlib.suppress(zmq.Again):
                one.send_multipart(parts, zmq.DONTWAIT)
        if i % 16 == 0:
            time.sleep(0.001)  # else most of it goes no further than our own queue
    for name in ("control", "actuators"):
        with contextlib.suppress(zmq.Again):
            sockets[name].send_multipart([b"part"] * 10_000, zmq.DONTWAIT)
    is_at_it.set()
    time.sleep(FOREVER_S)


def oversized(endpoints, is_at_it):
    """At it once all of them were cut off."""
    context = zmq.Context()
    monitors = []
    sockets = []  # one that nobody holds is closed by Python, and its monitor ends before the cut
    for name, size in (("actuators", 5000), ("control", 17 << 20)):
        large = context.socket(zmq.DEALER)
        sockets.append(large)
        monitors.append(large.get_monitor_socket(zmq.EVENT_DISCONNECTED))
        large.connect(endpoints[name])
        large.send(b"\0" * size)
    for name in ("control", "actuators", "sensors", "events"):  # only told of
        for size in (1 << 40, (1 << 63) - 1, (1 << 64) - 1):
            wire = Wire(endpoints[name], b"XSUB" if name in ("sensors", "events") else b"DEALER")
            with contextlib.suppress(ConnectionError):
                wire.raw(b"\x02" + struct.pack(">Q", size) + b"x" * 100)
                while wire.socket.recv(4096):
                    pass
    for monitor in monitors:
        monitor.recv_multipart()
    is_at_it.set()
    time.sleep(FOREVER_S)


def endless_message(endpoints, megabytes, is_at_it):
    """Parts without an end, each of a permitted size."""
    wire = Wire(endpoints["actuators"], b"DEALER")
    wire.socket.settimeout(5)
    with contextlib.suppress(OSError):
        for _ in range(megabytes * 256):
            wire.part(b"\0" * 4096, more=True)
    is_at_it.set()
    time.sleep(FOREVER_S)


def broken_handshakes(endpoints, is_at_it):
    """Connections that say nothing, nonsense, or half of what they should."""
    kept = []
    for i, name in enumerate(("control", "actuators", "sensors", "events") * 10):
        kept.append(connect_to(endpoints[name]))
        with contextlib.suppress(OSError):
            kept[-1].sendall((b"", b"GET / HTTP/1.0\r\n\r\n", os.urandom(64), Wire.GREETING[:20], Wire.GREETING)[i % 5])
    is_at_it.set()
    time.sleep(FOREVER_S)


def wrong_frames(endpoints, lease, sequence):
    """Frames of a lease's holder that must be refused, by what is wrong with them; then those of values alone."""
    nan, inf = float("nan"), float("inf")
    client = Client(endpoints)
    schema = client.describe().schema_hash
    good = {"schema_hash": schema, "lease": lease, "sequence": sequence, "value": [1.0]}
    whole = {
        "another schema": {**good, "schema_hash": schema ^ 1},
        "no lease": {**good, "lease": 0},
        "another lease": {**good, "lease": lease ^ 1},
        "replayed": {**good, "sequence": 1},
        "no values": {**good, "value": []},
        "too many values": {**good, "value": [1.0] * 65},
        "far too many values": {**good, "value": [1.0] * 400},
    }
    values = [{**good, "value": [value]} for value in (nan, inf, -inf, 1e308, 49.0, -49.0)]
    client.close()
    make = frames_pb2.ActuatorFrame
    return {name: make(**fields) for name, fields in whole.items()}, [make(**fields) for fields in values]


def send_wrong_frames(endpoints, is_at_it):
    """Without an end, as the holder of a lease that is too short to be missed by the next one."""
    client = Client(endpoints)
    client.describe()
    client.acquire(time_s=0.2, holder="wrong")
    client.actuators = client.socket(zmq.DEALER, "actuators")
    whole, values = wrong_frames(endpoints, client.lease, 1)
    for count in itertools.count(2):
        for frame in values:
            frame.sequence = count
        with contextlib.suppress(zmq.Again):
            for frame in (*whole.values(), *values):
                client.actuators.send(frame.SerializeToString(), zmq.DONTWAIT)
        with contextlib.suppress(zmq.Again):
            while True:
                client.actuators.recv(zmq.DONTWAIT)
        if count == 100:
            is_at_it.set()


def fuzzed_snapshots(snapshot, count, seed=3):
    """Copies of a true one with one thing wrong, or several; every second claims to be from before they had a hash."""
    source = random.Random(seed)
    odd = (float("nan"), float("inf"), -1.0, 0.0, 1e308, 5e-324, 2.0**63, -(2.0**63), 1e17, 0.5)
    for i in range(count):
        copy = control_pb2.ControlReply().snapshot.__class__()
        copy.CopyFrom(snapshot)
        for _ in range(source.choice((1, 1, 1, 3, 20))):
            field = source.randrange(12)
            if field < 6 and copy.block:
                copy.block[source.randrange(len(copy.block))] = source.choice(odd)
            elif field == 6 and copy.policies:
                policy = copy.policies[source.randrange(len(copy.policies))]
                policy.value, policy.age_ticks = source.choice(odd), source.choice((-1, 0, 2**63 - 1, -(2**63)))
            elif field == 7 and copy.block:
                del copy.block[source.randrange(len(copy.block)) :]
            elif field == 8:
                copy.step, copy.time_s = source.choice((0, 2**64 - 1)), source.choice(odd)
            elif field == 9:
                setattr(copy, source.choice(("version", "plant_hash", "state_hash")), source.randrange(2**32))
            elif field == 10:
                copy.parameters.add(name=source.choice(("crank", "spin", "no_such", "")), value=source.choice(BAD_VALUES))
            else:
                del copy.policies[:]
        if i % 2 == 0:
            copy.version, copy.hash = 1, 0
        yield copy


def restore_without_end(endpoints, is_at_it):
    """Snapshots that are none, and now and then a true one."""
    client = Client(endpoints)
    true = client.ask("snapshot").snapshot
    for seed in itertools.count():
        for snapshot in (*fuzzed_snapshots(true, 50, seed), true):
            with contextlib.suppress(Refused):
                client.ask("restore", snapshot=snapshot)
        is_at_it.set()


BAD_VALUES = ("0", "-1 m", "1e400 m", "nan", "1 m\nbase\t3 m", "crank", "1/0", "", "x" * 5000, "\0", "sqrt(-1)")


# --- bytes below ZeroMQ ---


def half_open_http(endpoints, count, is_at_it):
    """Requests of which the second half never comes, to the page and to the supervisor's stop."""
    kept = []
    for name in ("panel_http", "stop_http"):
        place = urllib.parse.urlsplit(endpoints[name])
        for _ in range(count):
            with contextlib.suppress(OSError):
                kept.append(socket.create_connection((place.hostname, place.port), timeout=1))
                kept[-1].sendall(b"POST /stop HTTP/1.1\r\nHost: ")
    is_at_it.set()
    time.sleep(FOREVER_S)


def half_open_stops(endpoints, count, is_at_it):
    """More than the stop sockets of supervisor and io keep, all with half a word."""
    kept = []
    for address in (endpoints["stop"], endpoints["stop"] + "_io"):
        for _ in range(count):
            with contextlib.suppress(OSError):
                kept.append(connect_to(address))
                kept[-1].sendall(b"sto")
    is_at_it.set()
    time.sleep(FOREVER_S)


def udp_flood(endpoints, port, is_at_it):
    """Datagrams that are no frames, as fast as they are taken."""
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams = [os.urandom(size) for size in (0, 1, 16, 64, 1400)]
    for count in itertools.count():
        with contextlib.suppress(OSError):
            sender.sendto(datagrams[count % len(datagrams)], ("127.0.0.1", port))
        if count == 1000:
            is_at_it.set()


def connect_to(address):
    scheme, place = address.split("://", 1)
    if scheme in ("ipc", "unix"):
        one = socket.socket(socket.AF_UNIX)
        one.connect(place)
    else:
        host, port = place.rsplit(":", 1)
        one = socket.create_connection((host, int(port)))
    return one


class Wire:
    """ZMTP 3.0 without security, spoken by hand: what a library would never send can be sent."""

    GREETING = b"\xff" + b"\0" * 8 + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + b"\0" * 32

    def __init__(self, address, kind):
        self.socket = connect_to(address)
        self.socket.sendall(self.GREETING)
        ready = b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind
        self.socket.sendall(b"\x04" + bytes([len(ready)]) + ready)
        left = 64
        while left > 0:
            got = self.socket.recv(left)
            if not got:
                raise ConnectionError("cut during the handshake")
            left -= len(got)
        header = self.socket.recv(2)
        self.socket.recv(header[1])

    def part(self, body, more=False):
        if len(body) < 256:
            self.socket.sendall(bytes([int(more), len(body)]) + body)
        else:
            self.socket.sendall(bytes([2 | int(more)]) + struct.pack(">Q", len(body)) + body)

    def raw(self, data):
        self.socket.sendall(data)


def connected_by_hand(endpoints, is_at_it):
    """Plain ZMTP where keys are asked for."""
    kept = []
    for name in ("control", "actuators", "sensors", "events"):
        one = connect_to(endpoints[name])
        one.settimeout(1)
        with contextlib.suppress(OSError):
            one.sendall(Wire.GREETING + b"\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER" + os.urandom(200))
            one.recv(1000)
        kept.append(one)
    is_at_it.set()
    time.sleep(FOREVER_S)

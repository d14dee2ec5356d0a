"""Owns what abuse and soak share: a plant under test, a client that behaves, and looks at processes."""

import atexit
import contextlib
import importlib
import itertools
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import zmq

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from processes import children_of, memory_kb  # noqa: E402, F401: memory_kb is for those who use this module

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = os.environ.get("KINLOOP_BINARY", str(ROOT / "build" / "kinloop"))
PATIENCE_S = 20.0  # of everything that waits: this may be a busy machine
STALE = 2  # FRAME_FLAG_STALE
MOST_AGE_TICKS = 20  # of a command, in the rig below

RIG = """kinloop_rig: 1
name: {name}
model: {root}/configs/models/four_bar.yaml
parameters: {{spin: 5 rad/s}}
rate: 1 kHz
mode: {mode}
seed: 1
solver: {{integrator: rk4}}
fault: freeze
watchdog: {{timeout: 20 s, life_timeout: 20 s}}
actuators:
  - name: motor
    joint: O1
    kind: dc_motor
    dc_motor: {{resistance: 0.4 ohm, inductance: 0.5 mH, torque_constant: 0.12 Nm/A, gear_ratio: 20}}
    limits: [-48 V, 48 V]
    rate_limit: 2 kV/s
    delay: 1 ms
    initial: 12 V
    command: {{max_age: 20 ms, when_stale: ramp, ramp: 48 V/s}}
sensors:
  - {{name: crank_angle, signal: q.O1, quantum: 1 rev / 4096, on_fault: invalid}}
  - {{name: crank_speed, signal: u.O1, noise: 0.02 rad/s}}
  - {{name: motor_current, signal: current.motor, rate: 500 Hz, noise: 50 mA}}
"""


def _generate():
    """The modules of the wire schema, generated in a folder that goes with this process."""
    folder = tempfile.mkdtemp(prefix="kinloop-pb2-")
    owner = os.getpid()
    protos = sorted(str(p) for p in (ROOT / "proto/kinloop/v1").glob("*.proto"))
    subprocess.run(["protoc", f"-I{ROOT / 'proto'}", f"--python_out={folder}", *protos], check=True)
    sys.path.insert(0, folder)
    modules = [importlib.import_module(f"kinloop.v1.{name}_pb2") for name in ("control", "frames", "event", "error")]
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(folder, ignore_errors=True))
    return modules


control_pb2, frames_pb2, event_pb2, error_pb2 = _generate()


class Refused(Exception):
    """The plant answered, and said no."""

    def __init__(self, error):
        super().__init__(f"{error_pb2.ErrorCode.Name(error.code)}: {error.message}")
        self.code = error.code


def eventually(condition, what, patience_s=PATIENCE_S):
    """What the condition comes to, as soon as that is true."""
    until = time.monotonic() + patience_s
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < until, f"in {patience_s} s: {what}"
        time.sleep(0.02)


def is_alive(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    return False


class Plant:
    """`kinloop run` of a rig of its own, with a private folder for sockets and another one for its reports."""

    def __init__(self, mode="real_time", options=(), prefix=()):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kl-"))
        self.runtime = self.folder / "rt"
        self.runtime.mkdir(mode=0o700)
        rig = self.folder / "rig.yaml"
        rig.write_text(RIG.format(name="abused", root=ROOT, mode=mode))
        self.log = open(self.folder / "log", "w+")
        command = [*prefix, BINARY, "run", str(rig), "--allow-degraded", "--runs", str(self.folder / "runs")]
        command += [option.replace("{folder}", str(self.folder)) for option in options]
        environment = {**os.environ, "KINLOOP_RUNTIME_DIR": str(self.runtime)}
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env=environment)
        try:
            eventually(lambda: self._is_up() or self.process.poll() is not None, "the plant comes up")
            assert self.process.poll() is None, self.text()
        except BaseException:
            self.process.kill()
            raise
        self.pids = {"supervisor": self.process.pid, **children_of(self.process.pid)}

    def _is_up(self):
        return self.endpoints() and {"plant", "io"} <= children_of(self.process.pid).keys()

    def text(self):
        return (self.folder / "log").read_text()

    def endpoints(self, kind="ipc"):
        """Addresses by socket."""
        for file in self.runtime.glob("*/endpoints"):
            lines = [line.split(" ", 1) for line in file.read_text().splitlines()]
            found = {name: value for name, value in lines if value.startswith(kind + "://") and not name.startswith("stop")}
            if len(found) == 4:
                return found
        return {}

    def io(self):
        """The process of io as it is now; nothing between two of them."""
        return children_of(self.process.pid).get("io")

    def directory(self):
        return next((self.folder / "runs").iterdir())

    def stop(self):
        """The exit code."""
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return -1

    def remove(self):
        if self.process.poll() is None:
            self.stop()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Client:
    """One that behaves: numbered requests, renewed by asking again, frames with rising numbers."""

    _counts = itertools.count(1)
    _open = []

    def __init__(self, endpoints, keys=None):
        Client._open.append(self)
        self.context = zmq.Context()
        self.endpoints = endpoints
        self.keys = keys
        self.id = random.SystemRandom().getrandbits(63) | 1
        self.control = self.socket(zmq.DEALER, "control")
        self.actuators = None
        self.lease = 0
        self.sequence = 0
        self.description = None

    def socket(self, kind, name):
        socket = self.context.socket(kind)
        socket.linger = 0
        if self.keys:
            socket.curve_publickey, socket.curve_secretkey, socket.curve_serverkey = self.keys
        socket.connect(self.endpoints[name])
        return socket

    def request(self, verb, **fields):
        request = control_pb2.ControlRequest(version=1, client=self.id, request_id=next(Client._counts))
        getattr(request, verb).SetInParent()
        for name, value in fields.items():
            target = getattr(request, verb)
            if isinstance(value, list):
                getattr(target, name).extend(value)
            elif hasattr(value, "CopyFrom"):
                getattr(target, name).CopyFrom(value)
            else:
                setattr(target, name, value)
        return request

    def ask(self, verb, patience_s=PATIENCE_S, **fields):
        """The reply; asked again under the same number while there is none."""
        return self.ask_message(self.request(verb, **fields), patience_s)

    def ask_until_there_is_room(self, verb, patience_s=PATIENCE_S):
        """Asks again while too many other requests wait for the plant, as the refusal says."""
        until = time.monotonic() + patience_s
        while True:
            try:
                return self.ask(verb, patience_s)
            except Refused as refusal:
                if "ERROR_CODE_BUSY" not in str(refusal) or time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def ask_message(self, request, patience_s=PATIENCE_S):
        until = time.monotonic() + patience_s
        while time.monotonic() < until:
            with contextlib.suppress(zmq.Again):
                self.control.send(request.SerializeToString(), zmq.DONTWAIT)
            if not self.control.poll(2000):
                continue
            reply = control_pb2.ControlReply.FromString(self.control.recv())
            if reply.request_id != request.request_id:
                continue
            if reply.HasField("error"):
                raise Refused(reply.error)
            return reply
        raise TimeoutError(request.WhichOneof("verb"))

    def describe(self):
        self.description = self.ask("describe").description
        return self.description

    def status(self):
        return self.ask("status").status

    def acquire(self, time_s=1.0, holder="well-behaved", patience_s=PATIENCE_S):
        """A lease, as soon as nobody else has it."""
        until = time.monotonic() + patience_s
        while True:
            try:
                self.lease = self.ask("acquire", time_s=time_s, holder=holder).acquired.lease
                self.sequence = 0
                return self.lease
            except Refused as refused:
                if refused.code != error_pb2.ERROR_CODE_LEASED or time.monotonic() > until:
                    raise
            time.sleep(0.02)

    def frame(self, value, rearm=1, **other):
        self.sequence += 1
        fields = {"schema_hash": self.description.schema_hash, "lease": self.lease, "sequence": self.sequence}
        return frames_pb2.ActuatorFrame(**{**fields, "value": [value], "rearm": rearm, **other})

    def send(self, value, **other):
        """A command; False where there was no room for it."""
        if self.actuators is None:
            self.actuators = self.socket(zmq.DEALER, "actuators")
        try:
            self.actuators.send(self.frame(value, **other).SerializeToString(), zmq.DONTWAIT)
        except zmq.Again:
            return False
        return True

    def answer(self, patience_s=PATIENCE_S):
        if not self.actuators.poll(int(patience_s * 1000)):
            raise TimeoutError("no answer to a frame")
        return frames_pb2.ActuatorReply.FromString(self.actuators.recv())

    def subscribe(self, topic=b"sensors/1/"):
        socket = self.context.socket(zmq.SUB)
        socket.linger = 0
        if self.keys:
            socket.curve_publickey, socket.curve_secretkey, socket.curve_serverkey = self.keys
        socket.rcvhwm = 100_000
        socket.connect(self.endpoints["sensors"])
        socket.subscribe(topic)
        return socket

    @staticmethod
    def next_frame(socket, patience_s=PATIENCE_S):
        if not socket.poll(int(patience_s * 1000)):
            raise TimeoutError("no sensor frame")
        return frames_pb2.SensorFrame.FromString(socket.recv_multipart()[1])

    def close(self):
        Client._open.remove(self)
        self.context.destroy(linger=0)

    @staticmethod
    def close_all():
        for client in list(Client._open):
            client.close()

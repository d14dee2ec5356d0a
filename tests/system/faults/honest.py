"""Owns the honest clients of a campaign: each a thread with a connection of its own that goes on through every fault."""
import contextlib
import json
import os
import pathlib
import secrets
import shutil
import subprocess
import threading
import time

import kinloop
import zmq
from kinloop.v1 import control_pb2, error_pb2

PATIENCE_S = 20.0  # machines stall
RECORD_S = 15.0


class Client(threading.Thread):
    """Calls work() with a connection until it is told to end; a lost answer is part of the history, not a failure.

    Every request is written to the history when it is answered, refused or given up, every command when it is sent.
    """

    def __init__(self, name, target, history, **options):
        super().__init__(name=f"{name} of {target.name}", daemon=True)
        self.target = target
        self.history = history
        self.options = {"timeout": PATIENCE_S, "holder": name, **target.connection, **options}
        self.ends = threading.Event()

    def add(self, kind, **what):
        self.history.add(kind, plant=self.target.name, **what)

    @contextlib.contextmanager
    def connected(self):
        with kinloop.connect(self.target.address, **self.options) as plant:
            ask, send = plant.request, plant.send
            plant.request = lambda request, timeout=None: self.log_request(ask, request, timeout)
            plant.send = lambda values, **other: self.log_command(send, values, **other)
            yield plant

    def log_request(self, ask, request, timeout):
        verb, asked = "stop_record" if request.record.stop else request.WhichOneof("verb"), time.monotonic()
        how, reply = "unanswered", None
        try:
            reply = ask(request, timeout)
            how = "repeated" if reply.repeated_answer else "done"
        except kinloop.NoAnswerError:
            raise
        except kinloop.KinloopError as error:
            how = f"refused: {error}"
            raise
        finally:
            self.add("request", client=self.name, key=[request.client, request.request_id], verb=verb, asked=asked, how=how,
                     step=reply.step if reply is not None else None)
        return reply

    def log_command(self, send, values, **other):
        number = send(values, **other)
        self.add("command", client=self.name, number=number, values=list(values))
        return number

    def run(self):
        while not self.ends.is_set():
            try:
                with self.connected() as plant:
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
        self.add("stop_asked")
        stop = plant.emergency_stop()
        self.add("stopped", step=stop.step, took=time.monotonic() - begin)
        self.ends.wait(0.7)
        self.add("rearm")
        plant.rearm()


class Stepper(Client):
    """Steps a plant in lockstep, and does in between what leaves a trace that can be counted; alone with this plant.

    Every number is asked for until it is answered.
    """

    STEPS, ROUNDS = 10, 60  # in a round; rounds between two verbs of another kind

    def __init__(self, target, history, runs):
        super().__init__("stepper", target, history)
        self.runs, self.records = pathlib.Path(runs), 0

    def run(self):
        try:
            with self.connected() as plant, Insistent(self.target.address) as insistent:
                self.work_with(plant, insistent)
        except Exception as error:  # noqa: BLE001
            self.history.problem(f"the {self.name} died: {type(error).__name__}: {error}")

    def work_with(self, plant, insistent):
        state, step, rounds = plant.snapshot(), 0, 0
        while not self.ends.is_set():
            plant.step_n(self.STEPS, timeout=2 * PATIENCE_S)
            step += self.STEPS
            rounds += 1
            if rounds % self.ROUNDS == 0:
                request = counted_request(rounds // self.ROUNDS, state)
                is_done = self.ask_insistently(insistent, request)
                if is_done and request.HasField("reset"):
                    step = 0
                elif is_done and request.HasField("restore"):
                    step = state.step
                elif is_done and request.record.stop:
                    self.take_records()
        self.add("lockstep", made=plant.status().step, acknowledged=step)
        self.take_records()
        self.add("effects", verb="record", count=self.records)
        for verb, event in EVENTS.items():
            self.add("effects", verb=verb, count=self.count_events(event))

    def take_records(self):
        """Counts those that were asked for, not what io goes on with after its death; nobody wants them."""
        for file in self.runs.rglob("record-*.mcap"):
            self.records += file.stem.removeprefix("record-").isdigit()
            file.unlink()

    def count_events(self, name):
        lines = (line for file in self.runs.rglob("events*.jsonl") for line in file.read_text().splitlines())
        return sum(json.loads(line)["event"] == name for line in lines)

    def ask_insistently(self, insistent, request):
        """Whether it was done; else it was refused."""
        def ask(message, _):
            reply = insistent.ask(message, 2 * PATIENCE_S)
            if reply.HasField("error"):
                raise kinloop.KinloopError(reply.error.message)
            return reply

        try:
            self.log_request(ask, request, None)
        except kinloop.NoAnswerError:
            raise
        except kinloop.KinloopError:
            return False
        return True


EVENTS = {"inject_fault": "changed", "restore": "restored", "reset": "reset"}  # that such a request leaves


def counted_request(number, state):
    """The verbs whose effect can be counted, one after the other."""
    kinds = [
        {"inject_fault": {"signal": "belt", "kind": control_pb2.FAULT_KIND_BIAS, "duration_s": 0.01}},
        {"record": {}},
        {"restore": {"snapshot": state.message}},
        {"record": {"stop": True}},
        {"reset": {}},
    ]
    return control_pb2.ControlRequest(**kinds[number % len(kinds)])


class Insistent:
    """Says every request three times at once, and again until it is answered, and once more then: all under one number."""

    def __init__(self, address):
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.connect(address)
        self.client, self.number = secrets.randbits(63) | 1, 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.context.destroy(linger=0)

    def ask(self, request, patience_s):
        self.number += 1
        request.version, request.client, request.request_id = 1, self.client, self.number
        data = request.SerializeToString()
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            for _ in range(3):
                self._say(data)
            reply = self._first_answer(1.0)
            if reply is not None and reply.error.code != error_pb2.ERROR_CODE_BUSY:
                self._say(data)
                return reply
        raise kinloop.NoAnswerError("no answer to what was said again and again")

    def _say(self, data):
        with contextlib.suppress(zmq.Again):
            self.socket.send(data, zmq.NOBLOCK)

    def _first_answer(self, patience_s):
        """To this number: those to earlier ones come as often as they were asked for."""
        end = time.monotonic() + patience_s
        while self.socket.poll(max(0, int(1e3 * (end - time.monotonic())))):
            reply = control_pb2.ControlReply.FromString(self.socket.recv())
            if reply.request_id == self.number:
                return reply
        return None


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

"""Owns the sockets: asking on "control", commanding on "actuators", listening on "sensors" and "events"."""
from __future__ import annotations

import secrets
import time
from typing import List, Mapping, Optional, Tuple, Union

import zmq
from google.protobuf.message import DecodeError

from kinloop.errors import BadReplyError, NoAnswerError, UsageError
from kinloop.keys import Keys
from kinloop.results import Counters
from kinloop.v1 import control_pb2, event_pb2, frames_pb2

Event = Union[event_pb2.Event, event_pb2.Status, event_pb2.Timing]

SCHEMA_VERSION = 1
ALL_FRAMES = "sensors/1/"

_ASK_AGAIN_AFTER_S = 1.0
_HEARTBEAT_MS = 1000
_HEARTBEAT_TIMEOUT_MS = 3000
_MOST_BYTES = 256 << 20  # a reply with a large state or a long capture; more is a mistake
# Half a second at 1 kHz: a plant that takes no frames for that long is better not flooded afterwards.
_MOST_WAITING_COMMANDS = 500
_EVENT_OF_TOPIC = {"event": event_pb2.Event, "status": event_pb2.Status, "timing": event_pb2.Timing}


def open_socket(
    context: zmq.Context, kind: int, address: str, keys: Optional[Keys], options: Mapping[int, Union[int, bytes]]
) -> zmq.Socket:
    """Connected; it connects again by itself whenever the plant's io process comes back."""
    socket = context.socket(kind)
    all_options = {
        zmq.LINGER: 0,  # whoever needs to know that something arrived waits for the answer
        zmq.HEARTBEAT_IVL: _HEARTBEAT_MS,
        zmq.HEARTBEAT_TIMEOUT: _HEARTBEAT_TIMEOUT_MS,
        zmq.MAXMSGSIZE: _MOST_BYTES,
        zmq.IPV6: 1,
        **options,
    }
    if keys is not None:
        all_options[zmq.CURVE_SERVERKEY] = keys.server_key.encode()
        all_options[zmq.CURVE_PUBLICKEY] = keys.public_key.encode()
        all_options[zmq.CURVE_SECRETKEY] = keys.secret_key.encode()
    try:
        for option, value in all_options.items():
            socket.setsockopt(option, value)
        socket.connect(address)
        return socket
    except zmq.ZMQError as error:
        socket.close()
        raise UsageError(f"no socket to {address}: {error}") from None


def _milliseconds_until(until: float) -> int:
    return max(0, int((until - time.monotonic()) * 1e3 + 0.999))


class ControlChannel:
    """Asks, waits, asks again with the same number: the plant does it once, however often it is asked."""

    def __init__(self, context: zmq.Context, address: str, keys: Optional[Keys], counters: Counters) -> None:
        self.address = address
        self.client = secrets.randbelow(2**64 - 1) + 1  # 0 would say: not told
        self.last_request = 0
        self._first_stop = 1
        self._next_stop = 0.0
        self._has_keys = keys is not None
        self._counters = counters
        self._socket = open_socket(context, zmq.DEALER, address, keys, {})

    def close(self) -> None:
        self._socket.close()

    def ask(self, request: control_pb2.ControlRequest, timeout_s: float) -> control_pb2.ControlReply:
        """Fills in version, client and number. Raises NoAnswerError; a refusal is a reply like others."""
        self.last_request += 1
        request.version = SCHEMA_VERSION
        request.client = self.client
        request.request_id = self.last_request
        data = request.SerializeToString()
        end = time.monotonic() + timeout_s
        pause_s = _ASK_AGAIN_AFTER_S
        while True:
            self._send(data)
            reply = self._await(self.last_request, min(end, time.monotonic() + pause_s))
            if reply is not None:
                return reply
            if time.monotonic() >= end:
                raise self.no_answer(timeout_s)
            self._counters.requests_repeated += 1
            pause_s *= 2.0  # what takes long is under way, and its answer would come as often as it was asked for

    def tell(self, request: control_pb2.ControlRequest, patience_s: float) -> None:
        """Asks, and does not mind if nobody answers."""
        try:
            self.ask(request, patience_s)
        except NoAnswerError:
            pass

    def begin_stop(self) -> None:
        """What is asked from now on by ask_stop() is one stop."""
        self._first_stop = self.last_request + 1
        self._next_stop = 0.0

    def ask_stop(self) -> None:
        """Each with a number of its own: a stop is never the repetition of another."""
        if time.monotonic() < self._next_stop:
            return
        self._next_stop = time.monotonic() + _ASK_AGAIN_AFTER_S
        self.last_request += 1
        request = control_pb2.ControlRequest(
            version=SCHEMA_VERSION,
            client=self.client,
            request_id=self.last_request,
            emergency_stop=control_pb2.EmergencyStopRequest(),
        )
        self._send(request.SerializeToString())

    def take_stop(self, patience_s: float) -> Optional[control_pb2.ControlReply]:
        """The answer to any of them."""
        until = time.monotonic() + patience_s
        while self._socket.poll(_milliseconds_until(until)):
            reply = control_pb2.ControlReply()
            try:
                reply.ParseFromString(self._socket.recv_multipart()[-1])
            except DecodeError:
                self._counters.bad_messages += 1
                continue
            if self._first_stop <= reply.request_id <= self.last_request:
                return reply
        return None

    def _send(self, data: bytes) -> None:
        try:
            self._socket.send(data, zmq.DONTWAIT)
        except zmq.Again:
            pass  # no room means no connection: asking again comes later

    def _await(self, request_id: int, until: float) -> Optional[control_pb2.ControlReply]:
        while True:
            if not self._socket.poll(_milliseconds_until(until)):
                return None
            parts = self._socket.recv_multipart()
            reply = control_pb2.ControlReply()
            try:
                reply.ParseFromString(parts[-1])
            except DecodeError:
                self._counters.bad_messages += 1
                continue
            # Answers to earlier requests, too late for those who asked, end here.
            if reply.request_id == request_id:
                if reply.WhichOneof("answer") is None:
                    raise BadReplyError("the plant gave an answer of an unknown kind: is it of another version?")
                return reply

    def no_answer(self, timeout_s: float) -> NoAnswerError:
        """That nobody answered, and what may be the reason."""
        if not self.address.startswith("tcp://"):
            hint = "does the plant still run?"
        elif self._has_keys:
            hint = "is it the address of a control socket, and does the plant know this key?"
        else:
            hint = "is it the address of a control socket, and does it ask for keys?"
        return NoAnswerError(f"{self.address} does not answer within {timeout_s:g} s: {hint}")


class ActuatorChannel:
    """Frames go over a standing connection only: an old command must not arrive when the plant comes back."""

    def __init__(self, context: zmq.Context, address: str, keys: Optional[Keys], counters: Counters) -> None:
        self.sequence = 0
        self._first_of_lease = 0
        self._counters = counters
        self._frame = frames_pb2.ActuatorFrame()
        options = {zmq.IMMEDIATE: 1, zmq.SNDHWM: _MOST_WAITING_COMMANDS}
        self._socket = open_socket(context, zmq.DEALER, address, keys, options)

    def close(self) -> None:
        self._socket.close()

    def begin_lease(self, schema_hash: int, lease: int) -> None:
        self._frame.schema_hash = schema_hash
        self._frame.lease = lease
        self._first_of_lease = self.sequence + 1

    def wait_for_connection(self, timeout_s: float) -> bool:
        return bool(self._socket.poll(int(timeout_s * 1e3), zmq.POLLOUT))

    def send(self, values: List[float], rearm: int) -> int:
        """Gives the frame's number. Raises NoAnswerError where there is no connection now."""
        self.sequence += 1
        frame = self._frame
        frame.sequence = self.sequence
        frame.sent_ns = time.monotonic_ns()
        frame.rearm = rearm
        frame.value[:] = values
        try:
            self._socket.send(frame.SerializeToString(), zmq.DONTWAIT)
        except zmq.Again:
            raise NoAnswerError("the frame was not sent: there is no connection to the plant's actuators now") from None
        self._counters.frames_sent += 1
        return self.sequence

    def newest_answer(self) -> Optional[frames_pb2.ActuatorReply]:
        """To a frame of this lease; of those that came since it was last looked at."""
        newest = None
        while self._socket.poll(0):
            answer = self._receive()
            if answer is not None and answer.sequence >= self._first_of_lease:
                newest = answer
        return newest

    def wait_for_answer(self, sequence: int, timeout_s: float) -> Optional[frames_pb2.ActuatorReply]:
        until = time.monotonic() + timeout_s
        while self._socket.poll(_milliseconds_until(until)):
            answer = self._receive()
            if answer is not None and answer.sequence == sequence:
                return answer
        return None

    def _receive(self) -> Optional[frames_pb2.ActuatorReply]:
        answer = frames_pb2.ActuatorReply()
        try:
            answer.ParseFromString(self._socket.recv_multipart()[-1])
        except DecodeError:
            self._counters.bad_messages += 1
            return None
        if answer.HasField("error"):
            self._counters.frames_refused += 1
        return answer


def every_of(topic: str) -> int:
    """The n of "sensors/<n>/"; 1 where it cannot be read."""
    every = topic.rstrip("/").rpartition("/")[2]
    return int(every) if every.isdigit() and every != "0" else 1


class SensorChannel:
    """Only the frame that is handed out is decoded; those passed over are counted."""

    def __init__(
        self, context: zmq.Context, address: str, keys: Optional[Keys], counters: Counters, max_waiting: int
    ) -> None:
        self._counters = counters
        self._topic = ""
        self._every = 1
        self._last_sequence = 0
        self._socket = open_socket(context, zmq.SUB, address, keys, {zmq.RCVHWM: max_waiting})

    def close(self) -> None:
        self._socket.close()

    def subscribe(self, topic: str) -> None:
        if topic == self._topic:
            return
        self._socket.setsockopt(zmq.SUBSCRIBE, topic.encode())
        if self._topic:
            self._socket.setsockopt(zmq.UNSUBSCRIBE, self._topic.encode())
        self._topic = topic
        self._every = every_of(topic)
        self._last_sequence = 0

    def receive(
        self, newest: bool, timeout_s: float, schema_hash: int, sensors: int
    ) -> Optional[frames_pb2.SensorFrame]:
        """None if none came in time. Messages that are no frame of this plant are counted and passed over."""
        until = time.monotonic() + timeout_s
        while self._socket.poll(_milliseconds_until(until)):
            data, taken = self._take(newest)
            if data is None:
                continue
            self._counters.frames_received += taken
            frame = frames_pb2.SensorFrame()
            try:
                frame.ParseFromString(data)
            except DecodeError:
                self._counters.bad_messages += 1
                continue
            if frame.schema_hash != schema_hash or len(frame.value) != sensors:
                self._counters.foreign_frames += 1
                continue
            self._count_gap(frame.sequence, taken)
            return frame
        return None

    def _take(self, newest: bool) -> Tuple[Optional[bytes], int]:
        max_at_once = 10000 if newest else 1  # a publisher that is faster than this must not hold us for ever
        data, taken = None, 0
        while taken < max_at_once and self._socket.poll(0):
            parts = self._socket.recv_multipart()
            if len(parts) != 2:
                self._counters.bad_messages += 1
            elif parts[0] == self._topic.encode():  # others still came for an earlier subscription
                data = parts[1]
                taken += 1
        return data, taken

    def _count_gap(self, sequence: int, taken: int) -> None:
        # A smaller number than before: io was restarted, and nothing is known about what lies between.
        if 0 < self._last_sequence < sequence:
            self._counters.frames_lost += max(0, (sequence - self._last_sequence) // self._every - taken)
        self._last_sequence = sequence


class EventChannel:
    """What the plant tells unasked."""

    def __init__(self, context: zmq.Context, address: str, keys: Optional[Keys], counters: Counters) -> None:
        self._counters = counters
        self._socket = open_socket(context, zmq.SUB, address, keys, {zmq.SUBSCRIBE: b""})

    def close(self) -> None:
        self._socket.close()

    def wait_for_connection(self, timeout_s: float) -> bool:
        """The plant tells its status a few times a second: what comes shows that the subscription has arrived."""
        return bool(self._socket.poll(int(timeout_s * 1e3)))

    def receive(self, timeout_s: Optional[float]) -> Optional[Event]:
        """None if it told nothing in time; without a timeout it waits as long as it takes."""
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while self._socket.poll(None if until is None else _milliseconds_until(until)):
            parts = self._socket.recv_multipart()
            kind = _EVENT_OF_TOPIC.get(parts[0].decode(errors="replace")) if len(parts) == 2 else None
            if kind is not None:
                event = kind()
                try:
                    event.ParseFromString(parts[1])
                    return event
                except DecodeError:
                    pass
            self._counters.bad_messages += 1
        return None

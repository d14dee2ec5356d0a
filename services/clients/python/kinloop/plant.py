"""Owns Plant: the connection of a client to one running plant. Commands in, frames out, all verbs around them."""
from __future__ import annotations

import math
import os
import pathlib
import sys
import time
import types
from typing import Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Type, Union

import zmq

from kinloop.arrays import flat
from kinloop.channels import ALL_FRAMES, ActuatorChannel, ControlChannel, Event, EventChannel, SensorChannel, every_of
from kinloop.discovery import find_control_address, reachable_address
from kinloop.errors import BadReplyError, ErrorCode, InvalidError, NoAnswerError, NoLeaseError, UnknownNameError
from kinloop.errors import UsageError, refusal
from kinloop.frame import Frame
from kinloop.keys import Keys, Path, read_keys
from kinloop.lane import LaneChannel, is_supported, open_lane, reachable_lane
from kinloop.results import Counters, Effect, Lease, Mode
from kinloop.stop import StopChannel, stop_addresses_beside
from kinloop.v1 import control_pb2, describe_pb2, frames_pb2
from kinloop.verbs import Verbs

Values = Union[Mapping[str, float], Iterable[float]]

_JOB_TIMEOUT_S = 60.0
_USUAL_LEASE_S = 1.0
_LOCKSTEP_LEASE_S = 60.0


def connect(
    name_or_address: Optional[str] = None,
    *,
    keys: Union[Keys, Tuple[Path, Path], None] = None,
    timeout: float = 5.0,
    runtime_folder: Optional[Path] = None,
    holder: str = "",
    acquire_again: bool = False,
    check_values: bool = True,
    max_waiting_frames: int = 1000,
    transport: str = "auto",
) -> Plant:
    """A connection to a running plant.

    name_or_address: nothing (the only plant of this host), a rig's name, "<rig>-<pid>", or the address of a control
        socket: "tcp://plant:5600".
    keys: over TCP with CURVE; a pair of files is that of read_keys(): one's own secret one, the plant's public one.
    timeout: for an answer, asking again included, s.
    holder: for people, who see it beside the lease.
    acquire_again: frames that are answered "no lease" (io was restarted, or nothing was sent for too long) acquire
        the same actuators again and are sent again.
    check_values: commands that the plant would pass over (not finite, beyond the limits) raise InvalidError and are not
        sent; without it the plant keeps the values before and counts them in Status.commands_refused.
    transport: of the frames of a lease: "auto", memory that is shared with a plant of this host where that can be, or
        "sockets".
    """
    if transport not in ("auto", "sockets"):
        raise UsageError(f"transport is 'auto' or 'sockets', not {transport!r}", field="transport")
    if isinstance(keys, tuple):
        keys = read_keys(*keys)
    address = find_control_address(name_or_address, runtime_folder)
    plant = Plant(address, keys, timeout, holder, acquire_again, check_values, max_waiting_frames, transport)
    try:
        plant.describe()
        plant._stop_channel()  # so that a connection stands when it is needed
    except BaseException:
        plant.close()
        raise
    return plant


class Plant(Verbs):
    """Made by connect(). One thread at a time uses it; a second thread makes one of its own.

    The plant's io process may die and come back: the sockets connect again by themselves, what was on the way is lost,
    and leases are (see `acquire_again`).
    """

    def __init__(
        self,
        address: str,
        keys: Optional[Keys],
        timeout: float,
        holder: str,
        acquire_again: bool,
        check_values: bool,
        max_waiting_frames: int,
        transport: str = "auto",
    ) -> None:
        self.timeout = timeout
        self.job_timeout = max(timeout, _JOB_TIMEOUT_S)
        self.holder = holder or f"{pathlib.Path(sys.argv[0] or 'python').name}-{os.getpid()}"
        self.acquire_again = acquire_again
        self.check_values = check_values
        self.counters = Counters()
        self.description = describe_pb2.Description()
        self.lease: Optional[Lease] = None
        self._keys = keys
        self._max_waiting_frames = max_waiting_frames
        self._may_share = transport == "auto" and is_supported()
        self._lane: Optional[LaneChannel] = None  # of the lease; none: its frames travel by the sockets
        self._topic = ""  # of frames; empty: nobody asked for any
        self._positions: Dict[str, int] = {}  # of sensors
        self._last_values: Dict[str, float] = {}  # of actuators
        self._limits: List[Tuple[float, float]] = []  # of the lease's actuators
        self._unreachable_since: Optional[float] = None  # the actuators' socket
        self._actuators: Optional[ActuatorChannel] = None
        self._sensors: Optional[SensorChannel] = None
        self._events: Optional[EventChannel] = None
        self._stop: Optional[StopChannel] = None
        self._context = zmq.Context()
        self._control = ControlChannel(self._context, address, keys, self.counters)

    def __enter__(self) -> Plant:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[types.TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives the lease back, as far as the plant still answers; the plant itself goes on."""
        if self._context.closed:
            return
        if self.lease is not None:
            lease = control_pb2.ControlRequest(release=control_pb2.ReleaseRequest(lease=self.lease.id))
            self.lease = None
            self._control.tell(lease, min(self.timeout, 0.5))
        for channel in (self._control, self._actuators, self._sensors, self._events, self._stop, self._lane):
            if channel is not None:
                channel.close()
        self._context.term()

    # What it is.

    def describe(self) -> describe_pb2.Description:
        """Asks again what the plant is; `description` holds it from then on."""
        self.description = self._asked("description", describe=control_pb2.DescribeRequest()).description
        self._positions = {sensor.name: i for i, sensor in enumerate(self.description.sensors)}
        self._last_values = {actuator.name: actuator.initial for actuator in self.description.actuators}
        return self.description

    @property
    def mode(self) -> Mode:
        """What releases its steps."""
        return Mode(self.description.mode)

    @property
    def transport(self) -> str:
        """Of the frames of the lease: "shm" or "sockets"; without a lease, what it would be."""
        if self.lease is not None:
            return "shm" if self._live_lane() is not None else "sockets"
        return "shm" if self._may_share and reachable_lane(self.description) else "sockets"

    @property
    def dt_s(self) -> float:
        """Of a step."""
        return self.description.dt_s

    @property
    def sensors(self) -> Tuple[str, ...]:
        """Names, in the order of Frame.values."""
        return tuple(self._positions)

    @property
    def actuators(self) -> Tuple[str, ...]:
        """Names, in the order of commands of all of them."""
        return tuple(actuator.name for actuator in self.description.actuators)

    # Leases and commands.

    def acquire(self, actuators: Iterable[str] = (), time_s: Optional[float] = None) -> Lease:
        """The right to command these actuators (none: all). It ends when nothing was sent for `time_s`.

        Without a time it is 1 s, and 60 s in lockstep, where a controller may take as long as it wants.
        """
        if time_s is None:
            time_s = _LOCKSTEP_LEASE_S if self.description.mode == Mode.LOCKSTEP else _USUAL_LEASE_S
        channel = self._actuator_channel()
        names = [actuators] if isinstance(actuators, str) else list(actuators)
        request = control_pb2.AcquireRequest(actuators=names, time_s=time_s, holder=self.holder)
        reply = self._asked("acquired", acquire=request).acquired
        self.lease = Lease(reply.lease, tuple(reply.actuators), reply.time_s)
        limits = {one.name: (one.lower, one.upper) for one in self.description.actuators}
        self._limits = [limits[name] for name in self.lease.actuators]
        channel.begin_lease(self.description.schema_hash, self.lease.id)
        if not channel.wait_for_connection(self.timeout):
            raise NoAnswerError("the plant gave a lease, but its socket 'actuators' cannot be reached")
        self._open_lane()
        return self.lease

    def renew(self) -> Lease:
        """For those who hold a lease but send nothing for a while."""
        lease = self._held()
        request = control_pb2.AcquireRequest(
            actuators=lease.actuators, time_s=lease.time_s, holder=self.holder, lease=lease.id
        )
        self._asked("acquired", acquire=request)
        return lease

    def release(self) -> Effect:
        """Gives the lease back: the command policy then makes its actuators safe, once their commands are old."""
        lease = self._held()
        self.lease = None
        self._close_lane()
        return self._effect(release=control_pb2.ReleaseRequest(lease=lease.id))

    def send(self, values: Values, rearm: Iterable[str] = ()) -> int:
        """Commands, SI units: {name: value}, or one for each actuator of the lease. Gives the frame's number.

        Names that are left out keep what was sent last, at first the described initial value. `rearm` names actuators
        that may move again after they were made safe. Never waits, but to acquire a lost lease again. Outside lockstep
        the plant tells of refusals only, and later: an exception may be about an earlier frame, and this one was sent
        all the same. With `acquire_again` frames are dropped, and counted, while io is being started again.
        """
        ordered, bits = self._ordered(values), self._bits(rearm)
        channel = self._actuator_channel()
        answer = self._lane.newest_answer() if self._lane is not None else None
        if answer is None:
            answer = channel.newest_answer()
        refused = None
        if answer is not None and answer.HasField("error"):
            refused = refusal(answer.error, f"frame {answer.sequence} was refused: ")
            if isinstance(refused, NoLeaseError) and self._acquires_again():
                refused = None
        sequence = self._sent(channel, ordered, bits)
        if refused is not None:
            raise refused
        return sequence

    def _sent(self, channel: ActuatorChannel, ordered: List[float], bits: int) -> int:
        """With `acquire_again` a connection may be away for as long as the timeout: its frames are dropped and counted."""
        try:
            sequence = self._sent_somehow(channel, ordered, bits)
        except NoAnswerError:
            now = time.monotonic()
            self._unreachable_since = now if self._unreachable_since is None else self._unreachable_since
            if not self.acquire_again or now - self._unreachable_since > self.timeout:
                raise
            self.counters.frames_unsent += 1
            return channel.sequence
        self._unreachable_since = None
        return sequence

    def _sent_somehow(self, channel: ActuatorChannel, ordered: List[float], bits: int) -> int:
        """By the lane, else by the socket; raises NoAnswerError where neither takes it."""
        lane = self._live_lane()
        if lane is None:
            return channel.send(ordered, bits)
        channel.sequence += 1
        if lane.send(channel.sequence, ordered, bits):
            return channel.sequence
        if lane.is_over:
            return channel.send(ordered, bits)
        raise NoAnswerError("the frame was not sent: the plant does not take those that were sent before")

    def step(self, values: Optional[Values] = None, rearm: Iterable[str] = ()) -> Frame:
        """Lockstep: sends the commands, as send() does, and gives the frame at the end of the step they release.

        Without values: all those that were sent last.
        """
        ordered, bits = self._ordered({} if values is None else values), self._bits(rearm)
        channel = self._actuator_channel()
        answer = self._answer_to(channel, ordered, bits)
        if answer.HasField("error") and answer.error.code == ErrorCode.NO_LEASE and self._acquires_again():
            answer = self._answer_to(channel, ordered, bits)
        if answer.HasField("error"):
            raise refusal(answer.error, f"frame {answer.sequence} was refused: ")
        return Frame(answer.frame, self._positions)

    def _answer_to(self, channel: ActuatorChannel, values: List[float], rearm: int) -> frames_pb2.ActuatorReply:
        lane = self._live_lane()
        answer = None
        if lane is not None:
            channel.sequence += 1
            if lane.send(channel.sequence, values, rearm):
                answer = lane.wait_for_answer(channel.sequence, self.timeout)
        if answer is None and (lane is None or (lane.is_over and not lane.has_taken_all())):
            if not channel.wait_for_connection(self.timeout):
                raise NoAnswerError("there is no connection to the plant's actuators: does it still run?")
            answer = channel.wait_for_answer(channel.send(values, rearm), self.timeout)
        if answer is None:
            raise NoAnswerError(
                f"the step was not answered within {self.timeout:g} s: is the plant in lockstep, and does it run?"
            )
        return answer

    def _held(self) -> Lease:
        if self.lease is None:
            raise NoLeaseError("there is no lease: acquire() one first", ErrorCode.NO_LEASE, "lease")
        return self.lease

    def _acquires_again(self) -> bool:
        self.counters.leases_lost += 1
        if not self.acquire_again:
            return False
        lease = self._held()
        self.acquire(lease.actuators, lease.time_s)
        return True

    def _ordered(self, values: Values) -> List[float]:
        """In the order of the lease; remembered as those that were sent last."""
        names = self._held().actuators
        if isinstance(values, Mapping):
            for name in values:
                if name not in names:
                    raise UnknownNameError(
                        f"the lease has no actuator '{name}': {', '.join(names)}", ErrorCode.UNKNOWN_NAME, str(name)
                    )
            ordered = [float(values.get(name, self._last_values[name])) for name in names]
        else:
            ordered = flat(values)
        if len(ordered) != len(names):
            message = f"the lease has {len(names)} actuators, but {len(ordered)} values were given"
            raise UsageError(message, field="value")
        if self.check_values:
            for name, value, (lower, upper) in zip(names, ordered, self._limits):
                if not (lower <= value <= upper and math.isfinite(value)):
                    what = f"beyond its limits [{lower:g}, {upper:g}]" if math.isfinite(value) else "not finite"
                    raise InvalidError(f"the command of '{name}' is {value:g}: {what}", ErrorCode.INVALID, name)
        self._last_values.update(zip(names, ordered))
        return ordered

    def _bits(self, rearm: Iterable[str]) -> int:
        bits = 0
        for name in [rearm] if isinstance(rearm, str) else rearm:
            if name not in self._held().actuators:
                raise UnknownNameError(f"the lease has no actuator '{name}'", ErrorCode.UNKNOWN_NAME, "rearm")
            bits |= 1 << self._held().actuators.index(name)
        return bits

    # What comes from the plant.

    def recv(self, newest: bool = True, timeout: Optional[float] = None) -> Frame:
        """A frame; raises NoAnswerError if none came in time.

        newest: older ones that wait are passed over, as controllers want it; else each comes in its turn. Subscribes
        when it is first called: frames of before are not seen.
        """
        patience_s = self.timeout if timeout is None else timeout
        frame = self._received(newest, patience_s)
        if frame is None:
            raise NoAnswerError(f"no sensor frame came within {patience_s:g} s")
        return Frame(frame, self._positions)

    def _received(self, newest: bool, patience_s: float) -> Optional[frames_pb2.SensorFrame]:
        self._topic = self._topic or ALL_FRAMES
        lane = self._live_lane(even_if_over=True)
        if lane is not None:
            until = time.monotonic() + patience_s
            frame = lane.receive(newest, patience_s)
            if frame is not None or not lane.is_over:
                return frame
            patience_s = max(0.0, until - time.monotonic())
        channel = self._sensor_channel()
        return channel.receive(newest, patience_s, self.description.schema_hash, len(self._positions))

    def frames(self, newest: bool = False, timeout: Optional[float] = None) -> Iterator[Frame]:
        """Frames as they come; ends when none came in time."""
        self._subscribe(self._topic or ALL_FRAMES)
        return self._frames(newest, timeout)

    def _frames(self, newest: bool, timeout: Optional[float]) -> Iterator[Frame]:
        while True:
            try:
                frame = self.recv(newest, timeout)
            except NoAnswerError:
                return
            yield frame

    def subscribe(self, rate_hz: float = 0.0) -> float:
        """From now on recv() sees frames at this rate or the nearest lower one (0: all); gives that rate."""
        request = control_pb2.SubscribeRequest(rate_hz=rate_hz)
        reply = self._asked("subscription", subscribe=request).subscription
        self._subscribe(reply.topic)
        return reply.rate_hz

    def _subscribe(self, topic: str) -> None:
        self._topic = topic
        lane = self._live_lane()
        if lane is not None:
            lane.subscribe(every_of(topic))
        else:
            self._sensor_channel().subscribe(topic)

    def events(self, timeout: Optional[float] = None) -> Iterator[Event]:
        """What the plant tells from now on: Event, Status and Timing messages. Ends when none came for `timeout`."""
        self._event_channel()
        return self._told(timeout)

    def _told(self, timeout: Optional[float]) -> Iterator[Event]:
        while True:
            event = self._event_channel().receive(timeout)
            if event is None:
                return
            yield event

    # The lane: while there is a lease, on the plant's own host.

    def _open_lane(self) -> None:
        """In place of the one before it. Frames that are under way to the socket are passed over."""
        self._close_lane()
        if not self._may_share or self.lease is None:
            return
        self._lane = open_lane(self.description, self.lease.id, self.counters, self.timeout)
        if self._lane is not None and self._topic:
            if self._sensors is not None:
                self._sensors.close()
                self._sensors = None
            self._lane.subscribe(every_of(self._topic))

    def _close_lane(self) -> None:
        if self._lane is not None:
            self._lane.close()
            self._lane = None

    def _live_lane(self, even_if_over: bool = False) -> Optional[LaneChannel]:
        """One that is over may still hold frames, and what it did not take goes by the socket."""
        if self._lane is not None and self._lane.is_over and not even_if_over:
            return None
        return self._lane

    # Sockets, each connected when it is first needed.

    def _place_of(self, socket: str) -> Tuple[str, Optional[Keys]]:
        control = self._control.address
        found = [one for one in self.description.endpoints if one.socket == socket]
        if not found:
            raise BadReplyError(f"the plant does not say where its socket '{socket}' is")
        # A plant may be reached in several ways: the one that already worked goes first.
        scheme = control.partition("://")[0]
        found.sort(key=lambda one: not one.address.startswith(scheme))
        keys = self._keys if found[0].server_key else None
        return reachable_address(found[0].address, control), keys

    def _actuator_channel(self) -> ActuatorChannel:
        if self._actuators is None:
            self._actuators = ActuatorChannel(self._context, *self._place_of("actuators"), self.counters)
        return self._actuators

    def _sensor_channel(self) -> SensorChannel:
        if self._sensors is None:
            place = self._place_of("sensors")
            self._sensors = SensorChannel(self._context, *place, self.counters, self._max_waiting_frames)
            self._topic = self._topic or ALL_FRAMES
            self._sensors.subscribe(self._topic)
        return self._sensors

    def _event_channel(self) -> EventChannel:
        if self._events is None:
            self._events = EventChannel(self._context, *self._place_of("events"), self.counters)
            self._events.wait_for_connection(self.timeout)
        return self._events

    def _stop_channel(self) -> Optional[StopChannel]:
        """None where the plant has no stop socket that this client reaches."""
        if self._stop is None:
            places = {name: (address, self._keys) for name, address in stop_addresses_beside(self._control.address).items()}
            told = [endpoint for endpoint in self.description.endpoints if endpoint.address.startswith("tcp://")]
            for endpoint in reversed(told):  # the first counts; where nothing is told, the usual port
                if endpoint.socket in places and places[endpoint.socket][0].startswith("tcp://"):
                    address = reachable_address(endpoint.address, self._control.address)
                    places[endpoint.socket] = (address, self._keys if endpoint.server_key else None)
            if places:
                self._stop = StopChannel(self._context, list(places.values()))
        return self._stop

    def __repr__(self) -> str:
        name = self.description.rig or "?"
        return f"Plant({name} at {self._control.address}, {self.mode.name.lower() if self.description.mode else '?'})"

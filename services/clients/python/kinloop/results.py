"""Owns what the verbs of a plant give back, where a message of the wire would be clumsy."""
from __future__ import annotations

import dataclasses
import enum
import pathlib
from typing import Any, List, Sequence, Tuple

from kinloop.arrays import Array, matrix, stack, vector
from kinloop.errors import SchemaError
from kinloop.keys import Path
from kinloop.v1 import control_pb2, state_pb2


class Mode(enum.IntEnum):
    """What releases a step: kinloop.v1.Mode."""

    REAL_TIME = 1
    LOCKSTEP = 2
    FREE = 3


class FaultKind(enum.IntEnum):
    """Of inject_fault(): kinloop.v1.FaultKind."""

    OFF = 1
    STUCK = 2
    BIAS = 3
    DRIFT = 4
    NOISE = 5
    WRONG_SIGN = 6
    DELAY = 7
    DROP = 8


class Condition(enum.IntEnum):
    """Of capture(): kinloop.v1.Condition."""

    RISES = 1
    FALLS = 2
    CROSSES = 3
    FLAGGED = 4


class PlantState(enum.IntEnum):
    """Of Status.state: kinloop.v1.PlantState."""

    UNSPECIFIED = 0
    STARTING = 1
    RUNNING = 2
    PAUSED = 3
    ENDED = 4
    DEAD = 5


@dataclasses.dataclass(frozen=True)
class Effect:
    """What a verb did."""

    step: int  # at whose beginning it took effect; 0 where that means nothing
    repeated: bool = False  # the plant had done it already when it was asked again
    tick: int = 0  # of an emergency stop: the iteration of the plant's loop that latched it


@dataclasses.dataclass(frozen=True)
class FaultEffect:
    """What inject_fault() did."""

    step: int
    until_step: int  # the first without it; 0: until it is cleared


@dataclasses.dataclass(frozen=True)
class Lease:
    """The right to command these actuators, in the order of send()."""

    id: int
    actuators: Tuple[str, ...]
    time_s: float  # without a frame or a renewal


@dataclasses.dataclass(frozen=True)
class MotionState:
    """The mechanism's part of a state, in the order of Description.coordinates and .speeds."""

    q: Sequence[float]
    v: Sequence[float]

    def to_message(self) -> state_pb2.MotionState:
        return state_pb2.MotionState(q=[float(x) for x in self.q], v=[float(x) for x in self.v])


class Snapshot:
    """All that alters the future of a plant: kept as bytes or in a file, given back by restore()."""

    def __init__(self, message: state_pb2.Snapshot) -> None:
        self.message = message

    @property
    def rig(self) -> str:
        return self.message.rig

    @property
    def step(self) -> int:
        return self.message.step

    @property
    def time_s(self) -> float:
        return self.message.time_s

    @property
    def state_hash(self) -> int:
        """Frame.state_hash of that step."""
        return self.message.state_hash

    def to_bytes(self) -> bytes:
        return self.message.SerializeToString(deterministic=True)

    @classmethod
    def from_bytes(cls, data: bytes) -> Snapshot:
        """Raises SchemaError where the bytes are no snapshot."""
        message = state_pb2.Snapshot()
        try:
            message.ParseFromString(data)
        except Exception as error:  # protobuf's DecodeError, whose place differs between its versions
            raise SchemaError(f"these bytes are no snapshot: {error}", field="snapshot") from None
        if message.version == 0:
            raise SchemaError("these bytes are no snapshot", field="snapshot")
        return cls(message)

    def save(self, path: Path) -> None:
        pathlib.Path(path).write_bytes(self.to_bytes())

    @classmethod
    def load(cls, path: Path) -> Snapshot:
        return cls.from_bytes(pathlib.Path(path).read_bytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Snapshot) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.state_hash)

    def __repr__(self) -> str:
        return f"Snapshot({self.rig}, step={self.step}, time_s={self.time_s:.6g}, hash={self.state_hash:016x})"


@dataclasses.dataclass(frozen=True, eq=False)
class Linearization:
    """One step of the plant: x+ = x_next + A (x - x0) + B (u - u0), y = y0 + C (x+ - x_next) + D (u - u0).

    Arrays are numpy's where numpy is present, else lists.
    """

    states: Tuple[str, ...]
    inputs: Tuple[str, ...]
    outputs: Tuple[str, ...]
    x: Array
    u: Array
    y: Array
    x_next: Array
    A: Array
    B: Array
    C: Array
    D: Array
    dt_s: float
    warnings: Tuple[str, ...]
    method: str  # "exact", or "differences" and why
    uncertainty: float  # of differences: the largest estimated error of an entry of A and B, against the largest of its column

    @classmethod
    def from_message(cls, reply: control_pb2.LinearizeReply) -> Linearization:
        nx, nu, ny = len(reply.states), len(reply.inputs), len(reply.outputs)
        return cls(
            states=tuple(reply.states),
            inputs=tuple(reply.inputs),
            outputs=tuple(reply.outputs),
            x=vector(reply.x),
            u=vector(reply.u),
            y=vector(reply.y),
            x_next=vector(reply.x_next),
            A=matrix(reply.a, nx, nx),
            B=matrix(reply.b, nx, nu),
            C=matrix(reply.c, ny, nx),
            D=matrix(reply.d, ny, nu),
            dt_s=reply.dt_s,
            warnings=tuple(reply.warnings),
            method=reply.method,
            uncertainty=reply.uncertainty,
        )


@dataclasses.dataclass(frozen=True, eq=False)
class Rollout:
    """What the plant would do with each of the sequences."""

    outputs: Array  # [sequence, command, sensor]: true signals after each command; not a number after a failed step
    ends: Tuple[MotionState, ...]
    complete: Tuple[bool, ...]

    @classmethod
    def from_message(cls, reply: control_pb2.RolloutReply, lengths: Sequence[int], sensors: int) -> Rollout:
        longest = max(lengths, default=0)
        nan = float("nan")
        rows: List[Any] = []
        for result in reply.results:
            missing = longest * sensors - len(result.outputs)
            rows.append(matrix([*result.outputs, *([nan] * missing)], longest, sensors))
        ends = tuple(MotionState(vector(one.end.q), vector(one.end.v)) for one in reply.results)
        return cls(stack(rows), ends, tuple(one.complete for one in reply.results))


@dataclasses.dataclass(frozen=True, eq=False)
class Capture:
    """Steps around the one at which a sensor met its condition."""

    trigger_step: int
    steps: Tuple[int, ...]
    times_s: Array
    values: Array  # [step, sensor]
    flags: Tuple[int, ...]

    @classmethod
    def from_message(cls, reply: control_pb2.CaptureReply, sensors: int) -> Capture:
        return cls(
            reply.trigger_step,
            tuple(reply.steps),
            vector(reply.times_s),
            matrix(reply.values, len(reply.steps), sensors),
            tuple(reply.flags),
        )


@dataclasses.dataclass(frozen=True)
class Record:
    """A file on the plant's host."""

    file: str
    steps: int
    dropped: int


@dataclasses.dataclass
class Counters:
    """Since the connection was made."""

    frames_sent: int = 0
    frames_unsent: int = 0  # dropped while there was no connection, with acquire_again
    frames_refused: int = 0  # by the plant
    frames_received: int = 0  # handed out or passed over
    frames_lost: int = 0  # gaps between received ones
    bad_messages: int = 0  # no message of the schema
    foreign_frames: int = 0  # of another schema hash: describe() again
    leases_lost: int = 0
    requests_repeated: int = 0  # asked again with the same number

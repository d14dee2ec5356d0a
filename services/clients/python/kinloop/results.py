"""Owns what the verbs of a plant give back, where a message of the wire would be clumsy."""
from __future__ import annotations

import dataclasses
import enum
import pathlib
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Tuple

from kinloop.arrays import Array, flat, matrix, stack, vector
from kinloop.errors import SchemaError
from kinloop.keys import Path

if TYPE_CHECKING:  # what a simulation in the process gives back is the same, without messages
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
        from kinloop.v1 import state_pb2

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
        from kinloop.v1 import state_pb2

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
    parameters: Tuple[str, ...] = ()  # of the mechanism, where they were asked for
    p: Array = ()  # their values
    P: Array = ()  # and what changes of them do to x after the step: [state, parameter]

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
            parameters=tuple(reply.parameters),
            p=vector(reply.parameter_values),
            P=matrix(reply.p, nx, len(reply.parameters)),
        )


@dataclasses.dataclass(frozen=True)
class QuadraticCost:
    """Half the sum of weighted squares: of outputs minus targets after each command, of commands minus theirs, and once more
    of the outputs after the last command.

    Weights are empty or one for each sensor or actuator; targets empty (zero), one of each, or [command, ...].
    """

    output_weights: Any = ()
    output_targets: Any = ()
    end_weights: Any = ()
    command_weights: Any = ()
    command_targets: Any = ()

    def lists(self) -> Dict[str, List[float]]:
        """Its numbers, row by row."""
        return {field.name: flat(getattr(self, field.name)) for field in dataclasses.fields(self)}

    def to_message(self) -> control_pb2.QuadraticCost:
        from kinloop.v1 import control_pb2 as messages

        return messages.QuadraticCost(**self.lists())


@dataclasses.dataclass(frozen=True, eq=False)
class Trajectory:
    """A plant's way under a sequence of commands, and how it answers small changes:
    dx[k+1] = A[k] dx[k] + B[k] du[k], dy[k] = C[k] dx[k+1] + D[k] du[k].
    """

    states: Tuple[str, ...]
    x: Array  # [command + 1, state]: before each command, and after the last
    A: Array  # [command, state, state]: over all steps for which it is held
    B: Array  # [command, state, actuator]
    y: Array  # [command, sensor]: true signals after each command
    C: Array  # [command, sensor, state]: how they change with the state then
    D: Array  # [command, sensor, actuator]: and with the command, where it shows at once
    warnings: Tuple[str, ...]
    complete: bool = True  # it went well to the end; else all lists stop where a step failed

    @classmethod
    def from_messages(cls, parts: Sequence[control_pb2.LinearizeTrajectoryReply]) -> Trajectory:
        """Of a way that was asked for in parts."""
        first = parts[0]
        nx, nu, ny = len(first.states), len(first.inputs), len(first.outputs)
        x: List[float] = []
        lists: List[List[float]] = [[], [], [], [], []]
        for i, part in enumerate(parts):
            x.extend(part.x[nx if i > 0 else 0 :])
            for all_numbers, numbers in zip(lists, (part.a, part.b, part.y, part.c, part.d)):
                all_numbers.extend(numbers)
        rows = len(x) // nx - 1 if nx else len(lists[2]) // max(ny, 1)
        a, b, y, c, d = lists

        def cut(numbers: List[float], height: int, width: int) -> Array:
            size = height * width
            return stack([matrix(numbers[i * size : (i + 1) * size], height, width) for i in range(rows)])

        return cls(
            states=tuple(first.states),
            x=matrix(x, rows + 1, nx),
            A=cut(a, nx, nx),
            B=cut(b, nx, nu),
            y=matrix(y, rows, ny),
            C=cut(c, ny, nx),
            D=cut(d, ny, nu),
            warnings=tuple(warning for part in parts for warning in part.warnings),
            complete=parts[-1].complete,
        )


@dataclasses.dataclass(frozen=True, eq=False)
class Trim:
    """Where a plant stands still, or moves on steadily."""

    snapshot: Any  # of that state, with the commands that hold it: restore() goes there
    q: Array
    v: Array
    commands: Array
    iterations: int
    is_reached: bool
    residual: float  # what still changes in a second, against its size
    missing: Tuple[str, ...]  # where it is not reached: what changes, and whether anything that is sought moves it

    @classmethod
    def from_message(cls, reply: control_pb2.TrimReply) -> Trim:
        return cls(
            snapshot=Snapshot(reply.snapshot),
            q=vector(reply.state.q),
            v=vector(reply.state.v),
            commands=vector(reply.commands),
            iterations=reply.iterations,
            is_reached=reply.reached,
            residual=reply.residual,
            missing=tuple(reply.missing),
        )


@dataclasses.dataclass(frozen=True, eq=False)
class Rollout:
    """What the plant would do with each of the sequences."""

    outputs: Array  # [sequence, command, sensor]: true signals after each command; not a number after a failed step
    ends: Tuple[MotionState, ...]
    complete: Tuple[bool, ...]
    costs: Array = ()  # [sequence]; not a number where it is not complete
    gradients: Tuple[Array, ...] = ()  # of each sequence: [command, actuator]
    step: int = 0  # of the plant: the state they begin at is that after it

    @classmethod
    def from_message(
        cls,
        reply: control_pb2.RolloutReply,
        lengths: Sequence[int],
        sensors: int,
        actuators: int = 0,
        has_cost: bool = False,
        step: int = 0,
    ) -> Rollout:
        longest = max(lengths, default=0)
        nan = float("nan")
        rows: List[Any] = []
        for result in reply.results:
            missing = longest * sensors - len(result.outputs)
            rows.append(matrix([*result.outputs, *([nan] * missing)], longest, sensors))
        ends = tuple(MotionState(vector(one.end.q), vector(one.end.v)) for one in reply.results)
        complete = tuple(one.complete for one in reply.results)
        if not has_cost:
            return cls(stack(rows), ends, complete, step=step)
        costs = vector(one.cost if one.complete else nan for one in reply.results)
        gradients = tuple(
            matrix(one.gradient if one.complete else [nan] * (length * actuators), length, actuators)
            for one, length in zip(reply.results, lengths)
        )
        return cls(stack(rows), ends, complete, costs, gradients, step)


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

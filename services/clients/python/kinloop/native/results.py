"""Owns what a simulation gives back where an array would say too little."""
from __future__ import annotations

import dataclasses
import os
import pathlib
import struct
from typing import Any, Optional, Tuple, Union

import numpy

from kinloop.errors import SchemaError
from kinloop.results import Linearization, MotionState, QuadraticCost, Trajectory, Trim

__all__ = ["Linearization", "MotionState", "QuadraticCost", "Rollout", "Snapshot", "Trajectory", "Trim"]

_MAGIC = b"kinloop state 1\0"


class Snapshot:
    """All that alters the future of a simulation: its state's block of numbers. May be pickled, saved, compared."""

    def __init__(self, rig: str, block: Any, command: Any = ()) -> None:
        self.rig = str(rig)
        self.block = numpy.array(block).astype(float, casting="same_kind")  # its own
        self.command = numpy.array(command, dtype=None if len(command) else float).astype(float, casting="same_kind")  # in force
        self.block.flags.writeable = self.command.flags.writeable = False

    @property
    def time_s(self) -> float:
        """Of the plant, s."""
        return float(self.block[0]) if self.block.size else 0.0

    def to_bytes(self) -> bytes:
        """The same bytes on every machine."""
        name = self.rig.encode()
        return b"".join((_MAGIC, struct.pack("<QQQ", len(name), self.block.size, self.command.size), name,
                         self.block.astype("<f8").tobytes(), self.command.astype("<f8").tobytes()))

    @classmethod
    def from_bytes(cls, data: bytes) -> Snapshot:
        """Raises SchemaError where the bytes are no snapshot."""
        head = len(_MAGIC) + 24
        if len(data) < head or not bytes(data).startswith(_MAGIC):
            raise SchemaError("these bytes are no snapshot of a simulation", field="snapshot")
        name, block, command = struct.unpack("<QQQ", data[len(_MAGIC):head])
        if len(data) != head + name + 8 * (block + command):
            raise SchemaError("the snapshot is cut off", field="snapshot")
        try:
            rig = bytes(data[head:head + name]).decode()
        except UnicodeDecodeError:
            raise SchemaError("these bytes are no snapshot of a simulation", field="snapshot") from None
        numbers = numpy.frombuffer(data[head + name:], dtype="<f8")
        return cls(rig, numbers[:block], numbers[block:])

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes to_bytes() into a file."""
        pathlib.Path(path).write_bytes(self.to_bytes())

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"]) -> Snapshot:
        """What save() wrote."""
        return cls.from_bytes(pathlib.Path(path).read_bytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Snapshot) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __repr__(self) -> str:
        return f"Snapshot({self.rig}, time_s={self.time_s:.6g})"


@dataclasses.dataclass(frozen=True, eq=False)
class Rollout:
    """What a plant would do with each of the sequences."""

    outputs: numpy.ndarray  # [sequence, command, sensor]: true signals after each command; not a number after a failed step
    end_q: numpy.ndarray  # [sequence, coordinate]
    end_v: numpy.ndarray  # [sequence, speed]
    complete: numpy.ndarray  # [sequence]: it went well to the end
    path: str = "single"  # "lanes", or "single" and why: how the plant was stepped
    costs: Optional[numpy.ndarray] = None  # [sequence], where a cost was given; not a number where it is not complete
    gradients: Optional[numpy.ndarray] = None  # [sequence, command, actuator]: of the cost by the commands

    @property
    def ends(self) -> Tuple[MotionState, ...]:
        """The end of each."""
        return tuple(MotionState(q, v) for q, v in zip(self.end_q, self.end_v))

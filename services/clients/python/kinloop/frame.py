"""Owns Frame: what the sensors show at the end of a step, by name."""
from __future__ import annotations

import enum
from typing import Any, Dict, Iterator, KeysView, Mapping, Tuple

from kinloop.errors import ErrorCode, UnknownNameError
from kinloop.v1 import frames_pb2


class FrameFlag(enum.IntFlag):
    """Of a whole frame: kinloop.v1.FrameFlag."""

    NONE = 0
    OVERRUN = 1
    STALE = 2
    DEGRADED = 4
    FAULTED = 8
    FROZEN = 16


class SensorFlag(enum.IntFlag):
    """Of one value of a frame: kinloop.v1.SensorFlag."""

    NONE = 0
    LOST = 1
    SATURATED = 2
    INVALID = 4


class Frame:
    """The values of all sensors at the end of a step, SI units: frame["pole_angle"].

    A value is not a number where the sensor has none. `message` is the SensorFrame as it came.
    """

    __slots__ = ("message", "_positions", "_values")

    def __init__(self, message: frames_pb2.SensorFrame, positions: Mapping[str, int]) -> None:
        self.message = message
        self._positions = positions
        self._values = message.value

    def __getitem__(self, sensor: str) -> float:
        try:
            return self._values[self._positions[sensor]]
        except KeyError:
            raise _unknown(sensor) from None

    def __contains__(self, sensor: object) -> bool:
        return sensor in self._positions

    def __iter__(self) -> Iterator[str]:
        return iter(self._positions)

    def __len__(self) -> int:
        return len(self._positions)

    def keys(self) -> KeysView[str]:
        """The sensors, in their order; with it dict(frame) works."""
        return self._positions.keys()

    @property
    def values(self) -> Tuple[float, ...]:
        """In the order of the plant's sensors."""
        return tuple(self._values)

    def array(self) -> Any:
        """The same as a numpy array."""
        import numpy

        return numpy.array(self._values)

    def quality(self, sensor: str) -> SensorFlag:
        """SensorFlag.NONE: the value is good."""
        if sensor not in self._positions:
            raise _unknown(sensor)
        qualities = self.message.quality
        return SensorFlag(qualities[self._positions[sensor]]) if qualities else SensorFlag.NONE

    @property
    def step(self) -> int:
        """The state is that at the end of this step; the first is 1."""
        return self.message.step

    @property
    def time_s(self) -> float:
        """Of the plant."""
        return self.message.time_s

    @property
    def state_hash(self) -> int:
        """Of the whole state at the end of the step: equal states have equal ones."""
        return self.message.state_hash

    @property
    def flags(self) -> FrameFlag:
        """Of the step."""
        return FrameFlag(self.message.flags)

    @property
    def is_stale(self) -> bool:
        """Some actuator was made safe: its commands were too old, or the plant was stopped in an emergency."""
        return bool(self.message.flags & FrameFlag.STALE)

    @property
    def command_sequence(self) -> int:
        """Of the newest command in force: what send() gave."""
        return self.message.command_sequence

    @property
    def command_age_ticks(self) -> int:
        """How many steps ago that was taken."""
        return self.message.command_age_ticks

    def as_dict(self) -> Dict[str, float]:
        """All values by name."""
        return dict(zip(self._positions, self._values))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value:.6g}" for name, value in self.as_dict().items())
        return f"Frame(step={self.step}, time_s={self.time_s:.6g}, {values})"


def _unknown(sensor: str) -> UnknownNameError:
    return UnknownNameError(f"the plant has no sensor '{sensor}'", ErrorCode.UNKNOWN_NAME, "sensor")

"""Owns Simulation: a plant that is stepped in this process."""
from __future__ import annotations

import types
import warnings
from typing import Any, Mapping, Optional, Sequence, Tuple, Type

import _kinloop
import numpy

from kinloop.errors import ErrorCode, InvalidError, UnknownNameError
from kinloop.native.description import Source
from kinloop.native.model import Energy, Model
from kinloop.native.plant import Plant
from kinloop.native.results import Linearization, QuadraticCost, Rollout, Snapshot, Trajectory, Trim


class Simulation(_kinloop.Simulation):
    """A plant that is stepped in this process, bit by bit as the service steps it.

    `q`, `v`, `readings`, `flags`, `device_state` and `block` are views: arrays without a copy that show the present state
    whenever they are looked at, and keep the simulation alive. They cannot be written; `command` can. Taken once, they cost
    nothing later. A Simulation is for one thread at a time: a second one that calls it meanwhile gets a NotNowError.
    Simulations of one Plant are independent of each other, and long calls let other threads run.
    """

    def __init__(self, plant: Plant, *, seed: Optional[int] = None) -> None:
        """seed: of all noise, instead of the rig's. What `warnings` then holds is warned of, as RuntimeWarning."""
        if not isinstance(plant, Plant):
            raise TypeError(f"plant: a Plant, not {type(plant).__name__}; Simulation.load() takes a file")
        if hasattr(self, "_plant"):
            raise TypeError("a Simulation keeps the plant that it was made of: make another one")
        super().__init__(plant, seed)
        self._plant = plant
        for warning in self.warnings:
            warnings.warn(f"{plant.name}: {warning}", RuntimeWarning, stacklevel=2)

    @classmethod
    def load(
        cls, path: Source, *, parameters: Optional[Mapping[str, Any]] = None, seed: Optional[int] = None
    ) -> Simulation:
        """Of a rig file, or a dictionary that describes one."""
        return cls(Plant(path, parameters=parameters), seed=seed)

    @property
    def plant(self) -> Plant:
        """What it was made of."""
        return self._plant

    @property
    def model(self) -> Model:
        """The mechanism."""
        return self._plant.model

    def snapshot(self) -> Snapshot:
        """All that alters its future."""
        return Snapshot(self._plant.name, self.block, self.command)

    def restore(self, snapshot: Snapshot) -> None:
        """Goes on from there. Raises InvalidError, and changes nothing, where it is no state of this plant."""
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"snapshot: a Snapshot, not {type(snapshot).__name__}")
        if snapshot.rig != self._plant.name:
            raise InvalidError(f"the snapshot is of the rig '{snapshot.rig}'", ErrorCode.INVALID, "snapshot")
        has_command = snapshot.command.size > 0
        if has_command and (snapshot.command.shape != self.command.shape or not numpy.isfinite(snapshot.command).all()):
            raise InvalidError("its commands are none of this plant", ErrorCode.INVALID, "snapshot")
        self._restore(snapshot.block)
        if has_command:
            self.command[:] = snapshot.command

    def reading(self, sensor: str) -> float:
        """The last reading of one sensor, by name."""
        if not isinstance(sensor, str):
            raise TypeError(f"sensor: a name, not {type(sensor).__name__}")
        if sensor not in self._plant.sensors:
            known = ", ".join(self._plant.sensors)
            raise UnknownNameError(f"no sensor is named '{sensor}'; known are {known}", ErrorCode.UNKNOWN_NAME, "sensor")
        return float(self.readings[self._plant.sensors.index(sensor)])

    def energy(self) -> Energy:
        """Of the mechanism, now."""
        return self.model.energy(self.q, self.v)

    def linearize(
        self, *, method: str = "exact", independent: Sequence[str] = (), parameters: Sequence[str] = (), side: str = "either"
    ) -> Linearization:
        """The next step around the present state and commands as matrices (docs/linearization.md). independent names the
        coordinates to take as such, parameters numbers of the mechanism to differentiate by as well: "mass.boom",
        "friction.*". side: of an edge that the state or a command stands on, "below" or "above" it."""
        return Linearization(**self._linearize(method, independent, parameters, side))

    def linearize_trajectory(
        self, commands: Any, *, steps_per_command: int = 1, independent: Sequence[str] = ()
    ) -> Trajectory:
        """The way from the present state, which stays as it is, under rows of commands [command, actuator], with the
        matrices of each: exact derivatives. The independent coordinates are chosen once, at its start, where none are named.
        Rotations of ball and free joints are counted from the orientation at each point, so that the matrices follow each
        other. Where a step fails, all lists stop there. Raises InvalidError where steps cannot be differentiated."""
        return Trajectory(**self._linearize_trajectory(commands, steps_per_command, independent))

    def trim(
        self,
        *,
        coordinates: Optional[Mapping[str, float]] = None,
        speeds: Optional[Mapping[str, float]] = None,
        commands: Optional[Mapping[str, float]] = None,
        hold: bool = False,
        max_iterations: int = 60,
    ) -> Trim:
        """Where the plant stands still, or moves on steadily, from the present state, which stays as it is. Coordinates,
        speeds and commands that are given stay so; hold: all coordinates stay where they are. All else is sought."""
        given = [dict(one) if isinstance(one, Mapping) else one for one in (coordinates, speeds, commands)]
        found = self._trim(*given, hold, max_iterations)
        block = found.pop("block")
        return Trim(snapshot=Snapshot(self._plant.name, block, found["commands"]), **found)

    def rollout(
        self,
        sequences: Any,
        *,
        steps_per_command: int = 1,
        cost: Optional[QuadraticCost] = None,
        threads: int = 1,
        exact: bool = False,
    ) -> Rollout:
        """What the plant would do from the present state, which stays as it is, under sequences of commands
        [sequence, command, actuator]. Several sequences are stepped at once in SIMD lanes where the plant allows that,
        which differs from step() by rounding; exact: with the bits of step(). threads: by so many, 0: one for each
        processor; results do not depend on it. With a cost, each result has it and its gradient by the commands, from
        exact derivatives by one backward sweep, in one thread and with the bits of step()."""
        if cost is None:
            return Rollout(*self._rollout(sequences, steps_per_command, threads, exact))
        if not isinstance(cost, QuadraticCost):
            raise TypeError(f"cost: a QuadraticCost, not {type(cost).__name__}")
        found = self._rollout_with_gradients(sequences, steps_per_command, cost.lists())
        return Rollout(*found[:4], "single: with a cost", *found[4:])

    def chart(self, independent: Sequence[str] = ()) -> Chart:
        """Coordinates of states near the present one: the x of linearize()."""
        return Chart(self, independent)

    def __enter__(self) -> Simulation:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[types.TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return (
            f"<Simulation {self._plant.name}: {self.integrator}, step {self.step_count}, "
            f"{self.time_s:g} s{', closed' * self.closed}>"
        )

    def __reduce__(self) -> Tuple[Any, ...]:
        raise TypeError("a Simulation cannot be pickled: its snapshot() can")


class Chart(_kinloop.Chart):
    """The smallest set of numbers that describes states near the one at which it was made: `states` names them.

    read() gives x of the simulation's present state, place(x) puts the simulation there with closed loops, sizes() what change
    of each makes a difference.
    """

    def __init__(self, simulation: Simulation, independent: Sequence[str] = ()) -> None:
        super().__init__(simulation, independent)

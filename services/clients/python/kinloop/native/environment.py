"""Owns Environment: a plant for learners, with the interface of gymnasium.Env."""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple, Union

import numpy

from kinloop.errors import ErrorCode, InvalidError, NotNowError, StepError
from kinloop.native.description import Source
from kinloop.native.plant import Plant
from kinloop.native.simulation import Simulation
from kinloop.native.spaces import Box

try:
    from gymnasium import Env as _Env  # type: ignore[import-not-found]
except ImportError:
    _Env = object


class Environment(_Env):  # type: ignore[misc, valid-type]
    """A plant for learners: gymnasium's interface, the package itself is not needed.

    Observations are the sensors' readings, actions the commands of all actuators, both in SI units and in the rig's order.
    A task is a subclass that says what is good: reward(), and where wanted is_terminated(), begin() and observe(). An episode
    is truncated after `episode_steps` actions; a step that cannot be done terminates it, with info["step_error"].
    """

    metadata: Dict[str, Any] = {"render_modes": []}
    render_mode: Optional[str] = None
    spec: Any = None

    def __init__(self, rig: Union[Plant, Source], *, steps_per_action: int = 1, episode_steps: int = 1000) -> None:
        """Each action is held for steps_per_action steps of the plant."""
        for name, value in (("steps_per_action", steps_per_action), ("episode_steps", episode_steps)):
            if int(value) != value or value < 1:
                raise InvalidError(f"{name}: must be 1 or more", ErrorCode.INVALID, name)
        self.plant = rig if isinstance(rig, Plant) else Plant(rig)
        self.steps_per_action = int(steps_per_action)
        self.episode_steps = int(episode_steps)
        self.simulation = Simulation(self.plant)
        self.action_space = Box(self.plant.lower, self.plant.upper, dtype=numpy.float64)
        shape = self.observe().shape
        self.observation_space = Box(-numpy.inf, numpy.inf, shape=shape, dtype=numpy.float64)
        self._random: Optional[numpy.random.Generator] = None
        self._actions = -1  # of this episode; -1: reset() comes first
        self._closed = False

    # What a task says.

    def reward(self) -> float:
        """Of the present state; 0 unless a task says otherwise."""
        return 0.0

    def is_terminated(self) -> bool:
        """Whether the present state ends the episode; never unless a task says otherwise."""
        return False

    def begin(self, random: numpy.random.Generator, options: Dict[str, Any]) -> None:
        """At the start of an episode: puts self.simulation elsewhere, draws what it likes from `random`."""

    def observe(self) -> numpy.ndarray:
        """What the learner sees; the readings unless a task says otherwise."""
        return self.simulation.readings.copy()

    # gymnasium's interface.

    @property
    def np_random(self) -> numpy.random.Generator:
        """All chance of this environment."""
        if self._random is None:
            self._random = numpy.random.default_rng()
        return self._random

    @np_random.setter
    def np_random(self, value: numpy.random.Generator) -> None:
        self._random = value

    @property
    def unwrapped(self) -> Environment:
        """Itself."""
        return self

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[numpy.ndarray, Dict[str, Any]]:
        """Begins an episode. With a seed all that follows is the same for the same seed, noise of sensors included."""
        self._require_open()
        if seed is not None:
            self._random = numpy.random.default_rng(seed)
        noise = int(self.np_random.integers(2**63))
        self.simulation = Simulation(self.plant, seed=noise)
        self.begin(self.np_random, dict(options or {}))
        self._actions = 0
        return self.observe(), {"time_s": self.simulation.time_s}

    def step(self, action: Any) -> Tuple[numpy.ndarray, float, bool, bool, Dict[str, Any]]:
        """Observation, reward, terminated, truncated, info."""
        self._require_begun()
        error: Optional[StepError] = None
        try:
            self.simulation.step(action, self.steps_per_action)
        except StepError as failed:
            error = failed
        return self._outcome(error)

    def close(self) -> None:
        """May be called more than once; nothing else may be called after it."""
        self.simulation.close()
        self._closed = True

    def render(self) -> None:
        """Draws nothing: docs/plot.md is for pictures."""
        return None

    def _outcome(self, error: Optional[StepError]) -> Tuple[numpy.ndarray, float, bool, bool, Dict[str, Any]]:
        self._actions += 1
        info: Dict[str, Any] = {"time_s": self.simulation.time_s}
        if error is not None:
            info["step_error"] = error
        terminated = error is not None or bool(self.is_terminated())
        truncated = self._actions >= self.episode_steps
        return self.observe(), float(self.reward()), terminated, truncated, info

    def _require_open(self) -> None:
        if self._closed:
            raise NotNowError("the environment is closed", ErrorCode.NOT_NOW)

    def _require_begun(self) -> None:
        self._require_open()
        if self._actions < 0:
            raise NotNowError("reset() comes before the first step()", ErrorCode.NOT_NOW)

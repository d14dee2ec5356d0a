"""Owns VectorEnvironment: many environments of one kind, stepped in one call, with the interface of gymnasium's."""
from __future__ import annotations

import concurrent.futures
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import _kinloop
import numpy

from kinloop.errors import ErrorCode, InvalidError, StepError
from kinloop.native.environment import Environment
from kinloop.native.spaces import Box


class VectorEnvironment:
    """Many environments of one kind, stepped in one call, in as many threads as wanted.

    An episode that has ended begins again in the next step(), whose action it ignores (gymnasium's autoreset mode NextStep).
    """

    metadata: Dict[str, Any] = {"render_modes": [], "autoreset_mode": "NextStep"}
    render_mode: Optional[str] = None
    spec: Any = None

    def __init__(self, make: Callable[[], Environment], count: int, *, threads: int = 1) -> None:
        """make() is called `count` times; environments may share a Plant."""
        if int(count) != count or count < 1:
            raise InvalidError("count: must be 1 or more", ErrorCode.INVALID, "count")
        if int(threads) != threads or threads < 1:
            raise InvalidError("threads: must be 1 or more", ErrorCode.INVALID, "threads")
        self.envs: List[Environment] = [make() for _ in range(int(count))]
        first = self.envs[0]
        for other in self.envs:
            if other.action_space != first.action_space or other.observation_space != first.observation_space:
                raise InvalidError("the environments are of different kinds", ErrorCode.INVALID, "make")
        if len({one.steps_per_action for one in self.envs}) != 1:
            raise InvalidError("the environments have different steps_per_action", ErrorCode.INVALID, "make")
        self.num_envs = len(self.envs)
        self.single_action_space, self.single_observation_space = first.action_space, first.observation_space
        self.action_space = self._batched(first.action_space)
        self.observation_space = self._batched(first.observation_space)
        self._ended = numpy.zeros(self.num_envs, dtype=bool)
        self._readings = numpy.zeros((self.num_envs, len(first.plant.sensors)))
        self._pool = concurrent.futures.ThreadPoolExecutor(int(threads)) if threads > 1 else None
        self._parts = [part for part in numpy.array_split(numpy.arange(self.num_envs), int(threads)) if part.size]

    def _batched(self, space: Any) -> Any:
        shape = (self.num_envs, *space.shape)
        low, high = numpy.broadcast_to(space.low, shape), numpy.broadcast_to(space.high, shape)
        return Box(low, high, shape=shape, dtype=space.dtype)

    def reset(
        self,
        *,
        seed: Optional[Union[int, Sequence[Optional[int]]]] = None,
        options: Optional[Dict[str, Any]] = None,
    ) -> Tuple[numpy.ndarray, Dict[str, Any]]:
        """Begins all episodes: of a seed, environment i has seed + i; or one for each."""
        if seed is None or isinstance(seed, (int, numpy.integer)):
            seeds: List[Optional[int]] = [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise InvalidError("one seed for each environment", ErrorCode.INVALID, "seed")
        begun = [one.reset(seed=own, options=options) for one, own in zip(self.envs, seeds)]
        self._ended[:] = False
        return numpy.stack([observation for observation, _ in begun]), self._together([info for _, info in begun])

    def step(
        self, actions: Any
    ) -> Tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray, numpy.ndarray, Dict[str, Any]]:
        """Observations, rewards, terminations, truncations, infos: one row for each environment."""
        actions = numpy.asarray(actions, dtype=float)
        if actions.shape != self.action_space.shape:
            raise InvalidError(f"actions: shape {self.action_space.shape}, not {actions.shape}", ErrorCode.INVALID, "actions")
        if not numpy.isfinite(actions).all():
            raise InvalidError("actions: must be finite", ErrorCode.INVALID, "actions")
        for one in self.envs:
            one._require_begun()
        done = numpy.ones(self.num_envs, dtype=bool)
        if self._pool is None:
            self._advance(self._parts[0], actions, done)
        else:
            for future in [self._pool.submit(self._advance, part, actions, done) for part in self._parts]:
                future.result()
        outcomes = [self._outcome(i, bool(done[i])) for i in range(self.num_envs)]
        observations, rewards, terminated, truncated, infos = zip(*outcomes)
        self._ended = numpy.array(terminated) | numpy.array(truncated)
        return (
            numpy.stack(observations),
            numpy.array(rewards),
            numpy.array(terminated),
            numpy.array(truncated),
            self._together(list(infos)),
        )

    def _advance(self, part: numpy.ndarray, actions: numpy.ndarray, done: numpy.ndarray) -> None:
        """The steps of some of them; the compiled loop holds no lock."""
        moving = [int(i) for i in part if not self._ended[i]]
        if not moving:
            return
        simulations = [self.envs[i].simulation for i in moving]
        readings = numpy.empty((len(moving), self._readings.shape[1]))
        done[moving] = _kinloop.step_all(
            simulations, numpy.ascontiguousarray(actions[moving]), self.envs[0].steps_per_action, readings
        )
        self._readings[moving] = readings

    def _outcome(self, i: int, done: bool) -> Tuple[numpy.ndarray, float, bool, bool, Dict[str, Any]]:
        one = self.envs[i]
        if self._ended[i]:
            observation, info = one.reset()
            return observation, 0.0, False, False, info
        return one._outcome(None if done else StepError("the step could not be done"))

    def _together(self, infos: List[Dict[str, Any]]) -> Dict[str, Any]:
        """As gymnasium has it: an array for each key, and under "_key" who has it."""
        together: Dict[str, Any] = {}
        for i, info in enumerate(infos):
            for key, value in info.items():
                is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
                values = together.setdefault(key, numpy.zeros(self.num_envs, dtype=float if is_number else object))
                together.setdefault("_" + key, numpy.zeros(self.num_envs, dtype=bool))[i] = True
                values[i] = value
        return together

    def close(self) -> None:
        """May be called more than once."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
            self._parts = [numpy.arange(self.num_envs)]
        for one in self.envs:
            one.close()

#!/usr/bin/env python3
"""Calls everything of the module with objects that a seed draws: exceptions are fine, a crash or a wrong kind of them is not.

    fuzz.py [--seed N] [--seconds S]
"""
import argparse
import faulthandler
import random
import sys
import time
import warnings

import _kinloop
import kinloop
import numpy as np
from kinloop import native

from conftest import MODELS, PENDULUM, RIGS

# What a caller may be told. RecursionError and MemoryError: of objects that ask for it.
PERMITTED = (kinloop.KinloopError, TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, OSError,
             RecursionError, MemoryError, AssertionError, BufferError, np.exceptions.AxisError if hasattr(np, "exceptions")
             else np.AxisError)


class Own(Exception):
    """Of the evil objects below: must come back as it is."""


class Evil:
    """An object that answers everything with something else."""

    def __init__(self, rng):
        self.rng = rng

    def answer(self):
        kind = self.rng.randrange(5)
        if kind == 0:
            raise Own("as wanted")
        return [None, "text", float("nan"), 10**400, np.zeros(3), self][self.rng.randrange(6)]

    def __array__(self, *arguments, **named):
        return self.answer()

    def __float__(self):
        return self.answer()

    def __index__(self):
        return self.answer()

    def __len__(self):
        return self.answer()

    def __iter__(self):
        return iter([self.answer() for _ in range(self.rng.randrange(4))])

    def __getitem__(self, key):
        return self.answer()

    def __fspath__(self):
        return self.answer()

    def keys(self):
        return self.answer()

    def items(self):
        return self.answer()

    def __eq__(self, other):
        return self.answer()

    __hash__ = object.__hash__


class Destroyer:
    """Steps, resets or closes a simulation in the middle of being converted to an array."""

    def __init__(self, rng, simulation):
        self.rng, self.simulation = rng, simulation

    def __array__(self, *arguments, **named):
        self.rng.choice([self.simulation.reset, self.simulation.step, self.simulation.linearize])()
        return np.zeros(self.rng.choice([1, self.simulation.model.nq]))

    def __float__(self):
        self.simulation.step()
        return 0.5


class Fuzzer:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.models = [native.Model(MODELS / f"{name}.yaml") for name in ("four_bar", "pendulum", "floating_tree")]
        self.plants = [native.Plant(RIGS / f"{name}.yaml") for name in ("four_bar", "cart_pole", "pendulum", "stewart")]
        locked = {"kinloop": 1, "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1]}],
                  "joints": [{"name": "j", "type": "fixed", "predecessor": "ground", "successor": "a"}]}
        self.models.append(native.Model(locked))  # no freedom at all
        self.plants.append(native.Plant.of_model(self.models[-1]))
        self.simulations = []
        self.renew()
        self.calls = self.raised = 0

    def renew(self):
        self.simulations = [native.Simulation(plant, seed=self.rng.randrange(5)) for plant in self.plants]

    def array(self):
        size = self.rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 13, 19, 42])
        shape = self.rng.choice([(size,), (size,), (size,), (2, size), (1, 2, size), (), (size, 0)])
        scale = 10.0 ** self.rng.choice([-320, -10, 0, 0, 0, 1, 5, 150, 308])
        values = self.numbers.normal(size=shape) * scale
        if self.rng.random() < 0.1 and values.size:
            values.flat[self.rng.randrange(values.size)] = self.rng.choice([np.nan, np.inf, -np.inf])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind = self.rng.choice([float, float, float, np.float32, np.int8, bool, complex, object, "U5", np.float16, ">f8"])
            values = np.asarray(values).astype(kind)
        values = np.array(values)
        change = self.rng.randrange(8)
        if change == 0:
            values = np.repeat(values, 2, axis=-1)[..., ::2] if values.ndim else values
        elif change == 1:
            values = np.asfortranarray(values)
        elif change == 2 and isinstance(values, np.ndarray):
            values.flags.writeable = False
        elif change == 3 and values.ndim == 1 and values.dtype == float:
            values = np.frombuffer(b"x" + values.tobytes(), dtype=np.uint8)[1:].view(float)  # not aligned
        elif change == 4 and isinstance(values, np.ndarray):
            values = values.tolist()
        return values

    def motion(self, subject):
        """Near a good one."""
        model = subject if isinstance(subject, native.Model) else subject.model
        q = np.array(model.q0)
        return q + self.rng.choice([0.0, 0.0, 1e-7, 1e-2, 1.0]) * self.numbers.normal(size=q.shape)

    def thing(self, depth=0):
        rng = self.rng
        draw = rng.randrange(24)
        if draw < 7:
            return self.array()
        if draw < 11:
            return self.motion(rng.choice([*self.models, *self.simulations]))
        simple = [None, True, 0, 1, 3, -1, 2**31, 2**63, 2**64, 10**400, 0.5, -0.0, float("nan"), float("inf"), 1e308, "", "q",
                  "auto", "exact", "crank", "motor", "ground", "rcr", "partition", "off", "bias", "\0", "\ud800", "x" * 5000,
                  b"bytes", bytearray(b"z"), memoryview(b"12345678"), 1j, object(), int, len, ..., NotImplemented, range(3)]
        if draw < 18:
            return rng.choice(simple)
        if draw == 18:
            return Evil(rng)
        if draw == 19:
            return Destroyer(rng, rng.choice(self.simulations))
        if draw == 20:
            return rng.choice([*self.models, *self.plants, *self.simulations])
        if draw == 21 and depth < 3:
            return [self.thing(depth + 1) for _ in range(rng.randrange(4))]
        if draw == 22 and depth < 3:
            keys = ["motor", "belt", "crank", "pin", "rail", "x", "kinloop", "bodies", "joints", "model", 3, None]
            return {rng.choice(keys): self.thing(depth + 1) for _ in range(rng.randrange(3))}
        return rng.choice([PENDULUM, {"kinloop": 1}, self.simulations[0].snapshot(), slice(1), (1.0,), np.float64(2.0)])

    def subject(self):
        """Somebody to call, and his public and private names."""
        kinds = [native.Model, native.Plant, native.Simulation, native.Snapshot, _kinloop.Model, _kinloop.Plant,
                 _kinloop.Simulation, _kinloop.Chart, native.Environment]
        draw = self.rng.random()
        if draw < 0.08:
            one = self.rng.choice(kinds)
            return one, one
        if draw < 0.1:
            one = self.rng.choice(kinds[:8])
            return one, one.__new__(one)  # that nobody initialised
        if draw < 0.12:
            return None, _kinloop.step_all
        things = [*self.models, *self.plants, *self.simulations * 3]
        one = self.rng.choice(things)
        if isinstance(one, native.Simulation) and self.rng.random() < 0.1:
            one = self.quietly(one.chart) or one
        return type(one), one

    def quietly(self, call, *arguments, **named):
        self.calls += 1
        try:
            return call(*arguments, **named)
        except (PERMITTED + (Own,)):
            self.raised += 1
        return None

    def round(self):
        kind, one = self.subject()
        if callable(one) and not hasattr(one, "nq"):
            self.quietly(one, *[self.thing() for _ in range(self.rng.randrange(5))])
            return
        names = [name for name in dir(one) if not name.startswith("__") or name == "__init__"]
        name = self.rng.choice(names)
        got = self.quietly(getattr, one, name)
        if not callable(got):
            return
        if name == "step":
            self.quietly(got, self.thing(), self.rng.choice([0, 1, 2, 5, 40, -1, 1.5, None]))
            return
        arguments = [self.thing() for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3, 4, 5]))]
        if arguments and self.rng.random() < 0.5 and any(one is good for good in [*self.models, *self.simulations]):
            arguments[0] = self.motion(one)
        named = {}
        if self.rng.random() < 0.15:
            named = {self.rng.choice(["method", "independent", "hold", "tau", "steps", "seed", "coordinates"]): self.thing()}
        self.quietly(got, *arguments, **named)

    def check(self):
        """Nothing that was refused has left a mark: states stay finite, and steps are done or refused."""
        for simulation in self.simulations:
            assert np.isfinite(simulation.q).all() and np.isfinite(simulation.block).all(), simulation
            if not simulation.closed:
                simulation.command[:] = simulation.plant.initial_commands
                self.quietly(simulation.step)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    faulthandler.enable()
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    fuzzer, end, rounds = Fuzzer(arguments.seed), time.monotonic() + arguments.seconds, 0
    while time.monotonic() < end:
        fuzzer.round()
        rounds += 1
        if rounds % 50 == 0:
            fuzzer.check()
        if rounds % 400 == 0:
            fuzzer.renew()
    fuzzer.check()
    print(f"{fuzzer.calls} calls, {fuzzer.raised} refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())

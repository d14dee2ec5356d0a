#!/usr/bin/env python3
"""Moves a closed loop by sampling: model predictive path integral control (MPPI) of the telescoping five-bar, in real time.

The plant runs at 1 kHz by the clock and waits for nobody. A planner asks it again and again what a few dozen noisy variations of the
plan would lead to from where it stands now (roll-outs, through the service), and leans the plan to the good ones; beside it
each frame that comes is answered with the command that the newest plan has for that instant.
Exit code 0 if the mechanism is where it was wanted over the last second; 3 if it is not, and the host made too few plans.
"""
import argparse
import sys
import threading
import time

from here import RIGS

import kinloop
import numpy as np

WANTED = {"shoulder_angle": np.radians(55.0), "slide_position": 0.12}
WEIGHTS = {"shoulder_angle": 100.0, "slide_position": 300.0, "shoulder_speed": 4.0, "slide_speed": 8.0}
HELD_S = 0.02  # of each command of a plan
COMMANDS = 20
SAMPLES = 24
KNOTS = 4
NOISE = np.array([3.0, 2.0])  # Nm, N
EFFORT = np.array([3e-5, 1e-5])
TEMPERATURE = 0.15  # of what the median costs more than the best
PLANS_BEFORE = 30  # the start
ENOUGH_PLANS_PER_S = 25.0
TOO_SLOW = 3  # exit code
CHANGES = {
    "step": "1 ms",
    "mode": "real_time",
    "solver": "{integrator: heun}",
    "overrun": "skip",
    "watchdog": "{timeout: 20 s}",  # shared machines stall now and then: not what is to be shown here
}


class Plan:
    """Commands from an instant of the plant's time on, each held for HELD_S."""

    def __init__(self, time_s, commands):
        self.time_s, self.commands = time_s, commands

    def at(self, time_s):
        index = int((time_s - self.time_s) / HELD_S)
        return self.commands[min(max(index, 0), len(self.commands) - 1)]

    def from_(self, time_s):
        """The same commands as seen from another instant; the last goes on."""
        return np.array([self.at(time_s + (i + 0.5) * HELD_S) for i in range(len(self.commands))])


def noise_of(draw, begun):
    """Of all samples: KNOTS numbers each, joined by lines; half of the samples stay near the plan, the first is the plan.

    The commands that will have begun before the samples are known stay as they are.
    """
    knots = draw.normal(size=(SAMPLES, KNOTS, len(NOISE))) * NOISE
    knots[::2] *= 0.2
    knots[0] = 0.0
    place = np.linspace(0.0, KNOTS - 1.0, COMMANDS)
    before = np.minimum(place.astype(int), KNOTS - 2)
    share = (place - before)[:, None]
    noise = (1.0 - share) * knots[:, before] + share * knots[:, before + 1]
    noise[:, :begun] = 0.0
    return noise


def costs_of(outputs, sequences, sensors):
    cost = (EFFORT * sequences**2).sum(axis=(1, 2))
    for name, weight in WEIGHTS.items():
        error = outputs[:, :, sensors.index(name)] - WANTED.get(name, 0.0)
        cost += weight * (error**2).mean(axis=1) + weight * error[:, -1] ** 2
    return np.where(np.isfinite(cost), cost, np.inf)


def leaned(sequences, cost):
    """The mean of all samples, each by what it is better than the others."""
    better = max(np.median(cost[np.isfinite(cost)]) - cost.min(), 1e-12)
    weight = np.exp(-(cost - cost.min()) / (TEMPERATURE * better))
    return np.tensordot(weight / weight.sum(), sequences, axes=1)


class Planner(threading.Thread):
    """Plans ahead with a connection of its own; `plan` is the newest."""

    def __init__(self, address, start):
        super().__init__(daemon=True)
        self.address, self.plan, self.plans = address, start, 0
        self.now_s, self.takes_s = 0.0, 0.0  # of the plant
        self.failure, self.ends = None, threading.Event()

    def run(self):
        try:
            with kinloop.connect(self.address, timeout=20.0) as plant:
                while not self.ends.is_set():
                    self.improve(plant)
        except Exception as error:  # the main thread says what it was
            self.failure = error

    def improve(self, plant):
        actuators = plant.description.actuators
        lower, upper = [one.lower for one in actuators], [one.upper for one in actuators]
        draw = np.random.default_rng(self.plans)
        before, began_s = self.plan, self.now_s
        # Roll-outs begin where the plant stands when it is asked.
        base = before.from_(began_s)
        sequences = np.clip(base + noise_of(draw, round(self.takes_s / HELD_S)), lower, upper)
        seen = plant.rollout(sequences, steps_per_command=round(HELD_S / plant.dt_s))
        cost = costs_of(np.asarray(seen.outputs), sequences, [one.name for one in plant.description.sensors])
        if np.isfinite(cost).any():
            self.plan = Plan(seen.step * plant.dt_s, leaned(sequences, cost))
        self.plans += 1
        self.takes_s += 0.2 * (min(self.now_s - began_s, 0.5 * COMMANDS * HELD_S) - self.takes_s)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0)
    arguments = parser.parse_args()
    with kinloop.launch(RIGS / "five_bar.yaml", changes=CHANGES, wait=True) as plant:
        address = next(one.address for one in plant.description.endpoints if one.socket == "control")
        planner = Planner(address, Plan(0.0, np.zeros((COMMANDS, 2))))
        planner.start()
        while planner.plans < PLANS_BEFORE and planner.failure is None:  # before it starts
            time.sleep(0.01)
        plant.acquire()
        plant.start()
        answered, last, began = 0, [], time.monotonic()
        for frame in plant.frames(newest=True, timeout=5.0):
            planner.now_s = frame.time_s
            plant.send(planner.plan.at(frame.time_s), rearm=["shoulder", "slide"] if frame.is_stale else [])
            answered += 1
            if frame.time_s > arguments.seconds - 1.0:
                last.append([frame[name] for name in WANTED])
            if frame.time_s > arguments.seconds or planner.failure is not None:
                break
        took = time.monotonic() - began
        planner.ends.set()
        planner.join(30.0)
        if planner.failure is not None:
            raise planner.failure
        angle, place = np.mean(last, axis=0)
        print(f"{frame.time_s:.2f} s of the plant in {took:.2f} s: {planner.plans} plans of {SAMPLES} roll-outs, "
              f"{answered} frames answered")
        print(f"over the last second: shoulder {np.degrees(angle):.2f} deg (wanted 55), slide {1e3 * place:.1f} mm (wanted 120)")
        is_there = abs(angle - WANTED["shoulder_angle"]) < np.radians(5.0) and abs(place - WANTED["slide_position"]) < 0.04
        if not is_there and planner.plans < ENOUGH_PLANS_PER_S * frame.time_s:
            print("this host is too slow: plans came too late to hold the mechanism")
            return TOO_SLOW
        return 0 if is_there else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Keeps the crank of a four-bar at a speed: PID on a tachometer, voltage to a geared DC motor.

The bars' weight and their uneven inertia push and pull the crank in every turn; compare the spread of the speed with a
constant voltage to that under control.
"""
import sys

from here import PATIENT, RIGS

import kinloop
import numpy as np

WANTED_RAD_S = 6.0
VOLT_PER_SPEED = 2.4  # back EMF: torque constant times gear ratio
SECONDS = 4.0
LIMIT_V = 48.0


class Pid:
    """Derivative on the measurement, through a lag; the integral stops at the limits."""

    def __init__(self, p: float, i: float, d: float, lag_s: float) -> None:
        self.p, self.i, self.d, self.lag_s = p, i, d, lag_s
        self.integral = VOLT_PER_SPEED * WANTED_RAD_S
        self.smooth = None

    def __call__(self, wanted: float, measured: float, dt_s: float) -> float:
        before = measured if self.smooth is None else self.smooth
        self.smooth = before + (measured - before) * dt_s / (self.lag_s + dt_s)
        error = wanted - measured
        free = self.p * error + self.integral - self.d * (self.smooth - before) / dt_s
        voltage = min(LIMIT_V, max(-LIMIT_V, free))
        if voltage == free:
            self.integral += self.i * error * dt_s
        return voltage


def speeds_with(controller) -> np.ndarray:
    """Of the crank, over the second half of a run from the rig's start."""
    with kinloop.launch(RIGS / "four_bar.yaml", mode="lockstep", changes=PATIENT) as plant:
        plant.acquire(["motor"])
        steps = round(SECONDS / plant.dt_s)
        voltage, speeds = VOLT_PER_SPEED * WANTED_RAD_S, []
        for _ in range(steps):
            frame = plant.step({"motor": voltage})
            voltage = controller(frame["crank_speed"], plant.dt_s)
            speeds.append(frame["crank_speed"])
        return np.array(speeds[steps // 2:])


def main() -> int:
    pid = Pid(p=30.0, i=100.0, d=0.05, lag_s=0.005)
    constant = speeds_with(lambda speed, dt_s: VOLT_PER_SPEED * WANTED_RAD_S)
    controlled = speeds_with(lambda speed, dt_s: pid(WANTED_RAD_S, speed, dt_s))
    for name, speeds in (("constant voltage", constant), ("PID", controlled)):
        print(f"{name:>17}: {speeds.mean():.3f} rad/s on average, from {speeds.min():.3f} to {speeds.max():.3f}")
    is_better = np.ptp(controlled) < 0.5 * np.ptp(constant)
    return 0 if is_better and abs(controlled.mean() - WANTED_RAD_S) < 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())

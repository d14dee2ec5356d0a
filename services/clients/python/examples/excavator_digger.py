#!/usr/bin/env python3
"""Digs with the excavator, cycle after cycle: reach out, plunge, drag, curl, lift, swing, dump, swing back.

    excavator_digger.py [--minutes 1] [--mode lockstep]

Of the plant's time. In lockstep the operator looks at the cylinders twenty-five times a second and moves the levers. In
free mode the plant does not wait: as fast as both can, each frame that is seen is answered, and levers that were made
safe meanwhile are taken again.
Exit code 0 if every number was one, no step failed, and each cycle dug.
"""
import argparse
import math
import sys
import time

from here import PATIENT, RIGS

import kinloop
import numpy as np

STEPS_PER_LOOK = 40  # of 1 ms
CYLINDERS = ("boom", "arm", "bucket")
GAIN_PER_M = 8.0  # opening of a valve for what is missing of an extension
OVERLAP = 0.04  # of the valves, to be stepped over
SWING_NM, SWING_NM_S = 150e3, 250e3  # for what is missing of the angle, against the rate
SWING_LIMIT_NM = 65e3
# Seconds, extensions of boom, arm and bucket in m, swing in rad.
CYCLE = (
    ("reach", 4.0, (0.89, 0.34, 0.40), 0.0),
    ("plunge", 2.0, (0.73, 0.34, 0.40), 0.0),
    ("drag", 3.0, (0.86, 0.80, 0.57), 0.0),
    ("curl", 3.0, (0.86, 1.22, 0.91), 0.0),
    ("lift", 3.0, (1.13, 1.22, 1.02), 0.0),
    ("swing", 4.0, (1.13, 1.22, 1.02), 1.0),
    ("dump", 3.0, (1.13, 0.49, 0.23), 1.0),
)
CYCLE_S = sum(leg[1] for leg in CYCLE)
LEAST_FORCE_N = 20e3  # at the teeth, in every cycle


def levers(frame: kinloop.Frame, extensions: tuple, swing_rad: float) -> dict:
    commands = {}
    for name, wanted_m in zip(CYLINDERS, extensions):
        opening = GAIN_PER_M * (wanted_m - frame[f"{name}_extension"])
        commands[name] = float(np.clip(opening + math.copysign(OVERLAP, opening), -1.0, 1.0))
    torque = SWING_NM * (swing_rad - frame["swing_angle"]) - SWING_NM_S * frame["swing_rate"]
    commands["swing"] = float(np.clip(torque, -SWING_LIMIT_NM, SWING_LIMIT_NM))
    return commands


def check(plant: kinloop.Plant, frame: kinloop.Frame) -> None:
    if not all(math.isfinite(frame[name]) for name in plant.sensors):
        raise ValueError(f"a sensor shows no number at {frame.time_s:.3f} s")


def leg_at(time_s: float) -> tuple:
    for leg in CYCLE:
        time_s -= leg[1]
        if time_s < 0.0:
            return leg
    return CYCLE[-1]


def dig_freely(plant: kinloop.Plant, first: kinloop.Frame) -> tuple:
    """One cycle of a plant that goes on by itself: as dig()."""
    force_n, lowest_m, frame = 0.0, math.inf, first
    while frame.time_s < first.time_s + CYCLE_S:
        _, _, extensions, swing_rad = leg_at(frame.time_s - first.time_s)
        plant.send(levers(frame, extensions, swing_rad), rearm=plant.actuators if frame.is_stale else ())
        frame = plant.recv()
        check(plant, frame)
        force_n = max(force_n, frame["digging_force"])
        lowest_m = min(lowest_m, frame["teeth_z"])
    return frame, force_n, lowest_m


def dig(plant: kinloop.Plant, frame: kinloop.Frame) -> tuple:
    """One cycle: the last frame, the largest force at the teeth, and how deep they went."""
    force_n, lowest_m = 0.0, math.inf
    for _, seconds, extensions, swing_rad in CYCLE:
        for _ in range(round(seconds / (STEPS_PER_LOOK * plant.dt_s))):
            frame = plant.step(levers(frame, extensions, swing_rad))
            check(plant, frame)
            if frame.is_stale:
                raise ValueError(f"an actuator was made safe at {frame.time_s:.3f} s")
            plant.step_n(STEPS_PER_LOOK - 1)
            force_n = max(force_n, frame["digging_force"])
            lowest_m = min(lowest_m, frame["teeth_z"])
    return frame, force_n, lowest_m


def main() -> int:
    parser = argparse.ArgumentParser(description="digs with the excavator")
    parser.add_argument("--minutes", type=float, default=1.0, help="of the plant's time")
    parser.add_argument("--mode", choices=("lockstep", "free"), default="lockstep")
    given = parser.parse_args()
    cycles = max(1, round(given.minutes * 60.0 / CYCLE_S))
    is_free = given.mode == "free"
    # A step that fails ends the run, so that none can go unseen.
    with kinloop.launch(RIGS / "excavator.yaml", mode=given.mode, changes={**PATIENT, "fault": "stop"}) as plant:
        plant.acquire(time_s=60.0)  # a stall of the machine is no reason to stop
        begin = time.monotonic()
        frame, least_n, max_n, deepest_m = plant.recv() if is_free else plant.step(), math.inf, 0.0, 0.0
        for _ in range(cycles):
            frame, force_n, lowest_m = (dig_freely if is_free else dig)(plant, frame)
            least_n, max_n, deepest_m = min(least_n, force_n), max(max_n, force_n), max(deepest_m, -lowest_m)
        took_s = time.monotonic() - begin
        print(f"{cycles} cycles, {frame.step} steps, {frame.time_s:.0f} s of the plant's time in {took_s:.0f} s: "
              f"{least_n / 1e3:.1f} to {max_n / 1e3:.1f} kN at the teeth, {deepest_m:.2f} m deep, no step failed")
    return 0 if least_n > LEAST_FORCE_N else 1


if __name__ == "__main__":
    sys.exit(main())

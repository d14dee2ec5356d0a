#!/usr/bin/env python3
"""Digs with the excavator, cycle after cycle: reach out, plunge, drag, curl, lift, swing, dump, swing back.

    excavator_digger.py [--minutes 1] [--mode lockstep] [--rate "1 kHz"] [--integrator rk4]

Minutes of the plant's time; the rate is that of its steps, the integrator, "auto" too, goes before the rig's. In lockstep the operator looks at the cylinders twenty-five times a second and moves the levers. In
free mode the plant does not wait: as fast as both can, each frame that is seen is answered, and levers that were made
safe meanwhile are taken again.
Exit code 0 if every number was one, no step failed, each cycle dug, and the account of the plant's energy closes.
"""
import argparse
import math
import sys
import time

from here import PATIENT, RIGS

import kinloop
import numpy as np

LOOK_S = 0.04
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
MAX_REST = 1e-4  # of the energy exchanged: what the account of the plant cannot explain


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
        try:
            plant.send(levers(frame, extensions, swing_rad), rearm=plant.actuators if frame.is_stale else ())
        except kinloop.NoAnswerError:
            pass  # io stalls with the machine; what ages meanwhile is taken again with a later frame
        frame = plant.recv()
        check(plant, frame)
        force_n = max(force_n, frame["digging_force"])
        lowest_m = min(lowest_m, frame["teeth_z"])
    return frame, force_n, lowest_m


def dig(plant: kinloop.Plant, frame: kinloop.Frame) -> tuple:
    """One cycle: the last frame, the largest force at the teeth, and how deep they went."""
    force_n, lowest_m = 0.0, math.inf
    steps_per_look = round(LOOK_S / plant.dt_s)
    for _, seconds, extensions, swing_rad in CYCLE:
        for _ in range(round(seconds / (steps_per_look * plant.dt_s))):
            frame = plant.step(levers(frame, extensions, swing_rad))
            check(plant, frame)
            if frame.is_stale:
                raise ValueError(f"an actuator was made safe at {frame.time_s:.3f} s")
            plant.step_n(steps_per_look - 1)
            force_n = max(force_n, frame["digging_force"])
            lowest_m = min(lowest_m, frame["teeth_z"])
    return frame, force_n, lowest_m


def main() -> int:
    parser = argparse.ArgumentParser(description="digs with the excavator")
    parser.add_argument("--minutes", type=float, default=1.0, help="of the plant's time")
    parser.add_argument("--mode", choices=("lockstep", "free"), default="lockstep")
    parser.add_argument("--rate", default="1 kHz", help="of the plant's steps")
    parser.add_argument("--integrator", help="auto or a name; the rig's own unless given")
    given = parser.parse_args()
    cycles = max(1, round(given.minutes * 60.0 / CYCLE_S))
    is_free = given.mode == "free"
    # A step that fails ends the run, so that none can go unseen.
    changes = {**PATIENT, "fault": "stop", "rate": given.rate, "energy_account": "true"}
    if given.integrator:
        changes["solver"] = f"{{integrator: {given.integrator}}}"
    with kinloop.launch(RIGS / "excavator.yaml", mode=given.mode, changes=changes) as plant:
        plant.acquire(time_s=60.0)  # a stall of the machine is no reason to stop
        begin = time.monotonic()
        frame, least_n, max_n, deepest_m = plant.recv() if is_free else plant.step(), math.inf, 0.0, 0.0
        for _ in range(cycles):
            frame, force_n, lowest_m = (dig_freely if is_free else dig)(plant, frame)
            least_n, max_n, deepest_m = min(least_n, force_n), max(max_n, force_n), max(deepest_m, -lowest_m)
        took_s = time.monotonic() - begin
        print(f"{cycles} cycles, {frame.step} steps, {frame.time_s:.0f} s of the plant's time in {took_s:.0f} s: "
              f"{least_n / 1e3:.1f} to {max_n / 1e3:.1f} kN at the teeth, {deepest_m:.2f} m deep, no step failed")
        status = plant.status()
        energy = status.energy
        print(f"{status.failed_steps} failed steps, {status.fallbacks} fallbacks; energy: {energy.work_of_actuators:.4g} J "
              f"of work, rest {energy.rest:.3g} J of {energy.exchanged:.4g} J")
        closes = status.failed_steps == 0 and abs(energy.rest) <= MAX_REST * energy.exchanged
    return 0 if least_n > LEAST_FORCE_N and closes else 1


if __name__ == "__main__":
    sys.exit(main())

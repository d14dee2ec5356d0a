#!/usr/bin/env python3
"""An operator at a loader crane: slews, luffs the inner boom, runs an extension out, and looks how the load sways.

The same slew is driven twice, once with a jerk and once with ramps as long as the load's swing: the second leaves less
than half of the sway. The operator looks and acts fifty times a second; the plant makes twenty steps each time.
"""
import collections
import sys

from here import PATIENT, RIGS

import kinloop
import numpy as np

STEPS_PER_LOOK = 20  # of 1 ms
SWING_S = 3.64  # of the load on its rope
SLING_M = 0.8  # below the rope, to the load's centre
SLEW_RAD_S = 0.15
SLEW_S = 5.0
INERTIA_KGM2 = 20e3  # of the crane about its column, roughly: what a ramp takes
GAIN_NM_S = 40e3  # for what is missing of the speed
SETTLE_S = 4.0
CHANGES = {
    **PATIENT,
    # As in the rig, but that the load hangs still at the start.
    "parameters": "{inner_lock: 0 N/m, outer_lock: 0 N/m, extension_lock: 0 N/m, slew_lock: 0 N*m/rad, "
                  "winch_lock: 0 N*m/rad, load_angle: 0 deg}",
}


class Operator:
    """Holds the levers, and writes down how far the load sways."""

    def __init__(self, plant: kinloop.Plant) -> None:
        self.plant = plant
        self.look_s = STEPS_PER_LOOK * plant.dt_s
        self.frame = plant.step()
        self.wanted_rad_s = 0.0
        self.angles = collections.deque([self.frame["slew_angle"]], maxlen=11)
        self.sways = []  # across the boom, along it

    def act(self, slew_rad_s: float = 0.0, inner_boom: float = 0.0, extension1: float = 0.0) -> None:
        # The encoder is coarse: a speed is what it shows over a fifth of a second.
        speed_rad_s = (self.angles[-1] - self.angles[0]) / (self.look_s * max(1, len(self.angles) - 1))
        ramp_rad_s2 = (slew_rad_s - self.wanted_rad_s) / self.look_s
        self.wanted_rad_s = slew_rad_s
        torque = INERTIA_KGM2 * ramp_rad_s2 + GAIN_NM_S * (slew_rad_s - speed_rad_s)
        levers = {"slew": float(np.clip(torque, -20e3, 20e3)), "inner_boom": inner_boom, "extension1": extension1}
        self.frame = self.plant.step(levers)
        self.plant.step_n(STEPS_PER_LOOK - 1)
        self.angles.append(self.frame["slew_angle"])
        self.sways.append(self.sway())

    def sway(self) -> tuple[float, float]:
        """Of the rope against the vertical, rad: across the boom, along it."""
        frame, slew = self.frame, self.frame["slew_angle"]
        east, north = frame["load_x"] - frame["tip_x"], frame["load_y"] - frame["tip_y"]
        across = north * np.cos(slew) - east * np.sin(slew)
        along = east * np.cos(slew) + north * np.sin(slew)
        length = frame["rope_length"] + SLING_M
        return abs(np.arctan2(across, length)), abs(np.arctan2(along, length))

    def do(self, seconds: float, **levers: float) -> np.ndarray:
        """The largest sways meanwhile, deg: across the boom, along it."""
        first = len(self.sways)
        for _ in range(round(seconds / self.look_s)):
            self.act(**levers)
        return np.degrees(np.max(self.sways[first:], axis=0))

    def slew(self, ramp_s: float) -> float:
        """At full speed for SLEW_S less one ramp; gives the sway across the boom after it, deg."""
        for i in range(round((SLEW_S + ramp_s) / self.look_s)):
            t = i * self.look_s
            share = min(1.0, t / ramp_s, (SLEW_S + ramp_s - t) / ramp_s)
            self.act(slew_rad_s=SLEW_RAD_S * share)
        return float(self.do(SETTLE_S)[0])


def sway_after_slew(ramp_s: float) -> float:
    with kinloop.launch(RIGS / "crane.yaml", mode="lockstep", changes=CHANGES) as plant:
        plant.acquire()
        operator = Operator(plant)
        sway_deg = operator.slew(ramp_s)
        print(f"slewed to {np.degrees(operator.frame['slew_angle']):.1f} deg with ramps of {ramp_s:g} s: "
              f"the load sways by {sway_deg:.2f} deg afterwards")
        if ramp_s > 1.0:
            show_booms(operator)
        return sway_deg


def show_booms(operator: Operator) -> None:
    for what, seconds, levers in (("luffs up", 2.0, {"inner_boom": 0.5}), ("runs out", 2.0, {"extension1": 0.5})):
        start = operator.frame
        _, sway_deg = operator.do(seconds, **levers)
        operator.do(1.0)
        print(f"{what}: load {operator.frame['load_z'] - start['load_z']:+.2f} m in height, "
              f"inner cylinder {operator.frame['inner_extension'] - start['inner_extension']:+.3f} m, "
              f"extension {operator.frame['extension1'] - start['extension1']:+.3f} m, "
              f"sway along the boom {sway_deg:.2f} deg at most")


def main() -> int:
    jerked, smooth = sway_after_slew(0.1), sway_after_slew(SWING_S)
    return 0 if smooth < 0.5 * jerked else 1


if __name__ == "__main__":
    sys.exit(main())

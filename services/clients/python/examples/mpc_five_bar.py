#!/usr/bin/env python3
"""Moves a closed loop by model predictive control: roof and slide of the telescoping five-bar, in lockstep.

Five joints, two degrees of freedom: which coordinates are independent is the plant's affair, and linearize() names them. The
controller thinks in outputs (shoulder angle, slide position), linearises the plant again every 20 ms, and solves for
the two commands over the horizon by least squares with bounds.
"""
import sys

from here import PATIENT, RIGS

import kinloop
import numpy as np

WANTED = {"shoulder_angle": np.radians(60.0), "slide_position": 0.15}
HOLD = 10  # steps of the plant for each command
HORIZON = 25
SECONDS = 2.0


def prediction(model, horizon):
    """Outputs over the horizon: offset + gain @ commands, each command held for HOLD steps."""
    shown = [model.outputs.index(name) for name in (*WANTED, "shoulder_speed", "slide_speed")]
    power, total, drift = np.eye(len(model.A)), np.zeros_like(model.B), np.zeros(len(model.A))
    change = model.x_next - model.x  # by itself, under the commands in force
    for _ in range(HOLD):
        power, total, drift = model.A @ power, model.A @ total + model.B, model.A @ drift + change
    C = model.C[shown]
    nu = model.B.shape[1]
    state, forced = np.zeros(len(model.A)), np.zeros((len(model.A), horizon * nu))
    offsets, gains = [], []
    for k in range(horizon):
        state, forced = power @ state + drift, power @ forced
        forced[:, k * nu:(k + 1) * nu] += total
        offsets.append(model.y[shown] + C @ (state - change))
        gains.append(C @ forced)
    return np.concatenate(offsets), np.vstack(gains)


def bounded_least_squares(G, r, lower, upper):
    """min |G u - r| within bounds: what leaves them is put on them, the rest solved again."""
    u, is_free = np.zeros(len(lower)), np.ones(len(lower), dtype=bool)
    for _ in range(10):
        u[is_free] = np.linalg.lstsq(G[:, is_free], r - G[:, ~is_free] @ u[~is_free], rcond=None)[0]
        outside = is_free & ((u < lower) | (u > upper))
        if not outside.any():
            break
        u = np.clip(u, lower, upper)
        is_free &= ~outside
    return u


def main() -> int:
    with kinloop.launch(RIGS / "five_bar.yaml", changes=PATIENT) as plant:
        lower = np.tile([one.lower for one in plant.description.actuators], HORIZON)
        upper = np.tile([one.upper for one in plant.description.actuators], HORIZON)
        wanted = np.tile([*WANTED.values(), 0.0, 0.0], HORIZON)
        weights = np.tile([10.0, 10.0, 0.5, 0.5], HORIZON)  # of angle and place, of their speeds
        effort = np.diag(np.tile([0.01, 0.005], HORIZON))  # of changes of the commands in force

        plant.acquire()
        frame, names = None, set()
        for _ in range(round(SECONDS / plant.dt_s / HOLD)):
            model = plant.linearize()
            names.add(tuple(name for name in model.states if name.startswith("q.")))
            offset, gain = prediction(model, HORIZON)
            in_force = np.tile(model.u, HORIZON)
            G = np.vstack([weights[:, None] * gain, effort])
            r = np.concatenate([weights * (wanted - offset), np.zeros(len(lower))])
            change = bounded_least_squares(G, r, lower - in_force, upper - in_force)
            for _ in range(HOLD):
                frame = plant.step(np.clip(model.u + change[:2], lower[:2], upper[:2]))

        print(f"independent coordinates: {' or '.join(', '.join(one) for one in sorted(names))}")
        errors = {name: frame[name] - value for name, value in WANTED.items()}
        print(f"after {frame.time_s:g} s: shoulder {np.degrees(frame['shoulder_angle']):.2f} deg (wanted 60), "
              f"slide {1e3 * frame['slide_position']:.1f} mm (wanted 150)")
        return 0 if abs(errors["shoulder_angle"]) < np.radians(1.0) and abs(errors["slide_position"]) < 0.01 else 1


if __name__ == "__main__":
    sys.exit(main())

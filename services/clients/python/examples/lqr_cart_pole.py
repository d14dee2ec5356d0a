#!/usr/bin/env python3
"""Balances the cart-pole by an LQR that is designed from the plant's own linearisation, in lockstep.

The rig shows only a cart position and a pole angle, both coarse and late, behind an actuator with delay and lag. All of
these are states of the linearisation, so a Kalman filter estimates them and the LQR feeds them back.
"""
import sys

from here import PATIENT, RIGS

import kinloop
import numpy as np

SECONDS = 5.0


def riccati(A, B, Q, R):
    """The gain K of u = -K x that minimises the sum of x'Qx + u'Ru. Doubling: quadratic convergence."""
    a, g, P = A, B @ np.linalg.solve(R, B.T), Q
    for _ in range(40):
        w = np.linalg.inv(np.eye(len(a)) + g @ P)
        a, g, P = a @ w @ a, g + a @ w @ g @ a.T, P + a.T @ P @ w @ a
    return np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)


def main() -> int:
    with kinloop.launch(RIGS / "cart_pole.yaml", mode="lockstep", changes=PATIENT) as plant:
        # Around the upright pole, with the cart moving a little: at rest dry friction would look like thick oil.
        upright = kinloop.MotionState(q=[0.0, 0.0], v=[0.1, 0.0])
        model = plant.linearize(upright, commands=[0.0])
        weights = {"q.rail": 20.0, "q.hinge": 100.0, "u.rail": 1.0, "u.hinge": 1.0}
        K = riccati(model.A, model.B, np.diag([weights.get(name, 1e-6) for name in model.states]), np.eye(1) * 0.01)

        shown = [model.outputs.index(name) for name in ("cart_position", "pole_angle")]
        C = model.C[shown]
        disturbance = np.diag([1e-4 if name.startswith("u.") else 1e-9 for name in model.states])
        L = riccati(model.A.T, C.T, disturbance, np.diag([1e-8, 1e-6])).T  # the filter is the LQR's mirror image

        plant.acquire()
        estimate = np.zeros(len(model.states))  # of the state that the next frame shows
        command, frame, largest = 0.0, None, 0.0
        for _ in range(round(SECONDS / plant.dt_s)):
            frame = plant.step([command])
            if frame.step == 1:
                estimate[model.states.index("q.hinge")] = frame["pole_angle"]  # it starts at rest
            surprise = np.array([frame["cart_position"], frame["pole_angle"]]) - C @ estimate
            command = float(np.clip(-K @ estimate, -30.0, 30.0)[0])
            estimate = model.A @ estimate + model.B @ [command] + L @ surprise
            largest = max(largest, abs(frame["pole_angle"]))

        angle_deg, position_m = np.degrees(frame["pole_angle"]), frame["cart_position"]
        print(f"states: {', '.join(model.states)}")
        print(f"the pole fell to {np.degrees(largest):.2f} deg at most; after {frame.time_s:g} s it is at "
              f"{angle_deg:.3f} deg, the cart at {1e3 * position_m:.1f} mm")
        return 0 if abs(angle_deg) < 0.5 and abs(position_m) < 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())

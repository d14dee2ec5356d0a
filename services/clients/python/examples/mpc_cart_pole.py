#!/usr/bin/env python3
"""Drives the cart of the cart-pole to another place by model predictive control, with a bounded force, in lockstep.

Every 20 ms the best forces over the next 0.8 s are found: the plant's linearisation turns them into a quadratic
programme with bounds (condensed: states are gone), solved by an accelerated projected gradient.
"""
import sys

from here import PATIENT, RIGS

import kinloop
import numpy as np

TARGET_M = 0.6
MOST_FORCE_N = 2.5  # far less than the drive could: the bound is what an MPC is for
HOLD = 20  # steps of the plant for each command
HORIZON = 40
SECONDS = 4.0


def held(A, B, steps):
    """One step of `steps` steps, the command held over them."""
    power, total = np.eye(len(A)), np.zeros_like(B)
    for _ in range(steps):
        power, total = A @ power, A @ total + B
    return power, total


def riccati_cost(A, B, Q, R):
    """What the infinite future costs after the horizon."""
    P = Q
    for _ in range(2000):
        P = Q + A.T @ P @ (A - B @ np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A))
    return P


def condensed(A, B, Q, R, P, horizon):
    """Cost u'Hu/2 + (F x)'u of the inputs alone."""
    nx, nu = B.shape
    powers = [np.eye(nx)]
    for _ in range(horizon):
        powers.append(A @ powers[-1])
    free = np.vstack(powers[1:])
    forced = np.zeros((horizon * nx, horizon * nu))
    for row in range(horizon):
        for column in range(row + 1):
            forced[row * nx:(row + 1) * nx, column * nu:(column + 1) * nu] = powers[row - column] @ B
    weights = np.kron(np.eye(horizon), Q)
    weights[-nx:, -nx:] = P
    return forced.T @ weights @ forced + np.kron(np.eye(horizon), R), forced.T @ weights @ free


def solve_box(H, g, bound, u, step):
    """min u'Hu/2 + g'u within the bound, from the last solution."""
    ahead, momentum = u, 1.0
    for _ in range(60):
        new = np.clip(ahead - step * (H @ ahead + g), -bound, bound)
        next_momentum = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = new + (momentum - 1.0) / next_momentum * (new - u)
        u, momentum = new, next_momentum
    return u


def main() -> int:
    with kinloop.launch(RIGS / "cart_pole.yaml", mode="lockstep", changes=PATIENT) as plant:
        model = plant.linearize(kinloop.MotionState(q=[0.0, 0.0], v=[0.1, 0.0]), commands=[0.0])
        A, B = held(model.A, model.B, HOLD)
        weights = {"q.rail": 20.0, "q.hinge": 10.0, "u.rail": 1.0, "u.hinge": 1.0}
        Q = np.diag([weights.get(name, 1e-6) for name in model.states])
        R = np.eye(1) * 0.01
        H, F = condensed(A, B, Q, R, riccati_cost(A, B, Q, R), HORIZON)
        step = 1.0 / np.linalg.norm(H, 2)

        plant.acquire()
        target = np.array([TARGET_M if name == "q.rail" else 0.0 for name in model.states])
        forces, largest_N, at_bound, largest_angle, frame = np.zeros(HORIZON), 0.0, 0, 0.0, None
        for _ in range(round(SECONDS / plant.dt_s / HOLD)):
            x = plant.linearize().x  # the true state, by name; with sensors alone a filter goes here (lqr_cart_pole.py)
            forces = solve_box(H, F @ (x - target), MOST_FORCE_N, np.append(forces[1:], 0.0), step)
            for _ in range(HOLD):
                frame = plant.step([forces[0]])
            largest_N = max(largest_N, abs(forces[0]))
            at_bound += abs(forces[0]) > MOST_FORCE_N - 1e-6
            largest_angle = max(largest_angle, abs(frame["pole_angle"]))

        position_m, angle_deg = frame["cart_position"], np.degrees(frame["pole_angle"])
        print(f"after {frame.time_s:g} s the cart is at {position_m:.3f} m (wanted {TARGET_M:g}), "
              f"the pole at {angle_deg:.2f} deg")
        print(f"force: {largest_N:.2f} N at most, {at_bound} commands at the bound; "
              f"pole: {np.degrees(largest_angle):.1f} deg at most")
        return 0 if abs(position_m - TARGET_M) < 0.03 and abs(angle_deg) < 1.0 and largest_N <= MOST_FORCE_N else 1


if __name__ == "__main__":
    sys.exit(main())

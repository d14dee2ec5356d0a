#!/usr/bin/env python3
"""Swings the pole of the cart up by iterative LQR on exact derivatives, delay, lag and friction of the rig included.

The pole hangs; 3 s later it is to stand, the cart back in the middle, with at most 30 N.
"""
import sys

from here import RIGS

import ilqr
import kinloop
import numpy as np

HOLD, COMMANDS = 20, 150  # 20 ms each
FINAL = {"q.rail": 200.0, "q.hinge": 2000.0, "u.rail": 20.0, "u.hinge": 200.0}
EFFORT = 2e-4


def main() -> int:
    simulation = kinloop.Simulation.load(RIGS / "cart_pole.yaml")
    simulation.set_state([0.0, np.pi], [0.0, 0.0])
    states = simulation.linearize().states
    final = np.array([FINAL.get(name, 0.0) for name in states])
    wanted = np.zeros(len(states))

    def cost(x, _, u):
        return 0.5 * EFFORT * (u**2).sum() + 0.5 * (final * (x[-1] - wanted) ** 2).sum()

    def derivatives(way, u):
        n, (t, m) = len(states), u.shape
        return (np.zeros((t, n)), np.zeros((t, n, n)), EFFORT * u, np.tile(EFFORT * np.eye(m), (t, 1, 1)), np.diag(final),
                final * (way.x[-1] - wanted))

    times = np.arange(COMMANDS) * HOLD * simulation.plant.dt_s
    first = 8.0 * np.sin(2 * np.pi * times / 1.2)[:, None]  # a swing to begin with
    start = simulation.snapshot()
    course, _ = ilqr.solve(simulation, first, cost, derivatives, HOLD, iterations=120)

    simulation.restore(start)
    for row in course:
        simulation.step(row, steps=HOLD)
    angle, place = simulation.q[1], simulation.q[0]
    print(f"after {simulation.time_s:g} s: pole {np.degrees(angle):.2f} deg from upright, cart {1e3 * place:.0f} mm from the "
          f"middle, at most {np.abs(course).max():.1f} N")
    return 0 if abs(angle) < np.radians(3.0) and abs(place) < 0.1 else 1


if __name__ == "__main__":
    sys.exit(main())

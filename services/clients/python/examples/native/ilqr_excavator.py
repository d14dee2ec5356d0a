#!/usr/bin/env python3
"""Drags the excavator's teeth along a path through soil: iterative LQR on exact derivatives of the whole machine.

Levers move spools through rate limits and lags, spools let oil into cylinders, cylinders push bars of closed loops, teeth
dig: all of it is in the matrices. An operator's guess brings the bucket to the ground; from there the teeth are to follow a
straight line into the soil for a second.
"""
import argparse
import sys

from here import RIGS

import ilqr
import kinloop
import numpy as np

HOLD, COMMANDS = 25, 40  # 25 ms each
END = np.array([5.25, -0.20])  # of the path, m
PATH, EFFORT = 1e3, 2.0


def teeth(simulation):
    return simulation.model.pose(simulation.q, "teeth")[[0, 2], 3]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=8)
    arguments = parser.parse_args()
    simulation = kinloop.Simulation.load(RIGS / "excavator.yaml")
    simulation.step([-0.35, 0.0, 0.2, 0.0], steps=800)  # down, to just above the ground
    begin, start = teeth(simulation), simulation.snapshot()
    share = (np.arange(COMMANDS) + 1) / COMMANDS
    path = begin + (END - begin) * share[:, None]
    rows = [simulation.plant.sensors.index(name) for name in ("teeth_x", "teeth_z")]
    guess = np.tile([-0.35, 0.3, 0.2, 0.0], (COMMANDS, 1))
    effort = EFFORT * np.diag([1.0, 1.0, 1.0, 1e-8])  # the swing is a torque, Nm

    def cost(_, y, u):
        change = u - guess
        return 0.5 * PATH * ((y - path) ** 2).sum() + 0.5 * np.einsum("ti,ij,tj", change, effort, change)

    def derivatives(way, u):
        t, n = len(u), len(way.states)
        C, missed = way.C[:, rows], way.y[:, rows] - path
        slope = PATH * np.einsum("toi,to->ti", C, missed)  # by the state after each command
        curve = PATH * np.einsum("toi,toj->tij", C, C)
        lx, lxx = np.zeros((t, n)), np.zeros((t, n, n))
        lx[1:], lxx[1:] = slope[:-1], curve[:-1]
        return lx, lxx, (u - guess) @ effort, np.tile(effort, (t, 1, 1)), curve[-1], slope[-1]

    def follow(course):
        """How far the teeth are from the path, and what they meet."""
        simulation.restore(start)
        off, force = [], 0.0
        for row, wanted in zip(course, path):
            simulation.step(row, steps=HOLD)
            off.append(np.linalg.norm(teeth(simulation) - wanted))
            force = max(force, simulation.reading("digging_force"))
        simulation.restore(start)
        return max(off), force

    before, _ = follow(guess)
    course, _ = ilqr.solve(simulation, guess, cost, derivatives, HOLD, teeth, arguments.iterations, tolerance=1e-3)
    after, force = follow(course)
    print(f"the teeth stray from the path by up to {1e3 * before:.0f} mm under the guess, {1e3 * after:.0f} mm after, "
          f"against up to {force / 1e3:.0f} kN of soil")
    return 0 if after < 0.5 * before and force > 5e3 else 1


if __name__ == "__main__":
    sys.exit(main())

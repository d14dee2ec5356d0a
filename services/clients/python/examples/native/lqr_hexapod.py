#!/usr/bin/env python3
"""Holds the hexapod about a trimmed pose by an LQR, in the process.

Six legs carry the cabin by their forces; without a controller it falls over. trim() finds the forces of a pose, linearize()
one step around it, with the lags and rate limits of the drives; the Riccati equation gives the gain. The cabin is then put
elsewhere and pushed.
"""
import sys

from here import RIGS

import kinloop
import numpy as np

RAISED = 0.05  # m, of the pose that is held above the one in the rig file
SECONDS = 3.0


def riccati(A, B, Q, R):
    """Gain K of u = -K x; doubling, quadratic convergence."""
    a, g, P = A, B @ np.linalg.solve(R, B.T), Q
    for _ in range(40):
        w = np.linalg.inv(np.eye(len(a)) + g @ P)
        a, g, P = a @ w @ a, g + a @ w @ g @ a.T, P + a.T @ P @ w @ a
    return np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)


def held_pose(simulation):
    """The cabin raised, on legs that are a little longer, with the forces that hold it there."""
    model, names = simulation.model, simulation.plant.actuators
    legs = [model.speeds.index(name) for name in names]
    height = model.jacobian(simulation.q, "platform")[5]
    C = model.constraint_jacobian(simulation.q)
    null = np.linalg.svd(C)[2][np.linalg.matrix_rank(C, tol=1e-9):]  # motions that the loops leave
    level = np.vstack([model.jacobian(simulation.q, "platform")[:5] @ null.T, height @ null.T])
    motion = null.T @ np.linalg.lstsq(level, [0, 0, 0, 0, 0, RAISED], rcond=None)[0]
    q, _ = model.close(model.integrate(simulation.q, motion))
    simulation.set_state(q)
    found = simulation.trim(hold=True)
    assert found.is_reached, found.missing
    lengths = [found.q[model.coordinates.index(model.speeds[i])] for i in legs]
    print(f"trimmed after {found.iterations} iterations: legs {np.round(lengths, 3)} m, "
          f"forces {np.round(found.commands / 1e3, 3)} kN")
    return found


def main() -> int:
    simulation = kinloop.Simulation.load(RIGS / "stewart.yaml")
    found = held_pose(simulation)
    simulation.restore(found.snapshot)
    step, chart = simulation.linearize(), simulation.chart()
    x0 = chart.read()
    weights = [1e6 if name.startswith(("q.", "turn.")) else 1e3 if name.startswith("u.") else 1e-9 for name in step.states]
    K = riccati(step.A, step.B, np.diag(weights), 1e-4 * np.eye(len(step.inputs)))
    fastest = np.abs(np.linalg.eigvals(step.A)).max(), np.abs(np.linalg.eigvals(step.A - step.B @ K)).max()

    start = simulation.snapshot()
    reached = {}
    for name, gain in (("with the forces of the trim alone", 0.0), ("with the LQR", 1.0)):
        simulation.restore(start)
        dofs = sum(state.startswith(("q.", "turn.")) for state in step.states)
        away = np.zeros_like(x0)
        away[:dofs] = 0.01 * np.array([1, -1, 0.5, -0.5, 1, -1])[:dofs]
        chart.place(x0 + away)
        simulation.apply_force("platform", [2e3, -1e3, 500.0], steps=100)
        for _ in range(round(SECONDS / simulation.plant.dt_s)):
            try:
                simulation.step(found.commands - gain * K @ (chart.read() - x0))
            except kinloop.StepError as error:
                print(f"  {error} at {simulation.time_s:.2f} s")
                break
        reached[name] = np.abs(chart.read()[:dofs] - x0[:dofs]).max()
        print(f"{name}: {reached[name]:.2g} rad or m from the pose after {simulation.time_s:.2f} s")
    print(f"largest eigenvalue {fastest[0]:.6f}, in closed loop {fastest[1]:.6f}")
    return 0 if reached["with the LQR"] < 1e-4 and fastest[1] < 1.0 else 1


if __name__ == "__main__":
    sys.exit(main())

"""Owns the iterative linear-quadratic regulator of these examples: least cost over a course of commands.

Exact derivatives of the plant's own steps come from Simulation.linearize_trajectory(); each iteration is one backward
sweep for gains and one forward sweep of the plant itself, as in Tassa, Erez and Todorov (2012), with commands cut off at
their limits.
"""
import numpy as np


def improve(way, u, gradients, lower, upper, damping):
    """Gains of one backward sweep: du = k + K dx. None where the damping is too small."""
    lx, lxx, lu, luu, final, final_slope = gradients
    V, v = final, final_slope
    k, K = np.zeros_like(u), np.zeros((len(u), u.shape[1], way.A.shape[1]))
    for t in range(len(u) - 1, -1, -1):
        A, B = way.A[t], way.B[t]
        qx, qu = lx[t] + A.T @ v, lu[t] + B.T @ v
        qxx, quu, qux = lxx[t] + A.T @ V @ A, luu[t] + B.T @ V @ B, B.T @ V @ A
        quu = quu + damping * np.diag(np.maximum(np.diag(luu[t]), 1e-12))
        try:
            np.linalg.cholesky(quu)
        except np.linalg.LinAlgError:
            return None
        step = -np.linalg.solve(quu, qu)
        free = ((u[t] > lower) | (step > 0)) & ((u[t] < upper) | (step < 0))  # commands on a limit stay there
        k[t] = np.where(free, step, 0.0)
        K[t] = np.where(free[:, None], -np.linalg.solve(quu, qux), 0.0)
        v = qx + K[t].T @ quu @ k[t] + K[t].T @ qu + qux.T @ k[t]
        V = qxx + K[t].T @ quu @ K[t] + K[t].T @ qux + qux.T @ K[t]
        V = 0.5 * (V + V.T)
    return k, K


def solve(simulation, u, cost, derivatives, hold, observe=lambda simulation: (), iterations=60, tolerance=1e-4, say=print):
    """The best course found, and its cost. cost(x, y, u) is of the whole course: x is [command + 1, state], y what
    observe() sees after each command. derivatives(way, u) -> (lx, lxx, lu, luu, final, final_slope) with the Trajectory of the
    course. `hold` steps for each command."""
    lower, upper = simulation.plant.lower, simulation.plant.upper
    start = simulation.snapshot()

    def roll(gains, share, way):
        """The plant itself, under the corrected course."""
        simulation.restore(start)
        chart = simulation.chart([name[2:] for name in way.states if name.startswith("u.")])
        xs, ys, us = [chart.read()], [], []
        for t in range(len(u)):
            us.append(np.clip(u[t] + share * gains[0][t] + gains[1][t] @ (xs[-1] - way.x[t]), lower, upper))
            simulation.step(us[-1], steps=hold)
            xs.append(chart.read())
            ys.append(observe(simulation))
        return np.array(xs), np.array(ys), np.array(us)

    way = simulation.linearize_trajectory(u, steps_per_command=hold)
    still = np.zeros_like(u), np.zeros((len(u), u.shape[1], len(way.states)))
    best, damping = cost(*roll(still, 0.0, way)), 1.0
    simulation.restore(start)
    say(f"  start: cost {best:.4g}")
    for i in range(iterations):
        gains = improve(way, u, derivatives(way, u), lower, upper, damping)
        better = None
        if gains is not None:
            for share in 0.5 ** np.arange(8):
                try:
                    xs, ys, us = roll(gains, share, way)
                except ArithmeticError:  # kinloop.StepError: the plant could not follow
                    continue
                if cost(xs, ys, us) < best:
                    better = us, cost(xs, ys, us)
                    break
        simulation.restore(start)
        if better is None:
            damping *= 10.0
            if damping > 1e8:
                break
            continue
        gain = (best - better[1]) / max(abs(best), 1e-300)
        u, best = better
        damping = max(damping * 0.2, 1e-9)
        way = simulation.linearize_trajectory(u, steps_per_command=hold)
        if i % 10 == 9:
            say(f"  iteration {i + 1}: cost {best:.4g}")
        if gain < tolerance:
            break
    say(f"  end after {i + 1} iterations: cost {best:.4g}")
    return u, best

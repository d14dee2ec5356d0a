"""Kinloop in this process: models, plants and simulations without a socket, on numpy arrays.

    import kinloop

    model = kinloop.Model.load("configs/models/four_bar.yaml")
    simulation = kinloop.Simulation.load("configs/rigs/four_bar.yaml")
    simulation.step([12.0], steps=1000)
    print(simulation.time_s, simulation.readings)

Needs the compiled module _kinloop, which the build makes (docs/python.md), and numpy. Steps are bit by bit those
of the service.
"""
try:
    import _kinloop  # noqa: F401
except ImportError as error:
    if error.name not in ("_kinloop", None):
        raise
    raise ImportError(
        "the compiled module _kinloop is not found: './dev build' makes it where python3-dev and pybind11-dev are, for "
        f"/usr/bin/python3, in build/python; './dev python SCRIPT' finds it ({error})",
        name="_kinloop",
    ) from error

from kinloop.native.environment import Environment
from kinloop.native.model import Energy, Model, Reaction
from kinloop.native.plant import Plant
from kinloop.native.results import Linearization, QuadraticCost, Rollout, Snapshot, Trajectory, Trim
from kinloop.native.simulation import Chart, Simulation
from kinloop.native.spaces import Box
from kinloop.native.vector_environment import VectorEnvironment

__all__ = [
    "Box",
    "Chart",
    "Energy",
    "Environment",
    "Linearization",
    "Model",
    "Plant",
    "QuadraticCost",
    "Reaction",
    "Rollout",
    "Simulation",
    "Snapshot",
    "Trajectory",
    "Trim",
    "VectorEnvironment",
]

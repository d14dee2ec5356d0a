"""Owns the models and plants that these tests share."""
import os
import pathlib
import shutil
import tempfile

import pytest

import kinloop
from kinloop import native

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "configs" / "models"
RIGS = ROOT / "configs" / "rigs"
RIG_NAMES = sorted(path.stem for path in RIGS.glob("*.yaml"))
MODEL_NAMES = sorted(path.stem for path in MODELS.glob("*.yaml"))

PENDULUM = {
    "kinloop": 1,
    "name": "swing",
    "parameters": {"length": "80 cm", "rod_mass": 2.0},
    "bodies": [
        {
            "name": "rod",
            "mass": "rod_mass",
            "com": [0, 0, "-length / 2"],
            "inertia": ["rod_mass * length^2 / 12", "rod_mass * length^2 / 12", 4e-4],
        }
    ],
    "joints": [
        {"name": "pivot", "type": "revolute", "predecessor": "ground", "successor": "rod", "axis": [0, 1, 0], "q": "60 deg"}
    ],
}


@pytest.fixture(scope="session")
def plants():
    """plants("four_bar"): loaded once."""
    loaded = {}

    def plant(name):
        if name not in loaded:
            loaded[name] = native.Plant.load(RIGS / f"{name}.yaml")
        return loaded[name]

    return plant


@pytest.fixture
def four_bar(plants):
    return kinloop.Simulation(plants("four_bar"))


@pytest.fixture
def cart_pole(plants):
    return kinloop.Simulation(plants("cart_pole"))


@pytest.fixture(scope="session", autouse=True)
def runtime_folder():
    """Of the plants that these tests run, with a path short enough for sockets."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kl-", dir="/tmp"))
    os.environ["KINLOOP_RUNTIME_DIR"] = str(folder)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)

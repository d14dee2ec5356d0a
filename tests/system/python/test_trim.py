"""A trimmed rig from the command line: as a rig that begins there, and as a snapshot for a plant that runs."""
import os
import subprocess

import kinloop
import numpy as np
import pytest
from kinloop.launcher import changed_rig

from conftest import PATIENT


def trim(*arguments):
    return subprocess.run([os.environ["KINLOOP"], "trim", *map(str, arguments)], capture_output=True, text=True)


def speeds_of(plant):
    now = plant.linearize()
    return np.array([now.x[i] for i, name in enumerate(now.states) if name.startswith("u.")])


@pytest.fixture(scope="module")
def trimmed(rigs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trim")
    (folder / "stewart.yaml").write_text(changed_rig(rigs / "stewart.yaml", PATIENT), encoding="utf-8")
    done = trim(folder / "stewart.yaml", "--hold", "--rig", folder / "held.yaml", "--snapshot", folder / "held.snapshot")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_rig_that_was_written_begins_there_and_stands_still(trimmed):
    with kinloop.launch(trimmed / "held.yaml", "lockstep") as plant:
        plant.acquire()
        initial = [one.initial for one in plant.description.actuators]
        for _ in range(50):
            plant.step(initial)

        assert min(initial) > 1e3  # N, of legs that carry
        assert np.abs(speeds_of(plant)).max() < 1e-7


def test_a_plant_that_runs_goes_there_by_the_snapshot(trimmed):
    with kinloop.launch(trimmed / "stewart.yaml", "lockstep") as plant:
        plant.acquire()
        for _ in range(30):
            plant.step([0.0] * 6)
        assert np.abs(speeds_of(plant)).max() > 1e-2

        plant.restore(kinloop.Snapshot.load(trimmed / "held.snapshot"))
        in_force = plant.linearize().u
        for _ in range(50):
            plant.step(in_force)

        assert np.abs(speeds_of(plant)).max() < 1e-7


def test_what_cannot_be_reached_is_said_and_is_an_exit_code(rigs):
    done = trim(rigs / "cart_pole.yaml", "--coordinate", "hinge=0.3")

    assert done.returncode == 5
    assert "u.hinge still changes" in done.stdout
    assert trim(rigs / "cart_pole.yaml", "--coordinate", "hing=0.3").returncode == 2
    assert trim(rigs / "cart_pole.yaml", "--coordinate", "hinge=nan").returncode == 2

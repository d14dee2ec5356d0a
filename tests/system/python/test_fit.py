"""Identification from a record of a run: what was hidden comes out again, within the uncertainty that is stated."""
import json
import os
import subprocess

import kinloop
import numpy as np
import pytest

from conftest import PATIENT

TRUTHS = {"mass.cart": 1.4, "damping.rail": 0.8}


def fit(*arguments):
    return subprocess.run([os.environ["KINLOOP"], "fit", *map(str, arguments)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def record(rigs, tmp_path_factory):
    """Of a cart that is heavier and runs harder than its model says."""
    folder = tmp_path_factory.mktemp("fit")
    model = (rigs.parent / "models" / "cart_pole.yaml").read_text(encoding="utf-8")
    assert "mass: 1 kg" in model and "damping: 0.5 N*s/m" in model
    model = model.replace("mass: 1 kg", "mass: 1.4 kg").replace("damping: 0.5 N*s/m", "damping: 0.8 N*s/m")
    (folder / "cart_pole.yaml").write_text(model, encoding="utf-8")
    rig = (rigs / "cart_pole.yaml").read_text(encoding="utf-8").replace("../models/cart_pole.yaml", "cart_pole.yaml")
    (folder / "rig.yaml").write_text(rig, encoding="utf-8")
    file = folder / "swing.mcap"
    with kinloop.launch(folder / "rig.yaml", "lockstep", changes=PATIENT, record=file) as plant:
        plant.acquire()
        for i in range(1200):
            plant.step([12.0 * np.sin(0.012 * i) + (4.0 if i % 300 < 150 else -4.0)])
    assert file.is_file()
    return file


def test_fit_recovers_what_was_hidden_within_its_uncertainty(rigs, record, tmp_path):
    out, picture = tmp_path / "fit.json", tmp_path / "residuals.svg"

    done = fit(record, "--rig", rigs / "cart_pole.yaml", "--parameters", ",".join(TRUTHS), "-o", out, "--plot", picture)

    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["converged"]
    for name, truth in TRUTHS.items():
        one = found["parameters"][name]
        assert abs(one["start"] - truth) > 0.2, name
        assert abs(one["value"] - truth) < 5.0 * one["deviation"], (name, one)
        assert one["deviation"] < 0.02 * truth, (name, one)
        assert name in done.stdout
    assert found["residuals"]["cart_position"]["after"] < 0.1 * found["residuals"]["cart_position"]["before"]
    assert "cart_acceleration" not in found["residuals"]
    assert picture.read_text(encoding="utf-8").lstrip().startswith("<?xml")


def test_fit_of_the_recorded_rig_stays_where_it_is(record):
    done = fit(record, "--parameters", "mass.*", "--duration", "500 ms", "-o", "-")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["parameters"]["mass.cart"]["value"] == pytest.approx(1.4, rel=1e-2)


def test_what_cannot_be_fitted_is_refused_by_name(rigs, record, tmp_path):
    for arguments, says in (
        ((record, "--parameters", "mass.card"), "mass.cart"),
        ((record, "--parameters", "mass.cart", "--rig", rigs / "four_bar.yaml"), "other actuators"),
        ((tmp_path / "none.mcap", "--parameters", "mass.cart"), "none.mcap"),
        ((record, "--parameters", "mass.cart", "--plot", tmp_path / "a.gif"), ".svg"),
        ((record,), "--parameters"),
    ):
        done = fit(*arguments)
        assert done.returncode == 2, arguments
        assert says in done.stderr, (arguments, done.stderr)

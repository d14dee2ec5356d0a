"""Owns the plants of these tests: real ones, started from the binary that $KINLOOP names."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CLIENT = ROOT / "services" / "clients" / "python"
sys.path[:0] = [str(CLIENT), str(ROOT / "tests" / "system")]

# Before anything imports the package.
subprocess.run([sys.executable, str(CLIENT / "generate")], check=True)

import kinloop  # noqa: E402

# Shared machines stall now and then: no test is about the watchdog.
PATIENT = {"watchdog": "{timeout: 60 s}"}
PATIENCE_S = 20.0


@pytest.fixture(scope="session", autouse=True)
def runtime_folder():
    """Of these tests alone, with a path short enough for sockets."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kl-", dir="/tmp"))  # closed to others
    before = os.environ.get("KINLOOP_RUNTIME_DIR")
    os.environ["KINLOOP_RUNTIME_DIR"] = str(folder)
    yield folder
    if before is None:
        del os.environ["KINLOOP_RUNTIME_DIR"]
    else:
        os.environ["KINLOOP_RUNTIME_DIR"] = before
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def rigs():
    return ROOT / "configs" / "rigs"


@pytest.fixture
def launch(rigs):
    """launch("cart_pole", mode=...): with patience for machines that stall."""
    def launch_named(rig, mode="lockstep", changes=None, **options):
        return kinloop.launch(rigs / f"{rig}.yaml", mode, changes={**PATIENT, **(changes or {})}, **options)

    return launch_named


@pytest.fixture(scope="module")
def shared_cart_pole(rigs, runtime_folder):
    with kinloop.launch(rigs / "cart_pole.yaml", "lockstep", changes=PATIENT) as plant:
        yield plant


@pytest.fixture
def cart_pole(shared_cart_pole):
    """In lockstep, as at its start, with a lease of all; shared by the tests of a file."""
    plant = shared_cart_pole
    plant.resume()
    plant.clear_faults()
    plant.acquire()
    plant.step([0.0], rearm=["belt"])
    plant.reset()
    yield plant
    if plant.lease is not None:
        plant.release()


def wait_until(condition, what):
    """Polls; the machine may be busy with something else for seconds."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"not within {PATIENCE_S:g} s: {what}")


def run_steps(plant, steps, command=0.0):
    """The hashes of so many steps with a command for all actuators."""
    return [plant.step([command] * len(plant.lease.actuators)).state_hash for _ in range(steps)]

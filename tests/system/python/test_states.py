"""States that leave a plant and come back, also into one that was restarted."""
import signal

import kinloop
import pytest
from conftest import run_steps, wait_until

STEPS = 1000


def disturb(plant):
    """Delay lines, faults of several kinds, a force and a ramp to safety: all under way at once."""
    plant.acquire()
    for i in range(50):
        plant.step([30.0 + 0.1 * i])
    plant.inject_fault("crank_speed", "delay", 0.01)
    plant.inject_fault("crank_angle", "drift", 0.1, duration_s=0.5)
    plant.inject_fault("motor_current", "noise", 2.0)
    plant.inject_fault("coupler_x", "drop", 0.3)
    plant.step()  # what needs room in the state comes one a step
    plant.apply_force("rocker", force=[20.0, 5.0, 0.0], duration_s=0.3)
    age_steps = round(plant.description.actuators[0].max_age_s / plant.dt_s)
    plant.step_n(age_steps + 10)  # longer than the motor's commands live: from here on its voltage ramps to zero


def ending(plant):
    """Hashes of the next steps; the commands do not re-arm the motor, so the ramp goes on."""
    return run_steps(plant, STEPS, 10.0)


def test_a_snapshot_goes_on_with_the_same_hashes(launch):
    with launch("four_bar") as plant:
        disturb(plant)
        assert plant.step([10.0]).is_stale
        snapshot = plant.snapshot()
        first = ending(plant)
        plant.restore(snapshot)
        second = ending(plant)

    assert len(set(first)) == STEPS
    assert second == first


def test_a_snapshot_survives_the_death_of_the_plant(launch, tmp_path):
    run = launch("four_bar")
    with run as plant:
        disturb(plant)
        plant.set_parameters({"coupler_mass": "3 kg"})
        plant.step([10.0])
        plant.snapshot().save(tmp_path / "state")
        first = ending(plant)
        run.process.send_signal(signal.SIGKILL)
        wait_until(lambda: run.process.poll() is not None, "it is killed")
    with launch("four_bar") as plant:
        plant.restore(kinloop.Snapshot.load(tmp_path / "state"))
        plant.acquire()
        second = ending(plant)
        parameters = plant.get_parameters(["coupler_mass"])

    assert second == first
    assert parameters == {"coupler_mass": "3 kg"}


def test_all_processes_of_a_killed_plant_end(launch):
    run = launch("pendulum")
    with run:
        children = children_of(run.process.pid)
        run.process.send_signal(signal.SIGKILL)
        wait_until(lambda: not any(is_running(pid) for pid in children), "its children are gone")

    assert len(children) == 2


def test_bytes_of_a_snapshot_are_the_snapshot(cart_pole):
    run_steps(cart_pole, 10)
    snapshot = cart_pole.snapshot()

    assert kinloop.Snapshot.from_bytes(snapshot.to_bytes()) == snapshot
    assert (snapshot.rig, snapshot.step) == ("cart_pole", 10)
    assert snapshot.state_hash == cart_pole.snapshot().state_hash
    with pytest.raises(kinloop.SchemaError):
        kinloop.Snapshot.from_bytes(b"no snapshot at all")


def test_a_snapshot_of_another_rig_is_refused(cart_pole, launch):
    with launch("pendulum") as other:
        snapshot = other.snapshot()

    with pytest.raises(kinloop.SchemaError) as caught:
        cart_pole.restore(snapshot)

    assert caught.value.field == "snapshot"


def test_a_damaged_snapshot_is_refused_and_changes_nothing(cart_pole):
    run_steps(cart_pole, 10)
    snapshot = cart_pole.snapshot()
    damaged = kinloop.Snapshot.from_bytes(snapshot.to_bytes())
    damaged.message.block[3] += 1e-9

    with pytest.raises(kinloop.SchemaError):
        cart_pole.restore(damaged)

    assert cart_pole.snapshot().state_hash == snapshot.state_hash


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False

"""Tests of a controller against the plant in lockstep, as one would run them in CI: pytest test_controller.py."""
from here import PATIENT, RIGS

import kinloop
import pytest

STEPS = 2000


class Balancer:
    """The controller under test: keeps the pole upright and the cart in the middle, from two coarse sensors."""

    def __init__(self, dt_s):
        self.share = dt_s / 0.01  # of a lag of 10 ms on both speeds
        self.before = None
        self.speeds = [0.0, 0.0]
        self.dt_s = dt_s

    def __call__(self, frame):
        now = [frame["cart_position"], frame["pole_angle"]]
        before = now if self.before is None else self.before
        for i in range(2):
            self.speeds[i] += self.share * ((now[i] - before[i]) / self.dt_s - self.speeds[i])
        self.before = now
        force = 20.0 * now[0] + 20.0 * self.speeds[0] + 90.0 * now[1] + 18.0 * self.speeds[1]
        return max(-30.0, min(30.0, force))


@pytest.fixture
def plant():
    with kinloop.launch(RIGS / "cart_pole.yaml", mode="lockstep", changes=PATIENT) as launched:
        launched.acquire()
        yield launched


def balance(plant, steps=STEPS, look=lambda frame: None):
    """The last frame of so many steps under the controller."""
    controller, force, frame = Balancer(plant.dt_s), 0.0, None
    for _ in range(steps):
        frame = plant.step([force])
        force = controller(frame)
        look(frame)
    return frame


def test_pole_is_upright_after_two_seconds(plant):
    frame = balance(plant)

    assert abs(frame["pole_angle"]) < 0.02


def test_two_runs_have_the_same_hashes(plant):
    hashes = [[], []]
    for run in hashes:
        plant.reset()
        balance(plant, look=lambda frame, run=run: run.append(frame.state_hash))

    assert hashes[0] == hashes[1]
    assert len(set(hashes[0])) == STEPS


def test_pole_stays_up_with_a_biased_angle_sensor(plant):
    plant.inject_fault("pole_angle", "bias", 0.02)
    largest = []
    balance(plant, look=lambda frame: largest.append(abs(frame["pole_angle"])))

    assert max(largest) < 0.3


def test_pole_falls_with_a_stuck_angle_sensor(plant):
    balance(plant, 500)
    plant.inject_fault("pole_angle", "stuck")
    shown = set()
    balance(plant, look=lambda frame: shown.add(frame["pole_angle"]))
    plant.clear_faults("pole_angle")
    frame = plant.step()

    assert len(shown) == 1
    assert abs(frame["pole_angle"]) > 0.5


def test_a_silent_controller_leaves_the_belt_safe(plant):
    max_age = round(plant.description.actuators[0].max_age_s / plant.dt_s)
    plant.step([5.0])
    plant.step_n(max_age)
    before = plant.status().actuators_made_safe
    plant.step_n(1)
    late = plant.step([5.0])

    assert before == 0
    assert plant.status().actuators_made_safe == 1
    assert late.is_stale  # a late command does not wake it,
    assert not plant.step([5.0], rearm=["belt"]).is_stale  # only one that says so

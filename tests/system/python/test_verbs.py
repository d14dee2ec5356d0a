"""Every verb of the control socket once, against a real plant."""
import threading

import kinloop
import numpy as np
import pytest
from conftest import PATIENCE_S, run_steps, wait_until
from kinloop.v1 import control_pb2, event_pb2


def test_describe_tells_signals_and_rates(cart_pole):
    description = cart_pole.describe()

    assert (description.rig, description.version) == ("cart_pole", 1)
    assert cart_pole.mode is kinloop.Mode.LOCKSTEP
    assert cart_pole.actuators == ("belt",)
    assert cart_pole.sensors == ("cart_position", "pole_angle", "cart_acceleration")
    assert description.actuators[0].upper == 30.0
    assert list(description.coordinates) == ["q.rail", "q.hinge"]
    assert description.schema_hash != 0


def test_status_and_timing_count_steps(cart_pole):
    run_steps(cart_pole, 5)

    status = cart_pole.status()

    assert kinloop.PlantState(status.state) is kinloop.PlantState.RUNNING
    assert status.step == 5
    assert [lease.holder for lease in status.leases] == [cart_pole.holder]
    assert cart_pole.timing().execution_ns.max > 0


def test_a_waiting_plant_begins_when_it_is_started(launch):
    with launch("pendulum", "free", wait=True) as plant:
        wait_until(lambda: plant.status().state == kinloop.PlantState.PAUSED, "it waits")
        plant.step_n(3)
        paused_at = plant.status().step
        plant.start()

        wait_until(lambda: plant.status().step > paused_at, "it steps")
        plant.pause()
        wait_until(lambda: plant.status().state == kinloop.PlantState.PAUSED, "it is paused")
        assert paused_at == 3
        plant.resume()
        with pytest.raises(kinloop.NotNowError):
            plant.step_n(1)


def test_reset_starts_over(cart_pole):
    before = run_steps(cart_pole, 50, 2.0)

    effect = cart_pole.reset()

    assert effect == kinloop.Effect(step=1)
    assert run_steps(cart_pole, 50, 2.0) == before


def test_parameters_are_set_and_told(cart_pole):
    before = cart_pole.get_parameters(["pole_mass"])
    hashes = run_steps(cart_pole, 20)
    cart_pole.reset()
    cart_pole.set_parameters({"pole_mass": "0.4 kg"})
    heavier = run_steps(cart_pole, 20)

    assert before == {"pole_mass": "0.2 kg"}
    assert cart_pole.get_parameters()["pole_mass"] == "0.4 kg"
    assert heavier != hashes
    with pytest.raises(kinloop.UnknownNameError):
        cart_pole.set_parameters({"pole_mas": "0.4 kg"})
    with pytest.raises(kinloop.InvalidError):
        cart_pole.set_parameters({"pole_mass": "-1 kg"})
    cart_pole.set_parameters(before)


def test_a_bias_is_seen_for_as_long_as_it_was_asked_for(cart_pole):
    effect = cart_pole.inject_fault("cart_position", "bias", 0.5, duration_s=0.02)
    frames = [cart_pole.step([0.0]) for _ in range(30)]

    biased = [frame.step for frame in frames if frame["cart_position"] > 0.4]
    assert effect.until_step == effect.step + 20
    assert (biased[0], biased[-1]) == (effect.step, effect.until_step - 1)


def test_a_sensor_that_is_off_has_no_value(cart_pole):
    cart_pole.inject_fault("pole_angle", kinloop.FaultKind.OFF)
    frame = cart_pole.step([0.0])
    cart_pole.clear_faults("pole_angle")

    assert np.isnan(frame["pole_angle"])
    assert frame.quality("pole_angle") & kinloop.SensorFlag.INVALID
    assert not np.isnan(cart_pole.step([0.0])["cart_position"])


@pytest.mark.parametrize(
    "arguments, error, field",
    [
        (("pole_angel", "bias", 1.0), kinloop.UnknownNameError, "signal"),
        (("pole_angle", "bias", float("nan")), kinloop.InvalidError, "value"),
        (("pole_angle", "drop", 1.5), kinloop.InvalidError, "value"),
        (("pole_angle", "bias", 1.0, -1.0), kinloop.InvalidError, "duration_s"),
        (("pole_angle", "sleepy"), kinloop.UsageError, "kind"),
    ],
)
def test_bad_faults_are_refused(cart_pole, arguments, error, field):
    with pytest.raises(error) as caught:
        cart_pole.inject_fault(*arguments)

    assert caught.value.field == field


def test_an_override_stays_until_it_is_taken_back(cart_pole):
    cart_pole.override_signal("pole_angle", 1.25)
    overridden = [cart_pole.step([0.0])["pole_angle"] for _ in range(5)]
    cart_pole.end_override("pole_angle")

    assert overridden == [1.25] * 5
    assert cart_pole.step([0.0])["pole_angle"] != 1.25
    with pytest.raises(kinloop.UnknownNameError):
        cart_pole.override_signal("nobody", 1.0)


def test_a_force_moves_the_cart(cart_pole):
    cart_pole.apply_force("cart", force=[10.0, 0.0, 0.0], duration_s=0.1)
    frame = [cart_pole.step([0.0]) for _ in range(100)][-1]

    assert frame["cart_position"] > 0.02  # 10 N for 0.1 s on about 1.2 kg: 4 cm
    with pytest.raises(kinloop.UnknownNameError):
        cart_pole.apply_force("card", force=[1.0, 0.0, 0.0])
    with pytest.raises(kinloop.InvalidError):
        cart_pole.apply_force("cart", force=[1.0, float("nan"), 0.0])


def test_a_capture_holds_the_steps_around_its_trigger(cart_pole):
    with kinloop.connect("cart_pole") as watcher:
        results = []
        thread = threading.Thread(
            target=lambda: results.append(
                watcher.capture("cart_position", level=0.01, steps_before=3, steps_after=5, patience_s=PATIENCE_S)
            )
        )
        thread.start()
        while thread.is_alive():
            frame = cart_pole.step([20.0])
            if frame["cart_position"] > 0.5:
                cart_pole.reset()
        capture = results[0]

    position = capture.values[:, cart_pole.sensors.index("cart_position")]
    assert len(capture.steps) == 9
    assert capture.steps[3] == capture.trigger_step
    assert position[2] < 0.01 <= position[3]
    assert list(np.diff(capture.steps)) == [1] * 8


def test_a_capture_that_never_triggers_is_over_in_time(cart_pole):
    with pytest.raises(kinloop.CancelledError):
        cart_pole.capture("cart_position", level=100.0, patience_s=0.2)
    with pytest.raises(kinloop.UnknownNameError):
        cart_pole.capture("nobody")


def test_an_emergency_stop_holds_until_rearmed(cart_pole):
    cart_pole.step([5.0])
    cart_pole.emergency_stop()
    stopped = [cart_pole.step([5.0]) for _ in range(3)]
    during = cart_pole.linearize().u[0]
    cart_pole.rearm()
    moving = cart_pole.step([5.0])

    assert all(frame.is_stale for frame in stopped)
    assert during == 0.0
    assert not moving.is_stale
    assert cart_pole.linearize().u[0] == 5.0
    with pytest.raises(kinloop.UnknownNameError):
        cart_pole.rearm(["nobody"])


def test_linearize_predicts_the_next_step(cart_pole):
    run_steps(cart_pole, 10)
    model = cart_pole.linearize()
    moved = cart_pole.linearize(
        kinloop.MotionState([model.x[0], model.x[1] + 1e-6], [model.x[2], model.x[3]])
    )

    expected = model.x_next + model.A @ (moved.x - model.x)
    assert model.A.shape == (len(model.states), len(model.states))
    assert model.states[:4] == ("q.rail", "q.hinge", "u.rail", "u.hinge")
    assert model.dt_s == cart_pole.dt_s
    assert 0.0 <= model.uncertainty < 1e-3
    np.testing.assert_allclose(moved.x_next, expected, atol=1e-11)
    upper = cart_pole.description.actuators[0].upper
    assert np.any(cart_pole.linearize(commands=[upper], side="below").B)
    assert not np.any(cart_pole.linearize(commands=[upper], side="above").B[2:4])  # beyond its limit it moves nothing
    with pytest.raises(kinloop.InvalidError):
        cart_pole.linearize(commands=[1.0, 2.0])
    with pytest.raises(kinloop.InvalidError, match="below, above"):
        cart_pole.linearize(side="left")


def test_a_rollout_is_what_the_plant_then_does(launch):
    with launch("pendulum") as plant:  # its sensors show the true signals
        plant.acquire()
        commands = np.linspace(-5.0, 5.0, 40)
        rollout = plant.rollout([commands[:, None], -commands[:, None]])
        done = np.array([plant.step([command]).values for command in commands])

        assert rollout.outputs.shape == (2, 40, 2)
        assert rollout.complete == (True, True)
        np.testing.assert_allclose(rollout.outputs[0], done, rtol=1e-10, atol=1e-10)  # lanes: other roundings
        np.testing.assert_allclose(rollout.ends[0].q, done[-1, :1], rtol=1e-10, atol=1e-10)
        with pytest.raises(kinloop.InvalidError):
            plant.rollout([])


def test_a_trajectory_foretells_what_small_changes_of_commands_do(launch):
    with launch("five_bar") as plant:
        commands = np.random.default_rng(2).uniform(-5.0, 5.0, size=(20, 2))
        change = 1e-4 * np.random.default_rng(3).normal(size=commands.shape)
        way = plant.linearize_trajectory(commands, steps_per_command=4)
        parts = plant.linearize_trajectory(commands, steps_per_command=4, commands_per_request=7)
        before, after = plant.rollout([commands, commands + change], steps_per_command=4).outputs

        assert way.complete and way.A.shape == (20, len(way.states), len(way.states))
        np.testing.assert_allclose(way.y, before, rtol=1e-9, atol=1e-10)
        for name in ("x", "A", "B", "y", "C", "D"):
            np.testing.assert_array_equal(getattr(parts, name), getattr(way, name))
        dx = np.zeros(len(way.states))
        for k, du in enumerate(change):
            dx = way.A[k] @ dx + way.B[k] @ du
            expected = way.C[k] @ dx + way.D[k] @ du
            np.testing.assert_allclose((after - before)[k], expected, atol=1e-6 * np.abs(after - before).max())
        for commands in ([[1.0]], [], [[np.nan, 0.0]]):
            with pytest.raises((kinloop.InvalidError, kinloop.UsageError)):
                plant.linearize_trajectory(commands)
        with pytest.raises(kinloop.InvalidError):
            plant.linearize_trajectory([[0.0, 0.0]], independent=["nobody"])


def test_a_way_that_is_too_long_for_one_answer_is_refused_with_what_fits(launch):
    with launch("excavator") as plant:
        commands = np.zeros((5000, len(plant.description.actuators)))

        with pytest.raises(kinloop.TooLargeError, match=r"up to \d+ commands"):
            plant.linearize_trajectory(commands, commands_per_request=5000)


def test_a_rollout_with_a_cost_has_its_gradient(launch):
    with launch("four_bar") as plant:
        commands = np.random.default_rng(4).uniform(-5.0, 5.0, size=(8, 1))
        sensors = len(plant.sensors)
        cost = kinloop.QuadraticCost(output_weights=np.ones(sensors), output_targets=np.full((8, sensors), 0.2),
                                     end_weights=np.full(sensors, 3.0), command_weights=[1e-2])
        h = 1e-2
        moved = [commands + sign * h * np.eye(8)[:, k:k + 1] for k in range(8) for sign in (1, -1)]
        result = plant.rollout([commands, *moved], steps_per_command=5, cost=cost)
        y, u = plant.rollout([commands], steps_per_command=5).outputs[0], commands
        missed = y - 0.2
        by_hand = 0.5 * ((missed**2).sum() + 3.0 * (missed[-1] ** 2).sum() + 1e-2 * (u**2).sum())

        assert result.costs[0] == pytest.approx(by_hand, rel=1e-12)
        slopes = (result.costs[1::2] - result.costs[2::2]) / (2 * h)
        np.testing.assert_allclose(result.gradients[0][:, 0], slopes, atol=1e-4 * np.abs(slopes).max())
        with pytest.raises(kinloop.InvalidError, match="output_weights|numbers"):
            plant.rollout([commands], cost=kinloop.QuadraticCost(output_weights=[1.0] * (sensors + 1)))


def test_a_trimmed_plant_stands_still_where_its_snapshot_is_restored(launch):
    with launch("stewart") as plant:
        found = plant.trim(hold=True)
        plant.restore(found.snapshot)
        plant.acquire()
        frames = [plant.step(found.commands) for _ in range(50)]
        still = plant.linearize()

        assert found.is_reached and found.missing == ()
        assert frames[-1].step > frames[0].step
        speeds = [i for i, name in enumerate(still.states) if name.startswith("u.")]
        assert np.abs(still.x[speeds]).max() < 1e-7
        with pytest.raises(kinloop.InvalidError, match="nobody"):
            plant.trim(coordinates={"nobody": 1.0})
        with pytest.raises(kinloop.InvalidError, match="finite"):
            plant.trim(commands={"leg1": float("nan")})


def test_a_job_can_be_cancelled(cart_pole):
    with kinloop.connect("cart_pole") as client:
        request = control_pb2.ControlRequest(rollout=control_pb2.RolloutRequest(steps_per_command=1000))
        for _ in range(100):
            request.rollout.sequences.add(commands=[0.0] * 100)
        errors = []

        def ask():
            with pytest.raises(kinloop.CancelledError) as caught:
                client.request(request, timeout=60.0)
            errors.append(caught.value.code)

        thread = threading.Thread(target=ask)
        thread.start()
        # The number is known before the answer is there; the cancel comes from a second socket of the same client.
        with kinloop.connect("cart_pole") as helper:
            helper._control.client = client._control.client
            helper._control.last_request = 1000
            wait_until(lambda: request.request_id != 0 and _cancelled(helper, request.request_id), "it is cancelled")
        thread.join()

    assert errors == [kinloop.ErrorCode.CANCELLED]
    with pytest.raises(kinloop.UnknownNameError):
        cart_pole.cancel(12345)


def _cancelled(client, request_id):
    try:
        client.cancel(request_id)
    except kinloop.UnknownNameError:
        return False
    return True


def test_a_record_is_started_and_ended(cart_pole):
    started = cart_pole.start_record("ours.mcap")
    run_steps(cart_pole, 30)
    during = cart_pole.status().recording
    stopped = cart_pole.stop_record()

    assert started.file.endswith("ours.mcap")
    assert during == started.file
    assert (stopped.steps, stopped.dropped) == (30, 0)
    with pytest.raises(kinloop.NotNowError):
        cart_pole.stop_record()


def test_parameters_that_the_integrator_cannot_follow_are_warned_of(launch):
    """Before they are in force: the pole weighs so little that its damper answers within the step."""
    kinds = ("solver_warning", "parameters")
    with launch("cart_pole") as plant:
        events = plant.events(timeout=PATIENCE_S)
        plant.set_parameters({"pole_mass": "1e-6 kg"})
        told = [next(one for one in events if isinstance(one, event_pb2.Event) and one.kind in kinds) for _ in kinds]

    assert [one.kind for one in told] == list(kinds)
    assert "rk4 diverges" in told[0].text


def test_a_note_is_told_to_all(cart_pole):
    with kinloop.connect("cart_pole") as listener:
        events = listener.events(timeout=PATIENCE_S)
        cart_pole.note("the oil is warm now")

        note = next(one for one in events if isinstance(one, event_pb2.Event) and one.kind == "note")

    assert note.text == "the oil is warm now"
    with pytest.raises(kinloop.InvalidError):
        cart_pole.note("")


def test_events_tell_status_and_timing_too(cart_pole):
    kinds = set()
    for event in cart_pole.events(timeout=PATIENCE_S):
        kinds.add(type(event).__name__)
        if {"Status", "Timing"} <= kinds:
            break

    assert {"Status", "Timing"} <= kinds


def test_shutdown_ends_the_run(launch):
    run = launch("pendulum")
    with run as plant:
        plant.shutdown()

        wait_until(lambda: run.process.poll() is not None, "the process is gone")
    assert run.exit_code == 0


def test_another_version_is_refused(cart_pole, monkeypatch):
    monkeypatch.setattr("kinloop.channels.SCHEMA_VERSION", 99)

    with pytest.raises(kinloop.VersionError) as caught:
        cart_pole.status()

    assert caught.value.field == "version"


def test_a_request_without_a_verb_is_refused(cart_pole):
    with pytest.raises(kinloop.InvalidError) as caught:
        cart_pole.request(control_pb2.ControlRequest())

    assert caught.value.field == "verb"

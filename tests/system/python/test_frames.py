"""Commands in, frames out: leases, refusals, stale commands, names."""
import math

import kinloop
import pytest
from conftest import PATIENCE_S, wait_until


def raw_step(plant, **fields):
    """A frame as it is made here, past all that the client checks; gives the answer."""
    line = plant._actuators
    frame = line._frame
    for name, value in fields.items():
        if name != "value":
            setattr(frame, name, value)
    frame.value[:] = fields.get("value", [0.0])
    line._socket.send(frame.SerializeToString())
    return line.wait_for_answer(frame.sequence, PATIENCE_S)


def test_a_step_gives_the_frame_at_its_end(cart_pole):
    first = cart_pole.step([0.0])
    second = cart_pole.step([0.0])

    assert (first.step, second.step) == (1, 2)
    assert second.time_s == pytest.approx(2 * cart_pole.dt_s)
    assert second.command_age_ticks == 0
    assert first.state_hash != second.state_hash


def test_values_are_found_by_name_and_in_order(cart_pole):
    frame = cart_pole.step([0.0])

    assert frame["pole_angle"] == frame.values[cart_pole.sensors.index("pole_angle")]
    assert dict(frame) == frame.as_dict()
    assert list(frame.array()) == list(frame.values)
    assert frame.quality("pole_angle") == kinloop.SensorFlag.NONE
    with pytest.raises(kinloop.UnknownNameError):
        frame["pole_angel"]


def test_a_mapping_and_a_sequence_command_alike(cart_pole):
    by_order = [cart_pole.step([3.0]).state_hash for _ in range(20)]
    cart_pole.reset()
    by_name = [cart_pole.step({"belt": 3.0}).state_hash for _ in range(20)]
    cart_pole.reset()
    cart_pole.step([3.0])
    held = [cart_pole.step().state_hash for _ in range(19)]

    assert by_name == by_order
    assert held == by_order[1:]


def test_a_second_writer_is_refused(cart_pole, runtime_folder):
    with kinloop.connect("cart_pole") as other:
        with pytest.raises(kinloop.LeasedError) as caught:
            other.acquire(["belt"])

    assert caught.value.code is kinloop.ErrorCode.LEASED
    assert caught.value.field == "actuators"
    assert cart_pole.holder in str(caught.value)


def test_a_lease_can_be_given_on(cart_pole):
    cart_pole.release()
    with kinloop.connect("cart_pole") as other:
        lease = other.acquire()
        other.step([0.0])
        assert other.renew() == lease
        with pytest.raises(kinloop.NoLeaseError):
            cart_pole.step([0.0])
    cart_pole.acquire()  # leaving the block gave it back


def test_a_replayed_frame_is_refused(cart_pole):
    used = cart_pole.step([0.0]).command_sequence

    answer = raw_step(cart_pole, sequence=used)

    assert answer.error.code == kinloop.ErrorCode.REPLAYED
    assert answer.error.field == "sequence"


def test_a_frame_of_another_schema_is_refused(cart_pole):
    line = cart_pole._actuators
    line.sequence += 1

    answer = raw_step(cart_pole, sequence=line.sequence, schema_hash=1)
    line._frame.schema_hash = cart_pole.description.schema_hash

    assert answer.error.code == kinloop.ErrorCode.SCHEMA
    cart_pole.step([0.0])


def test_a_frame_of_another_lease_is_refused(cart_pole):
    line = cart_pole._actuators
    line.sequence += 1

    answer = raw_step(cart_pole, sequence=line.sequence, lease=cart_pole.lease.id ^ 1)
    line._frame.lease = cart_pole.lease.id

    assert answer.error.code == kinloop.ErrorCode.NO_LEASE


def test_a_frame_with_too_many_values_is_refused(cart_pole):
    line = cart_pole._actuators
    line.sequence += 1

    answer = raw_step(cart_pole, sequence=line.sequence, value=[0.0, 0.0])

    assert answer.error.code == kinloop.ErrorCode.INVALID
    with pytest.raises(kinloop.UsageError):
        cart_pole.step([0.0, 0.0])


def test_bytes_that_are_no_frame_are_refused(cart_pole):
    line = cart_pole._actuators
    line._socket.send(b"\xff\xff\xff")

    answer = line.wait_for_answer(0, PATIENCE_S)

    assert answer.error.code == kinloop.ErrorCode.MALFORMED


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 30.5])
def test_a_bad_value_is_refused_here_and_there(cart_pole, value):
    with pytest.raises(kinloop.InvalidError) as caught:
        cart_pole.step([value])
    before = cart_pole.status().commands_refused
    cart_pole.step([5.0])
    line = cart_pole._actuators
    line.sequence += 1
    answer = raw_step(cart_pole, sequence=line.sequence, value=[value])

    assert caught.value.field == "belt"
    assert answer.frame.command_age_ticks == 1  # the 5 N before it stay in force
    assert cart_pole.status().commands_refused == before + 1


def test_a_broken_controller_can_be_watched(cart_pole):
    cart_pole.release()
    with kinloop.connect("cart_pole", check_values=False) as plant:
        plant.acquire()
        plant.step([5.0])
        ages = [plant.step([math.nan]).command_age_ticks for _ in range(3)]

    assert ages == [1, 2, 3]


def test_unknown_actuators_are_errors(cart_pole):
    with pytest.raises(kinloop.UnknownNameError):
        cart_pole.step({"bett": 1.0})
    with pytest.raises(kinloop.UnknownNameError):
        cart_pole.step([0.0], rearm=["bett"])
    cart_pole.release()
    with pytest.raises(kinloop.UnknownNameError) as caught:
        cart_pole.acquire(["bett"])
    assert caught.value.code is kinloop.ErrorCode.UNKNOWN_NAME


def test_commanding_without_a_lease_is_an_error(cart_pole):
    cart_pole.release()

    with pytest.raises(kinloop.NoLeaseError):
        cart_pole.step([0.0])
    with pytest.raises(kinloop.NoLeaseError):
        cart_pole.renew()


def test_a_lease_runs_out_and_can_be_taken_again_by_itself(launch):
    with launch("cart_pole", connection={"acquire_again": True}) as plant:
        plant.acquire(time_s=0.2)
        plant.step([0.0])
        wait_until(lambda: not plant.status().leases, "the lease is over")

        frame = plant.step([0.0])

        assert frame.step == 2
        assert plant.counters.leases_lost == 1


def test_old_commands_make_the_belt_safe_until_it_is_rearmed(cart_pole):
    max_age = round(cart_pole.description.actuators[0].max_age_s / cart_pole.dt_s)
    cart_pole.step([5.0])
    cart_pole.step_n(max_age)
    in_time = cart_pole.linearize().u[0]
    cart_pole.step_n(1)
    late = cart_pole.linearize().u[0]
    ignored = cart_pole.step([5.0])
    rearmed = cart_pole.step([5.0], rearm="belt")

    assert (in_time, late) == (5.0, 0.0)
    assert ignored.is_stale
    assert not rearmed.is_stale


def test_frames_are_published_at_the_rate_that_was_asked_for(launch):
    with launch("pendulum", "real_time") as plant:
        rate_hz = plant.subscribe(100.0)
        frames = [plant.recv(newest=False, timeout=PATIENCE_S) for _ in range(5)]
        plant.subscribe()
        newest = plant.recv(timeout=PATIENCE_S)

        assert rate_hz == pytest.approx(100.0)
        assert {b.step - a.step for a, b in zip(frames, frames[1:])} == {10}
        assert newest.step > frames[-1].step
        assert plant.counters.frames_received >= 6


def test_a_plant_in_real_time_takes_commands_by_send(launch):
    with launch("pendulum", "real_time") as plant:
        plant.acquire()
        sequence = plant.send({"motor": 2.0})
        frame = next(frame for frame in plant.frames(timeout=PATIENCE_S) if frame.command_sequence >= sequence)
        plant.release()

        assert frame.command_sequence == sequence
        assert plant.counters.frames_refused == 0

"""Frames by shared memory: the same as by sockets, and what becomes of them when a lease or io is lost."""
import os
import pathlib
import signal
import subprocess
import sys

import kinloop
import pytest
from conftest import PATIENCE_S, wait_until
from kinloop import lane
from kinloop.v1 import control_pb2
from processes import children_of

pytestmark = pytest.mark.skipif(not lane.is_supported(), reason="lanes need Linux on x86-64")


def hashes_of_a_run(launch, transport):
    with launch("cart_pole", connection={"transport": transport}) as plant:
        plant.acquire()
        assert plant.transport == ("shm" if transport == "auto" else "sockets")
        angle = 0.0
        hashes = []
        for i in range(300):
            frame = plant.step([0.01 * (i % 20) - 2.0 * angle])
            angle = frame["pole_angle"]
            hashes.append(frame.state_hash)
        return hashes


def test_a_controlled_run_is_that_of_the_sockets(launch):
    shared = hashes_of_a_run(launch, "auto")
    sockets = hashes_of_a_run(launch, "sockets")

    assert shared == sockets
    assert len(set(shared)) == 300


def test_frames_are_those_of_the_sockets(launch):
    with launch("cart_pole") as plant:
        plant.acquire()
        plant.subscribe()
        with kinloop.connect(plant._control.address, timeout=PATIENCE_S, transport="sockets") as other:
            other.subscribe()
            wait_until(lambda: plant.step([0.0]) and is_heard(other), "the subscription has arrived")
            while plant._received(False, 0.0) is not None or other._received(False, 0.0) is not None:
                pass
            for i in range(50):
                plant.step([0.1 * i])
            for _ in range(50):
                assert plant.recv(newest=False).message == other.recv(newest=False).message
        assert plant.counters.frames_lost == 0


def is_heard(other):
    return other._received(True, 0.1) is not None


def test_refusals_have_their_words(launch):
    with launch("cart_pole") as plant:
        lease = plant.acquire()
        plant.step([0.0])
        with kinloop.connect(plant._control.address, timeout=PATIENCE_S) as other:
            other.request(control_pb2.ControlRequest(release=control_pb2.ReleaseRequest(lease=lease.id)))

        with pytest.raises(kinloop.NoLeaseError, match="acquire one") as caught:
            plant.step([0.0])

        assert caught.value.field == "lease"
        plant.lease = None


def test_real_time_by_shared_memory(launch):
    with launch("cart_pole", "real_time") as plant:
        plant.acquire()
        assert plant.transport == "shm"
        sent = [plant.send([0.5], rearm=["belt"]) for frame, _ in zip(plant.frames(timeout=PATIENCE_S), range(50))]

        wait_until(lambda: plant.recv(timeout=PATIENCE_S).command_sequence == sent[-1], "the last is in force")
        assert plant.counters.frames_sent == 50


def test_a_stop_holds_whatever_comes_by_the_lane(launch):
    with launch("cart_pole", "real_time") as plant:
        plant.acquire()
        assert is_obeyed(plant)

        plant.emergency_stop()

        for frame, _ in zip(plant.frames(timeout=PATIENCE_S), range(50)):
            plant.send([1.0], rearm=["belt"])
        assert frame.is_stale
        plant.rearm()
        wait_until(lambda: is_obeyed(plant) and not plant.recv(timeout=PATIENCE_S).is_stale, "it moves again")
        assert plant.transport == "shm"


def test_where_io_dies_another_lane_is_taken(launch):
    run = launch("cart_pole", "real_time", connection={"acquire_again": True})
    with run as plant:
        plant.acquire()
        os.kill(children_of(run.process.pid).get("io"), signal.SIGKILL)

        wait_until(lambda: is_obeyed(plant) and plant.counters.leases_lost == 1, "it commands again")
        assert plant.transport == "shm"


def is_obeyed(plant):
    try:
        sent = plant.send([1.0], rearm=["belt"])
    except kinloop.NoAnswerError:
        return False
    frames = (plant.recv(newest=False, timeout=PATIENCE_S) for _ in range(500))
    return any(frame.command_sequence == sent for frame in frames)


def test_where_there_can_be_none_sockets_are_used(launch, monkeypatch):
    monkeypatch.setattr(lane.platform, "machine", lambda: "aarch64")
    with launch("cart_pole") as plant:
        plant.acquire()
        assert plant.transport == "sockets"
        assert plant.step([0.0]).step == 1


CONTROLLER = """
import kinloop, sys
plant = kinloop.connect(sys.argv[1], timeout=20)
while True:
    try:
        plant.acquire(time_s=0.05)
        break
    except kinloop.LeasedError:
        pass
def command():
    plant.send([0.1], rearm=["belt"])
    plant.recv(timeout=20)
command()  # before it is told, so that there is somebody whose silence is noticed
print(plant.transport, flush=True)
while True:
    command()
"""


def test_a_client_that_is_killed_harms_nobody(launch):
    own = {**os.environ, "PYTHONPATH": str(pathlib.Path(kinloop.__file__).parents[1])}
    with launch("cart_pole", "real_time") as plant:
        for _ in range(4):
            client = subprocess.Popen(
                [sys.executable, "-c", CONTROLLER, plant._control.address], stdout=subprocess.PIPE, text=True, env=own
            )
            assert client.stdout.readline() == "shm\n"
            client.kill()
            client.wait()

        wait_until(lambda: plant.status().actuators_made_safe > 0, "silence makes its actuator safe")
        wait_until(lambda: acquires(plant), "the last lease is over")
        assert is_obeyed(plant)


def acquires(plant):
    try:
        return plant.acquire(time_s=10.0)
    except kinloop.LeasedError:
        return None

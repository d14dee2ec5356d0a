"""What is lost on the way, and what of it the client mends: answers, and the whole io process."""
import os
import signal
import threading

import kinloop
import pytest
import zmq
from conftest import PATIENCE_S, run_steps, wait_until
from kinloop.v1 import control_pb2
from processes import children_of


def io_of(run):
    """The child of the supervisor that holds the sockets."""
    return children_of(run.process.pid).get("io")


class ForgetfulProxy:
    """Stands between a client and a control socket, and loses the first answers."""

    def __init__(self, plant_address, own_address, lost):
        self.lost = lost
        self.context = zmq.Context()
        self.front = self.context.socket(zmq.ROUTER)
        self.back = self.context.socket(zmq.DEALER)
        for socket in (self.front, self.back):
            socket.setsockopt(zmq.LINGER, 0)
        self.front.bind(own_address)
        self.back.connect(plant_address)
        self.stops = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        poller = zmq.Poller()
        poller.register(self.front, zmq.POLLIN)
        poller.register(self.back, zmq.POLLIN)
        sender = b""
        while not self.stops.is_set():
            ready = dict(poller.poll(20))
            if self.front in ready:
                sender, request = self.front.recv_multipart()
                self.back.send(request)
            if self.back in ready:
                reply = self.back.recv()
                is_step = control_pb2.ControlReply.FromString(reply).HasField("done")
                if is_step and self.lost > 0:
                    self.lost -= 1
                else:
                    self.front.send_multipart([sender, reply])

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.stops.set()
        self.thread.join()
        self.context.destroy()


def test_a_request_that_is_asked_again_is_done_once(cart_pole, tmp_path):
    address = f"ipc://{tmp_path}/control"
    with ForgetfulProxy(cart_pole._control.address, address, lost=1):
        with kinloop.connect(address, timeout=PATIENCE_S) as client:
            effect = client.step_n(10)

            assert effect.repeated
            assert client.counters.requests_repeated == 1
    assert cart_pole.status().step == 10


def test_silence_is_an_error_in_time(cart_pole, tmp_path):
    address = f"ipc://{tmp_path}/control"
    with ForgetfulProxy(cart_pole._control.address, address, lost=100):
        with kinloop.connect(address, timeout=PATIENCE_S) as client:
            client.timeout = 0.1
            with pytest.raises(kinloop.NoAnswerError) as caught:
                client.step_n(10)

    assert caught.value.code is None
    assert isinstance(caught.value, TimeoutError)


def test_a_request_during_the_death_of_io_is_done_once(launch):
    run = launch("cart_pole")
    with run as plant:
        os.kill(io_of(run), signal.SIGSTOP)
        stopped = io_of(run)
        done = []
        thread = threading.Thread(target=lambda: done.append(plant.step_n(10, timeout=PATIENCE_S)))
        thread.start()
        wait_until(lambda: plant.counters.requests_repeated > 0, "it asked again")
        os.kill(stopped, signal.SIGKILL)
        thread.join()

        assert len(done) == 1
        assert plant.status().step == 10


def test_the_plant_goes_on_safely_while_io_is_dead(launch):
    run = launch("cart_pole", "real_time", connection={"acquire_again": True})
    with run as plant:
        plant.acquire()
        sent = plant.send([5.0], rearm=["belt"])
        wait_until(lambda: plant.recv(timeout=PATIENCE_S).command_sequence >= sent, "the command is in force")
        before = plant.status()
        dead = io_of(run)
        os.kill(dead, signal.SIGKILL)
        wait_until(lambda: io_of(run) not in (None, dead), "io is started again")

        after = plant.status()  # over the same socket
        assert after.step > before.step
        assert not after.leases
        wait_until(lambda: plant.status().actuators_made_safe > 0, "the belt was made safe")
        assert plant.linearize().u[0] == 0.0

        wait_until(lambda: accepts_a_command(plant), "the belt moves again")
        assert plant.counters.leases_lost == 1
        assert run.process.poll() is None


def accepts_a_command(plant):
    """Commands re-arm the belt; the first one only finds that its lease is gone."""
    try:
        sent = plant.send([1.0], rearm=["belt"])
    except kinloop.NoAnswerError:
        return False
    frames = (plant.recv(newest=False, timeout=PATIENCE_S) for _ in range(500))  # a second at most
    return any(frame.command_sequence == sent and not frame.is_stale for frame in frames)


def test_the_documented_controller_outlives_io(launch):
    run = launch("cart_pole", "real_time", connection={"acquire_again": True})
    with run as plant:
        plant.acquire()
        dead = None
        obeyed_after = 0
        for i, frame in enumerate(plant.frames(newest=True, timeout=PATIENCE_S)):
            plant.send({"belt": 1.0}, rearm=["belt"] if frame.is_stale else [])
            if i == 50:
                dead = io_of(run)
                os.kill(dead, signal.SIGKILL)
            if i > 50 and plant.counters.leases_lost > 0 and not frame.is_stale:
                obeyed_after += 1
            if obeyed_after > 100:
                break

        assert obeyed_after > 100
        assert io_of(run) not in (None, dead)


def test_lockstep_goes_on_where_it_was_after_the_death_of_io(launch):
    run = launch("cart_pole", connection={"acquire_again": True})
    with run as plant:
        plant.acquire()
        expected = run_steps(plant, 60, 2.0)
        plant.reset()
        hashes = run_steps(plant, 30, 2.0)
        dead = io_of(run)
        os.kill(dead, signal.SIGKILL)
        wait_until(lambda: io_of(run) not in (None, dead) and plant.status(), "io is started again")

        hashes += run_steps(plant, 30, 2.0)

        assert hashes == expected


def test_a_stop_is_confirmed_with_its_tick_while_io_hangs(launch):
    run = launch("cart_pole", "real_time")
    with run as plant:
        hung = io_of(run)
        os.kill(hung, signal.SIGSTOP)
        try:
            effect = plant.emergency_stop()
            receipt = kinloop.emergency_stop(plant._control.address)
        finally:
            os.kill(hung, signal.SIGCONT)

        assert effect.tick > 0 and effect.step > 0
        assert receipt.asked_tick <= receipt.tick <= receipt.asked_tick + 2
        assert receipt.tick > effect.tick
        wait_until(lambda: plant.recv(timeout=PATIENCE_S).is_stale, "frames show it")


def test_a_stop_goes_through_io_while_the_supervisor_hangs(launch):
    run = launch("cart_pole", "real_time")
    with run as plant:
        wait_until(lambda: plant.status().step > 0, "the plant steps: its start is the supervisor's")
        os.kill(run.process.pid, signal.SIGSTOP)
        try:
            effect = plant.emergency_stop()
        finally:
            os.kill(run.process.pid, signal.SIGCONT)

        assert effect.step > 0
        assert effect.tick > 0, "io confirms it by the tick that latched it: the stop socket cannot"


def test_over_tcp_io_has_a_stop_socket_for_a_supervisor_that_hangs(launch):
    run = launch("cart_pole", "real_time", listen="tcp://127.0.0.1:0")
    with run as local:
        places = {place.socket: place.address for place in local.description.endpoints if place.address.startswith("tcp:")}
        host, _, port = places["stop_io"].rpartition(":")
        with kinloop.connect(places["control"], timeout=PATIENCE_S) as plant:
            wait_until(lambda: plant.status().step > 0, "the plant steps: its start is the supervisor's")
            os.kill(run.process.pid, signal.SIGSTOP)
            try:
                effect = plant.emergency_stop()
                receipt = kinloop.emergency_stop(f"{host}:{int(port) - 5}")  # by the socket alone
            finally:
                os.kill(run.process.pid, signal.SIGCONT)

        assert effect.tick > 0
        assert receipt.asked_tick <= receipt.tick <= receipt.asked_tick + 2


def test_a_stop_that_nobody_confirms_is_an_error(launch):
    run = launch("cart_pole", "real_time")
    with run as plant:
        hung = io_of(run)
        plant.timeout = 0.5
        for process in (run.process.pid, hung):
            os.kill(process, signal.SIGSTOP)
        try:
            with pytest.raises(kinloop.NoAnswerError):
                plant.emergency_stop()
        finally:
            for process in (run.process.pid, hung):
                os.kill(process, signal.SIGCONT)
        plant.timeout = PATIENCE_S
        assert plant.emergency_stop().step > 0

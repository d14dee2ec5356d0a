"""The stop's own way over TCP, against a socket that loses answers, gives them late, or gives them at once."""
import contextlib
import socket
import threading
import time

import pytest
import zmq
from kinloop.stop import StopChannel, StopReceipt, ask_until_confirmed


class Supervisor(threading.Thread):
    """Answers every asking, or keeps the answers back until it is told to give them."""

    def __init__(self):
        super().__init__(daemon=True)
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.ROUTER)
        self.socket.linger = 0
        self.address = "tcp://127.0.0.1:%d" % self.socket.bind_to_random_port("tcp://127.0.0.1")
        self.answers, self.ends, self.asked, self.kept = True, False, 0, []

    def run(self):
        while not self.ends:
            if self.answers and self.kept:
                for sender in self.kept:
                    self.socket.send_multipart([sender, b"latched 1 1 1\n"])  # of the stop that is over
                self.kept = []
            if self.socket.poll(5):
                sender = self.socket.recv_multipart()[0]
                self.asked += 1
                if self.answers:
                    self.socket.send_multipart([sender, b"latched 7 %d 8\n" % self.asked])
                else:
                    self.kept.append(sender)
        self.socket.close()
        self.context.term()


@pytest.fixture
def supervisor():
    made = Supervisor()
    made.start()
    yield made
    made.ends = True
    made.join(5.0)


@pytest.fixture
def channel(supervisor):
    context = zmq.Context()
    made = StopChannel(context, [(supervisor.address, None)])
    time.sleep(0.2)  # a connection stands
    yield made
    made.close()
    context.term()


def lose_answers(supervisor, channel):
    supervisor.answers = False
    assert ask_until_confirmed(channel, None, 1.0) is None
    assert supervisor.asked > 3


def test_answers_that_were_lost_are_not_waited_for(supervisor, channel):
    lose_answers(supervisor, channel)
    supervisor.kept, supervisor.answers, asked = [], True, supervisor.asked

    confirmed = ask_until_confirmed(channel, None, 20.0)

    assert isinstance(confirmed, StopReceipt) and confirmed.step == 7
    assert confirmed.tick == asked + 1, "the first answer counts"


def test_late_answers_to_a_stop_that_is_over_confirm_nothing(supervisor, channel):
    lose_answers(supervisor, channel)
    supervisor.answers = True  # the old ones come first

    confirmed = ask_until_confirmed(channel, None, 20.0)

    assert isinstance(confirmed, StopReceipt) and confirmed.step == 7, "and not that of the earlier stop"


def test_a_stop_that_is_answered_leaves_the_connection_as_it_is(supervisor, channel):
    for number in range(1, 4):
        confirmed = ask_until_confirmed(channel, None, 20.0)
        assert isinstance(confirmed, StopReceipt) and confirmed.tick == number


class LocalSocket(threading.Thread):
    """One of the two in a plant's folder: confirms, or takes what is said and stands still."""

    def __init__(self, path, answers):
        super().__init__(daemon=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(path))
        self.listener.listen(16)
        self.answers = answers

    def run(self):
        while self.answers:
            caller, _ = self.listener.accept()
            with caller, contextlib.suppress(OSError):  # who was confirmed by the other has hung up
                assert caller.recv(100) == b"stop\n"
                caller.send(b"latched %d 2 1\n" % self.answers)


@pytest.mark.parametrize("steps", [(11, 0), (0, 22), (33, 33)], ids=["supervisor", "io", "both"])
def test_a_local_stop_is_confirmed_by_whichever_of_both_sockets_answers(tmp_path, steps):
    sockets = [LocalSocket(tmp_path / name, step) for name, step in zip(("stop", "stop_io"), steps)]
    for one in sockets:
        one.start()
    context = zmq.Context()
    channel = StopChannel(context, [(f"unix://{tmp_path}/{name}", None) for name in ("stop", "stop_io")])

    confirmed = ask_until_confirmed(channel, None, 20.0)

    channel.close()
    context.term()
    assert isinstance(confirmed, StopReceipt) and confirmed.step == max(steps)

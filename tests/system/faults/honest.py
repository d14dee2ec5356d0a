"""Owns the honest clients of a campaign: each a thread with a connection of its own that goes on through every fault."""
import threading
import time

import kinloop

PATIENCE_S = 20.0  # machines stall


class Client(threading.Thread):
    """Calls work() with a connection until it is told to end; a lost answer is part of the history, not a failure."""

    def __init__(self, name, address, history, **options):
        super().__init__(name=name, daemon=True)
        self.address = address
        self.history = history
        self.options = {"timeout": PATIENCE_S, "holder": name, **options}
        self.ends = threading.Event()

    def run(self):
        while not self.ends.is_set():
            try:
                with kinloop.connect(self.address, **self.options) as plant:
                    while not self.ends.is_set():
                        self.work(plant)
            except kinloop.KinloopError as error:
                self.history.add("refused", client=self.name, text=str(error))
                self.ends.wait(0.05)
            except Exception as error:  # noqa: BLE001: a client that dies is a finding, not the end of the campaign
                self.history.problem(f"the {self.name} died: {type(error).__name__}: {error}")
                return

    def work(self, plant):
        raise NotImplementedError


class Controller(Client):
    """Holds the belt now and then, and moves it."""

    def work(self, plant):
        plant.acquire()
        begin, lost = time.monotonic(), plant.counters.leases_lost
        end = begin + 1.0
        while time.monotonic() < end and not self.ends.is_set():
            plant.send([5.0])
            time.sleep(0.02)
        plant.release()
        if plant.counters.leases_lost == lost:  # else others may have held it meanwhile
            self.history.add("lease", holder=self.name, t=begin, released=time.monotonic())
        self.ends.wait(0.3)


class Observer(Client):
    """Sees every frame."""

    def work(self, plant):
        frame = plant.recv(newest=False, timeout=PATIENCE_S)
        message = frame.message
        self.history.add("frame", step=message.step, flags=message.flags, values=list(message.value))


class Operator(Client):
    """Stops the plant, waits, and lets it move again."""

    def work(self, plant):
        self.ends.wait(0.5)
        begin = time.monotonic()
        stop = plant.emergency_stop()
        self.history.add("stopped", step=stop.step, took=time.monotonic() - begin)
        self.ends.wait(0.7)
        self.history.add("rearm")
        plant.rearm()

"""Owns the network of a campaign: a namespace for a plant, rules that lose its packets, and a relay that delays its bytes."""
import collections
import contextlib
import os
import selectors
import shutil
import socket
import threading
import time

from disks import Unavailable, as_root

PORTS = 6  # control, actuators, sensors, events, and the stop sockets of supervisor and io


class Namespace:
    """A network with one cable, which ends here; rules inside it lose what comes in."""

    def __init__(self):
        number = os.getpid() % 16000
        self.name = f"kl{os.getpid()}"
        self.here, self.there = (f"10.213.{number // 64}.{number % 64 * 4 + i}" for i in (1, 2))
        if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("nft"):
            raise Unavailable("networks need root, iproute2 and nftables")
        near, far = f"{self.name}a", f"{self.name}b"
        as_root("ip", "netns", "add", self.name)
        try:
            as_root("ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", self.name)
            as_root("ip", "addr", "add", f"{self.here}/30", "dev", near)
            as_root("ip", "link", "set", near, "up")
            as_root("ip", "-n", self.name, "addr", "add", f"{self.there}/30", "dev", far)
            as_root("ip", "-n", self.name, "link", "set", far, "up")
            as_root("ip", "-n", self.name, "link", "set", "lo", "up")
            self._nft("add table inet campaign")
            self._nft("add chain inet campaign input { type filter hook input priority 0 ; }")
        except Unavailable:
            self.close()
            raise

    def command(self):
        """That runs another one inside."""
        return f"ip netns exec {self.name} "

    def lose(self, percent, time_s):
        which = f"numgen random mod 100 < {percent} " if percent < 100 else ""
        self._nft(f"add rule inet campaign input {which}drop")
        time.sleep(time_s)
        self._nft("flush chain inet campaign input")

    def close(self):
        with contextlib.suppress(Unavailable):
            as_root("ip", "netns", "del", self.name)

    def _nft(self, rule):
        as_root("ip", "netns", "exec", self.name, "nft", rule)


class Relay(threading.Thread):
    """Carries the bytes of TCP connections to the same ports of another host: at once, later, or not at all."""

    def __init__(self, first_port, host):
        super().__init__(name="relay", daemon=True)
        self.host = host
        self.delay_s = 0.0
        self._cut = threading.Event()
        self._ends = threading.Event()
        self._selector = selectors.DefaultSelector()
        self._queues = {}  # of a socket: what it is to be sent, each with its time; b"" ends it
        self._partner = {}
        for port in range(first_port, first_port + PORTS):
            listener = socket.create_server(("127.0.0.1", port))
            listener.setblocking(False)
            self._selector.register(listener, selectors.EVENT_READ, port)

    def cut(self):
        """All connections end, as if a switch had been restarted."""
        self._cut.set()

    def close(self):
        self._ends.set()
        self.join(5.0)

    def run(self):
        while not self._ends.is_set():
            for key, _ in self._selector.select(0.002):
                if key.data is not None:
                    self._accept(key.fileobj, key.data)
                else:
                    self._read(key.fileobj)
            self._send_what_is_due()
            if self._cut.is_set():
                self._cut.clear()
                for one in list(self._queues):
                    self._drop(one)
        for one in list(self._queues):
            self._drop(one)
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()

    def _accept(self, listener, port):
        near, _ = listener.accept()
        far = socket.socket()
        for one in (near, far):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            far.settimeout(0.2)  # a network that loses everything is not waited for: clients try again
            far.connect((self.host, port))
        except OSError:
            near.close()
            far.close()
            return
        for one, other in ((near, far), (far, near)):
            one.setblocking(False)
            self._queues[one] = collections.deque()
            self._partner[one] = other
            self._selector.register(one, selectors.EVENT_READ, None)

    def _read(self, one):
        if one not in self._queues:
            return
        try:
            data = one.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._selector.unregister(one)
        self._queues[self._partner[one]].append((time.monotonic() + self.delay_s, data))

    def _send_what_is_due(self):
        now = time.monotonic()
        for one in list(self._queues):
            queue = self._queues.get(one)
            while queue and queue[0][0] <= now:
                due, data = queue.popleft()
                try:
                    sent = one.send(data) if data else -1
                except BlockingIOError:
                    sent = 0
                except OSError:
                    sent = -1
                if sent < 0:
                    self._drop(one)
                    break
                if sent < len(data):
                    queue.appendleft((due, data[sent:]))
                    break

    def _drop(self, one):
        for each in (one, self._partner.get(one)):
            if each in self._queues:
                del self._queues[each]
                self._partner.pop(each, None)
                with contextlib.suppress(KeyError, ValueError):
                    self._selector.unregister(each)
                each.close()

"""Owns the emergency stop's own ways: the stop sockets of the plant's supervisor, which needs no io, and of its io."""
from __future__ import annotations

import dataclasses
import pathlib
import socket
import time
from typing import Optional

import zmq

from kinloop.channels import ControlChannel, open_socket
from kinloop.discovery import find_control_address
from kinloop.errors import NoAnswerError, UsageError
from kinloop.keys import Keys, Path
from kinloop.v1 import control_pb2

_STOP_WORD = b"stop\n"
_ROUND_S = 0.1  # from one asking to the next
_LOOK_S = 0.005
_STOP_SOCKETS = {"stop": 4, "stop_io": 5}  # that of the supervisor and that of io: ports after control's


@dataclasses.dataclass(frozen=True)
class StopReceipt:
    """That the plant latched a stop, as it stands in its memory."""

    step: int  # the first one that feels it
    tick: int  # the iteration of the plant's loop that latched it
    asked_tick: int  # the one in which it was asked


def read_stop_line(line: bytes) -> Optional[StopReceipt]:
    """Of "latched STEP TICK ASKED"; None where the line says something else."""
    words = line.split()
    if len(words) != 4 or words[0] != b"latched" or not all(word.isdigit() for word in words[1:]):
        return None
    return StopReceipt(*(int(word) for word in words[1:]))


def stop_addresses_beside(control: str) -> dict[str, str]:
    """Where the stop sockets beside this control socket are, by their names; empty where that has none."""
    scheme, _, place = control.partition("://")
    if scheme == "ipc":
        folder = pathlib.PurePosixPath(place).parent
        return {name: f"unix://{folder / name}" for name in _STOP_SOCKETS}
    host, _, port = place.rpartition(":")
    if scheme != "tcp" or not port.isdigit():
        return {}
    ports = {name: int(port) + after for name, after in _STOP_SOCKETS.items()}
    return {name: f"tcp://{host}:{number}" for name, number in ports.items() if number <= 65535}


class _Line:
    """To a unix socket. Nothing here waits."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._socket: Optional[socket.socket] = None
        self._said = b""

    def ask(self) -> None:
        if self._socket is not None:
            return  # it waits there, and is read whenever the other side can
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        try:
            self._socket.connect(self._path)
            self._socket.send(_STOP_WORD)
        except OSError:
            self.hang_up()

    def take(self) -> Optional[StopReceipt]:
        if self._socket is None:
            return None
        try:
            data = self._socket.recv(128)
        except BlockingIOError:
            return None
        except OSError:
            data = b""
        self._said += data
        is_whole = self._said.endswith(b"\n")
        receipt = read_stop_line(self._said) if is_whole else None
        if is_whole or not data:
            self.hang_up()  # the next round asks again
        return receipt

    def hang_up(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self._said = b""


class _Remote:
    """To a socket of ZeroMQ. Nothing here waits."""

    def __init__(self, context: zmq.Context, address: str, keys: Optional[Keys]) -> None:
        # Over a standing connection only: a stop that was confirmed otherwise must not arrive late.
        self._open = lambda: open_socket(context, zmq.DEALER, address, keys, {zmq.IMMEDIATE: 1})
        self._socket: zmq.Socket = self._open()
        self._asked = 0  # without an answer yet: each asking has one

    def begin(self) -> None:
        """Answers to what was asked before may be late, or lost with a connection: a new socket gets none of them."""
        while self._socket.poll(0):
            self._socket.recv_multipart()
            self._asked = max(0, self._asked - 1)
        if self._asked > 0:
            self._socket.close(linger=0)
            self._socket = self._open()
            self._asked = 0

    def ask(self) -> None:
        try:
            self._socket.send(_STOP_WORD, zmq.DONTWAIT)
            self._asked += 1
        except zmq.Again:
            pass

    def take(self) -> Optional[StopReceipt]:
        while self._socket.poll(0):
            receipt = read_stop_line(self._socket.recv_multipart()[-1])
            self._asked = max(0, self._asked - 1)
            if receipt is not None:
                return receipt
        return None

    def close(self) -> None:
        self._socket.close()


class StopChannel:
    """Over ZeroMQ or unix sockets, that of the supervisor and that of io at once.

    Nothing here waits: what cannot be said now is said again.
    """

    def __init__(self, context: zmq.Context, places: "list[tuple[str, Optional[Keys]]]") -> None:
        """Each place is an address, as stop_addresses_beside() gives it, and the keys it takes."""
        paths = [address[len("unix://") :] for address, _ in places if address.startswith("unix://")]
        self._lines = [_Line(path) for path in paths]
        self._remotes = [_Remote(context, address, keys) for address, keys in places if address.startswith("tcp://")]

    def close(self) -> None:
        for line in self._lines:
            line.hang_up()
        for remote in self._remotes:
            remote.close()

    def begin(self) -> None:
        """A stop of its own from here on: what is still on its way answers an earlier one."""
        for line in self._lines:
            line.hang_up()
        for remote in self._remotes:
            remote.begin()

    def ask(self) -> None:
        for way in (*self._lines, *self._remotes):
            way.ask()

    def take(self) -> Optional[StopReceipt]:
        """The confirmation, once it came."""
        for way in (*self._lines, *self._remotes):
            receipt = way.take()
            if receipt is not None:
                return receipt
        return None


def ask_until_confirmed(
    channel: Optional[StopChannel], control: Optional[ControlChannel], timeout_s: float
) -> "StopReceipt | control_pb2.ControlReply | None":
    """Asks both, as far as there are any, again and again until one confirms; a refusal of io is the last resort."""
    end = time.monotonic() + timeout_s
    next_round = time.monotonic()
    refused: Optional[control_pb2.ControlReply] = None
    if channel is not None:
        channel.begin()
    if control is not None:
        control.begin_stop()
    while time.monotonic() < end:
        if time.monotonic() >= next_round:
            next_round = time.monotonic() + _ROUND_S
            if channel is not None:
                channel.ask()
            if control is not None:
                control.ask_stop()
        receipt = channel.take() if channel is not None else None
        if receipt is not None:
            return receipt
        reply = control.take_stop(_LOOK_S) if control is not None else None
        if control is None:
            time.sleep(_LOOK_S)
        if reply is not None:
            if reply.WhichOneof("answer") != "error":
                return reply
            refused = reply
    return refused


def emergency_stop(
    name_or_address: Optional[str] = None,
    *,
    keys: Optional[Keys] = None,
    timeout: float = 5.0,
    runtime_folder: Optional[Path] = None,
) -> StopReceipt:
    """Stops a plant by its stop sockets alone, without connecting to it: for when control does not answer.

    Asks again until it is confirmed; raises NoAnswerError if it was not in time.
    """
    control = find_control_address(name_or_address, runtime_folder)
    addresses = list(stop_addresses_beside(control).values())
    if not addresses:
        raise UsageError(f"{control} has no stop socket beside it")
    context = zmq.Context()
    channel = StopChannel(context, [(address, keys) for address in addresses])
    try:
        receipt = ask_until_confirmed(channel, None, timeout)
    finally:
        channel.close()
        context.term()
    if not isinstance(receipt, StopReceipt):
        raise NoAnswerError(f"{addresses[0]} did not confirm the stop within {timeout:g} s")
    return receipt

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
_PORTS_AFTER_CONTROL = 4
_STOP_OF_IO = "_io"  # after the path of the supervisor's local stop socket


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


def stop_address_beside(control: str) -> Optional[str]:
    """Where the stop socket beside this control socket is; None where that has none."""
    scheme, _, place = control.partition("://")
    if scheme == "ipc":
        return "unix://" + str(pathlib.PurePosixPath(place).parent / "stop")
    host, _, port = place.rpartition(":")
    if scheme != "tcp" or not port.isdigit() or int(port) + _PORTS_AFTER_CONTROL > 65535:
        return None
    return f"tcp://{host}:{int(port) + _PORTS_AFTER_CONTROL}"


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


class StopChannel:
    """Over ZeroMQ or unix sockets, that of the supervisor and that of io at once.

    Nothing here waits: what cannot be said now is said again.
    """

    def __init__(self, context: zmq.Context, address: str, keys: Optional[Keys]) -> None:
        path = address[len("unix://") :] if address.startswith("unix://") else ""
        self._lines = [_Line(path), _Line(path + _STOP_OF_IO)] if path else []
        self._asked = 0  # over ZeroMQ, where each asking has one answer, without one yet
        self._open = lambda: self._opened(context, address, keys)
        self._remote = None if path else self._open()

    @staticmethod
    def _opened(context: zmq.Context, address: str, keys: Optional[Keys]) -> zmq.Socket:
        """Over a standing connection only: a stop that was confirmed otherwise must not arrive late."""
        return open_socket(context, zmq.DEALER, address, keys, {zmq.IMMEDIATE: 1})

    def close(self) -> None:
        self._hang_up()
        if self._remote is not None:
            self._remote.close()

    def begin(self) -> None:
        """A stop of its own from here on: what is still on its way answers an earlier one.

        Such answers may be late, or lost with a connection: they are not waited for, since a new socket gets none of them.
        """
        self._hang_up()
        if self._remote is None:
            return
        while self._remote.poll(0):
            self._remote.recv_multipart()
            self._asked = max(0, self._asked - 1)
        if self._asked > 0:
            self._remote.close(linger=0)
            self._remote = self._open()
            self._asked = 0

    def ask(self) -> None:
        for line in self._lines:
            line.ask()
        if self._remote is None:
            return
        try:
            self._remote.send(_STOP_WORD, zmq.DONTWAIT)
            self._asked += 1
        except zmq.Again:
            pass

    def take(self) -> Optional[StopReceipt]:
        """The confirmation, once it came."""
        for line in self._lines:
            receipt = line.take()
            if receipt is not None:
                return receipt
        while self._remote is not None and self._remote.poll(0):
            receipt = read_stop_line(self._remote.recv_multipart()[-1])
            self._asked = max(0, self._asked - 1)
            if receipt is not None:
                return receipt
        return None

    def _hang_up(self) -> None:
        for line in self._lines:
            line.hang_up()


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
    address = stop_address_beside(control)
    if address is None:
        raise UsageError(f"{control} has no stop socket beside it")
    context = zmq.Context()
    channel = StopChannel(context, address, keys)
    try:
        receipt = ask_until_confirmed(channel, None, timeout)
    finally:
        channel.close()
        context.term()
    if not isinstance(receipt, StopReceipt):
        raise NoAnswerError(f"{address} did not confirm the stop within {timeout:g} s")
    return receipt

"""Owns LaneChannel: the lane of one lease to a plant of this host, in place of the sockets for frames.

What lies in the memory is said in kinloop/client/lane.hpp, of the C++ client. Nothing beyond Python is needed: words are
read and written through ctypes, whose accesses of aligned words are single instructions. Their order is that of x86-64,
which is why there is a lane on that kind of processor alone; elsewhere the sockets are used.
"""
from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import platform
import socket
import struct
import sys
import time
from typing import List, Optional, Tuple

from kinloop.results import Counters
from kinloop.v1 import describe_pb2, error_pb2, frames_pb2

_LAYOUT = 0x4B696E4C616E6501
_MAX_VALUES = 64
_MAX_SENSORS = 128
_COMMAND_SLOTS = 128
_FRAME_SLOTS = 1024
_ANSWER_SLOTS = 128
_WORD = 8
_MASK = 2**64 - 1
_ODD = 0x9E3779B97F4A7C15

# CommandMemory
_TAIL, _SLEEPS, _EVERY, _COMMANDS = 0, 64, 68, 128
_COMMAND_HEAD = 5
_COMMAND_BYTES = _WORD * (_COMMAND_HEAD + _MAX_VALUES)
_COMMAND_MEMORY = _COMMANDS + _COMMAND_SLOTS * _COMMAND_BYTES
# FrameMemory
_HEAD_FORMAT = "<QQQI"  # layout, schema, lease, sensors
_IS_OVER, _HEAD, _SIGNALS, _FRAMES, _ANSWERS, _SLOTS = 28, 128, 192, 256, 264, 320
_FRAME_HEAD = 10
_FRAME_FORMAT = "<QQdqqQQQQQ"
_ANSWER_HEAD = 2
_TEXT_WORDS = 32

_SEALS = 0x0002 | 0x0004  # F_SEAL_SHRINK, F_SEAL_GROW
_F_GET_SEALS = 1034
_SYS_FUTEX = 202  # of x86-64
_FUTEX_WAIT = 0
_GIVEN = 0
_LONGEST_SLEEP_S = 0.05  # then the connection is looked at
_SUSPICIOUS_QUEUE = 4  # commands that nobody took: does anybody live there?


class _Timespec(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("ns", ctypes.c_long)]


def is_supported() -> bool:
    """Whether this Python and this processor can have a lane at all."""
    is_known = sys.platform == "linux" and platform.machine() == "x86_64" and sys.maxsize > 2**32
    return is_known and hasattr(socket, "recv_fds")


def reachable_lane(plant: describe_pb2.Description) -> str:
    """The path of the socket at which a client of this host and user asks for a lane; empty: it uses the sockets."""
    for endpoint in plant.endpoints:
        scheme, _, path = endpoint.address.partition("://")
        if endpoint.socket != "lane" or scheme != "unix":
            continue
        try:
            if os.stat(path).st_uid == os.geteuid():
                return path
        except OSError:
            pass
    return ""


class _Mapping:
    """A memory file, as long as this is held."""

    _libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

    def __init__(self, descriptor: int, size: int, protection: int) -> None:
        if fcntl.fcntl(descriptor, _F_GET_SEALS) & _SEALS != _SEALS or os.fstat(descriptor).st_size != size:
            raise OSError("no memory file of this layout")
        libc = self._libc
        assert libc is not None
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
        libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        address = libc.mmap(None, size, protection, mmap.MAP_SHARED, descriptor, 0)
        if address is None or address == 2**64 - 1:
            raise OSError(ctypes.get_errno(), "mmap")
        self.address = int(address)
        self._size = size

    def word(self, offset: int) -> ctypes.c_uint64:
        return ctypes.c_uint64.from_address(self.address + offset)

    def half(self, offset: int) -> ctypes.c_uint32:
        return ctypes.c_uint32.from_address(self.address + offset)

    def copy(self, offset: int, size: int) -> bytes:
        return ctypes.string_at(self.address + offset, size)

    def sleep_while(self, offset: int, value: int, time_s: float) -> None:
        """Until the half is another than this, or the time is over; may end for no reason."""
        assert self._libc is not None
        limit = _Timespec(int(time_s), int(time_s % 1.0 * 1e9))
        self._libc.syscall(
            ctypes.c_long(_SYS_FUTEX), ctypes.c_void_p(self.address + offset), ctypes.c_int(_FUTEX_WAIT),
            ctypes.c_uint32(value), ctypes.byref(limit), None, ctypes.c_int(0),
        )

    def close(self) -> None:
        if self.address and self._libc is not None:
            self._libc.munmap(self.address, self._size)
        self.address = 0


def _checksum(n: int, head: Tuple[int, int, int, int], values: bytes) -> int:
    total = _ODD
    for word in (n, *head, *struct.unpack(f"<{len(values) // _WORD}Q", values)):
        total = (total ^ word) * _ODD & _MASK
        total ^= total >> 32
    return total


def open_lane(
    plant: describe_pb2.Description, lease: int, counters: Counters, timeout_s: float
) -> Optional[LaneChannel]:
    """None where there is none to be had: the sockets are used."""
    path = reachable_lane(plant) if is_supported() else ""
    if not path or len(plant.sensors) > _MAX_SENSORS:
        return None
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    files: List[int] = []
    maps: List[_Mapping] = []
    try:
        connection.settimeout(max(timeout_s, 0.001))
        connection.connect(path)
        connection.sendall(struct.pack("<QQQ", _LAYOUT, plant.schema_hash, lease))
        data, files, _, _ = socket.recv_fds(connection, 16, 2)
        if len(data) != 16 or struct.unpack("<QQ", data) != (_LAYOUT, _GIVEN) or len(files) != 2:
            raise OSError("no lane was given")
        sensors = len(plant.sensors)
        size = _SLOTS + _WORD * (_FRAME_SLOTS * _frame_stride(sensors) + _ANSWER_SLOTS * _answer_stride(sensors))
        maps.append(_Mapping(files[0], _COMMAND_MEMORY, mmap.PROT_READ | mmap.PROT_WRITE))
        maps.append(_Mapping(files[1], size, mmap.PROT_READ))
        head = struct.unpack(_HEAD_FORMAT, maps[1].copy(0, struct.calcsize(_HEAD_FORMAT)))
        if head != (_LAYOUT, plant.schema_hash, lease, sensors):
            raise OSError("a lane of something else")
        return LaneChannel(connection, maps[0], maps[1], plant.schema_hash, sensors, counters)
    except OSError:
        for one in maps:
            one.close()
        connection.close()
        return None
    finally:
        for descriptor in files:
            os.close(descriptor)


def _frame_words(sensors: int) -> int:
    return _FRAME_HEAD + sensors + (sensors + 7) // 8


def _frame_stride(sensors: int) -> int:
    return 1 + _frame_words(sensors)


def _answer_stride(sensors: int) -> int:
    return 1 + _ANSWER_HEAD + _TEXT_WORDS + _frame_words(sensors)


class LaneChannel:
    """Made by open_lane(). Once it is over nothing is taken from it any more, and nothing comes."""

    def __init__(
        self, connection: socket.socket, own: _Mapping, plants: _Mapping, schema_hash: int, sensors: int,
        counters: Counters,
    ) -> None:
        connection.setblocking(False)
        self.is_over = False
        self._connection = connection
        self._own = own
        self._plants = plants
        self._schema_hash = schema_hash
        self._sensors = sensors
        self._counters = counters
        self._frame_format = struct.Struct(f"{_FRAME_FORMAT}{sensors}d{sensors}s")
        self._frame_bytes = _WORD * _frame_stride(sensors)
        self._answer_bytes = _WORD * _answer_stride(sensors)
        self._tail = self._next_answer = self._next_frame = 0
        self._every = 1
        self._last_sequence = 0
        self._is_subscribed = False

    def close(self) -> None:
        self.is_over = True
        self._connection.close()
        self._own.close()
        self._plants.close()

    def look(self) -> bool:
        """Whether it goes on, asking the connection too."""
        if self._plants.half(_IS_OVER).value != 0 or not self._is_connected():
            self.is_over = True
        return not self.is_over

    def _is_connected(self) -> bool:
        """Nobody sends anything there: whatever can be read is its end."""
        try:
            self._connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False

    def has_taken_all(self) -> bool:
        """Of a lane that is over: what it did not take moves nothing any more."""
        return self._plants.word(_HEAD).value == self._tail

    # Commands.

    def send(self, sequence: int, values: List[float], rearm: int) -> bool:
        """False where there is no room, or the lane is over and the plant did not take it."""
        if self.is_over or len(values) > _MAX_VALUES:
            return False
        waiting = (self._tail - self._plants.word(_HEAD).value) & _MASK
        if waiting >= _SUSPICIOUS_QUEUE and not self.look() or waiting >= _COMMAND_SLOTS:
            return False
        data = struct.pack(f"<{len(values)}d", *values)
        head = (sequence, time.monotonic_ns(), rearm, len(values))
        slot = self._own.address + _COMMANDS + self._tail % _COMMAND_SLOTS * _COMMAND_BYTES
        words = struct.pack("<5Q", *head, _checksum(self._tail, head, data)) + data
        ctypes.memmove(slot, words, len(words))
        self._tail += 1
        self._own.word(_TAIL).value = self._tail
        try:  # always: whether io sleeps cannot be asked without a fence, which Python has none of
            self._connection.send(b"\0")
        except BlockingIOError:
            pass  # bytes enough wait to wake it
        except OSError:
            self.is_over = True
        if self._plants.half(_IS_OVER).value != 0:
            self.is_over = True
        is_sent = not self.is_over or self.has_taken_all()
        self._counters.frames_sent += 1 if is_sent else 0
        return is_sent

    def newest_answer(self) -> Optional[frames_pb2.ActuatorReply]:
        """Of those that came since it was last looked at."""
        newest = None
        for answer in self._answers():
            newest = answer
        return newest

    def wait_for_answer(self, sequence: int, timeout_s: float) -> Optional[frames_pb2.ActuatorReply]:
        """None where none came in time, or the lane is over."""
        until = time.monotonic() + timeout_s
        while True:
            seen = self._plants.half(_SIGNALS).value
            for answer in self._answers():
                if answer.sequence == sequence:
                    return answer
            if self.is_over or time.monotonic() >= until:
                return None
            self._wait(seen, until)

    def _answers(self) -> List[frames_pb2.ActuatorReply]:
        count = self._plants.word(_ANSWERS).value
        self._next_answer = max(self._next_answer, count - _ANSWER_SLOTS)
        answers = []
        first = _SLOTS + _FRAME_SLOTS * self._frame_bytes
        for n in range(self._next_answer, count):
            data = self._slot(first + n % _ANSWER_SLOTS * self._answer_bytes, self._answer_bytes, n)
            if data is not None:
                answers.append(self._answer_of(data))
        self._next_answer = count
        return answers

    def _answer_of(self, data: bytes) -> frames_pb2.ActuatorReply:
        sequence, code = struct.unpack_from("<QQ", data)
        if code == 0:
            frame = self._frame_of(data[_WORD * (_ANSWER_HEAD + _TEXT_WORDS) :])
            return frames_pb2.ActuatorReply(sequence=sequence, frame=frame)
        self._counters.frames_refused += 1
        text = data[_WORD * _ANSWER_HEAD : _WORD * (_ANSWER_HEAD + _TEXT_WORDS)].split(b"\0")
        field = text[1].decode(errors="replace") if len(text) > 1 else ""
        error = error_pb2.Error(code=code, message=text[0].decode(errors="replace"), field=field)
        return frames_pb2.ActuatorReply(sequence=sequence, error=error)

    # Frames.

    def subscribe(self, every: int) -> None:
        """Every n-th frame, from now on."""
        if not self._is_subscribed:
            self._is_subscribed = True
            self._next_frame = self._plants.word(_FRAMES).value
        self._every = max(1, every)
        self._own.half(_EVERY).value = self._every
        self._last_sequence = 0

    def receive(self, newest: bool, timeout_s: float) -> Optional[frames_pb2.SensorFrame]:
        """None where none came in time, or the lane is over."""
        if not self._is_subscribed:
            self.subscribe(self._every)
        until = time.monotonic() + timeout_s
        while True:
            seen = self._plants.half(_SIGNALS).value
            data = self._take_frame(newest)
            if data is not None:
                return self._frame_of(data)
            if self.is_over or time.monotonic() >= until:
                return None
            self._wait(seen, until)

    def _take_frame(self, newest: bool) -> Optional[bytes]:
        count = self._plants.word(_FRAMES).value
        if count - self._next_frame > _FRAME_SLOTS:
            self._next_frame = count - _FRAME_SLOTS // 2  # away from those that are being written over
        data = None
        if newest and self._every == 1 and count - self._next_frame > 1:
            passed_over = count - self._next_frame - 1
            self._counters.frames_received += passed_over
            self._last_sequence += passed_over if self._last_sequence else 0
            self._next_frame = count - 1
        while self._next_frame < count:
            n = self._next_frame
            self._next_frame += 1
            found = self._slot(_SLOTS + n % _FRAME_SLOTS * self._frame_bytes, self._frame_bytes, n)
            if found is None:
                continue
            sequence = struct.unpack_from("<Q", found)[0]
            if sequence % self._every != 0:
                continue
            self._counters.frames_received += 1
            if 0 < self._last_sequence and sequence > self._last_sequence + self._every:
                self._counters.frames_lost += (sequence - self._last_sequence) // self._every - 1
            self._last_sequence = sequence
            data = found
            if not newest:
                break
        return data

    def _frame_of(self, data: bytes) -> frames_pb2.SensorFrame:
        words = self._frame_format.unpack_from(data)
        return frames_pb2.SensorFrame(
            schema_hash=self._schema_hash, sequence=words[0], step=words[1], time_s=words[2], due_ns=words[3],
            start_ns=words[4], command_sequence=words[5], command_age_ticks=words[6], state_hash=words[7],
            flags=words[8] & 0xFFFFFFFF, level=words[9] & 0xFFFFFFFF, value=words[_FRAME_HEAD:-1], quality=words[-1],
        )

    def _slot(self, offset: int, size: int, n: int) -> Optional[bytes]:
        """What follows its mark; None where the n-th is not whole, before and after it was copied."""
        mark = self._plants.word(offset)
        if mark.value != 2 * n + 2:
            return None
        data = self._plants.copy(offset + _WORD, size - _WORD)
        return data if mark.value == 2 * n + 2 else None

    def _wait(self, seen: int, until: float) -> None:
        """For more than at `seen`; the kernel's own look at the word comes after the mark that there is a sleeper."""
        time_s = min(until - time.monotonic(), _LONGEST_SLEEP_S)
        if time_s <= 0.0:
            return
        before = time.monotonic()
        sleeps = self._own.half(_SLEEPS)
        sleeps.value = 1
        self._plants.sleep_while(_SIGNALS, seen, time_s)
        sleeps.value = 0
        if time.monotonic() - before >= _LONGEST_SLEEP_S or self._plants.half(_IS_OVER).value != 0:
            self.look()

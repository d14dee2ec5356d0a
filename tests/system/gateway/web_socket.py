"""A WebSocket client of a few lines, for tests that send what no browser would."""

import base64
import os
import socket
import struct


class WebSocket:
    """Connected, or refused: then `refusal` is the first line of the answer."""

    def __init__(self, port, path="/ws", origin=None, host=None, protocols="kinloop.v1"):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        lines = [
            f"GET {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", "Upgrade: websocket", "Connection: Upgrade",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Protocol: {protocols}",
        ]
        if origin:
            lines.append(f"Origin: {origin}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self._more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        first = head.split(b"\r\n", 1)[0].decode()
        self.refusal = None if " 101 " in first else first
        self.close_code = None

    def _more(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the server closed the connection")
        return data

    def _take(self, count):
        while len(self.rest) < count:
            self.rest += self._more()
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def send(self, payload, opcode=2):
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([0x80 | opcode])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", size)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", size)
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    def recv(self):
        """The next message, whole; None once the server has closed, with the reason in `close_code`."""
        message = b""
        while True:
            first, second = self._take(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack(">H", self._take(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", self._take(8))
            payload = self._take(size)
            opcode = first & 0x0F
            if opcode == 9:
                self.send(payload, opcode=10)
            elif opcode == 8:
                self.close_code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else 0
                return None
            elif opcode in (0, 1, 2):  # a long one comes in parts, others of these in between
                message += payload
                if first & 0x80:
                    return message

    def close(self):
        self.socket.close()

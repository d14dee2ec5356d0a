"""Owns the clock of a campaign: the time of day of its plants steps back and forth, the host's own never does."""
import mmap
import pathlib
import shutil
import struct
import subprocess

from disks import Unavailable

SOURCE = pathlib.Path(__file__).resolve().parent / "false_clock.c"


class FalseClock:
    """Of programs that run with its environment."""

    def __init__(self, folder):
        library = folder / "false_clock.so"
        compiler = shutil.which("cc")
        self.why_not = None if compiler else "there is no compiler for a false clock"
        self._command = ""
        if self.why_not:
            return
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE)], check=True)
        with open(folder / "clock", "w+b") as file:
            file.write(bytes(8))
            file.flush()
            self._memory = mmap.mmap(file.fileno(), 8)
        self._command = f"env LD_PRELOAD={library} KINLOOP_FALSE_CLOCK={folder / 'clock'} "

    def command(self):
        """That runs another one with this clock."""
        return self._command

    def step(self, offset_s):
        if self.why_not:
            raise Unavailable(self.why_not)
        self._memory[:] = struct.pack("<q", int(offset_s * 1e9))

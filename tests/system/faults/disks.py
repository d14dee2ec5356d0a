"""Owns the disks of a campaign: a small one that can be filled, and one that becomes read-only under open files."""
import contextlib
import os
import shutil
import subprocess
import time

SMALL_MB = 96
IMAGE_MB = 16


class Unavailable(Exception):
    """This machine does not let us do that; what is left out is said."""


def as_root(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        raise Unavailable(f"{' '.join(command)}: {done.stderr.strip()}")


class SmallDisk:
    """A tmpfs of its own below `folder`; a plain folder, which cannot be filled, where mounting is not permitted."""

    def __init__(self, folder):
        self.folder = folder
        self.folder.mkdir()
        self.why_not = None
        try:
            as_root("mount", "-t", "tmpfs", "-o", f"size={SMALL_MB}m,mode=700", "campaign", str(folder))
        except Unavailable as error:
            self.why_not = str(error)

    def fill(self, time_s):
        """Nothing more can be written for so long."""
        if self.why_not:
            raise Unavailable(self.why_not)
        filler = self.folder / "filler"
        try:
            with open(filler, "wb", buffering=0) as file:
                end = time.monotonic() + time_s
                while time.monotonic() < end:  # others may free some meanwhile
                    with contextlib.suppress(OSError):
                        while file.write(bytes(1 << 16)):
                            pass
                    with contextlib.suppress(OSError):
                        while file.write(bytes(256)):
                            pass
                    time.sleep(0.01)
        finally:
            filler.unlink(missing_ok=True)

    def close(self):
        if self.why_not is None:
            with contextlib.suppress(Unavailable):
                as_root("umount", "-l", str(self.folder))


class ReadOnlyDisk:
    """An ext4 in a file that gives up at a word, as it does after an error: from then on every write fails."""

    def __init__(self, folder):
        self.image = folder.with_suffix(".img")
        self.folder = folder
        self.folder.mkdir()
        if not shutil.which("mkfs.ext4"):
            raise Unavailable("there is no mkfs.ext4")
        with open(self.image, "wb") as file:
            file.truncate(IMAGE_MB << 20)
        as_root("mkfs.ext4", "-q", "-F", str(self.image))
        as_root("mount", "-o", "loop", str(self.image), str(folder))

    def give_up(self):
        as_root("mount", "-o", "remount,abort", str(self.folder))
        try:
            (self.folder / "try").touch()
        except OSError:
            return
        raise Unavailable("the disk is written to all the same")

    def close(self):
        with contextlib.suppress(Unavailable):
            as_root("umount", "-l", str(self.folder))
        self.image.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            os.rmdir(self.folder)

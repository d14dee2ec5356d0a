"""Owns what /proc tells the system tests about the processes of a run."""
import contextlib
import glob
import pathlib


def memory_kb(pid):
    """VmRSS; 0 where the process is gone."""
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0


def children_of(pid):
    """Processes by what they were started for: "plant", "io"."""
    found = {}
    for stat in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):
            number = stat.split("/")[2]
            fields = pathlib.Path(stat).read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == pid and fields[0] not in "ZX":
                verb = pathlib.Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")[1]
                found[verb.decode()] = int(number)
    return found

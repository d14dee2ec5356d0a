"""Owns the history of a campaign: everything that was asked, answered and seen, and what must hold of it."""
import bisect
import json
import math
import threading
import time

STALE = 2  # kinloop.v1.FrameFlag


class History:
    """Entries of all threads, in the order of the clock; written to a file as they come."""

    def __init__(self, path):
        self.entries = []
        self.problems = []
        self._file = open(path, "w", encoding="utf-8")
        self._lock = threading.Lock()

    def add(self, kind, **what):
        entry = {"t": time.monotonic(), "kind": kind, **what}
        with self._lock:
            self.entries.append(entry)
            self._file.write(json.dumps(entry) + "\n")
            self._file.flush()

    def problem(self, text):
        self.add("problem", text=text)
        self.problems.append(text)

    def of(self, kind):
        return [entry for entry in self.entries if entry["kind"] == kind]

    def check(self):
        """All that can be said once the run is over; gives the problems found."""
        for law in (self._stops_hold, self._frames_are_whole, self._leases_exclude, self._steps_are_done_once):
            law()
        return self.problems

    def _stops_hold(self):
        """From the step that an answer names to the next re-arming, no frame shows an actuator that moves by command."""
        frames = self.of("frame")
        steps = [frame["step"] for frame in frames]  # rising, or the next law says so
        rearmed = [entry["t"] for entry in self.of("rearm")]
        for stop in self.of("stopped"):
            end = min([t for t in rearmed if t > stop["t"]], default=math.inf)
            for frame in frames[bisect.bisect_right(steps, stop["step"] + 1):]:
                if frame["t"] >= end:
                    break
                if not frame["flags"] & STALE:
                    self.problem(f"stopped at step {stop['step']}, but step {frame['step']} obeys commands")
                    break

    def _frames_are_whole(self):
        """Numbers and steps never go back, values are numbers, and what is missing fell into a fault."""
        faults = [(f["t"], f["until"] + 6.0) for f in self.of("fault")]  # io may take 5 s to be seen stuck
        last = None
        for frame in self.of("frame"):
            if not all(math.isfinite(value) for value in frame["values"]):
                self.problem(f"step {frame['step']} has a value that is no number")
            if last is not None and frame["step"] <= last["step"]:
                self.problem(f"step {frame['step']} came after step {last['step']}")
            if last is not None and frame["t"] - last["t"] > 5.0:  # machines stall
                if not any(begin < frame["t"] and last["t"] < end for begin, end in faults):
                    self.problem(f"no frame for {frame['t'] - last['t']:.1f} s before step {frame['step']}, and no fault")
            last = frame

    def _leases_exclude(self):
        """Two clients never hold one actuator at the same time: an answer to one lies outside the lease of the other."""
        held = sorted(self.of("lease"), key=lambda lease: lease["t"])
        for one, other in zip(held, held[1:]):
            if one["holder"] != other["holder"] and other["t"] < one["released"]:
                self.problem(f"{one['holder']} and {other['holder']} held the same actuator")

    def _steps_are_done_once(self):
        """A plant in lockstep has made as many steps as were acknowledged, whatever had to be asked again."""
        for count in self.of("lockstep"):
            if count["made"] != count["acknowledged"]:
                self.problem(f"{count['acknowledged']} steps were acknowledged, {count['made']} made")

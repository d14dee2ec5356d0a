"""Owns the history of a campaign: everything that was asked, answered and seen, and what must hold of it."""
import bisect
import collections
import json
import math
import threading
import time

STALE = 2  # kinloop.v1.FrameFlag
MAX_AGE_TICKS = 200  # of a command, in the campaign's rig
ASK_AGAIN_S = 1.0  # without an answer
LEASE_S = 1.0  # without a frame, then it ends
STEPS_A_FRAME = 10
RESTART_S = 6.0  # io may take 5 s to be seen stuck, and is then started again
# A record that lacks steps, its beginning, or all: nothing was on the disk yet when it was full, or io was killed.
TOLD_OF_LOSSES = ("missing", "no rig in it", "cut off before it says what it is of")
MAX_GROWTH_KB = 64 << 10
MAX_MORE_DESCRIPTORS = 40


class History:
    """Entries of all threads, in the order of the clock; written to a file as they come."""

    def __init__(self, path):
        self.entries = collections.defaultdict(list)  # by kind
        self.problems = []
        self._file = open(path, "w", encoding="utf-8")
        self._lock = threading.Lock()
        self._times = None  # of all entries, once the run is over

    def add(self, kind, **what):
        entry = {"t": time.monotonic(), "kind": kind, "plant": "", **what}
        with self._lock:
            self.entries[kind].append(entry)
            self._file.write(json.dumps(entry) + "\n")

    def problem(self, text):
        self.add("problem", text=text)
        self.problems.append(text)

    def of(self, kind, plant=None):
        return [entry for entry in self.entries[kind] if plant is None or entry["plant"] == plant]

    def check(self):
        """All that can be said once the run is over; gives the problems found."""
        self._times = None
        for plant in sorted({entry["plant"] for kind in ("frame", "stopped", "lease") for entry in self.entries[kind]}):
            for law in (self._stops_hold, self._frames_are_whole, self._frames_are_accounted_for,
                        self._old_commands_move_nothing, self._leases_exclude):
                law(plant)
        for law in (self._steps_are_done_once, self._requests_are_done_once, self._records_replay, self._what_is_altered_is_refused, self._all_is_flat):
            law()
        self._file.flush()
        return self.problems

    def _stops_hold(self, plant):
        """From the step that an answer names to the next re-arming, no frame shows an actuator that moves by command."""
        frames = self.of("frame", plant)
        steps = [frame["step"] for frame in frames]  # rising, or the next law says so
        rearmed = sorted(entry["t"] for entry in self.of("rearm", plant))
        for stop in self.of("stopped", plant):
            later = bisect.bisect_right(rearmed, stop["t"])
            end = rearmed[later] if later < len(rearmed) else math.inf
            for frame in frames[bisect.bisect_right(steps, stop["step"] + 1):]:
                if frame["t"] >= end:
                    break
                if not frame["flags"] & STALE:
                    self.problem(f"{plant}: stopped at step {stop['step']}, but step {frame['step']} obeys commands")
                    break

    def _frames_are_whole(self, plant):
        """Steps never go back, values are numbers, and silence fell into a fault."""
        last = None
        for frame in self.of("frame", plant):
            if not all(math.isfinite(value) for value in frame["values"]):
                self.problem(f"{plant}: step {frame['step']} has a value that is no number")
            if last is not None and frame["step"] <= last["step"]:
                self.problem(f"{plant}: step {frame['step']} came after step {last['step']}")
            silence = 0.0 if last is None else frame["t"] - last["t"]
            if silence > 5.0:  # machines stall
                silence -= self._blind_time(last["t"], frame["t"])
            if silence > 5.0 and not self._had_fault(plant, last["t"], frame["t"]):
                self.problem(f"{plant}: no frame for {silence:.1f} s before step {frame['step']}, and no fault")
            last = frame

    def _frames_are_accounted_for(self, plant):
        """The numbers tell of every frame that did not arrive; more are missing only where io was hit."""
        last = None
        for frame in self.of("frame", plant):
            if last is not None and frame.get("number", 0) > last.get("number", 0):  # else io was started again
                made = (frame["step"] - last["step"]) // STEPS_A_FRAME
                told = frame["number"] - last["number"]
                if made < told:
                    self.problem(f"{plant}: {told} frames are numbered where {made} were made, at step {frame['step']}")
                if made > told and not self._had_fault(plant, last["t"], frame["t"]):
                    self.problem(f"{plant}: {made - told} frames before step {frame['step']} are missing in silence")
            last = frame

    def _old_commands_move_nothing(self, plant):
        """Without a fresh command an actuator is safe max_age after it was re-armed, or commanded last."""
        free_since, last = 0, None
        for frame in self.of("frame", plant):
            is_stale = bool(frame["flags"] & STALE)
            was_seen = last is not None and frame["step"] - last["step"] <= STEPS_A_FRAME
            if not was_seen or last["flags"] & STALE:
                free_since = frame["step"]
            allowed = MAX_AGE_TICKS + STEPS_A_FRAME
            if not is_stale and min(frame.get("age", 0), frame["step"] - free_since) > allowed:
                self.problem(f"{plant}: step {frame['step']} obeys a command {frame['age']} ticks old")
            last = frame

    def _leases_exclude(self, plant):
        """Two clients never hold one actuator at the same time.

        From the answer to its acquiring to the moment at which it asked to give it back, and was told that it had it, a
        client held the lease for certain: no two such times of different clients overlap. And nobody loses it whose
        frames came in time: that would be somebody else's taking it.
        """
        longest = None  # of those before, the one that ended last
        for lease in sorted(self.of("lease", plant), key=lambda lease: lease["t"]):
            if longest is not None and longest["holder"] != lease["holder"] and lease["t"] < longest["released"]:
                self.problem(f"{longest['holder']} and {lease['holder']} held the same actuator")
            if longest is None or lease["released"] > longest["released"]:
                longest = lease
        for lost in self.of("lease_lost", plant):
            was_late = lost["pause"] > LEASE_S / 2  # or its frames were: the machine stalls
            is_explained = was_late or self._had_fault(plant, lost["since"], lost["t"])
            if not is_explained and not self._was_silent(plant, lost["since"], lost["t"], LEASE_S / 2):
                self.problem(f"{lost['holder']} lost its lease, and no fault took it")

    def _steps_are_done_once(self):
        """A plant in lockstep has made as many steps as were acknowledged, whatever had to be asked again."""
        for count in self.of("lockstep"):
            if count["made"] != count["acknowledged"]:
                self.problem(f"{count['acknowledged']} steps were acknowledged, {count['made']} made")

    def _requests_are_done_once(self):
        """What leaves a trace has left it once for each request that was acknowledged, however often its number was said."""
        for effects in self.of("effects"):
            asked = [entry for entry in self.of("request", effects["plant"]) if entry["verb"] == effects["verb"]]
            done = {tuple(entry["key"]) for entry in asked if entry["how"] in ("done", "repeated")}
            uncertain = {tuple(entry["key"]) for entry in asked if self._is_uncertain(entry)} - done
            if not len(done) <= effects["count"] <= len(done) + len(uncertain):
                self.problem(f"{effects['plant']}: {effects['verb']} was done {effects['count']} times, acknowledged "
                             f"{len(done)} times, and not known {len(uncertain)} times")

    @staticmethod
    def _is_uncertain(request):
        """It was not answered, or refused when it was asked again: an io that died may have done it."""
        return request["how"] == "unanswered" or (
            request["how"].startswith("refused") and request["t"] - request["asked"] >= ASK_AGAIN_S)

    def _records_replay(self):
        """Bit by bit; or they say that steps are missing, where a fault has kept them from being written."""
        for replay in self.of("replay"):
            if replay["code"] == 0:
                continue
            is_told = replay["code"] == 2 and any(words in replay["text"] for words in TOLD_OF_LOSSES)
            if not is_told or not self._had_fault(replay["plant"], replay["t"] - 60.0, replay["t"]):
                self.problem(f"{replay['file']} does not replay: code {replay['code']}: {replay['text']}")

    def _what_is_altered_is_refused(self):
        """Snapshots; a record that was damaged is refused, differs, or replays: it never ends the program."""
        for entry in self.of("altered"):
            if entry["what"] == "snapshot" and entry["accepted"]:
                self.problem("an altered snapshot was restored")
            if entry["what"] == "record" and entry["code"] not in (0, 2, 5):
                self.problem(f"a damaged record: code {entry['code']}: {entry['text']}")

    def _all_is_flat(self):
        """Memory and descriptors of each process that lives to the end."""
        for entry in self.of("footprint"):
            (memory_kb, descriptors), (memory_now_kb, descriptors_now) = entry["before"], entry["after"]
            what = f"{entry['plant']}: the {entry['part']}"
            if memory_now_kb > memory_kb + MAX_GROWTH_KB:
                self.problem(f"{what}'s memory grew from {memory_kb} to {memory_now_kb} kB")
            if descriptors_now > descriptors + MAX_MORE_DESCRIPTORS:
                self.problem(f"{what}'s descriptors grew from {descriptors} to {descriptors_now}")

    def _was_silent(self, plant, begin, end, longest_s):
        """Whether there was a time in which not even frames came."""
        times = [begin, *(frame["t"] for frame in self.of("frame", plant) if begin <= frame["t"] <= end), end]
        return any(later - earlier > longest_s for earlier, later in zip(times, times[1:]))

    def _blind_time(self, begin, end):
        """For how long the process of all clients stood still: none of its threads, whatever plant is theirs, wrote
        anything."""
        if self._times is None:
            self._times = sorted(entry["t"] for entries in self.entries.values() for entry in entries)
        seen = self._times[bisect.bisect_left(self._times, begin):bisect.bisect_right(self._times, end)]
        return sum(later - earlier for earlier, later in zip(seen, seen[1:]) if later - earlier > 1.0)

    def _had_fault(self, plant, begin, end):
        """Whether something was done to this plant that can be felt between these times."""
        return any(fault["t"] < end and begin < fault["until"] + RESTART_S
                   for fault in self.of("fault") if plant in fault["plants"])


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def worst_times(history):
    """Of each kind of fault: how often it came, the longest it lasted, the longest silence and stop that overlap it."""
    stops, gaps = [], []
    for stop in history.of("stopped"):
        stops.append((stop["plant"], stop["t"] - stop["took"], stop["t"], stop["took"]))
    last = {}
    for frame in history.of("frame"):
        before = last.get(frame["plant"])
        if before is not None and frame["t"] - before > 0.5:
            gaps.append((frame["plant"], before, frame["t"], frame["t"] - before))
        last[frame["plant"]] = frame["t"]
    rows = collections.OrderedDict()
    for fault in history.of("fault"):
        row = rows.setdefault(fault["what"], {"count": 0, "lasted": 0.0, "stop": 0.0, "silence": 0.0})
        row["count"] += 1
        row["lasted"] = max(row["lasted"], fault["until"] - fault["t"])
        for name, spans in (("stop", stops), ("silence", gaps)):
            for plant, begin, end, took in spans:
                if plant in fault["plants"] and begin < fault["until"] and fault["t"] < end:
                    row[name] = max(row[name], took)
    return rows

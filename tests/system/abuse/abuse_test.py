"""Whatever clients do, the plant steps, io serves others, and actuators are made safe.

Called by ctest as a script: exit code 77 where Python lacks what it needs.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

try:
    import pytest
    import zmq

    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    import abusers
    import plant as plants
    from abusers import run_apart
    from plant import MOST_AGE_TICKS, STALE, Client, Plant, Refused, error_pb2, eventually, is_alive, memory_kb
except (ImportError, FileNotFoundError) as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

MOST_GROWTH_KB = 128 << 10  # of io: its queues have bounds


class Watched:
    """A plant, and what must still hold of it after each abuse."""

    def __init__(self, **options):
        self.plant = Plant(**options)
        self.endpoints = self.plant.endpoints()
        self.memory_kb = memory_kb(self.plant.io())

    def refused(self):
        return self._with_client(lambda client: client.status().messages_refused)

    def leases(self):
        return self._with_client(lambda client: len(client.status().leases))

    def _with_client(self, use):
        client = Client(self.endpoints)
        try:
            return use(client)
        finally:
            client.close()

    def must_be_well(self, with_same_io=True):
        for name in ("supervisor", "plant", "io") if with_same_io else ("supervisor", "plant"):
            assert is_alive(self.plant.pids[name]), f"the {name} is alive: {self.plant.text()}"
        try:
            self._with_client(self._must_serve)
        except AssertionError as error:
            status = self._with_client(Client.status)
            raise AssertionError(f"{error}; its status:\n{status}\nthe plant said:\n{self.plant.text()[-4000:]}") from error
        assert memory_kb(self.plant.io()) < self.memory_kb + MOST_GROWTH_KB

    @staticmethod
    def _must_serve(client):
        """It describes, lets acquire, steps with the commands that are sent, and tells so."""
        client.describe()
        frames = client.subscribe()
        first = client.next_frame(frames)
        client.acquire(time_s=10.0)  # machines stall

        def is_obeyed():
            client.send(12.0)
            until = time.monotonic() + 1.0
            while time.monotonic() < until:  # every step has its frame: one of them has this very command
                frame = client.next_frame(frames)
                if frame.command_sequence == client.sequence and frame.command_age_ticks == 0:
                    return frame.step > first.step and not frame.flags & STALE
            return False

        eventually(is_obeyed, "its commands are in force")
        client.ask("release", lease=client.lease)


@pytest.fixture(scope="module")
def watched():
    one = Watched()
    yield one
    code = one.plant.stop()
    one.plant.remove()
    assert code == 0, "the plant ends well after all of it"


@pytest.fixture(autouse=True)
def clients_are_closed():
    """Also those of tests that failed: an open one would keep Python from ending."""
    yield
    Client.close_all()


# --- clients that die ---


@pytest.mark.parametrize("state", ["connected", "subscribed", "in_the_middle_of_a_message"])
def test_a_killed_client_is_not_missed(watched, state):
    with run_apart(*[(getattr(abusers, state), watched.endpoints)] * 3):
        pass  # killed here

    watched.must_be_well()


def frames_until(client, socket, condition):
    """Frames, up to the first that meets the condition."""
    frames = []
    until = time.monotonic() + plants.PATIENCE_S
    while time.monotonic() < until:
        frames.append(client.next_frame(socket))
        if condition(frames[-1]):
            return frames
    raise AssertionError(f"no such frame; the last was {frames[-1]}")


def must_be_made_safe_in_time(frames):
    """By counting steps: a command that is too old has made its actuator safe."""
    last = frames[-1]
    assert last.flags & STALE
    assert last.command_age_ticks <= MOST_AGE_TICKS + 1
    for frame in frames[:-1]:
        assert frame.command_age_ticks <= MOST_AGE_TICKS


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSTOP])
def test_actuators_of_a_holder_that_falls_silent_are_made_safe_and_its_lease_ends(watched, blow):
    client = Client(watched.endpoints)
    socket = client.subscribe()
    with run_apart((abusers.leased_and_sending, watched.endpoints)) as (holder,):
        frames_until(client, socket, lambda frame: not frame.flags & STALE)

        os.kill(holder.pid, blow)
        frames = frames_until(client, socket, lambda frame: frame.flags & STALE)

        must_be_made_safe_in_time(frames)
        eventually(lambda: watched.leases() == 0, "the lease ends")
    client.close()
    watched.must_be_well()


def test_a_holder_that_wakes_up_after_its_lease_is_over_is_refused(watched):
    with run_apart((abusers.leased_and_sending, watched.endpoints)) as (holder,):
        os.kill(holder.pid, signal.SIGSTOP)
        client = Client(watched.endpoints)
        client.describe()
        client.acquire(time_s=10.0)
        before = watched.refused()

        os.kill(holder.pid, signal.SIGCONT)
        eventually(lambda: watched.refused() > before + 10, "frames of the old lease are refused")

        assert watched.leases() == 1
        client.ask("release", lease=client.lease)
        client.close()
    watched.must_be_well()


# --- too much ---


def test_subscribers_that_never_read_cost_nobody_frames(watched):
    dropped = watched._with_client(lambda client: client.status().frames_dropped)
    client = Client(watched.endpoints)
    socket = client.subscribe()
    with run_apart((abusers.slow_subscribers, watched.endpoints, 60), (abusers.deaf_subscribers, watched.endpoints, 40)):
        frames = [client.next_frame(socket) for _ in range(1500)]
    watched.must_be_well()

    sequences = [frame.sequence for frame in frames]
    assert sequences == list(range(sequences[0], sequences[0] + len(sequences)))
    assert watched._with_client(lambda client: client.status().frames_dropped) - dropped <= 1000
    client.close()


def test_thousands_of_subscriptions_leave_room_for_others(watched):
    with run_apart((abusers.thousands_of_subscriptions, watched.endpoints)):
        watched.must_be_well()
    watched.must_be_well()


def test_who_subscribes_to_all_goes_on_to_get_frames_when_others_leave(watched):
    client = Client(watched.endpoints)
    to_all, to_one = client.subscribe(b""), client.subscribe(b"sensors/1/")
    client.next_frame(to_all)
    client.next_frame(to_one)

    to_one.close()
    client.ask("status")
    newest = client.next_frame(to_all).step
    frames_until(client, to_all, lambda frame: frame.step > newest + 1000)

    client.close()


def test_a_flood_of_control_requests_keeps_nobody_from_an_emergency_stop(watched):
    floods = [(abusers.control_flood, watched.endpoints, abusers.CHEAP_VERBS)] * 2
    floods += [(abusers.control_flood, watched.endpoints, abusers.FORCES)] * 2
    floods += [(abusers.control_flood_unread, watched.endpoints, "describe")]
    before = watched.refused()
    with run_apart(*floods):
        client = Client(watched.endpoints)
        client.ask("emergency_stop")
        client.ask_until_there_is_room("rearm")
        client.close()
        watched.must_be_well()
        eventually(lambda: watched.refused() > before, "what is too much is refused")
    watched.must_be_well()


def test_a_flood_of_frames_keeps_no_holder_from_commanding(watched):
    before = watched.refused()
    with run_apart(*[(abusers.actuator_flood, watched.endpoints)] * 3):
        watched.must_be_well()
        eventually(lambda: watched.refused() > before + 1000, "frames without a right are refused")
    watched.must_be_well()


# --- wrong messages ---


def test_garbage_on_every_socket_is_refused_and_counted(watched):
    before = watched.refused()
    with run_apart((abusers.garbage, watched.endpoints, 2000)):
        watched.must_be_well()
        eventually(lambda: watched.refused() > before + 1000, "garbage is refused, and counted")
    watched.must_be_well()


def test_messages_that_are_too_large_are_cut_off(watched):
    with run_apart((abusers.oversized, watched.endpoints)):
        watched.must_be_well()
    watched.must_be_well()


def test_connections_that_do_not_shake_hands_are_no_burden(watched):
    with run_apart((abusers.broken_handshakes, watched.endpoints)):
        watched.must_be_well()
    watched.must_be_well()


def test_a_message_without_an_end_is_given_back_when_its_sender_goes(watched):
    with run_apart((abusers.endless_message, watched.endpoints, 32)):
        watched.must_be_well()
    watched.must_be_well()


def test_requests_of_other_versions_are_refused_by_name(watched):
    client = Client(watched.endpoints)
    for version in (0, 2, 2**32 - 1):
        request = client.request("pause")
        request.version = version

        with pytest.raises(Refused) as refused:
            client.ask_message(request)

        assert refused.value.code == error_pb2.ERROR_CODE_VERSION
    client.close()
    watched.must_be_well()


def test_a_refused_request_leaves_its_number_free(watched):
    client = Client(watched.endpoints)
    request = client.request("describe")
    request.version = 2
    with pytest.raises(Refused):
        client.ask_message(request)

    request.version = 1
    assert client.ask_message(request).description.rig == "abused"

    client.close()


def test_wrong_frames_of_a_holder_are_refused_and_its_good_ones_obeyed(watched):
    client = Client(watched.endpoints)
    client.describe()
    client.acquire(time_s=5.0)
    client.send(12.0)
    client.send(12.0)
    wrong, odd_values = abusers.wrong_frames(watched.endpoints, client.lease, 100)
    before = watched.refused()

    for name, frame in wrong.items():
        client.actuators.send(frame.SerializeToString())
        assert client.answer().HasField("error"), name
    refused_values = client.status().commands_refused
    for count, frame in enumerate(odd_values):
        frame.sequence += count
        client.actuators.send(frame.SerializeToString())
        eventually(lambda: client.status().commands_refused > refused_values, "the value is refused")
        refused_values = client.status().commands_refused
    client.sequence = 1000
    socket = client.subscribe()
    client.send(12.0)
    frames_until(client, socket, lambda frame: frame.command_sequence == 1001)

    assert watched.refused() - before >= len(wrong)
    client.ask("release", lease=client.lease)
    client.close()
    watched.must_be_well()


def test_a_replayed_frame_is_refused_under_a_later_lease_too(watched):
    client = Client(watched.endpoints)
    client.describe()
    client.acquire()
    overheard = client.frame(47.0).SerializeToString()
    client.send(12.0)
    client.ask("release", lease=client.lease)
    client.acquire()
    client.send(12.0)

    client.actuators.send(overheard)

    assert client.answer().error.code == error_pb2.ERROR_CODE_NO_LEASE
    client.ask("release", lease=client.lease)
    client.close()


def test_a_long_name_of_a_holder_does_not_spoil_the_status_for_all(watched):
    client = Client(watched.endpoints)

    client.acquire(holder="a" + "é" * 100)

    assert client.status().leases[0].holder.startswith("aé")
    client.ask("release", lease=client.lease)
    client.close()


def test_a_record_has_a_name_that_is_no_way_and_writes_no_terminal(watched):
    client = Client(watched.endpoints)
    for name in ("../away.mcap", "a/b.mcap", "bell\a.mcap", "line\nbreak", "\x1b[2J", "x" * 300):
        with pytest.raises(Refused, match="no folders and no control characters"):
            client.ask("record", name=name)


def test_a_cancelled_capture_is_answered(watched):
    client = Client(watched.endpoints)
    capture = client.request("capture", sensor="crank_angle", condition=1, level=1e9, steps_after=1)
    client.control.send(capture.SerializeToString())

    client.ask("cancel", request_id=capture.request_id)

    with pytest.raises(Refused) as refused:
        client.ask_message(capture)
    assert refused.value.code == error_pb2.ERROR_CODE_CANCELLED
    client.close()


def test_damaged_snapshots_are_refused_or_stepped_from_and_a_good_one_heals(watched):
    client = Client(watched.endpoints)
    good = client.ask("snapshot").snapshot
    failed = client.status().failed_steps
    refused = 0

    for damaged in abusers.fuzzed_snapshots(good, 150):
        try:
            client.ask("restore", snapshot=damaged)
        except Refused:
            refused += 1
        assert client.status().failed_steps == failed, f"the plant fails after {damaged}"
    client.ask("restore", snapshot=client.ask("snapshot").snapshot)
    client.ask("restore", snapshot=good)

    assert refused > 100
    watched.must_be_well()
    assert client.status().failed_steps == failed
    client.close()


def test_a_snapshot_without_a_hash_is_refused_whatever_it_holds(watched):
    """Also as it was made: version 1 had none. An altered command that never aged made a step fail after 1.6 s."""
    client = Client(watched.endpoints)
    good = client.ask("snapshot").snapshot.policies[0]
    for value, age_ticks in ((good.value, good.age_ticks), (1e17, -(2**63)), (1e17, 0), (12.0, -1), (float("nan"), 0)):
        snapshot = client.ask("snapshot").snapshot
        snapshot.version, snapshot.hash = 1, 0
        snapshot.policies[0].value, snapshot.policies[0].age_ticks = value, age_ticks

        with pytest.raises(Refused, match="without a hash"):
            client.ask("restore", snapshot=snapshot)

    client.close()
    watched.must_be_well()


def test_a_refused_snapshot_leaves_the_parameters_as_they_were(watched):
    """Of a crank that the running linkage cannot have all of a sudden, with a state that is none."""
    client = Client(watched.endpoints)
    failed = client.status().failed_steps
    damaged = client.ask("snapshot").snapshot
    damaged.parameters.add(name="crank", value="-1 m")
    damaged.block[8] += 1.0

    for _ in range(20):  # wherever the crank is
        with pytest.raises(Refused):
            client.ask("restore", snapshot=damaged)

    assert client.ask("get_parameters", names=["crank"]).parameters.values[0].value == "0.8 m"
    assert client.status().failed_steps == failed
    client.close()
    watched.must_be_well()


def test_a_snapshot_cannot_smuggle_parameters_in(watched):
    client = Client(watched.endpoints)
    snapshot = client.ask("snapshot").snapshot
    snapshot.parameters.add(name="crank_mass", value="1 kg\nrocker\t1.5 m")

    with pytest.raises(Refused):
        client.ask("restore", snapshot=snapshot)

    client.close()
    watched.must_be_well()


# --- io dies ---


def test_io_that_is_killed_again_and_again_comes_back_and_the_plant_goes_on():
    watched = Watched()
    try:
        talkers = [(abusers.leased_and_sending, watched.endpoints), (abusers.subscribed, watched.endpoints)]
        talkers += [(abusers.control_flood, watched.endpoints, abusers.CHEAP_VERBS)]
        with run_apart(*talkers):
            for _ in range(3):
                io = eventually(watched.plant.io, "there is an io")
                os.kill(io, signal.SIGKILL)
                eventually(lambda io=io: watched.plant.io() not in (None, io), "it is started again")
        watched.must_be_well(with_same_io=False)

        before = watched._with_client(lambda client: client.status().step)
        eventually(lambda: watched._with_client(lambda client: client.status().step) > before, "it steps")
    finally:
        code = watched.plant.stop()
        watched.plant.remove()
    assert code == 0


# --- lockstep ---


def test_a_client_that_dies_while_it_waits_in_lockstep_holds_up_nobody():
    plant = Plant(mode="lockstep")
    try:
        client = Client(plant.endpoints())
        client.describe()
        client.ask("pause")
        with run_apart((abusers.waiting_in_lockstep, plant.endpoints())):
            pass  # killed here
        client.acquire()
        client.ask("resume")

        for i in range(100):
            client.send(12.0)
            assert client.answer().frame.step >= i + 1

        assert all(is_alive(pid) for pid in plant.pids.values())
        client.close()
    finally:
        code = plant.stop()
        plant.remove()
    assert code == 0


# --- keys ---


def make_keys(folder):
    allowed = folder / "keys"
    allowed.mkdir(mode=0o700)
    for name, role in (("server", "server"), ("alice", "operator"), ("mallory", "operator")):
        subprocess.run([plants.BINARY, "keygen", name, "--role", role], cwd=folder, check=True, capture_output=True)
    (folder / "alice.public").rename(allowed / "alice.public")

    def read(path):
        lines = [line.strip() for line in path.read_text().splitlines()]
        return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))

    server = read(folder / "server.public")["public_key"].encode()

    def keys_of(name):
        own = read(folder / f"{name}.secret")
        return own["public_key"].encode(), own["secret_key"].encode(), server

    options = ["--listen", "tcp://127.0.0.1:0", "--keys", str(allowed), "--server-key", str(folder / "server.secret")]
    return options, keys_of


def test_who_has_no_key_gets_nothing_through_and_disturbs_nobody_who_has(tmp_path):
    os.umask(0o077)
    options, keys_of = make_keys(tmp_path)
    plant = Plant(options=options)
    try:
        endpoints = plant.endpoints("tcp")
        wrong_server = (*keys_of("alice")[:2], keys_of("mallory")[0])
        strangers = [Client(endpoints, keys) for keys in (keys_of("mallory"), wrong_server, None)]
        for stranger in strangers:
            with contextlib.suppress(zmq.Again):  # who was turned away by then has nobody to say it to
                stranger.control.send(stranger.request("shutdown").SerializeToString(), zmq.DONTWAIT)
        with run_apart((abusers.broken_handshakes, endpoints), (abusers.connected_by_hand, endpoints)):
            alice = Client(endpoints, keys_of("alice"))
            Watched._must_serve(alice)

            assert not any(stranger.control.poll(0) for stranger in strangers)
        assert all(is_alive(pid) for pid in plant.pids.values())
    finally:
        code = plant.stop()
        plant.remove()
    assert code == 0


if __name__ == "__main__":
    sys.exit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *sys.argv[1:], __file__]))

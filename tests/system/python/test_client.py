"""What the client does by itself: finding plants, keys, launching, errors, the schema alone."""
import os
import pathlib
import re
import subprocess
import sys

import kinloop
import pytest
import zmq
from conftest import CLIENT, PATIENCE_S, ROOT
from kinloop import discovery, errors, launcher
from kinloop.v1 import control_pb2, describe_pb2, error_pb2, event_pb2, frames_pb2



def make_plant_folder(runtime, name, rig, pid):
    folder = runtime / name
    folder.mkdir()
    (folder / "endpoints").write_text(f"pid {pid}\nrig {rig}\nmode free\ncontrol ipc://{folder}/control\n")


def test_plants_are_found_by_rig_by_name_and_alone(tmp_path):
    make_plant_folder(tmp_path, f"crane-{os.getpid()}", "crane", os.getpid())
    make_plant_folder(tmp_path, "crane-0", "crane", 2**22 + 1)  # there is no such process

    address = f"ipc://{tmp_path}/crane-{os.getpid()}/control"
    assert [plant.rig for plant in kinloop.running_plants(tmp_path)] == ["crane"]
    for name in (None, "crane", f"crane-{os.getpid()}"):
        assert discovery.find_control_address(name, tmp_path) == address
    with pytest.raises(kinloop.NotFoundError, match="there is crane-"):
        discovery.find_control_address("excavator", tmp_path)


def test_several_plants_must_be_named(tmp_path):
    for name in ("a", "b"):
        make_plant_folder(tmp_path, name, "crane", os.getpid())

    with pytest.raises(kinloop.UsageError, match="a \\(free\\), b \\(free\\)"):
        kinloop.connect(runtime_folder=tmp_path)
    with pytest.raises(kinloop.NotFoundError, match="kinloop run RIG starts one"):
        kinloop.connect(runtime_folder=tmp_path / "nowhere")


def test_an_address_without_a_host_gets_that_of_control():
    assert discovery.reachable_address("tcp://0.0.0.0:5601", "tcp://plant:5600") == "tcp://plant:5601"
    assert discovery.reachable_address("tcp://[::]:5601", "ipc:///x") == "tcp://127.0.0.1:5601"
    assert discovery.reachable_address("tcp://10.0.0.7:5601", "tcp://plant:5600") == "tcp://10.0.0.7:5601"


def test_key_files_are_read(tmp_path):
    own, secret = (key.decode() for key in zmq.curve_keypair())
    server = zmq.curve_keypair()[0].decode()
    (tmp_path / "a.secret").write_text(f"# mine\nname: a\npublic_key: {own}\nsecret_key: {secret}\n")
    (tmp_path / "server.public").write_text(f"name: server\npublic_key: {server}\n")

    keys = kinloop.read_keys(tmp_path / "a.secret", tmp_path / "server.public")

    assert (keys.server_key, keys.public_key, keys.secret_key) == (server, own, secret)
    assert secret not in repr(keys)
    with pytest.raises(kinloop.UsageError, match="secret_key"):
        kinloop.read_keys(tmp_path / "server.public", tmp_path / "server.public")
    with pytest.raises(kinloop.UsageError, match="40 characters"):
        kinloop.Keys(server, own, "short")


@pytest.fixture
def key_folder(tmp_path):
    """Files of a server, of alice, who operates, and of bob, who looks on."""
    for name, role in (("server", "server"), ("alice", "operator"), ("bob", "observer")):
        command = [launcher.find_binary(), "keygen", name, "--role", role]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "keys").mkdir(mode=0o700)
    for name in ("alice", "bob"):
        (tmp_path / f"{name}.public").rename(tmp_path / "keys" / f"{name}.public")
    return tmp_path


def test_a_plant_is_reached_over_tcp_with_keys_only(launch, key_folder):
    guarded = {"keys": key_folder / "keys", "server_key": key_folder / "server.secret"}
    with launch("pendulum", listen="tcp://127.0.0.1:0", **guarded) as local:
        address = next(one.address for one in local.description.endpoints if one.socket == "control" and one.server_key)
        with pytest.raises(kinloop.NoAnswerError):
            kinloop.connect(address, timeout=0.5)
        with kinloop.connect(address, keys=(key_folder / "alice.secret", key_folder / "server.public")) as alice:
            alice.acquire()
            events = alice.events(timeout=PATIENCE_S)
            assert alice.step([1.0]).step == 1
            assert next(events) is not None
            places = [alice._place_of(socket)[0] for socket in ("actuators", "sensors", "events")]
            assert all(place.startswith("tcp:") for place in places)
        with kinloop.connect(address, keys=(key_folder / "bob.secret", key_folder / "server.public")) as bob:
            assert bob.describe().rig == "pendulum"
            with pytest.raises(kinloop.ForbiddenError) as caught:
                bob.acquire()
            assert caught.value.code is kinloop.ErrorCode.FORBIDDEN


def test_every_code_of_the_schema_has_an_exception():
    for name, number in error_pb2.ErrorCode.items():
        code = errors.ErrorCode(number)
        error = errors.refusal(error_pb2.Error(code=number, message="because", field="x"))

        assert name == f"ERROR_CODE_{code.name}"
        assert (error.code, error.field, str(error)) == (code, "x", "because")
        assert number == 0 or type(error) is not kinloop.RefusedError
    assert type(errors.refusal(error_pb2.Error(code=1000))) is kinloop.RefusedError


@pytest.mark.parametrize(
    "ours, theirs, prefix",
    [
        (kinloop.Mode, describe_pb2.Mode, "MODE_"),
        (kinloop.FaultKind, control_pb2.FaultKind, "FAULT_KIND_"),
        (kinloop.Condition, control_pb2.Condition, "CONDITION_"),
        (kinloop.PlantState, event_pb2.PlantState, "PLANT_STATE_"),
        (kinloop.FrameFlag, frames_pb2.FrameFlag, "FRAME_FLAG_"),
        (kinloop.SensorFlag, frames_pb2.SensorFlag, "SENSOR_FLAG_"),
    ],
)
def test_enumerations_are_those_of_the_schema(ours, theirs, prefix):
    schema = {name[len(prefix):]: number for name, number in theirs.items() if number != 0}

    assert {name: int(one) for name, one in ours.__members__.items() if int(one) != 0} == schema


def test_every_verb_of_the_schema_has_a_method():
    verbs = {field.name for field in control_pb2.ControlRequest.DESCRIPTOR.oneofs_by_name["verb"].fields}
    renamed = {"step": "step_n", "override": "override_signal", "record": "start_record"}

    missing = [verb for verb in verbs if not hasattr(kinloop.Plant, renamed.get(verb, verb))]

    assert not missing


def test_a_rig_is_changed_by_its_top_level_keys(rigs):
    text = launcher.changed_rig(rigs / "four_bar.yaml", {"watchdog": "{timeout: 9 s}", "fault": "stop"})

    assert text.count("watchdog:") == 1
    assert "watchdog: {timeout: 9 s}\n" in text
    assert "50 ms" not in text
    assert f'model: "{rigs}/../models/four_bar.yaml"' in text
    assert "  - name: crank_speed" in text


def test_a_plant_that_does_not_start_says_why(rigs):
    with pytest.raises(kinloop.LaunchError, match="no such rig"):
        with kinloop.launch("nowhere.yaml"):
            pass
    with pytest.raises(kinloop.LaunchError, match="(?s)ended with code 2.*hertz"):
        with kinloop.launch(rigs / "pendulum.yaml", changes={"rate": "1 hertz"}):
            pass
    with pytest.raises(kinloop.LaunchError, match="KINLOOP"):
        kinloop.launch(rigs / "pendulum.yaml", binary="no_such_binary")


def test_a_plant_that_dies_in_the_block_tells_its_last_words(launch, capsys):
    with pytest.raises(RuntimeError):
        run = launch("pendulum", duration="1 ms")
        with run as plant:
            plant.acquire()
            plant.step([0.0])
            run.process.wait(PATIENCE_S)
            raise RuntimeError("as a test that fails would")

    assert "the plant had ended with code 0:" in capsys.readouterr().err


def test_matrices_are_lists_where_numpy_is_missing():
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "import kinloop\n"
        "from kinloop.results import Linearization\n"
        "from kinloop.v1 import control_pb2\n"
        "reply = control_pb2.LinearizeReply(states=['a', 'b'], inputs=['u'], a=[1, 2, 3, 4], b=[5, 6])\n"
        "model = Linearization.from_message(reply)\n"
        "assert model.A == [[1, 2], [3, 4]] and model.B == [[5], [6]] and model.C == [], model\n"
    )

    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(CLIENT)})


def test_a_client_of_the_schema_alone_gets_the_same_hash(cart_pole, tmp_path):
    schemas = sorted((ROOT / "proto/kinloop/v1").glob("*.proto"))
    subprocess.run(["protoc", f"-I{ROOT}/proto", f"--python_out={tmp_path}", *map(str, schemas)], check=True)
    script = pathlib.Path(__file__).with_name("minimal_client.py")
    expected = [cart_pole.step([0.0]).state_hash for _ in range(100)][-1]
    cart_pole.reset()
    cart_pole.release()

    done = subprocess.run(
        [sys.executable, str(script), cart_pole._control.address],
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, check=True, capture_output=True, text=True,
    )

    assert re.search(r"^step 100,", done.stdout, re.MULTILINE)
    assert f"hash {expected:016x}" in done.stdout

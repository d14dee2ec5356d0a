#!/usr/bin/env python3
"""The gateway of a real plant: who is let in, what scripts get, what pages may do, what abuse comes to.

    gateway_test.py KINLOOP
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from processes import children_of  # noqa: E402
from web_socket import WebSocket

ROOT = pathlib.Path(__file__).resolve().parents[3]
KINLOOP = os.path.abspath(sys.argv[1])
WORK = tempfile.TemporaryDirectory(prefix="kinloop-gateway-")
subprocess.run(
    ["protoc", "-I", ROOT / "proto", f"--python_out={WORK.name}", *sorted((ROOT / "proto/kinloop/v1").glob("*.proto"))],
    check=True)
sys.path.insert(0, WORK.name)
from kinloop.v1 import control_pb2, event_pb2, frames_pb2, panel_pb2  # noqa: E402

TOKENS = {"observer": "observer-token-0123456789abcdef", "operator": "operator-token-0123456789abcdef"}


@contextlib.contextmanager
def plant(*options, rig="four_bar", pages_close=True):
    """A running plant; gives its port. Pages that do not close, nor answer, are given up five seconds after its end."""
    file = rig if isinstance(rig, pathlib.Path) else ROOT / f"configs/rigs/{rig}.yaml"
    command = [KINLOOP, "run", file, "--allow-degraded", "--runs", f"{WORK.name}/runs"]
    if not any(str(option).startswith("--panel=") for option in options):
        command.append("--panel=127.0.0.1:0")
    process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                               env={**os.environ, "KINLOOP_RUNTIME_DIR": f"{WORK.name}/runtime"})
    try:
        for line in process.stderr:
            found = re.search(r"open http://\S+:(\d+)", line)
            if found:
                break
        else:
            raise AssertionError("the plant ended without an address")
        port = int(found.group(1))
        until("health", lambda: get(port, "/healthz")[0] == 200)
        plant.pid = process.pid
        yield port
    finally:
        while pages_close and Page.opened:
            Page.opened.pop().socket.close()
        process.terminate()
        process.stderr.read()
        assert process.wait(20) == 0, process.returncode


def until(what, condition, patience_s=20):
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {patience_s} s")


def get(port, path, body=None, **headers):
    """Status and text."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=body,
                                     headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def control(port, **verb):
    status, text = get(port, "/api/control", json.dumps(verb).encode(), Content_Type="application/json")
    return status, json.loads(text)


class Page:
    """As a browser's page."""

    opened = []

    def __init__(self, port, **options):
        self.socket = WebSocket(port, **options)
        Page.opened.append(self)
        self.number = 0

    def message(self, *kinds):
        """The next one of these kinds."""
        while True:
            payload = self.socket.recv()
            if payload is None:
                return None
            message = panel_pb2.PageMessage.FromString(payload)
            if not kinds or message.WhichOneof("what") in kinds:
                return message

    def send(self, **what):
        self.socket.send(panel_pb2.PageRequest(**what).SerializeToString())

    def ask(self, **verb):
        self.number += 1
        self.send(control=control_pb2.ControlRequest(request_id=self.number, **verb))
        return self.reply()

    def reply(self):
        while True:
            reply = self.message("reply").reply
            if reply.request_id == self.number:
                return reply

    def snapshot(self, action, name):
        self.number += 1
        self.send(snapshot=panel_pb2.SnapshotWish(action=action, name=name, request_id=self.number))
        return self.reply()


def leases(port, **headers):
    return json.loads(get(port, "/api/status", **headers)[1])["leases"]


def test_scripts_get_json():
    with plant() as port:
        description = json.loads(get(port, "/api/describe")[1])
        assert description["rig"] == "four_bar" and description["actuators"][0]["name"] == "motor"
        first = until("a sample", lambda: (lambda one: one if one["step"] > 0 else None)(json.loads(get(port, "/api/sensors")[1])))
        until("time goes on", lambda: json.loads(get(port, "/api/sensors")[1])["step"] > first["step"])
        assert "kinloop_steps_total{" in get(port, "/metrics")[1]
        assert get(port, "/")[0] == 200
        assert get(port, "/nothing")[0] == 404
        status, reply = control(port, pause={})
        assert status == 200 and "done" in reply, reply
        until("paused", lambda: json.loads(get(port, "/api/status")[1])["state"] == "PLANT_STATE_PAUSED")
        assert control(port, step={"steps": 5})[0] == 200
        assert control(port, inject_fault={"signal": "nobody", "kind": "FAULT_KIND_OFF"})[0] == 404
        assert get(port, "/api/control", b"{", Content_Type="application/json")[0] == 400
        assert get(port, "/api/control", b"{}")[0] == 415
        assert get(port, "/api/control")[0] == 405
        try:
            status = get(port, "/api/control", b" " * (2 << 20), Content_Type="application/json")[0]
        except OSError:
            status = 413  # it was said, and the connection closed before all was sent
        assert status == 413
        assert get(port, "/healthz")[0] == 200


def test_pages_of_other_sites_are_turned_away():
    with plant() as port:
        assert get(port, "/api/status", Origin="http://evil.example")[0] == 403
        assert get(port, "/", Host="rebound.example")[0] == 403
        assert get(port, "/api/status", Origin=f"http://127.0.0.1:{port}")[0] == 200
        foreign = Page(port, origin="http://evil.example")
        assert foreign.message() is None and foreign.socket.close_code == 4403
        assert WebSocket(port, path="/other").refusal is not None


def test_tokens_and_roles():
    tokens = pathlib.Path(WORK.name) / "tokens"
    tokens.write_text("".join(f"{role} {role}1 {token}\n" for role, token in TOKENS.items()))
    tokens.chmod(0o600)
    with plant("--panel-tokens", tokens) as port:
        assert get(port, "/healthz")[0] == 200
        assert get(port, "/api/status")[0] == 401
        assert get(port, "/metrics", Authorization="Bearer " + TOKENS["observer"])[0] == 200
        assert get(port, "/api/control", b'{"pause": {}}', Content_Type="application/json",
                   Authorization="Bearer " + TOKENS["observer"])[0] == 403
        nobody = Page(port)
        assert nobody.message() is None and nobody.socket.close_code == 4401
        wrong = Page(port, protocols="kinloop.v1, token." + TOKENS["observer"][:-1] + "x")
        assert wrong.message() is None and wrong.socket.close_code == 4401
        observer = Page(port, protocols="kinloop.v1, token." + TOKENS["observer"])
        assert observer.message("scene").scene.role == "observer"
        forbidden = observer.ask(pause=control_pb2.PauseRequest())
        assert forbidden.error.message, forbidden
        assert not observer.ask(emergency_stop=control_pb2.EmergencyStopRequest()).HasField("error")
        operator = Page(port, protocols="kinloop.v1, token." + TOKENS["operator"])
        assert operator.message("scene").scene.role == "operator"
        # The list of snapshots is one for all pages: it is the instructor's.
        assert "role" in operator.snapshot(panel_pb2.SnapshotWish.ACTION_SAVE, "mine").error.message
        assert operator.ask(acquire=control_pb2.AcquireRequest(holder="somebody else")).HasField("acquired")
        until("the holder is who the token names", lambda: [one["holder"] for one in
              leases(port, Authorization="Bearer " + TOKENS["observer"])] == ["operator1"])


def test_bad_tokens_and_addresses_are_refused():
    tokens = pathlib.Path(WORK.name) / "bad_tokens"
    tokens.write_text("operator alice short\n")
    tokens.chmod(0o600)

    def refusal(*options):
        result = subprocess.run([KINLOOP, "run", ROOT / "configs/rigs/four_bar.yaml", "--allow-degraded", "--runs",
                                 f"{WORK.name}/runs", *options], capture_output=True, text=True, timeout=60)
        assert result.returncode == 2, result
        return result.stderr

    assert "bad_tokens:1" in refusal("--panel", "--panel-tokens", tokens)
    assert "--panel-tokens" in refusal("--panel=0.0.0.0:8080")
    assert "127.0.0.1:8080" in refusal("--panel=8080")
    assert "--listen none" in refusal("--panel", "--listen", "none")


def test_a_page_drives_and_gives_back_when_it_closes_or_hides():
    with plant() as port:
        page = Page(port)
        scene = page.message("scene").scene
        assert scene.panel.axes[0].actuator == "motor"
        acquired = page.ask(acquire=control_pb2.AcquireRequest(time_s=30.0, holder="panel")).acquired
        page.send(frame=frames_pb2.ActuatorFrame(schema_hash=scene.description.schema_hash, lease=acquired.lease,
                                                 sequence=1, value=[12.0], rearm=1))
        until("the command is in force", lambda: abs(page.message("view").view.commands[0] - 12.0) < 1e-9)
        other = Page(port)
        other.message("scene")
        assert other.ask(acquire=control_pb2.AcquireRequest()).error.message
        other.send(frame=frames_pb2.ActuatorFrame(schema_hash=scene.description.schema_hash, lease=acquired.lease,
                                                  sequence=2, value=[-48.0]))
        assert other.message("refusal").refusal.error.message  # a lease is its page's own
        until("the page holds it, as far as the status knows", lambda: leases(port))
        page.send(wishes=panel_pb2.Wishes(hidden=True))
        until("a hidden page holds nothing", lambda: not leases(port))
        assert other.ask(acquire=control_pb2.AcquireRequest(time_s=60.0)).HasField("acquired")
        until("it is held again", lambda: leases(port))
        other.socket.close()
        until("a closed page holds nothing", lambda: not leases(port), patience_s=5)


def test_snapshots_have_names_and_are_everybodys():
    with plant() as port:
        page = Page(port)
        page.message("scene")
        wish = panel_pb2.SnapshotWish
        assert not page.snapshot(wish.ACTION_SAVE, "before").HasField("error")
        other = Page(port)
        named = other.message("snapshots").snapshots.snapshots
        assert [one.name for one in named] == ["before"]
        until("time goes on", lambda: other.message("view").view.step > named[0].step + 200)
        assert not other.snapshot(wish.ACTION_RESTORE, "before").HasField("error")
        assert other.snapshot(wish.ACTION_RESTORE, "never").error.message
        assert other.snapshot(wish.ACTION_SAVE, "").error.message
        assert not other.snapshot(wish.ACTION_FORGET, "before").HasField("error")


def test_parameters_alter_the_scene():
    with plant(rig="cart_pole") as port:
        page = Page(port)
        before = page.message("scene").scene
        name = before.description.parameters[0].name
        value = before.description.parameters[0].value
        reply = page.ask(set_parameters=control_pb2.SetParametersRequest(values=[{"name": name, "value": f"({value}) * 1.01"}]))
        assert not reply.HasField("error"), reply
        scene = page.message("scene").scene
        assert scene.description.parameters[0].value != value


def test_pages_health_and_metrics_follow_the_heartbeat_of_the_plant():
    rig = pathlib.Path(WORK.name) / "patient.yaml"  # a plant that is stopped is not killed at once
    text = (ROOT / "configs/rigs/four_bar.yaml").read_text().replace("model: ..", f"model: {ROOT}/configs")
    rig.write_text(re.sub(r"watchdog:.*\n", "", text) + "watchdog: {timeout: 60 s}\n")
    with plant(rig=rig) as port:
        page = Page(port)
        child = until("the plant", lambda: children_of(plant.pid).get("plant"))

        def is_state(state, page):
            return page.message("status").status.state == event_pb2.PlantState.Value(f"PLANT_STATE_{state}")

        def running():
            return re.search(r"kinloop_plant_running\{[^}]*\} (\d)", get(port, "/metrics")[1]).group(1)

        until("it runs", lambda: is_state("RUNNING", page))
        assert running() == "1"
        os.kill(child, signal.SIGSTOP)
        try:
            until("the page is told", lambda: is_state("DEAD", page))
            assert get(port, "/healthz")[0] == 503 and running() == "0"
            assert json.loads(get(port, "/api/status")[1])["state"] == "PLANT_STATE_DEAD"
            assert is_state("DEAD", Page(port)), "who comes now is told the same"
        finally:
            os.kill(child, signal.SIGCONT)
        until("it runs again", lambda: is_state("RUNNING", page))
        assert get(port, "/healthz")[0] == 200 and running() == "1"


def test_abuse_is_answered_and_an_emergency_stop_gets_through():
    with plant(pages_close=False) as port:
        page = Page(port)
        page.message("scene")
        page.socket.send(b"\xff" * 100)
        assert page.message("reply").reply.error.message
        page.socket.send(b"")
        assert page.message("reply").reply.error.message
        floods = [Page(port) for _ in range(4)]
        status = control_pb2.ControlRequest(request_id=1, status=control_pb2.StatusRequest())
        payload = panel_pb2.PageRequest(control=status).SerializeToString()
        for flood in floods:
            flood.socket.socket.settimeout(0.5)
            with contextlib.suppress(OSError):
                for _ in range(2000):
                    flood.socket.send(payload)
        begin = time.monotonic()
        assert not page.ask(emergency_stop=control_pb2.EmergencyStopRequest()).HasField("error")
        took = time.monotonic() - begin
        assert took < 2.0, f"an emergency stop took {took} s"
        until("it is latched", lambda: page.message("view").view.stopped == 1)
        for flood in floods:
            flood.socket.close()
        huge = Page(port)
        huge.message("scene")
        with contextlib.suppress(OSError):
            huge.socket.send(b"\0" * (3 << 20))
            while huge.message() is not None:
                pass
        until("others are served", lambda: get(port, "/healthz")[0] == 200)
        assert page.ask(rearm=control_pb2.RearmRequest()).WhichOneof("answer") != "error"


def main():
    tests = [value for name, value in sorted(globals().items()) if name.startswith("test_")]
    failed = 0
    for test in tests:
        try:
            test()
            print(f"ok      {test.__name__}", flush=True)
        except Exception as error:  # noqa: BLE001: whatever it is, the others are to run
            failed += 1
            traceback.print_exc()
            print(f"FAILED  {test.__name__}: {error}", flush=True)
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

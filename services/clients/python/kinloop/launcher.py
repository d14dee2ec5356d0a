"""Owns launch(): a plant as a child process, for tests and scripts that want one of their own."""
from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
from typing import List, Mapping, Optional, Tuple, Type, Union

from kinloop.discovery import default_runtime_folder, read_endpoints
from kinloop.errors import LaunchError, NoAnswerError
from kinloop.keys import Path
from kinloop.plant import Plant, connect

Option = Union[str, int, float, bool, "os.PathLike[str]", List[str], None]

_LONGEST_START_S = 30.0
_LONGEST_END_S = 20.0
_NAP_S = 0.02


def find_binary(binary: Optional[Path] = None) -> str:
    """The argument, else $KINLOOP, else kinloop on the PATH."""
    wanted = os.fspath(binary) if binary is not None else os.environ.get("KINLOOP") or "kinloop"
    found = shutil.which(wanted)
    if found is None:
        raise LaunchError(f"'{wanted}' is no program: name the binary of kinloop by binary=, $KINLOOP or the PATH")
    return os.path.abspath(found)


def changed_rig(rig: Path, changes: Mapping[str, str]) -> str:
    """The text of a rig file with these top-level keys replaced or added, each a key and its YAML value.

    The model is named by its whole path, so that the text may lie anywhere.
    """
    path = pathlib.Path(rig).resolve()
    blocks: List[Tuple[str, str]] = []  # key, text
    for line in path.read_text(encoding="utf-8").splitlines():
        key = re.match(r"([A-Za-z_]+):", line)
        if key:
            blocks.append((key[1], line))
        elif blocks:  # indented, or a remark, or an entry of a list: goes with the key above it
            blocks[-1] = (blocks[-1][0], f"{blocks[-1][1]}\n{line}")
    kept = [text if key != "model" else _whole_model(text, path) for key, text in blocks if key not in changes]
    return "\n".join([*kept, *(f"{key}: {value}" for key, value in changes.items())]) + "\n"


def _whole_model(line: str, rig: pathlib.Path) -> str:
    named = line.partition(":")[2].partition(" #")[0].strip().strip("'\"")
    return f"model: {json.dumps(str(rig.parent / named))}"  # what JSON quotes, YAML understands


class Launch:
    """A context manager: it starts the plant, gives a Plant, and ends both. `process` is there meanwhile."""

    def __init__(
        self,
        rig: Path,
        options: Mapping[str, Option],
        changes: Optional[Mapping[str, str]],
        binary: Optional[Path],
        runtime_folder: Optional[Path],
        timeout: float,
        connection: Mapping[str, object],
    ) -> None:
        self.process: Optional[subprocess.Popen[bytes]] = None
        self.plant: Optional[Plant] = None
        self.exit_code: Optional[int] = None  # of the plant, once it has ended
        self._rig = rig
        self._options = options
        self._changes = changes
        self._binary = find_binary(binary)
        self._runtime = pathlib.Path(runtime_folder) if runtime_folder is not None else default_runtime_folder()
        self._connection = {"timeout": timeout, **connection}
        self._scratch: Optional[pathlib.Path] = None

    def __enter__(self) -> Plant:
        self._scratch = pathlib.Path(tempfile.mkdtemp(prefix="kinloop-launch-"))
        try:
            self._start()
            self.plant = self._connected()
        except BaseException:
            self._end()
            raise
        return self.plant

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[types.TracebackType],
    ) -> None:
        if error is not None and self.process is not None and self.process.poll() is not None:
            print(f"the plant had ended with code {self.process.returncode}:\n{self.log}", file=sys.stderr)
        if self.plant is not None:
            self.plant.close()
        self._end()

    @property
    def log(self) -> str:
        """What the plant printed so far."""
        if self._scratch is None:
            return ""
        try:
            return (self._scratch / "log").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def _arguments(self, scratch: pathlib.Path) -> List[str]:
        rig = pathlib.Path(self._rig)
        if not rig.is_file():
            raise LaunchError(f"{rig}: there is no such rig")
        if self._changes:
            text = changed_rig(rig, self._changes)
            rig = scratch / rig.name
            rig.write_text(text, encoding="utf-8")
        arguments = [self._binary, "run", str(rig)]
        for name, value in {"runs": scratch / "runs", **self._options}.items():
            option = "--" + name.replace("_", "-")
            if isinstance(value, bool):
                arguments += [option] if value else []
            elif value is not None:
                for one in value if isinstance(value, list) else [value]:
                    arguments += [option, str(one)]
        return arguments

    def _start(self) -> None:
        assert self._scratch is not None
        environment = {**os.environ, "KINLOOP_RUNTIME_DIR": str(self._runtime)}
        with open(self._scratch / "log", "wb") as log:
            self.process = subprocess.Popen(
                self._arguments(self._scratch), stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
            )

    def _connected(self) -> Plant:
        """As soon as the folder of this very process names its sockets."""
        assert self.process is not None
        end = time.monotonic() + _LONGEST_START_S
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise LaunchError(f"the plant ended with code {self.process.returncode}:\n{self.log}")
            for folder in self._runtime.glob(f"*-{self.process.pid}"):
                found = read_endpoints(folder)
                if found is not None and found.pid == self.process.pid:
                    try:
                        return connect(found.control, runtime_folder=self._runtime, **self._connection)  # type: ignore
                    except NoAnswerError:
                        continue
            time.sleep(_NAP_S)
        raise LaunchError(f"the plant did not answer within {_LONGEST_START_S:g} s:\n{self.log}")

    def _end(self) -> None:
        if self.process is not None:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
                try:
                    self.process.wait(_LONGEST_END_S)
                except subprocess.TimeoutExpired:
                    self.process.kill()
                    self.process.wait()
            self.exit_code = self.process.returncode
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None


def launch(
    rig: Path,
    mode: Optional[str] = None,
    *,
    changes: Optional[Mapping[str, str]] = None,
    binary: Optional[Path] = None,
    runtime_folder: Optional[Path] = None,
    timeout: float = 20.0,
    connection: Optional[Mapping[str, object]] = None,
    allow_degraded: bool = True,
    **options: Option,
) -> Launch:
    """Starts a plant, waits until it answers, gives a Plant, and ends it at the end of the block:

        with kinloop.launch("configs/rigs/cart_pole.yaml", mode="lockstep") as plant:
            ...

    mode: "real_time", "lockstep" or "free" instead of the rig's.
    changes: top-level keys of the rig to run it with, as YAML: {"watchdog": "{timeout: 20 s}"}.
    binary: else $KINLOOP, else kinloop on the PATH.
    allow_degraded: run also where the host does not permit real time, as in CI.
    connection: further arguments of connect(), which uses the local sockets.
    options: all others of `kinloop run`: wait=True, record="a.mcap", listen=["tcp://*:5600"], runs="folder" (else the
        directory of the run is removed with the plant).
    """
    all_options = {"mode": mode, "allow_degraded": allow_degraded, **options}
    return Launch(rig, all_options, changes, binary, runtime_folder, timeout, connection or {})

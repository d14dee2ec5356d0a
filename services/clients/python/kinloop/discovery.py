"""Owns the finding of plants: which run on this host, and where a named one is reached."""
from __future__ import annotations

import dataclasses
import os
import pathlib
from typing import Dict, List, Optional

from kinloop.errors import NotFoundError, UsageError
from kinloop.keys import Path


@dataclasses.dataclass(frozen=True)
class RunningPlant:
    """A plant of this host, as its file "endpoints" tells it."""

    name: str  # "four_bar-4711"
    rig: str
    mode: str
    pid: int
    control: str  # its address


def default_runtime_folder() -> pathlib.Path:
    """$KINLOOP_RUNTIME_DIR, else $XDG_RUNTIME_DIR/kinloop, else /tmp/kinloop-<uid>."""
    own = os.environ.get("KINLOOP_RUNTIME_DIR")
    if own:
        return pathlib.Path(own)
    xdg = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(xdg):
        return pathlib.Path(xdg) / "kinloop"
    return pathlib.Path(f"/tmp/kinloop-{os.getuid()}")


def read_endpoints(folder: pathlib.Path) -> Optional[RunningPlant]:
    """None where the folder is none of a plant whose sockets are open."""
    try:
        text = (folder / "endpoints").read_text(encoding="utf-8")
    except OSError:
        return None
    fields: Dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        fields.setdefault(key, value.strip())  # the first address of a socket is the local one
    pid = fields.get("pid", "")
    if not pid.isdigit() or "control" not in fields:
        return None
    return RunningPlant(folder.name, fields.get("rig", ""), fields.get("mode", ""), int(pid), fields["control"])


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):  # somebody else's, but there
        return True
    return True


def running_plants(runtime_folder: Optional[Path] = None) -> List[RunningPlant]:
    """Those whose process is there, by name."""
    folder = pathlib.Path(runtime_folder) if runtime_folder is not None else default_runtime_folder()
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return []
    found = (read_endpoints(entry) for entry in entries)
    return [plant for plant in found if plant is not None and _is_running(plant.pid)]


def find_control_address(plant: Optional[str], runtime_folder: Optional[Path] = None) -> str:
    """`plant`: None (the only one that runs), a rig's name, "<rig>-<pid>", or an address already."""
    if plant and "://" in plant:
        return plant
    running = running_plants(runtime_folder)
    named = [one for one in running if not plant or plant in (one.name, one.rig)]
    if len(named) == 1:
        return named[0].control
    listed = ", ".join(f"{one.name} ({one.mode})" for one in (named or running))
    if named:
        raise UsageError(f"several plants run: name one of {listed}")
    if running:
        raise NotFoundError(f"no plant '{plant}' runs on this host; there is {listed}")
    folder = runtime_folder if runtime_folder is not None else default_runtime_folder()
    raise NotFoundError(
        f"no plant runs on this host (none in {os.fspath(folder)}): kinloop run RIG starts one; "
        "one elsewhere is named by its address"
    )


def reachable_address(address: str, control: str) -> str:
    """`address` with the host of `control` where it has none of its own (0.0.0.0, *, [::])."""
    scheme, _, place = address.partition("://")
    host, _, port = place.rpartition(":")
    if scheme != "tcp" or host not in ("", "*", "0.0.0.0", "[::]", "::"):
        return address
    other = control.partition("://")[2].rpartition(":")[0] if control.startswith("tcp://") else ""
    return f"tcp://{other or '127.0.0.1'}:{port}"

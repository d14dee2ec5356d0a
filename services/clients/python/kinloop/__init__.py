"""Client of Kinloop: connects a controller, a test or a script to a running plant.

    import kinloop

    with kinloop.connect("cart_pole") as plant:
        plant.acquire()
        for frame in plant.frames(newest=True):
            plant.send({"belt": controller(frame["pole_angle"])})

See docs/clients-python.md; kinloop.Model and kinloop.Simulation, in this process, are told of in
docs/python.md.
"""
from typing import TYPE_CHECKING, Any, Optional

from kinloop.discovery import RunningPlant, default_runtime_folder, running_plants
from kinloop.errors import (
    BadReplyError,
    BusyError,
    CancelledError,
    Complaint,
    ErrorCode,
    ForbiddenError,
    InternalError,
    InvalidError,
    KinloopError,
    LaunchError,
    LeasedError,
    MalformedError,
    ModelError,
    NoAnswerError,
    NoLeaseError,
    NotFoundError,
    NotNowError,
    NumberUsedError,
    PlantError,
    RefusedError,
    ReplayedError,
    SchemaError,
    StepError,
    TooLargeError,
    UnknownNameError,
    UsageError,
    VersionError,
)
from kinloop.keys import Keys, read_keys
from kinloop.results import (
    Capture,
    Condition,
    Counters,
    Effect,
    FaultEffect,
    FaultKind,
    Lease,
    Linearization,
    Mode,
    MotionState,
    PlantState,
    QuadraticCost,
    Record,
    Rollout,
    Snapshot,
    Trajectory,
    Trim,
)

if TYPE_CHECKING:
    from kinloop.native import Environment, Model, Simulation, VectorEnvironment  # noqa: F401

# What talks needs ZeroMQ, protobuf and the messages of the schema; models in the process need none of them.
_no_network: Optional[ImportError] = None
try:
    from kinloop.frame import Frame, FrameFlag, SensorFlag
    from kinloop.launcher import Launch, launch
    from kinloop.plant import Plant, connect
    from kinloop.stop import StopReceipt, emergency_stop
except ImportError as _error:
    _no_network = _error
    if (_error.name or "").startswith("kinloop") or "_pb2" in str(_error):
        _no_network = ImportError(
            "the messages of the schema are not there yet: run services/clients/python/generate", name=_error.name
        )

_NETWORK = frozenset(
    "Frame FrameFlag SensorFlag Launch launch Plant connect StopReceipt emergency_stop".split()
)
_NATIVE = frozenset("Model Simulation Environment VectorEnvironment".split())


def __getattr__(name: str) -> Any:
    """What is in the process is loaded when it is first used: docs/python.md."""
    if name in _NATIVE:
        import kinloop.native as native

        return getattr(native, name)
    if name in _NETWORK and _no_network is not None:
        raise _no_network
    raise AttributeError(f"module 'kinloop' has no attribute {name!r}")


__version__ = "0.1.0"
__all__ = [
    "BadReplyError",
    "BusyError",
    "CancelledError",
    "Capture",
    "Complaint",
    "Condition",
    "Counters",
    "Effect",
    "ErrorCode",
    "FaultEffect",
    "FaultKind",
    "ForbiddenError",
    "Frame",
    "FrameFlag",
    "InternalError",
    "InvalidError",
    "Keys",
    "KinloopError",
    "Launch",
    "LaunchError",
    "Lease",
    "LeasedError",
    "Linearization",
    "MalformedError",
    "Mode",
    "ModelError",
    "MotionState",
    "NoAnswerError",
    "NoLeaseError",
    "NotFoundError",
    "NotNowError",
    "NumberUsedError",
    "Plant",
    "PlantError",
    "PlantState",
    "QuadraticCost",
    "Record",
    "RefusedError",
    "ReplayedError",
    "Rollout",
    "RunningPlant",
    "SchemaError",
    "SensorFlag",
    "Snapshot",
    "StepError",
    "StopReceipt",
    "TooLargeError",
    "Trajectory",
    "Trim",
    "UnknownNameError",
    "UsageError",
    "VersionError",
    "connect",
    "default_runtime_folder",
    "emergency_stop",
    "launch",
    "read_keys",
    "running_plants",
]

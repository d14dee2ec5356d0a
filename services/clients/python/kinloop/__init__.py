"""Client of Kinloop: connects a controller, a test or a script to a running plant.

    import kinloop

    with kinloop.connect("cart_pole") as plant:
        plant.acquire()
        for frame in plant.frames(newest=True):
            plant.send({"belt": controller(frame["pole_angle"])})

See docs/clients-python.md.
"""
try:
    from kinloop.v1 import control_pb2 as _messages  # noqa: F401
except ImportError as error:
    if (error.name or "").startswith("kinloop") or "_pb2" in str(error):
        raise ImportError(
            "the messages of the schema are not there yet: run services/clients/python/generate", name=error.name
        ) from error
    raise

from kinloop.discovery import RunningPlant, default_runtime_folder, running_plants
from kinloop.errors import (
    BadReplyError,
    BusyError,
    CancelledError,
    ErrorCode,
    ForbiddenError,
    InternalError,
    InvalidError,
    KinloopError,
    LaunchError,
    LeasedError,
    MalformedError,
    NoAnswerError,
    NoLeaseError,
    NotFoundError,
    NotNowError,
    NumberUsedError,
    PlantError,
    RefusedError,
    ReplayedError,
    SchemaError,
    TooLargeError,
    UnknownNameError,
    UsageError,
    VersionError,
)
from kinloop.frame import Frame, FrameFlag, SensorFlag
from kinloop.keys import Keys, read_keys
from kinloop.launcher import Launch, launch
from kinloop.plant import Plant, connect
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
    Record,
    Rollout,
    Snapshot,
)
from kinloop.stop import StopReceipt, emergency_stop

__version__ = "0.1.0"
__all__ = [
    "BadReplyError",
    "BusyError",
    "CancelledError",
    "Capture",
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
    "MotionState",
    "NoAnswerError",
    "NoLeaseError",
    "NotFoundError",
    "NotNowError",
    "NumberUsedError",
    "Plant",
    "PlantError",
    "PlantState",
    "Record",
    "RefusedError",
    "ReplayedError",
    "Rollout",
    "RunningPlant",
    "SchemaError",
    "SensorFlag",
    "Snapshot",
    "StopReceipt",
    "TooLargeError",
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

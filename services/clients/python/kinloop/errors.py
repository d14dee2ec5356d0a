"""Owns the exceptions: one class for each reason a plant gives, and those of this side of the wire."""
from __future__ import annotations

import enum
from typing import Dict, Optional, Type

from kinloop.v1 import error_pb2


class ErrorCode(enum.IntEnum):
    """Why the plant refused something: kinloop.v1.ErrorCode."""

    UNSPECIFIED = 0
    MALFORMED = 1
    VERSION = 2
    SCHEMA = 3
    INVALID = 4
    UNKNOWN_NAME = 5
    LEASED = 6
    NO_LEASE = 7
    REPLAYED = 8
    FORBIDDEN = 9
    BUSY = 10
    NOT_NOW = 11
    PLANT = 12
    CANCELLED = 13
    INTERNAL = 14
    NUMBER_USED = 15
    TOO_LARGE = 16


class KinloopError(Exception):
    """All errors of this package.

    code: the plant's reason; None where the plant did not say anything.
    field: what of the request it is about; may be empty.
    """

    def __init__(self, message: str, code: Optional[ErrorCode] = None, field: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.field = field


class UsageError(KinloopError, ValueError):
    """The call makes no sense: too few values, no lease, a key that is none."""


class NotFoundError(KinloopError):
    """No running plant has that name."""


class NoAnswerError(KinloopError, TimeoutError):
    """The plant did not answer in time, or cannot be reached now."""


class BadReplyError(KinloopError):
    """The plant answered something that is no answer to this request."""


class LaunchError(KinloopError):
    """A plant did not start; the message ends with what it printed."""


class RefusedError(KinloopError):
    """The plant answered: no."""


class MalformedError(RefusedError):
    """The bytes are no message of this schema, or too many."""


class VersionError(RefusedError):
    """This plant speaks another version of the schema."""


class SchemaError(RefusedError):
    """Made for another rig, or for another version of it: describe() again."""


class InvalidError(RefusedError, ValueError):
    """A field has a value that makes no sense."""


class UnknownNameError(RefusedError, KeyError):
    """There is no signal, actuator, parameter or body of that name."""

    __str__ = Exception.__str__  # KeyError's would put it in quotes


class LeasedError(RefusedError):
    """Somebody else holds the lease of that actuator."""


class NoLeaseError(RefusedError):
    """The lease is over or was never given: acquire() one."""


class ReplayedError(RefusedError):
    """The sequence number was used before."""


class ForbiddenError(RefusedError, PermissionError):
    """The role of the key does not permit this."""


class BusyError(RefusedError):
    """Too many requests, or no room for more of that kind: try later."""


class NotNowError(RefusedError):
    """Not in this mode or state of the plant."""


class PlantError(RefusedError):
    """The plant behind the sockets did not answer in time, or is gone."""


class CancelledError(RefusedError):
    """The job was cancelled, or its condition was not met in time."""


class InternalError(RefusedError):
    """Something else went wrong in the plant."""


class NumberUsedError(RefusedError):
    """The request's number was used before, for another request: nothing was done."""


class TooLargeError(RefusedError, ValueError):
    """The answer would be larger than answers may be: ask for less, as the message says."""


_CLASSES: Dict[ErrorCode, Type[RefusedError]] = {
    ErrorCode.MALFORMED: MalformedError,
    ErrorCode.VERSION: VersionError,
    ErrorCode.SCHEMA: SchemaError,
    ErrorCode.INVALID: InvalidError,
    ErrorCode.UNKNOWN_NAME: UnknownNameError,
    ErrorCode.LEASED: LeasedError,
    ErrorCode.NO_LEASE: NoLeaseError,
    ErrorCode.REPLAYED: ReplayedError,
    ErrorCode.FORBIDDEN: ForbiddenError,
    ErrorCode.BUSY: BusyError,
    ErrorCode.NOT_NOW: NotNowError,
    ErrorCode.PLANT: PlantError,
    ErrorCode.CANCELLED: CancelledError,
    ErrorCode.INTERNAL: InternalError,
    ErrorCode.NUMBER_USED: NumberUsedError,
    ErrorCode.TOO_LARGE: TooLargeError,
}


def refusal(error: error_pb2.Error, about: str = "") -> RefusedError:
    """The exception for an Error of the wire; codes of later versions become plain RefusedErrors."""
    try:
        code = ErrorCode(error.code)
    except ValueError:
        code = ErrorCode.UNSPECIFIED
    text = about + (error.message or f"refused with code {error.code}")
    return _CLASSES.get(code, RefusedError)(text, code, error.field)

"""Owns the exceptions: one class for each reason a plant gives, and those of this side of the wire."""
from __future__ import annotations

import dataclasses
import enum
import re
from typing import TYPE_CHECKING, Dict, Optional, Sequence, Tuple, Type

if TYPE_CHECKING:  # the exceptions are those of models in the process too, where nobody needs messages
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


@dataclasses.dataclass(frozen=True)
class Complaint:
    """One thing that is wrong with a file or dictionary."""

    message: str
    file: str  # as it was named; "<dictionary>" for a dictionary
    line: int  # from 1; 0 where it is not known
    column: int
    field: str  # "bodies[2].mass"; may be empty

    _PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+)(?:: (?P<field>.*))?", re.DOTALL)

    @classmethod
    def at(cls, where: str, message: str) -> Complaint:
        """From "file:line:column: field", "file: field" or "field"."""
        place = cls._PLACE.fullmatch(where)
        if place is None:
            file, _, field = where.partition(": ")
            is_file = file.lower().endswith((".yaml", ".yml", ".json", ".urdf", ".sdf", ".xml")) or "/" in file
            return cls(message, file, 0, 0, field) if is_file or file == "<dictionary>" else cls(message, "", 0, 0, where)
        return cls(message, place["file"], int(place["line"]), int(place["column"]), place["field"] or "")

    def __str__(self) -> str:
        parts = [f"{self.file}:{self.line}:{self.column}" if self.line else self.file, self.field, self.message]
        return ": ".join(part for part in parts if part)


class ModelError(KinloopError, ValueError):
    """A model or rig, from a file or a dictionary, that is none: everything that is wrong with it, in file order.

    file, line, column and field are those of the first complaint.
    """

    def __init__(self, complaints: Sequence[Complaint]) -> None:
        self.complaints: Tuple[Complaint, ...] = tuple(complaints)
        first = self.complaints[0] if self.complaints else Complaint("nothing is known", "", 0, 0, "")
        super().__init__("\n".join(map(str, self.complaints)) or str(first), ErrorCode.INVALID, first.field)
        self.file, self.line, self.column = first.file, first.line, first.column

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return ModelError, (self.complaints,)


class StepError(KinloopError, ArithmeticError):
    """A step or an evaluation that cannot be done: singular, diverged, loops that do not close. status says which."""

    def __init__(self, message: str, status: str = "") -> None:
        super().__init__(message, ErrorCode.PLANT)
        self.status = status or message


def native_failure(kind: int, errors: Sequence[Tuple[str, str]]) -> KinloopError:
    """The exception for a failure of the compiled module: services/python/failure.hpp has the kinds."""
    if kind == 2:
        return ModelError([Complaint.at(where, what) for where, what in errors])
    where, what = errors[0]
    if kind == 3:
        return StepError(what, where)
    classes = {0: (InvalidError, ErrorCode.INVALID), 1: (UnknownNameError, ErrorCode.UNKNOWN_NAME)}
    one, code = classes.get(kind, (NotNowError, ErrorCode.NOT_NOW))
    return one(what, code, where)


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

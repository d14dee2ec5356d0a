"""Owns the choice between numpy arrays and lists: without numpy everything else still works."""
from __future__ import annotations

from typing import Any, Iterable, List, Sequence

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

Array = Any  # numpy.ndarray, or nested lists of float where there is no numpy


def vector(values: Iterable[float]) -> Array:
    """One-dimensional."""
    return list(values) if numpy is None else numpy.array(list(values), dtype=float)


def matrix(values: Sequence[float], rows: int, columns: int) -> Array:
    """From numbers that lie row by row."""
    if numpy is not None:
        return numpy.array(values, dtype=float).reshape(rows, columns)
    return [list(values[i * columns : (i + 1) * columns]) for i in range(rows)]


def stack(matrices: List[Array]) -> Array:
    """Of matrices of one shape."""
    return matrices if numpy is None else numpy.array(matrices)


def flat(values: Any) -> List[float]:
    """All numbers of nested sequences or arrays, row by row; a mere number is one of them."""
    if hasattr(values, "ravel"):
        return [float(value) for value in values.ravel()]
    try:
        items = iter(values)
    except TypeError:
        return [float(values)]
    return [number for item in items for number in flat(item)]

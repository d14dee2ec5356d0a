"""Owns Box: the space of actions and observations, gymnasium's own where that package is installed."""
from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy

try:
    from gymnasium.spaces import Box  # type: ignore[import-not-found]
except ImportError:

    class Box:  # type: ignore[no-redef]
        """Arrays between two others: the part of gymnasium.spaces.Box that learners use."""

        def __init__(
            self,
            low: Any,
            high: Any,
            shape: Optional[Tuple[int, ...]] = None,
            dtype: Any = numpy.float64,
            seed: Optional[int] = None,
        ) -> None:
            self.dtype = numpy.dtype(dtype)
            self.shape = tuple(shape) if shape is not None else numpy.broadcast(low, high).shape
            self.low = numpy.broadcast_to(numpy.asarray(low, self.dtype), self.shape).copy()
            self.high = numpy.broadcast_to(numpy.asarray(high, self.dtype), self.shape).copy()
            if not (self.low <= self.high).all():
                raise ValueError("low is above high, or not a number")
            self._random = numpy.random.default_rng(seed)

        def seed(self, seed: Optional[int] = None) -> None:
            """Of sample()."""
            self._random = numpy.random.default_rng(seed)

        def sample(self) -> numpy.ndarray:
            """Uniform between bounds; exponential from the one there is, normal where there is none."""
            below, above = numpy.isfinite(self.low), numpy.isfinite(self.high)
            out = self._random.normal(size=self.shape)
            away = self._random.exponential(size=self.shape)
            out = numpy.where(below & ~above, self.low + away, out)
            out = numpy.where(~below & above, self.high - away, out)
            both = below & above
            low, high = numpy.where(both, self.low, 0.0), numpy.where(both, self.high, 0.0)
            return numpy.where(both, self._random.uniform(low, high), out).astype(self.dtype)

        def contains(self, x: Any) -> bool:
            """Whether it has the shape, a type that fits, and lies between the bounds."""
            x = numpy.asarray(x)
            if x.shape != self.shape or not numpy.can_cast(x.dtype, self.dtype):
                return False
            return bool(((x >= self.low) & (x <= self.high)).all())

        __contains__ = contains

        def __eq__(self, other: object) -> bool:
            return (
                isinstance(other, Box)
                and self.shape == other.shape
                and self.dtype == other.dtype
                and numpy.array_equal(self.low, other.low)
                and numpy.array_equal(self.high, other.high)
            )

        __hash__ = None  # type: ignore[assignment]

        def __repr__(self) -> str:
            return f"Box({self.low}, {self.high}, {self.shape}, {self.dtype})"

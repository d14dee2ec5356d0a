"""Owns Model: a mechanism, and what follows from its coordinates and speeds."""
from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Optional, Tuple

import _kinloop
import numpy

from kinloop.native.description import Source, file_and_text, settings


class Energy(NamedTuple):
    """In J; gravity counts from the world's origin."""

    kinetic: float
    potential: float

    @property
    def total(self) -> float:
        """Their sum."""
        return self.kinetic + self.potential


class Reaction(NamedTuple):
    """What the predecessor exerts on the successor through a joint, at the origin of frame B, world axes."""

    wrench: numpy.ndarray  # force x, y, z in N, then moment x, y, z in Nm
    unique: numpy.ndarray  # which of the six statics determine; others are one of many values


class Model(_kinloop.Model):
    """A mechanism, from a file (Kinloop's YAML, URDF, SDF) or a dictionary of the same form as the YAML.

    All numbers are in SI units. `q` has nq entries in the order of `coordinates`, `v` has nv in the order of `speeds`;
    quaternions are brought to unit length. Methods keep nothing: the same arguments give the same bits. What is wrong with an
    argument raises InvalidError, an unknown name UnknownNameError, an evaluation that cannot be done StepError.
    """

    def __init__(self, source: Source, *, parameters: Optional[Mapping[str, Any]] = None, base: str = "auto") -> None:
        """parameters replace the file's: {"length": 0.5} or {"length": "50 cm"}; base is that of a URDF or SDF: "auto",
        "fixed" or "floating". Raises ModelError with file, line and field."""
        file, text = file_and_text(source)
        super().__init__(file, text, settings(parameters), base)

    @classmethod
    def load(cls, path: Source, *, parameters: Optional[Mapping[str, Any]] = None, base: str = "auto") -> Model:
        """The model of a file; the same as Model(path)."""
        return cls(path, parameters=parameters, base=base)

    @classmethod
    def from_dict(cls, description: Mapping[str, Any], *, parameters: Optional[Mapping[str, Any]] = None) -> Model:
        """The model that a dictionary describes, with the keys of docs/model-format.md."""
        return cls(description, parameters=parameters)

    @classmethod
    def _of_plant(cls, plant: _kinloop.Plant) -> Model:
        model = cls.__new__(cls)
        _kinloop.Model.__init__(model, plant)
        return model

    def energy(self, q: Any, v: Any = None) -> Energy:
        """Kinetic and potential energy: gravity, springs, end stops, bushings."""
        return Energy(*super().energy(q, v))

    def reactions(
        self, q: Any, v: Any, tau: Any = None, *, time_s: float = 0.0, dynamics: str = "auto"
    ) -> Dict[str, Reaction]:
        """What every joint carries, those that close loops included, by their names; `tau` acts along the speeds."""
        found = super().reactions(q, v, tau, time_s, dynamics)
        return {name: Reaction(*one) for name, one in found.items()}

    def __repr__(self) -> str:
        return f"<Model {self.name}: {len(self.bodies) - 1} bodies, nq={self.nq}, nv={self.nv}, {len(self.loops)} loops>"

    def __reduce__(self) -> Tuple[Any, ...]:
        raise TypeError("a Model cannot be pickled: load it again from its file or dictionary")

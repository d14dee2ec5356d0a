"""Owns Plant: a rig as it was read, of which simulations are made."""
from __future__ import annotations

import os
from typing import Any, Dict, Mapping, Optional, Tuple, Union

import _kinloop

from kinloop.native.description import Source, file_and_text, settings
from kinloop.native.model import Model


class Plant(_kinloop.Plant):
    """A mechanism with its actuators, sensors and solver, from a rig file or a dictionary of the same form.

    In a dictionary `model` may be a file's name, which counts from `folder`, a dictionary or a Model.
    """

    def __init__(
        self,
        source: Source,
        *,
        parameters: Optional[Mapping[str, Any]] = None,
        folder: Optional[Union[str, "os.PathLike[str]"]] = None,
    ) -> None:
        """parameters of the model go before those that the rig file sets. Raises ModelError with file, line and field."""
        if hasattr(self, "_model"):
            raise TypeError("a Plant stays what it was read from: make another one")
        model: Optional[_kinloop.Model] = None
        if isinstance(source, Mapping) and isinstance(source.get("model"), (Mapping, _kinloop.Model)):
            given = source["model"]
            own = {**source.get("parameters", {}), **(parameters or {})}
            if isinstance(given, _kinloop.Model):
                if own:
                    raise ValueError("parameters: a Model that was loaded keeps those that it was loaded with")
                model = given
            else:
                model = Model(given, parameters=own)
            source = {key: value for key, value in source.items() if key != "parameters"}
            source["model"], parameters = model.name or "model", None
        elif isinstance(source, Mapping) and parameters:
            source = {**source, "parameters": {**source.get("parameters", {}), **parameters}}
            parameters = None
        file, text = file_and_text(source, folder)
        super().__init__(file, text, settings(parameters), model)
        self._model: Optional[Model] = model if isinstance(model, Model) else None

    @classmethod
    def load(cls, path: Source, *, parameters: Optional[Mapping[str, Any]] = None) -> Plant:
        """The plant of a rig file; the same as Plant(path)."""
        return cls(path, parameters=parameters)

    @classmethod
    def from_dict(
        cls,
        description: Mapping[str, Any],
        *,
        parameters: Optional[Mapping[str, Any]] = None,
        folder: Optional[Union[str, "os.PathLike[str]"]] = None,
    ) -> Plant:
        """The plant that a dictionary describes, with the keys of docs/rig-format.md."""
        return cls(description, parameters=parameters, folder=folder)

    @classmethod
    def of_model(
        cls, model: Model, *, dt_s: float = 1e-3, integrator: str = "auto", dynamics: str = "auto", **keys: Any
    ) -> Plant:
        """A bare mechanism as a plant; further keys are those of a rig: actuators=[...], sensors=[...]."""
        rig: Dict[str, Any] = {"kinloop_rig": 1, "model": model, "step": f"{float(dt_s)!r} s"}
        rig["solver"] = {"integrator": integrator, "dynamics": dynamics}
        return cls({**rig, **keys})

    @property
    def model(self) -> Model:
        """The mechanism."""
        if self._model is None:
            self._model = Model._of_plant(self)
        return self._model

    def __repr__(self) -> str:
        return f"<Plant {self.name}: {len(self.actuators)} actuators, {len(self.sensors)} sensors, {self.dt_s:g} s a step>"

    def __reduce__(self) -> Tuple[Any, ...]:
        raise TypeError("a Plant cannot be pickled: load it again from its file or dictionary")

"""Owns the way from dictionaries to the texts that the readers of models and rigs take."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Optional, Tuple, Union

import numpy

Source = Union[str, "os.PathLike[str]", Mapping[str, Any]]

DICTIONARY = "<dictionary>"


def plain(value: Any) -> Any:
    """What json cannot write by itself: arrays and numbers of numpy."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a description holds numbers, text, lists and dictionaries, not {type(value).__name__}")


def text_of(description: Mapping[str, Any]) -> str:
    """JSON, which is YAML too. Raises ValueError for numbers that are not finite."""
    for key in description:
        if not isinstance(key, str):
            raise TypeError(f"keys of a description are text, not {type(key).__name__}")
    return json.dumps(dict(description), default=plain, allow_nan=False, ensure_ascii=False, indent=1)


def file_and_text(source: Source, folder: Optional[Union[str, "os.PathLike[str]"]] = None) -> Tuple[str, Optional[str]]:
    """A file's name and None, or a name for messages and the text of a dictionary. Files that a dictionary names are
    sought in the folder."""
    if isinstance(source, Mapping):
        return os.path.join(os.fspath(folder), DICTIONARY) if folder is not None else DICTIONARY, text_of(source)
    return os.fspath(source), None


def settings(parameters: Optional[Mapping[str, Any]]) -> Dict[str, str]:
    """Parameters as files write them: {"length": 0.5} or {"length": "50 cm"}."""
    given: Dict[str, str] = {}
    for name, value in (parameters or {}).items():
        if not isinstance(name, str):
            raise TypeError(f"names of parameters are text, not {type(name).__name__}")
        given[name] = value if isinstance(value, str) else repr(float(value))
    return given

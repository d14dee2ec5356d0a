"""Owns the keys of a client that talks over CURVE, and the reading of key files."""
from __future__ import annotations

import dataclasses
import os
import pathlib
from typing import Dict, Union

from kinloop.errors import UsageError

Path = Union[str, "os.PathLike[str]"]

_KEY_CHARACTERS = 40
_Z85 = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#")


@dataclasses.dataclass(frozen=True)
class Keys:
    """Z85 text, 40 characters each: the plant's public key and one's own pair."""

    server_key: str
    public_key: str
    secret_key: str = dataclasses.field(repr=False)

    def __post_init__(self) -> None:
        for field in ("server_key", "public_key", "secret_key"):
            key = getattr(self, field)
            if len(key) != _KEY_CHARACTERS or not _Z85.issuperset(key):
                raise UsageError(f"{field} is no key: {_KEY_CHARACTERS} characters of Z85 are", field=field)


def read_key_file(path: Path) -> Dict[str, str]:
    """The fields of a file of `kinloop keygen`: one "field: value" a line, '#' starts a remark."""
    fields: Dict[str, str] = {}
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        field, colon, value = line.strip().partition(":")  # the first: keys may hold more of them
        if colon and not field.startswith("#"):
            fields[field.strip()] = value.strip()
    return fields


def read_keys(secret_file: Path, server_file: Path) -> Keys:
    """From one's own secret file and the plant's public file."""

    def field_of(path: Path, field: str) -> str:
        value = read_key_file(path).get(field)
        if value is None:
            raise UsageError(f"{os.fspath(path)}: has no line '{field}: ...'", field=field)
        return value

    return Keys(
        server_key=field_of(server_file, "public_key"),
        public_key=field_of(secret_file, "public_key"),
        secret_key=field_of(secret_file, "secret_key"),
    )

"""Lets the examples run from the source tree: finds the packages beside them, the module of the build, and the rigs."""
import os
import pathlib
import sys

_CLIENT = pathlib.Path(__file__).resolve().parents[2]
_ROOT = _CLIENT.parents[2]
sys.path.append(str(_CLIENT))  # behind what is installed
sys.path.append(str(_ROOT / "build" / "python"))

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads do not help matrices this small

RIGS = _ROOT / "configs" / "rigs"

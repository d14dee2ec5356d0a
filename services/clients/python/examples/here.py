"""Lets the examples run from the source tree: finds the package beside them, and the rigs."""
import os
import pathlib
import sys

_EXAMPLES = pathlib.Path(__file__).resolve().parent
sys.path.append(str(_EXAMPLES.parent))  # behind an installed package

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads do not help matrices this small

RIGS = _EXAMPLES.parents[3] / "configs" / "rigs"
PATIENT = {"watchdog": "{timeout: 20 s}"}  # shared machines stall now and then: not what is to be shown here

#!/usr/bin/env python3
"""Runs the tests of this folder with an interpreter that has what they need; 77, skipped, where there is none.

    run.py KINLOOP_BINARY [pytest arguments]
"""
import os
import pathlib
import shutil
import subprocess
import sys

NEEDED = ("zmq", "google.protobuf", "numpy", "pytest")
SKIPPED = 77


def has_all(python: str) -> bool:
    return subprocess.run([python, "-c", f"import {', '.join(NEEDED)}"], stderr=subprocess.DEVNULL).returncode == 0


def main() -> int:
    pythons = [python for python in (sys.executable, "/usr/bin/python3") if os.access(python, os.X_OK)]
    fit = [python for python in pythons if has_all(python)]
    if not fit or shutil.which("protoc") is None:
        print(f"skipped: needs {', '.join(NEEDED)} for Python, and protoc (deploy/packages.txt)")
        return SKIPPED
    environment = {**os.environ, "KINLOOP": os.path.abspath(sys.argv[1]), "PYTHONDONTWRITEBYTECODE": "1"}
    folder = str(pathlib.Path(__file__).resolve().parent)
    command = [fit[0], "-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=5", folder, *sys.argv[2:]]
    return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())

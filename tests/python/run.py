#!/usr/bin/env python3
"""Runs the tests of this folder with the interpreter that the module was built for; 77, skipped, where something is missing.

    run.py FOLDER_OF_THE_MODULE KINLOOP_BINARY [pytest arguments]
"""
import os
import pathlib
import subprocess
import sys

NEEDED = ("numpy", "pytest", "zmq", "google.protobuf")
SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENT = ROOT / "services" / "clients" / "python"


def main() -> int:
    missing = [name for name in NEEDED if subprocess.run([sys.executable, "-c", f"import {name}"],
                                                         stderr=subprocess.DEVNULL).returncode != 0]
    if missing:
        print(f"skipped: needs {', '.join(missing)} for Python (deploy/packages.txt)")
        return SKIPPED
    subprocess.run([sys.executable, str(CLIENT / "generate")], check=True)
    folder = str(pathlib.Path(__file__).resolve().parent)
    environment = {**os.environ, "KINLOOP": os.path.abspath(sys.argv[2]), "PYTHONDONTWRITEBYTECODE": "1",
                   "PYTHONPATH": os.pathsep.join([os.path.abspath(sys.argv[1]), str(CLIENT)]),
                   "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=5", folder, *sys.argv[3:]]
    return subprocess.run(command, env=environment, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())

"""The examples run, and show what they promise."""
import os
import subprocess
import sys

import pytest

from conftest import CLIENT

EXAMPLES = CLIENT / "examples"
SCRIPTS = ["pid_four_bar.py", "lqr_cart_pole.py", "mpc_cart_pole.py", "mpc_five_bar.py", "crane_operator.py"]


def test_no_example_is_forgotten():
    scripts = {path.name for path in EXAMPLES.glob("*.py")} - {"here.py", "test_controller.py"}

    assert scripts == set(SCRIPTS)


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_example_works(script):
    done = subprocess.run([sys.executable, str(EXAMPLES / script)], capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_tests_of_a_controller_pass(tmp_path):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLES / "test_controller.py")]

    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)

    assert done.returncode == 0, done.stdout + done.stderr

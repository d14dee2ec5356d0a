"""Page, stubs and docstrings say what the module is."""
import ast
import inspect
import pathlib
import re
import subprocess
import sys

import _kinloop
import kinloop
import pytest
from kinloop import native

from conftest import ROOT

CLIENT = ROOT / "services" / "clients" / "python"
PAGE = ROOT / "docs" / "python.md"
EXAMPLES = CLIENT / "examples" / "native"
MODULE = pathlib.Path(_kinloop.__file__).parent
SCRIPTS = ["lqr_hexapod.py", "ilqr_cart_pole.py", "ilqr_excavator.py"]


def stub_classes():
    tree = ast.parse((CLIENT / "_kinloop.pyi").read_text(encoding="utf-8"))
    return {one.name: one for one in tree.body if isinstance(one, ast.ClassDef)}, {
        one.name for one in tree.body if isinstance(one, ast.FunctionDef)}


def test_the_reference_is_what_the_docstrings_say():
    command = [sys.executable, str(CLIENT / "document"), "--check"]

    done = subprocess.run(command, capture_output=True, text=True, env={"KINLOOP_MODULE": str(MODULE)})

    assert done.returncode == 0, done.stderr


def test_stubs_name_all_that_is_compiled_and_nothing_else():
    classes, functions = stub_classes()
    compiled = {name for name, one in vars(_kinloop).items() if inspect.isclass(one)}

    assert set(classes) == compiled
    assert functions == {name for name, one in vars(_kinloop).items() if inspect.isbuiltin(one) or inspect.isroutine(one)}
    for name, stub in classes.items():
        named = {one.name for one in stub.body if isinstance(one, ast.FunctionDef)} - {"__init__"}
        there = {one for one in vars(getattr(_kinloop, name)) if not one.startswith("__") and one != "_pybind11_conduit_v1_"}
        assert named == there, name


def test_stubs_take_the_arguments_that_are_taken(four_bar):
    """Called by name with one argument too many, the compiled function says no; with the stub's names it does not say so."""
    classes, _ = stub_classes()
    for owner, instance in (("Model", four_bar.model), ("Simulation", four_bar)):
        for part in classes[owner].body:
            if not isinstance(part, ast.FunctionDef) or part.decorator_list or part.name in ("__init__", "close", "reset"):
                continue
            arguments = [one.arg for one in part.args.args[1:]]
            required = arguments[:len(arguments) - len(part.args.defaults)]
            method = getattr(getattr(_kinloop, owner), part.name)
            with pytest.raises(TypeError, match="incompatible function arguments"):
                method(instance, **{name: None for name in arguments}, no_such_argument=1)
            for left_out in required:
                with pytest.raises(TypeError, match="incompatible function arguments"):
                    method(instance, **{name: None for name in required if name != left_out})


def test_everything_public_has_a_docstring():
    for name in native.__all__:
        kind = getattr(native, name)
        assert inspect.getdoc(kind), name
        for member in vars(kind):
            one = inspect.getattr_static(kind, member)
            if not member.startswith("_") and inspect.isfunction(one) and kind.__module__.startswith("kinloop.native"):
                inherited = [getattr(base, member, None) for base in kind.__mro__[1:]]
                assert inspect.getdoc(one) or any(inherited), (name, member)


def test_the_code_of_the_page_runs():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 4
    names = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)

    assert names["way"].A.shape[0] == 50 and names["seen"].shape[:2] == (100, 50)
    assert names["found"].is_reached and names["observations"].shape[0] == 8
    assert names["C"].shape[1] == names["model"].nv == kinloop.Model.load("configs/models/four_bar.yaml").nv


def test_no_example_is_forgotten():
    assert {path.name for path in EXAMPLES.glob("*.py")} - {"here.py", "ilqr.py"} == set(SCRIPTS)
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"`{script}`" in page for script in SCRIPTS)


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_example_works(script):
    done = subprocess.run([sys.executable, str(EXAMPLES / script)], capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr


def test_anything_may_be_asked_without_a_crash():
    fuzz = pathlib.Path(__file__).with_name("fuzz.py")

    done = subprocess.run([sys.executable, str(fuzz), "--seconds", "3"], capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr

"""Builds the messages of the wire schema into the package; all else is in pyproject.toml."""
import pathlib
import runpy

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent


def make_messages() -> None:
    """A source archive holds them already, and no schema."""
    tools = runpy.run_path(str(HERE / "generate"))
    if tools["SCHEMA"].is_dir() or not (HERE / "kinloop" / "v1" / "control_pb2.py").exists():
        tools["generate"]()


class BuildWithMessages(build_py):
    def run(self) -> None:
        make_messages()
        super().run()


class ArchiveWithMessages(sdist):
    def run(self) -> None:
        make_messages()
        super().run()


setup(cmdclass={"build_py": BuildWithMessages, "sdist": ArchiveWithMessages})

#!/usr/bin/env python3
"""Follows docs/tour.md as a reader does: writes its files, calls its commands, compares the errors that it shows.

usage: tour_test.py KINLOOP
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?P<before>[^`]*(?:`[^`\n]+`[^`]*)*)^```(?P<language>\w*)\n(?P<text>.*?)^```\n", re.M | re.S)


# The reader's own.
ROBOT = """<robot name="my_robot">
  <link name="base"/>
  <link name="arm">
    <inertial><origin xyz="0 0 0.2"/><mass value="2"/>
      <inertia ixx="0.02" iyy="0.02" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>
"""


class Tour:
    def __init__(self, kinloop, folder):
        self.kinloop, self.folder = kinloop, folder
        self.rig = None  # the run that listens while further commands are called
        self.called = 0

    def call(self, command):
        """One line of a block; a run goes on in the background, as in a terminal of its own."""
        words = re.sub(r"\s+#.*$", "", command).replace("build/bin/kinloop", str(self.kinloop), 1)
        self.called += 1
        if " run " in words:
            self.rig = subprocess.Popen(f"exec {words} --allow-degraded", shell=True, cwd=self.folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
            self.wait_until_it_listens()
            return
        if words.endswith(" top"):
            words = f"timeout --signal=INT 2 {words}"
        run = subprocess.run(words, shell=True, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             timeout=120, check=False)
        allowed = {0, 6} if " doctor" in words else {0, 124, 130} if " top" in words else {0}
        if run.returncode not in allowed:
            sys.exit(f"tour.md: {command}\nended with {run.returncode}:\n{run.stdout}")

    def wait_until_it_listens(self):
        for _ in range(200):
            seen = subprocess.run([self.kinloop, "ctl", "status"], cwd=self.folder, capture_output=True, check=False)
            if seen.returncode == 0:
                return
            time.sleep(0.05)
        sys.exit("tour.md: the rig does not answer")

    def compare_errors(self, wanted):
        """Of swing.yaml with the two mistakes that the text makes."""
        text = (self.folder / "swing.yaml").read_text()
        wrong = pathlib.Path(self.folder, "wrong")
        wrong.mkdir()
        (wrong / "swing.yaml").write_text(text.replace("    mass: rod_mass", "    mas: rod_mass").replace("80 cm", "80 cn"))
        run = subprocess.run([self.kinloop, "check", "swing.yaml"], cwd=wrong, capture_output=True, text=True, check=False)
        missing = [line for line in wanted.splitlines() if line not in run.stderr]
        if missing or run.returncode != 2:
            sys.exit("tour.md: these errors are not shown:\n" + "\n".join(missing) + f"\nbut\n{run.stderr}")

    def end(self):
        out, _ = self.rig.communicate(timeout=60)
        if self.rig.returncode not in (0, 6):
            sys.exit(f"tour.md: the run ended with {self.rig.returncode}:\n{out}")
        for name in ("swing.csv", "swing.svg", "strobe.png", "swing.json"):
            if not (self.folder / name).stat().st_size:
                sys.exit(f"tour.md: {name} is empty")


def main():
    kinloop = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as runtime:
        os.environ["XDG_RUNTIME_DIR"] = runtime  # its rig is the only one here, whatever else is tested meanwhile
        folder = pathlib.Path(name)
        (folder / "tests").symlink_to(REPOSITORY / "tests")
        (folder / "my_robot.urdf").write_text(ROBOT)
        tour = Tour(kinloop, folder)
        for block in BLOCK.finditer((REPOSITORY / "docs/tour.md").read_text()):
            if block["language"] == "yaml":
                file = re.findall(r"`(\w+\.yaml)`", block["before"])[-1]
                (folder / file).write_text(block["text"])
            elif block["text"].startswith("swing.yaml:"):
                tour.compare_errors(block["text"])
            else:
                for line in block["text"].splitlines():
                    tour.call(line)
        tour.end()
        if tour.called < 12:
            sys.exit(f"tour.md: only {tour.called} commands were found")


if __name__ == "__main__":
    main()

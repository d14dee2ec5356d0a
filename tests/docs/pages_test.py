#!/usr/bin/env python3
"""Follows the tour or a tutorial as a reader does: writes its files, calls its commands line by line, compares its errors.

usage: pages_test.py KINLOOP PAGE.md     (77 where the page needs what this build has not)

A file is named in the text before its block. What a block exports stays in force. A run goes on while further lines are called,
as in a terminal of its own; lines that read its record wait for its end.
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


class Reader:
    def __init__(self, kinloop, page, folder, environment):
        self.kinloop, self.page, self.folder, self.environment = kinloop, page, folder, environment
        self.rig = None
        self.called = 0

    def fail(self, text):
        if self.rig:
            self.rig.kill()
        sys.exit(f"{self.page.name}: {text}")

    def call(self, line):
        command = re.sub(r"\s+#.*$", "", line)
        self.called += 1
        if command.startswith("export "):
            return self.export(command)
        if re.match(r"\S*kinloop run ", command):
            return self.begin_run(command)
        if self.rig and ".mcap" in command:
            self.end_run()
        if command.endswith(" top"):
            command = f"timeout --signal=INT 2 {command}"
        run = subprocess.run(command, shell=True, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
        allowed = {0, 6} if " doctor" in command else {0, 124, 130} if " top" in command else {0}
        if run.returncode not in allowed:
            self.fail(f"{line}\nended with {run.returncode}:\n{run.stdout}")

    def export(self, command):
        shown = subprocess.run(f"{command} && env -0", shell=True, cwd=self.folder, env=self.environment, capture_output=True,
                               text=True, check=True).stdout
        self.environment = dict(entry.split("=", 1) for entry in shown.split("\0") if "=" in entry)

    def begin_run(self, command):
        degraded = "" if "--allow-degraded" in command else " --allow-degraded"
        self.rig = subprocess.Popen(f"exec {command}{degraded}", shell=True, cwd=self.folder, env=self.environment,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(400):
            if subprocess.run([self.kinloop, "ctl", "status"], env=self.environment, capture_output=True, check=False).returncode == 0:
                return
            time.sleep(0.05)
        self.fail("the rig does not answer")

    def end_run(self):
        out, _ = self.rig.communicate(timeout=60)
        if self.rig.returncode != 0:
            self.fail(f"the run ended with {self.rig.returncode}:\n{out}")
        self.rig = None

    def compare_errors(self, wanted):
        """Of swing.yaml with the two mistakes that the tour makes."""
        text = (self.folder / "swing.yaml").read_text()
        wrong = pathlib.Path(self.folder, "wrong")
        wrong.mkdir()
        (wrong / "swing.yaml").write_text(text.replace("    mass: rod_mass", "    mas: rod_mass").replace("80 cm", "80 cn"))
        run = subprocess.run([self.kinloop, "check", "swing.yaml"], cwd=wrong, capture_output=True, text=True, check=False)
        missing = [line for line in wanted.splitlines() if line not in run.stderr]
        if missing or run.returncode != 2:
            self.fail("these errors are not shown:\n" + "\n".join(missing) + f"\nbut\n{run.stderr}")

    def read(self):
        for block in BLOCK.finditer(self.page.read_text()):
            if block["language"] in ("yaml", "python"):
                file = re.findall(r"`(\w+\.(?:yaml|py))`", block["before"])[-1]
                (self.folder / file).write_text(block["text"])
            elif block["text"].startswith("swing.yaml:"):
                self.compare_errors(block["text"])
            else:
                for line in block["text"].splitlines():
                    self.call(line)
        if self.rig:
            self.end_run()
        for shown in set(re.findall(r"(?:--out|--certificate|-o) (\S+\.\w+)", self.page.read_text())):
            if not (self.folder / shown).stat().st_size:
                self.fail(f"{shown} is empty")


def main():
    kinloop, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    if "kinloop_module" in page.read_text() and not list(kinloop.parents[1].glob("python/_kinloop*.so")):
        print("this build has no module of Python")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as runtime:
        # Its rig is the only one here, whatever else is tested meanwhile.
        environment = {**os.environ, "XDG_RUNTIME_DIR": runtime, "PATH": f"/usr/bin:{os.environ['PATH']}"}
        folder = pathlib.Path(name)
        for link, target in {"build": kinloop.parents[1], "configs": REPOSITORY / "configs", "tests": REPOSITORY / "tests",
                             "services": REPOSITORY / "services"}.items():
            (folder / link).symlink_to(target)
        (folder / "my_robot.urdf").write_text(ROBOT)
        reader = Reader(kinloop, page, folder, environment)
        reader.read()
        if reader.called < 4:
            reader.fail(f"only {reader.called} commands were found")


if __name__ == "__main__":
    main()

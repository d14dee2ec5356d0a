#!/usr/bin/env python3
"""Completions and manual pages that deploy/shell/generate.py writes: every verb and option is offered, each shell reads its file.

usage: shell_test.py KINLOOP
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "docs/site"))
import command_help  # noqa: E402


class Shell(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        subprocess.run([sys.executable, REPOSITORY / "deploy/shell/generate.py", cls.folder, "--kinloop", PROGRAM], check=True)
        cls.helps = command_help.all_helps(PROGRAM)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def offered(self, *words):
        """What bash offers for the last word."""
        array = " ".join(f"'{word}'" for word in ("kinloop", *words))
        script = f"source {self.folder}/bash/kinloop; COMP_WORDS=({array}); COMP_CWORD={len(words)}; _kinloop; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, cwd=self.folder / "fish").stdout.split()

    def test_bash_offers_every_verb_and_option(self):
        for verbs in [(), ("run",), ("ctl",), ("ctl", "fault")]:
            text = self.helps[verbs]
            self.assertTrue(set(command_help.verbs_in(text)) <= set(self.offered(*verbs, "")), verbs)
            self.assertEqual(set(self.offered(*verbs, "-")), command_help.options_in(text), verbs)

    def test_bash_narrows_by_what_is_typed(self):
        self.assertEqual(self.offered("udp"), ["udp-header"])
        self.assertEqual(self.offered("run", "--allow"), ["--allow-degraded"])
        self.assertEqual(set(self.offered("ctl", "sta")), {"start", "status"})

    def test_there_is_a_page_for_every_verb_and_man_reads_it(self):
        for verbs in self.helps:
            page = self.folder / "man1" / ("-".join(["kinloop", *verbs]) + ".1")
            self.assertTrue(page.exists(), page)
        if shutil.which("groff"):
            for page in (self.folder / "man1").iterdir():
                run = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True, check=True)
                self.assertEqual(run.stderr, "", page)

    def test_zsh_and_fish_read_theirs(self):
        if shutil.which("zsh"):
            subprocess.run(["zsh", "-n", self.folder / "zsh/_kinloop"], check=True)
        if shutil.which("fish"):
            subprocess.run(["fish", "--no-execute", self.folder / "fish/kinloop.fish"], check=True)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()

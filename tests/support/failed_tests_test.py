#!/usr/bin/env python3
"""What ./dev test says of failed tests at its end, and which of them it runs again, by a project whose tests fail."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("failed_tests.py")
# Name, command, label.
TESTS = {
    "good": ("true", "unit"),
    "unit_that_fails": ("sh -c \"echo words of it; exit 1\"", "unit"),
    "unit_that_is_missing": ("/nowhere/program", "unit"),
    "service_that_fails": ("sh -c \"echo 'E   1 is not 2'; seq 40; exit 1\"", "service"),
    "service_that_is_late": ("sleep 9", "service"),
    "service_that_is_skipped": ("sh -c \"exit 77\"", "service"),
}


class FailedTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        lines = ["cmake_minimum_required(VERSION 3.20)", "project(failing NONE)", "enable_testing()"]
        for name, (command, label) in TESTS.items():
            lines.append(f"add_test(NAME {name} COMMAND {command})")
            lines.append(f"set_tests_properties({name} PROPERTIES LABELS {label} SKIP_RETURN_CODE 77 TIMEOUT 1)")
        (cls.folder / "CMakeLists.txt").write_text("\n".join(lines))
        subprocess.run(["cmake", "-B", cls.folder / "build", cls.folder], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def report_of(self, tests: str):
        build, results = self.folder / "build", self.folder / "results.xml"
        command = ["ctest", "--test-dir", build, "--output-junit", results, "-R", tests]
        subprocess.run(command, capture_output=True)
        return subprocess.run([sys.executable, SCRIPT, results, build], capture_output=True, text=True)

    def test_every_test_that_failed_is_named_with_what_tells_why(self):
        done = self.report_of(".")

        named = [line.split(": ")[1] for line in done.stdout.splitlines() if line.startswith("failed: ")]
        self.assertEqual(sorted(named), sorted(name for name in TESTS if name.split("_")[-1] in ("fails", "late", "missing")))
        self.assertIn("| words of it", done.stdout)
        self.assertIn("| E   1 is not 2", done.stdout)
        self.assertNotIn("| 20\n", done.stdout)

    def test_what_goes_by_the_clock_may_run_again(self):
        self.assertEqual(self.report_of("service").returncode, 0)

    def test_nothing_else_may(self):
        self.assertEqual(self.report_of("service|unit_that_fails").returncode, 1)
        self.assertEqual(self.report_of("service|missing").returncode, 1)
        self.assertEqual(self.report_of("good").returncode, 1)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""What ./dev count calls an error: a kernel that costs more, one without a figure, a figure without a kernel."""
import importlib.util
import pathlib
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench/instructions/count.py"
spec = importlib.util.spec_from_file_location("count", SCRIPT)
count = importlib.util.module_from_spec(spec)
spec.loader.exec_module(count)


class Findings(unittest.TestCase):
    STORED = {"four_bar/rcr": 10000, "four_bar/step": 40000}

    def test_equal_and_cheaper_counts_are_none(self):
        self.assertEqual(count.findings_in(self.STORED, {"four_bar/rcr": 10000, "four_bar/step": 30000}), [])

    def test_up_to_five_per_cent_more_is_none(self):
        self.assertEqual(count.findings_in(self.STORED, {"four_bar/rcr": 10499, "four_bar/step": 40000}), [])

    def test_more_is_one_that_names_kernel_and_share(self):
        findings = count.findings_in(self.STORED, {"four_bar/rcr": 10600, "four_bar/step": 40000})
        self.assertEqual(findings, ["four_bar/rcr: 10600 instructions, 6.0 % more than the 10000 stored"])

    def test_a_kernel_without_a_figure_is_one(self):
        findings = count.findings_in(self.STORED, {**self.STORED, "crane/rcr": 5})
        self.assertEqual(len(findings), 1)
        self.assertIn("crane/rcr", findings[0])

    def test_a_figure_without_a_kernel_is_one(self):
        findings = count.findings_in(self.STORED, {"four_bar/rcr": 10000})
        self.assertEqual(findings, ["four_bar/step: a figure is stored, but there is no such kernel"])


if __name__ == "__main__":
    unittest.main()

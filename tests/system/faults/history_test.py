"""Plants into a history what the campaign is to find: a law that cannot fail would prove nothing."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from history import STALE, History  # noqa: E402


class HistoryTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.history = History(pathlib.Path(self.folder.name) / "history.jsonl")

    def tearDown(self):
        self.history._file.close()
        self.folder.cleanup()

    def frame(self, t, step, flags=0, values=(0.0,)):
        self.history.add("frame", t=t, step=step, flags=flags, values=list(values))

    def problems(self):
        return self.history.check()

    def test_nothing_is_wrong_with_a_stop_that_holds_until_it_is_rearmed(self):
        self.frame(0.0, 1)
        self.history.add("stopped", t=0.1, step=5, took=0.0)
        self.frame(0.2, 7, STALE)
        self.history.add("rearm", t=0.3)
        self.frame(0.4, 9)
        self.assertEqual(self.problems(), [])

    def test_a_stop_that_does_not_hold_is_found(self):
        self.history.add("stopped", t=0.1, step=5, took=0.0)
        self.frame(0.2, 7, STALE)
        self.frame(0.3, 8)
        self.assertEqual(len(self.problems()), 1)

    def test_a_step_that_comes_again_is_found(self):
        self.frame(0.0, 5)
        self.frame(0.1, 5)
        self.assertEqual(len(self.problems()), 1)

    def test_what_is_no_number_is_found(self):
        self.frame(0.0, 5, values=(float("nan"),))
        self.assertEqual(len(self.problems()), 1)

    def test_silence_is_found_unless_there_was_a_fault(self):
        self.frame(0.0, 5)
        self.frame(8.0, 6)
        self.assertEqual(len(self.problems()), 1)

    def test_silence_after_a_fault_is_what_faults_do(self):
        self.frame(0.0, 5)
        self.history.add("fault", t=0.1, until=0.2)
        self.frame(8.0, 6)
        self.assertEqual(self.problems(), [])

    def test_two_leases_at_a_time_are_found(self):
        self.history.add("lease", t=0.0, released=1.0, holder="one")
        self.history.add("lease", t=0.5, released=1.5, holder="other")
        self.assertEqual(len(self.problems()), 1)

    def test_a_step_done_twice_is_found(self):
        self.history.add("lockstep", made=20, acknowledged=10)
        self.assertEqual(len(self.problems()), 1)


if __name__ == "__main__":
    unittest.main()

"""Plants into a history what the campaign is to find: a law that cannot fail would prove nothing."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from history import MAX_GROWTH_KB, STALE, History, worst_times  # noqa: E402
from schedule import draw_fault  # noqa: E402


class HistoryTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.history = History(pathlib.Path(self.folder.name) / "history.jsonl")

    def tearDown(self):
        self.history._file.close()
        self.folder.cleanup()

    def frame(self, t, step, flags=0, values=(0.0,), **more):
        self.history.add("frame", t=t, step=step, flags=flags, values=list(values), **more)

    def fault(self, t, until, plants=("",)):
        self.history.add("fault", t=t, until=until, what="hang_io", plants=list(plants))

    def seen_all_the_time(self):
        for i in range(80):
            self.history.add("command", t=0.1 * i, number=i, plant="lockstep")

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

    def test_a_stop_of_one_plant_does_not_hold_for_another(self):
        self.history.add("stopped", t=0.1, step=5, took=0.0, plant="one")
        self.frame(0.3, 8, plant="other")
        self.assertEqual(self.problems(), [])

    def test_a_step_that_comes_again_is_found(self):
        self.frame(0.0, 5)
        self.frame(0.1, 5)
        self.assertEqual(len(self.problems()), 1)

    def test_what_is_no_number_is_found(self):
        self.frame(0.0, 5, values=(float("nan"),))
        self.assertEqual(len(self.problems()), 1)

    def test_silence_is_found_unless_there_was_a_fault(self):
        self.frame(0.0, 5)
        self.seen_all_the_time()
        self.frame(8.0, 6)
        self.assertEqual(len(self.problems()), 1)

    def test_silence_is_found_while_other_plants_are_seen(self):
        self.frame(0.0, 5)
        for i in range(16):
            self.frame(0.5 * i, 10 + i, plant="other")
        self.frame(8.0, 6)
        self.assertEqual(len(self.problems()), 1)

    def test_who_saw_nothing_of_anybody_stood_still_itself(self):
        for plant in ("", "other"):
            self.frame(0.0, 5, plant=plant)
            self.frame(8.0, 6, plant=plant)
        self.history.add("command", t=0.1, number=10)
        self.history.add("command", t=7.9, number=20)
        self.assertEqual(self.problems(), [])

    def test_silence_after_a_fault_is_what_faults_do(self):
        self.frame(0.0, 5)
        self.fault(0.1, 0.2)
        self.frame(8.0, 6)
        self.assertEqual(self.problems(), [])

    def test_a_fault_of_another_plant_explains_nothing(self):
        self.frame(0.0, 5)
        self.fault(0.1, 0.2, ["another"])
        self.seen_all_the_time()
        self.frame(8.0, 6)
        self.assertEqual(len(self.problems()), 1)

    def test_frames_that_go_missing_in_silence_are_found(self):
        self.frame(0.0, 10, number=1)
        self.frame(0.1, 40, number=2)
        self.assertEqual(len(self.problems()), 1)

    def test_frames_that_the_numbers_tell_of_may_be_missing(self):
        self.frame(0.0, 10, number=1)
        self.frame(0.1, 40, number=4)
        self.assertEqual(self.problems(), [])

    def test_frames_that_were_never_made_are_found(self):
        self.frame(0.0, 10, number=1)
        self.frame(0.1, 20, number=5)
        self.assertEqual(len(self.problems()), 1)

    def test_an_old_command_that_moves_something_is_found(self):
        for i in range(30):
            self.frame(0.01 * i, 1000 + 10 * i, number=i + 1, age=500 + 10 * i)
        self.assertEqual(len(self.problems()), 8)  # of 300 ticks 210 are allowed

    def test_an_actuator_that_was_just_rearmed_waits_for_a_command(self):
        self.frame(0.0, 990, STALE, number=1, age=490)
        for i in range(20):
            self.frame(0.01 * i, 1000 + 10 * i, number=i + 2, age=500 + 10 * i)
        self.frame(0.3, 1200, STALE, number=22, age=700)
        self.assertEqual(self.problems(), [])

    def test_two_leases_at_a_time_are_found(self):
        self.history.add("lease", t=0.0, released=1.0, holder="one")
        self.history.add("lease", t=0.5, released=1.5, holder="other")
        self.assertEqual(len(self.problems()), 1)

    def test_a_lease_within_a_long_one_is_found_whatever_lies_between(self):
        self.history.add("lease", t=0.0, released=9.0, holder="one")
        self.history.add("lease", t=1.0, released=2.0, holder="one")
        self.history.add("lease", t=3.0, released=4.0, holder="other")
        self.assertEqual(len(self.problems()), 1)

    def test_leases_one_after_the_other_are_what_they_should_be(self):
        self.history.add("lease", t=0.0, released=1.0, holder="one")
        self.history.add("lease", t=1.0, released=2.0, holder="other")
        self.history.add("lease", t=2.1, released=3.0, holder="one")
        self.assertEqual(self.problems(), [])

    def lost_lease(self, pause=0.02, last_frame=1.0):
        for i in range(11):
            self.frame(last_frame * 0.1 * i, 10 * (i + 1), number=i + 1)
        self.history.add("lease_lost", holder="one", since=0.0, t=1.0, pause=pause)
        return self.problems()

    def test_a_lease_that_is_lost_without_a_cause_is_found(self):
        self.assertEqual(len(self.lost_lease()), 1)

    def test_a_lease_may_be_lost_by_who_falls_silent(self):
        self.assertEqual(self.lost_lease(pause=0.9), [])

    def test_a_lease_may_be_lost_by_a_machine_that_stalls(self):
        self.assertEqual(self.lost_lease(last_frame=0.3), [])

    def test_a_lease_may_be_lost_by_a_fault(self):
        self.fault(0.1, 0.2)
        self.assertEqual(self.lost_lease(), [])

    def test_a_step_done_twice_is_found(self):
        self.history.add("lockstep", made=20, acknowledged=10)
        self.assertEqual(len(self.problems()), 1)

    def request(self, verb, number, how="done", took=0.1):
        self.history.add("request", verb=verb, key=[7, number], how=how, asked=5.0, t=5.0 + took, client="one", step=1)

    def effects(self, verb, count):
        self.history.add("effects", verb=verb, count=count)
        found, self.history.problems = self.problems(), []
        self.history.entries["effects"].clear()
        return len(found)

    def test_a_request_done_twice_is_found_whatever_its_verb(self):
        for verb in ("record", "inject_fault", "reset", "restore"):
            self.request(verb, 1)
            self.request(verb, 2)
            self.assertEqual(self.effects(verb, 2), 0, verb)
            self.assertEqual(self.effects(verb, 3), 1, verb)

    def test_a_request_that_was_acknowledged_and_not_done_is_found(self):
        self.request("reset", 1)
        self.assertEqual(self.effects("reset", 0), 1)

    def test_a_number_that_is_said_again_counts_once(self):
        self.request("reset", 1)
        self.request("reset", 1, how="repeated")
        self.assertEqual(self.effects("reset", 1), 0)
        self.assertEqual(self.effects("reset", 2), 1)

    def test_a_request_without_an_answer_may_have_been_done(self):
        self.request("reset", 1, how="unanswered")
        self.assertEqual(self.effects("reset", 0), 0)
        self.assertEqual(self.effects("reset", 1), 0)
        self.assertEqual(self.effects("reset", 2), 1)

    def test_a_refused_request_was_not_done_unless_it_had_to_be_asked_again(self):
        self.request("record", 1, how="refused: a record is being made")
        self.assertEqual(self.effects("record", 1), 1)
        self.request("record", 2, how="refused: a record is being made", took=2.0)
        self.assertEqual(self.effects("record", 1), 0)

    def test_a_record_that_differs_is_found(self):
        self.fault(0.0, 1.0)
        self.history.add("replay", t=2.0, file="a.mcap", code=5, text="step 7 differs", trouble="")
        self.assertEqual(len(self.problems()), 1)

    def test_a_record_without_steps_is_found_unless_a_fault_took_them(self):
        self.history.add("replay", t=2.0, file="a.mcap", code=2, text="steps are missing before it", trouble="")
        self.assertEqual(len(self.problems()), 1)
        self.history.problems.clear()
        self.fault(0.0, 1.0)
        self.assertEqual(self.problems(), [])

    def test_an_altered_snapshot_that_is_taken_is_found(self):
        self.history.add("altered", what="snapshot", accepted=True)
        self.assertEqual(len(self.problems()), 1)

    def test_a_damaged_record_that_ends_the_program_is_found(self):
        self.history.add("altered", what="record", code=-11, text="")
        self.history.add("altered", what="record", code=None, text="")
        self.assertEqual(len(self.problems()), 2)

    def test_what_grows_is_found(self):
        self.history.add("footprint", part="plant", before=[1000, 10], after=[1001 + MAX_GROWTH_KB, 10])
        self.history.add("footprint", part="plant", before=[1000, 10], after=[1000, 99])
        self.assertEqual(len(self.problems()), 2)

    def test_times_go_to_the_faults_that_they_overlap(self):
        self.fault(1.0, 2.0)
        self.history.add("stopped", t=1.5, step=5, took=0.3)
        self.frame(0.9, 1)
        self.frame(2.5, 2)
        row = worst_times(self.history)["hang_io"]
        self.assertEqual((row["count"], row["stop"]), (1, 0.3))
        self.assertAlmostEqual(row["silence"], 1.6)


class ScheduleTest(unittest.TestCase):
    def test_a_seed_draws_the_same_faults_again_whatever_became_of_them(self):
        kinds = [str(i) for i in range(20)]
        first = []
        for number in range(50):
            kind, plant, own = draw_fault(7, number, kinds)
            first.append((kind, plant, own.random()))
            own.randbytes(number)  # how much a fault draws depends on the machine
        again = [(kind, plant, own.random()) for kind, plant, own in (draw_fault(7, n, kinds) for n in range(50))]
        other = [(kind, plant, own.random()) for kind, plant, own in (draw_fault(8, n, kinds) for n in range(50))]
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)


if __name__ == "__main__":
    unittest.main()

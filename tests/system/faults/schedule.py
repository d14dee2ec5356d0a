"""Owns the schedule of a campaign: what the seed draws."""
import random

PLANTS = ("local", "local", "lockstep", "remote")


def draw_fault(seed, number, kinds):
    """Kind and plant of the fault of this number, and numbers of its own, so that no fault depends on how another went."""
    own = random.Random(f"{seed}/{number}")
    return own.choice(kinds), own.choice(PLANTS), own

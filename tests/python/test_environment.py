"""Environments keep what gymnasium asks of them: spaces, seeds, resets, truncation."""
import kinloop
import numpy as np
import pytest
from kinloop import native


class Upright(kinloop.Environment):
    """A task: the pole of the cart begins somewhere near the top."""

    def begin(self, random, options):
        self.simulation.set_state([0.0, options.get("angle", random.uniform(-0.2, 0.2))])

    def reward(self):
        return float(np.cos(self.simulation.q[1]))

    def is_terminated(self):
        return bool(abs(self.simulation.q[1]) > 0.5)


@pytest.fixture
def make(plants):
    return lambda **keys: Upright(plants("cart_pole"), steps_per_action=5, episode_steps=20, **keys)


def course_of(environment, seed, actions):
    observations = [environment.reset(seed=seed)[0]]
    observations += [environment.step(action)[0] for action in actions]
    return np.array(observations)


def test_observations_and_actions_lie_in_their_spaces(plants, make):
    environment = make()
    observation, info = environment.reset(seed=1)
    assert environment.observation_space.contains(observation) and "time_s" in info
    assert (environment.action_space.low == plants("cart_pole").lower).all()
    assert (environment.action_space.high == plants("cart_pole").upper).all()
    for _ in range(5):
        action = environment.action_space.sample()
        assert environment.action_space.contains(action)

        observation, reward, terminated, truncated, info = environment.step(action)

        assert environment.observation_space.contains(observation)
        assert type(reward) is float and type(terminated) is bool and type(truncated) is bool and isinstance(info, dict)


def test_the_same_seed_is_the_same_episode_and_another_another(make):
    actions = np.random.default_rng(2).uniform(-5, 5, size=(10, 1))

    first, again, other = (course_of(make(), seed, actions) for seed in (7, 7, 8))

    assert (first == again).all()
    assert (first[0] != other[0]).any()


def test_episodes_without_a_seed_differ_and_follow_from_the_first(make):
    a, b = make(), make()
    a.reset(seed=3)
    b.reset(seed=3)

    following = [(a.reset()[0], b.reset()[0]) for _ in range(3)]

    assert all((one == other).all() for one, other in following)
    assert (following[0][0] != following[1][0]).any()


def test_what_was_observed_stays_as_it_was(make):
    environment = make()
    before, _ = environment.reset(seed=1)
    kept = before.copy()
    environment.step([20.0])

    assert (before == kept).all()


def test_an_episode_is_truncated_after_its_actions(make):
    environment = make()
    environment.reset(options={"angle": np.pi / 2 - 1.5})

    outcomes = [environment.step([0.0])[2:4] for _ in range(20)]

    assert [truncated for _, truncated in outcomes] == [False] * 19 + [True]
    assert environment.simulation.step_count == 100


def test_a_task_terminates_and_rewards(make):
    environment = make()
    environment.reset(options={"angle": 0.49})
    reward = terminated = None
    for _ in range(20):
        _, reward, terminated, _, _ = environment.step([-30.0])
        if terminated:
            break

    assert terminated and abs(environment.simulation.q[1]) > 0.5
    assert reward == pytest.approx(np.cos(environment.simulation.q[1]))


def test_out_of_turn_is_refused(make):
    environment = make()
    with pytest.raises(kinloop.NotNowError, match="reset"):
        environment.step([0.0])
    environment.reset(seed=0)
    before = environment.simulation.state_hash
    for action in ([np.nan], [1.0, 2.0], [], "x"):
        with pytest.raises((kinloop.InvalidError, ValueError, TypeError)):
            environment.step(action)
    assert environment.simulation.state_hash == before

    environment.close()
    environment.close()

    for call in (environment.reset, lambda: environment.step([0.0])):
        with pytest.raises(kinloop.NotNowError):
            call()
    for keys in ({"steps_per_action": 0}, {"episode_steps": -1}):
        with pytest.raises(kinloop.InvalidError):
            kinloop.Environment(environment.plant, **keys)


def test_a_step_that_fails_ends_the_episode(plants):
    environment = kinloop.Environment(plants("cart_pole"), steps_per_action=20)
    environment.reset(seed=0)
    environment.simulation.apply_force("cart", [1e200, 0.0, 0.0], steps=20)

    _, _, terminated, _, info = environment.step([0.0])

    assert terminated and isinstance(info["step_error"], kinloop.StepError)
    assert np.isfinite(environment.observe()).all()


@pytest.mark.parametrize("threads", [1, 3])
def test_many_are_what_each_is_alone(make, threads):
    many = kinloop.VectorEnvironment(make, 5, threads=threads)
    actions = np.random.default_rng(4).uniform(-5, 5, size=(15, 5, 1))
    observations, _ = many.reset(seed=10)
    together = [observations] + [many.step(one)[0] for one in actions]

    for i in range(5):
        alone = course_of(make(), 10 + i, actions[:, i])
        assert (np.array(together)[:, i] == alone).all()
    many.close()


def test_who_has_ended_restarts_in_the_next_step(make):
    many = kinloop.VectorEnvironment(make, 3)
    many.reset(seed=1)
    for _ in range(19):
        many.step(np.zeros((3, 1)))
    _, _, _, truncated, infos = many.step(np.zeros((3, 1)))
    assert truncated.all() and infos["_time_s"].all()

    _, rewards, terminated, truncated, infos = many.step(np.full((3, 1), 9.0))

    assert (rewards == 0).all() and not terminated.any() and not truncated.any()
    assert (infos["time_s"] == 0).all()
    assert [one.simulation.step_count for one in many.envs] == [0, 0, 0]


def test_spaces_of_many_are_those_of_one_stacked(make):
    many = kinloop.VectorEnvironment(make, 4)

    assert many.action_space.shape == (4, 1) and many.single_action_space == many.envs[0].action_space
    assert many.observation_space.shape == (4, *many.single_observation_space.shape)
    many.reset(seed=[1, 2, None, 4])
    with pytest.raises(kinloop.InvalidError):
        many.reset(seed=[1, 2])
    before = [one.simulation.state_hash for one in many.envs]
    for actions in (np.zeros((3, 1)), np.full((4, 1), np.nan)):
        with pytest.raises(kinloop.InvalidError):
            many.step(actions)
    assert [one.simulation.state_hash for one in many.envs] == before


def test_environments_of_different_kinds_are_refused(plants):
    kinds = iter(["cart_pole", "five_bar"])
    with pytest.raises(kinloop.InvalidError, match="different kinds"):
        kinloop.VectorEnvironment(lambda: kinloop.Environment(plants(next(kinds))), 2)


def test_a_space_samples_what_it_contains():
    low, high = [-1.0, -np.inf, 2.0, -np.inf], [1.0, 3.0, np.inf, np.inf]
    space = native.Box(low, high, dtype=np.float64)
    space.seed(5)
    drawn = [space.sample() for _ in range(200)]
    space.seed(5)

    assert all(space.contains(one) for one in drawn)
    assert (space.sample() == drawn[0]).all()
    assert not space.contains(np.array([2.0, 0.0, 3.0, 0.0])) and not space.contains(np.zeros(3))

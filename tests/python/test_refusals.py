"""What is wrong is said by field and name, and nothing has changed then."""
import pathlib
import threading

import kinloop
import numpy as np
import pytest
from kinloop import native

from conftest import MODELS, PENDULUM, RIGS

LOCKED = {"kinloop": 1, "name": "locked", "bodies": [{"name": "block", "mass": 1, "inertia": [1, 1, 1]}],
          "joints": [{"name": "weld", "type": "fixed", "predecessor": "ground", "successor": "block"}]}


@pytest.fixture(scope="module")
def model():
    return kinloop.Model.load(MODELS / "four_bar.yaml")


def refused_calls(four_bar):
    """(call, exception, what it must say) of everything that takes numbers or names."""
    model, nq, nv = four_bar.model, four_bar.model.nq, four_bar.model.nv
    q, v = four_bar.q.copy(), four_bar.v.copy()
    nan = np.full(nq, np.nan)
    invalid, unknown = kinloop.InvalidError, kinloop.UnknownNameError
    snapshot = four_bar.snapshot()
    torn = native.Snapshot(snapshot.rig, snapshot.block[:-1])
    holes = native.Snapshot(snapshot.rig, np.full(snapshot.block.size, np.nan))
    return {
        "command too long": (lambda: four_bar.step([1.0, 2.0]), invalid, "command"),
        "command not finite": (lambda: four_bar.step([np.inf]), invalid, "command"),
        "command of nobody": (lambda: four_bar.step({"moter": 1.0}), unknown, "motor"),
        "command of text": (lambda: four_bar.step({"motor": "5 V"}), (TypeError, ValueError, invalid), ""),
        "steps negative": (lambda: four_bar.step(steps=-1), invalid, "steps"),
        "q too short": (lambda: four_bar.set_state(q[:-1]), invalid, "q"),
        "q not finite": (lambda: four_bar.set_state(nan), invalid, "q"),
        "v not finite": (lambda: four_bar.set_state(q, np.full(nv, np.inf)), invalid, "v"),
        "q open": (lambda: four_bar.set_state(q + 0.2), invalid, "open"),
        "v open": (lambda: four_bar.set_state(q, v + np.arange(nv)), invalid, "open|speed|velocit"),
        "snapshot torn": (lambda: four_bar.restore(torn), invalid, "numbers"),
        "snapshot not finite": (lambda: four_bar.restore(holes), invalid, ""),
        "snapshot of another rig": (lambda: four_bar.restore(native.Snapshot("crane", snapshot.block)), invalid, "crane"),
        "rollout of wrong width": (lambda: four_bar.rollout(np.zeros((2, 3, 4))), invalid, "sequences"),
        "rollout flat": (lambda: four_bar.rollout([1.0]), invalid, "sequences"),
        "rollout not finite": (lambda: four_bar.rollout(np.full((1, 1, 1), np.nan)), invalid, "sequences|finite"),
        "rollout of no steps": (lambda: four_bar.rollout(np.zeros((1, 1, 1)), steps_per_command=0), invalid, "steps"),
        "trajectory of wrong width": (lambda: four_bar.linearize_trajectory(np.zeros((3, 2))), invalid, "commands"),
        "rollout with weights of others": (
            lambda: four_bar.rollout(np.zeros((1, 2, 1)), cost=kinloop.QuadraticCost(command_weights=[1.0, 2.0])),
            invalid, "command_weights|numbers"),
        "rollout with no cost": (lambda: four_bar.rollout(np.zeros((1, 2, 1)), cost=1.0), TypeError, "QuadraticCost"),
        "trajectory around nobody": (lambda: four_bar.linearize_trajectory([[0.0]], independent=["crunk"]),
                                     unknown, "crunk"),
        "linearize by nothing": (lambda: four_bar.linearize(method="magic"), unknown, "exact, differences"),
        "linearize on no side": (lambda: four_bar.linearize(side="left"), unknown, "below, above"),
        "linearize around nobody": (lambda: four_bar.linearize(independent=["crunk"]), unknown, "crunk"),
        "linearize around too many": (lambda: four_bar.linearize(independent=list(model.speeds)), invalid, ""),
        "trim of nobody": (lambda: four_bar.trim(coordinates={"crunk": 1.0}), unknown, "crunk"),
        "trim to nowhere": (lambda: four_bar.trim(coordinates={"crank": np.nan}), invalid, ""),
        "fault of nobody": (lambda: four_bar.inject_fault("nobody", "off"), unknown, "nobody"),
        "fault of no kind": (lambda: four_bar.inject_fault("crank_angle", "broken"), unknown, "bias|fault"),
        "push of nobody": (lambda: four_bar.apply_force("nobody", [1, 0, 0]), unknown, "nobody"),
        "push in a plane": (lambda: four_bar.apply_force("crank", [1, 0]), invalid, "force"),
        "reading of nobody": (lambda: four_bar.reading("nobody"), unknown, "nobody"),
        "chart of nobody": (lambda: four_bar.chart(["nobody"]), unknown, "nobody"),
        "chart too short": (lambda: four_bar.chart().place([0.0]), invalid, "x"),
        "chart not finite": (lambda: four_bar.chart().place(np.full(2, np.nan)), invalid, "x"),
        "base of nobody": (lambda: kinloop.Model.load(MODELS / "four_bar.yaml", base="hanging"), unknown,
                           "auto, fixed, floating"),
        "model of nobody": (lambda: model.pose(q, "nobody"), unknown, "nobody"),
        "model q too long": (lambda: model.mass_matrix(np.zeros(nq + 1)), invalid, "q"),
        "model q of text": (lambda: model.mass_matrix(["a"] * nq), (TypeError, ValueError, invalid), ""),
        "model v not finite": (lambda: model.forward_dynamics(q, np.full(nv, np.nan)), invalid, "v"),
        "model open": (lambda: model.forward_dynamics(q + 0.2, v), invalid, "open"),
        "model tau too short": (lambda: model.forward_dynamics(q, v, [1.0]), invalid, "tau"),
        "model by nothing": (lambda: model.forward_dynamics(q, v, dynamics="magic"), unknown, "magic"),
        "model inverse too short": (lambda: model.inverse_dynamics(q, v, [1.0]), invalid, "vdot"),
        "model increment too long": (lambda: model.integrate(q, np.zeros(nv + 1)), invalid, "increment"),
    }


NAMES = sorted(refused_calls(kinloop.Simulation.load(RIGS / "four_bar.yaml")))


@pytest.mark.parametrize("name", NAMES)
def test_it_is_refused_and_nothing_changes(four_bar, name):
    four_bar.step([2.0], steps=5)
    call, expected, says = refused_calls(four_bar)[name]
    before, command = four_bar.state_hash, four_bar.command.copy()

    with pytest.raises(expected, match=says):
        call()

    assert four_bar.state_hash == before and (four_bar.command == command).all()
    twin = kinloop.Simulation(four_bar.plant)
    twin.step([2.0], steps=5)
    four_bar.step([2.0])
    twin.step([2.0])
    assert four_bar.state_hash == twin.state_hash  # nothing waits for the next step either


def test_a_command_that_was_written_is_checked_before_a_step(four_bar):
    four_bar.command[0] = np.nan
    before = four_bar.state_hash
    for call in (four_bar.step, four_bar.linearize, four_bar.trim):
        with pytest.raises(kinloop.InvalidError, match="motor"):
            call()
    assert four_bar.state_hash == before


def test_a_mechanism_without_freedom_is_one_all_the_same():
    model = kinloop.Model.from_dict(LOCKED)
    nothing = np.zeros(0)
    assert model.nv == 0 and model.forward_dynamics(nothing, nothing).size == 0
    assert model.mass_matrix(nothing).shape == (0, 0) and model.jacobian(nothing, "block").shape == (6, 0)
    assert model.energy(nothing).kinetic == 0.0
    assert model.reactions(nothing, nothing)["weld"].wrench[2] == pytest.approx(9.81, rel=1e-3)

    simulation = kinloop.Simulation(native.Plant.of_model(model))
    simulation.step(steps=3)

    assert simulation.time_s == pytest.approx(3e-3)
    assert simulation.linearize().A.shape == (0, 0)
    assert simulation.linearize_trajectory(np.zeros((2, 0))).x.shape == (3, 0)
    with pytest.raises(kinloop.InvalidError, match="no degrees of freedom"):
        simulation.trim()


def test_a_file_that_is_wrong_says_where(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("kinloop: 1\nname: bad\nparameters:\n  length: 80 cn\nbodies:\n  - {name: rod, mas: 2}\njoints: []\n")

    with pytest.raises(kinloop.ModelError) as caught:
        kinloop.Model.load(path)

    error = caught.value
    assert pathlib.Path(error.file).name == "bad.yaml" and (error.line, error.field) == (4, "parameters.length")
    assert len(error.complaints) >= 2 and "did you mean 'cm'" in str(error)


def test_a_dictionary_that_is_wrong_says_which_entry():
    wrong = {**PENDULUM, "joints": [{**PENDULUM["joints"][0], "type": "revolve"}]}

    with pytest.raises(kinloop.ModelError) as caught:
        kinloop.Model.from_dict(wrong)

    assert "joints" in caught.value.field and "revolute" in str(caught.value)


@pytest.mark.parametrize("wrong", [{}, {"kinloop": 1}, {"kinloop": 99}, {"kinloop": 1, "bodies": 3}, {3: 4}])
def test_a_dictionary_that_is_no_model_is_refused(wrong):
    with pytest.raises((kinloop.ModelError, TypeError)):
        kinloop.Model.from_dict(wrong)


def test_a_missing_file_is_named():
    with pytest.raises((kinloop.ModelError, OSError), match="nowhere.yaml"):
        kinloop.Model.load("nowhere.yaml")
    with pytest.raises((kinloop.ModelError, OSError), match="nowhere.yaml"):
        kinloop.Simulation.load("nowhere.yaml")


def test_an_unknown_parameter_is_refused():
    for load in (lambda: kinloop.Model.from_dict(PENDULUM, parameters={"lenght": 1.0}),
                 lambda: kinloop.Model.load(MODELS / "four_bar.yaml", parameters={"lenght": 1.0}),
                 lambda: kinloop.Simulation.load(RIGS / "four_bar.yaml", parameters={"lenght": 1.0})):
        with pytest.raises(kinloop.ModelError, match="lenght") as caught:
            load()
        assert caught.value.field == "parameters.lenght"


def test_what_was_made_is_not_made_again(four_bar, plants):
    model = four_bar.model
    for again in (lambda: four_bar.__init__(plants("pendulum")), lambda: four_bar.plant.__init__(RIGS / "pendulum.yaml")):
        with pytest.raises(TypeError, match="another one"):
            again()
    assert four_bar.plant.name == "four_bar" and four_bar.model is model


def test_what_was_never_initialised_is_refused():
    for kind in (native.Model, native.Plant, native.Simulation, native.Chart):
        nobody = kind.__new__(kind)
        for name in ("nq", "name", "q", "states"):
            if hasattr(kind, name):
                with pytest.raises((kinloop.NotNowError, TypeError, AttributeError)):
                    getattr(nobody, name)


def test_a_second_thread_is_told_and_the_first_goes_on(plants):
    """A long call lets other threads run; they may not use the same simulation."""
    simulation = kinloop.Simulation(plants("excavator"))
    twin = kinloop.Simulation(plants("excavator"))
    worker = threading.Thread(target=simulation.step, kwargs={"steps": 3000})
    seen = set()
    worker.start()
    while worker.is_alive() and not seen:
        try:
            simulation.step()
        except kinloop.NotNowError as error:
            seen.add(str(error))
    worker.join()

    assert seen == {"the simulation is in use by another thread"}
    twin.step(steps=simulation.step_count)
    assert twin.state_hash == simulation.state_hash

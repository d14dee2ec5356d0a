"""Kinematics and dynamics obey their laws, whatever the mechanism."""
import kinloop
import numpy as np
import pytest

from conftest import MODEL_NAMES, MODELS, PENDULUM


@pytest.fixture(scope="module", params=[name for name in MODEL_NAMES if name not in ("n_four_bar", "cam_follower_open")])
def closed_model(request):
    """A model, and a motion of it with closed loops."""
    model = kinloop.Model.load(MODELS / f"{request.param}.yaml")
    try:
        q, v = model.close(model.q0, model.v0)
    except kinloop.InvalidError:
        pytest.skip("its loops do not close at the start")
    return model, q, v


def step_apart(model, q, along, h):
    return model.integrate(q, h * along), model.integrate(q, -h * along)


def test_sizes_and_names_fit(closed_model):
    model, q, v = closed_model

    assert len(model.coordinates) == model.nq == q.size
    assert len(model.speeds) == model.nv == v.size
    assert len(model.joints) == len(model.bodies) - 1
    assert model.poses(q).shape == (len(model.bodies), 4, 4)
    assert model.constraint_jacobian(q).shape == (len(model.constraints), model.nv)


def test_a_jacobian_is_the_slope_of_a_pose(closed_model):
    model, q, _ = closed_model
    rng = np.random.default_rng(1)
    along, h = rng.normal(size=model.nv), 1e-6
    for place in [model.bodies[-1], *model.frames[:1]]:
        ahead, behind = (model.pose(one, place) for one in step_apart(model, q, along, h))
        moved = (ahead[:3, 3] - behind[:3, 3]) / (2 * h)
        turned = (ahead[:3, :3] - behind[:3, :3]) / (2 * h) @ model.pose(q, place)[:3, :3].T

        twist = model.jacobian(q, place) @ along

        scale = 1.0 + np.abs(twist).max()
        np.testing.assert_allclose(twist[3:], moved, atol=1e-7 * scale)
        np.testing.assert_allclose(twist[:3], [turned[2, 1], turned[0, 2], turned[1, 0]], atol=1e-7 * scale)


def test_a_velocity_is_the_jacobian_times_speeds(closed_model):
    model, q, _ = closed_model
    v = np.random.default_rng(2).normal(size=model.nv)
    velocities = model.velocities(q, v)
    for k, body in ((k, body) for k, body in enumerate(model.bodies) if body not in model.frames):
        np.testing.assert_allclose(model.jacobian(q, body) @ v, velocities[k], atol=1e-11 * (1 + np.abs(velocities).max()))


def test_kinetic_energy_is_that_of_the_mass_matrix(closed_model):
    model, q, _ = closed_model
    M = model.mass_matrix(q)
    v = np.random.default_rng(3).normal(size=model.nv)

    np.testing.assert_allclose(M, M.T, atol=1e-12 * np.abs(M).max())
    assert model.energy(q, v).kinetic == pytest.approx(0.5 * v @ M @ v, rel=1e-11)


def test_inverse_dynamics_undoes_forward_dynamics(closed_model):
    model, q, v = closed_model
    vdot = model.forward_dynamics(q, v)
    tau = model.inverse_dynamics(q, v, vdot)

    again = model.forward_dynamics(q, v, tau)

    np.testing.assert_allclose(again, vdot, atol=1e-7 * (1.0 + np.abs(vdot).max()))


def test_what_loops_carry_does_no_work(closed_model):
    model, q, v = closed_model
    C = model.constraint_jacobian(q)
    if C.shape[0] == 0:
        pytest.skip("it has no loops")
    tau = model.inverse_dynamics(q, v, model.forward_dynamics(q, v))  # what loops and drives must bring
    driven = np.abs(model.forward_dynamics(q, v, np.ones(model.nv)) - model.forward_dynamics(q, v)) < 1e-14
    if driven.any():
        pytest.skip("some of its joints are driven")

    multipliers, *_ = np.linalg.lstsq(C.T, tau, rcond=None)

    np.testing.assert_allclose(C.T @ multipliers, tau, atol=1e-7 * (1.0 + np.abs(tau).max()))


def test_closed_speeds_keep_the_loops_closed(closed_model):
    model, q, v = closed_model
    C = model.constraint_jacobian(q)

    assert model.closure_error(q) <= 1e-9
    if C.size:
        rank = np.linalg.matrix_rank(C, tol=1e-9)
        freedom = np.linalg.svd(C)[2][rank:]
        for along in freedom[:3]:
            assert model.closure_error(model.integrate(q, 1e-5 * along)) < 1e-8


def test_differences_and_increments_are_inverse(closed_model):
    model, q, _ = closed_model
    increment = 0.3 * np.random.default_rng(4).normal(size=model.nv)

    np.testing.assert_allclose(model.difference(q, model.integrate(q, increment)), increment, atol=1e-12)


def test_momentum_is_mass_times_velocity_of_the_centre(closed_model):
    model, q, _ = closed_model
    along, h = np.random.default_rng(5).normal(size=model.nv), 1e-6
    mass, _ = model.mass_centre(q)
    ahead, behind = (model.mass_centre(one)[1] for one in step_apart(model, q, along, h))

    linear, _ = model.momentum(q, along)

    np.testing.assert_allclose(linear, mass * (ahead - behind) / (2 * h), atol=1e-6 * (1 + np.abs(linear).max()))


def test_a_pendulum_from_a_dictionary_swings_as_equations_say():
    model = kinloop.Model.from_dict(PENDULUM)
    length, mass, angle = 0.8, 2.0, np.radians(60.0)

    vdot = model.forward_dynamics([angle], [0.0])
    pull = model.reactions([angle], [0.0])["pivot"]

    inertia = mass * length**2 / 3.0
    assert vdot[0] == pytest.approx(-mass * 9.81 * length / 2 * np.sin(angle) / inertia, rel=1e-9)
    assert pull.unique.all()
    assert model.name == "swing" and model.warnings == ()


def test_parameters_replace_those_of_the_description():
    longer = kinloop.Model.from_dict(PENDULUM, parameters={"length": "1600 mm", "rod_mass": 4})

    assert longer.mass_centre(longer.q0)[0] == pytest.approx(4.0)
    assert longer.forward_dynamics([1.0], [0.0])[0] == pytest.approx(
        kinloop.Model(PENDULUM).forward_dynamics([1.0], [0.0])[0] / 2, rel=1e-9)


def test_answers_do_not_depend_on_what_was_asked_before():
    model = kinloop.Model.load(MODELS / "five_bar.yaml")
    q, v = model.close(model.q0, model.v0)
    first = model.forward_dynamics(q, v)
    rng = np.random.default_rng(6)
    for _ in range(20):
        other, _ = model.close(model.integrate(q, 0.05 * rng.normal(size=model.nv)))
        model.forward_dynamics(other, np.zeros(model.nv))

    assert (model.forward_dynamics(q, v) == first).all()


@pytest.mark.parametrize("formulation", ["semi_recursive_1", "rcr", "partition"])
def test_formulations_agree(formulation):
    model = kinloop.Model.load(MODELS / "four_bar.yaml")
    q, v = model.close(model.q0, model.v0)

    try:
        other = model.forward_dynamics(q, v, dynamics=formulation)
    except kinloop.UnknownNameError as refused:
        assert formulation in str(refused)
        return
    np.testing.assert_allclose(other, model.forward_dynamics(q, v), rtol=1e-9)

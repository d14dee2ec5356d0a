#!/usr/bin/env python3
"""Counts the instructions of linearly implicit steps beside explicit ones, and those of the account of energy.

usage: count.py [path of kinloop] [--only excavator]     (needs valgrind)

Chains of 40 bodies whose joints are far too stiff for the step, and the excavator with its hydraulics. A step is what the
integrator does; the rest of the plant, its actuators and sensors are the same with both and not counted.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BODIES = 40
STEPS = 50  # a run is counted twice, with one and with two times so many: what the start takes is left out

# An explicit step takes the same instructions whatever the stiffness, and diverges with these: it is counted with less.
SOFTER = 1e-6
BUSHING = "stiffness: 1e6 * share, damping: 1e3 * share, rotational_stiffness: 1e4 * share, rotational_damping: 10 * share"


def chain(joint, coordinates, damped, bushings):
    """A chain of 40 links of 0.2 m that hangs from the ground, bent by its joints' first positions."""
    damping = ", ".join(["{damping: 1000 * share}"] * coordinates)
    at = {"revolute": "q: 0.1", "spherical": "q: [0.99875, 0.05, 0, 0]", "free": "q: [0, 0, 0, 0.99875, 0.05, 0, 0]"}[joint]
    lines = ["kinloop: 1", f"name: chain_{joint}", "parameters: {share: 1}", "bodies:"]
    for k in range(BODIES):
        lines.append(f"  - {{name: b{k}, mass: 1, com: [0, 0, -0.1], inertia: [0.01, 0.01, 0.002]}}")
    lines.append("joints:")
    between = [("ground", "[0, 0, 0]")] + [(f"b{k}", "[0, 0, -0.2]") for k in range(BODIES - 1)]
    own = f", coordinates: [{damping}]" if damped else ""
    for k, (before, place) in enumerate(between):
        lines.append(f"  - {{name: j{k}, type: {joint}, predecessor: {before}, successor: b{k}, "
                     f"frame_pred: {{p: {place}}}, {at}{own}}}")
    if bushings:
        lines.append("bushings:")
        for k, (before, place) in enumerate(between):
            lines.append(f"  - {{name: s{k}, body_a: {before}, body_b: b{k}, frame_a: {{p: {place}}}, {BUSHING}}}")
    return "\n".join(lines) + "\n"


CHAINS = {
    "chain of 40, dampers in hinges": chain("revolute", 1, True, False),
    "chain of 40, dampers in ball joints": chain("spherical", 3, True, False),
    "chain of 40, bushings on ball joints": chain("spherical", 3, False, True),
    "chain of 40, bushings on free joints": chain("free", 6, False, True),
}


def unconfined(folder):
    """A library in whose presence no thread is confined: valgrind has calls of its own to make in each."""
    source, library = pathlib.Path(folder) / "unconfined.c", pathlib.Path(folder) / "unconfined.so"
    source.write_text("int seccomp_load(void* filter) { (void)filter; return -1; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def instructions(command, functions, folder):
    """Of all calls of the functions."""
    out = pathlib.Path(folder) / "callgrind"
    toggles = [f"--toggle-collect={name}" for name in functions]
    run = subprocess.run(["valgrind", "--tool=callgrind", *toggles, f"--callgrind-out-file={out}", "--trace-children=no",
                          *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=REPOSITORY,
                         env={**os.environ, "LD_PRELOAD": str(unconfined(folder))})
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{run.stdout}")
    return int(re.search(r"^totals: (\d+)", out.read_text(errors="replace"), re.M).group(1))


def per_step(command_of, functions, folder):
    """Of one step, where command_of(steps) runs so many."""
    return (instructions(command_of(2 * STEPS), functions, folder) - instructions(command_of(STEPS), functions, folder)) / STEPS


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    parser.add_argument("kinloop", nargs="?", default=REPOSITORY / "build/bin/kinloop", type=pathlib.Path)
    given = parser.parse_args()
    kinloop = str(given.kinloop.resolve())
    attempt = ["*::attempt(kinloop::Model const&*"]

    with tempfile.TemporaryDirectory() as folder:
        print(f"{'instructions a step':<40} {'semi_implicit_euler':>20} {'linearly_implicit':>18} {'ratio':>6}")
        excavator = (REPOSITORY / "configs/rigs/excavator.yaml").read_text()
        excavator = excavator.replace("../models/", f"{REPOSITORY}/configs/models/")

        def run_rig(text, steps):
            path = pathlib.Path(folder) / "rig.yaml"
            path.write_text(text)
            return [kinloop, "run", str(path), "--single-process", "--mode", "free", "-t", f"{steps}ms", "--listen", "none",
                    "--allow-degraded", "--runs", f"{folder}/runs"]

        def row(name, rig_of):
            if given.only not in name:
                return
            explicit, implicit = (per_step(lambda steps, i=i: run_rig(rig_of(i), steps), attempt, folder)
                                  for i in ("semi_implicit_euler", "linearly_implicit"))
            print(f"{name:<40} {explicit:>20.0f} {implicit:>18.0f} {implicit / explicit:>6.2f}", flush=True)

        for name, text in CHAINS.items():
            model = pathlib.Path(folder) / "chain.yaml"
            model.write_text(text)

            def rig_of(integrator, model=model):
                share = SOFTER if integrator == "semi_implicit_euler" else 1
                return (f"kinloop_rig: 1\nname: chain\nmodel: {model}\nrate: 1 kHz\nparameters: {{share: {share}}}\n"
                        f"solver: {{integrator: {integrator}}}\n")

            row(name, rig_of)

        def excavator_of(integrator, more=""):
            return excavator.replace("integrator: rk4", f"integrator: {integrator}") + more

        row("excavator with its hydraulics", excavator_of)

        print(f"\n{'instructions a step, excavator':<40} {'step':>10} {'account':>10} {'share':>6}")
        for integrator in ("semi_implicit_euler", "linearly_implicit", "rk4"):
            def with_account(steps, integrator=integrator):
                return run_rig(excavator_of(integrator, "energy_account: true\n"), steps)

            step = per_step(with_account, ["kinloop::Plant::step(*"], folder)
            account = per_step(with_account, ["*EnergyAccount::add(*"], folder)
            print(f"{integrator:<40} {step - account:>10.0f} {account:>10.0f} {100 * account / (step - account):>5.1f} %",
                  flush=True)


if __name__ == "__main__":
    main()

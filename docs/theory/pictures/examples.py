#!/usr/bin/env python3
"""Draws the papers' numerical examples as simulated by kinloop, with nothing but Python's standard library.

  docs/theory/pictures/examples.py KINLOOP          all of them, beside this file
  docs/theory/pictures/examples.py KINLOOP NAME     one, to standard output

KINLOOP is the program, build/bin/kinloop say; run it from the root of the tree.
"""
import csv
import io
import math
import pathlib
import subprocess
import sys

from draw import BLUE, Chart, GOLD, GREEN, INK, RED, document, text

COLOURS = (BLUE, RED, GREEN, GOLD, INK)


def simulated(kinloop, model, duration_s, *options):
    """Columns of the CSV by name."""
    command = [kinloop, "sim", f"configs/models/{model}.yaml", "-t", f"{duration_s} s", "-i", "rk4", "--dt", "0.5 ms", "--every",
               "10", "-o", "-", *options]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = list(csv.reader(io.StringIO(output)))
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


def five_bar(kinloop):
    """000 Figure 7."""
    motion = simulated(kinloop, "five_bar", 1.2, "-d", "rcr")
    chart = Chart(70, 60, 620, 260, (0.0, 1.2), (-4.0, 2.0))
    chart.ticks([(0.2 * i, f"{0.2 * i:.1f}") for i in range(7)], [(y, str(y)) for y in (-4, -3, -2, -1, 0, 1, 2)])
    for i, colour in enumerate(COLOURS[:4], 1):  # the fifth closes the loop
        values = motion[f"q.j{i}"]
        chart.curve(motion["t"], values, colour, 2.0, "" if i < 4 else "6 3")
        chart.parts.append(text(700, 80 + 20 * i, f"q{i} {'rad' if i < 4 else 'm'}", "", "start", colour))
    chart.names("t, s", "coordinates")
    title = "The five-bar of 000 from rest: Figure 7, up to the change point"
    return document(780, 372, [text(70, 26, title, "title")] + chart.parts)


def quick_return(kinloop):
    """003 Fig. 8: the mechanism, own data."""
    motion = simulated(kinloop, "quick_return", 1.6)
    lever = motion["q.J1"]
    crank = [q1 + q3 for q1, q3 in zip(motion["q.J1"], motion["q.J3"])]
    # Lengths of configs/models/quick_return.yaml: the lever's tip, and the link back to the ram.
    ram = [math.cos(q1) + 0.35 * math.cos(q1 + q4) for q1, q4 in zip(motion["q.J1"], motion["q.J4"])]
    turned = [math.degrees(a - crank[0]) for a in crank]
    end = next((i for i, a in enumerate(turned) if abs(a) > 360.0), len(turned))
    turned = [abs(a) for a in turned[:end]]
    parts = [text(70, 26, "The quick return of 003: one turn of the crank", "title")]
    both = ((lever, "lever, degrees", 180.0 / math.pi), (ram, "ram, m", 1.0))
    for place, (series, words, scale) in enumerate(both):
        values = [scale * v for v in series[:end]]
        low, high = min(values), max(values)
        margin = 0.08 * (high - low)
        chart = Chart(70, 70 + 190 * place, 640, 130, (0.0, 360.0), (low - margin, high + margin))
        marks = [low + (high - low) * i / 3 for i in range(4)]
        chart.ticks([(x, str(x)) for x in range(0, 361, 60)], [(y, f"{y:.3g}") for y in marks])
        chart.curve(turned, values, COLOURS[place])
        chart.names("turn of the crank, degrees" if place else "", words)
        parts += chart.parts
    return document(780, 440, parts)


def cam_follower(kinloop):
    """003 App. B.2: the lift, and the force of the edge that shows where contact would be lost."""
    motion = simulated(kinloop, "cam_follower", 1.0)
    command = [kinloop, "sim", "configs/models/cam_follower.yaml", "-t", "1 s", "--dt", "0.5 ms", "--every", "10",
               "--reactions", "-"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = [row for row in csv.reader(io.StringIO(output)) if row and (row[0] == "t" or row[0][:1].isdigit())]
    header = lines[0]
    up = header.index("edge.fy")
    edge = [(float(row[0]), float(row[up])) for row in lines[1:] if len(row) == len(header) and row[up]]
    angle = [math.degrees(q) for q in motion["q.shaft"]]
    profile = lambda q: 0.5 + 0.12 * math.cos(q) + 0.03 * math.cos(2 * q) + 0.02 * math.sin(2 * q)
    q_edge = next(name for name in motion if name.startswith("q.edge"))
    parts = [text(70, 26, "The cam of 003, App. B.2, closed by a guide: one turn at 60 rpm", "title")]
    lift = Chart(70, 70, 640, 130, (0.0, 360.0), (0.3, 0.7))
    lift.ticks([(x, str(x)) for x in range(0, 361, 60)], [(y, f"{y}") for y in (0.3, 0.4, 0.5, 0.6, 0.7)])
    lift.curve(angle, [profile(q) for q in motion[q_edge]], BLUE)
    lift.names("", "height of the edge, m")
    values = [force for _, force in edge]
    chart = Chart(70, 260, 640, 130, (0.0, 360.0), (min(values + [0.0]) * 1.1 - 10.0, max(values) * 1.1))
    marks = [round(max(values) * i / 3, -1) for i in range(4)]
    chart.ticks([(x, str(x)) for x in range(0, 361, 60)], [(y, f"{y:.0f}") for y in marks])
    chart.curve([360.0 * t for t, _ in edge], values, RED)
    chart.names("turn of the cam, degrees", "force of the edge on the follower, upward, N")
    return document(780, 440, parts + lift.parts + chart.parts)


def chain(kinloop):
    """002: a chain of seven hinges that falls, in pieces and in one."""
    duration_s = 1.5
    pieces = simulated(kinloop, "arm7", duration_s, "-d", "hybrid")
    whole = simulated(kinloop, "arm7", duration_s, "-d", "rfda")
    parts = [text(70, 26, "A chain of seven hinges falls, cut in pieces as 002 says", "title")]
    seconds = [(0.25 * i, f"{0.25 * i:g}") for i in range(7)]
    shown = ("a2", "a4", "a6")
    low = min(min(pieces[f"q.{name}"]) for name in shown)
    high = max(max(pieces[f"q.{name}"]) for name in shown)
    chart = Chart(70, 70, 620, 150, (0.0, duration_s), (math.floor(low), math.ceil(high)))
    chart.ticks(seconds, [(y, str(y)) for y in range(math.floor(low), math.ceil(high) + 1, 2)])
    for name, colour in zip(shown, COLOURS):
        chart.curve(pieces["t"], pieces[f"q.{name}"], colour)
        chart.parts.append(text(700, 90 + 20 * shown.index(name), f"q.{name}", "", "start", colour))
    chart.names("", "angles, rad")
    apart = [max(abs(pieces[name][i] - whole[name][i]) for name in pieces if name.startswith("q."))
             for i in range(len(pieces["t"]))]
    digits = Chart(70, 280, 620, 110, (0.0, duration_s), (-17.0, -9.0))
    digits.ticks(seconds, [(y, f"1e{y}") for y in range(-17, -8, 2)])
    digits.curve(pieces["t"], [math.ceil(math.log10(max(a, 1e-17))) for a in apart], RED)
    digits.names("t, s", "largest difference of an angle from that of rfda, next power of ten, rad")
    return document(780, 440, parts + chart.parts + digits.parts)


PICTURES = {f.__name__: f for f in (five_bar, quick_return, cam_follower, chain)}

if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[2] in PICTURES:
        sys.stdout.write(PICTURES[sys.argv[2]](sys.argv[1]))
    elif len(sys.argv) == 2:
        for name, draw in PICTURES.items():
            (pathlib.Path(__file__).parent / f"{name}.svg").write_text(draw(sys.argv[1]))
    else:
        sys.exit(__doc__)

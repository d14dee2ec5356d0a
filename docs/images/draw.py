#!/usr/bin/env python3
"""Draws the pictures of the documentation, with nothing but Python's standard library.

  docs/images/draw.py crane MOTION.csv > docs/images/crane.svg     MOTION.csv from: kinloop sim configs/models/demo.yaml
  docs/images/draw.py peers PEERS.json > docs/images/peers.svg     PEERS.json from: bench_peers --json PEERS.json
  docs/images/draw.py loops LOOPS.json > docs/images/loops.svg     LOOPS.json from: bench_loops --json LOOPS.json
"""
import csv
import json
import math
import sys

INK, PALE = "#1b2430", "#8a97a8"
STYLE = ('<style>text{font:13px system-ui,sans-serif;fill:%s}.small{font-size:11px;fill:%s}'
         '.title{font-size:15px;font-weight:600}</style>' % (INK, PALE))


def document(width, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}">{STYLE}<rect width="100%" height="100%" fill="#fbfcfe"/>'
            + "".join(parts) + "</svg>\n")


def line(points, colour, width=2.0, opacity=1.0):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" '
            f'stroke-opacity="{opacity:.2f}" stroke-linecap="round" stroke-linejoin="round"/>')


def crane(path):
    """The demo crane at equal intervals of time, seen from above at an angle, with the path of its load."""
    tower, boom, mast, rope = 6.0, 8.0, 2.5, 4.0  # the parameters of configs/models/demo.yaml
    rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(open(path))]

    def project(p):
        x, y, z = p
        return 250 + 62 * (x * 0.93 - y * 0.42), 500 - 48 * z - 20 * (x * 0.42 + y * 0.93)

    def figure(row):
        slew, luff, travel = row["q.slew"], row["q.luff"], row["q.travel"]
        a, b = row["q.rope.0"], row["q.rope.1"]
        turn = lambda p: (math.cos(slew) * p[0] - math.sin(slew) * p[1], math.sin(slew) * p[0] + math.cos(slew) * p[1], p[2])
        along = lambda s, up=0.0: turn((s * math.cos(luff) - up * math.sin(luff), 0.0, tower + s * math.sin(luff) + up * math.cos(luff)))
        hook = (-math.sin(b) * rope, math.sin(a) * math.cos(b) * rope, -math.cos(a) * math.cos(b) * rope)
        hook = (math.cos(luff) * hook[0] - math.sin(luff) * hook[2], hook[1], math.sin(luff) * hook[0] + math.cos(luff) * hook[2])
        trolley = along(travel, -0.35)
        load = tuple(t + h for t, h in zip(trolley, turn(hook)))
        return {"tower": [(0, 0, 0), (0, 0, tower + mast)], "boom": [(0, 0, tower), along(boom)],
                "stay": [(0, 0, tower + mast), along(boom)], "rope": [trolley, load], "load": load}

    figures = [figure(row) for row in rows]
    parts = ['<text class="title" x="24" y="34">A crane slews, its load swings: configs/models/demo.yaml</text>',
             '<text class="small" x="24" y="54">12 s, one figure every 1.5 s, and the path of the load</text>']
    parts.append(line([project(f["load"]) for f in figures], "#d1495b", 1.5, 0.8))
    strobe = figures[::max(1, len(figures) // 8)]
    for i, f in enumerate(strobe):
        opacity = 0.25 + 0.75 * i / (len(strobe) - 1)
        for name, colour, width in (("stay", PALE, 1), ("tower", "#e0a526", 6), ("boom", "#e0a526", 4), ("rope", INK, 1.2)):
            parts.append(line([project(p) for p in f[name]], colour, width, opacity))
        x, y = project(f["load"])
        parts.append(f'<rect x="{x - 9:.1f}" y="{y - 9:.1f}" width="18" height="18" rx="2" fill="#2f6690" fill-opacity="{opacity:.2f}"/>')
    return document(880, 540, parts)


def peers(path):
    """Time of one forward dynamics, every contestant beside us, on a logarithmic scale."""
    data = json.load(open(path))
    names = list(data["contestants"])
    colours = dict(zip(names, ("#2f6690", "#d1495b", "#e0a526", "#6a994e")))
    rows = [m for m in data["mechanisms"] if m["name"].endswith("_random")]
    low, high, top, left, width, height = 1e1, 1e7, 70, 70, 800, 330
    y_of = lambda ns: top + height - height * math.log10(ns / low) / math.log10(high / low)
    parts = ['<text class="title" x="24" y="30">Forward dynamics, one thread, less is better. Below: time of the fastest peer over ours</text>']
    for decade in range(1, 8):
        y = y_of(10.0 ** decade)
        parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dfe5ec"/>'
                     f'<text class="small" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">'
                     f'{("10 ns", "100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms")[decade - 1]}</text>')
    group = width / len(rows)
    bar = group / (len(names) + 1.2)
    for i, row in enumerate(rows):
        for j, name in enumerate(names):
            ns = row[name]["forward_dynamics_ns"]
            x, y = left + i * group + (j + 0.6) * bar, y_of(ns)
            parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{bar * 0.92:.1f}" height="{top + height - y:.1f}" '
                         f'rx="1.5" fill="{colours[name]}"><title>{name}: {ns:.0f} ns</title></rect>')
        best = min(row[name]["forward_dynamics_ns"] for name in names if name != "kinloop")
        centre = left + (i + 0.5) * group
        parts.append(f'<text class="small" x="{centre:.1f}" y="{top + height + 18}" text-anchor="middle">'
                     f'{row["name"].removesuffix("_random")}</text>'
                     f'<text x="{centre:.1f}" y="{top + height + 36}" text-anchor="middle">'
                     f'{best / row["kinloop"]["forward_dynamics_ns"]:.1f}×</text>')
    for j, name in enumerate(names):
        x = left + 130 * j
        parts.append(f'<rect x="{x}" y="44" width="12" height="12" rx="2" fill="{colours[name]}"/>'
                     f'<text x="{x + 18}" y="55">{name}</text>')
    return document(900, 450, parts)


def loops(path):
    """Time of one forward dynamics over the number of loops, every formulation, on logarithmic scales."""
    data = json.load(open(path))
    colours = {"rcr": "#2f6690", "semi_recursive_2": "#d1495b", "semi_recursive_1": "#e0a526", "partition": "#6a994e"}
    low, high, most, top, width, height = 1e2, 1e9, 200.0, 90, 250, 300
    parts = ['<text class="title" x="24" y="30">Forward dynamics over the number of loops N, one thread</text>']
    for i, (family, rows) in enumerate(data.items()):
        left = 80 + i * (width + 30)
        x_of = lambda n, left=left: left + width * math.log10(n) / math.log10(most)
        y_of = lambda ns: top + height - height * math.log10(ns / low) / math.log10(high / low)
        parts.append(f'<text class="small" x="{left}" y="{top - 14}">{family.split(":")[0]}</text>')
        for decade in range(2, 10):
            y = y_of(10.0 ** decade)
            parts.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dfe5ec"/>')
            if i == 0:
                name = ("100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s")[decade - 2]
                parts.append(f'<text class="small" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{name}</text>')
        for n in (1, 10, 100):
            parts.append(f'<text class="small" x="{x_of(n):.1f}" y="{top + height + 18}" text-anchor="middle">{n}</text>')
        for name, colour in colours.items():
            points = [(x_of(row["size"]), y_of(row["forward_dynamics_ns"][name])) for row in rows
                      if name in row["forward_dynamics_ns"]]
            parts.append(line(points, colour, 3 if name == "rcr" else 1.6))
    for i, (name, colour) in enumerate(colours.items()):
        x = 80 + 190 * i
        parts.append(line([(x, top + height + 42), (x + 24, top + height + 42)], colour, 3))
        parts.append(f'<text x="{x + 32}" y="{top + height + 46}">{name}</text>')
    return document(920, top + height + 70, parts)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("crane", "peers", "loops"):
        sys.exit(__doc__)
    sys.stdout.write({"crane": crane, "peers": peers, "loops": loops}[sys.argv[1]](sys.argv[2]))

#!/usr/bin/env python3
"""Draws the pictures of the theory pages as plain SVG, with nothing but Python's standard library.

  docs/theory/pictures/draw.py          all of them, beside this file
  docs/theory/pictures/draw.py NAME     one, to standard output
"""
import cmath
import math
import pathlib
import sys

INK, PALE, GRID = "#1b2430", "#8a97a8", "#dfe5ec"
BLUE, RED, GOLD, GREEN = "#2f6690", "#d1495b", "#e0a526", "#6a994e"
STYLE = ('<style>text{font:13px system-ui,sans-serif;fill:%s}.small{font-size:11px;fill:%s}'
         '.title{font-size:14px;font-weight:600}.math{font:italic 14px Georgia,serif}</style>' % (INK, PALE))
HEADS = "".join(
    f'<marker id="head{c[1:]}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
    f'orient="auto-start-reverse"><path d="M0 1 10 5 0 9z" fill="{c}"/></marker>' for c in (INK, PALE, BLUE, RED, GREEN, GOLD))


def document(width, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
            f'{STYLE}<defs>{HEADS}</defs><rect width="100%" height="100%" fill="#fbfcfe"/>\n'
            + "\n".join(parts) + "\n</svg>\n")


def line(points, colour=INK, width=1.6, dash=""):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dashed} '
            f'stroke-linejoin="round" stroke-linecap="round"/>')


def arrow(a, b, colour=INK, width=1.6, dash=""):
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"{dashed} marker-end="url(#head{colour[1:]})"/>')


def curved(a, control, b, colour=INK, width=1.6):
    return (f'<path d="M{a[0]:.1f} {a[1]:.1f}Q{control[0]:.1f} {control[1]:.1f} {b[0]:.1f} {b[1]:.1f}" fill="none" '
            f'stroke="{colour}" stroke-width="{width}" marker-end="url(#head{colour[1:]})"/>')


def text(x, y, words, kind="", anchor="start", colour=""):
    fill = f' style="fill:{colour}"' if colour else ""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{fill}>{words}</text>'


def dot(x, y, r=4.0, fill=INK, stroke="none"):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{fill}" stroke="{stroke}" stroke-width="1.6"/>'


def hinge(x, y):
    return dot(x, y, 5, "#fbfcfe", INK)


def box(x, y, w, h, fill="#fff", stroke=PALE, r=6):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="{r}" fill="{fill}" stroke="{stroke}" stroke-width="1.4"/>'


def blob(points, fill, stroke):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon points="{path}" fill="{fill}" stroke="{stroke}" stroke-width="1.6" stroke-linejoin="round"/>'


def rod(a, b, colour=BLUE, width=9):
    return (f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" stroke="{colour}" '
            f'stroke-opacity="0.35" stroke-width="{width}" stroke-linecap="round"/>')


class Chart:
    """Axes with a linear scale; y grows upward."""

    def __init__(self, left, top, width, height, x_range, y_range):
        self.left, self.top, self.width, self.height = left, top, width, height
        self.x_range, self.y_range = x_range, y_range
        self.parts = [box(left, top, width, height, "#fff", GRID, 0)]

    def at(self, x, y):
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        return self.left + self.width * (x - x0) / (x1 - x0), self.top + self.height * (1 - (y - y0) / (y1 - y0))

    def ticks(self, xs, ys):
        for value, name in xs:
            x, _ = self.at(value, self.y_range[0])
            self.parts.append(line([(x, self.top), (x, self.top + self.height)], GRID, 1))
            self.parts.append(text(x, self.top + self.height + 16, name, "small", "middle"))
        for value, name in ys:
            _, y = self.at(self.x_range[0], value)
            self.parts.append(line([(self.left, y), (self.left + self.width, y)], GRID, 1))
            self.parts.append(text(self.left - 6, y + 4, name, "small", "end"))

    def curve(self, xs, ys, colour, width=2.0, dash=""):
        inside = [(x, y) for x, y in zip(xs, ys) if self.y_range[0] <= y <= self.y_range[1]]
        self.parts.append(line([self.at(x, y) for x, y in inside], colour, width, dash))

    def label(self, x, y, words, colour=INK, anchor="start", kind=""):
        px, py = self.at(x, y)
        self.parts.append(text(px, py, words, kind, anchor, colour))

    def names(self, x_name, y_name):
        self.parts.append(text(self.left + self.width, self.top + self.height + 34, x_name, "", "end"))
        self.parts.append(text(self.left, self.top - 10, y_name))


def frames():
    """A body and its parent: reference points, frames of the joint, the vector between them."""
    parts = []
    parts.append(arrow((50, 300), (50, 235), PALE))
    parts.append(arrow((50, 300), (115, 300), PALE))
    parts.append(text(36, 318, "world W"))
    parent = [(150, 270), (165, 205), (250, 165), (350, 185), (372, 240), (320, 285), (210, 300)]
    child = [(425, 205), (470, 130), (560, 70), (640, 85), (650, 150), (560, 205), (480, 245)]
    parts.append(blob(parent, "#eaf0f6", BLUE))
    parts.append(blob(child, "#fbeef0", RED))
    parts.append(text(205, 290, "parent p", "", "start", BLUE))
    parts.append(text(585, 110, "body k", "", "start", RED))
    xp, a, b, c = (185, 245), (345, 225), (445, 205), (560, 140)
    parts.append(dot(*xp, 5, BLUE))
    parts.append(text(165, 232, "x<tspan baseline-shift='sub' font-size='10'>p</tspan>", "math"))
    parts.append(arrow(a, (345, 175), GREEN))
    parts.append(arrow(a, (392, 232), GREEN))
    parts.append(dot(*a, 4, GREEN))
    parts.append(text(330, 250, "A", "", "start", GREEN))
    parts.append(arrow(b, (470, 165), GOLD))
    parts.append(arrow(b, (488, 222), GOLD))
    parts.append(dot(*b, 5, RED))
    parts.append(text(408, 244, "B, x<tspan baseline-shift='sub' font-size='10'>k</tspan>", "math"))
    parts.append(arrow(xp, (440, 206), INK, 1.6, "5 4"))
    parts.append(text(280, 208, "r", "math"))
    parts.append(arrow(b, c, PALE))
    parts.append(dot(*c, 4, PALE))
    parts.append(text(566, 158, "c<tspan baseline-shift='sub' font-size='10'>k</tspan>", "math"))
    parts.append(arrow((50, 300), (180, 249), PALE, 1.2, "3 3"))
    parts.append(text(36, 345, "A sits on the predecessor, B on the successor; the joint moves B against A. The origin of B is"))
    parts.append(text(36, 363, "the reference point of body k: the columns H and the velocity [w; v] of the body are taken there."))
    return document(720, 378, parts)


def sweeps():
    """The inward and the outward sweep of articulated inertias along a chain."""
    parts = [text(24, 28, "Inward: inertias and forces, leaves first", "title", "start", RED),
             text(24, 232, "Outward: accelerations, ground first", "title", "start", BLUE)]
    xs = [110, 280, 450, 620]
    y = 120
    parts.append(rod((xs[0], y), (xs[1], y)))
    parts.append(rod((xs[1], y), (xs[2], y)))
    parts.append(rod((xs[2], y), (xs[3], y)))
    parts.append(line([(70, y - 18), (70, y + 18)], INK, 3))
    for i in range(5):
        parts.append(line([(70, y - 14 + 8 * i), (60, y - 6 + 8 * i)], PALE, 1))
    parts.append(rod((70, y), (xs[0], y), PALE, 5))
    for i, x in enumerate(xs[:3]):
        parts.append(hinge(x, y))
        parts.append(text(x, y + 26, f"joint {i + 1}", "small", "middle"))
        parts.append(text((xs[i] + xs[i + 1]) / 2, y + 26, f"body {i + 1}", "", "middle"))
    for i in (2, 1):
        parts.append(curved((xs[i] + 60, y - 14), (xs[i] - 20, y - 70), (xs[i] - 80, y - 14), RED))
    parts.append(text(430, 58, "M̂ and f̂ of body 3 without what joint 3 lets move:  Bᵀ(M̂ − M̂HD⁻¹HᵀM̂)B", "", "middle"))
    parts.append(text(24, 178, "Each joint takes D = HᵀM̂H and e = τ + Hᵀf̂ out; the rest is moved to the parent’s point and added."))
    for i in (0, 1):
        parts.append(curved((xs[i] + 90, 262), (xs[i] + 170, 308), (xs[i + 1] + 80, 262), BLUE))
    parts.append(text(xs[0] + 40, 258, "Â₁ known", "", "middle"))
    parts.append(text(xs[1] + 70, 252, "v̇₂ = (e − UᵀBÂ₁)/D", "", "middle"))
    parts.append(text(xs[2] + 110, 252, "Â₂ = BÂ₁ + H v̇₂, …", "", "middle"))
    return document(720, 318, parts)


def reference_points():
    """Where the three variants of the semi-recursive methods take moments and sums."""
    parts = []
    titles = ("method I: each body’s point", "method II of 003: one point O", "semi_recursive_2: own points")
    for i, title in enumerate(titles):
        ox = 30 + 290 * i
        parts.append(box(ox - 14, 14, 272, 258))
        parts.append(text(ox, 38, title, "title"))
        joints = [(ox + 24, 200), (ox + 84, 120), (ox + 164, 104), (ox + 222, 160)]
        for a, b in zip(joints, joints[1:]):
            parts.append(rod(a, b, BLUE if i != 1 else RED))
        for j, p in enumerate(joints[:3]):
            parts.append(hinge(*p))
            parts.append(text(p[0] - 6, p[1] - 10, f"x{'₁₂₃'[j]}", "math", "end"))
        if i == 0:
            for j, k in ((1, 0), (2, 0), (2, 1)):
                a, b = joints[k], joints[j]
                parts.append(curved((a[0] + 8, a[1] + 4), ((a[0] + b[0]) / 2 + 26, (a[1] + b[1]) / 2 + 30 * (j - k) + 14),
                                    (b[0] + 2, b[1] + 10), GREEN, 1.3))
            parts.append(text(ox, 240, "M = Σ VᵢᵀMᵢVᵢ: a column for each"))
            parts.append(text(ox, 258, "ancestor at each body, O(n·depth²)"))
        elif i == 1:
            o = (ox + 4, 222)
            parts.append(dot(*o, 5, RED))
            parts.append(text(o[0] - 5, o[1] + 22, "O", "math"))
            for p in joints[1:]:
                parts.append(arrow(((p[0] - 4), (p[1] + 12)), (o[0] + 10, o[1] - 3), RED, 1.2))
            parts.append(text(ox + 24, 240, "Mc adds up without a shift, but"))
            parts.append(text(ox + 24, 258, "m|xₖ − O|² comes in and goes out"))
        else:
            for a, b in zip(joints[1:3], joints[:2]):
                parts.append(curved((a[0] - 4, a[1] + 12), ((a[0] + b[0]) / 2 + 6, (a[1] + b[1]) / 2 + 46),
                                    (b[0] + 10, b[1] + 10), BLUE, 1.6))
            parts.append(text(ox, 240, "Mc is shifted by r on the way in;"))
            parts.append(text(ox, 258, "Mc·b is carried up as one wrench"))
    return document(900, 290, parts)


def mass_matrix_of_rods(lengths, masses, angles):
    """Joint-space inertia of a planar chain of thin rods, relative angles clockwise from +y (001 section 6)."""
    n = len(lengths)
    M = [[0.0] * n for _ in range(n)]
    angle = 0.0
    tip = [[0.0] * n, [0.0] * n]
    for k in range(n):
        angle += angles[k]
        turns = [1.0 if j <= k else 0.0 for j in range(n)]
        along = (math.cos(angle), -math.sin(angle))
        centre = [[tip[d][j] + 0.5 * lengths[k] * along[d] * turns[j] for j in range(n)] for d in (0, 1)]
        for i in range(n):
            for j in range(n):
                M[i][j] += masses[k] * sum(centre[d][i] * centre[d][j] for d in (0, 1))
                M[i][j] += masses[k] * lengths[k] ** 2 / 12.0 * turns[i] * turns[j]
        tip = [[tip[d][j] + lengths[k] * along[d] * turns[j] for j in range(n)] for d in (0, 1)]
    return M


def inverse_diagonal(M):
    """Diagonal of the inverse of a small symmetric matrix, by Gauss-Jordan."""
    n = len(M)
    a = [row[:] + [1.0 if i == j else 0.0 for j in range(n)] for i, row in enumerate(M)]
    for c in range(n):
        p = max(range(c, n), key=lambda r: abs(a[r][c]))
        a[c], a[p] = a[p], a[c]
        a[c] = [x / a[c][c] for x in a[c]]
        for r in range(n):
            if r != c:
                a[r] = [x - a[r][c] * y for x, y in zip(a[r], a[c])]
    return [a[i][n + i] for i in range(n)]


def criterion():
    """cos^2 of 001 (26) for the physical pendulum, and of 001 Figure 3 for a four-bar of our own data."""
    m, J, rho = 2.0, 0.3, 0.6
    left = Chart(60, 70, 340, 220, (0.0, 180.0), (0.0, 1.0))
    left.ticks([(0, "0°"), (45, "45°"), (90, "90°"), (135, "135°"), (180, "180°")], [(0, "0"), (0.5, "0.5"), (1, "1")])
    gammas = [i for i in range(0, 181, 2)]
    whole = m * rho * rho + J
    curves = [("x", BLUE, lambda g: m * rho * rho / whole * math.sin(g) ** 2),
              ("y", RED, lambda g: m * rho * rho / whole * math.cos(g) ** 2), ("γ", GREEN, lambda g: J / whole)]
    for name, colour, f in curves:
        left.curve(gammas, [f(math.radians(g)) for g in gammas], colour)
    left.label(92, 0.72, "x", BLUE), left.label(4, 0.72, "y", RED), left.label(150, 0.32, "γ", GREEN)
    left.names("γ", "cos² α of a physical pendulum, 001 (26)")

    l0, lengths, masses = 3.0, (1.0, 2.8, 2.4), (1.0, 2.8, 2.4)
    l1, l2, l3 = lengths
    right = Chart(480, 70, 360, 220, (0.0, 360.0), (0.0, 1.0))
    right.ticks([(0, "0°"), (90, "90°"), (180, "180°"), (270, "270°"), (360, "360°")], [(0, "0"), (0.5, "0.5"), (1, "1")])
    xs, ys = [], ([], [], [])
    for i in range(361):
        a1 = math.radians(i)
        a3 = math.acos((l0 ** 2 + l1 ** 2 - l2 ** 2 - l3 ** 2 - 2 * l0 * l1 * math.sin(a1)) / (2 * l2 * l3))
        sine = l0 * l2 * math.cos(a1) + l0 * l3 * math.cos(a1 + a3) + l1 * l3 * math.sin(a3)
        cosine = l0 * l2 * math.sin(a1) + l0 * l3 * math.sin(a1 + a3) - l1 * l3 * math.cos(a3) - l1 * l2
        a2 = math.atan2(sine, cosine)
        below = l2 * l3 * math.sin(a3)
        D = [1.0, -(l0 * l1 * math.cos(a1) + l0 * l2 * math.cos(a1 + a2)) / below, l0 * l1 * math.cos(a1) / below]
        M = mass_matrix_of_rods(lengths, masses, (a1, a2, a3))
        Md = sum(D[r] * M[r][c] * D[c] for r in range(3) for c in range(3))
        mobility = inverse_diagonal(M)
        xs.append(i)
        for k in range(3):
            ys[k].append(D[k] ** 2 / Md / mobility[k])
    for k, colour in enumerate((BLUE, RED, GREEN)):
        right.curve(xs, ys[k], colour)
        at, lift = ((110, -0.08), (20, -0.08), (190, 0.04))[k]
        right.label(at, ys[k][at] + lift, f"α{'₁₂₃'[k]}", colour)
    right.names("crank α₁", "cos² α of a four-bar, as 001 Figure 3")
    notes = [text(60, 28, "How readily each coordinate moves with the loops closed, against how readily with the loops open", "title"),
             text(60, 340, "Pendulum: m = 2 kg, J = 0.3 kg m², ρ = 0.6 m. Four-bar: l₀ to l₃ = 3, 1, 2.8, 2.4 m, thin rods of 1 kg/m;", "small"),
             text(60, 356, "the paper does not give its data. α₃ is no choice at 90° and 270°; α₁ and α₂ take turns in being the best.", "small")]
    return document(880, 372, notes + left.parts + right.parts)


def shares():
    """Why a row is judged by the longest of its loop constraint: its own length passes through zero."""
    e = 1e-12
    chart = Chart(90, 60, 640, 240, (-12.0, 0.0), (-14.0, 0.0))
    chart.ticks([(x, f"1e{x}") for x in range(-12, 1, 2)], [(y, f"1e{y}") for y in range(-14, 1, 2)])
    xs = [-12.0 + 12.0 * i / 200 for i in range(201)]
    chart.curve(xs, [math.log10(min(1.0, e / 10 ** x)) for x in xs], RED)
    chart.curve(xs, [math.log10(e) for _ in xs], BLUE)
    chart.curve(xs, [-9.0 for _ in xs], INK, 1.4, "6 4")
    chart.label(-11.6, -8.7, "rank tolerance 1e-9")
    chart.label(-8.0, -3.3, "against its own length: e / s", RED)
    chart.label(-11.6, -11.6, "against the longest row of the constraint: e", BLUE)
    chart.names("length s of the row, of the longest = 1", "share that rounding leaves of a dependent row, loop closed to e = 1e-12")
    parts = [text(90, 26, "A dependent row that passes through zero seems independent if it is judged by itself", "title")]
    return document(780, 352, parts + chart.parts)


def sliders():
    """004, Fig. 2: Featherstone's two sliders, what each coordinate moves, and the inertia it meets."""
    m_1, m_2, left, ground = 2.0, 3.5, 40, 300

    def drawn(x, y, dx, dy):
        """Body 1 on the ground's rail, body 2 on the rail that body 1 carries, moved by dx along x, dy along y."""
        shapes = []
        for shift, rise, colours, width in ((0, 0, (GRID, GRID), 2.2), (dx, dy, (BLUE, RED), 1.8)):
            at = x + shift
            corners = [(at - 34, y), (at + 34, y), (at + 34, y - 34), (at + 6, y - 34), (at + 6, y - 170), (at - 6, y - 170),
                       (at - 6, y - 34), (at - 34, y - 34), (at - 34, y)]
            block = [(at - 22, y - 74 - rise), (at + 22, y - 74 - rise), (at + 22, y - 108 - rise), (at - 22, y - 108 - rise),
                     (at - 22, y - 74 - rise)]
            shapes += [line(corners, colours[0], width), line(block, colours[1], width)]
        rail = [(x - 80, y + 5), (x + 110, y + 5)]
        return shapes + [line(rail, INK, 2.4)] + [line([(px, y + 5), (px - 8, y + 13)], PALE, 1) for px in range(x - 74, x + 111, 14)]

    parts = [text(left, 28, "One coordinate changes, the other stays: each meets its own inertia (17)", "title")]
    for i, (dx, dy, name, met) in enumerate(((45, 0, "x of body 1", f"m1 + m2 = {m_1 + m_2:g} kg: body 2 goes along"),
                                             (0, 45, "y of body 2, free", f"m2 = {m_2:g} kg: body 1 stays"))):
        x = 150 + 320 * i
        parts += drawn(x, 240, dx, dy)
        parts.append(text(x - 80, ground - 10, name))
        parts.append(text(x - 80, ground + 10, met, "small"))
    parts.append(text(left, ground + 48, f"Square to its rail body 1 is left with its own mass, m1 = {m_1:g} kg (15): there body 2 slides away."))
    return document(660, 370, parts)


def special_pair():
    """004, Fig. 5 and 6: what a pair of bodies does where one coordinate changes a little, special and usual ones."""
    m_k, J_k, phi_j, phi_k = 1.4, 0.2, 0.25, 1.0
    s_j, s_k = (0.9, 0.1), (-0.8, 0.1)  # from the centres to the hinge, in body axes

    def turned(phi, s):
        return (math.cos(phi) * s[0] - math.sin(phi) * s[1], math.sin(phi) * s[0] + math.cos(phi) * s[1])

    def slope(phi, s):
        x, y = turned(phi, s)
        return (-y, x)

    def bodies(y_j, y_k):
        return [turned(y_j[2], s) for s in ((-0.9, -0.15), (0.9, -0.1), (0.9, 0.3), (-0.9, 0.2))], \
               [turned(y_k[2], s) for s in ((-0.8, -0.1), (0.9, -0.15), (0.9, 0.15), (-0.8, 0.3))]

    start_j = (0.0, 0.0, phi_j)
    hinge_at = turned(phi_j, s_j)
    to_hinge = turned(phi_k, s_k)
    start_k = (hinge_at[0] - to_hinge[0], hinge_at[1] - to_hinge[1], phi_k)
    below = J_k + m_k * (s_k[0] ** 2 + s_k[1] ** 2)
    alpha = -m_k * (math.sin(phi_k) * s_k[0] + math.cos(phi_k) * s_k[1]) / below  # (47)
    beta = m_k * (math.cos(phi_k) * s_k[0] - math.sin(phi_k) * s_k[1]) / below
    t_3 = (-slope(phi_k, s_k)[0], -slope(phi_k, s_k)[1], 1.0)  # D_k of (36)

    def moved_k(of_hinge, turn):
        """Body k where its hinge moves and it turns besides, to first order: E_k v + D_k turn."""
        return tuple(a + b for a, b in zip(start_k, (of_hinge[0] + t_3[0] * turn, of_hinge[1] + t_3[1] * turn, turn)))

    def change(i, amount, special):
        y_j = list(start_j)
        hinge_moves, turn = (0.0, 0.0), amount
        if i < 3:
            y_j[i] += amount
            dx = slope(phi_j, s_j)
            hinge_moves = ((amount, 0.0), (0.0, amount), (amount * dx[0], amount * dx[1]))[i]
            turn = alpha * hinge_moves[0] + beta * hinge_moves[1] if special else (amount if i == 2 else 0.0)
        return tuple(y_j), moved_k(hinge_moves, turn)

    def draw(y_j, y_k, origin, colours, width):
        shapes = []
        for (x, y, _), corners, colour in zip((y_j, y_k), bodies(y_j, y_k), colours):
            points = [(origin[0] + 52 * (x + cx), origin[1] - 52 * (y + cy)) for cx, cy in corners + corners[:1]]
            shapes.append(line(points, colour, width))
        return shapes

    parts = [text(30, 28, "One coordinate changes, the others stay", "title"),
             text(30, 58, "special coordinates (48): the mass matrix is block diagonal"),
             text(30, 268, "y_j and the angle of the joint, (20): it is not")]
    names = (("x of j", "y of j", "φ of j", "ỹ of k, free"), ("x of j", "y of j", "φ of j", "θ of k"))
    for row, special in enumerate((True, False)):
        for i in range(4):
            origin = (105 + 195 * i, 190 + 210 * row)
            parts += draw(start_j, start_k, origin, (GRID, GRID), 2.4)
            parts += draw(*change(i, 0.3, special), origin, (BLUE, RED), 1.8)
            parts.append(text(origin[0] - 40, origin[1] + 44, names[row][i], "small"))
    return document(810, 460, parts)


def segments():
    """A ladder of four-bars cut into segments: tails, boundary bodies, order of elimination."""
    parts = [text(24, 28, "Recursive coordinate reduction of an N-four-bar: segments, leaves first", "title")]
    xs = [80, 230, 380, 530, 680]
    top, low = 90, 200
    colours = (PALE, GREEN, GOLD, RED)
    for i, x in enumerate(xs):
        parts.append(line([(x - 14, low + 14), (x + 14, low + 14)], INK, 2.4))
        for k in range(4):
            parts.append(line([(x - 12 + 8 * k, low + 14), (x - 17 + 8 * k, low + 21)], PALE, 1))
    for i, x in enumerate(xs):
        colour = colours[max(i - 1, 0)]
        parts.append(rod((x, low), (x, top), colour))
        if i:
            parts.append(rod((xs[i - 1], top), (x, top), colours[i - 1]))
    for i, x in enumerate(xs):
        parts.append(hinge(x, top))
        parts.append(hinge(x, low))
        if i:
            parts.append(dot(x, low, 5, "#fbfcfe", RED))
            parts.append(text(x + 12, low + 4, "closing", "small"))
    for i in range(4):
        parts.append(text((xs[i] + xs[i + 1]) / 2, 140, f"segment {4 - i}", "", "middle"))
        parts.append(text((xs[i] + xs[i + 1]) / 2, 158, "2 rows, 2 unknowns" if i else "2 rows, 3 unknowns", "small", "middle"))
    parts.append(text(xs[0] - 6, 60, "the crank is the free one", "small", "start"))
    for i in range(3, 0, -1):
        parts.append(curved(((xs[i] + xs[i + 1]) / 2, 78), (xs[i] + 6, 48), ((xs[i - 1] + xs[i]) / 2 + 24, 78), INK))
    parts.append(text(24, 258, "A segment eliminates its unknowns and leaves ½AᵀKA − FᵀA to its boundary bodies: the one its top hangs"))
    parts.append(text(24, 276, "on, and the bases of its loops. Here the bases are the ground, which takes nothing: one boundary body each,"))
    parts.append(text(24, 294, "and none for the last."))
    return document(780, 310, parts)


def cut_chain():
    """Pieces of a chain between cut forces, and the block structure of Gamma."""
    parts = [text(24, 28, "A chain cut into pieces, and the equations of the cut forces", "title")]
    x = 50
    y = 100
    parts.append(line([(x - 14, y - 18), (x - 14, y + 18)], INK, 3))
    colours = (BLUE, GREEN, RED)
    for piece in range(3):
        for k in range(3):
            parts.append(rod((x, y), (x + 44, y), colours[piece]))
            parts.append(hinge(x, y) if not (piece and k == 0) else "")
            x += 46
        parts.append(text(x - 70, y + 34, f"piece {piece + 1}", "", "middle", colours[piece]))
        if piece < 2:
            parts.append(arrow((x + 26, y - 26), (x - 4, y - 6), INK))
            parts.append(arrow((x + 34, y - 26), (x + 56, y - 6), INK))
            parts.append(text(x + 30, y - 32, f"f{'₁₂'[piece]} on the tip, −f{'₁₂'[piece]} on the base", "small", "middle"))
            x += 60
    parts.append(text(36, 170, "Each piece: one inward sweep with the unit cut forces τ as further right sides,"))
    parts.append(text(36, 190, "γ = Σ (Pᵀτ)ᵀ(Pᵀτ)/D and η = Σ (Pᵀτ)ᵀe/D over its speeds."))
    parts.append(text(36, 210, "Γ f = Ψ: Γ is the sum of the pieces’ γ, Ψ minus the sum of their η."))
    ox, oy, s = 640, 66, 34
    n = 4
    for i in range(n):
        for j in range(n):
            fill = "#fff"
            if abs(i - j) <= 1:
                fill = "#eaf0f6"
            parts.append(box(ox + j * s, oy + i * s, s, s, fill, GRID, 0))
            if i == j:
                parts.append(text(ox + j * s + s / 2, oy + i * s + 21, "Γᵢᵢ", "small", "middle"))
    parts.append(text(ox, oy + n * s + 20, "chain: block tridiagonal", "small"))
    return document(800, 240, parts)


def root_locus_ab(weights):
    """Boundary locus of an Adams-Bashforth method: h lambda for e^{i theta}."""
    points = []
    for i in range(361):
        z = cmath.exp(1j * math.radians(i))
        rho = z - 1.0
        sigma = sum(w * z ** (-j) for j, w in enumerate(weights))
        points.append(rho / sigma)
    return points


def rk_boundary(coefficients):
    """Points where |1 + z + z^2/2 + ...| = 1, followed by Newton's method around the circle."""
    points, z = [], 0.0 + 0.0j
    turns = len(coefficients) - 1
    for i in range(int(720 * turns / 2) + 1):
        target = cmath.exp(1j * math.radians(i))
        for _ in range(30):
            value = sum(c * z ** k for k, c in enumerate(coefficients)) - target
            slope = sum(k * c * z ** (k - 1) for k, c in enumerate(coefficients) if k)
            if abs(slope) < 1e-12:
                break
            z -= value / slope
        if i % 4 == 0:
            points.append(z)
    return points


def stability():
    """Where |amplification| <= 1 for y' = lambda y, and the energy of a pendulum over time."""
    chart = Chart(60, 66, 330, 300, (-4.0, 1.4), (-3.2, 3.2))
    chart.ticks([(x, str(x)) for x in (-4, -3, -2, -1, 0, 1)], [(y, str(y)) for y in (-3, -2, -1, 0, 1, 2, 3)])
    rk4 = rk_boundary([1.0, 1.0, 0.5, 1.0 / 6.0, 1.0 / 24.0])
    heun = rk_boundary([1.0, 1.0, 0.5])
    sets = [(rk4, BLUE, 2.2), (heun, GREEN, 1.8),
            (root_locus_ab([1.5, -0.5]), GOLD, 1.5), (root_locus_ab([55 / 24, -59 / 24, 37 / 24, -9 / 24]), RED, 1.5)]
    for points, colour, width in sets:
        chart.parts.append(line([chart.at(p.real, p.imag) for p in points
                                 if -4 <= p.real <= (1.4 if colour in (BLUE, GREEN) else 0.0) and abs(p.imag) <= 3.2],
                                colour, width))
    chart.label(-2.6, 2.35, "rk4", BLUE), chart.label(-2.35, 1.3, "heun", GREEN)
    chart.label(-1.0, 0.85, "ab2", GOLD), chart.label(-0.62, -0.55, "ab4", RED)
    chart.names("Re λh", "stable inside; linearly_implicit: the whole left half")

    right = Chart(480, 66, 360, 300, (0.0, 40.0), (-0.06, 0.10))
    right.ticks([(x, str(x)) for x in (0, 10, 20, 30, 40)], [(y, f"{y:+.2f}") for y in (-0.05, 0.0, 0.05, 0.10)])
    h, steps = 0.1, 400

    def energy(q, v):
        return 0.5 * v * v + 1.0 - math.cos(q)

    def curve_of(step, colour):
        q, v = 1.0, 0.0
        start = energy(q, v)
        xs, ys = [0.0], [0.0]
        for i in range(steps):
            q, v = step(q, v)
            xs.append((i + 1) * h)
            ys.append((energy(q, v) - start) / start)
        right.curve(xs, ys, colour, 1.6)

    f = lambda q: -math.sin(q)

    def semi_implicit(q, v):
        v += h * f(q)
        return q + h * v, v

    def heun_step(q, v):
        q1, v1 = q + h * v, v + h * f(q)
        return q + h * (v + v1) / 2, v + h * (f(q) + f(q1)) / 2

    def rk4_step(q, v):
        k = [(v, f(q))]
        for share in (0.5, 0.5, 1.0):
            k.append((v + share * h * k[-1][1], f(q + share * h * k[-1][0])))
        w = (1 / 6, 1 / 3, 1 / 3, 1 / 6)
        return q + h * sum(a * b[0] for a, b in zip(w, k)), v + h * sum(a * b[1] for a, b in zip(w, k))

    curve_of(semi_implicit, RED), curve_of(heun_step, GREEN), curve_of(rk4_step, BLUE)
    right.label(1, 0.085, "semi_implicit_euler", RED), right.label(35, 0.085, "heun", GREEN)
    right.label(22, 0.085, "rk4", BLUE)
    right.names("t, s", "energy error of a pendulum, h = 0.1 s, g/l = 1/s²")
    parts = [text(60, 26, "What a step may do: stability of the explicit methods, and energy over time", "title")]
    return document(880, 420, parts + chart.parts + right.parts)


def contact():
    """The one-sided law during a bounce, and friction over the sliding speed."""
    k, a, m, g = 2.0e4, 0.4, 1.0, 9.81
    left = Chart(70, 66, 330, 240, (0.0, 16.0), (0.0, 400.0))
    left.ticks([(x, str(x)) for x in (0, 4, 8, 12, 16)], [(y, str(y)) for y in (0, 100, 200, 300, 400)])
    depth, rate, h = 0.0, 2.0, 1e-6
    xs, ys = [], []
    while depth >= 0.0 and len(xs) < 4000000:
        force = max(0.0, k * depth * (1.0 + a * rate)) if depth > 0.0 else 0.0
        rate += h * (g - force / m)
        depth += h * rate
        xs.append(1e3 * depth)
        ys.append(force)
    left.curve(xs[::40], ys[::40], BLUE)
    left.curve([0.0, 16.0], [0.0, 320.0], PALE, 1.2, "5 4")
    left.label(13.4, 240, "k d", PALE), left.label(2.4, 210, "going in", BLUE), left.label(9.6, 105, "coming out", BLUE)
    left.names("depth d, mm", "normal force, N: k d (1 + a ḋ)")
    right = Chart(490, 66, 340, 240, (-4.0, 4.0), (-1.1, 1.1))
    right.ticks([(x, str(x)) for x in (-4, -2, 0, 2, 4)], [(y, str(y)) for y in (-1, 0, 1)])
    us = [-4.0 + 8.0 * i / 200 for i in range(201)]
    right.curve(us, [math.tanh(u) for u in us], RED)
    right.curve([-1.3, 1.3], [-1.3 * math.tanh(0.9) / 0.9, 1.3 * math.tanh(0.9) / 0.9], GREEN, 1.4, "5 4")
    px, py = right.at(0.9, math.tanh(0.9))
    right.parts.append(dot(px, py, 4, GREEN))
    right.label(1.05, 0.5, "secant, for implicit steps", GREEN)
    right.names("s / s₀", "friction force / (μ × normal force): tanh(s / s₀)")
    parts = [text(70, 26, "Contact: a damping that grows with depth begins without a jump; friction is smooth and creeps", "title"),
             text(70, 358, "1 kg falls on the plane at 2 m/s: k = 20 kN/m, a = 0.4 s/m. The area of the loop is the energy lost.", "small")]
    return document(880, 372, parts + left.parts + right.parts)


def circuit():
    """The hydraulic network, and the flow through an edge with its chord and its tangent."""
    parts = [text(24, 28, "One pump, its line, a valve and a cylinder", "title")]
    parts.append(dot(80, 200, 24, "#fff", INK))
    parts.append(blob([(80, 178), (70, 196), (90, 196)], INK, INK))
    parts.append(text(80, 246, "pump Q(p)", "", "middle"))
    parts.append(line([(80, 176), (80, 110), (210, 110)], BLUE, 3))
    parts.append(text(92, 100, "line p, V/β", "", "start", BLUE))
    parts.append(box(210, 84, 100, 92))
    parts.append(text(260, 76, "valve u", "", "middle"))
    parts.append(arrow((225, 160), (225, 100), INK))
    parts.append(arrow((295, 100), (295, 160), INK))
    parts.append(line([(210, 160), (170, 160), (170, 216)], PALE, 3))
    parts.append(box(150, 216, 44, 18, "#fff", PALE, 0))
    parts.append(text(172, 250, "tank", "", "middle"))
    parts.append(box(360, 100, 190, 72, "#fff", INK, 0))
    parts.append(f'<rect x="440" y="100" width="12" height="72" fill="{INK}"/>')
    parts.append(f'<rect x="452" y="130" width="150" height="12" fill="{PALE}"/>')
    parts.append(text(400, 142, "A", "math", "middle"))
    parts.append(text(500, 122, "B", "math", "middle"))
    parts.append(line([(310, 104), (336, 104), (336, 118), (360, 118)], BLUE, 3))
    parts.append(line([(310, 156), (336, 156), (336, 190), (540, 190), (540, 172)], PALE, 3))
    parts.append(arrow((602, 136), (650, 136), RED, 2.2))
    parts.append(text(612, 126, "F = p<tspan baseline-shift='sub' font-size='10'>A</tspan>A<tspan baseline-shift='sub' font-size='10'>A</tspan> − p<tspan baseline-shift='sub' font-size='10'>B</tspan>A<tspan baseline-shift='sub' font-size='10'>B</tspan>", "math"))
    parts.append(curved((430, 92), (446, 70), (462, 92), GREEN))
    parts.append(text(446, 64, "leak λ", "small", "middle"))
    parts.append(text(360, 214, "relief and make-up at both ports, to the tank", "small"))
    w = 1.0
    chart = Chart(70, 310, 360, 180, (-1.0, 8.0), (-1.2, 3.0))
    chart.ticks([(x, str(x)) for x in (0, 2, 4, 6, 8)], [(y, str(y)) for y in (-1, 0, 1, 2, 3)])
    flow = lambda d: d / (d * d + w * w) ** 0.25
    ds = [-1.0 + 9.0 * i / 200 for i in range(201)]
    chart.curve(ds, [flow(d) for d in ds], BLUE)
    at = 5.0
    chart.curve([0.0, 6.4], [0.0, 6.4 * flow(at) / at], GREEN, 1.6, "5 4")
    square = at * at + w * w
    slope = (1.0 - 0.5 * at * at / square) * square ** -0.25
    chart.curve([-1.0, 8.0], [flow(at) + slope * (x - at) for x in (-1.0, 8.0)], RED, 1.6, "5 4")
    px, py = chart.at(at, flow(at))
    chart.parts.append(dot(px, py, 4, INK))
    chart.label(6.2, 1.75, "edge", BLUE), chart.label(2.0, 0.45, "chord", GREEN), chart.label(-0.8, 1.25, "tangent", RED)
    chart.names("Δp / w", "flow through an edge, Q / (K u √w)")
    parts.append(text(462, 350, "An iteration replaces each edge by a branch:"))
    parts.append(text(462, 370, "its chord while the drop still moves: chords lower"))
    parts.append(text(462, 390, "a convex function and overshoot nothing;"))
    parts.append(text(462, 410, "its tangent when that has nearly settled (Newton)."))
    parts.append(text(462, 430, "The last of 16 iterations takes chords again."))
    return document(800, 540, parts + chart.parts)


PICTURES = {f.__name__: f for f in (frames, sweeps, reference_points, criterion, shares, sliders, special_pair, segments, cut_chain,
                                    stability, contact, circuit)}

if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1] in PICTURES:
        sys.stdout.write(PICTURES[sys.argv[1]]())
    elif len(sys.argv) == 1:
        for name, draw in PICTURES.items():
            (pathlib.Path(__file__).parent / f"{name}.svg").write_text(draw())
    else:
        sys.exit(__doc__)

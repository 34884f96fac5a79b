"""How figures are laid out: the blocks of lines.gp and bars.gp, labels that do not overlap, round numbers.

A data file holds named blocks that gnuplot picks by name (index "lines"). Its last block, scale, holds numbers that
plots/style.gp reads.
"""

import math
from typing import Callable, NamedTuple

from report.text import number

BASELINE, NOT_OURS = 9, 8  # line types of style.gp; a step's is its own number


class Figure(NamedTuple):
    """A figure of plots/SCRIPT.gp: `draw` makes its data of a database, the files' names and the gap, and says in the
    first paragraph of its description what it shows; {} in a text is what the kernels are compared with."""

    draw: Callable
    title: str = ""
    x: str = ""
    y: str = ""
    script: str = "lines"


class Nothing(Exception):
    """There is nothing to draw; the message says why."""


def nothing(shape, file, command="make bench", it="it"):
    return Nothing(f"no measurement at {shape} in {file}, nothing to draw: `{command}` records {it}")


def row(*fields):
    """A line of a block: numbers to six digits, text as it is, NaN for None."""
    return " ".join(field if isinstance(field, str) else "NaN" if field is None else number(field) for field in fields)


def quoted(text):
    return '"' + str(text).replace('"', "'") + '"'


def data(blocks, *scale):
    """A figure's data: {name: lines}. An empty block gets a line that gnuplot reads and draws nothing of."""
    blocks = {**{name: list(lines) or [row(None, None, 1, 1, 1, 1, 1)] for name, lines in blocks.items()},
              "scale": [row(*(list(scale) + [0] * 6)[:6])]}
    return "\n\n\n".join("\n".join([f"# {name}", *lines]) for name, lines in blocks.items()) + "\n"


def spread(want, distance, low, high):
    """Moves labels apart: each nearest to where it wants to be, in low..high, `distance` apart, their order kept."""
    place = list(want)
    order = sorted(range(len(want)), key=lambda i: want[i])
    for _ in range(500):
        for one, next_one in zip(order, order[1:]):
            lacking = distance - (place[next_one] - place[one])
            if lacking > 0:
                place[one] -= lacking / 2
                place[next_one] += lacking / 2
    for edge, sign in (low, 1), (high, -1):
        for i in order[::sign]:
            place[i] = sign * max(sign * place[i], sign * edge)
            edge = place[i] + sign * distance
    return place


def nice_ceiling(x):
    """The least multiple of half a power of ten that is no less than x."""
    unit = 0.01
    while unit * 10 < x:
        unit *= 10
    return unit / 2 * max(2, math.ceil(x / unit * 2))


def steps(top, most=6):
    """Round numbers from 0 up to top, at most so many after 0."""
    unit = next(u for power in range(-3, 9) for u in (10 ** power, 2 * 10 ** power, 5 * 10 ** power)
                if top / u <= most + 1e-9)
    return [round(unit * i, 9) for i in range(int(top / unit + 1e-9) + 1)]


def series(step):
    """A step's line type: its number."""
    return int("".join(c for c in step.split("_")[0] if c.isdigit()) or 0) % 8


def power_of_two(n):
    return int(n) & (int(n) - 1) == 0


class Axis:
    """Where values lie on an axis: 0 to 1. `marks`: values with a text each, evenly spaced in `scaled`."""

    def __init__(self, low, high, marks, scaled=lambda x: x):
        self.scaled, self.marks = scaled, [(x, text) for x, text in marks]
        self.low, self.wide = scaled(low), (scaled(high) - scaled(low)) or 1

    def at(self, x):
        return None if x is None else (self.scaled(x) - self.low) / self.wide


def powers(low, high, base=10, every=1, text=lambda i: "%g" % 10.0 ** i):
    """A logarithmic axis between two powers of `base`; text(i) is that of its power i."""
    return Axis(float(base) ** low, float(base) ** high,
                [(float(base) ** i, text(i)) for i in range(low, high + 1) if i % every == 0],
                lambda x: math.log(x, base))


class Line:
    """A line of a plot: points (x, y) or (x, y, least, greatest). Its name stands at its end, `style`: lines, dashed
    (no points), theirs (dashed, hollow points), points, hollow."""

    def __init__(self, points, series, name="", style="lines"):
        self.points, self.series, self.name, self.style = [tuple(one) for one in points], series, name, style


def chart(panels, x, y, gap, room, notes=(), marked=(), every=False, rules=(), space=0.12, begin=0.05):
    """The blocks of lines.gp. panels: (title, lines) each; gap: least distance of two labels; room: of the labels, in
    panels; notes: (panel, x, y, text) in small letters; marked: the same with a circle and a line down to the axis;
    every: labels behind every panel, not the last one alone; rules: the values of y where there is an axis,
    the lowest mark where none is given; begin: room for the names at the left."""
    rules = rules or [y.marks[0][0]]
    blocks = {name: [] for name
              in ("grid", "axes", "xticks", "yticks", "whiskers", "lines", "dashed", "theirs", "points", "hollow",
                  "labels",
                                    "panels", "notes", "marked")}
    pitch = 1 + (room if every else 0) + space
    for panel, (title, lines) in enumerate(panels):
        left = panel * pitch
        blocks["grid"] += [row(left - 0.02, y.at(at), 1.04) for at, _ in y.marks if at not in rules]
        blocks["axes"] += [row(left - 0.02, y.at(at), 1.04) for at in rules]
        blocks["xticks"] += [row(left + x.at(at), -0.06, quoted(text)) for at, text in x.marks]
        blocks["panels"].append(row(left + 0.5, 1.06, quoted(title)))
        for line in lines:
            points = [row(left + x.at(px), y.at(py), line.series) for px, py, *_ in line.points]
            blocks[line.style] += [*points, ""] if points else []  # two empty lines would end the block
            blocks["whiskers"] += [row(left + x.at(px), y.at(py), line.series, *map(y.at, more)) for px, py, *more
                                   in line.points if more and None not in more]
        if every or panel == len(panels) - 1:
            # A line that has ended before the last panel is named there all the same.
            ends = [(line, y.at(line.points[-1][1])) for line in lines if line.name and line.points]
            places = spread([end for _, end in ends], gap, 0.02, 0.98)
            blocks["labels"] += [row(left + 1.06, place, quoted(line.name), line.series,
                                     {"theirs": 1, "dashed": 2}.get(line.style, 0))
                                 for (line, _), place in zip(ends, places)]
    blocks["yticks"] = [row(-0.04, y.at(at), quoted(text)) for at, text in y.marks]
    for name, those in ("notes", notes), ("marked", marked):
        blocks[name] = [row(panel * pitch + x.at(px), y.at(py), quoted(text)) for panel, px, py, text in those]
    last = (len(panels) - 1) * pitch + 1
    return data(blocks, -begin, last + room + 0.06, last / 2)


class Bar:
    """A bar: its length and its least and greatest, as shares of the longest there may be, its colour and the text
    behind it."""

    def __init__(self, length, series, text, ends=(None, None)):
        self.length, self.series, self.text, self.ends = length, series, text, ends


def bars(rows, names, texts, columns=97, panels=("",), marks=(), ticks=(), groups=(), legend=()):
    """The blocks of bars.gp; x counts columns of letters and y lines, downwards from 0.

    rows: (name, Bar of each panel or None), "" for a gap, a text for a heading; names, texts: columns of their
    longest; marks: (panel, where, text, dashed) of lines across the bars; ticks: (where, text); groups: (row, text) at
    the very left; legend: (series, text)."""
    wide = (columns - names) / len(panels)
    long = wide - texts - 1
    blocks = {name: [] for name
              in ("bars", "whiskers", "names", "groups", "texts", "headings", "marks", "keys", "legend", "ticks")}
    head = [sum(1 for panel, *_ in marks if panel == one) for one in range(len(panels))]
    top = max(head) + any(panels) + len(legend) + 0.4
    y, left = 0, [names + 1 + panel * wide for panel in range(len(panels))]
    for i, (of, text) in enumerate(legend):
        blocks["legend"].append(row(1, top - 0.6 - i, quoted(text), of))
    for panel, title in enumerate(panels):
        if title:
            blocks["headings"].append(row(left[panel], max(head) + 0.8, quoted(title)))
    for number_of_row, one in enumerate(rows):
        blocks["groups"] += [row(0, y - 0.5, quoted(text)) for at, text in groups if at == number_of_row]
        if isinstance(one, str):
            y -= 1 if one else 0.4
            blocks["headings"] += [row(0, y + 0.4, quoted(one))] if one else []
            continue
        y -= 1
        name, *cells = one
        blocks["names"].append(row(names, y + 0.5, quoted(name)))
        for at, cell in zip(left, cells):
            if cell:
                blocks["bars"].append(row(at, y + 0.5, quoted("#" * round(cell.length * long)), at + cell.length * long,
                                          cell.series))
                blocks["texts"].append(row(at + long + 1 if columns > 90 or marks else at +
                                           max(0, *(e or 0 for e in (cell.length, cell.ends[1]))) *
                                           long + 0.7, y + 0.5, quoted(cell.text)))
                if cell.ends[0] is not None:
                    blocks["whiskers"].append(row(at + cell.length * long, y + 0.5,
                                                  *(at + end * long for end in cell.ends)))
    for i, (panel, where, text, dashed) in enumerate(marks):
        at, key = left[panel] + where * long, head[panel] - 0.2 - sum(1 for other in marks[:i] if other[0] == panel)
        blocks["marks"].append(row(at, y - 0.1, 0.3 - y, dashed))
        blocks["keys"].append(row(left[panel], key, quoted(text), dashed))
    blocks["ticks"] = [row(left[0] + where * long, y - 0.8, quoted(text)) for where, text in ticks]
    return data(blocks, columns, y - (1.6 if ticks else 0.6), top)

"""What the figures share: a figure's data file, its blocks, labels that do not overlap, round numbers.

A data file holds named blocks that gnuplot picks by name (index "lines"). Its last block, scale, holds up to six numbers
that plots/style.gp reads.
"""

import math

from report.text import log2, number

INK, WHITE = 0x222222, 0xFFFFFF  # as gnuplot takes colours: 65536 * red + 256 * green + blue
DARK = 0x101010  # ink on a coloured field, which stays as it is on a dark screen (plots/dark.css turns INK)
BASELINE, NOT_OURS = 9, 8  # line types of style.gp; a step's is its own number


class Nothing(Exception):
    """There is nothing to draw; the message says why."""


class Data:
    """A figure's data file in the making."""

    def __init__(self):
        self.blocks = []

    def block(self, name, lines, otherwise=None):
        """A block of lines; `otherwise` stands in an empty one, which gnuplot would not read."""
        self.blocks.append([f"# {name}"] + (list(lines) or ([otherwise] if otherwise else [])))

    def scale(self, *numbers):
        self.block("scale", [row(*(list(numbers) + [0] * 6)[:6])])

    def text(self):
        return "\n\n\n".join("\n".join(block) for block in self.blocks) + "\n"


def row(*fields):
    """A line of a block: numbers as they are written everywhere, text as it is."""
    return " ".join(field if isinstance(field, str) else number(field) for field in fields)


def quoted(text):
    return '"' + str(text).replace('"', "'") + '"'


def runs(lines):
    """Lines of a plot, each a list of rows, with an empty line after each. An empty one is left out: two empty lines would
    end the block, and what follows would not be drawn."""
    return [one for line in lines if line for one in line + [""]]


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
    least = low
    for i in order:
        place[i] = max(place[i], least)
        least = place[i] + distance
    most = high
    for i in reversed(order):
        place[i] = min(place[i], most)
        most = place[i] - distance
    return place


class Label:
    """The text at a line's end: which line type, and the point that it names."""

    def __init__(self, text, series, x, y):
        self.text, self.series, self.x, self.y = text, series, x, y


def place_labels(labels, x, distance, low, high):
    """Rows of a block of labels at x: x, y of the text, text, series, x, y of what it names."""
    places = spread([label.y for label in labels], distance, low, high)
    return [row(x, place, quoted(label.text), label.series, label.x, label.y)
            for label, place in zip(labels, places)]


def nice_ceiling(x):
    """The least multiple of half a power of ten that is no less than x."""
    unit = 0.01
    while unit * 10 < x:
        unit *= 10
    top = unit
    while top < x:
        top += unit / 2
    return top


def series(step):
    """A step's line type: its number."""
    digits = ""
    for c in step.lstrip("abcdefghijklmnopqrstuvwxyz_"):
        if not c.isdigit():
            break
        digits += c
    return int(digits or 0) % 8


def power_of_two(n):
    part = math.fmod(log2(n), 1)
    return part < 1e-6 or part > 1 - 1e-6


def nothing(shape, file, command="make bench", it="it"):
    return Nothing(f"no measurement at {shape} in {file}, nothing to draw: `{command}` records {it}")

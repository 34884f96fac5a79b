"""How numbers are written in tables and figures, and the functions that the SQL files call.

Each takes None (NULL: not measured) and returns None then, so that a cell of something that was not measured comes out
as a dash by itself. Nothing here depends on the locale.
"""

import math
import re
import statistics

from report import l1, layers

DASH = "–"


def number(x):
    """A number without a format of its own: whole numbers whole, others to six digits."""
    return "%d" % x if x == int(x) else "%.6g" % x


def significant(x, digits):
    """That many significant digits, never with an exponent: 0.000123, 12.3, 1234."""
    if x <= 0:
        return number(x)
    return "%.*f" % (max(0, digits - 1 - math.floor(math.log10(x))), x)


def speed(t):
    """TFLOP/s: a digit behind the point from 1 on."""
    return "%.1f" % t if t >= 1 else significant(t, 2)


def fast_speed(t):
    """TFLOP/s of tensor cores: whole from 100 on."""
    return "%.0f" % t if t >= 100 else speed(t)


def microseconds(us):
    return significant(us, 3 if us < 100 else 4)


def milliseconds(ms, copied=None):
    """A search's time, behind it in parentheses the time with copies from and to the host, where that was measured."""
    if ms is None:
        told = DASH
    else:
        told = significant(ms, 3 if ms < 100 else 4)
    return told if copied is None else f"{told} ({milliseconds(copied)})"


def times(x):
    """A speed-up that may go into the thousands."""
    return "%.0f" % x if x >= 100 else significant(x, 3)


def factor(x):
    """A speed-up."""
    return "%.2f" % x if x < 9.995 else "%.1f" % x


def percent(share):
    return "%.1f %%" % (100 * share)


def form(format, *values):
    """printf; NULL where one of the values is."""
    return format % values


def ratio_text(ratio, low, high):
    """A ratio with its 95 % interval, where that was recorded."""
    if ratio is None:
        return None
    return "%.3f" % ratio if low is None or high is None else "%.3f (%.3f..%.3f)" % (ratio, low, high)


def tenth(values):
    """The 10th percentile, interpolated."""
    return statistics.quantiles(values * 2 if len(values) == 1 else values, n=10, method="inclusive")[0]


def sub(text):
    """The line under a table; NULL where nothing was measured."""
    return f"<sub>{text or 'Not measured yet.'}</sub>"


def short_step(step):
    """step05 of step05_doublebuffer."""
    return step.split("_")[0]


def without_threads(device):
    """The CPU alone: its rows may name it with different numbers of threads."""
    return re.sub(r", [0-9]+ threads?$", "", device)


def aggregate(function):
    """An aggregate for SQLite that gives a list of the values to a function; NULL where there are none."""

    class Aggregate:
        def __init__(self):
            self.values = []

        def step(self, value):
            if value is not None:
                self.values.append(value)

        def finalize(self):
            return function(self.values) if self.values else None

    return Aggregate


def or_none(function):
    return lambda *values: None if None in values else function(*values)


def register(db):
    """Makes the functions above known to a database."""
    for function in (number, speed, fast_speed, microseconds, times, factor, percent, short_step, without_threads):
        db.create_function(function.__name__, 1, or_none(function))
    db.create_function("layer", 2, or_none(layers.name))
    db.create_function("significant", 2, or_none(significant))
    db.create_function("sub", 1, sub)
    db.create_function("ratio_text", 3, ratio_text)
    db.create_function("milliseconds", 2, milliseconds)
    db.create_function("form", -1, or_none(form))
    db.create_function("l1_clocks", 3, or_none(l1.rows))
    db.create_aggregate("median", 1, aggregate(statistics.median))
    db.create_aggregate("geometric_mean", 1, aggregate(statistics.geometric_mean))
    db.create_aggregate("tenth", 1, aggregate(tenth))
    db.create_aggregate("mean", 1, aggregate(statistics.fmean))  # alike in every version of SQLite, unlike avg()

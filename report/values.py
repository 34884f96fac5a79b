"""The values inside a line of a note, <!-- value: VIEW KEY... FIELD [FORMAT] -->; notes.py's help describes them."""

import os
import re

from report.load import Mistake
from report.text import DASH, factor, fast_speed, microseconds, short_step, significant

NOT_MEASURED = "not measured"
TENSOR_TYPES = ("f16", "bf16", "s8", "tf32", "tf32x3", "f16>f32", "bf16>f32", "f32")
CHOICES = {  # what these keys may be
    "dtype": TENSOR_TYPES, "layout": ("tn", "nn", "nchw", "nhwc"), "load": ("burst", "sustained"),
    "mode": ("graph", "pdl", "events"), "cache": ("cold", "warm"), "how": ("device", "transfers", "cpu"),
    "op": ("gemv", "gemv_chain"), "divide": ("points", "queries"),
    "set": ("square", "article", "odd", "all", *TENSOR_TYPES, "f32-nchw", "f32-nhwc", "f16-nhwc"),
}
SHAPE = "step variant m n k"
KEYS = {  # of each view_... in values.sql; a key with = may be left out, and is written name=key where it is not
    "gemm": SHAPE,
    "tensor": SHAPE + " dtype=f16 layout=tn load=burst",
    "gemv": "step variant n k dtype=f16 mode=graph cache=cold op=gemv",
    "knn": "variant n d k how=device",
    "ranks": "m n d ranks divide=points",
    "conv": "step variant layer dtype=own layout=own",
    "counter": "step variant",
    "waiting": "step variant",
    "sass": "step variant",
    "loop": "name",
    "limit": "step",
    "ceiling": "name",
    "latency": "memory",
    "claim": "step variant set",
}
LONG = {"counter": ("metric", "value"), "waiting": ("reason", "warps")}  # where the fields are rows
USUAL = {  # how a field is written without a format
    **dict.fromkeys(("tflops", "peak", "clock_peak"), fast_speed),
    **dict.fromkeys(("percent", "peak_percent", "ceiling_percent", "clock_percent"), lambda x: "%.1f" % x),
    **dict.fromkeys(("ratio", "ratio_min", "ratio_max"), lambda x: "%.2f" % x),
    **dict.fromkeys(("ms_median", "ms_min", "ms_max", "baseline_ms"), lambda x: significant(x, 4)),
    **dict.fromkeys(("ms", "merged"), lambda x: significant(x, 3)),
    "us": microseconds, "gbps": lambda x: "%.0f" % x, "clock": lambda x: "%.0f" % x,
}


def find_step(db, name, family=None):
    """The step's whole name: step05 stands for step05_doublebuffer."""
    steps = [row[0] for row in db.execute("SELECT DISTINCT step FROM variant WHERE family = coalesce(?, family) ORDER "
                                          "BY step", [family])]
    for step in steps:
        if name in (step, short_step(step)):
            return step
    raise Mistake(f"unknown step {name} ({', '.join(steps)})")


def find_variant(db, step, name):
    if not db.execute("SELECT 1 FROM variant WHERE step = ? AND variant = ?", [step, name]).fetchone():
        raise Mistake(f"unknown variant {name} of {step}")
    return name


def own_kind(db, step, variant):
    """The type and the layout that a rung of convolutions stands for; f32 and nchw of what is no rung."""
    row = db.execute("SELECT dtype, layout FROM ladder WHERE (step, variant) = (?, ?)", [step, variant]).fetchone()
    return dict(row or {"dtype": "f32", "layout": "nchw"})


def whole(word):
    if not re.fullmatch(r"\d+", word):
        raise Mistake(f"{word} is not a size")
    return int(word)


def metrics(root):
    """The names in scripts/metrics.txt."""
    with open(os.path.join(root, "scripts", "metrics.txt"), encoding="utf-8") as file:
        return [line.split("#")[0].strip() for line in file if line.split("#")[0].strip()]


def keys_of(view, words):
    """The marker's keys by name, and the words behind them."""
    names = [one.partition("=") for one in KEYS[view].split()]
    needed = [name for name, _, default in names if not default]
    options = {name: default for name, _, default in names if default}
    if len(words) <= len(needed):
        raise Mistake(f"the marker reads value: {view} {' '.join(needed).upper()} " +
                      "".join(f"[{one}=...] " for one in options) + "FIELD [FORMAT]")
    keys, words = dict(zip(needed, words)), words[len(needed):]
    while words and "=" in words[0]:
        name, _, key = words.pop(0).partition("=")
        if name not in options:
            raise Mistake(f"{view} has no key {name} ({', '.join([*needed, *options])})")
        options[name] = key
    if not words:
        raise Mistake(f"no field of {view} is named")
    return {**keys, **options}, words


def row_of(db, view, keys):
    """The fields of a row by name; {} where nothing is recorded."""
    given = dict(keys)
    for name in given:
        if name == "step":
            given[name] = find_step(db, keys[name])
        elif name == "variant" and "step" in given and given[name] not in ("cublas", "cudnn", "read_ceiling"):
            find_variant(db, given["step"], keys[name])
        elif name in ("m", "n", "k", "d", "ranks"):
            given[name] = whole(keys[name])
        elif keys[name] == "own":
            given[name] = own_kind(db, given["step"], keys["variant"])[name]
        elif name == "layer" and not re.fullmatch(r"\d+(-\d+){7}", keys[name]):
            raise Mistake(f"{keys[name]} is not a layer, n-c-h-w-k-r-s-stride")
        elif keys[name] not in CHOICES.get(name, [keys[name]]):
            raise Mistake(f"unknown {name} {keys[name]} ({', '.join(CHOICES[name])})")
    if given.get("variant") in ("cublas", "read_ceiling") and "op" in given:
        given["op"] = "gemv"  # of these there are no chains
    rows = db.execute(f"SELECT * FROM value_{view} WHERE " + " AND ".join(f'"{name}" = ?' for name in given),
                      list(given.values())).fetchall()
    if view in LONG:
        name, value = LONG[view]
        return {row[name]: row[value] for row in rows}
    return dict(rows[0]) if rows else {}


def fields_of(db, root, view):
    if view == "counter":
        return metrics(root) + [row[0] for row in db.execute("SELECT DISTINCT metric FROM counter")]
    if view == "waiting":
        return [row[0] for row in db.execute("SELECT DISTINCT reason FROM waiting")]
    return [column[0] for column in db.execute(f"SELECT * FROM value_{view} LIMIT 0").description]


def computed(asked, row, known):
    """FIELD, multiplied and divided by numbers and other fields, from left to right; None where one is not recorded."""
    x, numbers = None, 0
    for sign, part in re.findall(r"([*/]?)([^*/]*)", "*" + asked)[:-1] if asked else ():
        if re.fullmatch(r"[0-9.]+(e[0-9]+)?", part) and float(part) > 0:
            y = float(part)
        elif part in known:
            y, numbers = row.get(part), numbers + 1
        else:
            raise Mistake(f"unknown field {part}")
        if part != asked and isinstance(y, str):
            raise Mistake(f"{part} is not a number")
        if y is None or sign == "/" and y == 0:
            return None
        x = y if x is None else x * y if sign == "*" else x / y
    if not numbers:
        raise Mistake(f"unknown field {asked}")
    return x


def raw(x):
    """As it was recorded."""
    if isinstance(x, float):
        return "%d" % x if x == int(x) else repr(x)
    return str(x)


def written(x, format, otherwise):
    """A value in a marker's format: LIMIT?WORDS:WORDS, the first where it is no less, or printf's for one value."""
    choice = re.fullmatch(r"([\d.]+)\?(.+):(.+)", format)
    plain = re.fullmatch(r"[^%]*%[-+0]?[0-9]*(?:\.[0-9]+)?([dfegs])[^%]*", format.replace("%%", ""))
    if format and not choice and not plain:
        raise Mistake(f"not a printf format for one value: {format}")
    if x is None:
        return NOT_MEASURED
    if isinstance(x, str) and (choice or plain and plain[1] != "s"):
        raise Mistake(f"{x} is not a number, as {format} wants")
    if choice:
        return choice[2 if x >= float(choice[1]) else 3]
    return format % (raw(x) if plain[1] == "s" else x) if format else otherwise(x)


def value(db, words, root):
    """What a marker asks for; a dash in the tables of a ladder that has no rows yet."""
    text = looked_up(db, words, root)
    return DASH if text == NOT_MEASURED and words[0] == "conv" else text


def looked_up(db, words, root):
    view = words[0] if words else ""
    if view not in KEYS:
        raise Mistake(f"unknown view {view} ({', '.join(KEYS)})")
    keys, (asked, *format) = keys_of(view, words[1:])
    known = fields_of(db, root, view)
    if view == "waiting" and not known:
        return NOT_MEASURED
    sides = [{name: key.split("/")[min(side, key.count("/"))] for name, key in keys.items()} for side in (0, 1)]
    values = [computed(asked, row_of(db, view, side), known) for side in sides]
    if sides[0] == sides[1]:
        return written(values[0], " ".join(format), USUAL.get(asked) or (
            (lambda x: "%.1f" % x) if asked.endswith("*100") else (lambda x: significant(x, 3)) if "/" in asked
            else raw))
    return written(None if None in values else values[0] / values[1], " ".join(format), factor)

"""The values inside a line of a note: <!-- value: ... --> and its relatives. notes.py's help lists them.

Each function takes the database and the marker's words and returns the text, NOT_MEASURED where there is nothing.
"""

import os
import re

from report import schema
from report.load import Mistake
from report.text import factor, fast_speed, microseconds, short_step, significant, speed

NOT_MEASURED = "not measured"
COLUMNS = [column.name for column in schema.RECORD]
STEPS = "SELECT DISTINCT step FROM variant WHERE family = ?"


def need(words, least, most, usage):
    if not least <= len(words) <= most:
        raise Mistake(f"the marker reads {usage}")


def find_step(db, family, name):
    """The step's whole name: step05 stands for step05_doublebuffer. Family sgemm: tensor cores' steps too."""
    families = {"sgemm": ("gemm", "tensor"), "gemv": ("gemv",), "tensorcore": ("tensor",), "knn": ()}[family]
    steps = [row[0] for one in families for row in db.execute(STEPS + " ORDER BY step", [one])]
    if family == "knn":
        steps = ["step08_knn"]
    for step in steps:
        if name in (step, short_step(step)):
            return step
    raise Mistake(f"unknown step {name} ({family}: {', '.join(steps)})")


def find_variant(db, step, name, also=()):
    known = db.execute("SELECT 1 FROM variant WHERE step = ? AND variant = ?", [step, name]).fetchone()
    if not known and name not in also:
        raise Mistake(f"unknown variant {name} of {step}")
    return name


def whole(word):
    if not re.fullmatch(r"\d+", word):
        raise Mistake(f"{word} is not a size")
    return int(word)


def format_of(words):
    """The marker's last words as a printf format: one conversion of a number or text, all else plain; None: none."""
    format = " ".join(words)
    if format == "":
        return None
    plain = format.replace("%%", "")
    rest = re.sub(r"%[-+0]?[0-9]*(\.[0-9]+)?[dfegs]", "", plain, count=1)
    if rest == plain or "%" in rest:
        raise Mistake(f"not a printf format for one value: {format}")
    return format


def raw(x):
    """As it was recorded."""
    if isinstance(x, float):
        return "%d" % x if x == int(x) else repr(x)
    return str(x)


def written(x, format, otherwise=raw):
    if x is None:
        return NOT_MEASURED
    if format is None:
        return otherwise(x)
    if re.search(r"%[-+0]?[0-9]*(\.[0-9]+)?s", format.replace("%%", "")):
        return format % raw(x)
    if isinstance(x, str):
        raise Mistake(f"{x} is not a number, as {format} wants")
    return format % x


def in_percent(share):
    return None if share is None else 100 * share


def quotient(a, b):
    return None if a is None or not b else a / b


def usual(field, of_speed):
    """How a field is written without a format."""
    if field == "tflops":
        return of_speed
    if field.endswith("percent"):
        return lambda x: "%.1f" % x
    if field.startswith("ratio"):
        return lambda x: "%.2f" % x
    if "ms" in field:
        return lambda x: significant(x, 4)
    return raw


# ---- FP32 GEMM


def gemm_row(db, step, variant, sides):
    return db.execute("SELECT * FROM gemm WHERE (step, variant, m, n, k) = (?, ?, ?, ?, ?)",
                      [step, variant, *map(whole, sides)]).fetchone()


def value(db, words):
    need(words, 6, 99, "value: STEP VARIANT M N K FIELD [FORMAT]")
    step = find_step(db, "sgemm", words[0])
    row = gemm_row(db, step, find_variant(db, step, words[1]), words[2:5])
    field = words[5]
    if field not in COLUMNS + ["tflops", "percent", "peak_percent"]:
        raise Mistake(f"unknown field {field}")
    format = format_of(words[6:])
    if row is None:
        return NOT_MEASURED
    if field == "percent":
        x = in_percent(row["ratio"])
    elif field == "peak_percent":
        x = in_percent(row["peak_share"])
    elif field == "date":
        x = row["date"][:10]
    else:
        x = row[field]
    return written(x, format, usual(field, speed))


def ratio(db, words):
    need(words, 7, 99, "ratio: STEP1 VARIANT1 STEP2 VARIANT2 M N K [FORMAT]")
    rows = []
    for name, variant in (words[0:2], words[2:4]):
        step = find_step(db, "sgemm", name)
        rows.append(gemm_row(db, step, find_variant(db, step, variant), words[4:7]))
    format = format_of(words[7:])
    if None in rows:
        return NOT_MEASURED
    return written(rows[1]["ms_median"] / rows[0]["ms_median"], format, factor)


# ---- counters and machine code


def metrics(root):
    """The names in scripts/metrics.txt."""
    with open(os.path.join(root, "scripts", "metrics.txt"), encoding="utf-8") as file:
        return [line.split("#")[0].strip() for line in file if line.split("#")[0].strip()]


def fact(db, words, kind, known, look_up):
    """NAME, or a quotient NAME/NAME or NAME/NUMBER, from left to right."""
    what = "FIELD" if kind == "sass" else "METRIC"
    need(words, 3, 99, f"{kind}: STEP VARIANT {what}[/DIVISOR] [percent] [FORMAT]")
    step = find_step(db, "sgemm", words[0])
    variant = find_variant(db, step, words[1])
    percent = words[3:4] == ["percent"]
    format = format_of(words[4 if percent else 3:])
    parts = words[2].split("/")
    values = []
    for i, part in enumerate(parts):
        if i > 0 and re.fullmatch(r"[0-9.]+(e[0-9]+)?", part) and float(part) > 0:
            values.append(float(part))
        elif part in known:
            values.append(look_up(step, variant, part))
        else:
            raise Mistake(f"unknown {what.lower()} {part}")
        if len(parts) > 1 and part in ("arch", "nvcc"):
            raise Mistake(f"{part} is not a number")
    x = values[0]
    for divisor in values[1:]:
        x = quotient(x, divisor)
    if percent:
        return written(in_percent(x), format, lambda y: "%.1f" % y)
    return written(x, format, (lambda y: significant(y, 3)) if len(parts) > 1 else raw)


def counter(db, words, root):
    known = metrics(root) + [row[0] for row in db.execute("SELECT DISTINCT metric FROM counter")]

    def look_up(step, variant, metric):
        row = db.execute("SELECT value FROM counter WHERE (step, variant, metric) = (?, ?, ?)",
                         [step, variant, metric]).fetchone()
        return row and row[0]

    return fact(db, words, "counter", known, look_up)


def waiting(db, words):
    need(words, 3, 99, "waiting: STEP VARIANT REASON [FORMAT]")
    step = find_step(db, "sgemm", words[0])
    variant = find_variant(db, step, words[1])
    known = [row[0] for row in db.execute("SELECT DISTINCT reason FROM waiting")]
    if known and words[2] not in known:
        raise Mistake(f"unknown stall reason {words[2]}")
    row = db.execute("SELECT warps FROM waiting WHERE (step, variant, reason) = (?, ?, ?)",
                     [step, variant, words[2]]).fetchone()
    return written(row and row["warps"], format_of(words[3:]), lambda x: "%.2f" % x)


def sass(db, words):
    known = [column.name for column in schema.COMMON["sass"]][2:]

    def look_up(step, variant, field):
        row = db.execute("SELECT * FROM sass WHERE step = ? AND variant = ?", [step, variant]).fetchone()
        return row and row[field]

    return fact(db, words, "sass", known, look_up)


# ---- options: the words between a marker's field and its format


def take_options(words, meanings, options):
    """Sets options by the first of the words that have a meaning; returns the others."""
    words = list(words)
    while words and words[0] in meanings:
        key, x = meanings[words.pop(0)]
        options[key] = x
    return words


def with_options(word, meanings, options, what):
    """A name with options of its own after slashes: persistent/nn. The name, and the options with these."""
    name, *own = word.split("/")
    options = dict(options)
    for one in own:
        if one not in meanings:
            raise Mistake(f"{one} is no {what}")
        take_options([one], meanings, options)
    return name, options


# ---- GEMV

GEMV_OPTIONS = {
    **{word: ("dtype", word) for word in ("f16", "bf16", "f32")},
    **{word: ("mode", word) for word in ("graph", "pdl", "events")},
    **{word: ("cache", word) for word in ("cold", "warm")},
    "chain": ("op", "gemv_chain"),
}
GEMV_DEFAULTS = {"dtype": "f16", "mode": "graph", "cache": "cold", "op": "gemv"}


def gemv_row(db, step, name, n, k, options):
    find_variant(db, step, name, ("cublas", "read_ceiling"))
    op = "gemv" if name in ("cublas", "read_ceiling") else options["op"]
    return db.execute("""SELECT a.*, r.* FROM gemv_all AS a LEFT JOIN gemv AS r ON r.rowid + 1 = a.line
                         WHERE (a.step, name, a.n, a.k, a.op, a.dtype, a.mode, a.cache) = (?, ?, ?, ?, ?, ?, ?, ?)""",
                      [step, name, whole(n), whole(k), op, options["dtype"], options["mode"], options["cache"]]).fetchone()


def gemv(db, words):
    need(words, 5, 99, "gemv: STEP VARIANT N K FIELD [DTYPE] [MODE] [CACHE] [chain] [FORMAT]")
    step = find_step(db, "gemv", words[0])
    options = dict(GEMV_DEFAULTS)
    format = format_of(take_options(words[5:], GEMV_OPTIONS, options))
    row = gemv_row(db, step, words[1], words[2], words[3], options)
    field = words[4]
    shares = {"percent": "ratio", "peak_percent": "peak_share", "ceiling_percent": "ceiling_share"}
    if field not in COLUMNS and field not in shares and field != "us":
        raise Mistake(f"unknown field {field}")
    x = row and row[shares.get(field, field)]
    if field in shares:
        x = in_percent(x)
    otherwise = {"us": microseconds, "gbps": lambda y: "%.0f" % y}.get(field, usual(field, speed))
    return written(x, format, otherwise)


def gemv_ratio(db, words):
    need(words, 5, 99, "gemv-ratio: STEP VARIANT1[/WORD]... VARIANT2[/WORD]... N K [DTYPE] [MODE] [CACHE] [chain] "
         "[FORMAT]")
    step = find_step(db, "gemv", words[0])
    options = dict(GEMV_DEFAULTS)
    format = format_of(take_options(words[5:], GEMV_OPTIONS, options))
    times = []
    for word in words[1:3]:
        name, own = with_options(word, GEMV_OPTIONS, options, "type, mode or cache")
        row = gemv_row(db, step, name, words[3], words[4], own)
        times.append(row and row["us"])
    return written(None if None in times else times[1] / times[0], format, factor)


# ---- tensor cores

TENSOR_TYPES = ("f16", "bf16", "s8", "tf32", "tf32x3", "f16>f32", "bf16>f32")
TENSOR_OPTIONS = {
    **{word: ("dtype", word) for word in TENSOR_TYPES},
    **{word: ("layout", word) for word in ("tn", "nn")},
    "sustained": ("load", "sustained"),
}
TENSOR_DEFAULTS = {"dtype": None, "layout": "tn", "load": "burst"}


def tensor_row(db, step, name, sides, options):
    find_variant(db, step, name, ("cublas",))
    dtype = options["dtype"]
    if dtype is None:  # the type that the variant stands for on the ladder
        row = db.execute("SELECT dtype FROM tensor_variant WHERE step = ? AND variant = ?", [step, name]).fetchone()
        dtype = row["dtype"] if row and row["dtype"] else "f16"
    where = [step, dtype, options["layout"], *map(whole, sides), options["load"]]
    if name == "cublas":
        return db.execute("""SELECT ms AS ms_median, tflops FROM tensor_baseline
                             WHERE (step, dtype, layout, m, n, k, load) = (?, ?, ?, ?, ?, ?, ?)""", where).fetchone()
    return db.execute("""SELECT tensor.*, 2.0 * m * n * k / ms_median / 1e9 AS timed,
                                CASE WHEN dtype IN ('f16', 'bf16') AND cc = '9.0' THEN sms * 4096 * clock_mhz / 1e6 END AS clock_peak
                         FROM tensor LEFT JOIN devices ON name = device
                         WHERE (step, dtype, layout, m, n, k, load) = (?, ?, ?, ?, ?, ?, ?) AND variant = ?""",
                      where + [name]).fetchone()


def tensor(db, words):
    need(words, 6, 99, "tensor: STEP VARIANT M N K FIELD [DTYPE] [LAYOUT] [sustained] [FORMAT]")
    step = find_step(db, "tensorcore", words[0])
    options = dict(TENSOR_DEFAULTS)
    format = format_of(take_options(words[6:], TENSOR_OPTIONS, options))
    row = tensor_row(db, step, words[1], words[2:5], options)
    field = words[5]
    columns = {"us": "ms_median", "percent": "ratio", "peak_percent": "peak_share"}
    at_clock = ("clock_peak", "clock_share", "clock_percent")  # of the peak at the clock that was recorded with the row
    if field not in COLUMNS and field not in columns and field not in ("tflops", "peak", *at_clock):
        raise Mistake(f"unknown field {field}")
    column = columns.get(field, field)
    if field == "tflops" and row and "timed" in row.keys():
        column = "timed"
    x = row[column] if row and column in row.keys() else None
    if row and field in at_clock[1:] and "clock_peak" in row.keys() and row["clock_peak"]:
        x = row["timed"] / row["clock_peak"]
    if field == "us" and x is not None:
        x *= 1000
    if field.endswith("percent"):
        x = in_percent(x)
    otherwise = (lambda y: significant(y, 3)) if field == "us" else fast_speed if field.endswith("peak") else usual(field, fast_speed)
    return written(x, format, otherwise)


def tensor_ratio(db, words):
    need(words, 6, 99, "tensor-ratio: STEP VARIANT1[/WORD]... VARIANT2[/WORD]... M N K [DTYPE] [LAYOUT] [sustained] "
         "[FORMAT]")
    step = find_step(db, "tensorcore", words[0])
    options = dict(TENSOR_DEFAULTS)
    format = format_of(take_options(words[6:], TENSOR_OPTIONS, options))
    times = []
    for word in words[1:3]:
        name, own = with_options(word, TENSOR_OPTIONS, options, "type or layout")
        row = tensor_row(db, step, name, words[3:6], own)
        times.append(row and row["ms_median"])
    return written(None if None in times else times[1] / times[0], format, factor)


def tensor_limit(db, words):
    need(words, 2, 99, "tensor-limit: STEP tflops|clock [FORMAT]")
    step = find_step(db, "tensorcore", words[0])
    if words[1] not in ("tflops", "clock"):
        raise Mistake(f"unknown field {words[1]}")
    format = format_of(words[2:])
    row = db.execute("SELECT * FROM tensor_limit WHERE step = ?", [step]).fetchone()
    return written(row and row[words[1]], format, lambda x: "%.0f" % x)


# ---- nearest neighbours


def knn_ms(db, words):
    """Milliseconds of a method, 1200 queries, without copies from and to the host."""
    name, n, d, k = words
    row = db.execute("SELECT ms_median FROM knn_case WHERE (variant, n, d, k, how) = (?, ?, ?, ?, 'device')",
                     [name, *map(whole, (n, d, k))]).fetchone()
    return row and row[0]


def knn(db, words):
    need(words, 4, 99, "knn: METHOD N D K [FORMAT]")
    return written(knn_ms(db, words[:4]), format_of(words[4:]), lambda x: significant(x, 3))


def knn_ratio(db, words):
    need(words, 5, 99, "knn-ratio: METHOD1 METHOD2 N D K [FORMAT]")
    times = [knn_ms(db, [name, *words[2:5]]) for name in words[:2]]
    return written(None if None in times else times[1] / times[0], format_of(words[5:]), factor)


KINDS = {
    "value": value,
    "ratio": ratio,
    "counter": counter,
    "waiting": waiting,
    "sass": sass,
    "gemv": gemv,
    "gemv-ratio": gemv_ratio,
    "tensor": tensor,
    "tensor-ratio": tensor_ratio,
    "tensor-limit": tensor_limit,
    "knn": knn,
    "knn-ratio": knn_ratio,
}

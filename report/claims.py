"""Sentences of the notes that hold only as long as the recorded ratios say so: <!-- claim: ... -->, span and either.

A sentence such as "faster than cuBLAS at every size recorded here" is made of the rows, so that it cannot outlive them.
"""

from report.load import Mistake
from report.values import KINDS as VALUES
from report.values import NOT_MEASURED, TENSOR_TYPES, find_step, find_variant, need

SETS = {  # the words that choose rows, of which the first is meant where none is named; "all" stands for every one
    "sgemm": ("square", "article", "odd"),
    "tensorcore": TENSOR_TYPES,
    "gemv": ("all", "f16", "bf16", "f32"),
}
ROWS = {  # (ratio, its interval's ends) of a variant at every shape of such a set
    "sgemm": "SELECT ratio, ratio_low, ratio_high FROM gemm WHERE shape = :set",
    "tensorcore": "SELECT ratio, ratio_low, ratio_high FROM tensor WHERE dtype = :set AND layout = 'tn' AND load = 'burst' "
                  "AND m = n AND n = k AND m IN (SELECT side FROM tensor_side)",
    "gemv": "SELECT ratio, ratio_low, ratio_high FROM gemv_row WHERE :set IN ('all', dtype) AND op = 'gemv' "
            "AND cache = 'cold' AND mode = 'graph'",
}


def ratios(db, words, usage):
    """A variant's ratios to the baseline, each with the ends of its interval (where there is none: with itself)."""
    need(words, 3, 4, usage)
    ladder, step, variant = words[:3]
    if ladder not in SETS:
        raise Mistake(f"unknown ladder {ladder} ({', '.join(SETS)})")
    step = find_step(db, ladder, step)
    variant = find_variant(db, step, variant)
    chosen = words[3] if len(words) > 3 else SETS[ladder][0]
    if chosen not in SETS[ladder]:
        raise Mistake(f"unknown set {chosen} ({', '.join(SETS[ladder])})")
    rows = db.execute(ROWS[ladder] + " AND step = :step AND variant = :variant AND ratio IS NOT NULL",
                      {"set": chosen, "step": step, "variant": variant}).fetchall()
    return [(ratio, ratio if low is None else low, ratio if high is None else high) for ratio, low, high in rows]


def claim(db, words):
    """Faster counts where all of the ratio's interval is above 1, slower where it is below."""
    rows = ratios(db, words, "claim: LADDER STEP VARIANT [SET]")
    faster = sum(low > 1 for _, low, _ in rows)
    if not rows:
        return NOT_MEASURED
    if faster == len(rows):
        return "faster than cuBLAS at every size recorded here"
    if all(high < 1 for _, _, high in rows):
        return "slower than cuBLAS at every size recorded here"
    if faster == 0:
        return "at best as fast as cuBLAS at the sizes recorded here"
    return f"faster than cuBLAS at {faster} of the {len(rows)} sizes recorded here"


def span(db, words):
    """The least and the greatest ratio."""
    rows = ratios(db, words, "span: LADDER STEP VARIANT [SET]")
    if not rows:
        return NOT_MEASURED
    least, greatest = ("%.2f" % end([ratio for ratio, _, _ in rows]) for end in (min, max))
    return least if least == greatest else f"{least} to {greatest}"


def either(db, words):
    need(words, 4, 99, "either: WORDS/WORDS LIMIT KIND: ...")
    choice, limit, kind = words[0].split("/"), words[1], words[2].rstrip(":")
    if len(choice) != 2 or kind not in VALUES or kind == "counter":
        raise Mistake("the marker reads either: WORDS/WORDS LIMIT KIND: ...")
    try:
        limit = float(limit)
    except ValueError:
        raise Mistake(f"{limit} is not a number") from None
    text = VALUES[kind](db, words[3:] + ["%.9g"])
    if text == NOT_MEASURED:
        return text
    return choice[float(text) < limit].replace("_", " ")


KINDS = {**VALUES, "claim": claim, "span": span, "either": either}  # of all that stands inside a line

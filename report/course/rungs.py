"""The rungs: a row each in the tables of variants in step.c, and for step 8, whose methods combine parts, in
docs/rungs.csv.

Of each row: its name and idea; what it takes and needs, which are the sentences of its functions `supports` and
`refuses`; the type it multiplies; the rung before it; and its intensity. None of it stands anywhere else.
"""

import csv
import functools
import glob
import io
import os
import re

from report import layers
from report.course import source
from report.load import Mistake

PARTS = "docs/rungs.csv"
COLUMNS = ["step", "rung", "idea", "predecessor", "refuses"]
TABLE = re.compile(r"\bvariants\[\] = \{(.*?)\n\};|^#define VARIANTS\([\w, ]+\)(.*)", re.DOTALL | re.MULTILINE)
ROW = re.compile(r'(?:\{\s*"(\w+)"|\b[A-Z_]+\(\s*(\w+))\s*,\s*"((?:[^"\\]|\\.)*)"((?:[^"{}()]|\([^()]*\))*)')
FUNCTION = re.compile(r"const char \*(\w+)\([^;{]*\) \{(.*?)\n\}", re.DOTALL)


class Rung:
    def __init__(self, step, name, idea, needs=(), before=None):
        self.step, self.name, self.idea, self.needs, self.before = step, name, idea, list(needs), before
        taken = [found[1] for found in (re.fullmatch(r"takes (\w+)(?: in)? tn", one) for one in self.needs) if found]
        self.dtype = taken[0] if taken else "f16"
        self.layout = "nn" if any(re.match(r"takes \w+ in nn\b", one) for one in self.needs) else "tn"

    def __str__(self):
        return f"{self.step[:6]}:{self.name}"


def steps(root):
    return [os.path.basename(os.path.dirname(path)) for path in
            sorted(glob.glob(os.path.join(glob.escape(root), "step[0-9][0-9]_*", "step.c")))]


def family(root, step):
    """gemm, tensor, gemv, knn or conv."""
    text = source.read(root, step + "/step.c")
    found = re.search(r"\b(\w+)_step_main\(", text)
    return "tensor" if "GEMM_F16" in text else found[1] if found else ""


def variants(root, step):
    """The rungs of a step's table, in order."""
    text = source.without_comments(source.read(root, step + "/step.c")).replace("\\\n", " ")
    tables = TABLE.search(text)
    table = (tables[1] or tables[2].split("\n")[0]) if tables else ""
    sources = "".join(source.without_comments(source.read(root, os.path.relpath(path, root))) for path in sorted(
        glob.glob(os.path.join(glob.escape(root), step, "**", "*.c*"), recursive=True)) if path.endswith((".c", ".cu")))
    bodies = dict(FUNCTION.findall(sources))

    def said(text):
        """What the functions that a text names say, and those that they call."""
        for name in re.findall(r"\w+", text):
            if name in bodies and "note" not in name:
                yield from re.findall(r'"((?:[^"\\]|\\.)*)"', bodies[name])
                yield from said(bodies[name])

    rungs = []
    for in_braces, in_macro, idea, rest in ROW.findall(table):
        rungs.append(Rung(step, in_braces or in_macro, idea, dict.fromkeys(said(rest))))
    return rungs


def parts(root):
    """The rows of docs/rungs.csv."""
    if not os.path.isfile(os.path.join(root, PARTS)):
        return []
    rows = list(csv.reader(io.StringIO(source.read(root, PARTS))))
    if rows[:1] != [COLUMNS]:
        raise Mistake(f"{PARTS}:1: the columns are {','.join(COLUMNS)}")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(COLUMNS):
            raise Mistake(f"{PARTS}:{number}: {len(row)} fields, not {len(COLUMNS)}")
    rungs = [Rung(step, name, idea, [refuses] if refuses else [], before) for step, name, idea, before, refuses
             in rows[1:]]
    for rung in rungs:
        before = [one for one in rungs if (one.step, one.name) == (rung.step, rung.before)]
        if rung.before and not before:
            raise Mistake(f"{PARTS}: no rung {rung.before}, which {rung.name} names as its predecessor")
        rung.before = before[0] if before else None
    return rungs


def lessons_pairs(root):
    """{path of a rung: the rung before it}, as the lessons compare them: make diff A=... B=..."""
    pairs = {}
    notes = glob.glob(os.path.join(glob.escape(root), "step[0-9][0-9]_*", "**", "*.md"), recursive=True)
    # an overview shows the exercise of reading one
    for path in sorted(notes, key=lambda path: (path.endswith("README.md"), path)):
        for before, rung in re.findall(r"make diff A=([\w:]+)\s+B=([\w:]+)",
                                       source.read(root, os.path.relpath(path, root))):
            pairs.setdefault(source.find(root, rung), before)
    return pairs


def listed(root):
    """Every rung, in the order they are read. The one before: as its lesson says, else the row before, of the same
    type."""
    rungs = sorted([rung for step in steps(root) for rung in variants(root, step)] + parts(root),
                   key=lambda rung: rung.step)
    paths = {str(rung): source.find(root, str(rung)) for rung in rungs}
    by_path = {path: next(rung for rung in rungs if str(rung) == name) for name, path in paths.items()}
    pairs = lessons_pairs(root)
    for row, rung in zip([None, *rungs], rungs):
        if rung.before is None and paths[str(rung)] in pairs:
            rung.before = by_path.get(source.find(root, pairs[paths[str(rung)]]))
        elif rung.before is None and row and (row.step, row.dtype) == (rung.step, rung.dtype):
            rung.before = row if family(root, rung.step) != "knn" else None
    return rungs


@functools.lru_cache(maxsize=None)
def ladder(root):
    """(family, step, variant, type, layout, intensity) of every variant, for the tables of measurements. The
    intensity is counted: FLOP per byte that a block of BM x BN results loads from global memory, whichever of caches
    and DRAM serves it; two loads of 4 bytes an FMA where nothing is shared. A kernel that declares no tile has that
    of the row before."""
    rows, intensity = [], 2 / 8
    for step in steps(root):
        of = family(root, step)
        for rung in variants(root, step) if of in ("gemm", "tensor", "gemv", "conv") else ():
            if of == "gemm":
                intensity = tile_intensity(root, str(rung)) or intensity
            kind = layers.stands_for(rung.needs) if of == "conv" else (rung.dtype, rung.layout)
            rows.append((of, step, rung.name, *kind, intensity if of == "gemm" else None))
    return rows


def tile_intensity(root, rung):
    try:
        text = "\n".join(line for _, _, line in source.code(root, source.find(root, rung)))
    except Mistake:  # a table without its kernels
        return None
    found = [re.search(rf"\b(?:{name}|TILE) = (\d+)\b", text) for name in ("BM", "BN")]
    m, n = (int(one[1]) if one else 0 for one in found)
    return m * n / (2 * (m + n)) if m and n else None


def table_lines(root, note, step):
    """The Markdown lines for <!-- rungs: [STEP] -->."""
    shown = [rung for rung in listed(root) if step in ("", rung.step, rung.step[:6])]
    if not shown:
        raise Mistake(f"unknown step {step}")
    lines = ["| step | rung | idea | after | takes and needs | lines | changed |", "|---|---|---|---|---|--:|--:|"]
    first = {}  # of a step, with these needs
    for rung in shown:
        of = first.setdefault((rung.step, *rung.needs), rung)
        needs = f"as `{of.name}`" if rung.needs and of is not rung else "; ".join(rung.needs) or "–"
        path = source.find(root, str(rung))
        change = source.changed(root, str(rung.before), str(rung))[0] if rung.before else "–"
        lines.append(f"| {rung.step[:6]} | [`{rung.name}`]({os.path.relpath(path, os.path.dirname(note))}) | "
                     f"{rung.idea} | {f'`{rung.before.name}`' if rung.before else '–'} | {needs} | "
                     f"{len(source.code(root, path))} | {change} |")
    return lines


def type_option(arguments, root):
    """python3 -m report type STEP VARIANT: the options for the type and the layout that a variant of step 6
    multiplies, where they are not f16 and tn."""
    for of, step, name, dtype, layout, _ in ladder(root):
        if of == "tensor" and arguments[1:] == [name] and arguments[0] in (step, step[:6]):
            print(" ".join([f"--dtype {dtype}"] * (dtype != "f16") + [f"--layout {layout}"] * (layout != "tn")))
    return 0

"""Draws the figures of recorded measurements: what report/ makes of them, by the gnuplot scripts in plots/.

    scripts/plots.sh [--term png,svg|dumb] [--out DIR] [--device GPU | CSV]

GPU is a folder of plots/data: nvidia-h100; its figures go to build/plots/GPU, others to build/plots, or to DIR. CSV
holds the FP32 GEMM steps' measurements; what else was recorded lies beside it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap

from report import gpus, load, schema
from report.arguments import Parser
from report.figures import curves, ladders
from report.figures.layout import Nothing
from report.load import Mistake

GAP, GAP_OF_TEXT = 0.062, 0.055  # least distance of two labels, as a share of the height


EVERY = {kind: [*ladders.FIGURES.get(kind, []), *curves.FIGURES.get(kind, [])]  # by kind
         for kind in dict.fromkeys([*curves.FIGURES, *ladders.FIGURES])}
NAMED = {one.draw.__name__: one for those in EVERY.values() for one in those}


def captions(db):
    """For each kind of figures: its caption (None: nothing was measured), what more where rows are of a version before
    their kernel last changed, and what its kernels are compared with."""
    source = dict(db.execute("SELECT kind, text FROM source"))
    device = dict(db.execute("SELECT kind, device FROM source"))
    baseline = ladders.baseline_name(db)

    def recorded(kind, rest, what="measurements"):
        return f"Recorded {what}: {source[kind]}{rest}" if kind in source else None

    def older(kind):
        names = [" ".join(row) for row in db.execute(f"SELECT DISTINCT variant, older FROM {kind} WHERE older > ''")]
        return f" Before the kernel last changed: {', '.join(names)}." if names else ""

    samples, attacks = db.execute("""SELECT (SELECT max(seeds) FROM rate JOIN rate_method USING (method)),
        (SELECT attacks_known FROM rate_count WHERE (protocol, class) = ('same', 'U2R'))""").fetchone()
    rates = (f". Means of {samples or 0} samples (min, max)" +
             (f"; of U2R {attacks} attacks exist for training, not 100." if attacks is not None else "."))
    cpu = f"; {device['knn_cpu']}" if "knn_cpu" in device else ""
    return [
        ("sgemm", recorded("gemm", f". Cold L2, medians (min, max), interleaved with {baseline}."), older("sgemm"),
         baseline),
        ("tensorcore",
         recorded("tensor", ". Cold L2, medians (min, max), beside the fastest call of cuBLAS or cublasLt."),
         older("tensorcore"), "cuBLAS"),
        ("tensorcore_error", recorded("error", ". |c - ref| / |A||B| of a square of elements, ref in FP64.", "errors"),
         "", "FP32"),
        ("gemv", recorded("gemv", ". CUDA graphs, medians (min, max); cuBLAS and read ceiling without PDL."), "",
         "cuBLAS"),
        ("random", recorded("random", ". Cold L2, medians. Black: geometric mean; grey: 10th percentile; blue: "
                            "tuned at these shapes; orange: drawn by seeds that were kept for the end."),
         older("random"), "cuBLAS"),
        ("knn", recorded("knn" if "knn" in source else "knn_rates", f"{cpu}. Medians (min, max); data on the device."),
         "", curves.exact_of(db)),
        ("conv", recorded("conv", ". Cold L2, medians (min, max)."), older("conv"), "cuDNN"),
        ("knn_rates", recorded("knn_rates", rates, "answers"), "", "")]


def say(text):
    print(f"plots: {text}", file=sys.stderr)


def made(folder, root, csv, gap):
    """(name, caption, what it is compared with, data or None) of every figure; says which there are not, and why."""
    db = load.open_folder(folder, root, sgemm=csv)
    files = {kind: load.short_name(os.path.join(folder, kind + ".csv"), root) for kind in schema.MEASURED}
    files["sgemm"] = load.short_name(csv, root)

    def newer(figure):
        """As it is without rows that are older than their kernel."""
        try:
            return figure.draw(db.newer(), files, gap)
        except Nothing:
            return None

    figures = []
    for kind, caption, older, baseline in captions(db):
        if caption is None and kind == "sgemm":
            say(f"no recorded measurements in {files[kind]}, nothing to draw: `make bench` records them")
        elif caption is None and kind in ("tensorcore", "gemv") and figures:
            what = "GEMV" if kind == "gemv" else "tensor cores"
            say(f"no figures of {what}: no recorded measurements in {files[kind]}; `make bench` records them")
        for figure in EVERY[kind] if caption else ():
            try:
                text = figure.draw(db, files, gap)
                more = older if older and text != newer(figure) else ""
            except Nothing as nothing:
                say(f"{figure.draw.__name__}: {nothing}")
                text, more = None, ""
            figures.append((figure.draw.__name__, caption + more, baseline, text))
    return figures


def drawn(root, work, script, text, name, caption, term, size, **settings):
    """Has gnuplot draw a figure: the path of what it drew. An SVG gets its colours of a dark screen."""
    paths = [os.path.join(work, name + end) for end in (".dat", "")]
    try:
        with open(paths[0], "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run(
            ["gnuplot", "-e", "; ".join(f'{key} = "{value}"' for key, value in settings.items()),
             "-c", os.path.join(root, "plots", script + ".gp"), *paths, caption, term, str(size)],
            env={**os.environ, "LC_ALL": "C.UTF-8", "GNUPLOT_LIB": os.path.join(root, "plots")}, check=False,
            restore_signals=False)  # a file that may not grow is not its end
        if done.returncode:
            raise Mistake(f"gnuplot failed on plots/{script}.gp", 3)
        path = paths[1] + "." + ("svg" if term == "page" else term)
        if path.endswith(".svg"):
            with open(path, encoding="utf-8") as file, open(os.path.join(root, "plots", "dark.css"),
                                                            encoding="utf-8") as css:
                svg = file.read().replace("<desc>", f"<style>\n{css.read()}</style>\n<desc>", 1)
            with open(path, "w", encoding="utf-8") as file:
                file.write(svg)
        with open(path, "rb") as file:  # gnuplot does not say when a disk is full
            last = file.read()[-12:]
        whole = term == "dumb" or b"</svg>" in last or b"IEND" in last
    except OSError:
        whole = False
    if not whole:
        raise Mistake(f"{name}.{term} was cut short: is the disk of {os.path.dirname(work)} full?", 3)
    return path


def options(arguments, root):
    parser = Parser(prog="scripts/plots.sh", add_help=False, allow_abbrev=False)
    parser.add_argument("--help", action="store_true")
    parser.add_argument("--term", default="png,svg")
    parser.add_argument("--out")
    parser.add_argument("--device")
    parser.add_argument("csv", nargs="*")
    given = parser.parse_args(arguments)
    given.term = given.term.split(",")
    for term in given.term:
        if term not in ("png", "svg", "dumb"):
            raise Mistake(f"unknown terminal {term}")
    if len(given.csv) > 1:
        raise Mistake(f"one CSV at a time, not also {given.csv[1]}")
    if given.device and given.csv:
        raise Mistake("a device or a CSV, not both")
    known = gpus.folders(os.path.join(root, "plots", "data"))
    if given.device and given.device not in map(os.path.basename, known):
        raise Mistake(f"nothing is recorded of '{given.device}', only of: {' '.join(map(os.path.basename, known))}")
    return given


def choose(given, root):
    """The CSV: the one that is asked for, else of this machine's GPU, else of the H200, else of the first that has
    rows."""
    data = os.path.join(root, "plots", "data")
    if given.csv:
        return given.csv[0]
    names = [given.device] if given.device else [os.environ.get("GPU_SLUG") or "nvidia-h200", "nvidia-h200",
                                                 *map(os.path.basename, gpus.folders(data))]
    folder = next((name for name in names
                   if any(has_rows(os.path.join(data, name, kind + ".csv")) for kind in schema.RECORDS)), names[-1])
    return os.path.join(data, folder, "sgemm.csv")


def has_rows(path):
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return len(file.readlines(1 << 16)) > 1


def main(arguments, root):
    given = options(arguments, root)
    if given.help:
        print(__doc__.split("\n\n", 1)[1], end="")
        return 0
    csv = choose(given, root)
    folder = os.path.dirname(csv) or "."
    if not os.path.isfile(csv) and (given.csv or not any(has_rows(os.path.join(folder, kind + ".csv")) for kind
                                               in schema.RECORDS)):
        say(f"no recorded measurements to draw (no file {load.short_name(csv, root)}): `make bench` records them")
        return 1
    out = os.path.abspath(given.out or os.path.join(root, "build", "plots", *([given.device] if given.device else [])))
    columns = min(130, max(80, shutil.get_terminal_size((100, 36)).columns if sys.stdout.isatty() else 100))
    figures = made(folder, root, csv, GAP_OF_TEXT if "dumb" in given.term else GAP)
    ready, shown = [], ""
    try:
        os.makedirs(out, exist_ok=True)
        work = tempfile.TemporaryDirectory(prefix=".work.", dir=out)
    except OSError:
        raise Mistake(f"cannot write to the folder {out}") from None
    with work:
        for name, caption, baseline, text in figures:
            for term in given.term if text else ():
                figure = NAMED[name]
                path = drawn(root, work.name, figure.script, text, name, caption, term, columns,
                             **{key: words.format(baseline) for key, words in
                                (("TITLE", figure.title), ("XLABEL", figure.x), ("YLABEL", figure.y))})
                if term != "dumb":
                    ready.append(path)
                    continue
                if caption != shown:
                    print(("\n" if shown else "") + "\n".join(textwrap.wrap(caption, columns)))
                    shown = caption
                # without gnuplot's form feeds, blank lines and blanks at the ends
                with open(path, encoding="utf-8") as file:
                    lines = [line.rstrip() for line in file.read().replace("\f", "").split("\n")]
                print("\n" + "\n".join(lines[next((i for i, line in enumerate(lines) if line), 0):]), end="")
        for name in os.listdir(out):  # an older figure would pass for one of these
            stem, end = os.path.splitext(name)
            if end[1:] in given.term and end != ".dumb" and stem in NAMED:
                os.remove(os.path.join(out, name))
        for path in ready:
            os.replace(path, os.path.join(out, os.path.basename(path)))
            print(os.path.relpath(os.path.join(out, os.path.basename(path))))
    return 0 if any(text for *_, text in figures) else 1

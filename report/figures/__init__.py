"""Writes the data of the figures in plots/ from recorded measurements; scripts/plots.sh draws them."""

import os
import sys

from report import gpus as all_gpus
from report import load, schema
from report.arguments import Parser
from report.figures import gemv, gpus, knn, sgemm, tensorcore
from report.figures.layout import Nothing
from report.load import Mistake
from report.sql import Parts

HERE = os.path.dirname(os.path.abspath(__file__))


def captions(db):
    """For each group of figures: the file it draws, its caption (None: nothing was measured), what its kernels are compared
    with, and the figures."""
    source = dict(db.execute("SELECT kind, text FROM source"))
    device = dict(db.execute("SELECT kind, device FROM source"))
    baseline = sgemm.baseline_name(db)

    def recorded(kind, rest, what="measurements"):
        return f"Recorded {what}: {source[kind]}{rest}" if kind in source else None

    cpu = f"; {device['knn_cpu']}" if "knn_cpu" in device else ""
    return [
        ("sgemm", recorded("gemm", f". Cold L2, medians, interleaved with {baseline}."), baseline, sgemm.FIGURES),
        ("tensorcore", recorded("tensor", ". Cold L2, medians, beside the best heuristic of cublasLt."), "cuBLAS",
         tensorcore.FIGURES),
        ("tensorcore_error", recorded("error", ". |c - ref| / |A||B| of a square of elements, ref in FP64.", "errors"), "FP32",
         tensorcore.ERROR_FIGURES),
        ("gemv", recorded("gemv", ". Medians in CUDA graphs beside cuBLAS; ceiling and cuBLAS without PDL."), "cuBLAS",
         gemv.FIGURES),
        ("knn", recorded("knn" if "knn" in source else "knn_rates", f"{cpu}. Medians; data on the device."),
         knn.exact_of(db), knn.FIGURES),
    ] + [("gpus", where_from(db, ladder), "cuBLAS", [figure]) for ladder, figure in gpus.FIGURES.items()]


def where_from(db, ladder):
    """The caption of a figure of several GPUs."""
    origins = [row[0] for row in db.execute("SELECT text FROM gpu WHERE ladder = ? ORDER BY place", [ladder])]
    return f"Recorded measurements: {'; '.join(origins)}. Medians." if origins else None


def write(folder, name, text):
    try:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Mistake(f"cannot write to {folder}: {error.strerror}") from None


def say(text):
    print(f"plots: {text}", file=sys.stderr)


def missing(kind, files, drawn):
    """Says which figures are left out for want of measurements."""
    if kind == "sgemm":
        say(f"no recorded measurements in {files[kind]}, nothing to draw: `make bench` records them")
    elif kind in ("tensorcore", "gemv") and drawn:
        what = "GEMV" if kind == "gemv" else "tensor cores"
        say(f"no figures of {what}: no recorded measurements in {files[kind]}; `make bench` records them")


def main(arguments, root):
    parser = Parser(prog="python3 -m report figures", description=__doc__)
    parser.add_argument("--dir", required=True, help="where the data go: FIGURE.dat, or FIGURE.why where there is nothing "
                        "to draw, FIGURE.caption, and in FIGURE.baseline what it is compared with")
    parser.add_argument("--gap", type=float, default=0.052, help="least distance of two labels, as a share of the height")
    parser.add_argument("csv", help="sgemm.csv; what else was recorded lies beside it")
    given = parser.parse_args(arguments)
    folder = os.path.dirname(given.csv) or "."
    db = load.open_folder(folder, root, sgemm=given.csv)
    all_gpus.add(db, folder, root)
    files = {kind: load.short_name(os.path.join(folder, kind + ".csv"), root) for kind in schema.MEASURED}
    files["sgemm"] = load.short_name(given.csv, root)
    drawn = []
    for kind, caption, baseline, figures in captions(db):
        if caption is None:
            missing(kind, files, drawn)
            continue
        for figure in figures:
            name = figure.__name__
            write(given.dir, name + ".caption", caption + "\n")
            write(given.dir, name + ".baseline", baseline + "\n")
            part = Parts(os.path.join(HERE, ("gpus" if kind == "gpus" else name) + ".sql")).of(db)
            try:
                write(given.dir, name + ".dat", figure(db, part, given.gap, files).text())
            except Nothing as nothing:
                write(given.dir, name + ".why", f"{nothing}\n")
            drawn.append(name)
    if not drawn:
        return 1
    print("\n".join(drawn))
    return 0

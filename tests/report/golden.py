"""The expected tables and figures' data in golden/, made from data/.

    python3 tests/report/golden.py     writes them anew: after a change of what they show, look at the difference
"""

import contextlib
import io
import os
import tempfile

from support import DATA, HERE, ROOT, read, write

from report import demo, figures, gpus, load, notes, tables

GOLDEN = os.path.join(HERE, "golden")
TABLES = """
    ladder; article; step step05; step step05 cp_async; square step05; odd step05; speedup step05; counters step05;
    sass step05; register-banks; ffma-orders; latency; limits; wgmma-limits;
    gemv step07 4096 4096; gemv step07 1024 1024 bf16; gemv-shapes step07; gemv-article step07; gemv-warm step07;
    gemv-chain step07; gemv-dram step07; gemv-tuned step07; gemv-searched step07; languages 1024;
    gemv step07 1024 1024 f16 naive_wide;
    tensor-ladder step06; tensor-summary step06; tensor-sustained step06; tensor-counters step06;
    tensor-sizes step06 f16 tn; tensor-sizes step06 tf32x3 tn; tensor-odd step06;
    calls-sgemm; calls-tensorcore; calls-gemv; chains-tensorcore; gpus-sgemm; gpus-tensorcore; gpus-gemv; gpus-conv;
    gpus-knn; knn-paper; knn-ann; knn-select; knn-rates; knn-torch; knn-claims; knn-growth; knn-at-once; knn-peers;
    knn-alike; knn-ranks; knn-copies; l1-lines; random; conv step09 precomputed; conv-layers step09 f16 nhwc;
    conv-runs step09; calls-conv
"""


def table(db, found, marker):
    return "\n".join(notes.table_lines(db, found, marker.split())) + "\n"


def made():
    """Every golden file's name and text, as report/ makes it now."""
    found = tables.find_tables()
    markers = [marker.strip() for marker in TABLES.split(";")]
    db = load.open_folder(DATA, ROOT, sass=os.path.join(DATA, "sass.csv"), changes=os.path.join(DATA, "none"))
    gpus.add(db, DATA, ROOT)  # and h100/, made up of the H200's
    files = {f"tables/{marker.replace(' ', '_')}.md": table(db, found, marker) for marker in markers}
    files["values.md"] = "\n".join(notes.inline(db, ROOT, line) for line in read(HERE, "values.md").split("\n"))
    db = load.open_folder(os.path.join(HERE, "h100"), ROOT, changes=os.path.join(DATA, "none"))
    for marker in "calls-sgemm", "calls-tensorcore", "calls-gemv", "chains-tensorcore":
        files[f"tables/{marker}_h100.md"] = table(db, found, marker)  # which version 0.10 recorded
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.join(folder, "none")
        nothing = load.open_folder(folder, ROOT)
        gpus.add(nothing, folder, ROOT)
        files["not_measured.md"] = "".join(f"## {marker}\n{table(nothing, found, marker)}\n" for marker in markers)
    drawn = sorted(figures.made(DATA, ROOT, os.path.join(DATA, "sgemm.csv"), 0.052))
    files.update({f"figures/{name}.dat": text for name, _, _, text in drawn})
    files["figures/captions"] = "".join(f"{name}: {caption}\n" for name, caption, *_ in drawn)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        demo.main([os.path.join(DATA, name + ".csv") for name in ("sgemm", "tensorcore", "gemv", "knn", "conv")], ROOT)
    files["demo.txt"] = out.getvalue()
    return files


if __name__ == "__main__":
    for path, text in made().items():
        write(text, GOLDEN, path)
    print(f"{len(made())} files in {os.path.relpath(GOLDEN)}")

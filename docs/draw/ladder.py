"""The FP32 ladder as recorded on an H200, C = A·B at m = n = k = 4096: all of it, and for each lesson's step what it adds."""

import os

from _svg import Drawing
from report import load
from report.text import speed

FOLDER = "plots/data/nvidia-h200"
STEPS = ("step01", "step02", "step03", "step04", "step05")


def bars(sources):
    """[(step, variant, TFLOP/s)], and the baseline's and the peak."""
    for path in (FOLDER + "/sgemm.csv", "plots/intensity.csv"):
        sources.text(path)
    db = load.open_folder(os.path.join(sources.root, FOLDER), sources.root)
    rows = [(row["step"][:6], row["variant"], row["speed"]) for row in db.execute(
        "SELECT v.step, v.variant, speed FROM variant AS v JOIN gemm_text AS t USING (step, variant) "
        "WHERE family = 'gemm' AND (m, n, k) = (4096, 4096, 4096) ORDER BY v.step, place")]
    cublas = db.execute("SELECT tflops FROM gemm_baseline WHERE (m, n, k) = (4096, 4096, 4096)").fetchone()[0]
    return rows, cublas


def figure(rows, cublas, step):
    """Every rung up to `step`, whose own stand out; or all, where it is None."""
    shown = [row for row in rows if step is None or row[0] <= step]
    d = Drawing("TFLOP/s at m = n = k = 4096 on an H200: " + ", ".join(
        f"{variant} {speed(x)}" for _, variant, x in shown) + f"; cuBLAS {speed(cublas)}.")
    d.text(10, 18, "FP32, m = n = k = 4096, NVIDIA H200: TFLOP/s", "note")
    left, long, top = 148, 200, 28
    scale = long / max(cublas, *(x for *_, x in rows))
    before = None
    for name, variant, x in shown:
        top += 5 if before not in (None, name) else 0
        before = name
        d.text(10, top + 12, variant)
        d.box(left, top + 1, max(1, x * scale), 14, "b" if name == step or step is None else "a")
        d.text(left + x * scale + 5, top + 12, f"{speed(x)}")
        top += 18
    top += 5
    d.text(10, top + 12, "cuBLAS")
    d.box(left, top + 1, cublas * scale, 14, "c")
    d.text(left + cublas * scale + 5, top + 12, speed(cublas))
    return d.svg()


def draw(sources):
    rows, cublas = bars(sources)
    return {"ladder": figure(rows, cublas, None), **{f"ladder_{step}": figure(rows, cublas, step) for step in STEPS}}

"""The ladders as recorded on an H200, C = A·B at m = n = k = 4096: FP32's, all of it and for each lesson up to its rung,
and step 6's, on tensor cores."""

import os

from _svg import Drawing
from report import load
from report.text import speed

FOLDER = "plots/data/nvidia-h200"
LESSONS = (("coalesced", 2), ("tile32", 1), ("tile4x4", 1), ("tile8x8_256t", 2), ("lds128", 1), ("lds128_2x2", 1),
           ("coalesced_store", 1), ("register_prefetch", 1), ("cp_async", 1), ("serpentine", 1), ("warp_tiles", 1),
           ("rasterized", 1), ("spread_copies", 1), ("stream_k", 1))  # the last rung that a lesson adds, and how many


def bars(sources):
    """[(step, variant, TFLOP/s)], and the baseline's and the peak."""
    for path in (FOLDER + "/sgemm.csv", "plots/intensity.csv"):
        sources.text(path)
    db = load.open_folder(os.path.join(sources.root, FOLDER), sources.root)
    rows = [(row["step"][:6], row["variant"], row["speed"]) for row in db.execute(
        "SELECT v.step, v.variant, speed FROM variant AS v LEFT JOIN gemm_text AS t "
        "ON (t.step, t.variant, m, n, k) = (v.step, v.variant, 4096, 4096, 4096) WHERE v.family = 'gemm' ORDER BY v.step, place")]
    cublas = db.execute("SELECT tflops FROM gemm_baseline WHERE (m, n, k) = (4096, 4096, 4096)").fetchone()[0]
    return rows, cublas


def said(x):
    return "not recorded" if x is None else speed(x)


def figure(rows, cublas, last=None, added=0):
    """Every rung up to `last`, of which a lesson's own, `added` of them, stand out; or all, where it is None."""
    names = [variant for _, variant, _ in rows]
    shown = rows if last is None else rows[:names.index(last) + 1]
    d = Drawing("TFLOP/s at m = n = k = 4096 on an H200: " + ", ".join(
        f"{variant} {said(x)}" for _, variant, x in shown) + f"; cuBLAS {speed(cublas)}.")
    d.text(10, 18, "FP32, m = n = k = 4096, NVIDIA H200: TFLOP/s", "note")
    left, long, top = 148, 200, 28
    scale = long / max(cublas, *(x for *_, x in rows if x is not None))
    before = None
    for number, (name, variant, x) in enumerate(shown):
        top += 5 if before not in (None, name) else 0
        before = name
        d.text(10, top + 12, variant)
        if x is not None:
            d.box(left, top + 1, max(1, x * scale), 14, "b" if last is None or number >= len(shown) - added else "a")
        d.text(left + (x or 0) * scale + 5, top + 12, said(x), "note" if x is None else "")
        top += 18
    top += 5
    d.text(10, top + 12, "cuBLAS")
    d.box(left, top + 1, cublas * scale, 14, "c")
    d.text(left + cublas * scale + 5, top + 12, speed(cublas))
    return d.svg()


TENSOR_LESSONS = (("mma_sync", 2), *((one, 1) for one in (
    "ldmatrix", "swizzle", "stages", "warp_64x64", "fragments", "interleaved", "pointers", "rasterized", "tma", "wgmma",
    "warp_specialised", "persistent_grid", "ping_pong", "cluster")))
BESIDE = {  # what the lessons show whose rungs multiply other types
    "mma_s8_tile": ("s8 beside FP32, 4096³, NVIDIA H200: TFLOP/s, TOP/s",
                    (("step05_doublebuffer", "stream_k", "f32", "stream_k, FP32"), ("step06_tensorcore", "mma_s8_tile", "s8", "mma_s8_tile"),
                     ("", "cublas", "s8", "cuBLAS, s8"))),
    "three_products": ("FP32's result, 4096³, NVIDIA H200: TFLOP/s",
                       (("step05_doublebuffer", "stream_k", "f32", "stream_k, FMA"), ("", "cublas", "tf32x3", "cuBLAS, FP32"),
                        ("step06_tensorcore", "three_products", "tf32x3", "three_products"), ("step06_tensorcore", "best", "tf32x3", "best, tf32x3")))}


def recorded(db, step, variant, dtype):
    if dtype == "f32":
        row = db.execute("SELECT speed FROM gemm_text WHERE (step, variant, m, n, k) = (?, ?, 4096, 4096, 4096)", [step, variant])
    elif variant == "cublas":
        row = db.execute("SELECT tflops FROM tensor_baseline WHERE (dtype, layout, m, n, k, load) = (?, 'tn', 4096, 4096, 4096, "
                         "'burst')", [dtype])
    else:
        row = db.execute("SELECT tflops FROM tensor WHERE (step, variant, dtype, layout, m, n, k, load) = "
                         "(?, ?, ?, 'tn', 4096, 4096, 4096, 'burst')", [step, variant, dtype])
    found = row.fetchone()
    return found and found[0]


def beside(db, lesson):
    """A rung beside what else does the same work."""
    title, wanted = BESIDE[lesson]
    rows = [(name, recorded(db, step, variant, dtype)) for step, variant, dtype, name in wanted]
    return tensor_bars(rows, title, 1, lesson)


def tensor_figures(sources):
    """Step 6's rungs in f16, all and up to each lesson's; and the lessons of other types."""
    for path in (FOLDER + "/tensorcore.csv", FOLDER + "/sgemm.csv", "plots/tensorcore_ladder.csv"):
        sources.text(path)
    db = load.open_folder(os.path.join(sources.root, FOLDER), sources.root)
    rows = db.execute(
        "SELECT v.variant, t.tflops FROM tensor_variant AS v LEFT JOIN tensor AS t "
        "ON (t.step, t.variant, t.dtype, t.layout, t.m, t.n, t.k, t.load) = "
        "(v.step, v.variant, 'f16', 'tn', 4096, 4096, 4096, 'burst') WHERE v.dtype = 'f16' ORDER BY place").fetchall()
    shown = [(row["variant"], row["tflops"]) for row in rows]
    cublas = db.execute("SELECT tflops FROM tensor_baseline WHERE (dtype, layout, m, n, k, load) = "
                        "('f16', 'tn', 4096, 4096, 4096, 'burst')").fetchone()
    shown, last = shown[:-1], shown[-1:]  # best is no lesson's
    cublas = ("cuBLAS", cublas and cublas[0])
    title = "f16, m = n = k = 4096, NVIDIA H200: TFLOP/s"
    names = [name for name, _ in shown]
    figures = {"ladder_step06": tensor_bars([*shown, *last, cublas], title, len(shown) + 1)}
    for name, added in TENSOR_LESSONS:
        upto = shown[:names.index(name) + 1]
        figures["ladder06_" + name] = tensor_bars([*upto, cublas], title, added)
    return {**figures, **{"ladder06_" + lesson: beside(db, lesson) for lesson in BESIDE}}


def tensor_bars(shown, title, added, only=None):
    """Bars, or that they are not recorded yet; the last `added` before cuBLAS's, or the one named `only`, stand out."""
    said = {name: "not recorded" if x is None else f"{x:.0f}" if x >= 100 else f"{x:.1f}" for name, x in shown}
    d = Drawing(f"{title}. " + ", ".join(f"{n} {x}" for n, x in said.items()) + ".")
    d.text(10, 18, title, "note")
    most = max([x for _, x in shown if x is not None], default=1)
    for line, (name, x) in enumerate(shown):
        top, wide = 28 + line * 18 + (5 if name == "cuBLAS" else 0), 200 * (x or 0) / most
        own = name == only if only else line >= len(shown) - 1 - added
        d.text(10, top + 12, name)
        if x is not None:
            d.box(148, top + 1, max(1, wide), 14, "c" if "cuBLAS" in name else "b" if own else "a")
        d.text(153 + wide, top + 12, said[name], "note" if x is None else "")
    return d.svg()


def draw(sources):
    rows, cublas = bars(sources)
    return {"ladder": figure(rows, cublas), **{f"ladder_{last}": figure(rows, cublas, last, added) for last, added in LESSONS},
            **tensor_figures(sources)}

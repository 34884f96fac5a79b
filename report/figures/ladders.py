"""The figures of bars: progression, tensorcore_ladder, gemv_ladder, conv_ladder."""

from report.figures.layout import Bar, Figure, bars, nothing, series, steps
from report.text import fast_speed, significant, speed

OF_F16, OF_OTHERS, GRAPH, PDL = 6, 3, 5, 6  # line types of style.gp


def baseline_name(db):
    return db.execute("SELECT coalesce(baseline, 'no baseline') FROM gemm_about").fetchone()[0]


def reached(one):
    """The greatest speed of a row."""
    return one["tflops"] * one["ms_median"] / (one["ms_min"] or one["ms_median"])


def ends(one, top):
    """The least and the greatest speed of a row as shares of the longest bar's."""
    return tuple(one["tflops"] * one["ms_median"] / one[end] / top if one[end] else None for end
                 in ("ms_max", "ms_min"))


def progression(db, files, gap):
    """The ladder: every variant's TFLOP/s at m = n = k = 4096, in the order the steps are read."""
    measured = db.execute("SELECT v.step, v.variant, gemm.* FROM variant AS v JOIN gemm USING (step, variant) WHERE "
                          "family = 'gemm' AND (m, n, k) = (4096, 4096, 4096) ORDER BY step, place").fetchall()
    base = sum(one["tflops"] for one in db.execute("SELECT tflops FROM gemm_baseline WHERE (m, n, k) = (4096, 4096, "
                                                   "4096)"))
    top = max([base] + [reached(one) for one in measured])
    if top == 0:
        raise nothing("4096^3", files["sgemm"])
    rows, groups = [], []
    for one in measured:
        if not groups or groups[-1][1] != one["step"]:
            rows += [""] if groups else []
            groups.append((len(rows), one["step"]))
        text = speed(one["tflops"]) + (f" ({100 * one['ratio']:.1f} %)" if one["ratio"] else "")
        rows.append((one["variant"], Bar(one["tflops"] / top, series(one["step"]), text, ends(one, top))))
    marks = [(0, base / top, f"{baseline_name(db)} {speed(base)}", 1)] if base else []
    return bars(rows, 40, 16, groups=groups, marks=marks, ticks=[(x / top, f"{x:g}") for x in steps(top)])


def tensorcore_ladder(db, files, gap):
    """The tensor cores' ladder: every variant's TFLOP/s at m = n = k = 4096, with cuBLAS and the power-limited peak as
    lines."""
    measured = db.execute("""SELECT t.* FROM tensor_variant AS v JOIN tensor AS t ON (t.step, t.variant, t.dtype,
                             t.layout, m, n, k, load) = (v.step, v.variant, coalesce(v.dtype, 'f16'), v.layout, 4096,
                             4096, 4096, 'burst') ORDER BY place""").fetchall()
    if not measured:
        raise nothing("4096^3, tn", files["tensorcore"])
    lines = [(one["tflops"], f"cuBLAS, f16: {fast_speed(one['tflops'])}", 1) for one in db.execute(
        "SELECT tflops FROM tensor_baseline WHERE (dtype, layout, m, n, k, load) = ('f16', 'tn', 4096, 4096, 4096, "
        "'burst')")]
    lines += [(one["tflops"], f"peak of f16 at the sustained clock, {one['clock'] / 1000:.2f} GHz: "
                              f"{fast_speed(one['tflops'])}", 0)
              for one in db.execute("SELECT tflops, clock FROM tensor_limit")]
    top = max([line[0] for line in lines] + [reached(one) for one in measured])
    rows = [(one["variant"] + {"f16": "", "tf32x3": ", FP32"}.get(one["dtype"], ", " + one["dtype"]),
             Bar(one["tflops"] / top, OF_F16 if one["dtype"] == "f16" else OF_OTHERS,
                 fast_speed(one["tflops"]) + (f" ({100 * one['ratio']:.1f} %)" if one["ratio"] else ""),
                 ends(one, top))) for one in measured]
    return bars(rows, 21, 16, marks=[(0, at / top, text, dashed) for at, text, dashed in lines],
                ticks=[(x / top, f"{x:g}") for x in steps(top, 7)])


def thousands(x):
    """12345 -> 12 345; up to 9999 as it is."""
    x = "%.0f" % x
    return x[:-3] + " " + x[-3:] if len(x) > 4 else x


def megabytes(n):
    """Of an n x n matrix in FP16."""
    x = n * n * 2 / 1e6
    return (significant(x, 2) if x < 10 else thousands(x)) + " MB"


def gemv_ladder(db, files, gap):
    """GEMV's ladder: every variant's speed at 1024 x 1024 and 4096 x 4096, cold, with cuBLAS and the read ceiling as
    lines.

    A row more for a variant that was measured with programmatic dependent launch."""
    measured = db.execute("""SELECT v.variant, g.mode, g.n, g.us, g.gbps, r.ms_median / r.ms_max AS least, r.ms_median
                             / r.ms_min AS most FROM variant AS v JOIN gemv_all AS g ON g.name = v.variant AND g.step =
                             v.step LEFT JOIN gemv_row AS r ON r.line = g.line
                             WHERE family = 'gemv' AND g.op = 'gemv' AND g.dtype = 'f16' AND g.n = g.k AND g.n IN
                             (1024, 4096) AND g.cache = 'cold' AND g.mode IN ('graph', 'pdl') ORDER BY place,
                             g.mode, g.n""").fetchall()
    if not measured:
        raise nothing("1024 x 1024 or 4096 x 4096", files["gemv"])
    known = {(one["name"], one["n"]): one for one in db.execute(
        "SELECT n, name, us, gbps FROM gemv_all WHERE name IN ('read_ceiling', 'cublas') AND dtype = 'f16' AND n = k "
        "AND (cache, mode) = ('cold', 'graph')")}
    names = dict.fromkeys((one["variant"], one["mode"]) for one in measured)
    rows = {name: [name[0] + (", PDL" if name[1] == "pdl" else ""), None, None] for name in names}
    marks, titles = [], []
    for panel, n in enumerate((1024, 4096)):
        here = [one for one in measured if one["n"] == n]
        lines = [(known[name, n]["gbps"], text + f", {thousands(known[name, n]['gbps'])} GB/s", dashed) for name, text,
                 dashed in (("read_ceiling", "read ceiling, no PDL", 0),
                  ("cublas", f"cuBLAS {significant(known['cublas', n]['us'], 3)} µs" if ("cublas", n) in known else "",
                   1)) if (name, n) in known]
        top = max([line[0] for line in lines] + [one["gbps"] * (one["most"] or 1) for one in here], default=1)
        for one in here:
            rows[one["variant"], one["mode"]][panel + 1] = Bar(
                one["gbps"] / top, PDL if one["mode"] == "pdl" else GRAPH,
                f"{significant(one['us'], 3)} µs, {thousands(one['gbps'])}",
                tuple(one[end] and one["gbps"] / top * one[end] for end in ("least", "most")))
        marks += [(panel, at / top, text, dashed) for at, text, dashed in lines]
        titles.append(f"{n} × {n}, {megabytes(n)}" + ("" if here else ": not measured"))
    return bars([tuple(one) for one in rows.values()], 17, 15, panels=titles, marks=marks)


CONV_LAYER = "64-128-28-28-128-3-3-1"


def conv_ladder(db, files, gap):
    """The convolutions' ladder: every rung's TFLOP/s at one layer, and as a line cuDNN's fastest direct engine.

    FP32 is in NCHW, or in NHWC where a rung takes no other; f16 is in NHWC."""
    measured = db.execute("""SELECT v.variant, r.dtype, min(r.sides), r.tflops, r.ms_median, r.ms_min, r.ms_max,
                             r.ratio FROM variant AS v JOIN conv_row AS r USING (step, variant) WHERE family = 'conv'
                             AND layer = ? AND (r.dtype = 'f32' OR (r.dtype, r.sides) = ('f16', 'nhwc'))
                             GROUP BY v.variant, r.dtype ORDER BY place""", [CONV_LAYER]).fetchall()
    if not measured:
        raise nothing(CONV_LAYER, files["conv"])
    rows = {one["variant"]: [one["variant"], None, None] for one in measured}
    marks, panels = [], (("f32", "nchw", "FP32", series("step09")), ("f16", "nhwc", "f16, NHWC", OF_F16))
    for panel, (dtype, sides, _, of) in enumerate(panels):
        here = [one for one in measured if one["dtype"] == dtype]
        theirs = [one["tflops"] for one in db.execute("SELECT tflops FROM conv_baseline WHERE (dtype, sides, layer) = "
                                                      "(?, ?, ?)", [dtype, sides, CONV_LAYER])]
        top = max([*map(reached, here), *theirs], default=1)
        for one in here:
            text = fast_speed(one["tflops"]) + (f" ({100 * one['ratio']:.1f} %)" if one["ratio"] else "")
            rows[one["variant"]][panel + 1] = Bar(one["tflops"] / top, of, text, ends(one, top))
        marks += [(panel, at / top, f"cuDNN {fast_speed(at)}", 1) for at in theirs]
    return bars([tuple(one) for one in rows.values()], 12, 15, panels=[title for _, _, title, _ in panels], marks=marks)


FIGURES = {
    "sgemm": [Figure(progression, "The SGEMM ladder at m = n = k = 4096",
                     "TFLOP/s, FP32 (in brackets: % of {}, median of pairs)", script="bars")],
    "tensorcore": [Figure(tensorcore_ladder, "Tensor cores at m = n = k = 4096, f16 (others where named)",
                          "TFLOP/s (in brackets: % of {} in that type, median of pairs)", script="bars")],
    "gemv": [Figure(gemv_ladder, "GEMV in FP16, cold L2: µs, GB/s (PDL: programmatic dependent launch)",
                    script="bars")],
    "conv": [Figure(conv_ladder, "A convolution, 64 images of 128 x 28 x 28, 128 filters of 3 x 3: TFLOP/s",
                    "in brackets: % of {}'s fastest direct engine, median of pairs", script="bars")],
}

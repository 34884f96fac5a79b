"""The figures of several GPUs, one a ladder: gpus_sgemm, gpus_tensorcore, gpus_gemv, gpus_knn. gpus.sql selects for all."""

from itertools import cycle

from report.figures.layout import Data, Label, nice_ceiling, nothing, place_labels, quoted, row, runs

SERIES = (5, 6, 4, 1, 2)  # line types of style.gp, a GPU each, then again
GAP = 0.6                 # between shapes that no line joins


def lay_out(part, ladder, gap, files):
    """lines: x, ratio, series; labels: GPUs; ticks: x, shape; scale: greatest ratio, last x"""
    known = {(one["gpu"], one["line"], one["shape"]): one["ratio"] for one in part("points", ladder=ladder)}
    if not known:
        raise nothing("the shapes of this ladder", files[ladder])
    ticks, lines, x = [], {}, 0.0
    for one in part("shapes", ladder=ladder):
        x += GAP * (one["line"] not in lines and len(lines) > 0) + 1
        lines.setdefault(one["line"], []).append((x, one["shape"]))
        ticks.append(row(x, quoted(one["shape"])))
    drawn, ends = [], []
    for one, of in zip(part("gpus", ladder=ladder), cycle(SERIES)):
        gpu = one["short"]
        mine = [[(at, known[gpu, line, shape]) for at, shape in points if (gpu, line, shape) in known]
                for line, points in lines.items()]
        drawn += [[row(at, y, of) for at, y in points] for points in mine]
        if any(mine):
            ends.append(Label(gpu, of, *[points for points in mine if points][-1][-1]))
    top = nice_ceiling(1.04 * max(max(known.values()), 1.1))
    data = Data()
    data.block("lines", runs(drawn))
    data.block("labels", place_labels(ends, x + 0.4, 1.2 * gap * top, 0.02 * top, 0.98 * top))
    data.block("ticks", ticks)
    data.scale(top, x)
    return data


def gpus_sgemm(db, part, gap, files):
    return lay_out(part, "sgemm", gap, files)


def gpus_tensorcore(db, part, gap, files):
    return lay_out(part, "tensorcore", gap, files)


def gpus_gemv(db, part, gap, files):
    return lay_out(part, "gemv", gap, files)


def gpus_knn(db, part, gap, files):
    return lay_out(part, "knn", gap, files)


FIGURES = {"sgemm": gpus_sgemm, "tensorcore": gpus_tensorcore, "gemv": gpus_gemv, "knn": gpus_knn}

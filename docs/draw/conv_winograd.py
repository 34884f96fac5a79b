"""Step 9, winograd: a tile and its four windows, the transforms' matrices, and the words that the kernels move."""

import re

from _kernel import Kernel
from _svg import Drawing

FRACTIONS = {0.5: "½", -0.5: "-½"}


def transform(kernel, name, inputs, outputs):
    """The matrix of one dimension of a transform: its statements, done with each unit vector."""
    found = kernel.must_have(name, re.search(name + r"\([^)]*\) \{(.*?)\n\}", kernel.text, re.DOTALL))
    columns = []
    for one in range(inputs):
        data = [float(i == one) for i in range(max(inputs, outputs))]
        names = {"g": data, "d": data, "m": data, "to": [0.0] * outputs, "step": 1}
        for line in found[1].replace("float ", "").replace("f *", " *").split(";"):
            for statement in line.split(", ") if " = " in line else [line]:
                exec(statement.strip(), {}, names)  # our own source
        columns.append(names["to"] if "to[" in found[1] else data[:outputs])
    return list(zip(*columns))


def number(x):
    return FRACTIONS.get(x, f"{x:g}")


def draw_conv_winograd(sources):
    kernel = Kernel(sources, "step09_conv/winograd.cu")
    matrices = [("Bᵀ: pixels", transform(kernel, "transform_pixels", 4, 4), "soft-a"),
                ("G: taps", transform(kernel, "transform_taps", 3, 4), "soft-b"),
                ("Aᵀ: back", transform(kernel, "transform_back", 4, 2), "soft-c")]
    size = kernel.value("SIZE")
    windows = [[sum(0 <= i - p < 3 and 0 <= j - q < 3 for p in (0, 1) for q in (0, 1)) for j in range(4)]
               for i in range(4)]
    direct = sum(map(sum, windows))
    d = Drawing(f"A tile of 4 x 4 pixels and the windows of 3 x 3 of its 2 x 2 places: {direct} products. Transformed, "
                f"the tile and the filter have {size} elements each: {size} products. The matrices: " + "; ".join(
                    f"{name} " + ", ".join(" ".join(map(number, row)) for row in matrix)
                    for name, matrix, _ in matrices) + ".")
    d.text(10, 18, "A tile: 4 × 4 pixels, 2 × 2 places", "title")
    d.text(10, 33, "in each pixel: how many of the tile's four windows hold it", "note")
    cell, left, top = 24, 10, 44
    for i in range(6):
        for j in range(6):
            inside = i < 4 and j < 4
            d.label(left + j * cell, top + i * cell, cell - 1, cell - 1, windows[i][j] if inside else "",
                    {4: "a", 2: "soft-a", 1: "soft-d"}[windows[i][j]] if inside else "cell")
    d.box(left - 1, top - 1, 4 * cell + 1, 4 * cell + 1, "frame", 2)
    d.box(left + 2 * cell - 1, top - 1, 4 * cell + 1, 4 * cell + 1, "clash", 2)
    d.lines(left + 6 * cell + 14, top + 14, (
        f"Four windows: {direct} products.", f"Transformed: {size}, one for each",
        f"element. {direct} / {size} = {direct / size:g}.", "", "Framed orange: the next tile,",
        "two pixels on. Tiles overlap,", "so most pixels are in four."), 16)
    top += 6 * cell + 24
    d.text(10, top, "One dimension of each transform", "title")
    left = 10
    for name, matrix, style in matrices:
        d.text(left, top + 18, name)
        for i, row in enumerate(matrix):
            for j, x in enumerate(row):
                d.label(left + j * cell, top + 26 + i * cell, cell - 1, cell - 1, number(x), style if x else "cell",
                        "" if x else "note")
        left += (len(matrix[0]) + 1) * cell + 12
    d.text(10, top + 142, "A row of Bᵀ adds two numbers, one of G or Aᵀ up to three.", "note")
    return d.svg()


def draw_conv_words(sources):
    kernel = Kernel(sources, "step09_conv/winograd.cu")
    each = kernel.value("SIZE") // 4  # of a tile's elements to its places
    kernels = [("winograd_pixels", 1, each), ("winograd_products", each, each), ("winograd_places", each, 1)]
    total = sum(reads + writes for _, reads, writes in kernels)
    d = Drawing("Words that the kernels read and write for one pixel of x and one place of y. " + " ".join(
        f"{name}: {reads} and {writes}." for name, reads, writes in kernels) + f" Together {total}; a kernel "
        "that writes nothing between moves 2.")
    d.text(10, 18, "Words read and written, for a pixel and a place", "title")
    d.text(10, 33, "as many filters as channels; f is small", "note")
    unit, top = 19, 46
    for name, reads, writes in [*kernels, ("implicit", 1, 1)]:
        d.text(10, top + 14, name)
        for i in range(reads + writes):
            d.box(150 + i * unit, top, unit - 2, 18, "a" if i < reads else "b")
        d.text(156 + (reads + writes) * unit, top + 14, reads + writes)
        top += 26
    d.key(top + 12, (10, "a", "read"), (70, "b", "written"))
    d.text(150, top + 12, f"winograd together {total}, implicit 2", "note")
    return d.svg()

"""The tiles of A, B and C that a block of tile32 works on, and what one thread copies and reads."""

from _kernel import Kernel
from _svg import Drawing


def draw_tiles(sources):
    kernel = Kernel(sources, "step02_smem/tile32.cu")
    tile = kernel.value("TILE")
    x, y = 3, 1  # the thread that is shown
    a_copy = kernel.index("As[y][x] =", "As", x=x, y=y)
    b_copy = kernel.index("Bs[y][x] =", "Bs", x=x, y=y)
    a_read = [kernel.index("acc +=", "As", x=x, y=y, k=k) for k in range(tile)]
    b_read = [kernel.index("acc +=", "Bs", x=x, y=y, k=k) for k in range(tile)]
    kernel.must_have("threads that read a row of As and a column of Bs",
                     len({row for row, _ in a_read}) == len({col for _, col in b_read}) == 1)
    d = Drawing(f"Matrices A, B and C with the {tile} × {tile} tiles of one block. The tile of A moves right and the "
                f"tile of B moves down along k, the tile of C stays. Thread ({x}, {y}) copies one word of each tile, "
                f"and reads a row of A's and a column of B's.")
    unit = 17  # a tile in the small picture
    left, top, mats = 132, 20, 6
    below = top + mats * unit + 16
    # A matrix: where it is, and the columns and rows of tiles that the block passes; the second one is the current one.
    for name, at, up, columns, rows in (("A", 10, below, range(mats), [2]), ("B", left, top, [3], range(mats)),
                                        ("C", left, below, [3], [2])):
        d.box(at, up, mats * unit, mats * unit, "cell", 2)
        d.text(at + 4, up + mats * unit - 5, name, "title")
        for number, (column, row) in enumerate((column, row) for column in columns for row in rows):
            now = name == "C" or number == 1
            d.box(at + column * unit + 0.5, up + row * unit + 0.5, unit - 1, unit - 1,
                  name.lower() if now else f"soft-{name.lower()}", 1)
    d.line(10 + 2.2 * unit, below + 2.5 * unit, 10 + 5.6 * unit, below + 2.5 * unit, True)
    d.line(left + 3.5 * unit, top + 2.2 * unit, left + 3.5 * unit, top + 5.6 * unit, True)
    d.lines(10, 32, ("the loop over k:", "A's tile moves right,", "B's tile moves down,", "C's tile stays."), style="")
    size = 128
    cell = size / tile
    for name, at, up, style, copied, read in (("As", 260, 26, "a", a_copy, a_read),
                                              ("Bs", 260, 178, "b", b_copy, b_read)):
        d.text(at, up - 6, f"{name}, {tile} × {tile} words", "note")
        d.box(at, up, size, size, "cell", 0)
        for row, col in read:
            d.box(at + col * cell, up + row * cell, cell, cell, f"soft-{style}", 0)
        for line in range(1, tile):
            d.line(at + line * cell, up, at + line * cell, up + size, style="thin")
            d.line(at, up + line * cell, at + size, up + line * cell, style="thin")
        d.box(at + copied[1] * cell, up + copied[0] * cell, cell, cell, style, 0)
    d.lines(10, 262, ("Right: shared memory, as", f"thread x = {x}, y = {y} sees it.", "Strong: the word it copies.",
                      "Pale: the words it reads."))
    return d.svg()

"""The banks of the eight rows that ldmatrix reads at once, plain and XORed, and the 128-byte swizzle of a TMA box."""

import re

from _kernel import Kernel, wavefronts
from _svg import Drawing


def place_in(kernel):
    """The expression of place(row, chunk), in numbers of 2 bytes."""
    found = re.search(r"int place\(int row, int chunk\) \{\s*return (.*?);", kernel.text)
    return found[1] if found else kernel.refuse("a function place")


def words(kernel, place, chunk, width):
    """The four words that each of eight lanes names: row `lane`, chunk `chunk` of rows of `width` numbers."""
    found = {}
    for row in range(8):
        first = (row * width + kernel.compute(place, row=row, chunk=chunk)) // 2
        found[row] = list(range(first, first + 4))
    return found


def banks(sources):
    d = Drawing("Chunk 0 of rows 0 to 7 in shared memory. In ldmatrix, rows of 64 bytes as they are, the eight rows "
                "fall into two groups of four banks: four wavefronts. In swizzle, XORed, into eight groups: "
                "one wavefront.")
    d.text(10, 18, "Eight lanes name chunk 0 of rows 0 to 7.", "note")
    d.text(10, 33, "A box is four banks; the number is the row that lies there.", "note")
    top, wide = 44, 44.5
    for name, place in (("ldmatrix", "chunk * 8"), ("swizzle", None)):
        kernel = Kernel(sources, f"step06_tensorcore/b_ldmatrix/{name}.cu")
        waves = wavefronts(words(kernel, place or place_in(kernel), 0, kernel.value("BK")), 8)
        d.text(10, top + 14, f"{name}: {len(waves)} wavefront{'s' * (len(waves) > 1)}", "title")
        for number, wave in enumerate(waves):
            for group in range(8):
                rows = {lane for bank in range(4 * group, 4 * group + 4) if bank in wave for lane in wave[bank][1]}
                d.label(22 + group * wide, top + 22 + number * 26, wide - 2, 22, ", ".join(map(str, sorted(rows))),
                        "a" if rows else "cell", "on" if rows else "")
        if len(waves) > 1:
            d.box(18, top + 18, 8 * wide + 6, len(waves) * 26 + 4, "clash", 4)
        top += 22 + len(waves) * 26 + 14
    for group in range(8):
        d.text(22 + group * wide, top, f"{4 * group}–{4 * group + 3}", "note")
    d.text(10, top + 16, "banks", "note")
    return d.svg()


def table(sources):
    kernel = Kernel(sources, "step06_tensorcore/b_ldmatrix/swizzle.cu")
    place, across = place_in(kernel), kernel.value("BK") // 8
    d = Drawing("Where swizzle puts the chunks of rows 0 to 7: two rows of 64 bytes fill the 32 banks, and chunk c of "
                "row r stands where chunk c XOR r / 2 mod 4 would be. Chunk 0 of the eight rows stands in eight "
                "different columns.")
    d.text(10, 18, "The chunks of rows 0 to 7: two rows fill the banks.", "note")
    for row in range(8):
        for chunk in range(across):
            column = row % 2 * across + kernel.compute(place, row=row, chunk=chunk) // 8
            d.label(60 + column * 41, 46 + row // 2 * 28, 39, 25, f"{row}.{chunk}", "a" if chunk == 0 else "cell",
                    "on" if chunk == 0 else "")
    for line in range(4):
        d.text(52, 62 + line * 28, f"{2 * line}, {2 * line + 1}", "note", "end")
    for column in range(8):
        d.text(60 + column * 41, 40, f"{4 * column}–{4 * column + 3}", "tiny")
    d.text(10, 40, "rows", "note")
    d.text(10, 176, "row.chunk; blue: chunk 0, which one ldmatrix reads", "note")
    return d.svg()


def box(sources):
    """The 128-byte swizzle, and the four steps of 32 bytes that wgmma takes."""
    kernel = Kernel(sources, "step06_tensorcore/d_hopper/tma.cu")
    place, chunks = place_in(kernel), kernel.value("BK") // 8
    d = Drawing("Eight rows of a TMA box, 128 bytes each: chunk c of row r stands where chunk c XOR r would be. wgmma "
                "takes 32 bytes of K at a time, two chunks a row, wherever the swizzle put them; eight rows are 1024 "
                "bytes.")
    d.text(10, 18, "Eight rows of a box, 64 k each; a cell: a chunk of 8 k.", "note")
    for row in range(8):
        for chunk in range(chunks):
            column = kernel.compute(place, row=row, chunk=chunk) // 8
            d.label(60 + column * 41, 36 + row * 24, 39, 22, chunk, "soft-" + "abcd"[chunk // 2])
        d.text(52, 51 + row * 24, f"row {row}", "note", "end")
    for step in range(kernel.value("STEPS")):
        d.box(60 + step * 82, 240, 12, 12, "soft-" + "abcd"[step])
        d.text(76 + step * 82, 250, f"k {16 * step}–{16 * step + 15}", "note")
    d.text(10, 276, "Descriptor: address / 16; stride to the next 8 rows,", "note")
    d.text(10, 291, "1024 / 16; swizzle of 128 bytes. Next 16 k: + 32 bytes.", "note")
    return d.svg()


def draw(sources):
    return {"xor_banks": banks(sources), "xor": table(sources), "box": box(sources)}

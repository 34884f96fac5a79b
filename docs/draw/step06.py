"""Step 6: the levels from device to instruction; who holds what of m8n8k16, m16n8k16 and wgmma, the rows that the
lanes of ldmatrix name and their banks,
plain and XORed, warp tiles, the 128-byte swizzle of a TMA box, and FP32 as two TF32."""

import re
import struct

from _kernel import Kernel, wavefronts
from _svg import Drawing

NUMBER = 1.1  # the one that is split


def held(kernel, line, array, registers, **given):
    """{(row, first number of the word): (lane, register)} of one fragment."""
    found = {}
    for lane in range(32):
        for r in range(registers):
            row, column = kernel.index(line, array, r=r, g=lane // 4, t=lane % 4, k=0, **given)
            found[row, column] = lane, r
    return found


def grid(d, x, y, words, rows, columns, name, transposed=False):
    """A matrix of words, two numbers each, with their lanes; its registers in colours."""
    wide, high = 17, 13
    for (row, column), (lane, r) in words.items():
        down, right = (column // 2, row) if transposed else (row, column // 2)
        assert 0 <= down < rows and 0 <= right < columns
        d.box(x + right * wide, y + down * high, wide - 1, high - 1, "soft-" + "abcd"[r])
        d.text(x + right * wide + wide / 2, y + down * high + 9.5, lane, "tiny", "middle")
    d.text(x, y - 5, name)
    return y + rows * high


def draw_fragments(sources):
    kernel = Kernel(sources, "step06_tensorcore/a_mma/mma_sync.cu")
    a = held(kernel, "a_frag[i][r] =", "a", 4, wm=0, i=0)
    b = held(kernel, "b_frag[j][r] =", "b", 2, wn=0, j=0)
    c = {}
    for lane in range(32):
        row = kernel.compute("row0 + wm + i * 16 + g", row0=0, wm=0, i=0, g=lane // 4)
        column = kernel.compute("col0 + wn + j * 8 + t * 2", col0=0, wn=0, j=0, t=lane % 4)
        kernel.line("store_pair(p, row + 8, col, c_frag[i][j][2], c_frag[i][j][3]);")
        c[row, column], c[row + 8, column] = (lane, 0), (lane, 1)
    kernel.must_have("fragments that cover A, B and C once", [*map(len, (a, b, c))] == [128, 64, 64])
    d = Drawing("The fragments of mma.m16n8k16: which lane holds which word of A, 16 rows, of B, 8 columns, both of 16 "
                "values of k, and of C, 16 by 8. Lane 4g + t has row g, or column g, and of it word t.")
    d.text(10, 18, "A box: one register, two numbers. In it: the lane.", "note")
    grid(d, 250, 46, b, 8, 8, "B: k 0–15 × 8 columns", True)
    end = grid(d, 40, 186, a, 16, 8, "A: 16 rows × k 0–15")
    grid(d, 250, 186, c, 16, 4, "C: 16 rows × 8 columns")
    for r, text in enumerate(("register 0", "register 1", "register 2", "register 3")):
        d.box(40, 46 + r * 17, 12, 12, "soft-" + "abcd"[r])
        d.text(58, 56 + r * 17, text + (" (of C: 0 and 1)", " (of C: 2 and 3)", "", "")[r], "note")
    d.text(10, end + 16, "A row by row, B column by column: both are indexed alike.", "note")
    return d.svg()


def draw_ldmatrix(sources):
    kernel = Kernel(sources, "step06_tensorcore/b_ldmatrix/ldmatrix.cu")
    line = kernel.line("int row = wm + i * 16")
    row_of, chunk_of = (part.split("=", 1)[1].strip(" ;") for part in line.strip().removeprefix("int ").split(", "))
    d = Drawing("ldmatrix.x4 of 16 rows of 16 values of k. Lanes 0 to 15 name the left halves of rows 0 to 15, lanes "
                "16 to 31 the right halves; each quarter is one 8 by 8 matrix and becomes one register.")
    d.text(10, 18, "ldmatrix.x4: each lane names one row of 16 bytes.", "note")
    names = {}
    for lane in range(32):
        row, chunk = kernel.compute(row_of, wm=0, i=0, lane=lane), kernel.compute(chunk_of, k=0, lane=lane)
        names[row, chunk] = lane
    for (row, chunk), lane in names.items():
        matrix = lane // 8
        d.label(60 + chunk * 142, 42 + row * 15 + row // 8 * 8, 138, 14, f"lane {lane}", "soft-" + "abcd"[matrix])
    for row in (0, 7, 8, 15):
        d.text(50, 53 + row * 15 + row // 8 * 8, row, "note", "end")
    d.text(60, 36, "bytes 0–15", "note")
    d.text(202, 36, "bytes 16–31", "note")
    d.text(10, 318, "Lane 4g + t receives word t of row g of each matrix:", "note")
    d.text(10, 333, "blue r[0], orange r[1], green r[2], violet r[3].", "note")
    return d.svg()


def draw_fragments_s8(sources):
    """mma.m8n8k16 of bytes: a word is four k of a row of A or of a column of B, or one sum."""
    kernel = Kernel(sources, "step06_tensorcore/a_mma/mma_s8_tile.cu")
    a, b, c = {}, {}, {}
    for lane in range(32):
        where = {"threadIdx_x": lane, "blockIdx_x": 0, "tiles_n": 1}
        for words, line in ((a, "*a = gemm_at("), (b, "*b = gemm_at(")):
            row, first = (kernel.compute(one, **where) for one in kernel.arguments(line, "gemm_at")[2:])
            words[row, first // 4] = lane
        for i in range(2):
            row, column = (kernel.compute(one, i=i, **where) for one
                           in kernel.arguments("*c = gemm_at(", "gemm_at")[2:])
            c[row, column] = lane
    kernel.must_have("fragments that cover A, B and C once", [*map(len, (a, b, c))] == [32, 32, 64])
    d = Drawing("mma.m8n8k16 of bytes: which lane holds which word of A, 8 rows, of B, 8 columns, both of 16 values "
                "of k, and which of the 8 by 8 sums. Lane 4g + t has row g of A, column g of B, of both the k from 4t "
                "on, and sums 2t, 2t + 1 of row g.")
    d.text(10, 18, "In a box: the lane. Lanes 0 to 3 stand out.", "note")

    def matrix(x, y, wide, words, name):
        d.text(x, y - 5, name)
        for (row, column), lane in words.items():
            d.label(x + column * wide, y + row * 17, wide - 1.5, 15.5, lane, "a" if lane < 4 else "cell", "tiny")
    matrix(190, 50, 24, {(k, column): lane for (column, k), lane in b.items()}, "B: k 0–15 × 8 columns")
    matrix(40, 146, 34, a, "A: 8 rows × k 0–15")
    matrix(190, 146, 24, c, "C: 8 × 8, 32 bits each")
    d.text(40, 304, "A box of A or B: four k, 4 bytes, a register.", "note")
    return d.svg()


def draw_warp_tiles_step06(sources):
    d = Drawing("A block of 128 by 128 divided among warps. stages: eight warps of 64 by 32. warp_64x64: four of 64 by "
                "64. For 16 values of k a warp loads its rows of A and its columns of B.")
    d.text(10, 18, "A block's 128 × 128 of C; a box: a warp's part.", "note")
    for n, name in enumerate(("stages", "warp_64x64")):
        kernel = Kernel(sources, f"step06_tensorcore/c_ring/{name}.cu")
        wm, wn, side, warps = (kernel.value(one) for one in ("WM", "WN", "BM", "THREADS"))
        x, y, unit = 34 + n * 196, 84, 152 / side
        d.text(x - 24, 44, name, "title")
        for warp in range(warps // 32):
            row = kernel.compute("wm", warp=warp)
            column = kernel.compute("wn", warp=warp)
            d.label(x + column * unit, y + row * unit, wn * unit - 2, wm * unit - 2, warp, "cell" if warp else "soft-c")
        d.label(x, y - 20, wn * unit - 2, 16, f"B: {wn}", "soft-b", "tiny")
        d.box(x - 20, y, 16, wm * unit - 2, "soft-a")
        d.text(x - 20, y + wm * unit + 10, f"A: {wm}", "tiny")
        loads, products = wm // 16 + wn // 16, wm // 16 * (wn // 8)
        d.text(x - 24, y + 178, f"{loads} ldmatrix, {products} products:")
        d.text(x - 24, y + 194, f"{4 * loads} wavefronts, {4 * loads / products:g} each")
    return d.svg()


def draw_wgmma_sums(sources):
    """Who holds the sums of wgmma's 64 rows."""
    kernel = Kernel(sources, "step06_tensorcore/d_hopper/wgmma.cu")
    epilogue = Kernel(sources, "step06_tensorcore/sums.cuh")
    epilogue.line("store_pair(p, row + 8, col + 8 * j, d[4 * j + 2], d[4 * j + 3]);")
    across = epilogue.compute(epilogue.arguments("store_pair(p, row, col", "store_pair")[2], col=0, j=1)
    held = {}
    for thread in range(128):
        row, column = (kernel.compute(name, threadIdx_x=thread, row0=0, col0=0) for name in ("row", "col"))
        for down in (0, 8):
            held[row + down, column] = thread
    kernel.must_have("sums of 64 rows, each held once", len(held) == 64 * across // 2)
    d = Drawing(f"The sums of one wgmma, 64 rows: warp w of the warpgroup has rows 16w to 16w + 15, and in every "
                f"{across} columns lane 4g + t has columns 2t and 2t + 1 of rows g and g + 8, as with mma.sync.")
    d.text(10, 18, "The sums of one wgmma: 64 rows, N columns.", "note")
    for warp in range(4):
        rows = sorted(row for (row, _), thread in held.items() if thread // 32 == warp)
        y = 40 + warp * 52
        d.text(10, y + 22, f"warp {warp}")
        d.text(10, y + 36, f"rows {rows[0]}–{rows[-1]}", "tiny")
        for strip in range(5):
            d.box(70 + strip * 25, y, 24, 49, "soft-" + "abcd"[warp])
    d.text(70, 264, f"a strip: {across} columns", "note")
    d.box(94, 91, 26, 51, "frame")
    d.line(122, 116, 203, 116, True)
    d.text(206, 34, f"a strip of warp 1: 16 × {across}")
    for (row, column), thread in held.items():
        if thread // 32 == 1:
            y = 40 + row % 16 * 13
            d.box(206 + column * 20, y, 39, 12, "soft-b" if row % 16 < 8 else "cell")
            d.text(206 + column * 20 + 19.5, y + 9.5, f"lane {thread % 32}", "tiny", "middle")
    d.text(206, 264, "a box: two sums", "note")
    return d.svg()


def words(kernel, place, chunk, width):
    """The four words that each of eight lanes names: row `lane`, chunk `chunk` of rows of `width` numbers."""
    found = {}
    for row in range(8):
        first = (row * width + kernel.compute(place, row=row, chunk=chunk)) // 2
        found[row] = list(range(first, first + 4))
    return found


def draw_xor_banks(sources):
    d = Drawing("Chunk 0 of rows 0 to 7 in shared memory. In ldmatrix, rows of 64 bytes as they are, the eight rows "
                "fall into two groups of four banks: four wavefronts. In swizzle, XORed, into eight groups: "
                "one wavefront.")
    d.text(10, 18, "Eight lanes name chunk 0 of rows 0 to 7.", "note")
    d.text(10, 33, "A box is four banks; the number is the row that lies there.", "note")
    top, wide = 44, 44.5
    for name, place in (("ldmatrix", "chunk * 8"), ("swizzle", None)):
        kernel = Kernel(sources, f"step06_tensorcore/b_ldmatrix/{name}.cu")
        waves = wavefronts(words(kernel, place or kernel.returned("place"), 0, kernel.value("BK")), 8)
        d.text(10, top + 14, f"{name}: {len(waves)} wavefront{'s' * (len(waves) > 1)}", "title")
        d.banks(top + 22, waves, 26)
        top += 22 + len(waves) * 26 + 14
    for group in range(8):
        d.text(22 + group * wide, top, f"{4 * group}–{4 * group + 3}", "note")
    d.text(10, top + 16, "banks", "note")
    return d.svg()


def places(d, kernel, top, chunks, styles):
    """The chunks of rows 0 to 7 as they stand in the banks, 128 bytes a line, with styles[chunk]; where that ends."""
    place, high = kernel.returned("place"), 25
    for row in range(8):
        for chunk in range(chunks):
            at = row * chunks + kernel.compute(place, row=row, chunk=chunk) // 8
            d.label(60 + at % 8 * 41, top + at // 8 * (high + 3), 39, high, f"{row}.{chunk}", styles[chunk])
    for line in range(chunks):
        rows = f"{2 * line}, {2 * line + 1}" if chunks == 4 else line
        d.text(52, top + 16 + line * (high + 3), rows, "note", "end")
    for column in range(8):
        d.text(60 + column * 41, top - 6, f"{4 * column}–{4 * column + 3}", "tiny")
    d.text(10, top - 6, "rows", "note")
    return top + chunks * (high + 3)


def draw_xor(sources):
    kernel = Kernel(sources, "step06_tensorcore/b_ldmatrix/swizzle.cu")
    d = Drawing("Where swizzle puts the chunks of rows 0 to 7: two rows of 64 bytes fill the 32 banks, and chunk c of "
                "row r stands where chunk c XOR r / 2 mod 4 would be. Chunk 0 of the eight rows stands in eight "
                "different columns.")
    d.text(10, 18, "The chunks of rows 0 to 7: two rows fill the banks.", "note")
    end = places(d, kernel, 46, kernel.value("BK") // 8, ["a"] + 3 * ["cell"])
    d.text(10, end + 18, "row.chunk; blue: chunk 0, which one ldmatrix reads", "note")
    return d.svg()


def draw_deep_tile(sources):
    """Tiles of 32 and of 64 values of k: what one copy of a warp takes, and where the chunks of the deeper lie."""
    kernel, last = Kernel(sources, "step06_tensorcore/c_ring/stages.cu"), 40  # K of the last tile that is drawn
    d = Drawing("What a warp copies with one instruction: of rows of 64 bytes eight half lines, of rows of 128 bytes "
                "four whole ones. And where stages puts the chunks of rows 0 to 7: each row fills the 32 banks, "
                f"chunk c of row r stands where chunk c XOR r would be. Where K ends at {last}, chunks {last // 8} to "
                "7 are zeros.")
    d.text(10, 18, "A warp's copy: 32 chunks of 16 bytes. A line: 128 bytes.", "note")
    for n, bk in enumerate((32, kernel.value("BK"))):
        across, x = bk // 8, 10 + n * 200
        d.text(x, 40, f"{2 * bk}-byte rows: {32 // across} lines", "title")
        for row in range(32 // across):
            for chunk in range(8):
                d.box(x + chunk * 22, 48 + row * 13, 20.5, 11, "soft-c" if chunk < across else "cell", 1)
    d.text(10, 180, "The tile in shared memory: one row fills the banks.", "title")
    end = places(d, kernel, 210, kernel.value("BK") // 8, ["a"] + (last // 8 - 1) * ["cell"] + (8 - last // 8) * [
        "soft-b"])
    d.text(10, end + 14, "row.chunk; blue: chunk 0, which one ldmatrix reads;", "note")
    d.text(10, end + 29, f"orange: zeros, where only {last} values of k are left", "note")
    return d.svg()


def draw_box(sources):
    """The 128-byte swizzle, and the four steps of 32 bytes that wgmma takes."""
    kernel = Kernel(sources, "step06_tensorcore/d_hopper/tma.cu")
    place, chunks = kernel.returned("place"), kernel.value("BK") // 8
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


def bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def number(word):
    return struct.unpack("<f", struct.pack("<I", word & 0xffffffff))[0]


def draw_split(sources):
    kernel = Kernel(sources, "step06_tensorcore/f_tf32x3/three_products.cu")
    found = kernel.must_have("to_tf32", re.search(r"__float_as_uint\(x\) \+ (0x\w+?)u\) & (0x\w+?)u", kernel.text))
    add, mask = int(found[1], 16), int(found[2], 16)
    a = number(bits(NUMBER))
    big = number(bits(a) + add & mask)
    small = number(bits(a - big) + add & mask)
    rest = a - big - small
    d = Drawing(f"The 23 bits of mantissa of {NUMBER}: big keeps the upper ten, rounded; small is the difference, "
                f"rounded to TF32; what is left is {abs(rest) / a:.1e} of the number. Of a product big times big holds "
                f"the first 22 bits, big times small and small times big those from the 12th on; small times small "
                f"begins at the 23rd, FP32 keeps 24.")
    d.text(10, 18, f"a = {NUMBER}, in FP32. The mantissa's bits:", "note")
    for line, (name, x) in enumerate((("a", a), ("big", big), ("|small|", abs(small)))):
        y = 34 + line * 44
        exponent = (bits(x) >> 23 & 255) - 127
        d.text(10, y + 17, name, "title")
        mantissa = [1] + [bits(x) >> 22 - n & 1 for n in range(23)]
        for n, bit in enumerate(mantissa):
            column = n - exponent + ((bits(a) >> 23 & 255) - 127)
            if column < 25 and (name == "a" or n <= 10):
                d.label(72 + column * 12.6, y, 11.6, 26, bit, "soft-" + {"a": "c", "big": "a"}.get(name, "b"))
    d.text(10, 176, f"a = big {'+' if small > 0 else '−'} |small|; lost: {abs(rest) / a:.0e} of a.", "note")
    d.text(10, 208, "a · b, from its first bit on: what the products hold.", "note")
    parts = (("big · big", 0, "a"), ("big · small", 11, "soft-a"), ("small · big", 11, "soft-b"),
             ("small · small", 22, "cell"), ("FP32 keeps", 0, "soft-c"))
    for line, (name, first, style) in enumerate(parts):
        last = 24 if name == "FP32 keeps" else min(first + 22, 25)  # two factors of 11 bits; drawn up to bit 25
        d.text(10, 231 + line * 22, name)
        d.box(96 + first * 11.6, 218 + line * 22, (last - first) * 11.6, 17, style)
    d.text(10, 342, "Left out: small · small, at the last bits of FP32.", "note")
    return d.svg()


def draw_levels(sources):
    path = "step06_tensorcore/c_ring/rasterized.cu"
    kernel, lines = Kernel(sources, path), sources.text(path).split("\n")
    bm, bn, bk, wm, wn, stages = (kernel.value(name) for name in ("BM", "BN", "BK", "WM", "WN", "STAGES"))
    products = wm // 16 * (wn // 8)
    rows = (  # level, where its operands are, what it has, its icon: (rows, columns, their sizes, the one that stands
        # out, its style), the operations for a byte, the line
        ("device", "global memory, L2", f"C in blocks of {bm} × {bn}", (8, 8, 8, 8, (2, 3), "a"),
         f"{4096 / 3:.0f} (4096³)", "int2 tile = gemm_rasterize("),
        ("block", "shared memory", f"{bm // wm * (bn // wn)} warps; a ring of {stages} tiles, {bk} values of k",
         (2, 2, 32, 32, (0, 1), "b"), f"{bm * bn / (bm + bn):.0f}", "request(p, from, (t0 + ahead)"),
        ("warp", "registers", f"{wm} × {wn} of C; {products} products for 16 of k",
         (wm // 16, wn // 8, 8, 16, (1, 5), "c"), f"{wm * wn / (wm + wn):.0f}", "load_fragments(ring[(at"),
        ("instruction", "tensor core", "16 × 8 of C over 16 values of k", (1, 1, 64, 32, (0, 0), "c"),
         f"{2 * 16 * 8 * 16 / 768:.1f}", "mma_m16n8k16_f16("))
    kernel.must_have("the lines of the four levels", all(any(row[5] in line for line in lines) for row in rows))
    d = Drawing("From global memory to the tensor core, four levels. The device's blocks share C, a block's warps a "
                "tile in shared memory, a warp's registers hold fragments, an instruction multiplies two of them. "
                "Beside each level the line of rasterized.cu that moves its data.")
    for place, (level, memory, what, (*icon, one, style), intensity, line) in enumerate(rows):
        y = 14 + place * 92
        d.grid(10, y, *icon, lambda row, column, one=one, style=style: style if (row, column) == one else "cell")
        number = next(n for n, text in enumerate(lines, 1) if line in text)
        d.text(88, y + 10, f"{level}: {memory}", "title")
        d.text(88, y + 28, what)
        d.text(88, y + 45, f"operations for each byte loaded: {intensity}", "note")
        d.text(88, y + 62, f"line {number}: {line}…", "mono")
        if place < 3:
            d.line(42, y + 67, 42, y + 89, arrow=True)
    return d.svg()

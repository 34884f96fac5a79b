"""Step 6 on Hopper: how wgmma's matrices lie in shared memory, who multiplies what of a cooperative pair, and what
stmatrix lays down for a store by TMA."""

import re

from _kernel import Kernel
from _svg import Drawing

ROW, CHUNK, PATTERN = 128, 16, 8  # bytes of the banks, of a chunk; rows of a core matrix


def swizzled(address, width):
    """Where the byte `address` of a box with rows of `width` bytes stands (PTX ISA, swizzling modes): as many bits from
    4 on as a row has chunks are XORed with those from 7 on."""
    return address ^ (address >> 7 & width // CHUNK - 1) << 4


def draw_swizzles(sources):
    kernel = Kernel(sources, "step06_tensorcore/d_hopper/tma.cu")
    place = kernel.returned("place")
    for row in range(PATTERN):  # the kernel's own formula is that of 128 bytes
        at = 2 * kernel.compute(place, row=row, chunk=0)
        kernel.must_have("the swizzle of 128 bytes", swizzled(row * ROW, ROW) % ROW == at)
    d = Drawing("Eight rows of a box with the swizzles of 32, 64 and 128 bytes, as they stand in shared memory, 128 "
                "bytes a line. Chunk c of row r is written r.c. With each of them chunk 0 of the eight rows falls "
                "into eight groups of four banks.")
    d.text(10, 18, "Shared memory, a line: all 32 banks. row.chunk of 16 bytes.", "note")
    top = 34
    for width in (32, 64, 128):
        banks = {swizzled(row * width, width) % ROW for row in range(PATTERN)}
        kernel.must_have("swizzles that meet all banks", len(banks) == ROW // CHUNK)
        d.text(10, top + 8, f"rows of {width} bytes: eight are {PATTERN * width} bytes", "title")
        top += 14
        for row in range(PATTERN):
            for chunk in range(width // CHUNK):
                at = swizzled(row * width + chunk * CHUNK, width)
                d.label(10 + at % ROW // CHUNK * 48, top + at // ROW * 20, 46, 18, f"{row}.{chunk}",
                        "a" if chunk == 0 else "cell", "tiny")
        top += PATTERN * width // ROW * 20 + 14
    return d.svg()


def draw_majors(sources):
    kernel = Kernel(sources, "step06_tensorcore/d_hopper/mn_major.cu")
    header = Kernel(sources, "common/ptx/wgmma.cuh")
    stride = int(re.search(r"wgmma_mn_major.*?\(uint64_t\)\((\d+) >> 4\) << 32", header.text, re.DOTALL)[1])
    box, bk = kernel.value("BOX"), kernel.value("BK")
    kernel.line("wgmma_mn_major(shared_address(now.b), sizeof now.b[0])")
    leading, step = 2 * box * bk, 16 * 2 * box
    d = Drawing(f"Two descriptors. K-major: rows of 64 k, eight of them a pattern of {stride} bytes, the stride leads "
                f"to the next eight rows, and the next 16 k are 32 bytes further. MN-major: rows of {box} columns for "
                f"one k, the stride of {stride} bytes leads to the next eight k, the leading offset of {leading} bytes "
                f"to the next {box} columns, and the next 16 k are {step} bytes further.")
    d.text(10, 18, "K-major. A row: 64 k of one row of A.", "title")
    for group in range(3):
        y = 28 + group * 34
        for part in range(4):
            d.label(120 + part * 46, y, 44, 30, f"k {16 * part}–", "soft-" + "abcd"[part], "tiny")
        d.text(112, y + 19, f"rows {8 * group}–{8 * group + 7}", "note", "end")
        d.text(312, y + 19, f"+ {group * stride}", "note")
    d.text(10, 144, f"Stride: {stride}, to the next 8 rows. Next colour: + 32 bytes.", "note")
    top = 166
    d.text(10, top, "MN-major. A row: 64 columns of one k.", "title")
    for group in range(4):
        y = top + 10 + group * 30
        d.text(62, y + 17, f"k {8 * group}–{8 * group + 7}", "note", "end")
        for other in range(2):
            d.label(70 + other * 160, y, 100, 26, f"n {box * other}–{box * other + box - 1}",
                    "soft-" + "ab"[group // 2], "tiny")
            d.text(174 + other * 160, y + 17, f"+ {other * leading + group * stride}", "tiny")
    d.text(10, top + 146, f"Stride: {stride}, to the next 8 k. Leading: {leading},", "note")
    d.text(10, top + 161, f"to the next {box} columns. Next colour: + {step} bytes.", "note")
    return d.svg()


def draw_cooperative(sources):
    kernel = Kernel(sources, "step06_tensorcore/e_persistent/cooperative.cu")
    count, bm, bn, consumers = (kernel.value(name) for name in ("CLUSTER", "BM", "BN", "CONSUMERS"))
    warp_rows = kernel.compute("consumer * 64", consumer=1)
    part = bn // count
    d = Drawing(f"A pair of blocks makes {count * bm} by {bn} of C. Each block loads its {bm} rows of A, and {part} "
                f"columns of B for both. Each of its {consumers} consumers multiplies {warp_rows} rows by all {bn} "
                f"columns.")
    d.text(10, 18, f"A pair: {count * bm} × {bn} of C. One tile of K:", "note")
    for rank in range(count):
        d.label(110 + rank * 138, 28, 136, 24, f"B {rank * part}–{rank * part + part - 1}, by block {rank}", "soft-" +
                "bd"[rank], "tiny")
        d.text(10, 72 + rank * 92, f"block {rank}")
        for consumer in range(consumers):
            first, y = rank * bm + consumer * warp_rows, 60 + rank * 92 + consumer * 42
            d.label(60, y, 46, 38, f"A {first}–", "soft-a", "tiny")
            d.label(110, y, 274, 38, f"consumer {consumer}: {warp_rows} × {bn}, {warp_rows * bn // 128} sums a thread")
    rows, both = bm + part, bm + bn
    d.text(10, 254, f"From L2: {rows} rows of 128 bytes for {bm} × {bn}, not {both}.", "note")
    return d.svg()


def draw_slab(sources):
    kernel = Kernel(sources, "step06_tensorcore/e_persistent/tma_store.cu")
    line = kernel.line("int r = lane % 16, chunk =")
    row_of, chunk_of = (one.split("=", 1)[1].strip(" ;") for one in line.strip().removeprefix("int ").split(", "))
    d = Drawing("A warp's slab, 16 rows of 64 columns, 128 bytes each. The first stmatrix stores columns 0 to 15: "
                "lane l names a row and a chunk, XORed with the row, so that eight lanes of a matrix meet all 32 "
                "banks.")
    d.text(10, 18, "A slab: 16 rows of 64 columns. First stmatrix: columns 0–15.", "note")
    d.text(10, 33, "In a box: the lane that names its address.", "note")
    named, r = {}, 0
    for lane in range(32):
        r = kernel.compute(row_of, lane=lane)
        named[r, kernel.compute(chunk_of, lane=lane, j=0, r=r)] = lane
    kernel.must_have("addresses that differ", len(named) == 32)
    for row in range(16):
        y = 44 + row * 16 + row // 8 * 6
        d.text(48, y + 11, row, "note", "end")
        for chunk in range(8):
            lane = named.get((row, chunk))
            d.label(56 + chunk * 41, y, 39, 14, "" if lane is None else lane,
                    "cell" if lane is None else "soft-" + "abcd"[lane // 8], "tiny")
    d.text(10, 324, "Blue, orange: left 8 columns; green, violet: right 8.", "note")
    return d.svg()

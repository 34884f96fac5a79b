"""Before you begin: the machine, with the sizes that the simulator knows of it and the latencies that were recorded,
and where the elements of docs/begin/product.cu's A lie in memory."""

import re

from _kernel import Kernel, multiprocessors, rows
from _svg import Drawing

from report.load import Mistake

GPU, KIB, MIB = "nvidia-h200", 1 << 10, 1 << 20


def size(count):
    unit, name = next(one for one in ((1 << 30, "GiB"), (MIB, "MiB"), (KIB, "KiB")) if count >= one[0])
    return f"{count / unit:.0f} {name}"


def attributes(sources):
    """What the device says of itself, from the simulator's table of devices: {name: number}."""
    text = sources.text("cudasim/src/base/device_model.c")
    here = text[text.index('.gpu = "H200"'):]
    found = re.findall(r"\.(\w+) = (\d+)(?:ull)?( \* KB)?[,}]", here[:here.index("}")])
    alike = re.findall(r"#define (\w+) +(\d+)u\n", sources.text("cudasim/src/base/device_model.h"))
    return {name: int(number) * (KIB if kib else 1) for name, number, kib in found} | {
        name.lower(): int(number) for name, number in alike}


def bytes_a_clock(sources, sms):
    """Memory: the bytes that an SM gets from there in a clock when all load, as recorded; nothing where none are."""
    try:
        limits = rows(sources, f"plots/data/{GPU}/limits.csv")
    except Mistake:
        return {"lds_128": "", "l1_128": "", "l2_read": "", "dram_read": ""}
    rates = {row["name"]: float(row["rate"]) / (1 if row["unit"] == "B/clk" else sms * float(row["clock_mhz"]) / 1e3)
             for row in limits if row["unit"] in ("B/clk", "GB/s")}
    return {name: f", {rate:.0f} B/clock" for name, rate in rates.items()}


def draw_machine(sources):
    has, sms = attributes(sources), multiprocessors(sources)
    waits = {row["memory"]: f"{float(row['clocks_median']):.0f} clocks"
             for row in rows(sources, f"plots/data/{GPU}/latency.csv")}
    rates = bytes_a_clock(sources, sms)
    warps = has["max_threads_per_sm"] // 32
    registers, shared = size(has["registers_per_sm"]), size(has["shared_per_sm"])  # of 4 bytes, for 4 schedulers
    l2, dram = size(has["l2_bytes"]), size(has["memory_bytes"])
    ghz = f"{has['clock_khz'] / 1e6:.2f} GHz"
    d = Drawing(f"An H200 has {sms} SMs of up to {ghz}. An SM has four schedulers, each with 32 FP32 lanes and "
                f"{registers} of registers, and one array of memory that is L1 and shared memory, up to {shared} of it "
                f"shared. All SMs share an L2 of {l2} and {dram} of DRAM. A load waits {waits['shared memory']} for "
                f"shared memory, {waits['L1']} for L1, {waits['L2']} for L2, {waits['DRAM, few pages']} for DRAM.")
    d.text(10, 18, "One SM (streaming multiprocessor), enlarged", "title")
    d.box(8, 26, 384, 196, "cell", 4)
    for number in range(4):
        left = 16 + number * 93
        d.label(left, 34, 89, 32, "scheduler", "a")
        d.label(left, 69, 89, 34, "", "soft-a")
        d.text(left + 44.5, 83, "registers", "", "middle")
        d.text(left + 44.5, 97, registers, "note", "middle")
        d.grid(left, 107, 2, 16, 5.6, 7, "b", round=0)
    d.text(16, 134, f"Each: up to {warps // 4} warps, of which it issues one", "note")
    d.text(16, 148, "instruction a clock to its 32 FP32 lanes", "note")
    d.box(16, 156, 368, 58, "soft-c")
    d.box(16, 156, 210, 58, "c")
    d.lines(24, 172, ("shared memory", f"up to {shared}", waits["shared memory"] + rates["lds_128"]), 16, "on")
    d.lines(234, 172, ("L1 cache", "rest of the array", waits["L1"] + rates["l1_128"]), 16, "")
    top, wide = 252, 384 / 44
    d.line(8, 222, 8, top)
    d.line(392, 222, 8 + wide, top)
    for one in range(sms):
        d.box(8 + one % 44 * wide, top + one // 44 * 10, wide - 1.5, 8, "a" if one == 0 else "cell", 0)
    below = top + -(-sms // 44) * 10
    d.text(200, below + 14, f"{sms} SMs, up to {ghz}", "title", "middle")
    d.line(200, below + 20, 200, below + 34, True)
    d.label(8, below + 36, 384, 30, f"L2 cache, shared by all: {l2}, {waits['L2']}{rates['l2_read']}", "soft-d")
    d.line(200, below + 67, 200, below + 81, True)
    d.label(8, below + 83, 384, 30, f"DRAM, global memory: {dram}, {waits['DRAM, few pages']}{rates['dram_read']}", "d")
    d.text(10, below + 130, "Clocks: how long a load waits for its word from there,", "note")
    d.text(10, below + 145, "when the machine has nothing else to do.", "note")
    if rates["l2_read"]:
        d.text(10, below + 160, "B/clock: the bytes that an SM gets in a clock when all load.", "note")
    return d.svg()


def draw_row_major(sources):
    kernel = Kernel(sources, "docs/begin/product.cu")
    rows, columns, ld = (int(re.search(rf"\b{name} = (\d+)", kernel.text)[1]) for name in ("m", "k", "lda"))
    at = kernel.subscripts("acc +=", "A")[0]
    word = {kernel.compute(at, row=row, i=i, lda=ld): (row, i) for row in range(rows) for i in range(columns)}
    d = Drawing(f"A is {rows} × {columns} with lda = {ld}. In memory its rows follow one another, {ld} words apart: "
                f"element (row, i) is word row · lda + i. The words between the rows do not belong to A.")
    styles, cell = ("a", "b", "c"), 24
    d.text(10, 18, f"A, {rows} × {columns}", "title")
    for (row, i) in word.values():
        d.label(10 + i * 44, 26 + row * 26, 42, 24, f"{row}, {i}", styles[row])
    d.lines(124, 44, (f"lda = {ld}: from the beginning of a row", f"to that of the next are {ld} words.",
                      "Element (row, i) is A[row*lda + i]."), 17, "")
    d.text(10, 124, "in memory, word by word", "title")
    for one in range(rows * ld):
        row, i = word.get(one, (None, None))
        x = 10 + one * (cell + 1.2)
        if row is None:
            d.box(x, 132, cell, 24)
        else:
            d.label(x, 132, cell, 24, f"{row},{i}", styles[row])
        d.text(x + cell / 2, 168, one, "tiny", "middle")
    d.text(10, 188, "Grey: between the rows, in memory but not part of A.", "note")
    return d.svg()

"""The main loop of one object's kernel, as a row of sass.csv, from what cuobjdump -res-usage and -sass print.

The kernel: of several instantiations the one for whole float4 (all of its own that is bool is true: Lb1E ends its
name, or Lb1ELb1E); of several of those the one that is named after the variant, and the first by name. The loop: from
the target of a backward branch to the last branch to it; of those that hold FFMAs and no other such loop, the one with
the most FFMAs. A kernel without one has its registers recorded and nothing else. `other` is what has no column of its
own, and also what never executes (@!PT): ptxas fills in LDS before LDGSTS so.

`ffma_reads`: the registers that its FFMAs read from the register file: their sources, but for those that the
instruction before marked `.reuse` in the same place. `ffma_conflicts`: FFMAs that so read three registers of one
parity, which takes another clock where the register file has two banks (Jia, Maggioni, Staiger, Scarpazza: Dissecting
the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018).
"""

import re

from report import schema
from report.load import Mistake
from report.record import csv_line, read_text

KINDS = [column.name for column in schema.COMMON["sass"]][4:-1]


def read_registers(path):
    """Registers by kernel."""
    registers, name = {}, None
    for line in read_text(path):
        function = re.match(r" *Function ([^ ]+?):?(?: |$)", line)
        count = re.search(r"REG:(\d+)", line)
        if function:
            name = function[1]
        elif count:
            registers[name] = int(count[1])
    return registers


def read_code(path):
    """Of each kernel its (address, instruction), in order."""
    kernels, name = {}, None
    for line in read_text(path):
        function = re.search(r"Function : (\S+)", line)
        instruction = re.match(r"[ \t]*/\*([0-9a-f]+)\*/[ \t]+([^;]*?)[ \t]*(?:;|$)", line)
        if function:
            name = function[1] if function[1] not in kernels else None  # code for another GPU
            if name:
                kernels[name] = []
        elif instruction and name:
            kernels[name].append((int(instruction[1], 16), instruction[2]))
    return kernels


def main_kernel(kernels, variant, what):
    vector = [name for name in kernels if re.search(r"(?<!Lb[01]E)(Lb1E)+Ev", name)]
    own = [name for name in vector if variant in name]
    for candidates in list(kernels), vector:
        if len(candidates) == 1:
            return candidates[0]
    if own:
        return min(own)
    raise Mistake(f"{what}: {len(kernels)} kernels, {len(vector)} of them with ILb1E in the name, not one")


def operation(text):
    """The instruction's name, .modifiers and all; "" for one that never executes."""
    if re.match(r"@!U?PT ", text):
        return ""
    return re.sub(r"[ ,].*", "", re.sub(r"^@!?U?P[0-9T]+ +", "", text))


def kind(text):
    op = operation(text)
    name = op.split(".")[0]
    if name == "LDS":
        return "lds128" if ".128" in op else "lds64" if ".64" in op else "lds32"
    return name.lower() if name in ("FFMA", "LDG", "LDGSTS", "STS", "BAR") else "other"


def sources(text):
    """[(register, whether it is marked .reuse)] of an instruction's sources, in their places; None where there is
    none."""
    found = [re.match(r"[-|~!]*(R\d+)((?:\.\w+)*)", part.strip()) for part in text.split(",")[1:]]
    return [one and (one[1], ".reuse" in one[2]) for one in found]


def register_reads(loop):
    """(registers that a loop's FFMAs read from the register file, FFMAs that read three of one parity)."""
    reads = conflicts = 0
    kept = []  # what the instruction before marked, by place
    for text in loop:
        used = sources(text)
        if kind(text) == "ffma":
            fetched = {one[0] for place, one in enumerate(used) if one and kept[place:place + 1] != [one[0]]}
            reads += len(fetched)
            conflicts += len(fetched) == 3 and len({int(name[1:]) % 2 for name in fetched}) == 1
        kept = [one[0] if one and one[1] else None for one in used]
    return reads, conflicts


def main_loop(code):
    """The instructions of the main loop; None where there is none."""
    index = {address: i for i, (address, _) in enumerate(code)}
    end_of = {}  # by the loop's first instruction
    for i, (_address, text) in enumerate(code):
        target = re.search(r"0x([0-9a-f]+) *$", text)
        if operation(text).split(".")[0] == "BRA" and target:
            begin = index.get(int(target[1], 16))
            if begin is not None and begin < i:
                end_of[begin] = i
    loops = []
    for begin, end in end_of.items():
        texts = [text for _, text in code[begin:end + 1]]
        ffmas = sum(kind(text) == "ffma" for text in texts)
        if ffmas:
            loops.append((begin, end, ffmas, texts))
    inner = [one for one in loops if not any(other is not one and other[0] >= one[0] and other[1] <= one[1]
                                             for other in loops)]
    return max(inner, key=lambda one: one[2])[3] if inner else None


def limit_name(kernel):
    """What step 2's --show limits calls a kernel of ffma_limits.cu."""
    order = re.match(r"_Z\d+(ffma|ffma_fed)IL5order(\d)ELi(\d+)ELi(\d+)E", kernel)
    if order:
        word = ("rows", "serpentine", "columns", "strips")[int(order[2])]
        return f"{'fed' if 'fed' in order[1] else 'ffma'}_{order[3]}x{order[4]}_{word}"
    three = re.match(r"_Z\d+ffma_threeILb([01])E", kernel)
    return three and ("ffma_three_reads", "ffma_one_bank")[int(three[1])]


def main(arguments, root):
    if len(arguments) != 6:
        raise Mistake("usage: python3 -m report sass STEP VARIANT ARCH NVCC USAGE LISTING")
    step, variant, arch, nvcc, usage, listing = arguments
    kernels = read_code(listing)
    registers = read_registers(usage)
    if variant == "ffma_limits":  # each kernel in it
        shown = sorted((limit_name(name), name) for name in kernels if limit_name(name))
    else:
        shown = [(variant, main_kernel(kernels, variant, f"{step} {variant}"))] if kernels else []
    for called, name in shown:
        if name not in registers:
            raise Mistake(f"{step} {variant}: no registers of {name}")
        print(row(step, called, arch, registers[name], main_loop(kernels[name]), nvcc))
    return 0


def row(step, variant, arch, registers, loop, nvcc):
    counts = [""] * len(KINDS)
    if loop:
        tally = dict.fromkeys(KINDS, 0)
        for text in loop:
            tally[kind(text)] += 1
        tally["loop_instructions"] = len(loop)
        tally["ffma_reuse"] = sum(kind(text) == "ffma" and ".reuse" in text for text in loop)
        tally["ffma_reads"], tally["ffma_conflicts"] = register_reads(loop)
        counts = list(tally.values())
    return csv_line([step, variant, arch, registers, *counts, nvcc])

"""sim_counters.py FILE [LISTING]: the counts that --counters-csv wrote, a column for each variant's kernel.

With what `cuobjdump -sass` lists also how many instructions of some kinds the kernel's machine code has: what ptxas
made of it. That is static: each counts once, however often it is executed."""

import csv
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from report.record import read_text, sass  # noqa: E402

KINDS = {"FFMA": "FFMA", "LDG": "LDG", "LDGSTS": "LDGSTS (cp.async)", "STG": "STG", "LDS": "LDS.32", "LDS64": "LDS.64",
         "LDS128": "LDS.128", "LDSM": "LDSM (ldmatrix)", "STS": "STS.32", "STS64": "STS.64", "STS128": "STS.128",
         "STSM": "STSM (stmatrix)", "ATOMS": "ATOMS", "ATOMG": "ATOMG", "RED": "RED", "REDG": "REDG", "HMMA": "HMMA",
         "IMMA": "IMMA", "DMMA": "DMMA", "HGMMA": "HGMMA (wgmma)", "IGMMA": "IGMMA (wgmma)", "QGMMA": "QGMMA (wgmma)",
         "UTMALDG": "UTMALDG (TMA in)", "UTMASTG": "UTMASTG (TMA out)", "UBLKCP": "UBLKCP (bulk copy)", "SHFL": "SHFL",
         "BAR": "BAR", "LDL": "LDL (spilled or indexed)", "STL": "STL (spilled or indexed)"}


def histogram(code):
    """How many of each kind; the rest is in `all` alone."""
    tally = dict.fromkeys(KINDS, 0)
    tally["all"] = 0
    for _, text in code:
        op = sass.operation(text)
        name = op.split(".")[0]
        if name in ("LDS", "STS"):
            name += "128" if ".128" in op else "64" if ".64" in op else ""
        if name in tally:
            tally[name] += 1
        tally["all"] += bool(op) and name != "NOP"
    return tally


def machine_code(listing):
    """By readable name of each kernel its histogram; and for which GPUs the code is."""
    kernels = sass.read_code(listing)
    names = subprocess.run(["c++filt"], input="\n".join(kernels), stdout=subprocess.PIPE, text=True, check=True).stdout
    gpus = sorted({line.split("code for ")[1] for line in read_text(listing) if "code for " in line})
    return {short(name): histogram(code) for name, code in zip(names.split("\n"), kernels.values())}, gpus


def short(kernel):
    """`void sgemm<64, 8>(problem)` without its return type and arguments."""
    depth, at = 0, len(kernel)
    while at > 0 and kernel.endswith(")"):
        at -= 1
        depth += (kernel[at] == ")") - (kernel[at] == "(")
        if depth == 0:
            break
    return kernel[:at].removeprefix("void ")


def text_of(value):
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def main():
    columns, table, names = [], {}, {}
    static, gpus = machine_code(sys.argv[2]) if len(sys.argv) > 2 else ({}, [])
    with open(sys.argv[1], encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f):
            kernel = row["kernel"].split("(")[0].split("<")[0].split(" ")[-1]
            column = (row["variant"], kernel, row["grid"], row["block"], short(row["kernel"]))
            if column not in columns:
                columns.append(column)
            table[row["metric"], column] = float(row["value"])
            names[row["metric"]] = row["plain"]
    several = len({c[0] for c in columns}) < len(columns)
    heads = [f"{c[0]}: {c[1]}" if several else c[0] for c in columns]
    width = max(map(len, [*names.values(), *KINDS.values()]))
    widths = [max(len(h), 14) for h in heads]
    print(" " * width, *(h.rjust(w) for h, w in zip(heads, widths)), sep="  ")
    for metric, plain in names.items():
        values = [table.get((metric, c), 0) for c in columns]
        if any(values):
            print(plain.ljust(width), *(text_of(v).rjust(w) for v, w in zip(values, widths)), sep="  ")
    if any(c[-1] in static for c in columns):
        print(f"\nIn the machine code for {' and '.join(gpus)}, as ptxas made it: instructions, however often they are "
              "executed")
    for kind, plain in {**KINDS, "all": "all instructions"}.items():
        values = [static.get(c[-1], {}).get(kind) for c in columns]
        if any(values):
            print(plain.ljust(width), *(("-" if v is None else text_of(v)).rjust(w) for v, w in zip(values, widths)),
                  sep="  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())

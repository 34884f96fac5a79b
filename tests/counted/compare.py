"""compare.py [WORD]: the simulator's counts against what scripts/golden.sh recorded, on an H200 or in the folder of
plots/data that DEVICE in the environment names.

Every kernel of the runs in shapes.txt that a recorded row stands for (WORD: of runs that have it in their line); equal,
but for what NEAR, OTHERWISE and ORDER say. A line for each count that differs, then "N counts compared, N equal, N
differ"; exit status 1 for any, or where nothing was compared.
"""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from counters import ROOT, rows_of  # noqa: E402

RECORDED = os.path.join(ROOT, "plots", "data", os.environ.get("DEVICE", "nvidia-h200"))
NEAR = {  # loads and stores that wait for one another in the same cycle count again
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": 0.02,
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": 0.03,
    "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum": 0.01}
# What machine code does otherwise than PTX (cudasim/docs/counters.md says why): run, kernel, metric. Each must differ.
OTHERWISE = [("step02|sgemm_tiled", "tile32|sgemm", "wavefronts.*_ld"),
             ("step0[568] --m", "", "ldgsts_cache_bypass"),
             ("step06 --size 256", "interleaved", "ldgsts_cache_bypass"),
             ("step06 --size 256|step06 --m", "wmma", "wavefronts|ldsm"),
             ("step06 --size 256 --dtype tf32x3", "", "ffma"),
             ("step06 --[sm]|wmma_gemm", "wmma|half|bfloat16|tf32|char", "TENSOR"),
             ("step0[568]", "ping_pong|cluster|persistent<|screen|short", "BAR"),
             ("step05", "whole_tiles", "wavefronts.*_st|sectors.*_ld|ldgsts_cache_bypass"),
             ("step05|step09", "best<tile|whole_tiles", "wavefronts.*_st"),
             ("step09", "winograd_taps", "ffma"),
             ("step09", "conv_tensorcore", "ldgsts_cache_bypass"),
             ("step07", "naive", "wavefronts.*_ld"),
             ("step07", "splitk|vectorized", "wavefronts.*_(ld|atom)|op_shared_atom"),
             ("step07 --n 250", "row_per_block|vectorized|tree|shuffle|streaming", "requests"),
             ("step08", "fused|garcia|radix", "wavefronts.*_ld"),
             ("step08", "centre|prepare|radius", "ffma"),
             ("scan", "blelloch", "wavefronts"),
             ("fft", "fft", "ffma|wavefronts"),
             ("wgmma_tma_gemm", "gemm", "wavefronts.*_st"),
             ("wmma_gemm", "half|bfloat16|tf32|char", "requests|sectors|ldsm"),
             ("wmma_gemm", "double", "wavefronts.*_ld")]
# What depends on which block comes first, here and there: it may differ.
ORDER = [("step05", "stream_k|best", "global_op_ld|BAR"),
         ("step08", "radix|screen", "wavefronts.*_atom|global_op_st")]
ASKED = "knn_kept_bits"  # asks a GPU how many bits its tensor cores keep; the simulator need not be asked
PRODUCTS = [f"sass__inst_executed_per_opcode.{name}" for name in ("HMMA", "IMMA", "DMMA", "HGMMA")]
LEFT_OUT = "bank_conflicts"  # wavefronts beyond the least: what is said of these holds for them


def simulated(command):
    """What --counters-csv says of a program: by (kernel, grid, block) in order, values by Nsight's name."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "csv")
        env = dict(os.environ, CUDASIM_CHECK="0", CUDASIM_COUNTERS_CSV=path)
        if command[0].startswith("step"):
            command = [f"./{command[0]}/run", "--sim", "--counters-csv", path, *command[1:]]
            del env["CUDASIM_COUNTERS_CSV"]
        subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL)
        kernels = []
        for row in rows_of(path):
            if not kernels or row["metric"] == "INSTRUCTIONS":  # the first of each kernel's
                kernels.append({"kernel": row["kernel"], "grid": row["grid"], "block": row["block"],
                                "launches": int(row["launches"])})
            kernels[-1][row["metric"]] = kernels[-1][row["nsight"] or row["metric"]] = float(row["value"])
        return kernels


class Comparison:
    def __init__(self):
        self.counts = self.equal = self.wrong = 0
        self.met = set()

    def count(self, what, metric, ours, recorded, share=0.0, otherwise=()):
        """`otherwise`: the rows of OTHERWISE and ORDER that the count may be one of."""
        self.counts += 1
        self.equal += ours == recorded
        if abs(ours - recorded) <= share * recorded:
            return
        if otherwise:
            self.met.update(otherwise)
            return
        self.fault(f"{what}: {metric}: {ours:.0f}, recorded {recorded:.0f}")

    def fault(self, text):
        self.wrong += 1
        print(text)


def bare(kernel):
    """A kernel's name without return type, arguments and what compilers write differently in template arguments."""
    depth, at = 0, len(kernel)
    while at > 0 and kernel.endswith(")"):
        at -= 1
        depth += (kernel[at] == ")") - (kernel[at] == "(")
        if depth == 0:
            break
    kernel = kernel[:at].removeprefix("void ").replace("true", "1").replace("false", "0")
    return re.sub(r"\([\w ]+\)(?=[-0-9])|\b\w+::|\s", "", kernel)


def shapes(c, word):
    recorded = [row for row in rows_of(os.path.join(RECORDED, "shapes.csv")) if word in row["run"]]
    for run in dict.fromkeys(row["run"] for row in recorded):
        words = run.split()
        if not words[0].startswith("step"):
            words = ["cudasim/cudasim", f"cudasim/build/tests/programs/{words[0]}"]
        ours = {}
        for k in simulated(words):
            ours.setdefault((bare(k["kernel"]), k["grid"], k["block"]), k)
        for row in recorded:
            name = bare(row["kernel"])
            if row["run"] != run or name == ASKED:
                continue
            k = ours.get((name, row["grid"], row["block"]))
            if k is None:
                c.fault(f"{run}: {row['kernel']} {row['grid']} {row['block']}: not in the simulator")
                continue
            row["TENSOR"] = str(sum(int(row[product] or 0) for product in PRODUCTS))
            for metric, value in row.items():
                if metric not in k or not value or ("__" not in metric and metric != "TENSOR") or LEFT_OUT in metric:
                    continue
                here = run, name, metric
                otherwise = [o for o in OTHERWISE + ORDER if all(re.search(*pair) for pair in zip(o, here))]
                c.count(f"{run}: {name}", metric, k[metric] * int(row["launches"]), float(value),
                        NEAR.get(metric, 0), otherwise)
    for entry in OTHERWISE:
        if not word and entry not in c.met:
            c.fault(f"nothing differs as {entry} says")


def main():
    c = Comparison()
    shapes(c, sys.argv[1] if len(sys.argv) > 1 else "")
    print(f"{c.counts} counts compared, {c.equal} equal, {c.wrong} differ")
    return 1 if c.wrong or not c.counts else 0


if __name__ == "__main__":
    sys.exit(main())

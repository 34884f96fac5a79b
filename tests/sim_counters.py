"""sim_counters.py COUNTERS.csv STEP VARIANT [OPTION]...: the simulator's counts of a variant against those that Nsight
Compute recorded at 4096^3; a line for each that differs, exit status 1 for any; 77 where nothing is recorded yet.

4096^3 would take hours, so two small problems are counted: a block does the same everywhere, and its counts grow with k
by the same for every step of k. From both follow those at 4096^3, exactly."""

import csv
import os
import subprocess
import sys
import tempfile

SIDE, FULL = 256, 4096
# What must be equal where ptxas keeps the accesses as they are in PTX.
EXACT = ["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
         "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
         "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
         "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
         "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
         "sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
         "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
         "sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum"]
# A GPU adds what waits for others in the same cycles: these agree within a share.
NEAR = {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": 0.015,
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": 0.11,
        "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum": 0.001}
# Where ptxas, or the GPU, does otherwise (cudasim/README.md says why).
OTHERWISE = {("step02_smem", "tile32"): list(NEAR),
             ("step06_tensorcore", "interleaved"): [
                 "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum"]}


def recorded(path, step, variant):
    with open(path, encoding="utf-8", newline="") as f:
        return {r["metric"]: float(r["value"]) for r in csv.DictReader(f)
                if r["step"] == step and r["variant"] == variant and r["value"]}


def counted(step, variant, k, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "csv")
        subprocess.run([f"{step}/run", "--counters-csv", path, "--variant", variant, "--m", str(SIDE), "--n", str(SIDE),
                        "--k", str(k), *options], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(path, encoding="utf-8", newline="") as f:
            rows = list(csv.DictReader(f))
    last = rows[-1]["kernel"]  # others prepare for it
    return {r["nsight"]: float(r["value"]) for r in rows if r["kernel"] == last and r["nsight"]}


def main():
    path, step, variant, *options = sys.argv[1:]
    want = recorded(path, step, variant)
    if not want:
        print(f"skipped {step} {variant}: make counters has not recorded it yet")
        return 77
    small, large = (counted(step, variant, k, options) for k in (512, 1024))
    checked, wrong = 0, 0
    for metric in EXACT + list(NEAR):
        if metric not in want or metric in OTHERWISE.get((step, variant), []):
            continue
        slope = (large[metric] - small[metric]) / 512
        value = (small[metric] + slope * (FULL - 512)) * (FULL // SIDE) ** 2
        checked += 1
        if abs(value - want[metric]) > NEAR.get(metric, 0) * want[metric]:
            print(f"{step} {variant}: {metric}: {value:.0f}, recorded {want[metric]:.0f}")
            wrong += 1
    if checked < len(EXACT):
        print(f"{step} {variant}: only {checked} counts are recorded")
    return 1 if wrong or checked < len(EXACT) else 0


if __name__ == "__main__":
    sys.exit(main())

# Recorded measurements of the tensor cores' GEMMs, for figures and notes: tensorcore.csv (schema as the other GEMMs', but
# with several types and layouts), and the order of the variants with the type that each stands for on the ladder
# (plots/tensorcore_ladder.csv). After records.awk.

BEGIN {
    TENSOR_LADDER_HEADER = "step,variant,dtype"
    TENSOR_SIDE = 4096 # of the ladder
    tensor_sides = split("1024 2048 4096 8192 16384", tensor_side, " ")
}

# tensor_step_known[step]; variant_name[step, 1..variants[step]], known_variant[step, variant] as of other steps (but the
# step is not in step_name: what shows FP32's ladder shows nothing of it); ladder_type[step, variant].
function add_tensor_variant(step, variant) {
    tensor_step_known[step] = 1
    if ((step, variant) in known_variant) return
    known_variant[step, variant] = 1
    variant_name[step, ++variants[step]] = variant
}

function keep_tensor_ladder() {
    add_tensor_variant(row["step"], row["variant"])
    ladder_type[row["step"], row["variant"]] = row["dtype"]
}

# What one row of tensorcore.csv measures. load: burst or sustained.
function tensor_key(step, variant, dtype, layout, m, n, k, load) {
    return step SUBSEP variant SUBSEP dtype SUBSEP layout SUBSEP m + 0 SUBSEP n + 0 SUBSEP k + 0 SUBSEP load
}

# Keeps row[] as tensor_value[key, column] if it is what figures and notes show: C = A*B, caches cold. Of two
# measurements of one case the later one counts.
function keep_tensor(file,    id, i) {
    if (row["op"] != "gemm" || row["ms_median"] + 0 <= 0) return # the simulator's rows hold no times
    if (row["alpha"] + 0 != 1 || row["beta"] + 0 != 0 || row["cache"] != "cold") return
    keep_source("tensor", file)
    add_tensor_variant(row["step"], row["variant"])
    id = tensor_key(row["step"], row["variant"], row["dtype"], row["layout"], row["m"], row["n"], row["k"],
        row["mode"] == "sustained" ? "sustained" : "burst")
    tensor_kept[id] = 1
    for (i = 1; i <= columns; i++) tensor_value[id, COLUMN[i]] = row[COLUMN[i]]
    if (row["clock_mhz"] + 0 > tensor_clock) tensor_clock = row["clock_mhz"] + 0
}

function tensor_has(id) { return id in tensor_kept }

function tensor_tflops(id) { return tensor_value[id, "gflops"] / 1000 }

function tensor_flops(ms, m, n, k) { return ms == "" ? "" : 2 * m * n * k / ms / 1e9 } # TFLOP/s of that time

# The type's peak in TFLOP/s at the GPU's highest clock; "" where no measurement says it.
function tensor_peak(id) {
    return tensor_has(id) && tensor_value[id, "peak_share"] > 0 ? \
        tensor_tflops(id) / tensor_value[id, "peak_share"] : ""
}

# The variant that stands for a type: the one that alone takes it, else persistent.
function tensor_best(dtype) { return dtype == "tf32x3" ? "tf32x3" : "persistent" }

# cuBLAS's milliseconds: those beside the variant that stands for the type, at the same clock; where these are missing,
# the median over the other variants' runs; "" where there is none.
function tensor_baseline_ms(step, dtype, layout, m, n, k, load,    v, id, i, t, count, sorted) {
    id = tensor_key(step, tensor_best(dtype), dtype, layout, m, n, k, load)
    if (tensor_has(id) && tensor_value[id, "baseline_ms"] + 0 > 0) return tensor_value[id, "baseline_ms"] + 0
    for (v = 1; v <= variants[step]; v++) {
        id = tensor_key(step, variant_name[step, v], dtype, layout, m, n, k, load)
        if (!tensor_has(id) || tensor_value[id, "baseline_ms"] + 0 <= 0) continue
        t = tensor_value[id, "baseline_ms"] + 0
        for (i = count++; i > 0 && sorted[i] > t; i--) sorted[i + 1] = sorted[i]
        sorted[i + 1] = t
    }
    if (count == 0) return ""
    return count % 2 ? sorted[(count + 1) / 2] : (sorted[count / 2] + sorted[count / 2 + 1]) / 2
}

# The power-limited peak: what the tensor cores could do at the clock that the GPU keeps under continuous load, which
# is the type's peak * that clock / the highest clock recorded. The clock is that of persistent's sustained run at
# 4096^3, or where that is missing at 8192^3 or 16384^3. Sets limit["tflops" | "clock" | "side"]; 0 where there is none.
function tensor_limit(step, dtype, layout, limit,    i, id) {
    for (i = 3; i <= tensor_sides; i++) {
        id = tensor_key(step, tensor_best(dtype), dtype, layout, tensor_side[i], tensor_side[i], tensor_side[i],
            "sustained")
        if (tensor_peak(id) == "" || tensor_value[id, "clock_mhz"] + 0 <= 0) continue
        limit["clock"] = tensor_value[id, "clock_mhz"] + 0
        limit["tflops"] = tensor_peak(id) * limit["clock"] / tensor_clock
        limit["side"] = tensor_side[i]
        return 1
    }
    return 0
}

# Reads the current line of the input that `input` names; what is no input of the tensor cores' is left alone.
function read_tensor(file) {
    if (input == "tensorcore_ladder") {
        if (read_named(FILENAME, TENSOR_LADDER_HEADER, "the tensor cores' ladder")) keep_tensor_ladder()
    } else if (input == "tensorcore") {
        if (read_row(file)) keep_tensor(file)
    }
}

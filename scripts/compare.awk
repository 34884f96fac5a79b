# Two files of recorded measurements side by side. After records.awk:
#   awk -f records.awk -f compare.awk side=1 A.csv side=2 B.csv        ENVIRON["A_NAME"], ["B_NAME"]: their names

BEGIN {
    program = "compare"
    name[1] = ENVIRON["A_NAME"]
    name[2] = ENVIRON["B_NAME"]
}

read_row(name[side]) && row["mode"] != "sim" { # the simulator's rows hold no times
    id = row["step"]
    for (i = 2; i <= 12; i++) # up to cache: what was measured
        id = id SUBSEP (COLUMN[i] == "alpha" || COLUMN[i] == "beta" ? row[COLUMN[i]] + 0 : row[COLUMN[i]])
    # Of a GEMV the way of launching is part of that; of a GEMM not, but continuous load is.
    if (row["op"] != "gemm" || row["mode"] == "sustained") id = id SUBSEP row["mode"]
    if (!((side, id) in ms)) {
        count[side]++
        if (!(id in known)) { known[id] = 1; order[++ids] = id }
    }
    ms[side, id] = row["ms_median"] + 0
    rate[side, id] = row["op"] == "gemm" ? row["gflops"] / 1000 : row["gbps"] + 0
    unit = joined(unit, row["op"] == "gemm" ? "TFLOP/s" : "GB/s")
    ratio[side, id] = row["ratio"]
    origin[side] = joined(origin[side], row["device"] (row["driver"] == "" ? "" : " driver " row["driver"]) \
        (row["cuda"] == "" ? "" : " CUDA " row["cuda"]) " " substr(row["date"], 1, 10))
}

END {
    if (failed) exit 2
    for (s = 1; s <= 2; s++)
        print cut((s == 1 ? "A: " : "B: ") name[s] (origin[s] == "" ? "" : ", " origin[s]), 100)
    printf "%-26s %-17s %-14s %8s %8s %7s %7s %6s\n", "", "", "", "A", "B", "", "A", "B"
    if (index(unit, ",")) unit = "speed" # TFLOP/s of a GEMM, GB/s of a GEMV
    printf "%-26s %-17s %-14s %8s %8s %7s %7s %6s\n", "kernel", "shape", "case", unit, unit, "B/A", "ratio", "ratio"
    for (i = 1; i <= ids; i++) {
        id = order[i]
        if (!((1, id) in ms) || !((2, id) in ms)) continue
        both++
        split(id, f, SUBSEP)
        change = ms[1, id] > 0 && ms[2, id] > 0 ? ms[1, id] / ms[2, id] : 0
        if (change > 0) {
            changes++
            sum += log(change)
            if (least == 0 || change < least) least = change
            if (change > most) most = change
        }
        printf "%-26s %-17s %-14s %8s %8s %7s %7s %6s\n", cut(short_step(f[1]) " " f[2], 26),
            cut(shape(f), 17), cut(special(f), 14), tell(rate[1, id], 2), tell(rate[2, id], 2), tell(change, 3),
            tell(ratio[1, id], 3), tell(ratio[2, id], 3)
    }
    if (changes)
        printf "B/A: geometric mean %.3f, least %.3f, greatest %.3f\n", exp(sum / changes), least, most
    printf "%d matched, %d only in A, %d only in B\n", both, count[1] - both, count[2] - both
}

function shape(f) {
    return (f[3] == "gemm" ? f[6] "x" : "") f[7] "x" f[8] (f[9] == "" ? "" : "x" f[9])
}

# What a case has that the usual one (FP32, row-major, alpha 1, beta 0, cold caches, in CUDA graphs) has not.
function special(f,    text) {
    if (f[4] != "f32") text = text " " f[4]
    if (f[5] != (f[3] == "gemm" ? "nn" : "n")) text = text " " f[5]
    if (f[3] == "gemv_chain") text = text " chain" # with an alpha of its own
    if (f[3] == "gemm" ? f[13] != "" : f[13] != "graph") text = text " " f[13]
    if (f[3] != "gemv_chain" && (f[10] != 1 || f[11] != 0)) text = text " " f[10] "/" f[11]
    if (f[12] != "cold") text = text " " f[12]
    return substr(text, 2)
}

function cut(text, width) { return length(text) > width ? substr(text, 1, width - 1) "~" : text }

function tell(x, digits) {
    if (x == "" || x + 0 == 0) return "-"
    if (digits < 3 && x < 0.1) return sprintf("%.2g", x) # TFLOP/s of a small case
    return sprintf("%." digits "f", x)
}

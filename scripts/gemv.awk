# GEMV's recorded measurements, for figures and notes: gemv.csv (schema as GEMM's), the autotuner's searches
# (gemv_search.csv), counted DRAM bytes (gemv_dram.csv), and the order of the variants with the article's numbers
# (plots/gemv_ladder.csv). After records.awk.

BEGIN {
    SEARCH_HEADER = "step,variant,dtype,n,k,cache,mode,candidate,block_n,reduce_threads,loads,rows,us,device,cc," \
        "driver,cuda,date"
    DRAM_HEADER = "step,variant,dtype,n,k,launches,matrix_bytes,dram_bytes_median,dram_bytes_min,dram_bytes_max," \
        "share_median,share_min,device,cc,driver,cuda,date"
    GEMV_LADDER_HEADER = "step,variant,article_kernel,article_ms,article_ratio"
}

# gemv_step_known[step]; gemv_variant[step, 1..gemv_variants[step]] in the order of plots/gemv_ladder.csv, those it does
# not know after them; article[step, variant, "kernel" | "ms" | "ratio"].
function add_gemv_variant(step, variant) {
    gemv_step_known[step] = 1
    if (variant == "cublas" || (step, variant) in gemv_variant_known) return
    gemv_variant_known[step, variant] = 1
    gemv_variant[step, ++gemv_variants[step]] = variant
}

function keep_gemv_ladder() {
    add_gemv_variant(row["step"], row["variant"])
    article_of[row["step"], row["variant"], "kernel"] = row["article_kernel"]
    article_of[row["step"], row["variant"], "ms"] = row["article_ms"]
    article_of[row["step"], row["variant"], "ratio"] = row["article_ratio"]
}

# What one row of gemv.csv measures. op: gemv, read (the ceiling) or gemv_chain.
function gemv_key(op, step, variant, dtype, n, k, cache, mode) {
    return op SUBSEP step SUBSEP variant SUBSEP dtype SUBSEP n + 0 SUBSEP k + 0 SUBSEP cache SUBSEP mode
}

# Keeps row[] as gemv_value[key, column] if it is what figures and notes show: y = A*x (a chain has an alpha of its
# own). Of two measurements of one case the later one counts.
function keep_gemv(file,    id, i) {
    if (row["ms_median"] + 0 <= 0) return # as the simulator's rows, which hold no times
    if (row["op"] != "gemv" && row["op"] != "read" && row["op"] != "gemv_chain") return
    if (row["op"] != "gemv_chain" && (row["alpha"] + 0 != 1 || row["beta"] + 0 != 0)) return
    keep_source("gemv", file)
    if (row["op"] != "read") add_gemv_variant(row["step"], row["variant"])
    add_gemv_shape(row["n"] + 0, row["k"] + 0)
    id = gemv_key(row["op"], row["step"], row["variant"], row["dtype"], row["n"], row["k"], row["cache"], row["mode"])
    gemv_kept[id] = 1
    for (i = 1; i <= columns; i++) gemv_value[id, COLUMN[i]] = row[COLUMN[i]]
}

function add_gemv_shape(n, k,    i) { # gemv_n, gemv_k[1..gemv_shapes] sorted by elements, then n
    if ((n, k) in gemv_shape_known) return
    gemv_shape_known[n, k] = 1
    for (i = gemv_shapes++; i > 0 && gemv_after(i, n, k); i--) {
        gemv_n[i + 1] = gemv_n[i]
        gemv_k[i + 1] = gemv_k[i]
    }
    gemv_n[i + 1] = n
    gemv_k[i + 1] = k
}

function gemv_after(i, n, k) {
    if (gemv_n[i] * gemv_k[i] != n * k) return gemv_n[i] * gemv_k[i] > n * k
    return gemv_n[i] > n
}

function gemv_has(id) { return id in gemv_kept }

function gemv_us(id) { return 1000 * gemv_value[id, "ms_median"] }

function dtype_bytes(dtype) { return dtype == "f32" ? 4 : 2 }

function gemv_megabytes(n, k, dtype) { return n * k * dtype_bytes(dtype) / 1e6 }

# The read ceiling's row: measured with the same launches, or, for programmatic dependent launch, with plain ones.
function gemv_ceiling(step, dtype, n, k, cache, mode,    id) {
    id = gemv_key("read", step, "read_ceiling", dtype, n, k, cache, mode)
    if (!gemv_has(id) && mode == "pdl") id = gemv_key("read", step, "read_ceiling", dtype, n, k, cache, "graph")
    return id
}

# GB/s as a share of the ceiling's; "" where one of them is not measured.
function ceiling_share(gbps, ceiling) {
    return gbps + 0 <= 0 || !gemv_has(ceiling) ? "" : gbps / gemv_value[ceiling, "gbps"]
}

# cuBLAS's microseconds: the median over the variants' runs; "" where there is none.
function gemv_cublas_us(step, dtype, n, k, cache, mode,    v, id, i, t, count, sorted) {
    for (v = 1; v <= gemv_variants[step]; v++) {
        id = gemv_key("gemv", step, gemv_variant[step, v], dtype, n, k, cache, mode)
        if (!gemv_has(id) || gemv_value[id, "baseline_ms"] + 0 <= 0) continue
        t = 1000 * gemv_value[id, "baseline_ms"]
        for (i = count++; i > 0 && sorted[i] > t; i--) sorted[i + 1] = sorted[i]
        sorted[i + 1] = t
    }
    if (count == 0) return ""
    return count % 2 ? sorted[(count + 1) / 2] : (sorted[count / 2] + sorted[count / 2 + 1]) / 2
}

# GB/s of a GEMV in that time: A, x and y once each, as in gemv.csv.
function gemv_gbps(us, dtype, n, k) { return us == "" ? "" : (n * k + n + k) * dtype_bytes(dtype) / us / 1000 }

# The searches: searched[1..searches] is each problem (as search_key), candidate[key, 1..candidates[key]] what was
# tried, of which a later time counts; search_us, search_threads, search_rows, search_in_flight[key, candidate].
function search_key(step, variant, dtype, n, k, cache, mode) {
    return step SUBSEP variant SUBSEP dtype SUBSEP n + 0 SUBSEP k + 0 SUBSEP cache SUBSEP mode
}

function keep_search(file,    id, name) {
    if (row["us"] + 0 <= 0) return
    keep_source("search", file)
    add_gemv_variant(row["step"], row["variant"])
    add_gemv_shape(row["n"] + 0, row["k"] + 0)
    id = search_key(row["step"], row["variant"], row["dtype"], row["n"], row["k"], row["cache"], row["mode"])
    name = row["candidate"]
    if (!(id in candidates)) searched[++searches] = id
    if ((id, name) in search_us) # searched again: the search before does not count any more
        for (; candidates[id] > 0; candidates[id]--) delete search_us[id, candidate[id, candidates[id]]]
    candidate[id, ++candidates[id]] = name
    search_us[id, name] = row["us"] + 0
    search_threads[id, name] = row["reduce_threads"] + 0
    search_rows[id, name] = row["block_n"] + 0
    search_in_flight[id, name] = row["loads"] * row["rows"]
}

function best_candidate(id,    i, name, winner) { # "" where nothing was searched
    for (i = 1; i <= candidates[id] + 0; i++) {
        name = candidate[id, i]
        if (winner == "" || search_us[id, name] < search_us[id, winner]) winner = name
    }
    return winner
}

function worst_candidate(id,    i, name, worst) {
    for (i = 1; i <= candidates[id] + 0; i++) {
        name = candidate[id, i]
        if (worst == "" || search_us[id, name] > search_us[id, worst]) worst = name
    }
    return worst
}

# DRAM bytes: dram_case[1..dram_cases], dram_value[case, column].
function keep_dram(file,    id, i, n, name) {
    keep_source("dram", file)
    id = row["step"] SUBSEP row["variant"] SUBSEP row["dtype"] SUBSEP row["n"] + 0 SUBSEP row["k"] + 0
    if (!((id, "n") in dram_value)) dram_case[++dram_cases] = id
    n = split(DRAM_HEADER, name, ",")
    for (i = 1; i <= n; i++) dram_value[id, name[i]] = row[name[i]]
}

# Reads the current line of the input that `input` names; what is no input of GEMV's is left alone.
function read_gemv(file) {
    if (input == "gemv_ladder") {
        if (read_named(FILENAME, GEMV_LADDER_HEADER, "GEMV's ladder")) keep_gemv_ladder()
    } else if (input == "gemv") {
        if (read_row(file)) keep_gemv(file)
    } else if (input == "gemv_search") {
        if (read_named(FILENAME, SEARCH_HEADER, "recorded searches")) keep_search(FILENAME)
    } else if (input == "gemv_dram") {
        if (read_named(FILENAME, DRAM_HEADER, "counted DRAM bytes")) keep_dram(FILENAME)
    }
}

# What the awk programs here share: recorded measurements (schema: RECORD_HEADER in common/base/record.h), counters
# and machine code, and the ladder's order (plots/intensity.csv). Plain awk, because Debian's default is mawk.

BEGIN {
    HEADER = "step,variant,op,dtype,layout,m,n,k,d,alpha,beta,cache,mode,ms_median,ms_min,ms_max,gflops,gbps," \
        "peak_share,baseline,baseline_ms,ratio,ratio_min,ratio_max,max_err_bound_share,clock_mhz,power_w,device,cc," \
        "driver,cuda,date"
    columns = split(HEADER, COLUMN, ",")
    for (i = 1; i <= columns; i++) is_column[COLUMN[i]] = 1
    COUNTERS_HEADER = "step,variant,m,n,k,metric,value,unit,device,cc,driver,cuda,date"
    SASS_HEADER = "step,variant,arch,registers,loop_instructions,ffma,ffma_reuse,lds32,lds64,lds128,ldg,ldgsts,sts," \
        "bar,other,nvcc"
}

# One line on stderr, exit status 2. END blocks must return at once when `failed` is set.
function die(message) {
    print program ": " message > "/dev/stderr"
    failed = 1
    exit 2
}

# Splits a line of CSV (RFC 4180, without line breaks inside quotes) into out[1..]; returns how many, -1 when a quote
# is not closed.
function csv_split(line, out,    n, i, c, text, inside) {
    if (index(line, "\"") == 0) return split(line, out, ",")
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"" && inside && substr(line, i + 1, 1) == "\"") { text = text c; i++ }
        else if (c == "\"") inside = !inside
        else if (c == "," && !inside) { out[++n] = text; text = "" }
        else text = text c
    }
    out[++n] = text
    return inside ? -1 : n
}

# The current line of a file of measurements into row[column]. Returns 0 for the header.
function read_row(file) { return read_named(file, HEADER, "recorded measurements (common/base/record.h)") }

# The same for any CSV; `what` it holds, for the message about another header.
function read_named(file, header, what,    n, i, named, field, name) {
    sub(/\r$/, "")
    if (FNR == 1) {
        if ($0 != header) die(file ": line 1 is not the header of " what)
        return 0
    }
    n = csv_split($0, field)
    named = split(header, name, ",")
    if (n < 0) die(file ": line " FNR ": a quote is not closed")
    if (n != named) die(file ": line " FNR " has " n " fields, not " named)
    for (i = 1; i <= n; i++) row[name[i]] = field[i]
    return 1
}

function short_step(step) { # step05_doublebuffer -> step05
    sub(/_.*/, "", step)
    return step
}

# The ladder: step_name[1..steps] sorted, variant_name[step, 1..variants[step]] in the order of plots/intensity.csv,
# those it does not know after them.
function add_variant(step, variant,    i) {
    if ((step, variant) in known_variant) return
    known_variant[step, variant] = 1
    variant_name[step, ++variants[step]] = variant
    if (variants[step] > 1) return
    for (i = steps++; i > 0 && step_name[i] > step; i--) step_name[i + 1] = step_name[i]
    step_name[i + 1] = step
}

function read_ladder(    field) { # the current line of plots/intensity.csv
    if (FNR == 1) return
    if (csv_split($0, field) != 6) die(FILENAME ": line " FNR ": not six fields")
    add_variant(field[1], field[2])
    intensity[field[1], field[2]] = field[5]
}

function key(step, variant, m, n, k) { return step SUBSEP variant SUBSEP m + 0 SUBSEP n + 0 SUBSEP k + 0 }

# Keeps row[] as value[key, column] if it is what figures and notes show: C = A*B, caches cold, no sustained load. Of
# two measurements of one case the later one counts.
function keep_row(file,    id, i) {
    if (row["op"] != "gemm" || row["mode"] == "sim") return # another operation's; of the simulator: no measurement
    rows++
    if (row["d"] != "" || row["alpha"] + 0 != 1 || row["beta"] + 0 != 0) return
    if (row["cache"] != "cold" || row["mode"] == "sustained" || row["ms_median"] + 0 <= 0) return
    if (device == "") device = row["device"]
    if (row["device"] != device)
        die(file ": line " FNR ": measured on " row["device"] ", the lines before on " device ": one device a file")
    add_variant(row["step"], row["variant"])
    driver = joined(driver, row["driver"])
    cuda = joined(cuda, row["cuda"])
    row["date"] = substr(row["date"], 1, 10)
    if (first_date == "" || row["date"] < first_date) first_date = row["date"]
    if (row["date"] > last_date) last_date = row["date"]
    if (row["baseline"] != "") baseline = baseline_name(row["baseline"])
    id = key(row["step"], row["variant"], row["m"], row["n"], row["k"])
    if (!(id in kept)) {
        kept[id] = 1
        add_shape(row["m"] + 0, row["n"] + 0, row["k"] + 0)
    }
    for (i = 1; i <= columns; i++) value[id, COLUMN[i]] = row[COLUMN[i]]
    if (peak == 0 && row["peak_share"] > 0) peak = row["gflops"] / row["peak_share"] / 1000 # TFLOP/s
}

function joined(list, item) {
    if (item == "" || index(", " list ", ", ", " item ", ")) return list
    return list == "" ? item : list ", " item
}

function baseline_name(name) {
    if (name ~ /^cublas/) return "cuBLAS"
    return name == "openblas" ? "OpenBLAS" : name
}

function add_shape(m, n, k,    i) { # shapes[1..shape_count] sorted by volume, then m, then n
    if ((m, n, k) in known_shape) return
    known_shape[m, n, k] = 1
    for (i = shape_count++; i > 0 && after(i, m, n, k); i--) {
        shape_m[i + 1] = shape_m[i]; shape_n[i + 1] = shape_n[i]; shape_k[i + 1] = shape_k[i]
    }
    shape_m[i + 1] = m; shape_n[i + 1] = n; shape_k[i + 1] = k
}

function after(i, m, n, k,    a, b) {
    a = shape_m[i] * shape_n[i] * shape_k[i]
    b = m * n * k
    if (a != b) return a > b
    return shape_m[i] != m ? shape_m[i] > m : shape_n[i] > n
}

# square: m = n = k from 256 up; article: M = N = 2048 ... 16384 with K = 1024; odd: all others
function shape_kind(m, n, k) {
    if (m == n && n == k && m >= 256) return "square"
    if (m == n && k == 1024 && (m == 2048 || m == 4096 || m == 8192 || m == 16384)) return "article"
    return "odd"
}

function has(id) { return id in kept }

function tflops(id) {
    if (value[id, "gflops"] > 0) return value[id, "gflops"] / 1000
    return 2 * value[id, "m"] * value[id, "n"] * value[id, "k"] / value[id, "ms_median"] / 1e9
}

function speed(t) { return t >= 1 ? sprintf("%.1f", t) : significant(t, 2) }

function significant(x, digits,    d, y) { # as %g, but never with an exponent
    if (x <= 0) return x
    d = digits - 1
    for (y = x; y >= 10 && d > 0; y /= 10) d--
    for (; y < 1; y *= 10) d++
    return sprintf("%." d "f", x)
}

# The step's best variant: the fastest at 4096^3, or at the largest square measured, or the first measured at all.
function best(step,    name, i) {
    if (step in best_memo) return best_memo[step]
    name = fastest(step, 4096, 4096, 4096)
    for (i = shape_count; i > 0 && name == ""; i--)
        if (shape_kind(shape_m[i], shape_n[i], shape_k[i]) == "square")
            name = fastest(step, shape_m[i], shape_n[i], shape_k[i])
    for (i = shape_count; i > 0 && name == ""; i--) name = fastest(step, shape_m[i], shape_n[i], shape_k[i])
    return best_memo[step] = name
}

function fastest(step, m, n, k,    v, id, name, top) {
    for (v = 1; v <= variants[step]; v++) {
        id = key(step, variant_name[step, v], m, n, k)
        if (has(id) && tflops(id) > top + 0) { top = tflops(id); name = variant_name[step, v] }
    }
    return name
}

# The baseline's time at a shape, milliseconds: the median over all variants' runs; 0 when there is none.
function baseline_ms(m, n, k,    s, v, id, i, count, t, sorted) {
    for (s = 1; s <= steps; s++)
        for (v = 1; v <= variants[step_name[s]]; v++) {
            id = key(step_name[s], variant_name[step_name[s], v], m, n, k)
            if (!has(id) || value[id, "baseline_ms"] + 0 <= 0) continue
            t = value[id, "baseline_ms"] + 0
            for (i = count++; i > 0 && sorted[i] > t; i--) sorted[i + 1] = sorted[i]
            sorted[i + 1] = t
        }
    if (count == 0) return 0
    if (count % 2) return sorted[(count + 1) / 2]
    return (sorted[count / 2] + sorted[count / 2 + 1]) / 2
}

# "NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-21"
function provenance() { return tell_source(device, driver, cuda, first_date, last_date) }

function tell_source(device, driver, cuda, first, last) {
    return device (driver == "" ? "" : ", driver " driver) (cuda == "" ? "" : ", CUDA " cuda) ", " first \
        (last == first ? "" : " to " last)
}

# Where row[] was measured, for kind's provenance line: one device a file.
function keep_source(kind, file,    date) {
    if (!(kind in source_device)) source_device[kind] = row["device"]
    if (row["device"] != source_device[kind])
        die(file ": line " FNR ": measured on " row["device"] ", the lines before on " source_device[kind] \
            ": one device a file")
    source_driver[kind] = joined(source_driver[kind], row["driver"])
    source_cuda[kind] = joined(source_cuda[kind], row["cuda"])
    date = substr(row["date"], 1, 10)
    if (source_first[kind] == "" || date < source_first[kind]) source_first[kind] = date
    if (date > source_last[kind]) source_last[kind] = date
}

function source(kind) {
    return tell_source(source_device[kind], source_driver[kind], source_cuda[kind], source_first[kind],
        source_last[kind])
}

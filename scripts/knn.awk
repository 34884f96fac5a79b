# Step 8's recorded measurements, for figures and notes: knn.csv (schema as GEMM's: op knn; mode transfers: with copies,
# cpu: of build/knn_cpu) and knn_rates.csv (KDD Cup 1999). After records.awk.

BEGIN {
    RATES_HEADER = "protocol,class,seed,method,k,train_normal,train_attacks,test_normal,test_attacks,attacks_known," \
        "accuracy,detection,false_alarms,neighbours_unlike_cpu,device,cc,driver,cuda,date"
    M = 1200 # queries, in all that is shown
}

# knn_ms[variant, n, d, k, how]; how: device, transfers or cpu. Of two rows of one case the later one counts. What was timed
# in turn with PyTorch stands apart: torch_row[shape, variant], of torch_shape[1 ... torch_shapes].
function keep_knn(file,    how) {
    if (row["op"] != "knn" || row["ms_median"] + 0 <= 0) return
    if (row["baseline"] ~ /^torch /) { keep_torch(file); return }
    if (row["m"] + 0 != M) return
    how = row["mode"] == "transfers" || row["mode"] == "cpu" ? row["mode"] : "device"
    # ANN's and OpenBLAS's rows name the same CPU with other numbers of threads.
    if (how == "cpu") sub(/, [0-9]+ threads?$/, "", row["device"])
    keep_source(how == "cpu" ? "knn_cpu" : "knn", file)
    knn_ms[row["variant"], row["n"] + 0, row["d"] + 0, row["k"] + 0, how] = row["ms_median"] + 0
    if (row["k"] + 0 == 25) knn_n_measured[row["n"] + 0] = knn_d_measured[row["d"] + 0] = 1
}

function keep_torch(file,    shape) {
    keep_source("knn_torch", file)
    torch_name = row["baseline"]
    shape = row["m"] SUBSEP row["n"] SUBSEP row["d"] SUBSEP row["k"]
    if (!(shape in torch_known)) { torch_known[shape] = 1; torch_shape[++torch_shapes] = shape }
    torch_row[shape, row["variant"]] = row["ms_median"] SUBSEP row["baseline_ms"] SUBSEP row["ratio"] SUBSEP \
        row["ratio_min"] SUBSEP row["ratio_max"]
}

function knn_time(variant, n, d, k, how,    id) { # "" where it is not measured
    id = variant SUBSEP n SUBSEP d SUBSEP k SUBSEP (how == "" ? "device" : how)
    return id in knn_ms ? knn_ms[id] : ""
}

# How many times as fast as B A is; "" where one is not measured.
function knn_ratio(a, b) { return a == "" || b == "" ? "" : b / a }

# Mean, least and greatest over the seeds: rate_sum, rate_least, rate_most[protocol, class, method, k, column],
# rate_seeds[protocol, class, method, k]; counts of the class in rate_count[protocol, class, column].
function keep_rate(file,    id, i, column, x) {
    keep_source("knn_rates", file)
    id = row["protocol"] SUBSEP row["class"] SUBSEP row["method"] SUBSEP row["k"] + 0
    if ((id, row["seed"]) in rate_known) return
    rate_known[id, row["seed"]] = 1
    rate_seeds[id]++
    for (i = split("accuracy detection false_alarms neighbours_unlike_cpu", column, " "); i > 0; i--) {
        x = row[column[i]] + 0
        rate_sum[id, column[i]] += x
        if (rate_seeds[id] == 1 || x < rate_least[id, column[i]]) rate_least[id, column[i]] = x
        if (rate_seeds[id] == 1 || x > rate_most[id, column[i]]) rate_most[id, column[i]] = x
    }
    for (i = split("train_normal train_attacks test_normal test_attacks attacks_known", column, " "); i > 0; i--)
        rate_count[row["protocol"], row["class"], column[i]] = row[column[i]]
}

function rate_mean(protocol, class, method, k, column,    id) {
    id = protocol SUBSEP class SUBSEP method SUBSEP k
    return id in rate_seeds ? rate_sum[id, column] / rate_seeds[id] : ""
}

# The exact method of the rates: there is one a device.
function rate_method(    id, part) {
    for (id in rate_seeds) {
        split(id, part, SUBSEP)
        if (part[3] !~ /^gemm_/) return part[3]
    }
}

# The first k from which on bitonic takes no longer than kpass, of two k next to one another; 0: not found.
function knn_crossover(n, d,    k, a, b) {
    for (k = 2; k <= 512; k++) {
        if (knn_time("direct+kpass", n, d, k - 1) == "" || knn_time("direct+kpass", n, d, k) == "") continue
        a = knn_time("direct+kpass", n, d, k - 1) < knn_time("direct+bitonic", n, d, k - 1)
        b = knn_time("direct+kpass", n, d, k) < knn_time("direct+bitonic", n, d, k)
        if (a && !b) return k
    }
    return 0
}

function read_knn(file) {
    if (input == "knn" && read_row(file)) keep_knn(file)
    else if (input == "knn_rates" && read_named(FILENAME, RATES_HEADER, "recorded rates (scripts/knn_paper.sh)"))
        keep_rate(FILENAME)
}

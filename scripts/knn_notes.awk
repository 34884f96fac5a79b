# Step 8's tables in the notes (their markers: scripts/notes.sh), which notes.awk calls. After records.awk, notes.awk and
# knn.awk.

function tell_knn_table(word, n) {
    if (word[1] !~ /^knn-(paper|select|rates|torch)$/)
        die(note ":" FNR ": unknown table " word[1] " (knn-paper, knn-select, knn-rates, knn-torch)")
    need(n, 2, 2, "table: " word[1] " STEP")
    if (word[2] != "step08" && word[2] != "step08_knn") die(note ":" FNR ": unknown step of searches " word[2])
    if (word[1] == "knn-paper") knn_paper_table()
    else if (word[1] == "knn-select") knn_select_table()
    else if (word[1] == "knn-torch") knn_torch_table()
    else knn_rates_table()
}

function cell_knn(ms) { return ms == "" ? DASH : significant(ms, ms < 100 ? 3 : 4) }
function cell_times(x) { return x == "" ? DASH : x >= 100 ? sprintf("%.0f", x) : significant(x, 3) }
function cell_both(method, n, d) { # with copies in parentheses
    return cell_knn(knn_time(method, n, d, 25)) \
        (knn_time(method, n, d, 25, "transfers") == "" ? "" : " (" cell_knn(knn_time(method, n, d, 25, "transfers")) ")")
}
function cell_gain(rival, how, n, d) {
    return cell_times(knn_ratio(knn_time("exact_tc", n, d, 25), knn_time(rival, n, d, 25, how)))
}

# What stands below a table: `and` follows the device's name.
function knn_source(kind, and) {
    print ""
    print "<sub>" (kind in source_device ? "Recorded on " source(kind) and : "Not measured yet.") "</sub>"
}

function knn_paper_table(    d, n) {
    print "| d | n | `exact_tc` | `gemm_cublas+auto` | `bf_garcia` | OpenBLAS | ANN, brute force | ANN, kd-tree |" \
        " as fast as `bf_garcia` | OpenBLAS | ANN, brute force | ANN, kd-tree |"
    print "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for (d = 32; d <= 256; d *= 2)
        for (n = 1024; n <= 32768; n *= 2)
            print "| " d " | " n " | " cell_both("exact_tc", n, d) " | " cell_both("gemm_cublas+auto", n, d) " | " \
                cell_both("bf_garcia", n, d) " | " cell_knn(knn_time("openblas", n, d, 25, "cpu")) " | " \
                cell_knn(knn_time("ann_brute", n, d, 25, "cpu")) " | " \
                cell_knn(knn_time("ann_kdtree", n, d, 25, "cpu")) " | " cell_gain("bf_garcia", "device", n, d) " | " \
                cell_gain("openblas", "cpu", n, d) " | " cell_gain("ann_brute", "cpu", n, d) " | " \
                cell_gain("ann_kdtree", "cpu", n, d) " |"
    knn_source("knn", ("knn_cpu" in source_device ? " and " source_device["knn_cpu"] : "") \
        "; m = 1200, k = 25, median ms (with copies from and to the host), then how many times as fast `exact_tc` is." \
        " OpenBLAS on all cores, ANN on one; building the tree is not counted.")
}

function knn_select_table(    k, i, way, methods, cross, any) {
    methods = split("direct+kpass direct+bitonic direct+warpselect direct+radix exact_tc", way, " ")
    print "| k | `direct+kpass` | `direct+bitonic` | `direct+warpselect` | `direct+radix` | `exact_tc` |"
    print "|--:|--:|--:|--:|--:|--:|"
    cross = knn_crossover(16384, 32)
    for (k = 1; k <= 512; k++) {
        if (!knn_is_power(k) && k != cross && k != cross - 1) continue
        printf "| %s |", k == cross ? "**" k "**" : k
        for (i = 1; i <= methods; i++) printf " %s |", cell_knn(knn_time(way[i], 16384, 32, k))
        print ""
    }
    knn_source("knn", "; m = 1200, n = 16384, d = 32, median ms, distances included" \
        (cross ? ". `kpass` and `bitonic` cross at k = " cross " (on the paper's GPU at 46)." : "."))
}

# exact_tc, fused and direct+radix, each timed in turn with PyTorch.
function knn_torch_table(    i, v, way, shape, x) {
    split("exact_tc fused direct+radix", way, " ")
    print "| m | n | d | k | PyTorch ms | `exact_tc` ms | times as fast (min..max) | `fused` ms | times as fast |" \
        " `direct+radix` ms | times as fast |"
    print "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for (i = 1; i <= torch_shapes; i++) {
        split(torch_shape[i], shape, SUBSEP)
        split(torch_row[torch_shape[i], "exact_tc"], x, SUBSEP)
        printf "| %d | %d | %d | %d | %s |", shape[1], shape[2], shape[3], shape[4], cell_knn(x[2])
        for (v = 1; v <= 3; v++) {
            if (!((torch_shape[i], way[v]) in torch_row)) { printf " %s | %s |", DASH, DASH; continue }
            split(torch_row[torch_shape[i], way[v]], x, SUBSEP)
            printf " %s | %.2f%s |", cell_knn(x[1]), x[3], (v == 1 ? sprintf(" (%.2f..%.2f)", x[4], x[5]) : "")
        }
        print ""
    }
    knn_source("knn_torch", "; " torch_name ", TF32 off, timed in turn: medians, ratios pair by pair; data on the device.")
}

function knn_is_power(k) {
    while (k % 2 == 0) k /= 2
    return k == 1
}

function knn_rates_table(    i, p, k, class, protocol, method, seeds, unlike) {
    split("DoS Probe R2L U2R", class, " ")
    split("same corrected", protocol, " ")
    method = rate_method()
    print "| class | test from | records: training, test | detected, k = 1 | k = 5 | k = 15 | false alarms, k = 1 | k = 5 |" \
        " k = 15 |"
    print "|---|---|---|--:|--:|--:|--:|--:|--:|"
    for (i = 1; i <= 4; i++)
        for (p = 1; p <= 2; p++) {
            printf "| %s | %s | %s |", class[i], p == 1 ? "the same file" : "`corrected`", knn_counts(protocol[p], class[i])
            for (k = 1; k <= 15; k = k == 1 ? 5 : k + 10) printf " %s |", cell_rate(protocol[p], class[i], method, k, "detection")
            for (k = 1; k <= 15; k = k == 1 ? 5 : k + 10) printf " %s |", cell_rate(protocol[p], class[i], method, k, "false_alarms")
            print ""
            seeds = rate_seeds[protocol[p], class[i], method, 1]
            unlike += rate_sum[protocol[p], class[i], "gemm_cublas+auto", 1, "neighbours_unlike_cpu"]
        }
    knn_source("knn_rates", "; means (least..most) of " seeds + 0 " samples by `" method "`, whose neighbours are the CPU's" \
        " bit for bit; " unlike + 0 " of the 15 neighbours that `gemm_cublas+auto` finds of every test record, in all samples" \
        " together, are not. Of U2R " rate_count["same", "U2R", "attacks_known"] " attacks exist in the training data, not" \
        " 100: half of them train where the test is from the same file.")
}

function knn_counts(protocol, class) {
    if (!((protocol, class, "train_normal") in rate_count)) return DASH
    return rate_count[protocol, class, "train_normal"] " + " rate_count[protocol, class, "train_attacks"] ", " \
        rate_count[protocol, class, "test_normal"] " + " rate_count[protocol, class, "test_attacks"]
}

function cell_rate(protocol, class, method, k, column,    id, format) {
    id = protocol SUBSEP class SUBSEP method SUBSEP k
    if (!(id in rate_seeds)) return DASH
    format = column == "detection" ? "%.1f %% (%.0f..%.0f)" : "%.2f %% (%.1f..%.1f)"
    return sprintf(format, 100 * rate_mean(protocol, class, method, k, column), 100 * rate_least[id, column],
        100 * rate_most[id, column])
}

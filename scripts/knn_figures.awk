# Digests step 8's recorded measurements for its figures, as figures.awk does GEMM's: DIR/knn_NAME.dat or .why, and the
# caption, DIR/knn_caption. After records.awk, digest.awk and knn.awk:
#   awk -f ... -f knn_figures.awk -v dir=DIR -v gap=G input=knn FILE [input=knn_rates FILE]
# ENVIRON["DATA_NAME"], ["RATES_NAME"]: the CSVs' names in messages. Coordinates of the first two are logarithms.

BEGIN {
    program = "plots"
    file = ENVIRON["DATA_NAME"]
    N = 16384; D = 32 # of the selections
    least_n = 1024; most_n = 32768
}

{ read_knn(file) }

END {
    if (failed) exit 2
    if (!("knn" in source_device) && !("knn_rates" in source_device)) exit 0 # plots.sh says it
    exact = exact_of()
    print "Recorded measurements: " source("knn" in source_device ? "knn" : "knn_rates") \
        ("knn_cpu" in source_device ? "; " source_device["knn_cpu"] : "") ". Medians; data on the device." \
        > (dir "/knn_caption")
    print exact > (dir "/knn_baseline")
    table_figure()
    select_figure()
    rates_figure()
}

function log10(x) { return log(x) / log(10) }

function exact_of(    n, d) { # exact_tc, where it runs
    for (n in knn_n_measured)
        for (d in knn_d_measured) if (knn_time("exact_tc", n + 0, d + 0, 25) != "") return "exact_tc"
    return "direct+radix"
}

# ---- knn_table: speed-up over n, a panel a dimension. lines: x, log10 of the speed-up, series; labels; ticks: x, n;
# panels: x, title; scale: lowest and highest power of ten, a panel's width, panels

function rival(i) { return i == 1 ? "ann_kdtree" : i == 2 ? "ann_brute" : i == 3 ? "openblas" : i == 4 ? "bf_garcia" : "gemm_cublas+auto" }
function rival_text(i) {
    return i == 1 ? "ANN, kd-tree" : i == 2 ? "ANN, brute force" : i == 3 ? "OpenBLAS, all cores" : \
        i == 4 ? "bf_garcia" : "the paper's (gemm_cublas+auto)"
}
function rival_series(i) { return i == 1 ? 1 : i == 2 ? 2 : i == 3 ? 9 : i == 4 ? 5 : 6 }
function rival_ratio(i, n, d) {
    return knn_ratio(knn_time(exact, n, d, 25), knn_time(rival(i), n, d, 25, i <= 3 ? "cpu" : ""))
}

function table_figure(    out, i, n, d, r, p, x, low, high, count, want, end, text, series, place, ticks, panels) {
    out = dir "/knn_table.dat"
    low = 0; high = 1
    for (d = 32; d <= 256; d *= 2)
        for (n = least_n; n <= most_n; n *= 2)
            for (i = 1; i <= 5; i++) {
                r = rival_ratio(i, n, d)
                if (r == "") continue
                count++
                while (log10(r) > high) high++
                while (log10(r) < low) low--
            }
    if (!count) { why("knn_table", "no measurement at m = 1200, k = 25 in " file ", nothing to draw: `make knn-paper` records it"); return }
    print "# lines" > out
    count = 0
    for (i = 1; i <= 5; i++) {
        end[i] = ""
        for (d = 32; d <= 256; d *= 2) {
            p = log2(d / 32)
            for (n = least_n; n <= most_n; n *= 2) {
                r = rival_ratio(i, n, d)
                if (r == "") continue
                x = p * 6.2 + log2(n / least_n)
                print x, log10(r), rival_series(i) > out
                end[i] = x SUBSEP log10(r)
            }
            print "" > out
        }
    }
    for (i = 1; i <= 5; i++) {
        if (end[i] == "") continue
        split(end[i], place, SUBSEP)
        want[++count] = place[2]
        text[count] = rival_text(i)
        series[count] = rival_series(i)
        x_of[count] = place[1]
    }
    delete place
    spread(count, want, place, gap * (high - low) * 1.1, low, high)
    block(out, "labels")
    for (i = 1; i <= count; i++) print 3 * 6.2 + 5.4, place[i], quoted(text[i]), series[i], x_of[i], want[i] > out
    block(out, "ticks")
    for (p = 0; p < 4; p++)
        for (n = least_n; n <= most_n; n *= 2)
            if (n == 1024 || n == 4096 || n == 16384) print p * 6.2 + log2(n / least_n), quoted(n / 1024 "K") > out
    block(out, "panels")
    for (p = 0; p < 4; p++) print p * 6.2 + 2.5, quoted("d = " 32 * 2 ^ p) > out
    tell_scale(out, low, high, 6.2, 4)
}

# ---- knn_select: time against k. lines: log2 k, log10 ms, series; labels; scale: lowest and highest power of ten, log2
# of the largest k, of the crossover (-1: none), its height; cross: its text

function way(i) { return i == 1 ? "direct+kpass" : i == 2 ? "direct+bitonic" : i == 3 ? "direct+warpselect" : i == 4 ? "direct+radix" : exact == "exact_tc" ? exact : "-" }
function way_series(i) { return i == 1 ? 6 : i == 2 ? 5 : i == 3 ? 2 : i == 4 ? 4 : 1 }

function select_figure(    out, i, k, t, low, high, last, count, want, text, series, end, place, cross, ends) {
    out = dir "/knn_select.dat"
    low = 100; high = -100
    for (i = 1; i <= 5; i++)
        for (k = 1; k <= 512; k++) {
            t = knn_time(way(i), N, D, k)
            if (t == "") continue
            t = log10(t)
            if (t < low) low = t
            if (t > high) high = t
            if (k > last) last = k
        }
    if (last < 2) { why("knn_select", "no times against k at n = 16384, d = 32 in " file ", nothing to draw: `make knn-paper` records them"); return }
    low = low < 0 ? -int(1 - low) : int(low)
    high = high > 0 ? int(high + 1) : -int(-high)
    print "# lines" > out
    for (i = 1; i <= 5; i++) {
        ends = ""
        for (k = 1; k <= last; k++) {
            t = knn_time(way(i), N, D, k)
            if (t == "") continue
            print log2(k), log10(t), way_series(i) > out
            ends = log10(t)
            end_x = log2(k)
        }
        print "" > out
        if (ends == "") continue
        want[++count] = ends
        end[count] = end_x
        text[count] = way(i)
        sub(/^direct\+/, "", text[count])
        series[count] = way_series(i)
    }
    spread(count, want, place, gap * (high - low) * 1.1, low, high)
    block(out, "labels")
    for (i = 1; i <= count; i++) print log2(last) + 0.45, place[i], quoted(text[i]), series[i], end[i], want[i] > out
    cross = knn_crossover(N, D)
    block(out, "cross")
    if (cross) print log2(cross), log10(knn_time("direct+kpass", N, D, cross)), \
        quoted("they cross at k = " cross " (the paper: 46)") > out
    else print "NaN NaN -" > out
    tell_scale(out, low, high, log2(last))
}

# ---- knn_rates: means over the samples against k, a panel a protocol; detection above, false alarms below on a scale of
# their own. lines: x, y, series; fans: least and most; labels; panels; scale: greatest false alarms, panel's width

function class_of(i) { return i == 1 ? "DoS" : i == 2 ? "Probe" : i == 3 ? "R2L" : "U2R" }
function class_series(i) { return i == 1 ? 5 : i == 2 ? 4 : i == 3 ? 6 : 1 }
function protocol_of(p) { return p ? "corrected" : "same" }

function rates_figure(    out, method, p, i, k, x, top, wide, part, count, want, place, text, series, end, id) {
    out = dir "/knn_rates.dat"
    method = rate_method()
    if (method == "") { why("knn_rates", "no rates in " ENVIRON["RATES_NAME"] ", nothing to draw: `make knn-paper` records them"); return }
    wide = 20
    for (p = 0; p <= 1; p++)
        for (i = 1; i <= 4; i++)
            for (k = 1; k <= 15; k++) {
                x = rate_mean(protocol_of(p), class_of(i), method, k, "false_alarms")
                if (x > top) top = x
            }
    top = nice_ceiling(top > 0.0005 ? top * 100 : 0.1)
    print "# lines" > out
    for (p = 0; p <= 1; p++)
        for (part = 0; part <= 1; part++)
            for (i = 1; i <= 4; i++) {
                for (k = 1; k <= 15; k++) {
                    x = rate_mean(protocol_of(p), class_of(i), method, k, part ? "false_alarms" : "detection")
                    if (x != "") print k + p * wide, part ? -0.62 + 0.42 * 100 * x / top : x, class_series(i) > out
                }
                print "" > out
            }
    block(out, "labels")
    for (p = 0; p <= 1; p++) {
        count = 0
        for (i = 1; i <= 4; i++) {
            x = rate_mean(protocol_of(p), class_of(i), method, 15, "detection")
            if (x == "") continue
            want[++count] = x
            text[count] = class_of(i)
            series[count] = class_series(i)
        }
        spread(count, want, place, gap * 2, 0, 1)
        for (i = 1; i <= count; i++)
            print 15.7 + p * wide, place[i], quoted(text[i]), series[i], 15 + p * wide, want[i] > out
    }
    block(out, "panels")
    id = rate_count["same", "U2R", "attacks_known"]
    for (p = 0; p <= 1; p++)
        print 8 + p * wide, quoted(p ? "test: `corrected`" : "test: the same file, no record twice") > out
    block(out, "note")
    print quoted("means of " rate_seeds["corrected", "DoS", method, 1] + 0 " samples; of U2R " id + 0 " attacks exist for training, not 100") > out
    tell_scale(out, top, wide)
}

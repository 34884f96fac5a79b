# Digests GEMV's recorded measurements for its figures, as figures.awk does GEMM's: DIR/gemv_NAME.dat or .why, and the
# caption, DIR/gemv_caption. After records.awk, digest.awk and gemv.awk:
#   awk -f ... -f gemv_figures.awk -v dir=DIR -v gap=G input=gemv_ladder FILE input=gemv FILE [input=gemv_search FILE]
# ENVIRON["DATA_NAME"], ["SEARCH_NAME"]: the CSVs' names in messages. All is FP16: the other types take the same time a
# byte.

BEGIN {
    program = "plots"
    file = ENVIRON["DATA_NAME"]
    GRAPH = 5; PDL = 6; CEILING = 8; CUBLAS = 9 # series, as style.gp colours them
    WHITE = 16777215; INK = 2236962
}

{ read_gemv(file) }

END {
    if (failed) exit 2
    if (!("gemv" in source_device)) exit 0 # plots.sh says it
    for (step in gemv_step_known) break # there is one step of GEMVs
    print "Recorded measurements: " source("gemv") ". Medians in CUDA graphs beside cuBLAS; ceiling and cuBLAS without PDL." \
        > (dir "/gemv_caption")
    print "cuBLAS" > (dir "/gemv_baseline")
    gemv_ladder()
    gemv_size()
    gemv_search()
}

function square(n) { return n " × " n }

function thousands(x) { # 12345 -> 12 345
    x = sprintf("%.0f", x)
    return length(x) > 4 ? substr(x, 1, length(x) - 3) " " substr(x, length(x) - 2) : x
}

function megabytes(n,    x) {
    x = gemv_megabytes(n, n, "f16")
    return (x < 10 ? significant(x, 2) : thousands(x)) " MB"
}

# bars: panel, row, length (1: the panel's longest), series, text; names: row, variant; panels: panel, title, where the
# ceiling's line stands, its text, the same of cuBLAS (-1: not measured); marks: the lines in text, as panel, row, where,
# letter; scale: the last row
function gemv_ladder(    out, panel, v, y, i, rows, name, mode) {
    out = dir "/gemv_ladder.dat"
    # A row a variant, and one for it with PDL where that was measured at either size.
    for (v = 1; v <= gemv_variants[step]; v++)
        for (i = 0; i <= 1; i++) {
            mode[rows + 1] = i ? "pdl" : "graph"
            name[rows + 1] = gemv_variant[step, v]
            if (gemv_has(ladder_id(name[rows + 1], 1024, mode[rows + 1])) || \
                gemv_has(ladder_id(name[rows + 1], 4096, mode[rows + 1]))) rows++
        }
    if (rows == 0) { why("gemv_ladder", nothing("1024 x 1024 or 4096 x 4096")); return }
    print "# bars" > out
    for (panel = 0; panel <= 1; panel++) ladder_panel(out, panel, panel ? 4096 : 1024, rows, name, mode)
    block(out, "names")
    for (y = 1; y <= rows; y++) print -y, quoted(name[y] (mode[y] == "pdl" ? ", PDL" : "")) > out
    block(out, "panels"); printf "%s", panel_lines > out
    block(out, "marks"); printf "%s", marks > out
    tell_scale(out, -rows)
}

function ladder_id(variant, n, mode) { return gemv_key("gemv", step, variant, "f16", n, n, "cold", mode) }

function ladder_panel(out, panel, n, rows, name, mode,    y, id, top, ceiling, cublas, any) {
    ceiling = gemv_ceiling(step, "f16", n, n, "cold", "graph")
    ceiling = gemv_has(ceiling) ? gemv_value[ceiling, "gbps"] : 0
    cublas = gemv_cublas_us(step, "f16", n, n, "cold", "graph")
    top = gemv_gbps(cublas, "f16", n, n) + 0
    if (ceiling > top) top = ceiling
    for (y = 1; y <= rows; y++) {
        id = ladder_id(name[y], n, mode[y])
        if (gemv_has(id) && gemv_value[id, "gbps"] > top) top = gemv_value[id, "gbps"]
    }
    for (y = 1; y <= rows; y++) {
        marks = marks panel " " (-y) " " (ceiling > 0 ? ceiling / top : -1) " |\n" panel " " (-y) " " \
            (cublas != "" ? gemv_gbps(cublas, "f16", n, n) / top : -1) " :\n"
        id = ladder_id(name[y], n, mode[y])
        if (!gemv_has(id)) continue
        any = 1
        print panel, -y, gemv_value[id, "gbps"] / top, mode[y] == "pdl" ? PDL : GRAPH, \
            quoted(significant(gemv_us(id), 3) " µs, " thousands(gemv_value[id, "gbps"])) > out
    }
    panel_lines = panel_lines panel " " quoted(square(n) ", " megabytes(n) (any ? "" : ": not measured")) " " \
        (ceiling > 0 ? ceiling / top : -1) " " quoted("read ceiling, no PDL, " thousands(ceiling) " GB/s") " " \
        (cublas != "" ? gemv_gbps(cublas, "f16", n, n) / top : -1) " " \
        quoted("cuBLAS " significant(cublas, 3) " µs, " thousands(gemv_gbps(cublas, "f16", n, n)) " GB/s") "\n"
}

# lines: octaves above n = 256 (in the right panel size_right() more), GB/s, series; labels; ticks: the same octaves, n,
# megabytes; panels: the middle of one's sizes, its title; scale: greatest GB/s, octaves of the largest size, of the right
# panel's beginning
function gemv_size(    out, panel, i, n, what, largest, x, top, count, want, text, series, end, cache) {
    out = dir "/gemv_size.dat"
    for (i = 1; i <= gemv_shapes; i++)
        if (size_point(gemv_n[i], gemv_k[i]) && size_measured(gemv_n[i]) && gemv_n[i] > largest) largest = gemv_n[i]
    if (largest == 0) { why("gemv_size", nothing("square shapes")); return }
    print "# lines" > out
    for (panel = 0; panel <= 1; panel++) {
        cache = panel ? "warm" : "cold"
        for (what = 1; what <= 4; what++) {
            count[panel]++
            x = -1
            for (i = 1; i <= gemv_shapes; i++) {
                n = gemv_n[i]
                if (!size_point(n, gemv_k[i]) || size_gbps(what, n, cache) == "") continue
                x = log2(n / 256) + panel * size_right(largest)
                print x, size_gbps(what, n, cache), size_series(what) > out
                want[panel, count[panel]] = size_gbps(what, n, cache)
                end[panel, count[panel]] = x
                if (want[panel, count[panel]] > top) top = want[panel, count[panel]]
            }
            text[panel, count[panel]] = size_text(what)
            series[panel, count[panel]] = size_series(what)
            if (x < 0) count[panel]--
            else print "" > out
        }
    }
    top = nice_ceiling(top * 1.04)
    block(out, "labels")
    for (panel = 0; panel <= 1; panel++) size_labels(out, panel, count, want, end, text, series, top, \
        log2(largest / 256) + 0.45 + panel * size_right(largest))
    block(out, "ticks")
    for (panel = 0; panel <= 1; panel++)
        for (n = 256; n <= largest; n *= 4)
            print log2(n / 256) + panel * size_right(largest), quoted(n), quoted(megabytes(n)) > out
    block(out, "panels")
    for (panel = 0; panel <= 1; panel++)
        print log2(largest / 256) / 2 + panel * size_right(largest), \
            quoted((panel ? "warm: A stays in the L2, if it fits" : "cold: A comes from DRAM") \
            (count[panel] ? "" : " (not measured)")) > out
    tell_scale(out, top, log2(largest / 256), size_right(largest))
}

function size_point(n, k) { return n == k && n >= 256 }

function size_measured(n,    what) {
    for (what = 1; what <= 4; what++)
        if (size_gbps(what, n, "cold") != "" || size_gbps(what, n, "warm") != "") return 1
    return 0
}

function size_right(largest) { return log2(largest / 256) + 3.7 }

function size_gbps(what, n, cache,    id) { # "" where it is not measured
    if (what == 1) id = gemv_ceiling(step, "f16", n, n, cache, "graph")
    else if (what == 4) return gemv_gbps(gemv_cublas_us(step, "f16", n, n, cache, "graph"), "f16", n, n)
    else id = gemv_key("gemv", step, "autotuned", "f16", n, n, cache, what == 2 ? "pdl" : "graph")
    return gemv_has(id) ? gemv_value[id, "gbps"] : ""
}

# The four lines of a panel.
function size_series(what) { return what == 1 ? CEILING : what == 2 ? PDL : what == 3 ? GRAPH : CUBLAS }
function size_text(what) {
    return what == 1 ? "read ceiling" : what == 2 ? "autotuned, PDL" : what == 3 ? "autotuned" : "cuBLAS"
}

function size_labels(out, panel, count, want, end, text, series, top, x,    i, wanted, place) {
    for (i = 1; i <= count[panel]; i++) wanted[i] = want[panel, i]
    spread(count[panel], wanted, place, 1.26 * gap * top, 0.02 * top, 0.98 * top)
    for (i = 1; i <= count[panel]; i++)
        print x, place[i], quoted(text[panel, i]), series[panel, i], end[panel, i], wanted[i] > out
    if (count[panel] == 0) print "NaN NaN - 1 NaN NaN" > out
}

# A heat map a size, one above the other: across, threads a row; down, 16-byte loads in flight a thread. Candidates that
# differ in rows a block alone share a field.
# boxes: left, right, bottom, top, colour, 1 where persistent, 2 where rows are split, and 1 where it is the best; texts: x
# and y of the box's middle, rows a block, how much slower than the best, colour, 1 where the box is narrow; cells: the
# middle of a field and how much slower the best in it is, with P where that is persistent, S where it is split; columns:
# x, threads a row; rows: y, loads in flight; panels: y of the middle, title, the best candidate, its microseconds; scale:
# columns, least y
function gemv_search(    out, i, id, sizes, column, columns_seen, row_seen, rows, y, drawn, n) {
    out = dir "/gemv_search.dat"
    split("1024 4096 16384", sizes, " ")
    for (i = 1; i <= 3; i++) {
        id = search_key(step, "autotuned", "f16", sizes[i], sizes[i], "cold", "graph")
        if (best_candidate(id) == "") continue
        drawn++
        for (n = 1; n <= candidates[id]; n++) {
            if (of_other_rows(candidate[id, n])) continue
            columns_seen = insert(column, columns_seen + 0, search_threads[id, candidate[id, n]])
            rows = insert(row_seen, rows + 0, search_in_flight[id, candidate[id, n]])
        }
    }
    if (drawn == 0) {
        why("gemv_search", "no search at 1024 x 1024, 4096 x 4096 or 16384 x 16384 in " ENVIRON["SEARCH_NAME"] \
            ", nothing to draw: `make bench` records it")
        return
    }
    for (i = 1; i <= 3; i++) {
        id = search_key(step, "autotuned", "f16", sizes[i], sizes[i], "cold", "graph")
        if (best_candidate(id) == "") continue
        search_panel(id, sizes[i], y, column, columns_seen, row_seen, rows)
        y -= rows + 0.7
    }
    print "# boxes" boxes > out
    block(out, "texts"); printf "%s", texts > out
    block(out, "cells"); printf "%s", cells > out
    block(out, "columns")
    for (i = 1; i <= columns_seen; i++) print i - 0.5, quoted(column[i]) > out
    block(out, "rows"); printf "%s", row_texts > out
    block(out, "panels"); printf "%s", panels > out
    tell_scale(out, columns_seen, y + 0.7)
}

function of_other_rows(name) { return name ~ / (unaligned|short)$/ } # for rows that lie otherwise or are short

function kind_of(name) { return name ~ / persistent$/ ? 1 : name ~ / split$/ ? 2 : 0 }

function insert(list, count, x,    i) { # into list[1..count], sorted, once; returns the new count
    for (i = 1; i <= count; i++) if (list[i] == x) return count
    for (i = count; i > 0 && list[i] > x; i--) list[i + 1] = list[i]
    list[i + 1] = x
    return count + 1
}

function search_panel(id, n, top, column, columns_seen, row_seen, rows,    \
    r, c, i, j, name, winner, inside, order, x, y, wide, t, least, mark) {
    winner = best_candidate(id)
    for (r = 1; r <= rows; r++) {
        y = top - r + 0.5
        row_texts = row_texts y " " quoted(row_seen[r]) "\n"
        for (c = 1; c <= columns_seen; c++) {
            inside = 0
            for (i = 1; i <= candidates[id]; i++) {
                name = candidate[id, i]
                if (of_other_rows(name) || search_threads[id, name] != column[c] || \
                    search_in_flight[id, name] != row_seen[r]) continue
                for (j = inside++; j > 0 && search_rows[id, order[j]] > search_rows[id, name]; j--)
                    order[j + 1] = order[j]
                order[j + 1] = name
            }
            mark = ""
            for (i = 1; i <= inside; i++) {
                name = order[i]
                wide = 0.96 / inside
                x = c - 1 + 0.02 + (i - 1) * wide
                t = search_us[id, name] / search_us[id, winner]
                boxes = boxes "\n" x " " x + wide " " y - 0.47 " " y + 0.47 " " heat(t) " " \
                    kind_of(name) " " (name == winner)
                texts = texts x + wide / 2 " " y " " quoted("n" search_rows[id, name]) " " quoted(slower(t)) " " \
                    (t < 1.35 ? WHITE : INK) " " (inside > 3) "\n"
                if (i > 1 && t >= least) continue
                least = t
                mark = slower(t) substr(" PS", kind_of(name) + 1, kind_of(name) > 0)
            }
            if (mark != "") cells = cells c - 0.5 " " y " " quoted(mark) "\n"
        }
    }
    panels = panels top - rows / 2 " " quoted(square(n)) " " quoted(winner) " " \
        quoted(significant(search_us[id, winner], 3) " µs") "\n"
}

function slower(t) { return t == 1 ? "best" : sprintf("+%.0f", 100 * (t - 1)) } # in percent

# From blue (1: the best) to a light grey (2 and slower), as 65536 * red + 256 * green + blue.
function heat(t,    s) {
    s = t >= 2 ? 1 : log2(t)
    return 65536 * int(0 + s * 235) + 256 * int(90 + s * 145) + int(160 + s * 75)
}

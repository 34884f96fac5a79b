# Digests recorded measurements into one file a figure, DIR/NAME.dat (blocks that gnuplot picks by name), or, where
# there is nothing to draw, DIR/NAME.why with the reason; and the caption, DIR/caption. After records.awk
# and digest.awk:
#   awk -f records.awk -f digest.awk -f figures.awk -v dir=DIR -v gap=G input=devices FILE input=ladder FILE \
#       input=rows FILE
# gap: least distance of two labels, as a share of the figure's height. ENVIRON["DATA_NAME"]: the CSV's name in
# messages.

BEGIN {
    program = "plots"
    file = ENVIRON["DATA_NAME"]
    BASELINE = 9 # the series number of the baseline; a step's is its own number
    INK = 2236962; WHITE = 16777215 # as gnuplot takes them, 65536 * red + 256 * green + blue
}

input == "devices" && FNR > 1 {
    if (csv_split($0, field) != 4) die(FILENAME ": line " FNR ": not four fields")
    dram_gbps[field[1]] = field[3]
    datasheet_peak[field[1]] = field[4] / 1000
}
input == "ladder" { read_ladder() }
input == "rows" && read_row(file) { keep_row(file) }

END {
    if (failed) exit 2
    if (baseline == "") baseline = "no baseline"
    if (rows == 0) exit 0 # plots.sh says it: no caption, nothing to draw
    print "Recorded measurements: " provenance() ". Cold L2, medians, interleaved with " baseline "." > (dir "/caption")
    print baseline > (dir "/baseline")
    progression()
    size()
    article()
    roofline()
}

function series(step,    s) { # its colour and point type
    s = step
    gsub(/[^0-9].*$/, "", s)
    if (s == "") { s = step; sub(/^[^0-9]*/, "", s) }
    return s % 8 + 0
}

function text_colour(n) { return n ~ /^[456]$/ ? WHITE : INK } # on a bar of that series; others are too light

# bars: y, series, TFLOP/s, variant, text; beside, inside: y, where the text of a bar begins (beside) or ends (inside),
# text, its colour; names: y, step; baseline: TFLOP/s, text; scale: greatest TFLOP/s, baseline, least y, where the texts
# end
function progression(    out, s, v, step, id, y, t, top, base, wide, text, x, right, line, beside, inside) {
    out = dir "/progression.dat"
    base = baseline_ms(4096, 4096, 4096)
    if (base > 0) base = 2 * 4096 * 4096 * 4096 / base / 1e9
    top = base
    for (s = 1; s <= steps; s++)
        for (v = 1; v <= variants[step_name[s]]; v++) {
            id = key(step_name[s], variant_name[step_name[s], v], 4096, 4096, 4096)
            if (has(id) && tflops(id) > top) top = tflops(id)
        }
    if (top == 0) { why("progression", nothing("4096^3")); return }
    wide = 0.29 * top # about the width of a bar's text
    right = 1.1 * top
    print "# bars" > out
    for (s = 1; s <= steps; s++) {
        step = step_name[s]
        for (v = 1; v <= variants[step]; v++) {
            id = key(step, variant_name[step, v], 4096, 4096, 4096)
            if (!has(id)) continue
            if (v == 1 || first[step] == "") { if (y != 0) y -= 0.35; first[step] = y - 1 }
            y -= 1
            t = tflops(id)
            text = speed(t)
            if (value[id, "ratio"] > 0) text = text " (" percent(value[id, "ratio"]) ")"
            line = quoted(variant_name[step, v]) " " quoted(text)
            print y, series(step), t, line > out
            # A text that would cross the baseline's line stands inside its bar, if there is room on the line's left.
            x = t < base ? t : base
            if (t + wide > base && x > wide) {
                inside = inside y " " x - 0.01 * top " " quoted(text) " " text_colour(series(step)) "\n"
                continue
            }
            x = t + wide > base && t < base ? base : t
            beside = beside y " " x + 0.01 * top " " quoted(text) " " INK "\n"
            if (x + wide > right) right = x + wide
        }
    }
    block(out, "beside")
    printf "%s", beside == "" ? "NaN NaN - 0\n" : beside > out
    block(out, "inside")
    printf "%s", inside == "" ? "NaN NaN - 0\n" : inside > out
    block(out, "names")
    for (s = 1; s <= steps; s++) if (first[step_name[s]] != "") print first[step_name[s]], quoted(step_name[s]) > out
    block(out, "baseline")
    if (base > 0) print base, quoted(baseline " " speed(base)) > out
    else print "NaN -" > out
    tell_scale(out, top, base, y, right)
}

# lines: power-of-two sizes, TFLOP/s, series; hollow: the other sizes; labels; scale: greatest TFLOP/s, greatest size
function size(    out, s, i, m, step, name, id, t, n, top, largest, want, place, text, number, end, hollow, h) {
    out = dir "/size.dat"
    print "# lines" > out
    for (s = 1; s <= steps + 1; s++) {
        step = s <= steps ? step_name[s] : ""
        name = step != "" ? best(step) : ""
        n++
        want[n] = -1
        for (i = 1; i <= shape_count; i++) {
            m = shape_m[i]
            if (shape_kind(m, shape_n[i], shape_k[i]) != "square") continue
            if (step != "") {
                id = key(step, name, m, m, m)
                if (!has(id)) continue
                t = tflops(id)
            } else {
                t = baseline_ms(m, m, m)
                if (t == 0) continue
                t = 2 * m * m * m / t / 1e9
            }
            if (t > top) top = t
            if (m > largest) largest = m
            number[n] = step != "" ? series(step) : BASELINE
            if (log2(m) % 1 < 1e-6 || log2(m) % 1 > 1 - 1e-6) print m, t, number[n] > out
            else hollow[++h] = m " " t " " number[n]
            want[n] = t
            end[n] = m
        }
        text[n] = step != "" ? short_step(step) " " name : baseline
        if (want[n] < 0) n--
        print "" > out
    }
    if (n == 0) { why("size", nothing("square shapes")); return }
    top = nice_ceiling(top * 1.04)
    spread(n, want, place, gap * top, 0.02 * top, 0.99 * top)
    block(out, "hollow")
    for (i = 1; i <= h; i++) print hollow[i] > out
    if (h == 0) print "NaN NaN 1" > out
    tell_labels(out, n, largest * 1.25, want, place, text, number, end)
    tell_scale(out, top, largest)
}

# lines: shape number, % of the baseline (median, min, max), series; labels; ticks: number, M = N; scale
function article(    out, s, i, c, m, step, name, id, t, n, top, sum, want, place, text, number, end, sides) {
    out = dir "/article.dat"
    split("2048 4096 8192 16384", sides, " ")
    print "# lines" > out
    for (s = 1; s <= steps; s++) {
        step = step_name[s]
        name = best(step)
        n++
        sum = c = 0
        for (i = 1; i <= 4; i++) {
            id = key(step, name, sides[i], sides[i], 1024)
            if (!has(id) || value[id, "ratio"] + 0 <= 0) continue
            t = 100 * value[id, "ratio"]
            print i, t, 100 * value[id, "ratio_min"], 100 * value[id, "ratio_max"], series(step) > out
            sum += t
            c++
            want[n] = t
            end[n] = i
            if (100 * value[id, "ratio_max"] > top) top = 100 * value[id, "ratio_max"]
            if (t > top) top = t
        }
        if (c == 0) { n--; continue }
        number[n] = series(step)
        text[n] = short_step(step) " " name (c == 4 ? sprintf(", mean %.1f %%", sum / 4) : "")
        print "" > out
    }
    if (n == 0) { why("article", nothing("the article's shapes (K = 1024)")); return }
    n++; want[n] = 100; end[n] = 4.15; number[n] = BASELINE; text[n] = baseline
    n++; want[n] = 97.5; end[n] = 4.15; number[n] = 8; text[n] = "the article's, on a T4: 97.5 %"
    top = top < 107 ? 110 : 10 * int(top * 1.03 / 10 + 1)
    spread(n, want, place, gap * top, 0.02 * top, 0.98 * top)
    tell_labels(out, n, 4.3, want, place, text, number, end)
    tell_scale(out, top)
}

# points: FLOP/byte, TFLOP/s, series; labels; scale: peak TFLOP/s, DRAM TB/s, least TFLOP/s, points above the DRAM roof
function roofline(    out, slug, dram, s, v, step, id, ai, t, n, low, above, want, place, text, number, end,\
    x, i, b, beside, drawn, high) {
    out = dir "/roofline.dat"
    slug = tolower(device)
    gsub(/[^a-z0-9]+/, "-", slug)
    gsub(/^-|-$/, "", slug)
    dram = dram_gbps[slug] / 1000
    if (dram <= 0) {
        why("roofline", "no DRAM bandwidth of " device ", nothing to draw: add a row " slug "," device ",GB/s,GFLOP/s" \
            " (DRAM bandwidth and FP32 peak, from its datasheet) to plots/devices.csv")
        return
    }
    if (peak <= 0) peak = datasheet_peak[slug]
    print "# points" > out
    for (s = 1; s <= steps; s++) {
        step = step_name[s]
        for (v = 1; v <= variants[step]; v++) {
            id = key(step, variant_name[step, v], 4096, 4096, 4096)
            ai = intensity[step, variant_name[step, v]] + 0
            if (!has(id) || ai <= 0) continue
            t = tflops(id)
            print ai, t, series(step) > out
            if (t > ai * dram) { above++; x = ai; if (t > high) high = t }
            if (low == 0 || t < low) low = t
            drawn++
            if (ai < 16) { # room for its name beside it; above the roof, on its left, so as not to cross the roof
                beside[++b] = (t > ai * dram ? 0.135 : ai * 1.15) " " (t > ai * dram ? t * 1.3 : t) " " \
                    quoted(short_step(step) " " variant_name[step, v])
                continue
            }
            n++
            want[n] = log2(t)
            end[n] = ai
            number[n] = series(step)
            text[n] = short_step(step) " " variant_name[step, v]
        }
    }
    if (drawn == 0) { why("roofline", nothing("4096^3")); return }
    block(out, "beside")
    for (i = 1; i <= b; i++) print beside[i] > out
    if (b == 0) print "NaN NaN -" > out
    low = low < 0.5 ? low / 2 : 0.25
    i = log2(peak * 2 / low)
    spread(n, want, place, gap * i, log2(low) + gap * i / 2, log2(peak) - gap * i)
    for (i = 1; i <= n; i++) { want[i] = 2 ^ want[i]; place[i] = 2 ^ place[i] }
    tell_labels(out, n, 110, want, place, text, number, end)
    tell_scale(out, peak, dram, low, above + 0, x + 0, high + 0)
}

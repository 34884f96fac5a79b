# What the digests of the figures share (figures.awk, gemv_figures.awk): blocks, labels, round numbers. After
# records.awk.

function why(figure, reason) { print reason > (dir "/" figure ".why") }

function block(out, name) { print "\n\n# " name > out }

function tell_scale(out, a, b, c, d, e, f) {
    block(out, "scale")
    print a + 0, b + 0, c + 0, d + 0, e + 0, f + 0 > out
}

function quoted(text) {
    gsub(/"/, "'", text)
    return "\"" text "\""
}

function percent(share) { return sprintf("%.1f %%", 100 * share) }

# Moves labels apart: place[i] nearest to want[i] within lo..hi with `distance` between neighbours, order kept.
function spread(n, want, place, distance, lo, hi,    i, j, t, order, round, d) {
    for (i = 1; i <= n; i++) {
        for (j = i - 1; j > 0 && want[order[j]] > want[i]; j--) order[j + 1] = order[j]
        order[j + 1] = i
        place[i] = want[i]
    }
    for (round = 0; round < 500; round++)
        for (i = 1; i < n; i++) {
            d = distance - (place[order[i + 1]] - place[order[i]])
            if (d > 0) { place[order[i]] -= d / 2; place[order[i + 1]] += d / 2 }
        }
    for (i = 1; i <= n; i++) {
        t = i == 1 ? lo : place[order[i - 1]] + distance
        if (place[order[i]] < t) place[order[i]] = t
    }
    for (i = n; i > 0; i--) {
        t = i == n ? hi : place[order[i + 1]] - distance
        if (place[order[i]] > t) place[order[i]] = t
    }
}

function nice_ceiling(x,    unit, t) {
    for (unit = 0.01; unit * 10 < x; unit *= 10) continue
    for (t = unit; t < x; t += unit / 2) continue
    return t
}

function log2(x) { return log(x) / log(2) }

function nothing(shape) { return "no measurement at " shape " in " file ", nothing to draw: `make bench` records it" }

function tell_labels(out, n, x, want, place, text, number, end,    i) {
    block(out, "labels") # x, y of the text, text, series, x, y of what it names
    for (i = 1; i <= n; i++) print x, place[i], quoted(text[i]), number[i], end[i], want[i] > out
    if (n == 0) print "NaN NaN - 1 NaN NaN" > out
}

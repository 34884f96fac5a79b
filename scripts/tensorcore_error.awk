# Digests tf32x3's recorded errors for their figure: DIR/tensorcore_error.dat or .why, DIR/error_caption and
# DIR/error_baseline. After records.awk and digest.awk:
#   awk -f ... -f tensorcore_error.awk -v dir=DIR FILE
# Coordinates are base-2 logarithms: of K, and of the error.

BEGIN {
    program = "plots"
    ERROR_HEADER = "variant,dtype,values,m,n,k,error_max,error_mean,device,cc,driver,cuda,date"
    TF32 = 2; TF32X3 = 6; F32 = 9 # series, as style.gp colours them
    GAP = 0.065 # between labels, of the height
}

{
    if (!read_named(FILENAME, ERROR_HEADER, "recorded errors (tests/tensorcore)")) next
    if (row["device"] ~ /simulated/) next # sums there are not a GPU's
    keep_source("error", FILENAME)
    id = row["values"] SUBSEP row["dtype"] SUBSEP row["k"] + 0
    mean[id] = row["error_mean"]
    most[id] = row["error_max"]
    if (row["k"] + 0 > largest) largest = row["k"] + 0
}

END {
    if (failed) exit 2
    if (largest < 2) {
        why("tensorcore_error", "no errors in " FILENAME ", nothing to draw: `make errors` records them")
        exit 0
    }
    print "Recorded errors: " source("error") ". |c - ref| / |A||B| of a square of elements, ref in FP64." > (dir "/error_caption")
    print "FP32" > (dir "/error_baseline")
    out = dir "/tensorcore_error.dat"
    right = log2(largest) + 7
    lowest = 0; highest = -100
    print "# means" > out
    for (panel = 0; panel <= 1; panel++) lines(panel, mean)
    block(out, "maxima")
    for (panel = 0; panel <= 1; panel++) lines(panel, most)
    lowest = -whole(0.5 - lowest); highest = -int(-highest - 1)
    block(out, "labels")
    for (panel = 0; panel <= 1; panel++) labels(panel)
    block(out, "ticks")
    for (panel = 0; panel <= 1; panel++)
        for (k = 1; k <= largest; k *= 16) print log2(k) + panel * right, quoted(k) > out
    block(out, "panels")
    print log2(largest) / 2, quoted("values in [-1, 1)") > out
    print log2(largest) / 2 + right, quoted("values in [0, 1]: nothing cancels") > out
    tell_scale(out, lowest, highest, log2(largest), right)
}

function whole(x) { return int(x) + (x > int(x)) } # of positive x, rounded up

function values_of(panel) { return panel ? "positive" : "signed" }
function type_of(i) { return i == 1 ? "tf32" : i == 2 ? "f32" : "tf32x3" }
function series_of(i) { return i == 1 ? TF32 : i == 2 ? F32 : TF32X3 }
function name_of(i) { return i == 1 ? "TF32" : i == 2 ? "FP32" : "tf32x3" }

function lines(panel, of,    i, k, id, y) {
    for (i = 1; i <= 3; i++) {
        for (k = 1; k <= largest; k *= 2) {
            id = values_of(panel) SUBSEP type_of(i) SUBSEP k
            if (!(id in of) || of[id] + 0 <= 0) continue
            y = log2(of[id])
            if (y < lowest) lowest = y
            if (y > highest) highest = y
            print log2(k) + panel * right, y, series_of(i) > out
        }
        print "" > out
    }
}

function labels(panel,    i, n, k, id, want, place, text, number, end) {
    for (i = 1; i <= 3; i++) {
        for (k = largest; k >= 1; k /= 2) {
            id = values_of(panel) SUBSEP type_of(i) SUBSEP k
            if (id in mean && mean[id] + 0 > 0) break
        }
        if (k < 1) continue
        want[++n] = log2(mean[id])
        text[n] = name_of(i)
        number[n] = series_of(i)
        end[n] = log2(k) + panel * right
    }
    spread(n, want, place, GAP * (highest - lowest), lowest, highest)
    for (i = 1; i <= n; i++)
        print log2(largest) + 0.9 + panel * right, place[i], quoted(text[i]), number[i], end[i], want[i] > out
}

# Digests the tensor cores' recorded measurements for their figures, as figures.awk does the FP32 GEMMs':
# DIR/tensorcore_NAME.dat or .why, and the caption, DIR/tensorcore_caption. After records.awk, digest.awk and tensorcore.awk:
#   awk -f ... -f tensorcore_figures.awk -v dir=DIR -v gap=G input=tensorcore_ladder FILE input=tensorcore FILE
# ENVIRON["DATA_NAME"]: the CSV's name in messages.

BEGIN {
    program = "plots"
    file = ENVIRON["DATA_NAME"]
    OF_F16 = 6; OF_OTHERS = 3 # series, as style.gp colours them
    types = split("f16 bf16 s8 tf32 tf32x3", type, " ")
    split("6 2 5 4 1", type_series, " ")
}

{ read_tensor(file) }

END {
    if (failed) exit 2
    if (!("tensor" in source_device)) exit 0 # plots.sh says it
    for (step in tensor_step_known) break # there is one step of tensor cores
    print "Recorded measurements: " source("tensor") ". Cold L2, medians, beside the best heuristic of cublasLt." \
        > (dir "/tensorcore_caption")
    print "cuBLAS" > (dir "/tensorcore_baseline")
    ladder_figure()
    size_figure()
}

function whole(x) { return x >= 100 ? sprintf("%.0f", x) : speed(x) }

function of_side(variant, dtype, side) { return tensor_key(step, variant, dtype, "tn", side, side, side, "burst") }

# bars: y, series, TFLOP/s, variant, text; baseline and limit: TFLOP/s, text; scale: greatest TFLOP/s, cuBLAS's, least y,
# the power-limited peak
function ladder_figure(    out, v, name, dtype, id, y, top, base, limit, ms) {
    out = dir "/tensorcore_ladder.dat"
    ms = tensor_baseline_ms(step, "f16", "tn", TENSOR_SIDE, TENSOR_SIDE, TENSOR_SIDE, "burst")
    if (ms != "") base = tensor_flops(ms, TENSOR_SIDE, TENSOR_SIDE, TENSOR_SIDE)
    top = base + 0
    if (!tensor_limit(step, "f16", "tn", limit)) limit["tflops"] = 0
    if (limit["tflops"] > top) top = limit["tflops"]
    print "# bars" > out
    for (v = 1; v <= variants[step]; v++) {
        name = variant_name[step, v]
        dtype = (step, name) in ladder_type ? ladder_type[step, name] : "f16"
        id = of_side(name, dtype, TENSOR_SIDE)
        if (!tensor_has(id)) continue
        y -= 1
        if (tensor_tflops(id) > top) top = tensor_tflops(id)
        print y, dtype == "f16" ? OF_F16 : OF_OTHERS, tensor_tflops(id), \
            quoted(name (dtype == "f16" ? "" : dtype == "tf32x3" ? ", FP32" : ", " dtype)), \
            quoted(whole(tensor_tflops(id)) (tensor_value[id, "ratio"] > 0 ? \
            " (" percent(tensor_value[id, "ratio"]) ")" : "")) > out
    }
    if (y == 0) { close(out); why("tensorcore_ladder", nothing("4096^3, tn")); return }
    block(out, "baseline")
    if (base > 0) print base, quoted("cuBLAS, f16: " whole(base)) > out
    else print "NaN -" > out
    block(out, "limit")
    if (limit["tflops"] > 0) print limit["tflops"], quoted("peak of f16 at the sustained clock, " \
        sprintf("%.2f GHz: ", limit["clock"] / 1000) whole(limit["tflops"])) > out
    else print "NaN -" > out
    tell_scale(out, top, base, y, limit["tflops"])
}

# A top for the axis: whole steps of tensorcore_size.gp's marks, so that little of the height is empty.
function whole_ceiling(x,    unit, t) {
    if (x <= 300) return nice_ceiling(x)
    unit = x > 800 ? 200 : 100
    for (t = unit; t < x; t += unit) continue
    return t
}

# lines: m, TFLOP/s, series; theirs: cuBLAS's, timed in turn with that line's point; labels; scale: greatest TFLOP/s, least size, greatest size
function size_figure(    out, t, i, id, side, name, ours, x, y, top, least, largest, n, want, place, text, number, end, theirs) {
    out = dir "/tensorcore_size.dat"
    print "# lines" > out
    for (ours = 1; ours >= 0; ours--) {
        if (!ours) block(out, "theirs")
        for (t = 1; t <= types; t++) {
            name = tensor_best(type[t])
            n++
            want[n] = -1
            for (i = 1; i <= tensor_sides; i++) {
                side = tensor_side[i]
                id = of_side(name, type[t], side)
                if (!tensor_has(id) || (!ours && tensor_value[id, "baseline_ms"] + 0 <= 0)) continue
                y = ours ? tensor_tflops(id) : tensor_flops(tensor_value[id, "baseline_ms"], side, side, side)
                print side, y, type_series[t] > out
                if (!ours) theirs = 1
                want[n] = y
                end[n] = side
                if (y > top) top = y
                if (side > largest) largest = side
                if (least == 0 || side < least) least = side
            }
            number[n] = type_series[t] (ours ? "" : " 1") # a series, and 1 where it is cuBLAS's
            text[n] = (ours ? name : "cuBLAS") " " (ours && type[t] == "tf32x3" ? "" : \
                type[t] == "tf32x3" ? "FP32" : type[t])
            sub(/ $/, "", text[n])
            if (want[n] < 0) n--
            else print "" > out
        }
        if (!ours && !theirs) print "NaN NaN 1" > out
    }
    if (n == 0) { close(out); why("tensorcore_size", nothing("square shapes, tn")); return }
    top = whole_ceiling(top * 1.04)
    spread(n, want, place, gap * top, 0.02 * top, 0.99 * top)
    block(out, "labels") # x, y of the text, text, series, 1 where it is cuBLAS's, x, y of what it names
    for (i = 1; i <= n; i++)
        print largest * 1.2, place[i], quoted(text[i]), number[i] (number[i] ~ / / ? "" : " 0"), end[i], want[i] > out
    tell_scale(out, top, least, largest)
}

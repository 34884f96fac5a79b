# The tensor cores' tables and values in the notes (their markers: scripts/notes.sh), which notes.awk calls. After
# records.awk, notes.awk and tensorcore.awk.

function tell_tensor_table(word, n,    dtype, layout) {
    if (word[1] == "tensor-sizes") {
        need(n, 4, 4, "table: tensor-sizes STEP DTYPE LAYOUT")
        tensor_sizes_table(tensor_step(word[2]), tensor_type(word[3]), tensor_layout(word[4]))
    } else if (word[1] == "tensor-odd") {
        need(n, 2, 4, "table: tensor-odd STEP [DTYPE] [LAYOUT]")
        dtype = n > 2 ? tensor_type(word[3]) : "f16"
        layout = n > 3 ? tensor_layout(word[4]) : "tn"
        tensor_odd_table(tensor_step(word[2]), dtype, layout)
    } else if (word[1] ~ /^tensor-(ladder|bars|summary|sustained|counters)$/) {
        need(n, 2, 2, "table: " word[1] " STEP")
        if (word[1] == "tensor-ladder") tensor_ladder_table(tensor_step(word[2]))
        else if (word[1] == "tensor-bars") tensor_bars(tensor_step(word[2]))
        else if (word[1] == "tensor-summary") tensor_summary_table(tensor_step(word[2]))
        else if (word[1] == "tensor-sustained") tensor_sustained_table(tensor_step(word[2]))
        else tensor_counters(tensor_step(word[2]))
    } else die(note ":" FNR ": unknown table " word[1] \
        " (tensor-ladder, tensor-bars, tensor-sizes, tensor-summary, tensor-sustained, tensor-odd, tensor-counters)")
}

function tensor_step(name,    step) {
    for (step in tensor_step_known) if (step == name || short_step(step) == name) return step
    die(note ":" FNR ": unknown step of tensor cores " name)
}

function is_tensor_type(word) { return word ~ /^(f16|bf16|s8|tf32|tf32x3|f16>f32|bf16>f32)$/ }
function is_tensor_layout(word) { return word ~ /^(tn|nn)$/ }

function tensor_type(word) {
    if (!is_tensor_type(word)) die(note ":" FNR ": unknown type " word " (f16, bf16, s8, tf32, tf32x3)")
    return word
}

function tensor_layout(word) {
    if (!is_tensor_layout(word)) die(note ":" FNR ": unknown layout " word " (tn, nn)")
    return word
}

# What stands below a table.
function tensor_source(what) {
    print ""
    print "<sub>" ("tensor" in source_device ? "Recorded on " source("tensor") "; cold L2, medians, ratios pair by pair" \
        (what == "" ? "" : "; " what) "." : "Not measured yet.") "</sub>"
}

function cube(step, variant, dtype, layout, side, load) {
    return tensor_key(step, variant, dtype, layout, side, side, side, load)
}

# A type in a note: tf32x3 computes FP32, which is what cuBLAS does beside it.
function tensor_baseline_name(dtype) { return dtype == "tf32x3" ? "cuBLAS, FP32" : "cuBLAS, " dtype }

function tensor_ms_text(ms) { return ms == "" ? DASH : significant(ms, 4) }
function tensor_cell_ms(id) { return tensor_ms_text(tensor_has(id) ? tensor_value[id, "ms_median"] + 0 : "") }
function tensor_speed(t) { return t == "" ? DASH : t >= 100 ? sprintf("%.0f", t) : speed(t) }
function tensor_cell_tflops(id) { return tensor_speed(tensor_has(id) ? tensor_tflops(id) : "") }
function tensor_cell_peak(id) {
    return tensor_has(id) && tensor_value[id, "peak_share"] != "" ? \
        sprintf("%.1f %%", 100 * tensor_value[id, "peak_share"]) : DASH
}
function tensor_cell_ratio(id) {
    if (!tensor_has(id) || tensor_value[id, "ratio"] == "") return DASH
    return sprintf("%.3f (%.3f..%.3f)", tensor_value[id, "ratio"], tensor_value[id, "ratio_min"],
        tensor_value[id, "ratio_max"])
}
function tensor_cell_short(id) {
    if (!tensor_has(id)) return DASH
    return tensor_cell_tflops(id) \
        (tensor_value[id, "ratio"] == "" ? "" : sprintf(" (%.2f)", tensor_value[id, "ratio"]))
}
function tensor_cell(id, column, format) {
    return tensor_has(id) && tensor_value[id, column] != "" ? sprintf(format, tensor_value[id, column]) : DASH
}

# Every variant at 4096^3 in the type that it stands for, cuBLAS in each of these types, and the power-limited peak.
function tensor_ladder_table(step,    v, name, id, i, types, type, ms, t, peak, limit) {
    print "| variant | type | ms | TFLOP/s | % of the type's peak | ratio to cuBLAS, median (min..max) |"
    print "|---|---|--:|--:|--:|--:|"
    for (v = 1; v <= variants[step]; v++) {
        name = variant_name[step, v]
        if (!((step, name) in ladder_type)) continue
        types = insert_type(type, types + 0, ladder_type[step, name])
        id = cube(step, name, ladder_type[step, name], "tn", TENSOR_SIDE, "burst")
        if (tensor_peak(id) != "") peak[ladder_type[step, name]] = tensor_peak(id)
        print "| `" name "` | " ladder_type[step, name] " | " tensor_cell_ms(id) " | " tensor_cell_tflops(id) " | " \
            tensor_cell_peak(id) " | " tensor_cell_ratio(id) " |"
    }
    for (i = 1; i <= types; i++) {
        ms = tensor_baseline_ms(step, type[i], "tn", TENSOR_SIDE, TENSOR_SIDE, TENSOR_SIDE, "burst")
        if (ms == "") continue
        t = tensor_flops(ms, TENSOR_SIDE, TENSOR_SIDE, TENSOR_SIDE)
        print "| " tensor_baseline_name(type[i]) " | " type[i] " | " tensor_ms_text(ms) " | " tensor_speed(t) " | " \
            (type[i] in peak && type[i] != "tf32x3" ? sprintf("%.1f %%", 100 * t / peak[type[i]]) : DASH) " | 1 |"
    }
    if (tensor_limit(step, "f16", "tn", limit)) {
        print ""
        print "Under continuous load at " limit["side"] "³ the clock settled at " sprintf("%.0f", limit["clock"]) \
            " MHz. At that clock the f16 peak is " tensor_speed(limit["tflops"]) " TFLOP/s, the power-limited peak."
    }
    tensor_source("4096³, B column by column (tn)")
}

function insert_type(list, count, x,    i) { # into list[1..count], once; returns the new count
    for (i = 1; i <= count; i++) if (list[i] == x) return count
    list[count + 1] = x
    return count + 1
}

# The ladder drawn in text: the variants that stand for f16, 96 columns at most.
function tensor_bars(step,    v, name, id, base, top, name_wide, label, wide, mark, ms) {
    ms = tensor_baseline_ms(step, "f16", "tn", TENSOR_SIDE, TENSOR_SIDE, TENSOR_SIDE, "burst")
    base = ms == "" ? 0 : tensor_flops(ms, TENSOR_SIDE, TENSOR_SIDE, TENSOR_SIDE)
    top = base
    label = "TFLOP/s" (base > 0 ? " (% of cuBLAS)" : "")
    for (v = 1; v <= variants[step]; v++) {
        name = variant_name[step, v]
        if (ladder_type[step, name] != "f16") continue
        id = cube(step, name, "f16", "tn", TENSOR_SIDE, "burst")
        if (length(name) > name_wide) name_wide = length(name)
        if (tensor_has(id) && tensor_tflops(id) > top) top = tensor_tflops(id)
    }
    wide = 96 - name_wide - length(label) - 5
    mark = base > 0 ? int(wide * base / top + 0.5) : -1
    print "```"
    print pad("", name_wide + 1) mark_line(wide, mark, "cuBLAS " tensor_speed(base)) label
    for (v = 1; v <= variants[step]; v++) {
        name = variant_name[step, v]
        if (ladder_type[step, name] != "f16") continue
        id = cube(step, name, "f16", "tn", TENSOR_SIDE, "burst")
        print pad(name, name_wide) " " bar_line(tensor_has(id) ? int(wide * tensor_tflops(id) / top + 0.5) : 0, wide, mark) \
            (tensor_has(id) ? tensor_cell_tflops(id) (tensor_value[id, "ratio"] == "" ? "" : \
            sprintf(" (%.1f %%)", 100 * tensor_value[id, "ratio"])) : DASH)
    }
    print "```"
    tensor_source("f16, 4096³, tn")
}

# One type and layout at all sizes: the best variant, multistage, cuBLAS.
function tensor_sizes_table(step, dtype, layout,    i, side, name, id, ms, both) {
    name = tensor_best(dtype)
    both = dtype != "tf32x3"
    print "| m = n = k | `" name "` ms | TFLOP/s | % of peak | ratio to " \
        (both ? "cuBLAS" : "cuBLAS's FP32") ", median (min..max) |" (both ? " `multistage` TFLOP/s (ratio) |" : "") \
        " cuBLAS ms | TFLOP/s |"
    print "|--:|--:|--:|--:|--:|" (both ? "--:|" : "") "--:|--:|"
    for (i = 1; i <= tensor_sides; i++) {
        side = tensor_side[i]
        id = cube(step, name, dtype, layout, side, "burst")
        ms = tensor_baseline_ms(step, dtype, layout, side, side, side, "burst")
        print "| " side " | " tensor_cell_ms(id) " | " tensor_cell_tflops(id) " | " tensor_cell_peak(id) " | " \
            tensor_cell_ratio(id) " |" \
            (both ? " " tensor_cell_short(cube(step, "multistage", dtype, layout, side, "burst")) " |" : "") " " \
            tensor_ms_text(ms) " | " tensor_speed(tensor_flops(ms, side, side, side)) " |"
    }
    tensor_source(dtype " " layout)
}

# Types and layouts against sizes, by the best variant: TFLOP/s and the ratio to cuBLAS.
function tensor_summary_table(step,    i, j, line, kinds, kind, part) {
    kinds = split("f16,tn f16,nn bf16,tn bf16,nn s8,tn tf32,tn tf32,nn tf32x3,tn tf32x3,nn", kind, " ")
    line = "| type, layout |"
    for (i = 1; i <= tensor_sides; i++) line = line " " tensor_side[i] "³ |"
    print line
    print "|---|--:|--:|--:|--:|--:|"
    for (j = 1; j <= kinds; j++) {
        split(kind[j], part, ",")
        line = "| " part[1] " " part[2] ", `" tensor_best(part[1]) "` |"
        for (i = 1; i <= tensor_sides; i++)
            line = line " " tensor_cell_short(cube(step, tensor_best(part[1]), part[1], part[2], tensor_side[i], "burst")) " |"
        print line
    }
    print ""
    print "TFLOP/s (of s8: TOP/s), in brackets the ratio to cuBLAS in the same type, of tf32x3 to cuBLAS in FP32."
    tensor_source("")
}

# Short and under continuous load.
function tensor_sustained_table(step,    i, j, types, type, side, a, b, ms, shown) {
    print "| type, m = n = k | TFLOP/s | MHz | W | ratio | sustained: TFLOP/s | MHz | W | ratio, median (min..max) |" \
        " cuBLAS sustained, TFLOP/s |"
    print "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    types = split("f16 bf16", type, " ")
    for (j = 1; j <= types; j++)
        for (i = 1; i <= tensor_sides; i++) {
            side = tensor_side[i]
            a = cube(step, "persistent", type[j], "tn", side, "burst")
            b = cube(step, "persistent", type[j], "tn", side, "sustained")
            if (!tensor_has(b)) continue
            shown = 1
            ms = tensor_baseline_ms(step, type[j], "tn", side, side, side, "sustained")
            print "| " type[j] ", " side " | " tensor_cell_tflops(a) " | " tensor_cell(a, "clock_mhz", "%.0f") " | " \
                tensor_cell(a, "power_w", "%.0f") " | " tensor_cell(a, "ratio", "%.3f") " | " tensor_cell_tflops(b) \
                " | " tensor_cell(b, "clock_mhz", "%.0f") " | " tensor_cell(b, "power_w", "%.0f") " | " \
                tensor_cell_ratio(b) " | " tensor_speed(tensor_flops(ms, side, side, side)) " |"
        }
    if (!shown) print "| " DASH " | " DASH " | " DASH " | " DASH " | " DASH " | " DASH " | " DASH " | " DASH " | " DASH \
        " | " DASH " |"
    tensor_source("`persistent`, tn; sustained: both sides in turn without a pause, the second half of the time")
}

# Shapes beside the next aligned ones (scripts/bench.sh measures them).
function tensor_odd_table(step, dtype, layout,    i, j, pairs, pair, names, name, s, side, next_side, a, b) {
    print "| m × n × k | variant | ms | TFLOP/s | ratio to cuBLAS, median (min..max) | next aligned | its ms |" \
        " times as long |"
    print "|--:|---|--:|--:|--:|--:|--:|--:|"
    pairs = split("4095,4097,4100,4096,4104,4104 1000,1000,1000,1024,1024,1024 8192,8192,72,8192,8192,128", pair, " ")
    names = split("multistage persistent", name, " ")
    for (i = 1; i <= pairs; i++) {
        split(pair[i], s, ",")
        for (j = 1; j <= names; j++) {
            a = tensor_key(step, name[j], dtype, layout, s[1], s[2], s[3], "burst")
            b = tensor_key(step, name[j], dtype, layout, s[4], s[5], s[6], "burst")
            print "| " s[1] " × " s[2] " × " s[3] " | `" name[j] "` | " tensor_cell_ms(a) " | " tensor_cell_tflops(a) \
                " | " tensor_cell_ratio(a) " | " s[4] " × " s[5] " × " s[6] " | " tensor_cell_ms(b) " | " \
                (tensor_has(a) && tensor_has(b) ? \
                sprintf("%.2f", tensor_value[a, "ms_median"] / tensor_value[b, "ms_median"]) : DASH) " |"
        }
    }
    tensor_source(dtype " " layout)
}

function tensor_counters(step,    v, name, conflicts) {
    print "| variant | DRAM GB read | L2 GB read | shared wavefronts, millions | bank conflicts, millions |" \
        " issue slots busy | tensor pipe | warps active | largest stall: warps an issue |"
    print "|---|--:|--:|--:|--:|--:|--:|--:|---|"
    for (v = 1; v <= variants[step]; v++) {
        name = variant_name[step, v]
        conflicts = plus(find_fact("counter", step, name, CONFLICTS "ld.sum"),
            find_fact("counter", step, name, CONFLICTS "st.sum"))
        print "| `" name "` | " \
            cell_fact(quotient(find_fact("counter", step, name, "dram__bytes_read.sum"), 1e9), "%.2f") " | " \
            cell_fact(quotient(find_fact("counter", step, name, "lts__t_sectors_op_read.sum"), 1e9 / 32), "%.2f") " | " \
            cell_fact(quotient(find_fact("counter", step, name, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"), 1e6),
                "%.2f") " | " cell_fact(quotient(conflicts, 1e6), "%.2f") " | " \
            cell_share(step, name, "smsp__issue_active") " | " \
            cell_share(step, name, "sm__inst_executed_pipe_tensor") " | " \
            cell_share(step, name, "sm__warps_active") " | " largest_stall(step, name) " |"
    }
    print ""
    print "<sub>" (step in counted_at ? "Counted on " tell_source(counted_on, counted_driver, counted_cuda, \
        counted_first, counted_last) " by Nsight Compute: each kernel once, at " counted_at[step] \
        ", each in the type of the ladder." : "Not measured yet.") "</sub>"
}

# ---- values inside a line

# Takes the optional words from word[first] on: a type, a layout, `sustained`. Sets option["dtype" | "layout" | "load"],
# where they are named, and returns the number of the first word that is none of them.
function tensor_options(word, n, first, option,    i) {
    option["dtype"] = ""
    option["layout"] = "tn"
    option["load"] = "burst"
    for (i = first; i <= n && tensor_option(word[i], option); i++) continue
    return i
}

function tensor_option(word, option) {
    if (is_tensor_type(word)) option["dtype"] = word
    else if (is_tensor_layout(word)) option["layout"] = word
    else if (word == "sustained") option["load"] = word
    else return 0
    return 1
}

# The variant's name, or cublas; and the type that it stands for, where none is named.
function tensor_name(step, name, option) {
    if (name != "cublas" && !((step, name) in known_variant))
        die(note ":" FNR ": unknown variant " name " of " step)
    if (option["dtype"] == "") option["dtype"] = (step, name) in ladder_type ? ladder_type[step, name] : "f16"
    return name
}

function tensor_ms(step, name, m, n, k, option,    id) { # "" where not measured
    if (name == "cublas")
        return tensor_baseline_ms(step, option["dtype"], option["layout"], m, n, k, option["load"])
    id = tensor_key(step, name, option["dtype"], option["layout"], m, n, k, option["load"])
    return tensor_has(id) ? tensor_value[id, "ms_median"] + 0 : ""
}

function one_tensor(word, n,    step, name, field, option, format, id, x) {
    need(n, 6, 99, "tensor: STEP VARIANT M N K FIELD [DTYPE] [LAYOUT] [sustained] [FORMAT]")
    step = tensor_step(word[1])
    field = word[6]
    format = format_from(word, n, tensor_options(word, n, 7, option))
    name = tensor_name(step, word[2], option)
    id = tensor_key(step, name, option["dtype"], option["layout"], word[3], word[4], word[5], option["load"])
    x = tensor_ms(step, name, word[3], word[4], word[5], option)
    if (field == "us") x = x == "" ? "" : 1000 * x
    else if (field == "tflops") x = tensor_flops(x, word[3], word[4], word[5])
    else if (field == "percent" || field == "peak_percent") {
        x = tensor_has(id) ? tensor_value[id, field == "percent" ? "ratio" : "peak_share"] : ""
        if (x != "") x *= 100
    } else if (field == "ms_median") x = x # cuBLAS's too
    else if (field in is_column) x = tensor_has(id) ? tensor_value[id, field] : ""
    else die(note ":" FNR ": unknown field " field)
    if (x == "") return "not measured"
    if (format != "") return sprintf(format, x)
    if (field == "us") return significant(x, 3)
    if (field == "tflops") return tensor_speed(x)
    if (field ~ /percent$/) return sprintf("%.1f", x)
    if (field ~ /^ratio/) return sprintf("%.2f", x)
    if (field ~ /ms/) return significant(x, 4)
    return x
}

# How many times as fast the first is as the second.
function one_tensor_ratio(word, n,    step, option, format, a, b) {
    need(n, 6, 99, "tensor-ratio: STEP VARIANT1[/WORD]... VARIANT2[/WORD]... M N K [DTYPE] [LAYOUT] [sustained] [FORMAT]")
    step = tensor_step(word[1])
    format = format_from(word, n, tensor_options(word, n, 7, option))
    a = tensor_ms_with(step, word, n, 2)
    b = tensor_ms_with(step, word, n, 3)
    if (a == "" || b == "") return "not measured"
    return format == "" ? factor(b / a) : sprintf(format, b / a)
}

# The time of word[which], whose own options, after slashes, count before the marker's: persistent/nn.
function tensor_ms_with(step, word, n, which,    part, parts, i, option) {
    tensor_options(word, n, 7, option)
    parts = split(word[which], part, "/")
    for (i = 2; i <= parts; i++)
        if (!tensor_option(part[i], option)) die(note ":" FNR ": " part[i] " is no type or layout")
    return tensor_ms(step, tensor_name(step, part[1], option), word[4], word[5], word[6], option)
}

# The power-limited peak: tflops or clock.
function one_tensor_limit(word, n,    step, limit, field, format) {
    need(n, 2, 99, "tensor-limit: STEP tflops|clock [FORMAT]")
    step = tensor_step(word[1])
    field = word[2]
    if (field != "tflops" && field != "clock") die(note ":" FNR ": unknown field " field)
    format = format_from(word, n, 3)
    if (!tensor_limit(step, "f16", "tn", limit)) return "not measured"
    return format == "" ? sprintf("%.0f", limit[field]) : sprintf(format, limit[field])
}

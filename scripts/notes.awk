# Rewrites one note: what stands between its markers comes from recorded measurements. With records.awk before it,
# gemv.awk and gemv_notes.awk (GEMV's markers), tensorcore.awk and tensorcore_notes.awk (the tensor cores'), knn.awk and
# knn_notes.awk (step 8's) after it:
#   awk -f records.awk -f notes.awk -f gemv.awk -f gemv_notes.awk -f tensorcore.awk -f tensorcore_notes.awk \
#       -f knn.awk -f knn_notes.awk \
#       input=ladder intensity.csv input=gemv_ladder gemv_ladder.csv input=tensorcore_ladder tensorcore_ladder.csv \
#       input=metrics metrics.txt input=rows FILE.csv [input=gemv gemv.csv] [input=gemv_search gemv_search.csv] \
#       [input=gemv_dram gemv_dram.csv] [input=tensorcore tensorcore.csv] [input=knn knn.csv] \
#       [input=knn_rates knn_rates.csv] [input=counters counters.csv] [input=sass sass.csv] input=note NOTE.md
# ENVIRON["DATA_NAME"], ["NOTE_NAME"]: the files' names in messages. The markers are described in scripts/notes.sh.

BEGIN {
    program = "notes"
    data = ENVIRON["DATA_NAME"]
    note = ENVIRON["NOTE_NAME"]
    DASH = "–"
    fields = split(SASS_HEADER, field_name, ",")
    for (i = 3; i <= fields; i++) known_fact["sass", field_name[i]] = 1
    GLOBAL = "pipe_lsu_mem_global_op_"
    CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_"
    STALL = "smsp__average_warps_issue_stalled_"
}

input == "ladder" { read_ladder(); next }
input == "rows" { if (read_row(data)) keep_row(data); next }
input ~ /^gemv/ { read_gemv(FILENAME); next }
input ~ /^tensorcore/ { read_tensor(FILENAME); next }
input ~ /^knn/ { read_knn(FILENAME); next }
input == "metrics" { sub(/#.*/, ""); if (NF) known_fact["counter", $1] = 1; next }
input == "counters" { if (read_named(FILENAME, COUNTERS_HEADER, "recorded counters")) keep_counter(); next }
input == "sass" { if (read_named(FILENAME, SASS_HEADER, "recorded machine code")) keep_sass(); next }

/^ *(```|~~~)/ && !table { fenced = !fenced } # a marker in a code block is an example
fenced { print; next }

table && /^ *<!-- end -->/ { print; table = 0; next }
table && !/^ *<!-- table: / { next }
table { die(note ":" table ": the table has no <!-- end --> (line " FNR " opens another)") }
/^ *<!-- table: / {
    n = words($0, "table", word)
    if (index($0, "<!-- end -->")) die(note ":" FNR ": the table's <!-- end --> belongs on a line of its own")
    table = FNR
    print
    tell_table(word, n)
    next
}
{ print inline($0) }

END {
    if (failed) exit 2
    if (table) die(note ":" table ": the table has no <!-- end -->")
}

# The words of the marker that `text` starts with, in word[1..]; returns how many.
function words(text, kind, word) {
    sub(".*<!-- " kind ": *", "", text)
    if (!sub(/ *-->.*/, "", text)) die(note ":" FNR ": a marker that is not closed")
    return split(text, word, / +/)
}

function need(n, least, most, usage) {
    if (n < least || n > most) die(note ":" FNR ": the marker reads " usage)
}

function find_step(name,    s, i) { # step05 stands for step05_doublebuffer
    for (s = 1; s <= steps; s++)
        if (step_name[s] == name || short_step(step_name[s]) == name) return step_name[s]
    for (s in tensor_step_known) if (s == name || short_step(s) == name) return s
    die(note ":" FNR ": unknown step " name)
}

function find_variant(step, name) {
    if (!((step, name) in known_variant)) die(note ":" FNR ": unknown variant " name " of " step)
    return name
}

# ---- tables

function tell_table(word, n) {
    if (word[1] ~ /^gemv/) { tell_gemv_table(word, n); return }
    if (word[1] ~ /^tensor/) { tell_tensor_table(word, n); return }
    if (word[1] ~ /^knn/) { tell_knn_table(word, n); return }
    if (word[1] == "ladder") { need(n, 1, 1, "table: ladder"); ladder() }
    else if (word[1] == "bars") { need(n, 1, 1, "table: bars"); bars() }
    else if (word[1] == "article") { need(n, 1, 1, "table: article"); article() }
    else if (word[1] == "step") { need(n, 2, 2, "table: step STEP"); one_step(find_step(word[2])) }
    else if (word[1] == "square") { need(n, 2, 2, "table: square STEP"); sweep(find_step(word[2]), "square") }
    else if (word[1] == "odd") { need(n, 2, 2, "table: odd STEP"); sweep(find_step(word[2]), "odd") }
    else if (word[1] == "speedup") { need(n, 2, 2, "table: speedup STEP"); speedup(find_step(word[2])) }
    else if (word[1] == "counters") { need(n, 2, 2, "table: counters STEP"); counters(find_step(word[2])); return }
    else if (word[1] == "sass") { need(n, 2, 2, "table: sass STEP"); sass(find_step(word[2])); return }
    else die(note ":" FNR ": unknown table " word[1] \
        " (ladder, bars, step, square, article, odd, speedup, counters, sass, gemv..., tensor..., knn...)")
    print ""
    print "<sub>" (device == "" ? "Not measured yet." : "Recorded on " provenance() "; cold L2, medians" \
        (baseline == "" ? "" : ", ratios pair by pair") ".") "</sub>"
}

function against() { return baseline == "" ? "cuBLAS" : baseline }

function cell_ms(id) { return has(id) ? significant(value[id, "ms_median"], 4) : DASH }
function cell_tflops(id) { return has(id) ? speed(tflops(id)) : DASH }
function cell_peak(id) {
    return has(id) && value[id, "peak_share"] != "" ? sprintf("%.1f %%", 100 * value[id, "peak_share"]) : DASH
}
function cell_ratio(id) {
    if (!has(id) || value[id, "ratio"] == "") return DASH
    return sprintf("%.3f (%.3f..%.3f)", value[id, "ratio"], value[id, "ratio_min"], value[id, "ratio_max"])
}
function cell_short(id) {
    if (!has(id)) return DASH
    return speed(tflops(id)) (value[id, "ratio"] == "" ? "" : sprintf(" (%.2f)", value[id, "ratio"]))
}

function ladder(    s, v, step, id, ms, t) { # all steps at 4096^3
    print "| step | variant | ms | TFLOP/s | % of FP32 peak | ratio to " against() ", median (min..max) |"
    print "|---|---|--:|--:|--:|--:|"
    for (s = 1; s <= steps; s++) {
        step = step_name[s]
        for (v = 1; v <= variants[step]; v++) {
            id = key(step, variant_name[step, v], 4096, 4096, 4096)
            print "| " step " | `" variant_name[step, v] "` | " cell_ms(id) " | " cell_tflops(id) " | " \
                cell_peak(id) " | " cell_ratio(id) " |"
        }
    }
    ms = baseline_ms(4096, 4096, 4096)
    if (ms == 0) return
    t = 2 * 4096 ^ 3 / ms / 1e9
    print "| " baseline " | | " significant(ms, 4) " | " speed(t) " | " \
        (peak > 0 ? sprintf("%.1f %%", 100 * t / peak) : DASH) " | 1 |"
}

# The ladder drawn in text, 96 columns at most.
function bars(    s, v, step, name, id, base, top, step_wide, name_wide, label, wide, mark) {
    base = baseline_ms(4096, 4096, 4096)
    if (base > 0) top = base = 2 * 4096 ^ 3 / base / 1e9
    label = "TFLOP/s" (base > 0 ? " (% of " baseline ")" : "")
    for (s = 1; s <= steps; s++) {
        step = step_name[s]
        if (length(step) > step_wide) step_wide = length(step)
        for (v = 1; v <= variants[step]; v++) {
            name = variant_name[step, v]
            id = key(step, name, 4096, 4096, 4096)
            if (length(name) > name_wide) name_wide = length(name)
            if (has(id) && tflops(id) > top) top = tflops(id)
        }
    }
    wide = 96 - step_wide - name_wide - length(label) - 5 # columns of the longest bar
    if (wide < 10) wide = 10
    mark = base > 0 ? int(wide * base / top + 0.5) : -1
    print "```"
    print pad("", step_wide + name_wide + 2) mark_line(wide, mark, baseline " " speed(base)) label
    for (s = 1; s <= steps; s++) {
        step = step_name[s]
        for (v = 1; v <= variants[step]; v++) {
            id = key(step, variant_name[step, v], 4096, 4096, 4096)
            print pad(v == 1 ? step : "", step_wide) " " pad(variant_name[step, v], name_wide) " " \
                bar_line(has(id) ? int(wide * tflops(id) / top + 0.5) : 0, wide, mark) cell_percent(id)
        }
    }
    print "```"
}

function pad(text, columns) { return sprintf("%-" columns "s", text) }

# A bar of `filled` of `wide` columns, the baseline's mark after column `mark` (-1: none), two blanks.
function bar_line(filled, wide, mark,    i, line) {
    for (i = 0; i <= wide; i++) {
        if (i > 0) line = line (i <= filled ? "#" : " ")
        if (i == mark) line = line "|"
    }
    return line (mark < 0 ? " " : "") "  "
}

# The line above the bars: what the mark is, on the side where there is room.
function mark_line(wide, mark, text) {
    if (mark < 0) return pad("", wide + 3)
    text = length(text) < mark ? sprintf("%" mark "s|", text " ") : pad("", mark) "| " text
    return pad(text, wide + 3)
}

function cell_percent(id) {
    if (!has(id)) return DASH
    return speed(tflops(id)) (value[id, "ratio"] == "" ? "" : sprintf(" (%.1f %%)", 100 * value[id, "ratio"]))
}

function one_step(step,    v, id, big) {
    for (v = 1; v <= variants[step]; v++) if (has(key(step, variant_name[step, v], 8192, 8192, 8192))) big = 1
    print "| variant | ms at 4096³ | TFLOP/s | % of FP32 peak | ratio to " against() ", median (min..max) |" \
        (big ? " TFLOP/s at 8192³ | ratio, median (min..max) |" : "")
    print "|---|--:|--:|--:|--:|" (big ? "--:|--:|" : "")
    for (v = 1; v <= variants[step]; v++) {
        id = key(step, variant_name[step, v], 4096, 4096, 4096)
        printf "| `%s` | %s | %s | %s | %s |", variant_name[step, v], cell_ms(id), cell_tflops(id), cell_peak(id),
            cell_ratio(id)
        id = key(step, variant_name[step, v], 8192, 8192, 8192)
        print big ? " " cell_tflops(id) " | " cell_ratio(id) " |" : ""
    }
}

function in_sweep(kind, m, n, k) { # odd: no multiple of a warp's 32, so that no tile divides it
    if (kind == "odd") return m % 32 || n % 32 || k % 32
    return shape_kind(m, n, k) == kind
}

function sweep(step, kind,    i, v, line, rule, any, seen) {
    line = kind == "square" ? "| m = n = k |" : "| m × n × k |"
    rule = "|--:|"
    for (v = 1; v <= variants[step]; v++) {
        line = line " `" variant_name[step, v] "` |"
        rule = rule "--:|"
    }
    print line
    print rule
    for (i = 1; i <= shape_count; i++) {
        if (!in_sweep(kind, shape_m[i], shape_n[i], shape_k[i])) continue
        line = "| " shape_m[i] (kind == "square" ? "" : " × " shape_n[i] " × " shape_k[i]) " |"
        any = 0
        for (v = 1; v <= variants[step]; v++) {
            id = key(step, variant_name[step, v], shape_m[i], shape_n[i], shape_k[i])
            line = line " " cell_short(id) " |"
            if (has(id)) any = 1
        }
        if (any) { print line; seen = 1 }
    }
    if (!seen) {
        line = "| " DASH " |"
        for (v = 1; v <= variants[step]; v++) line = line " " DASH " |"
        print line
    }
    print ""
    print "TFLOP/s, in brackets the ratio to " against() "."
}

function article(    s, i, step, id, sides, line, rule, sum, count) {
    split("2048 4096 8192 16384", sides, " ")
    line = "| M = N, K = 1024 |"
    rule = "|--:|"
    for (s = 1; s <= steps; s++) {
        step = step_name[s]
        line = line " " short_step(step) (best(step) == "" ? "" : " `" best(step) "`") " |"
        rule = rule "--:|"
    }
    print line
    print rule
    for (i = 1; i <= 4; i++) {
        line = "| " sides[i] " |"
        for (s = 1; s <= steps; s++) {
            id = key(step_name[s], best(step_name[s]), sides[i], sides[i], 1024)
            line = line " " cell_ratio(id) " |"
            if (has(id) && value[id, "ratio"] > 0) { sum[s] += value[id, "ratio"]; count[s]++ }
        }
        print line
    }
    line = "| average |"
    for (s = 1; s <= steps; s++)
        if (count[s] != 4) line = line " " DASH " |"
        else if (short_step(step_name[s]) == "step05") line = line sprintf(" **%.3f** |", sum[s] / 4)
        else line = line sprintf(" %.3f |", sum[s] / 4)
    print line
    print ""
    print "Ratio to " against() ", median (min..max); each step by the variant that is fastest at 4096³."
}

function speedup(step,    s, before, name, id, old, text, v, last) {
    name = best(step)
    id = key(step, name, 4096, 4096, 4096)
    for (s = 1; s <= steps; s++) if (step_name[s] < step) before = step_name[s]
    old = key(before, best(before), 4096, 4096, 4096)
    if (!has(id)) { print "At 4096³: not measured."; return }
    text = "At 4096³ `" name "` reaches " speed(tflops(id)) " TFLOP/s"
    if (before != "" && has(old))
        text = text sprintf(", %s times %s's best, `%s` (%s)", factor(tflops(id) / tflops(old)), short_step(before),
            best(before), speed(tflops(old)))
    text = text "."
    for (v = 1; v <= variants[step]; v++) {
        id = key(step, variant_name[step, v], 4096, 4096, 4096)
        if (!has(id)) continue
        if (last != "")
            text = text sprintf(" `%s` runs at %s times `%s`.", variant_name[step, v],
                factor(tflops(id) / tflops(key(step, last, 4096, 4096, 4096))), last)
        last = variant_name[step, v]
    }
    print text
}

function factor(x) { return sprintf(x < 9.995 ? "%.2f" : "%.1f", x) }

# ---- counters and machine code: fact["counter" or "sass", step, variant, metric or column]

function keep_counter() {
    if (counted_on == "") counted_on = row["device"]
    if (row["device"] != counted_on)
        die(FILENAME ": line " FNR ": counted on " row["device"] ", the lines before on " counted_on \
            ": one device a file")
    known_fact["counter", row["metric"]] = 1
    fact["counter", row["step"], row["variant"], row["metric"]] = row["value"]
    counted_at[row["step"]] = row["m"] " × " row["n"] " × " row["k"]
    counted_driver = joined(counted_driver, row["driver"])
    counted_cuda = joined(counted_cuda, row["cuda"])
    if (counted_first == "" || row["date"] < counted_first) counted_first = row["date"]
    if (row["date"] > counted_last) counted_last = row["date"]
}

function keep_sass(    i) {
    for (i = 3; i <= fields; i++) fact["sass", row["step"], row["variant"], field_name[i]] = row[field_name[i]]
    compiled_for[row["step"]] = joined(compiled_for[row["step"]], row["arch"])
    compiled_by[row["step"]] = joined(compiled_by[row["step"]], row["nvcc"])
}

function find_fact(kind, step, variant, name) { # "" where it was not recorded
    return (kind, step, variant, name) in fact ? fact[kind, step, variant, name] : ""
}

function cell_fact(x, format) { return x == "" ? DASH : sprintf(format, x) }

function quotient(a, b) { return a == "" || b == "" || b + 0 == 0 ? "" : a / b }

function plus(a, b) { return a == "" ? b : b == "" ? a : a + b }

function counters(step,    v, name, requests, sectors, conflicts) {
    print "| variant | sectors a load request | DRAM GB read | shared bank conflicts, millions | issue slots busy |" \
        " FMA pipe | warps active | largest stall: warps an issue |"
    print "|---|--:|--:|--:|--:|--:|--:|---|"
    for (v = 1; v <= variants[step]; v++) {
        name = variant_name[step, v]
        # op_ld holds the copies of cp.async too: its requests are exactly the sum of both.
        requests = find_fact("counter", step, name, "l1tex__t_requests_" GLOBAL "ld.sum")
        sectors = find_fact("counter", step, name, "l1tex__t_sectors_" GLOBAL "ld.sum")
        conflicts = plus(find_fact("counter", step, name, CONFLICTS "ld.sum"),
            find_fact("counter", step, name, CONFLICTS "st.sum"))
        print "| `" name "` | " cell_fact(quotient(sectors, requests), "%.2f") " | " \
            cell_fact(quotient(find_fact("counter", step, name, "dram__bytes_read.sum"), 1e9), "%.2f") " | " \
            cell_fact(quotient(conflicts, 1e6), "%.2f") " | " \
            cell_share(step, name, "smsp__issue_active") " | " \
            cell_share(step, name, "sm__inst_executed_pipe_fma") " | " \
            cell_share(step, name, "sm__warps_active") " | " largest_stall(step, name) " |"
    }
    print ""
    print "<sub>" (step in counted_at ? "Counted on " tell_source(counted_on, counted_driver, counted_cuda, \
        counted_first, counted_last) " by Nsight Compute: each kernel once, at " counted_at[step] "." : "Not measured yet.") \
        "</sub>"
}

function cell_share(step, name, metric) {
    return cell_fact(find_fact("counter", step, name, metric ".avg.pct_of_peak_sustained_active"), "%.1f %%")
}

function largest_stall(step, name,    id, part, x, top, reason) {
    for (id in known_fact) {
        split(id, part, SUBSEP)
        if (part[1] != "counter" || index(part[2], STALL) != 1) continue
        x = find_fact("counter", step, name, part[2])
        # By name where two are equal: the order of `in` is not fixed.
        if (x == "" || x + 0 < top + 0 || top != "" && x + 0 == top + 0 && part[2] > reason) continue
        top = x
        reason = part[2]
    }
    if (top == "") return DASH
    reason = substr(reason, length(STALL) + 1)
    sub(/_per_issue_active.*/, "", reason)
    return reason sprintf(" (%.2f)", top)
}

function sass(step,    v, name, a) {
    print "| variant | registers | instructions in the loop | FFMA (with `.reuse`) | LDS.32 / .64 / .128 | LDG |" \
        " LDGSTS | BAR |"
    print "|---|--:|--:|--:|--:|--:|--:|--:|"
    for (v = 1; v <= variants[step]; v++) {
        name = variant_name[step, v]
        a = quotient(find_fact("sass", step, name, "ffma_reuse"), find_fact("sass", step, name, "ffma"))
        print "| `" name "` | " cell_fact(find_fact("sass", step, name, "registers"), "%d") " | " \
            cell_fact(find_fact("sass", step, name, "loop_instructions"), "%d") " | " \
            cell_fact(find_fact("sass", step, name, "ffma"), "%d") \
            (a == "" ? "" : sprintf(" (%.1f %%)", 100 * a)) " | " \
            cell_fact(find_fact("sass", step, name, "lds32"), "%d") " / " \
            cell_fact(find_fact("sass", step, name, "lds64"), "%d") " / " \
            cell_fact(find_fact("sass", step, name, "lds128"), "%d") " | " \
            cell_fact(find_fact("sass", step, name, "ldg"), "%d") " | " \
            cell_fact(find_fact("sass", step, name, "ldgsts"), "%d") " | " \
            cell_fact(find_fact("sass", step, name, "bar"), "%d") " |"
    }
    print ""
    print "<sub>" (step in compiled_for ? "The main loop's machine code for " compiled_for[step] " by nvcc " \
        compiled_by[step] "." : "Not measured yet.") "</sub>"
}

# ---- values inside a line

function inline(line,    done, start, end, close_at, kind, n, word, marker, text) {
    while (match(line, /<!-- (value|ratio|counter|sass|gemv|gemv-ratio|tensor|tensor-ratio|tensor-limit): /)) {
        start = RSTART
        kind = substr(line, start + 5, RLENGTH - 7)
        marker = substr(line, start)
        n = words_of(marker, word)
        close_at = index(marker, "-->") + 2
        end = index(marker, "<!-- end -->")
        if (!end || match(substr(marker, close_at), /<!-- (value|ratio|counter|sass|gemv|gemv-ratio|tensor|tensor-ratio|tensor-limit|table): /) &&
            RSTART + close_at - 1 < end)
            die(note ":" FNR ": <!-- " kind ": ...> has no <!-- end --> on its line")
        if (kind == "value") text = one_value(word, n)
        else if (kind == "ratio") text = one_ratio(word, n)
        else if (kind == "gemv") text = one_gemv(word, n)
        else if (kind == "gemv-ratio") text = one_gemv_ratio(word, n)
        else if (kind == "tensor") text = one_tensor(word, n)
        else if (kind == "tensor-ratio") text = one_tensor_ratio(word, n)
        else if (kind == "tensor-limit") text = one_tensor_limit(word, n)
        else text = one_fact(kind, word, n)
        done = done substr(line, 1, start - 1) substr(marker, 1, close_at) text "<!-- end -->"
        line = substr(marker, end + length("<!-- end -->"))
    }
    return done line
}

function words_of(marker, word) {
    sub(/^<!-- [a-z-]+: */, "", marker)
    if (!sub(/ *-->.*/, "", marker)) die(note ":" FNR ": a marker that is not closed")
    return split(marker, word, / +/)
}

function one_value(word, n,    step, id, field, format, x) {
    need(n, 6, 99, "value: STEP VARIANT M N K FIELD [FORMAT]")
    step = find_step(word[1])
    id = key(step, find_variant(step, word[2]), word[3], word[4], word[5])
    field = word[6]
    if (!(field in is_column) && field != "tflops" && field != "percent" && field != "peak_percent")
        die(note ":" FNR ": unknown field " field)
    format = format_from(word, n, 7)
    if (!has(id)) return "not measured"
    if (field == "tflops") x = tflops(id)
    else if (field == "percent") x = value[id, "ratio"] == "" ? "" : 100 * value[id, "ratio"]
    else if (field == "peak_percent") x = value[id, "peak_share"] == "" ? "" : 100 * value[id, "peak_share"]
    else x = value[id, field]
    if (x == "") return "not measured"
    if (format != "") return sprintf(format, x)
    if (field == "tflops") return speed(x)
    if (field ~ /percent$/) return sprintf("%.1f", x)
    if (field ~ /^ratio/) return sprintf("%.2f", x)
    if (field ~ /ms/) return significant(x, 4)
    return x
}

function one_ratio(word, n,    step, a, b, format) {
    need(n, 7, 99, "ratio: STEP1 VARIANT1 STEP2 VARIANT2 M N K [FORMAT]")
    step = find_step(word[1])
    a = key(step, find_variant(step, word[2]), word[5], word[6], word[7])
    step = find_step(word[3])
    b = key(step, find_variant(step, word[4]), word[5], word[6], word[7])
    format = format_from(word, n, 8)
    if (!has(a) || !has(b)) return "not measured"
    a = value[b, "ms_median"] / value[a, "ms_median"]
    return format == "" ? factor(a) : sprintf(format, a)
}

# A counter or a fact of the machine code: NAME, or a quotient NAME/NAME or NAME/NUMBER, from left to right.
function one_fact(kind, word, n,    step, variant, parts, part, i, x, y, missing, percent, format) {
    need(n, 3, 99, kind ": STEP VARIANT " (kind == "sass" ? "FIELD" : "METRIC") "[/DIVISOR] [percent] [FORMAT]")
    step = find_step(word[1])
    variant = find_variant(step, word[2])
    percent = word[4] == "percent" && n > 3
    format = format_from(word, n, 4 + percent)
    parts = split(word[3], part, "/")
    for (i = 1; i <= parts; i++) {
        if (i > 1 && part[i] ~ /^[0-9.]+(e[0-9]+)?$/ && part[i] > 0) y = part[i]
        else if ((kind, part[i]) in known_fact) y = find_fact(kind, step, variant, part[i])
        else die(note ":" FNR ": unknown " (kind == "sass" ? "field " : "metric ") part[i])
        if (parts > 1 && (part[i] == "arch" || part[i] == "nvcc")) die(note ":" FNR ": " part[i] " is not a number")
        x = i == 1 ? y : quotient(x, y)
        if (x == "") missing = 1
    }
    if (missing) return "not measured"
    if (percent) x *= 100
    if (format != "") return sprintf(format, x)
    if (percent) return sprintf("%.1f", x)
    return parts > 1 ? significant(x, 3) : x
}

# The marker's last words as a printf format: one conversion of a number or text, all else plain.
function format_from(word, n, first,    i, format, plain) {
    for (i = first; i <= n; i++) format = format (i > first ? " " : "") word[i]
    plain = format
    gsub(/%%/, "", plain)
    if (format != "" && (!sub(/%[-+0]?[0-9]*(\.[0-9]+)?[dfegs]/, "", plain) || index(plain, "%")))
        die(note ":" FNR ": not a printf format for one value: " format)
    return format
}

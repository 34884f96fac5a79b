# GEMV's tables and values in the notes (their markers: scripts/notes.sh), which notes.awk calls. After records.awk,
# notes.awk and gemv.awk.

function tell_gemv_table(word, n) {
    if (word[1] == "gemv") {
        need(n, 4, 5, "table: gemv STEP N K [DTYPE]")
        gemv_table(gemv_step(word[2]), word[3], word[4], gemv_dtype(word[5]))
    } else if (word[1] == "gemv-shapes") {
        need(n, 2, 3, "table: gemv-shapes STEP [DTYPE]")
        gemv_shapes_table(gemv_step(word[2]), gemv_dtype(word[3]))
    } else if (word[1] == "gemv-tuned") {
        need(n, 2, 3, "table: gemv-tuned STEP [DTYPE]")
        gemv_tuned_table(gemv_step(word[2]), gemv_dtype(word[3]))
    } else if (word[1] ~ /^gemv-(article|warm|chain|dram)$/) {
        need(n, 2, 2, "table: " word[1] " STEP")
        if (word[1] == "gemv-article") gemv_article_table(gemv_step(word[2]))
        else if (word[1] == "gemv-warm") gemv_warm_table(gemv_step(word[2]))
        else if (word[1] == "gemv-chain") gemv_chain_table(gemv_step(word[2]))
        else gemv_dram_table(gemv_step(word[2]))
    } else die(note ":" FNR ": unknown table " word[1] \
        " (gemv, gemv-shapes, gemv-article, gemv-warm, gemv-chain, gemv-dram, gemv-tuned)")
}

function gemv_step(name,    step) {
    for (step in gemv_step_known) if (step == name || short_step(step) == name) return step
    die(note ":" FNR ": unknown GEMV step " name)
}

function is_dtype(word) { return word ~ /^(f16|bf16|f32)$/ }

function gemv_dtype(word) {
    if (word == "") return "f16"
    if (!is_dtype(word)) die(note ":" FNR ": unknown type " word " (f16, bf16, f32)")
    return word
}

# What stands below a table. kind: "gemv", "search" or "dram", the file that it comes from; what: how it was measured.
function gemv_source(kind, verb, what) {
    print ""
    print "<sub>" (kind in source_device ? verb " on " source(kind) "; " what "." : "Not measured yet.") "</sub>"
}

function gemv_us_text(us) { return us == "" ? DASH : significant(us, us < 100 ? 3 : 4) }
function cell_us(id) { return gemv_us_text(gemv_has(id) ? gemv_us(id) : "") }
function cell_gbps(x) { return x == "" ? DASH : sprintf("%.0f", x) }
function cell_gbps_of(id) { return cell_gbps(gemv_has(id) ? gemv_value[id, "gbps"] : "") }
function cell_ceiling(gbps, ceiling) {
    gbps = ceiling_share(gbps, ceiling)
    return gbps == "" ? DASH : sprintf("%.1f %%", 100 * gbps)
}
function cell_ceiling_of(id, ceiling) { return gemv_has(id) ? cell_ceiling(gemv_value[id, "gbps"], ceiling) : DASH }
function cell_gemv_ratio(id) {
    if (!gemv_has(id) || gemv_value[id, "ratio"] == "") return DASH
    return sprintf("%.3f (%.3f..%.3f)", gemv_value[id, "ratio"], gemv_value[id, "ratio_min"],
        gemv_value[id, "ratio_max"])
}

# Every variant at one shape, cold; with programmatic dependent launch where that was measured.
function gemv_table(step, n, k, dtype,    v, name, i, id, ceiling, us, pdl) {
    print "| variant | µs | GB/s | % of read ceiling | ratio to cuBLAS, median (min..max) |"
    print "|---|--:|--:|--:|--:|"
    for (v = 1; v <= gemv_variants[step]; v++)
        for (i = 0; i <= 1; i++) {
            name = gemv_variant[step, v]
            id = gemv_key("gemv", step, name, dtype, n, k, "cold", i ? "pdl" : "graph")
            if (i && !gemv_has(id)) continue
            ceiling = gemv_ceiling(step, dtype, n, k, "cold", i ? "pdl" : "graph")
            print "| `" name "`" (i ? ", PDL" : "") " | " cell_us(id) " | " cell_gbps_of(id) " | " \
                cell_ceiling_of(id, ceiling) " | " cell_gemv_ratio(id) " |"
        }
    ceiling = gemv_ceiling(step, dtype, n, k, "cold", "graph")
    us = gemv_cublas_us(step, dtype, n, k, "cold", "graph")
    print "| cuBLAS | " gemv_us_text(us) " | " cell_gbps(gemv_gbps(us, dtype, n, k)) " | " \
        cell_ceiling(gemv_gbps(us, dtype, n, k), ceiling) " | " (us == "" ? DASH : 1) " |"
    print "| read ceiling | " cell_us(ceiling) " | " cell_gbps_of(ceiling) " | " (gemv_has(ceiling) ? "100 %" : DASH) \
        " | " DASH " |"
    pdl = gemv_key("read", step, "read_ceiling", dtype, n, k, "cold", "pdl")
    if (gemv_has(pdl)) print "| read ceiling, PDL | " cell_us(pdl) " | " cell_gbps_of(pdl) " | 100 % | " DASH " |"
    gemv_source("gemv", "Recorded", dtype ", " n " × " k ", cold L2, medians, in CUDA graphs (PDL: with programmatic " \
        "dependent launch" (gemv_has(pdl) ? ", its share of the ceiling with it" : "") "), ratios pair by pair")
}

# The autotuned kernel at six shapes, without and with programmatic dependent launch.
function gemv_shapes_table(step, dtype,    i, n, k, side, mode, line, id) {
    print "| n × k | µs | GB/s | % of read ceiling | ratio to cuBLAS, median (min..max) | PDL: µs | GB/s |" \
        " % of read ceiling | ratio, median (min..max) | cuBLAS µs |"
    print "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    split("1024 1024 4096 4096 4096 14336 14336 4096 8192 8192 16384 16384", side, " ")
    for (i = 1; i <= 12; i += 2) {
        n = side[i]
        k = side[i + 1]
        line = "| " n " × " k " |"
        for (mode = 0; mode <= 1; mode++) {
            id = gemv_key("gemv", step, "autotuned", dtype, n, k, "cold", mode ? "pdl" : "graph")
            line = line " " cell_us(id) " | " cell_gbps_of(id) " | " \
                cell_ceiling_of(id, gemv_ceiling(step, dtype, n, k, "cold", mode ? "pdl" : "graph")) " | " \
                cell_gemv_ratio(id) " |"
        }
        print line " " gemv_us_text(gemv_cublas_us(step, dtype, n, k, "cold", "graph")) " |"
    }
    gemv_source("gemv", "Recorded", "`autotuned`, " dtype ", cold L2, medians, in CUDA graphs, in the right half with " \
        "programmatic dependent launch, ratios pair by pair")
}

# The article's table, its numbers on the left, ours on the right: 1024 x 1024, single launches between events.
function gemv_article_table(step,    v, name) {
    print "| the article's kernel | its ms | its ratio to cuBLAS | our variant | our µs | our ratio, median (min..max) |" \
        " ours / the article's |"
    print "|---|--:|--:|---|--:|--:|--:|"
    gemv_article_row(step, "cublas")
    for (v = 1; v <= gemv_variants[step]; v++) gemv_article_row(step, gemv_variant[step, v])
    gemv_source("gemv", "Recorded", "f16, 1024 × 1024, cold L2, single launches between events as in the article, " \
        "medians, ratios pair by pair; the article's numbers are its own")
}

function gemv_article_row(step, name,    id, kernel, ms, ratio, exact) {
    id = gemv_key("gemv", step, name, "f16", 1024, 1024, "cold", "events")
    kernel = article_of[step, name, "kernel"]
    ms = article_of[step, name, "ms"]
    ratio = article_of[step, name, "ratio"]
    exact = ms > 0 ? article_of[step, "cublas", "ms"] / ms : 0 # the ratio that is printed is rounded
    kernel = kernel == "" ? DASH : name == "cublas" ? kernel : "`" kernel "`"
    printf "| %s | %s | %s |", kernel, ms == "" ? DASH : ms, ratio == "" ? DASH : ratio
    if (name == "cublas") {
        id = gemv_cublas_us(step, "f16", 1024, 1024, "cold", "events")
        print " cuBLAS | " gemv_us_text(id) " | " (id == "" ? DASH : 1) " | " DASH " |"
        return
    }
    print " `" name "` | " cell_us(id) " | " cell_gemv_ratio(id) " | " \
        (exact == 0 || !gemv_has(id) || gemv_value[id, "ratio"] == "" ? DASH : \
        factor(gemv_value[id, "ratio"] / exact)) " |"
}

# Warm: square shapes, a column for each variant that was measured so.
function gemv_warm_table(step,    i, v, n, id, line, rule, shown, names, name, any, some) {
    line = "| n = k | MB |"
    rule = "|--:|--:|"
    for (v = 1; v <= gemv_variants[step]; v++) {
        any = 0
        for (i = 1; i <= gemv_shapes; i++) {
            id = gemv_key("gemv", step, gemv_variant[step, v], "f16", gemv_n[i], gemv_n[i], "warm", "graph")
            if (gemv_n[i] == gemv_k[i] && gemv_has(id)) any = 1
        }
        if (!any) continue
        name[++names] = gemv_variant[step, v]
        line = line " `" name[names] "` |"
        rule = rule "--:|"
    }
    print line " cuBLAS µs | read ceiling GB/s |"
    print rule "--:|--:|"
    for (i = 1; i <= gemv_shapes; i++) {
        n = gemv_n[i]
        if (n != gemv_k[i]) continue
        line = "| " n " | " significant(gemv_megabytes(n, n, "f16"), 3) " |"
        some = 0
        for (v = 1; v <= names; v++) {
            id = gemv_key("gemv", step, name[v], "f16", n, n, "warm", "graph")
            line = line " " cell_us(id) " µs, " cell_gbps_of(id) \
                (gemv_has(id) && gemv_value[id, "ratio"] != "" ? sprintf(" (%.2f)", gemv_value[id, "ratio"]) : "") " |"
            if (gemv_has(id)) some = 1
        }
        if (!some) continue
        shown = 1
        print line " " gemv_us_text(gemv_cublas_us(step, "f16", n, n, "warm", "graph")) " | " \
            cell_gbps_of(gemv_ceiling(step, "f16", n, n, "warm", "graph")) " |"
    }
    if (!shown) print "| " DASH " | " DASH " | " DASH " | " DASH " |"
    print ""
    print "µs, GB/s, in brackets the ratio to cuBLAS."
    gemv_source("gemv", "Recorded", "f16, operands left in the L2, medians, in CUDA graphs, ratios pair by pair")
}

# Chains of dependent GEMVs, y the next x.
function gemv_chain_table(step,    i, v, c, name, cache, id, pdl, shape, shown) {
    print "| n = k | variant | L2 | µs a link | with PDL, µs | times as fast, median (min..max) |"
    print "|--:|---|---|--:|--:|--:|"
    for (i = 1; i <= gemv_shapes; i++)
        for (v = 1; v <= gemv_variants[step]; v++)
            for (c = 0; c <= 1; c++) {
                name = gemv_variant[step, v]
                cache = c ? "warm" : "cold"
                id = gemv_key("gemv_chain", step, name, "f16", gemv_n[i], gemv_k[i], cache, "graph")
                pdl = gemv_key("gemv_chain", step, name, "f16", gemv_n[i], gemv_k[i], cache, "pdl")
                if (!gemv_has(id) && !gemv_has(pdl)) continue
                shown = 1
                shape = gemv_n[i] (gemv_n[i] == gemv_k[i] ? "" : " × " gemv_k[i])
                print "| " shape " | `" name "` | " cache " | " cell_us(id) " | " cell_us(pdl) " | " cell_gemv_ratio(pdl) " |"
            }
    if (!shown) print "| " DASH " | " DASH " | " DASH " | " DASH " | " DASH " | " DASH " |"
    gemv_source("gemv", "Recorded", "f16, chains in CUDA graphs, medians, ratios pair by pair; warm: the chain's " \
        "matrices together are less than four times the L2, so some of them stay there")
}

function gemv_dram_table(step,    i, id, launches, least, most) {
    print "| variant | n × k | type | A, MB | read from DRAM a launch, MB: median (min..max) | % of A: median | least |"
    print "|---|--:|---|--:|--:|--:|--:|"
    for (i = 1; i <= dram_cases; i++) {
        id = dram_case[i]
        if (dram_value[id, "step"] != step) continue
        launches = dram_value[id, "launches"] + 0
        if (most == 0 || launches < least) least = launches
        if (launches > most) most = launches
        printf "| `%s` | %d × %d | %s | %s | %s (%s..%s) | %.1f %% | %.1f %% |\n", dram_value[id, "variant"],
            dram_value[id, "n"], dram_value[id, "k"], dram_value[id, "dtype"], dram_megabytes(id, "matrix_bytes"),
            dram_megabytes(id, "dram_bytes_median"), dram_megabytes(id, "dram_bytes_min"),
            dram_megabytes(id, "dram_bytes_max"), 100 * dram_value[id, "share_median"], 100 * dram_value[id, "share_min"]
    }
    if (most == 0) print "| " DASH " | " DASH " | " DASH " | " DASH " | " DASH " | " DASH " | " DASH " |"
    gemv_source("dram", "Counted", "by Nsight Compute without flushing, " (least == most ? most + 0 : least " to " most) " launches each, on rotated operands")
}

function dram_megabytes(id, column) { return significant(dram_value[id, column] / 1e6, 4) }

# The best candidate of every search: a line a shape, a column for each way of timing.
function gemv_tuned_table(step, dtype,    i, j, id, part, ways, way, known, line, rule, some, shown, name) {
    line = "| n × k |"
    rule = "|--:|"
    for (i = 1; i <= searches; i++) {
        split(searched[i], part, SUBSEP)
        if (part[1] != step || part[3] != dtype || (part[6], part[7]) in known) continue
        known[part[6], part[7]] = 1
        way[++ways] = part[6] SUBSEP part[7]
        line = line " " part[6] ", " (part[7] == "graph" ? "graphs" : part[7] == "pdl" ? "PDL" : part[7]) " |"
        rule = rule "---|"
    }
    print line (ways ? "" : " candidate |")
    print rule (ways ? "" : "---|")
    for (i = 1; i <= gemv_shapes; i++) {
        line = "| " gemv_n[i] " × " gemv_k[i] " |"
        some = 0
        for (j = 1; j <= ways; j++) {
            id = step SUBSEP "autotuned" SUBSEP dtype SUBSEP gemv_n[i] SUBSEP gemv_k[i] SUBSEP way[j]
            name = best_candidate(id)
            line = line " " (name == "" ? DASH : "`" name "`, " gemv_us_text(search_us[id, name]) " µs (" \
                factor(search_us[id, worst_candidate(id)] / search_us[id, name]) ")") " |"
            if (name != "") some = 1
        }
        if (some) { print line; shown = 1 }
    }
    if (!shown) print "| " DASH " | " DASH " |"
    print ""
    print "In brackets how many times as long the slowest candidate takes. n: rows a block, r: threads a row, u: " \
        "loads in flight a row, v: rows a thread."
    gemv_source("search", "Searched", dtype ", medians; the best four are timed again, longer")
}

# ---- values inside a line

# Takes the optional words from word[first] on: a type, a mode, a cache, `chain`. Sets option["dtype" | "mode" |
# "cache" | "op"] and returns the number of the first word that is none of them.
function gemv_options(word, n, first, option,    i) {
    option["dtype"] = "f16"
    option["mode"] = "graph"
    option["cache"] = "cold"
    option["op"] = "gemv"
    for (i = first; i <= n && gemv_option(word[i], option); i++) continue
    return i
}

function gemv_option(word, option) {
    if (is_dtype(word)) option["dtype"] = word
    else if (word ~ /^(graph|pdl|events)$/) option["mode"] = word
    else if (word ~ /^(cold|warm)$/) option["cache"] = word
    else if (word == "chain") option["op"] = "gemv_chain"
    else return 0
    return 1
}

# The variant's name, or read_ceiling or cublas.
function gemv_name(step, name) {
    if (name != "cublas" && name != "read_ceiling" && !((step, name) in gemv_variant_known))
        die(note ":" FNR ": unknown variant " name " of " step)
    return name
}

function gemv_time(step, name, n, k, option,    id) { # microseconds, "" where not measured
    if (name == "cublas") return gemv_cublas_us(step, option["dtype"], n, k, option["cache"], option["mode"])
    id = gemv_id(step, name, n, k, option)
    return gemv_has(id) ? gemv_us(id) : ""
}

function gemv_id(step, name, n, k, option) {
    if (name == "read_ceiling") return gemv_ceiling(step, option["dtype"], n, k, option["cache"], option["mode"])
    return gemv_key(option["op"], step, name, option["dtype"], n, k, option["cache"], option["mode"])
}

function one_gemv(word, n,    step, name, field, option, format, id, x, gbps) {
    need(n, 5, 99, "gemv: STEP VARIANT N K FIELD [DTYPE] [MODE] [CACHE] [chain] [FORMAT]")
    step = gemv_step(word[1])
    name = gemv_name(step, word[2])
    field = word[5]
    format = format_from(word, n, gemv_options(word, n, 6, option))
    id = gemv_id(step, name, word[3], word[4], option)
    gbps = gemv_has(id) ? gemv_value[id, "gbps"] : name != "cublas" ? "" : \
        gemv_gbps(gemv_time(step, name, word[3], word[4], option), option["dtype"], word[3], word[4])
    if (field == "us") x = gemv_time(step, name, word[3], word[4], option)
    else if (field == "gbps") x = gbps
    else if (field == "ceiling_percent") {
        x = ceiling_share(gbps, gemv_ceiling(step, option["dtype"], word[3], word[4], option["cache"], option["mode"]))
        if (x != "") x *= 100
    } else if (field == "percent" || field == "peak_percent") {
        x = gemv_has(id) ? gemv_value[id, field == "percent" ? "ratio" : "peak_share"] : ""
        if (x != "") x *= 100
    } else if (field in is_column) x = gemv_has(id) ? gemv_value[id, field] : ""
    else die(note ":" FNR ": unknown field " field)
    if (x == "") return "not measured"
    if (format != "") return sprintf(format, x)
    if (field == "us") return gemv_us_text(x)
    if (field == "gbps") return sprintf("%.0f", x)
    if (field ~ /percent$/) return sprintf("%.1f", x)
    if (field ~ /^ratio/) return sprintf("%.2f", x)
    if (field ~ /ms/) return significant(x, 4)
    return x
}

# How many times as fast the first is as the second.
function one_gemv_ratio(word, n,    step, option, format, a, b) {
    need(n, 5, 99, "gemv-ratio: STEP VARIANT1[/WORD]... VARIANT2[/WORD]... N K [DTYPE] [MODE] [CACHE] [chain] [FORMAT]")
    step = gemv_step(word[1])
    format = format_from(word, n, gemv_options(word, n, 6, option))
    a = gemv_time_with(step, word, n, 2)
    b = gemv_time_with(step, word, n, 3)
    if (a == "" || b == "") return "not measured"
    return format == "" ? factor(b / a) : sprintf(format, b / a)
}

# The time of word[which], whose own options, after slashes, count before the marker's: autotuned/pdl.
function gemv_time_with(step, word, n, which,    part, parts, i, option) {
    gemv_options(word, n, 6, option)
    parts = split(word[which], part, "/")
    for (i = 2; i <= parts; i++)
        if (!gemv_option(part[i], option)) die(note ":" FNR ": " part[i] " is no type, mode or cache")
    return gemv_time(step, gemv_name(step, part[1]), word[4], word[5], option)
}

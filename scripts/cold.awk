# What ncu --csv --page raw --print-units base counted of one variant at one shape, as a row of gemv_dram.csv:
#   awk -v step=S -v variant=V -v dtype=T -v n=N -v k=K -f records.awk -f cold.awk LOG
# ENVIRON: DEVICE, CC, DRIVER, CUDA, DATE. With header=1: only the header. With judge=1 the input is such rows: a line
# each, and exit status 1 when a share is too small.
#
# `run` launches in this order: one or two verifications, an estimate (2 launches, then 64 more where they are short),
# and then at least 5 graphs, alike and each over all operand sets, of which the first 2 or more warm up. So the later
# half of all launches are of graphs that follow a graph.

BEGIN {
    program = "cold"
    METRIC = "dram__bytes_read.sum"
    LEAST = 3 # launches that a median needs
    WANTED = 0.98
    if (header) {
        print "step,variant,dtype,n,k,launches,matrix_bytes,dram_bytes_median,dram_bytes_min,dram_bytes_max," \
            "share_median,share_min,device,cc,driver,cuda,date"
        exit
    }
}

{ sub(/\r$/, "") }

judge {
    csv_split($0, field)
    bad = field[11] + 0 < WANTED
    failures += bad
    printf "%s %s %s %d x %d: %.1f %% of the matrix came from DRAM (at least %.1f %%), %d launches\n", \
        bad ? "FAIL" : "ok", field[2], field[3], field[4], field[5], 100 * field[11], 100 * field[12], field[6]
    next
}

/^==/ { next }
!names {
    if (!/^"ID",/) next
    names = csv_split($0, name)
    for (i = 1; i <= names; i++) if (name[i] == METRIC) column = i
    if (!column) die(what() ": ncu did not count " METRIC)
    next
}
!units {
    units = csv_split($0, unit)
    if (unit[column] != "byte" && unit[column] != "") die(what() ": " METRIC " is in " unit[column] ", not in bytes")
    next
}
{
    if (csv_split($0, value) != names) die(what() ": ncu's rows differ in length")
    bytes = value[column]
    gsub(/,/, "", bytes)
    if (bytes !~ /^[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$/) die(what() ": " METRIC " is not a number: " value[column])
    all[++launches] = bytes + 0
}

END {
    if (header || failed) exit failed ? 2 : 0
    if (judge) exit failures > 0
    for (i = int(launches / 2) + 1; i <= launches; i++) { # sorted into kept[1..count]
        for (j = count++; j > 0 && kept[j] > all[i]; j--) kept[j + 1] = kept[j]
        kept[j + 1] = all[i]
    }
    if (count < LEAST) die(what() ": ncu saw " launches + 0 " launches, too few")
    median = count % 2 ? kept[(count + 1) / 2] : (kept[count / 2] + kept[count / 2 + 1]) / 2
    matrix = n * k * (dtype == "f32" ? 4 : 2)
    printf "%s,%s,%s,%d,%d,%d,%.0f,%.0f,%.0f,%.0f,%.4f,%.4f,%s,%s,%s,%s,%s\n", step, variant, dtype, n, k, count, \
        matrix, median, kept[1], kept[count], median / matrix, kept[1] / matrix, quoted(ENVIRON["DEVICE"]), \
        ENVIRON["CC"], ENVIRON["DRIVER"], ENVIRON["CUDA"], ENVIRON["DATE"]
}

function what() { return variant " " dtype " " n " x " k }

function quoted(text) {
    if (text !~ /[",]/) return text
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}

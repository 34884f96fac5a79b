# One variant's counters from ncu --csv --page raw --print-units base, as rows of counters.csv. After records.awk:
#   awk -v step=S -v variant=V -v size=N -f records.awk -f counters.awk input=metrics metrics.txt input=ncu LOG
# ENVIRON: DEVICE, CC, DRIVER, CUDA, DATE. With header=1: only the header.
# ncu prints a row of names, a row of units and a row a launch, between lines of its own that start with ==. A variant
# of several kernels has several launches: sums are added, launch__... is the largest, all else the mean by duration.

BEGIN {
    program = "counters"
    if (header) { print COUNTERS_HEADER; exit }
}

{ sub(/\r$/, "") }
input == "metrics" { sub(/#.*/, ""); if (NF) metric[++metrics] = $1; next }
/^==/ { next }
!names { if (/^"ID",/) names = csv_split($0, name); next }
!units { units = csv_split($0, unit); next }
{
    values = csv_split($0, value)
    if (values != names) die(step " " variant ": ncu's rows differ in length: " names " and " values " fields")
    launches++
    for (i = 1; i <= names; i++) {
        cell[launches, name[i]] = value[i]
        unit_of[name[i]] = unit[i]
    }
}

END {
    if (header) exit 0
    if (failed) exit 2
    if (!launches) die(step " " variant ": ncu saw no launch")
    if (units != names) die(step " " variant ": ncu's rows differ in length: " names " and " units " fields")
    tail = csv_quote(ENVIRON["DEVICE"]) "," ENVIRON["CC"] "," ENVIRON["DRIVER"] "," ENVIRON["CUDA"] "," ENVIRON["DATE"]
    for (i = 1; i <= metrics; i++) {
        print step "," variant "," size "," size "," size "," metric[i] "," together(metric[i]) "," \
            csv_quote(unit_of[metric[i]]) "," tail
    }
}

# A metric of all launches; empty where this GPU does not count it.
function together(what,    l, v, total, weight, weights, most) {
    if (launches == 1) return plain(cell[1, what], what)
    for (l = 1; l <= launches; l++) {
        v = plain(cell[l, what], what)
        if (v == "") return ""
        weight = what ~ /\.sum$/ ? 1 : plain(cell[l, "gpu__time_duration.sum"], what)
        total += v * weight
        weights += weight
        if (l == 1 || v + 0 > most) most = v + 0
    }
    return sprintf("%.15g", what ~ /^launch__/ ? most : what ~ /\.sum$/ ? total : total / weights)
}

# Without thousands separators; empty where this GPU does not count it.
function plain(text, what) {
    gsub(/,/, "", text)
    if (tolower(text) ~ /^-?(n\/a|nan|inf)?( .*)?$/) return ""
    if (text !~ /^-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$/) die(step " " variant ": " what " is not a number: " text)
    return text
}

function csv_quote(text) {
    if (text !~ /[",]/) return text
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}

# Rows of knn_rates.csv from what step 8's run printed (--k-sweep --classes-map kdd --verify), or with -v header=1 their
# header. FACTS: what knn_sample.awk printed of these files, with the seed in front; the rest comes from the environment.
# After records.awk and knn.awk:   awk -v facts=FACTS -f records.awk -f knn.awk -f knn_rates.awk OUTPUT

BEGIN {
    program = "knn-paper"
    if (header) { print RATES_HEADER; exit }
    split(facts, fact, " ") # seed, protocol, class, normal and attacks of training and of test, attacks known
    for (i = 1; i <= 4; i++) if (substr("DoS  ProbeR2L  U2R  ", 5 * i - 4, length(fact[3])) == fact[3]) column = i + 2
    where = ENVIRON["DEVICE"] "," ENVIRON["CC"] "," ENVIRON["DRIVER"] "," ENVIRON["CUDA"] "," ENVIRON["DATE"]
}

/^[a-z_+]+, k [0-9]+$/ { method = $1; sub(/,/, "", method); different = "" }
$1 == method && /the same neighbours and distances as the CPU's/ { different = 0 }
$1 == method && /neighbours are not among the .* nearest of the CPU's/ { different = $2 }
$1 ~ /^[0-9]+$/ && $2 ~ /%$/ {
    gsub(/%/, "")
    if (different == "") die(facts ": " method ": not compared with the CPU")
    print fact[2] "," fact[3] "," fact[1] "," method "," $1 "," fact[4] "," fact[5] "," fact[6] "," fact[7] "," \
        fact[8] "," $2 / 100 "," $column / 100 "," $7 / 100 "," different "," where
    lines++
}
END { if (!failed && !header && !lines) die(facts ": run printed no rates") }

# Draws the paper's samples of KDD Cup 1999 with a seed, a training and a test file for each class of attacks and
# protocol: DIR/PROTOCOL-CLASS-train.csv and -test.csv.
#   awk -v seed=N -v dir=DIR -f knn_sample.awk input=same FILE input=corrected FILE
# FILEs: distinct records, a full stop after the label. Training: 4900 normal records and 100 attacks of one class, of the
# training data, or as many as there are; test: 500 records, of these 100 such attacks, or as many as there are, of the same
# file but not of those (protocol "same"), or of `corrected`. Of a class with fewer than 200 attacks in the file that both
# come from, each takes half. Prints a line a pair of files: protocol, class, normal records and attacks of training and of
# test, attacks of the class in the training data.

BEGIN {
    if (seed !~ /^[0-9]+$/ || dir == "") { print "knn_sample: no seed or dir" > "/dev/stderr"; failed = 1; exit 2 }
    classes = split("DoS Probe R2L U2R", class, " ")
    know("normal", "normal")
    know("DoS", "apache2 back land mailbomb neptune pod processtable smurf teardrop udpstorm worm")
    know("Probe", "ipsweep mscan nmap portsweep saint satan")
    know("R2L", "ftp_write guess_passwd imap multihop named phf sendmail snmpgetattack snmpguess spy warezclient " \
        "warezmaster xlock xsnoop")
    know("U2R", "buffer_overflow httptunnel loadmodule perl ps rootkit sqlattack xterm")
    state = (seed * 7919 + 12345) % 2147483647
    for (i = 0; i < 10; i++) draw(1)
}

{
    label = $0
    sub(/.*,/, "", label)
    sub(/\.\r?$/, "", label)
    if (!(label in group)) {
        print "knn_sample: " FILENAME ":" FNR ": '" label "' is no label of KDD Cup 1999" > "/dev/stderr"
        failed = 1
        exit 2
    }
    pool[input, group[label], ++size[input, group[label]]] = $0
}

END {
    if (failed) exit 2
    for (c = 1; c <= classes; c++) {
        attacks = size["same", class[c]] + 0
        half = attacks < 200 ? int(attacks / 2) : 100
        take("same", "normal", 5400 - half)
        take("same", class[c], 2 * half)
        sample("same", class[c], half, "same", 4900, half, half)
        take("same", "normal", 4900)
        most = attacks < 100 ? attacks : 100
        take("same", class[c], most)
        others = size["corrected", class[c]] < 100 ? size["corrected", class[c]] + 0 : 100
        take("corrected", "normal", 500 - others)
        take("corrected", class[c], others)
        sample("corrected", class[c], most, "corrected", 0, 0, others)
    }
}

function know(name, labels,    n, i, word) {
    n = split(labels, word, " ")
    for (i = 1; i <= n; i++) group[word[i]] = name
}

# 1 ... n. The same in every awk: rand() is not.
function draw(n) {
    state = state * 16807 % 2147483647
    return 1 + int(n * ((state - 1) / 2147483646))
}

# Puts `count` records, drawn without putting back, in front of the others.
function take(from, name, count,    i, j, t) {
    if (size[from, name] + 0 < count) {
        print "knn_sample: " size[from, name] + 0 " distinct " name " records in " from ", " count " wanted" > "/dev/stderr"
        exit 2
    }
    for (i = 1; i <= count; i++) {
        j = i - 1 + draw(size[from, name] - i + 1)
        t = pool[from, name, i]
        pool[from, name, i] = pool[from, name, j]
        pool[from, name, j] = t
    }
}

# Writes what was taken; the test's records start behind `normal` and `skipped` others.
function sample(protocol, name, trained, from, normal, skipped, tested,    out, i) {
    out = dir "/" protocol "-" name "-train.csv"
    for (i = 1; i <= 4900; i++) print pool["same", "normal", i] > out
    for (i = 1; i <= trained; i++) print pool["same", name, i] > out
    close(out)
    out = dir "/" protocol "-" name "-test.csv"
    for (i = 1; i <= 500 - tested; i++) print pool[from, "normal", normal + i] > out
    for (i = 1; i <= tested; i++) print pool[from, name, skipped + i] > out
    close(out)
    print protocol, name, 4900, trained, 500 - tested, tested, attacks
}

# The main loop of one object's kernel, as a row of sass.csv, from cuobjdump's listings. After records.awk:
#   awk -v step=S -v variant=V -v arch=A -v nvcc=VERSION -f records.awk -f sass.awk input=usage FILE input=sass FILE
# With header=1: only the header.
#
# The kernel: of several instantiations the one for whole float4 (VECTOR = true: ILb1E in its name); of several of those
# the one that is named after the variant.
# The loop: from the target of a backward branch to the last branch to it; of those that hold FFMAs and no other such
# loop, the one with the most FFMAs. A kernel without one has its registers recorded and nothing else.
# `other` is what has no column of its own, and also what never executes (@!PT): ptxas fills in LDS before LDGSTS so.

BEGIN {
    program = "sass"
    if (header) { print SASS_HEADER; exit }
}

input == "usage" && /^ *Function / { name = $2; sub(/:$/, "", name); next }
input == "usage" { if (match($0, /REG:[0-9]+/)) registers[name] = substr($0, RSTART + 4, RLENGTH - 4); next }

/Function : / {
    kernel[++kernels] = $NF
    if ($NF ~ /ILb1E/) { main = $NF; mains++ }
    if ($NF ~ /ILb1E/ && index($NF, variant)) { own = $NF; owns++ }
    name = $NF
}
/^[ \t]*\/\*[0-9a-f]+\*\/[ \t]/ {
    text = $0
    sub(/^[ \t]*\/\*/, "", text)
    i = ++length_of[name]
    at[name, hex(substr(text, 1, index(text, "*") - 1))] = i
    address[name, i] = hex(substr(text, 1, index(text, "*") - 1))
    sub(/^[0-9a-f]+\*\/[ \t]*/, "", text)
    sub(/[ \t]*;.*/, "", text)
    code[name, i] = text
}

END {
    if (header) exit 0
    if (failed) exit 2
    if (kernels == 0) exit 0
    if (kernels == 1) main = kernel[1]
    else if (owns == 1) main = own
    else if (mains != 1)
        die(step " " variant ": " kernels " kernels, " mains + 0 " of them with ILb1E in the name, not one")
    if (!(main in registers)) die(step " " variant ": no registers of " main)
    loop = find_loop()
    if (loop) count(begin[loop], end_of[loop])
    printf "%s,%s,%s,%d", step, variant, arch, registers[main]
    kinds = split("loop_instructions ffma ffma_reuse lds32 lds64 lds128 ldg ldgsts sts bar other", kind, " ")
    for (i = 1; i <= kinds; i++) printf ",%s", loop ? tally[kind[i]] + 0 : ""
    print "," nvcc
}

function hex(digits,    i, x) {
    for (i = 1; i <= length(digits); i++) x = x * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
    return x + 0
}

# The instruction's name, .modifiers and all; "" for one that never executes.
function operation(text) {
    if (text ~ /^@!U?PT /) return ""
    sub(/^@!?U?P[0-9T]+ +/, "", text)
    sub(/[ ,].*/, "", text)
    return text
}

# The number of the main loop, 0 when there is none: begin[l]..end_of[l] are its instructions.
function find_loop(    n, i, op, target, l, other, loops, inner, sum, number, main_loop) {
    n = length_of[main]
    for (i = 1; i <= n; i++) {
        op = operation(code[main, i])
        sum[i] = sum[i - 1] + (op ~ /^FFMA(\.|$)/)
        if (op !~ /^BRA(\.|$)/ || !match(code[main, i], /0x[0-9a-f]+ *$/)) continue
        target = hex(substr(code[main, i], RSTART + 2, RLENGTH - 2))
        if (target >= address[main, i] || !((main, target) in at)) continue
        target = at[main, target]
        if (!(target in number)) { number[target] = ++loops; begin[loops] = target }
        end_of[number[target]] = i
    }
    for (l = 1; l <= loops; l++) ffmas[l] = sum[end_of[l]] - sum[begin[l] - 1]
    for (l = 1; l <= loops; l++) {
        inner = ffmas[l] > 0
        for (other = 1; other <= loops; other++)
            if (other != l && ffmas[other] > 0 && begin[other] >= begin[l] && end_of[other] <= end_of[l]) inner = 0
        if (inner && (!main_loop || ffmas[l] > ffmas[main_loop])) main_loop = l
    }
    return main_loop + 0
}

function count(first, last,    i, op, kind) {
    for (i = first; i <= last; i++) {
        op = operation(code[main, i])
        tally["loop_instructions"]++
        kind = "other"
        if (op ~ /^FFMA(\.|$)/) { kind = "ffma"; if (index(code[main, i], ".reuse")) tally["ffma_reuse"]++ }
        else if (op ~ /^LDS(\.|$)/) kind = op ~ /\.128/ ? "lds128" : op ~ /\.64/ ? "lds64" : "lds32"
        else if (op ~ /^LDG(\.|$)/) kind = "ldg"
        else if (op ~ /^LDGSTS(\.|$)/) kind = "ldgsts"
        else if (op ~ /^STS(\.|$)/) kind = "sts"
        else if (op ~ /^BAR(\.|$)/) kind = "bar"
        tally[kind]++
    }
}

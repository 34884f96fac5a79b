#!/bin/sh
# What steps 2 and 6 show (--show), in the simulator: compares it with what was reviewed (tests/show), step 6's drawings
# on every GPU that it simulates. Last line: "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"

# run ARGUMENTS...: the step's output in $work/out, without the line that names the device in $work/shown.
step=step06_tensorcore
run() {
    status=0
    $step/run "$@" >"$work/out" 2>&1 || status=$?
    sed 1d "$work/out" >"$work/shown"
}
# shows NAME FILE: that is what was reviewed.
shows() {
    diff "$work/shown" "tests/show/$2.expected" >"$work/err"
    counted $? "$1"
}

for show in mma_s8 mma_f16 ldmatrix swizzle; do
    for device in sm_75 sm_80 sm_86 sm_89 sm_90; do
        ends "$show on $device" 0 '' --sim-device $device --show $show
        check "$show names $device" grep -q "^step06_tensorcore --show $show on .* (simulated) ($device)$" "$work/out"
        if [ "$show $device" = 'mma_f16 sm_75' ]; then # half of it, and why
            check "$show on $device says why" [ "$(tail -n 1 "$work/shown")" = \
                'm16n8k16 needs compute capability 8.0.' ]
            sed '$d' "$work/shown" | diff - tests/show/$show.expected | grep '^<' >"$work/diff"
            check "$show on $device: the first half" [ ! -s "$work/diff" ]
        else
            shows "$show on $device" "$show"
        fi
    done
    check "$show fits 100 columns" [ "$(awk 'length > 100 || / $/' "$work/out" | wc -l)" = 0 ]
    run --list
    check "--list has $show" grep -q "^--show $show " "$work/out"
done

for device in sm_75:6 sm_80:23 sm_89:24 sm_90:27; do # GPU:shapes that it has
    ends "shapes on ${device%:*}" 0 '' --sim-device "${device%:*}" --show shapes
    check "shapes on ${device%:*}: which are right, and what the others need" [ \
        "$(grep -c ' right' "$work/shown") $(grep -c ' needs sm_' "$work/shown")" = \
        "${device#*:} $((27 - ${device#*:}))" ]
done
check 'shapes fits 100 columns' [ "$(awk 'length > 100 || / $/' "$work/out" | wc -l)" = 0 ]

step=step02_smem
ends 'latency' 0 '' --sim --show latency
shows 'latency: its chains, and that there is no time' latency
ends 'latency on sm_75' 0 '' --sim-device sm_75 --show latency
check 'latency on sm_75: fewer lines, as its caches are smaller' grep -q '^    L2  *4096  *512  *-' "$work/out"
check 'latency fits 100 columns' [ "$(awk 'length > 100 || / $/' "$work/out" | wc -l)" = 0 ]
run --sim --show limits
check 'limits: every sum is right' [ "$status" = 0 ]
shows 'limits: which there are, and that there is no time' limits
check 'limits fits 100 columns' [ "$(awk 'length > 100 || / $/' "$work/out" | wc -l)" = 0 ]
run --sim-device sm_80 --show limits
check 'limits on sm_80 says what it lacks' [ "$(grep -c ' wgmma_.* skipped: needs compute capability 9.0 exactly$' \
    "$work/out") $(grep -c skipped "$work/out") $status" = '24 25 0' ]
run --list
check '--list has limits' grep -q '^--show limits ' "$work/out"
check '--list has latency' grep -q '^--show latency ' "$work/out"

ended

#!/bin/sh
# Does every method of step 8 reproduce, on the GPU, the accuracies that come with optdigits, with the neighbours that
# the CPU finds? The data are in KNN_DATA, else in data/ (make data fetches them). Last line: "N passed, N failed, N
# skipped".
set -u
. "$(dirname "$0")/../case.sh"
data=${KNN_DATA:-data}/optdigits
published='98.00 97.38 97.83 97.61 97.89 97.77 97.66 97.66 97.72 97.55 97.89 ' # k = 1 ... 11
if [ ! -e "$data/optdigits.tra" ] || [ ! -e "$data/optdigits.tes" ]; then
    echo "optdigits is not in $data: left out (make data fetches it)" >&2
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
skipped=0
for method in $(./step08/run --list | sed -n 's/^\([a-z_+]*\) .*/\1/p'); do
    status=0
    ./step08/run --train "$data/optdigits.tra" --test "$data/optdigits.tes" --k-sweep 1:11 --method "$method" --verify \
        >"$work/out" 2>"$work/err" || status=$?
    got=$(sed -n 's/^ *[0-9][0-9]*  *\([0-9.]*\)%$/\1/p' "$work/out" | tr '\n' ' ')
    if [ "$status" = 2 ] && grep -q -e "--method $method: " "$work/err"; then # refused
        skipped=$((skipped + 1))
    else
        same "$method" "0 $published" "$status $got"
    fi
done
ended

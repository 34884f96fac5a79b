#!/bin/sh
# Tests scripts/data.sh with an archive in a folder and a curl that copies from it.
# Ends with "N passed, N failed[, N skipped]".
set -u
. "$(dirname "$0")/../case.sh"
data=$(cd "${KNN_DATA:-data}" 2>/dev/null && pwd)
KNN_DATA=$work/data
DATA_URLS=file://$work/archive
mkdir "$work/bin"
fake "$work/bin/curl" <<'END'
while [ $# -gt 1 ]; do
    if [ "$1" = -o ]; then to=$2; fi
    shift
done
cp "${1#file://}" "$to"
END
PATH=$work/bin:$PATH
export KNN_DATA DATA_URLS PATH

fetch() { sh scripts/data.sh >"$work/out" 2>"$work/err"; status=$?; }
said() { grep -qF -e "$1" "$work/err"; }
lines() { [ "$(wc -l <"$work/err")" = "$1" ]; }
nothing_kept() { [ -z "$(find "$KNN_DATA" -type f)" ]; }

fetch
check "no archive: one line, exit status 2" eval '[ "$status" = 2 ] && lines 1 && said "6 of 6 files are missing"'
check "no archive: nothing is left behind" nothing_kept
mkdir -p "$work/archive/optdigits"
echo 1,2,3 >"$work/archive/optdigits/optdigits.tra"
fetch
check "another file of that name is refused" eval \
    '[ "$status" = 2 ] && lines 2 && said "optdigits.tra has the wrong contents" && nothing_kept'
echo 1,2,3 >"$KNN_DATA/optdigits/optdigits.tra"
fetch
check "a wrong file that is here is named and kept" eval '[ "$status" = 2 ] && lines 2 &&
    said "$KNN_DATA/optdigits/optdigits.tra has the wrong contents" && [ -s "$KNN_DATA/optdigits/optdigits.tra" ]'
rm "$KNN_DATA/optdigits/optdigits.tra"
if [ -e "$data/kdd99/corrected.gz" ] && [ -e "$data/optdigits/optdigits.tra" ]; then
    rm -r "$work/archive"
    mkdir -p "$work/archive/kddcup99-mld"
    ln -s "$data/optdigits" "$work/archive/optdigits"
    for file in "$data"/kdd99/*; do ln -s "$file" "$work/archive/kddcup99-mld/"; done
    rm "$work/archive/kddcup99-mld/corrected.gz"
    gzip -dc "$data/kdd99/corrected.gz" | gzip -1 >"$work/archive/kddcup99-mld/corrected.gz" # packed anew
    fetch
    check "all are fetched" eval '[ "$status" = 0 ] && lines 0 && [ "$(grep -c fetched "$work/out")" = 6 ]'
    rm -r "$work/archive"
    fetch
    check "all are here" eval '[ "$status" = 0 ] && lines 0 && [ "$(grep -c "is here" "$work/out")" = 6 ]'
else
    echo "skipped: fetching the data sets: they are not in ${data:-data} (make data)"
    skipped=1
fi
ended

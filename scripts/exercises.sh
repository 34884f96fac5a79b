#!/bin/sh
# help: list the exercises: which are done, and your best counters
# The state of each is what `make ex` last found (my/NAME/state); a copy changed since then is to be checked again.
set -eu
cd "$(dirname "$0")/.."
my=${MY:-my}
count=0 finished=0 next=
for folder in exercises/[0-9]*/; do
    name=$(basename "$folder")
    state=$my/$name/state says='to do'
    if [ -e "$state" ]; then
        says=$(head -n 1 "$state")
        [ -z "$(find "$my/$name/exercise.cu" -newer "$state" 2>/dev/null)" ] || says=changed
    fi
    count=$((count + 1))
    if [ "$says" = 'done' ]; then finished=$((finished + 1)); else next=${next:-$name}; fi
    best=$([ ! -e "$state" ] || sed 1d "$state" | awk '{ printf "%s%s %g", (NR > 1 ? ", " : ""), tolower($1), $2 }')
    title=$(sed -n 's/^title=//p' "$folder/exercise.txt") minutes=$(sed -n 's/^minutes=//p' "$folder/exercise.txt")
    printf '%-8s%-22s%2s min  %s%s\n' "$says" "$name" "$minutes" "$title" "${best:+ (best: $best)}"
done
echo "$finished of $count done${next:+; next: make ex NAME=$next}"
echo "$(echo exercises/*/wrong/*.patch | wc -w) wrong solutions must fail as they say: make test-all tries them all"

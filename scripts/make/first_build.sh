#!/bin/sh
# first_build.sh "GOALS" "GPU": about how long a first build takes, from seconds of one core (GPU: "" where there is
# none).
step=20 steps=180 simulator=30 tests=400 archive=350 longest_file=15
total=0
for goal in $1; do
    case $goal in
    step*) total=$((total + step)) ;;
    all | demo | bench-sim) total=$((total + steps)) ;;
    test | test-all) total=$((total + steps + simulator + tests)) ;;
    bundle) total=$((total + steps + simulator + archive)) ;;
    sim) total=$((total + simulator)) ;;
    esac
    case $goal in step* | all | demo) if [ -z "$2" ]; then total=$((total + simulator)) simulator=0; fi ;; esac
done
cores=$(nproc 2>/dev/null || echo 1)
seconds=$((total / cores))
[ "$seconds" -ge "$longest_file" ] || seconds=$longest_file
[ "$total" = 0 ] || echo "The first build takes about $seconds s on $cores cores; later ones build what has changed."

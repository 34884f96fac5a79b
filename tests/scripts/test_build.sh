#!/bin/sh
# The Makefile and the scripts it calls, tried in a copy of the tree. Ends with "N passed, N failed".
# KL_TEST_WHEELS=1 also installs CUDA's Python wheels (100 MB) and builds a step with them.
set -u
. "$(dirname "$0")/../case.sh"
unset CUDASIM_LIB
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES ARCHS STEP VARIANT SIZE A B V WHEELS FORCE CC # of the make that runs us

# A copy of what git would have, as a repository of its own, so that `git status` can say what a build leaves behind.
copy=$work/copy
toolkit=$(sed -n 's/^CUDA_DIR := //p' "$root/build/config.mk" 2>/dev/null)
case $toolkit in
build/cuda) export CUDA_HOME="$root/build/cuda" ;; # lend the copy the wheels that this tree fetched
esac
mkdir "$copy"
# Without its .git (an archive of a release) all but what .gitignore names.
tree() {
    if [ -e .git ]; then
        git ls-files -co --exclude-standard
    else
        find . \( -path ./build -o -path ./data -o -path './step*/run' -o -path './step[0-9][0-9]' -o \
            -path ./compile_commands.json \) -prune -o ! -type d -print
    fi | while read -r f; do if [ -e "$f" ]; then echo "$f"; fi; done
}
if [ ! -e "$root/.git" ]; then
    echo "note: this tree has no .git, so all of it is tried but build/, data/, the run programs and the links"
fi
(cd "$root" && tree | tar cf - -T -) | tar xf - -C "$copy"
[ -e "$copy/Makefile" ] || { echo "test_build: cannot copy the tree in $root" >&2; exit 1; }
cd "$copy" || exit 1
git init -q . && git add -A && git -c user.name=test -c user.email=test@example.org commit -q -m copy
dirs=$(ls -d step[0-9][0-9]_*)
first=$(echo "$dirs" | head -n 1)
step=${first%%_*}

# --- help, dry run, arguments ---
run make help
for target in $(sed -n '/^scripted :=/,/[^\\]$/p; /^named :=/,/[^\\]$/p' Makefile | tr -d '\\' | tr ' ' '\n' |
    grep '^[a-z][a-z-]*$' | grep -vx 'scripted\|named' | sort -u); do
    check "help lists $target" said "^$target  *[A-Za-z]"
done
check "help lists stepNN" said '^stepNN '
check "help names the variables" said '^Variables: .*ARCHS=.*CUDA_HOME=.*NVCC=.*CC=.*V=1'
check "help needs no toolkit" [ ! -e build ]
run sh -c 'make help | head -n 1'
check "help into a pipe that is closed says nothing else" eval 'lines 1 && ! said Error'
run sh -c "cut -d: -f2 CITATION.cff | grep -qx ' $(cat VERSION)' && grep '^## \[$(cat VERSION)\] - 20' CHANGELOG.md"
check "VERSION, CITATION.cff and CHANGELOG.md name one version" [ "$status" = 0 ]

ends "make -n succeeds" 0 '' make -n
check "make -n would link every step" \
    [ "$(grep -c 'aside.sh gcc.*-o step.*/run ' "$work/out")" = "$(echo "$dirs" | wc -l)" ]
check "make -n builds nothing" [ ! -e build/obj ]
check "make -n takes no time" eval '! said "first build"'
ends "the first build says how long it takes" 2 '^The first build takes about [0-9]* s on' \
    make "$step" CFLAGS=--nonsense
rm -rf build cudasim/build
run make ex NAME=01 CUDA_HOME="$work/nowhere" NVCC=
check "not where it cannot begin" eval '[ "$status" = 2 ] && said "nowhere has no bin/nvcc" && ! said "first build"'
run sh scripts/make/first_build.sh bundle ''
check "an archive takes its time, too" said "^The first build takes about [0-9]* s on"

# GOAL:MOST LIKE IT
for pair in step4:step04 step01_naive:step01 tests:test test-gpus:test-gpu claen:clean; do
    line "there is no goal ${pair%:*}, but ${pair#*:}" 2 "no goal .${pair%:*}.; did you mean ${pair#*:}\?; make help" \
        make "${pair%:*}"
done
line "bench-sim refuses RUNS before it compiles" 2 'RUNS=x is not a count' make bench-sim RUNS=x
mkdir -p "$first/new/deeper"
touch "$first/new/deeper/kernel.cu" "$first/new/other.c"
run make -n "$step"
check "a file in a new folder of a step is compiled" eval 'said "^echo \"nvcc  $first/new/deeper/kernel.cu" &&
    said "^echo \"cc    $first/new/other.c" && said "run .*build/obj/$first/new/deeper/kernel.cu.o"'
rm -r "$first/new"
run make -n step08 # its families and the kernel of another step are named in its step.mk
check "a step's own part of the Makefile counts" eval \
    'said "step08_knn/run .*build/obj/step05_doublebuffer/best/best.cu.o" &&
    said "build/lib/readers.a" && ! said "knn_library.c"'

# What this tree has fetched, if it had to.
lend_numpy() {
    [ ! -e "$root/build/numpy" ] || { mkdir -p build && ln -sfn "$root/build/numpy" build/numpy; }
}
# --- two makes in one tree, and no room for temporary files ---
lend_numpy
make -s deps ARCHS=90a >/dev/null
cp build/archs.mk "$work/archs.mk"
mkdir "$work/slow"
fake "$work/slow/nvidia-smi" 'sleep 1' 'exit 9'
PATH="$work/slow:$PATH" make -s deps ARCHS=90a >/dev/null &
sleep 0.6
check "another make finds build/archs.mk whole meanwhile" cmp -s build/archs.mk "$work/archs.mk"
wait
echo old >"$work/file"
# shellcheck disable=SC2016 # the inner shell's
run sh scripts/make/aside.sh sh -c 'echo new >"$3" && [ "$(cat "$1")" = old ]' sh "$work/file" -o "$work/file"
check "what is compiled is moved into place" eval '[ "$status" = 0 ] && [ "$(cat "$work/file")" = new ]'
# shellcheck disable=SC2016
run sh scripts/make/aside.sh sh -c 'echo half >"$2"; exit 3' sh -o "$work/file"
check "a compiler that fails leaves what was there" eval \
    '[ "$status" = 3 ] && [ "$(cat "$work/file")" = new ] && [ "$(ls "$work"/file*)" = "$work/file" ]'
run env TMPDIR="$work/none" make -s deps ARCHS=90a
check "without a folder for temporary files, build/ has them" eval '[ "$status" = 0 ] && said "machine code: sm_90a"'
ends "make ex works without one, too" 0 'hint 1' env TMPDIR="$work/none" NAME=01 HINT=1 make ex

for archs in 99 sm_80 "90a 80,89"; do
    ends "ARCHS='$archs' is refused, exit 2" 2 '' make deps ARCHS="$archs"
    check "ARCHS='$archs' is named in one line" eval 'lines 1 && said "ARCHS: unknown"'
done
run make -s deps ARCHS="75 80"
check "ARCHS of old GPUs keep compute_90a" said '^machine code: sm_75 sm_80; PTX: compute_90a, compute_80$'
run make -s deps ARCHS="120 90a 89"
check "the newest of ARCHS gives the portable PTX" said 'PTX: compute_90a, compute_120$'
run make -s deps ARCHS="89 90a"
check "but not where that would be one more to compile for" said '^machine code: sm_89 sm_90a; PTX: compute_90a$'
run make -n check-archs ARCHS= CUDA_ARCHS="75 80 90"
check "check-archs leaves out what nvcc does not know and names it" eval \
    '[ "$status" = 0 ] && said "compiles for sm_75 sm_80 sm_90a; .*not know sm_86 sm_89 sm_100a sm_120\"" &&
        ! said "code=sm_100a"'
run make -n test bench
check "make -n runs no script" eval '[ "$status" = 0 ] && ! said "no GPU" && [ ! -e build/tests ]'
line "profile without STEP: one line, exit 2" 2 'STEP.*STEP=step04' make profile
line 'cutlass without a copy of it: one line, exit 2' 2 'CUTLASS_HOME names no copy.*CUTLASS_HOME=' make cutlass
line "compare without B: one line, exit 2" 2 'A and B.*A=.*B=' make compare A=one.csv
run make plots TERM=dumb
check "plots TERM=dumb draws in the terminal" eval '[ "$status" = 0 ] && said "The SGEMM ladder" &&
    ! ls build/plots/*.png'
run env DEVICE=nowhere make -n plots
check "plots takes no DEVICE from the environment" eval '[ "$status" = 0 ] && ! said nowhere'
ends "plots refuses a DEVICE without recordings" 2 'nothing is recorded of .nowhere.' make plots DEVICE=nowhere
ends "plots refuses another TERM" 2 'unknown terminal paper' make plots TERM=paper
if [ -e build ]; then mv build "$work/build"; fi
touch build
line "what cannot be written is named" 2 "deps: cannot write to the folder $copy/build$" sh scripts/deps.sh cuda
rm build
if [ -e "$work/build" ]; then mv "$work/build" build; fi
line "deps.sh refuses an unknown group" 2 nonsense sh scripts/deps.sh nonsense

# --- building ---
# lend PATH...: what this tree has built already, if with the same flags, but these.
lend() {
    [ -e "$root/build/flags" ] || return 0
    pruned='-path cudasim/build/tests'
    for path; do pruned="$pruned -o -path $path"; done
    # shellcheck disable=SC2086 # several words
    (cd "$root" && find build/flags build/obj cudasim/build \( $pruned \) -prune -o -type f -print | tar cf - -T -) |
        tar xf -
}
# Of the first step a kernel and what calls it are compiled here, and the harness.
# shellcheck disable=SC2046 # several folders
lend "build/obj/$first/coalesced.cu.o" "build/obj/$first/step.c.o" build/obj/common/gemm build/obj/tests build/tune \
    $(echo "$dirs" | sed '1d; s|^|build/obj/|')
ends "$step builds" 0 '' make -j2 "$step" ARCHS=90a
check "$step is a link to its folder" [ "$(readlink "$step")" = "$first" ]
ends "$step/run --list works" 0 '' "./$step/run" --list
cat build/obj/"$first"/*.cu.o >"$work/all.o"
ends "PTX is embedded as text" 0 '' grep -c -a '^\.target sm_90' "$work/all.o"
check "PTX of compute_90a is embedded, and no other" eval \
    'grep -aq "^\.target sm_90a" "$work/all.o" && ! grep -aq "^\.target sm_90$" "$work/all.o"'

line "built again, there is nothing to do" 0 "^$step is up to date" make "$step" ARCHS=90a
run make sim ARCHS=90a
check "nor of make" eval '[ "$status" = 0 ] && ! said "Nothing to be done"'

# --- PTX and machine code of one step ---
rm -rf build/ptx
cp -p "$first/coalesced.cu" "$work/coalesced.cu"
echo '#include "banks.h"' >>"$first/coalesced.cu" # it has the folders of headers that the build has
run env PATH="$work/nothing:$PATH" make ptx STEP="$step" ARCHS=90a
check "make ptx of one step" eval '[ "$status" = 0 ] && [ "$(ls build/ptx)" = "$first" ] &&
    [ "$(ls build/ptx/"$first"/*.ptx | wc -l)" = "$(find "$first" -name "*.cu" | wc -l)" ] && ! said step02'
cp -p "$work/coalesced.cu" "$first/coalesced.cu"
if (PATH=$PATH:$(sed -n 's/^CUDA_DIR := //p' build/config.mk)/bin && command -v cuobjdump && command -v nvdisasm) \
    >/dev/null; then
    check "and its SASS" [ -s "build/ptx/$first/coalesced.sass" ]
else
    check "without cuobjdump it says what brings it" said "cuobjdump is missing.*make deps WHEELS=1"
fi
for goal in ptx sass; do
    ends "make $goal of no step" 2 'no step .step77.' make $goal STEP=step77
done

# --- which version it is ---
# builds_version TEXT [MAKE'S ARGUMENT]...: built again, the step says it is that; one file was compiled for it.
builds_version() {
    want=$1
    shift
    run make -j2 "$step" ARCHS=90a "$@"
    [ "$(grep '^cc\|^nvcc' "$work/out")" = "cc    common/base/version.c" ] || return 1
    run "./$step/run" --version
    said "(kernel-ladder $want)\$"
}
release=$(cat VERSION)
commit=$(git rev-parse --short=7 HEAD)
run "./$step/run" --version
check "the version names the commit" said "(kernel-ladder $release $commit)\$"
echo >>README.md
echo >>plots/gemv_ladder.csv
run make -j2 "$step" ARCHS=90a
check "notes and recordings do not count" eval '[ "$status" = 0 ] && ! said "^cc\|^nvcc"'
git checkout -q README.md plots
echo >common/gemm/new.cuh
check "it says that sources differ from it" builds_version "$release $commit-dirty"
rm common/gemm/new.cuh
check "REVISION= names another" builds_version "$release 1a2b3c4" REVISION=1a2b3c4
mv .git "$work/git"
check "without .git there is none" builds_version "$release"
mv "$work/git" .git

# --- the table of GPUs ---
echo 'nvidia-x1,NVIDIA X1,12,1,2,,' >>common/gpu/devices.csv
run make build/gpu/devices.inc ARCHS=90a
check "a bad line in the table of GPUs fails the build" eval \
    '[ "$status" != 0 ] && said "devices.csv:$(wc -l <common/gpu/devices.csv): 7 fields" &&
    ! grep -qs "NVIDIA X1" build/gpu/devices.inc'
git checkout -q common/gpu/devices.csv
run make build/gpu/devices.inc ARCHS=90a
check "a good one has a row for each" \
    [ "$(grep -c '"NVIDIA ' build/gpu/devices.inc)" = "$(($(wc -l <common/gpu/devices.csv) - 1))" ]
sleep 1
touch common/gemm/gemm.h
run make -n "$step" ARCHS=90a
check "a touched header rebuilds C and CUDA" eval '[ "$status" = 0 ] && said "^echo \"cc .*$first" &&
    said "^echo \"nvcc .*$first" && said "^echo \"link"'
touch -r "$root/common/gemm/gemm.h" common/gemm/gemm.h # as it was: of what is lent, much includes it
run make -j8 clean build/obj/common/base/stats.c.o ARCHS=90a
check "clean comes before what is built with it" eval \
    '[ "$status" = 0 ] && [ -e build/obj/common/base/stats.c.o ] && [ ! -e "$first/run" ] && [ ! -e cudasim/build ]'
run make -n "$step" ARCHS="89 90a"
check "a changed flag rebuilds" said 'sm_89.*\.cu$'

# A step that spills registers, in a tree of its own kind: one kernel that holds more than its registers.
spill() {
    cat <<EOF
__global__ void __launch_bounds__(1024, 2) spill(float *p) {
    float a[64];
#pragma unroll
    for (int i = 0; i < 64; i++) a[i] = p[i * threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 64; i++)
#pragma unroll
        for (int j = 0; j < 64; j++) a[i] += a[j] * p[i];
#pragma unroll
    for (int i = 0; i < 64; i++) p[i + 64 * threadIdx.x] = a[i];
}
EOF
}
spill >"$first/spill.cu"
run make "build/obj/$first/spill.cu.o" ARCHS=90a
check "spilled registers fail the build" eval '[ "$status" != 0 ] && said "spilled"'
{ echo "/* spills: intended */" && spill; } >"$first/spill.cu"
ends "intended spills do not" 0 '' make "build/obj/$first/spill.cu.o" ARCHS=90a
echo 'static int unused; static void idle(void) {}' >"$first/spill.cu"
run make "build/obj/$first/spill.cu.o" ARCHS=90a
check "a warning in CUDA fails the build" [ "$status" != 0 ]
rm -f "$first/spill.cu"

# --- the scripts that use a GPU, with one that is made up: nvidia-smi, compute-sanitizer and every step's run ---
gpu=$work/gpu
fake_gpu "$gpu" 'NVIDIA  Made-Up 4090 (Laptop)'
rm "$gpu/make"
fake "$gpu/compute-sanitizer" <<'EOF'
echo "========= LEAK SUMMARY: 0 bytes leaked in 0 allocations"
echo "========= ERROR SUMMARY: ${FAKE_ERRORS:-0} errors"
EOF
fake "$work/run" <<'EOF'
[ -z "${FAKE_STATUS:-}" ] || exit "$FAKE_STATUS"
step=$(basename "$(cd "$(dirname "$0")" && pwd -P)")
while [ $# != 0 ]; do
    case $1 in
    check | --verify-only) echo "3 passed, 0 failed, 1 skipped" ;;
    --csv) csv=$2 ;;
    esac
    shift
done
[ -n "${csv:-}" ] || exit 0
[ -e "$csv" ] || python3 -B -m report header sgemm >"$csv"
case $step in step08*) what=knn,f32,n,5,900,3,7 ;; *) what=gemm,f32,nn,1,1,1, ;; esac
echo "$step,one,$what,1,0,cold,events,2,2,2,50000,9,0.5,cublas,1,0.5,0.5,0.5,0.1,,,made up,90,,13.0,\
2026-01-01,,,,,,,,,,,," >>"$csv"
EOF
fake "$work/faults" <<'EOF'
[ -z "${FAKE_STATUS:-}" ] || exit "$FAKE_STATUS"
echo "ok made up"
echo "5 passed, ${FAKE_FAULTS:-0} failed"
[ -z "${FAKE_FAULTS:-}" ]
EOF
with_gpu() { env PATH="$gpu:$PATH" FAKE_CC="${FAKE_CC:-9.0}" "$@"; }

lend_numpy
for pair in 9.0:sm_90a 10.0:sm_100a 12.0:sm_120 8.9:sm_89 7.0:sm_90a none:sm_90a; do
    FAKE_CC=${pair%:*}
    run with_gpu make -s deps
    check "GPU of ${pair%:*}: code for ${pair#*:}" said "machine code: ${pair#*:};"
done
FAKE_CC=9.0
lend
run make -j2 ARCHS=90a all build/tests/gpu/faults build/tests/tensorcore/run
check "every step builds" eval '[ "$status" = 0 ] && [ "$(ls -d step??_*/run | wc -l)" = "$(echo "$dirs" | wc -l)" ]'
for dir in $dirs; do cp "$work/run" "$dir/run"; done # newer than its objects: make leaves it alone
check "the GPU's own tests build" [ -x build/tests/gpu/faults ]
cp "$work/faults" build/tests/gpu/faults
cp "$work/faults" build/tests/tensorcore/run
for script in gpu/measure gpu/optdigits knn/test_ranks; do
    cp "tests/$script.sh" "$work/${script#*/}.sh"
    cp "$work/faults" "tests/$script.sh"
done
steps=$(($(echo "$dirs" | wc -l) + 4)) # step 8 four times more: on prepared points, with overlapping copies
runs=$((steps + $(sed 1d plots/random_sets.csv | wc -l)))

run with_gpu make -s test-gpu
check "test-gpu sums every step and its own tests" eval \
    '[ "$status" = 0 ] && said "^ok faults: 5 passed" && said "^ok measure: 5 passed" &&
        said "^ok tensorcore: 5 passed" && said "^ok optdigits: 5 passed" && said "^ok ranks: 5 passed" &&
        said "^$((3 * runs + 25)) passed, 0 failed, $runs skipped$"'
run with_gpu env FAKE_FAULTS=2 sh scripts/tests/test_gpu.sh
check "test-gpu fails when the verification misses a fault" eval \
    '[ "$status" = 1 ] && said "^FAIL faults: 5 passed, 2 failed" && said "^$((3 * runs + 25)) passed, 10 failed, "'
run env FAKE_STATUS=3 PATH="$gpu:$PATH" FAKE_CC=9.0 sh scripts/tests/test_gpu.sh
check "test-gpu counts a crash as failed" eval '[ "$status" = 1 ] && said "^0 passed, $((runs + 5)) failed$"'
run with_gpu env STEPS="$step" sh scripts/tests/test_gpu.sh
check "test-gpu leaves out what belongs to other steps" eval '[ "$status" = 0 ] && said "^ok measure: 5 passed" &&
    said "^ok $step: 3 passed" && said "^13 passed, 0 failed, 1 skipped$"'
run with_gpu env STEPS=step05 SHAPES=07 sh scripts/tests/test_gpu.sh
check "test-gpu: a number that is none" '[ "$status" = 2 ] && said "SHAPES is .07., not a whole number"'
run with_gpu sh scripts/tests/sanitize.sh
check "sanitize: a line a tool and step" eval \
    '[ "$status" = 0 ] && said "^ok racecheck $step$" && said "^ok racecheck step05 stream_k$" &&
        said "^ok racecheck step07 best$" && said "^ok racecheck step08 records$" &&
        said "^sanitize: racecheck $step$" && said "^$((4 * (steps + 2))) passed, 0 failed$"'
run with_gpu env FAKE_ERRORS=2 TOOLS=initcheck STEPS="$step" sh scripts/tests/sanitize.sh
check "sanitize fails on an error" eval \
    '[ "$status" = 1 ] && said "^FAIL initcheck $step .*2 errors" && said "^0 passed, 1 failed"'
csv=plots/data/nvidia-made-up-4090-laptop/sgemm.csv
run with_gpu make -s bench BENCH_STEPS="$step"
check "bench records in the GPU's folder" eval '[ "$status" = 0 ] && [ "$(grep -c "^$first," "$csv")" = 7 ]'
for script in bench:BENCH_STEPS counters:BENCH_STEPS tests/sanitize:STEPS tests/test_gpu:STEPS; do
    line "${script%:*}.sh refuses an unknown step" 2 'no step .step77.*=step04' \
        with_gpu env "${script#*:}=$step step77" sh "scripts/${script%:*}.sh"
done
run with_gpu make -s bench BENCH_STEPS=step08 SWEEPS=article
check "bench records the shapes of step 8" eval \
    '[ "$status" = 0 ] && [ "$(grep -c "^step08_knn,.*,knn," "$(dirname "$csv")/knn.csv")" = 5 ]'
line "knn_torch.sh without PyTorch: one line, exit 2" 2 'false has no PyTorch' \
    with_gpu env PYTHON=false sh scripts/knn/knn_torch.sh
line "knn_torch.sh without Python" 2 'none is missing' with_gpu env PYTHON="$work/none" sh scripts/knn/knn_torch.sh
line "other_languages.sh without Triton: one line, exit 2" 2 'false has no Triton' \
    env PYTHON=false sh scripts/other_languages.sh

rm -r plots/data/nvidia-made-up-4090-laptop
for script in gpu/measure gpu/optdigits knn/test_ranks; do cp "$work/${script#*/}.sh" "tests/$script.sh"; done
run make compile_commands.json
if command -v python3 >/dev/null; then
    check "compile_commands.json is JSON" python3 -c 'import json; assert json.load(open("compile_commands.json"))'
fi
ends "clean succeeds" 0 '' make clean
run git status --porcelain --ignored
check "clean leaves what git has, nothing else" [ ! -s "$work/out" ]

# --- scripts that need a GPU say so ---
if ! nvidia-smi -L >/dev/null 2>&1; then
    line "knn_peers.sh without a GPU and Faiss: one line, exit 2" 2 'false has no Faiss' \
        env PYTHON=false sh scripts/knn/knn_peers.sh
    for script in bench counters cold latency tests/test_gpu tests/sanitize knn/knn_torch "profile $step"; do
        run sh -c "sh scripts/${script%% *}.sh ${script#"${script%% *}"}"
        check "${script%% *}.sh without a GPU: one line, exit 3" eval '[ "$status" = 3 ] && lines 1 && said "no GPU"'
    done
fi

# --- deps on machines that lack things: a PATH with the tools named and no others ---
bare() { # DIR TOOL...
    bin=$1
    shift
    mkdir "$bin"
    for tool in sh sed grep sort tr cmp mv rm mkdir cat ln dirname "$@"; do
        ln -s "$(command -v "$tool")" "$bin/$tool"
    done
}
bare "$work/nothing"
fake "$work/nothing/id" 'echo 1000'
fake "$work/nothing/apt-get" 'exit 1'
line "deps without root names the exact command" 2 \
    'type: sudo apt-get install -y build-essential gnuplot-nox python3$' \
    env PATH="$work/nothing" sh scripts/deps.sh cuda plots
rm "$work/nothing/apt-get"
line "deps without apt-get names the packages" 2 'gnuplot-nox python3 \(Debian' \
    env PATH="$work/nothing" sh scripts/deps.sh plots

bare "$work/root" make
fake "$work/root/id" 'echo 0'
fake "$work/root/apt-get" "echo \"\$@\" >>\"$work/apt\"" "[ \"\$1\" = update ] || [ -e \"$work/updated\" ] || exit 100"
run env PATH="$work/root" sh scripts/deps.sh plots
check "deps as root without network: a sentence and the command" eval \
    '[ "$status" = 2 ] && said "network" && said "type: apt-get update && apt-get install -y gnuplot-nox python3$"'
check "deps as root tries apt-get update once" [ "$(grep -c '^update' "$work/apt")" = 1 ]
: >"$work/updated"
line "deps as root installs" 0 'installing gnuplot-nox python3 ' env PATH="$work/root" sh scripts/deps.sh plots
: >"$work/apt"
run env -u CUDA_HOME -u NVCC KL_CUDA_SEARCH= PATH="$work/root" make "$step"
check "a step says in one line what is missing" eval '[ "$status" = 2 ] &&
    [ "$(grep -c missing "$work/out")" = 1 ] && said "missing: build-essential .*the CUDA Toolkit 13; type: make deps$"'
for goal in plots notes-check "-n deps"; do
    ends "make $goal names what is missing and make deps" 2 'missing: .*; type: make deps$' \
        env PATH="$work/root" make $goal
done
check "none of them installs" [ ! -s "$work/apt" ]
for goal in deps demo test; do
    : >"$work/apt"
    run env -u CUDA_HOME -u NVCC KL_CUDA_SEARCH= PATH="$work/root" make $goal
    check "make $goal installs" eval 'grep -q "install.* gnuplot-nox" "$work/apt"'
done

if python=$(python3 -c 'import pip, sys; print(sys.executable)' 2>/dev/null); then # itself, not a shim of pyenv's
    bare "$work/no_nvcc" gcc g++ id
    ln -s "$python" "$work/no_nvcc/python3"
    run env -u CUDA_HOME -u NVCC KL_CUDA_SEARCH= PIP_NO_INDEX=1 PIP_FIND_LINKS=/nonexistent PATH="$work/no_nvcc" \
        sh scripts/deps.sh cuda
    check "no nvcc, no index: exit 2" [ "$status" = 2 ]
    check "no nvcc, no index: the commands to type" eval \
        'said "pip download.*nvidia-cuda-nvcc==13.0" && said "PIP_FIND_LINKS=wheels make deps"'
    check "no nvcc, no index: nothing half installed" [ ! -e build/cuda ]
fi

mkdir -p "$work/old/bin"
fake "$work/old/bin/nvcc" 'echo "Cuda compilation tools, release 12.4, V12.4.131"'
line "an old toolkit is named and the wheels offered" 2 'CUDA 12.4.*make deps WHEELS=1' \
    env -u NVCC CUDA_HOME="$work/old" sh scripts/deps.sh cuda
line "WHEELS=0 is no" 2 'CUDA 12.4' env -u NVCC WHEELS=0 CUDA_HOME="$work/old" sh scripts/deps.sh cuda
fake "$work/old/bin/nvcc" 'echo nothing'
run env -u NVCC CUDA_HOME="$work/old" sh scripts/deps.sh cuda
check "an nvcc of no version is named" eval \
    '[ "$status" = 2 ] && lines 1 && said "old/bin/nvcc --version names no CUDA release" && ! said older'
line "a CC that cannot be run is named, nothing installed" 2 '^deps: CC=nosuchcc cannot be run$' \
    env CC=nosuchcc sh scripts/deps.sh cuda test
run env -u NVCC CUDA_HOME="$work/nowhere" sh scripts/deps.sh cuda
check "a CUDA_HOME without nvcc is named" eval '[ "$status" = 2 ] && lines 1 && said "$work/nowhere has no bin/nvcc"'
mkdir -p build
ln -s "${CUDA_HOME:-$toolkit}" build/toolkit
run env -u NVCC make -n CUDA_HOME=build/toolkit -W cudasim/Makefile cudasim/build/libcudart.so.13
check "cudasim finds a toolkit that is named from the course's folder" [ "$status" = 0 ]
rm build/toolkit

# --- lint and format, in a small tree, with tools that are made up and say what they are given ---
small=$work/small
mkdir -p "$small/scripts" "$small/common" "$small/build/lint/bin" "$small/cudasim/tests/conformance"
cp scripts/lint.sh scripts/lint.txt "$small/scripts/"
cp scripts/lint.txt "$small/build/lint/installed"
touch "$small/.clang-format" "$small/common/a.c" "$small/common/b.cuh" "$small/scripts/c.sh"
for tool in clang-format clang-tidy shellcheck ruff; do
    fake "$small/build/lint/bin/$tool" "echo \"$tool: \$*\"" "[ ! -e \"$work/bad.$tool\" ]"
done
touch "$work/bad.shellcheck"
run sh "$small/scripts/lint.sh"
check "lint reads every file, without .git" eval '[ "$status" = 1 ] && said "clang-format: .*common/a.c" &&
    said "clang-format: .*common/b.cuh" && said "shellcheck: .*scripts/c.sh" && said "^ruff: check"'
rm "$work/bad.shellcheck"
ends "and again what has not passed" 0 'shellcheck: .*scripts/c.sh' sh "$small/scripts/lint.sh"
sleep 1
touch "$small/common/a.c"
run sh "$small/scripts/lint.sh"
check "but then only what has changed" eval '[ "$status" = 0 ] && said "clang-format: .*common/a.c" &&
    ! said "b.cuh\|c.sh"'
printf '%0121d\n' 0 | tee "$small/wide.mk" >"$small/cudasim/tests/conformance/wide.h"
printf '%0119dµ\n' 0 >"$small/Makefile"
run sh "$small/scripts/lint.sh"
check "lines have at most 120 columns" eval '[ "$status" = 1 ] && [ "$(grep -c columns "$work/out")" = 1 ] &&
    said "^./wide.mk:1: more than 120 columns"'
run sh "$small/scripts/lint.sh" --format
check "format takes every C and CUDA file" said "clang-format: -i .*common/b.cuh"
echo none==1 >"$small/scripts/lint.txt"
mkdir "$work/no_index"
fake "$work/pip" 'exit 1'
fake "$work/no_index/python3" 'mkdir -p "$3/bin"' "cp \"$work/pip\" \"\$3/bin/\""
rm -r "$small/build" # as in a new clone
run env PATH="$work/no_index:$PATH" sh "$small/scripts/lint.sh"
check "tools that cannot be had: one sentence more" eval \
    '[ "$status" = 2 ] && said "^lint: the tools cannot be fetched (see build/lint.log" &&
    [ ! -e "$small/build/lint" ] && [ -e "$small/build/lint.log" ]'

if [ -n "${KL_TEST_WHEELS:-}" ]; then
    bin=$(dirname "$(command -v python3)"):/usr/bin:/bin
    run env -u CUDA_HOME -u NVCC -u LIBRARY_PATH KL_CUDA_SEARCH= PATH="$bin" make -j2 "$step"
    check "$step builds with CUDA's wheels" eval '[ "$status" = 0 ] && grep -q "CUDA_DIR := build/cuda" build/config.mk'
    run env -u LD_LIBRARY_PATH "./$step/run" --list
    check "$step/run runs with the wheels' libcudart" eval \
        '[ "$status" = 0 ] && ldd "$step/run" | grep -q "$copy/build/cuda/lib"'
    run env -u CUDA_HOME -u NVCC KL_CUDA_SEARCH= PATH=/usr/bin:/bin make "$step"
    check "the wheels are installed once" eval '[ "$status" = 0 ] && ! said "fetching"'
fi

ended

#!/bin/sh
# Tests make bundle and the first hour: an archive of one step, unpacked elsewhere, runs there with nothing of
# this tree, no network variables and, where unshare may, no network; docs/first-hour.md gets
# what its commands print, and make knows the targets that the notes name.
# Takes what is built: step02 and the simulator. With KL_TEST_ALL=1 a whole archive, whose compiler builds a step there.
set -u
. "$(dirname "$0")/../case.sh"
tmp=$work
there="$tmp/another place/kernel-ladder"
offline=
if unshare -rn true 2>/dev/null; then offline="unshare -rn"; fi
# away COMMAND...: in the unpacked folder, with an environment that has nothing of ours.
away() { (cd "$there" && $offline env -i PATH="$tmp/bin:/usr/bin:/bin" HOME=/nonexistent LC_ALL=C "$@"); }

# refused TEXT COMMAND...: status 2, and one line that has the text.
refused() {
    text=$1 status=0
    shift
    "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
    [ "$status" = 2 ] && [ "$(wc -l <"$tmp/err")" = 1 ] && grep -q "$text" "$tmp/err"
}

packs() { # and leaves no folder
    before=$(ls -d build/bundle.* 2>/dev/null)
    BUILT=1 RUN_ONLY=1 LEVEL=0 STEPS=step02 OUT="$tmp/b.tar.xz" sh scripts/bundle/bundle.sh >"$tmp/out" &&
        grep -q ' MB, unpacked .*; machine code for sm_.*, glibc 2\.[0-9]* or newer$' "$tmp/out" &&
        mkdir "$tmp/another place" && tar -C "$tmp/another place" -xf "$tmp/b.tar.xz" &&
        [ "$(ls -d build/bundle.* 2>/dev/null)" = "$before" ]
}
is_lean() { # no tests, no other step's program, no compiler
    [ ! -e "$there/tests" ] && [ ! -e "$there/build/cuda/bin" ] && [ ! -e "$there/step03_regblock/run" ] &&
        [ -e "$there/README.md" ] && [ -e "$there/step03_regblock/step.c" ]
}
tells() {
    away ./run >"$tmp/out" && grep -q '^no GPU here: the steps run in the simulator' "$tmp/out" &&
        grep -q '^no compiler in this archive' "$tmp/out"
}
runs_a_step() { # verified there, by the archive's own libraries
    away env LD_DEBUG=libs ./run step02 --sim --size 64 >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/out"; return 1; }
    grep -qE '^tile32 +64 +64 +64 +[0-9.]+ s +0\.[0-9]+$' "$tmp/out" && grep -q 'simulated' "$tmp/out" &&
        grep -q "calling init: $there/build/cuda/lib64/libcudart" "$tmp/err" &&
        ! grep 'calling init: .*libcudart' "$tmp/err" | grep -vqE "calling init: ($there/build/|/proc/self/fd/)"
}
packs_within_a_repository() { # that is another's, and does not know the sources
    git -C "$tmp/another place" init -q &&
        printf 'CUDA_LIB := %s\n' "$there/build/cuda/lib64" >"$there/build/config.mk" &&
        echo 'archs := 90a' >"$there/build/archs.mk" &&
        away env BUILT=1 RUN_ONLY=1 LEVEL=0 STEPS=step02 OUT="$tmp/c.tar.xz" sh scripts/bundle/bundle.sh >"$tmp/out" ||
        return 1
    rm -rf "$tmp/another place/.git" "$there/build/config.mk" "$there/build/archs.mk"
    tar -tf "$tmp/c.tar.xz" >"$tmp/list" && grep -qx kernel-ladder/step02_smem/tile32.cu "$tmp/list"
}
refuses() { # one line, status 2
    for words in step03 step99 nonsense; do refused $words away ./run $words || return 1; done
    sed -i.old 's/^glibc .*/glibc 2.999/' "$there/bundle.txt"
    refused 'need glibc 2.999' away ./run step02 --size 64
    result=$?
    mv "$there/bundle.txt.old" "$there/bundle.txt"
    return $result
}
refuses_to_pack() {
    for given in OUT=b.zip OUT=/no/such/folder/b.tar.xz STEPS=step99; do
        refused "${given#*=}" env BUILT=1 "$given" sh scripts/bundle/bundle.sh || return 1
    done
}
nothing_made() { printf '%s\n' 'step02 is up to date; try: ./step02/run' | diff - "$tmp/out" >&2; }
compiles_there() { # with the archive's compiler and no other: nothing, then only the kernel that was changed
    mkdir "$tmp/whole" && BUILT=1 LEVEL=0 STEPS=step02 OUT="$tmp/w.tar.xz" sh scripts/bundle/bundle.sh >"$tmp/out" &&
        tar -C "$tmp/whole" -xf "$tmp/w.tar.xz" || return 1
    there=$tmp/whole/kernel-ladder
    away env KL_CUDA_SEARCH= make step02 >"$tmp/out" 2>&1 && nothing_made &&
        away ./step02/run --sim --size 64 >"$tmp/out" ||
        { head "$tmp/out"; return 1; }
    sed -i 's/^    float acc = 0.0f;/    float acc = 0.0f; \/* mine *\//' "$there/step02_smem/tile32.cu"
    away env KL_CUDA_SEARCH= make step02 >"$tmp/out" 2>&1 || { tail "$tmp/out"; return 1; }
    printf '%s\n' 'nvcc  step02_smem/tile32.cu' 'link  step02_smem/run' 'step02 is up to date; try: ./step02/run' |
        diff - "$tmp/out" &&
        [ -n "$(find "$there/step02_smem/run" -newer "$tmp/w.tar.xz")" ] &&
        away ./run step02 --sim --size 64 >"$tmp/out" && grep -qE '^tile32 +64 +64 +64 +[0-9.]+ s' "$tmp/out" ||
        return 1
    mv "$there" "$tmp/moved" && there=$tmp/moved && away env KL_CUDA_SEARCH= make step02 >"$tmp/out" 2>&1 &&
        nothing_made ||
        { echo "once moved:"; head "$tmp/out"; return 1; }
}
targets_exist() { # that README and docs/ tell the reader to type
    make help | awk '{ print $1 }' >"$tmp/targets"
    awk '/^```/ { shown = !shown } shown' README.md exercises/README.md docs/*.md |
        sed -nE 's/^(\$ )?make ([a-z][a-z0-9-]*).*/\2/p' | sed 's/^step[0-9][0-9]$/stepNN/' | sort -u >"$tmp/typed"
    [ "$(wc -l <"$tmp/typed")" -ge 8 ] && grep -qx bundle "$tmp/typed" && ! grep -vxFf "$tmp/targets" "$tmp/typed"
}
first_hour_is_renewed() { # what its commands print, as many lines as stood there, with the status that stands there
    printf '%s\n' Text. '```' '$ seq 5' 7 8 '[...]' '```' '```' '$ echo 1.5 s in $PWD; exit 3' old '$ echo $?' 3 '```' \
        >"$tmp/page" && mkdir "$tmp/away" &&
        sed 's/^7$/1/; s/^8$/2/; s|^old|… s in ~/away|' "$tmp/page" >"$tmp/wanted" &&
        (cd "$tmp/away" && python3 -B "$root/scripts/first_hour.py" "$tmp/page") && diff "$tmp/page" "$tmp/wanted" &&
        sed -i 's/^3$/4/' "$tmp/page" && cp "$tmp/page" "$tmp/wanted" || return 1
    ! python3 -B scripts/first_hour.py "$tmp/page" 2>"$tmp/err" && grep -q 'ended with 3, not 4:$' "$tmp/err" &&
        diff "$tmp/page" "$tmp/wanted"
}

hide_gpu
cases packs is_lean tells runs_a_step packs_within_a_repository refuses refuses_to_pack first_hour_is_renewed \
    targets_exist
[ -z "${KL_TEST_ALL:-}" ] || cases compiles_there
ended

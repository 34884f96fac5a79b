#!/bin/sh
# help: run the commands of docs/first-hour.md in a fresh clone and write them and what they print there
#
#   first_hour.sh               runs all in a fresh clone of this commit, as if without a GPU, and writes the page
#   first_hour.sh --commands    prints the commands and runs nothing
#
# Seconds are not written (they read "…"), nor more than a command's first lines where it prints many.
set -eu
cd "$(dirname "$0")/.."
page=$PWD/docs/first-hour.md only=
case $* in '') ;; --commands) only=1 ;; *) echo "first-hour: unknown argument '$*' (--commands)" >&2; exit 2 ;; esac
if [ -z "$only" ]; then
    work=$(mktemp -d "${TMPDIR:-/tmp}/first_hour.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' HUP INT TERM
    git clone -q . "$work/kernel-ladder"
    mkdir "$work/bin"
    printf '#!/bin/sh\nexit 9\n' >"$work/bin/nvidia-smi" # so that a GPU of this machine is not the reader's
    chmod +x "$work/bin/nvidia-smi"
    PATH=$work/bin:$PATH CUDA_VISIBLE_DEVICES=''
    export PATH CUDA_VISIBLE_DEVICES
    unset MAKEFLAGS MFLAGS MAKELEVEL # make first-hour's own: with them make says which folder it enters
    cd "$work/kernel-ladder"
    exec 3>"$work/page"
fi

# text: a paragraph, from stdin.
text() { if [ -n "$only" ]; then cat >/dev/null; else cat >&3; echo >&3; fi; }

# run STATUS COMMAND [LINES]: the command with what it prints, at most so many lines of it (all). It ends with STATUS.
run() {
    if [ -n "$only" ]; then
        printf '$ %s\n' "$2"
        return
    fi
    status=0
    sh -c "$2" >"$work/printed" 2>&1 || status=$?
    if [ "$status" != "$1" ]; then
        echo "first-hour: '$2' ended with $status, not $1:" >&2
        cat "$work/printed" >&2
        exit 1
    fi
    sed -E "s|$work|~|g; s/[0-9]+(\.[0-9]+)? s\>/… s/g; s/ +$//" "$work/printed" >"$work/shown"
    {
        printf '```\n$ %s\n' "$2"
        head -n "${3:-1000}" "$work/shown"
        [ "$(wc -l <"$work/shown")" -le "${3:-1000}" ] || echo '[...]'
        if [ "$1" != 0 ]; then printf '$ echo $?\n%s\n' "$1"; fi
        printf '```\n\n'
    } >&3
}

text <<'END'
# The first hour

What a newcomer types, and what comes back, on a machine without a GPU. `make first-hour` runs all of it in a fresh
clone and writes this page; seconds read "…", and `[...]` stands for lines that are left out. With a GPU the same
commands time the kernels beside cuBLAS; add `--sim` to see what stands here.

Before each command that counts or breaks something there is a question. Answer it before you read on. The answer
stands below what is printed. [Before you begin](begin.md) has the set-up and what a kernel, a block and a row-major
matrix are.

## 1. Build one step and run it (ten minutes)

You have cloned the repository and stand in its folder. One step is enough to begin with. (If a compiler or the CUDA
Toolkit is missing, this says so; `make deps` fetches it.)
END
run 0 'make step01' 8
run 0 './step01/run'
text <<'END'
Two kernels multiply the same matrices, and every element of both results was compared with a reference computed in
double precision: the worst error is less than a hundredth of what rounding allows. The seconds are this CPU's, and say
nothing about a GPU.

## 2. Two lines, and what they change (fifteen minutes)

This is one of the two kernels. Each thread computes one element of C. Its block computes 32 × 32 of them, and
`blocks_n` blocks lie side by side in a row of C.
END
run 0 'sed -n "15,25p" step01_naive/uncoalesced.cu'
text <<'END'
The other kernel is called `coalesced`. It differs in this:
END
run 0 'make diff A=uncoalesced B=coalesced'
text <<'END'
That is all: x and y change places. Why should that matter? Three words first. The hardware runs threads in groups of
32 with neighbouring `threadIdx.x`, a *warp*. Its threads are called *lanes*, and they load together: one load
instruction fetches a word for each of the 32 lanes. Memory comes in *sectors* of 32 bytes, which are 8 words, and a
load fetches every sector in which a lane wants a word.

**Predict:** how many sectors does one load of A touch in `uncoalesced`, and how many one load of B? And in `coalesced`?
END
run 0 './step01/run --counters --size 256 | grep -E "^(un)?coalesced, |sectors per load"'
text <<'END'
**Answer:** in `uncoalesced` the 32 lanes have 32 values of `row` and one of `col`. Of A they want one word in each of
32 rows: 32 sectors. Of B they all want the same word: 1 sector. On average 16.5. In `coalesced` they have one `row`
and 32 neighbouring values of `col`. Of A they all want the same word: 1 sector. Of B they want 32 neighbours, 128
bytes: 4 sectors. On average 2.5. [Lesson 1.1](../step01_naive/1_coalescing.md) goes on from here.

The long name on the right is the one that NVIDIA's profiler has for the count. What does it mean? `--explain` says it.
END
run 0 './step01/run --explain l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio'
text <<'END'
## 3. Break it (fifteen minutes)

This is the main loop of step 2's kernel. A block of 32 × 32 threads computes 32 × 32 elements of C. It walks along k
in tiles of 32. `As` and `Bs` are arrays in *shared memory*, which all threads of a block see. x and y are
`threadIdx.x` and `threadIdx.y`, `row` and `col` the thread's element of C.
END
run 0 'sed -n "19,33p" step02_smem/tile32.cu'
text <<'END'
Each thread copies one word of A's tile and one of B's. Then comes a *barrier*, `__syncthreads()`: all threads of the
block wait there until the last one has come, so nobody reads a tile before it is whole. Each thread then adds up 32
products. The second barrier holds back whoever wants to overwrite the tiles while others still read them.

First a wrong index: `Bs[x][k]` instead of `Bs[k][x]`. **Predict:** how many of the 64 × 64 elements will be wrong?
END
run 0 "sed -i 's/Bs\\[k\\]\\[x\\]/Bs[x][k]/' step02_smem/tile32.cu && git diff -U0 step02_smem | tail -n 2"
run 1 'make step02 >/dev/null 2>&1; ./step02/run --size 64' 14
text <<'END'
**Answer:** practically all. Each thread now multiplies its row of A by a *row* of B's tile, and that is another sum
everywhere. The *random pass* has numbers between -1 and 1, and all 4096 elements are wrong. The *exact pass* has
small whole numbers, whose products must come out right to the last bit. There a wrong sum may happen to equal the
right one, and 59 of 4096 do. Of each pass you see the first wrong element and the worst.
(`f32` is FP32, and `nn` says that neither A nor B is stored transposed.)

Now put the index right and take the second barrier out. **Predict:** does a wrong result come out every time?
END
run 0 "git checkout -q step02_smem && sed -i '32d' step02_smem/tile32.cu && git diff -U0 step02_smem | tail -n 1"
run 1 'make step02 >/dev/null 2>&1; ./step02/run --size 64' 14
text <<'END'
**Answer:** here it does, but do not count on it. Who overwrites a word before another thread has read it depends on
which warp runs first. On a GPU the result may be right on most runs, and then a test passes that should not. What
does not depend on luck is the *race* itself: line 28 writes what line 31 of another thread may still have to read,
and no barrier lies between. The simulator names both lines, whether the result comes out right or wrong.

Put it right again.
END
run 0 'git checkout -q step02_smem && make step02 >/dev/null 2>&1 && ./step02/run --size 64'
text <<'END'
## 4. When you mistype (five minutes)

One line says what is wrong, and the exit status is 2.
END
run 2 './step02/run --siez 64'
run 2 './step02/run --size -1'
run 2 './step02/run --variant tile23'
text <<'END'
## 5. Where a kernel's work is (ten minutes)

`--counters=lines` puts the counts beside the source. *Instructions* are those that warps execute, *lanes* how many of
the 32 take part on average. (Fewer than 32 where an instruction has a condition, such as a branch, that does not hold
for all of them.) A *wavefront* is what shared memory delivers or takes in one clock: at most 32 words of 4
bytes. **Predict:** which line of the tiled kernel has the most wavefronts, and how many for each multiply-add of a
warp? At 128 each of the 16 blocks has 32 warps, and each of these does 128 multiply-adds: 65,536 in all.
END
run 0 './step02/run --size 128 --counters=lines | sed -n "9p; 18,28p" | cut -c 1-120'
text <<'END'
**Answer:** line 31, the multiply-adds, with 131,072 wavefronts, two for each of the 65,536. A multiply-add has two
operands, and each is a load from shared memory of its own, one wavefront. Copying the tiles, lines 28 and 29, takes
4,096 in all. Two loads for each multiply-add: that is what step 3 will reduce.

## What next

[Step 1](../step01_naive/README.md) from its beginning, or the [exercises](../exercises/README.md). `make demo` shows
everything in two to three minutes; [options](options.md) lists the rest.
END
if [ -z "$only" ]; then
    exec 3>&-
    sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' "$work/page" >"$page"
    echo "$page"
fi

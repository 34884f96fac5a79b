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

Before each command that counts or breaks something there is a question. Answer it before you read on.

## 1. Build one step and run it (ten minutes)

You have cloned the repository and stand in its folder. One step is enough to begin with. (If a compiler or the CUDA
Toolkit is missing, this says so; `make deps` fetches it.)
END
run 0 'make step01' 8
run 0 './step01/run'
text <<'END'
Two kernels multiply the same matrices, and every element of both results was compared with an FP64 reference: the worst
error is less than a hundredth of what rounding allows. The seconds are this CPU's, and say nothing about a GPU.

## 2. Two lines, and what they change (fifteen minutes)
END
run 0 'make diff A=uncoalesced B=coalesced'
text <<'END'
That is all: x and y change places. **Predict:** the 32 threads of a warp have neighbouring `threadIdx.x`. Memory comes
in sectors of 32 bytes. How many sectors does one load of A touch in `uncoalesced`, and how many one load of B? And in
`coalesced`?
END
run 0 './step01/run --counters --size 256 | grep -E "^(un)?coalesced, |sectors per load"'
text <<'END'
In `uncoalesced` the lanes walk down a column of A: 32 rows, so 32 sectors; of B they all read one element: 1 sector. On
average 16.5. In `coalesced` all lanes read one element of A, 1 sector, and 32 neighbours of B, 128 bytes, 4 sectors:
2.5 on average. [Lesson 1.1](../step01_naive/1_coalescing.md) goes on from here. Not sure what a counter means? Ask.
END
run 0 './step01/run --explain l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio'
text <<'END'
## 3. Break it (fifteen minutes)

Step 2 has each block load tiles into shared memory, with a barrier before they are read and another before they are
overwritten. First a wrong index. **Predict:** which elements will be wrong?
END
run 0 "sed -i 's/Bs\\[k\\]\\[x\\]/Bs[x][k]/' step02_smem/tile32.cu && git diff -U0 step02_smem | tail -n 2"
run 1 'make step02 >/dev/null 2>&1; ./step02/run --size 64' 14
text <<'END'
It names the first wrong element and the worst. Now the second barrier is gone. **Predict:** is the result wrong every
time? On a GPU it may well be right on most runs.
END
run 0 "git checkout -q step02_smem && sed -i '32d' step02_smem/tile32.cu && git diff -U0 step02_smem | tail -n 1"
run 1 'make step02 >/dev/null 2>&1; ./step02/run --size 64' 14
text <<'END'
The simulator names the source lines of both sides of the race, whether the result comes out right or wrong. Put it
right again.
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

`--counters=lines` puts the counts beside the source. **Predict:** which line of the tiled kernel has the most
wavefronts?
END
run 0 './step02/run --size 128 --counters=lines | sed -n "9p; 18,28p" | cut -c 1-120'
text <<'END'
Two loads from shared memory for each multiply-add: that is what step 3 will reduce.

## What next

[Step 1](../step01_naive/README.md) from its beginning, or the [exercises](../exercises/README.md). `make demo` shows
everything in two to three minutes; [options](options.md) lists the rest.
END
if [ -z "$only" ]; then
    exec 3>&-
    sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' "$work/page" >"$page"
    echo "$page"
fi

#!/bin/sh
# Every configuration of step 6's persistent kernel in the simulator, on three clusters of blocks: whole tiles, whole
# tiles and parts, parts alone; swapped tiles; C of any alignment; A and B copied first. And the kernel for little
# products, with those that it takes some from. Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../case.sh"

# Sums that cost little, so that small problems have parts, whatever the shipped constants are.
export XDG_CACHE_HOME="$work"
mkdir -p "$work/kernel-ladder"
printf 'H200 (simulated)\t%s\t%s\n' sums 100 meet 200 each_part 4 >"$work/kernel-ladder/tensorcore.costs"

# computes SAYS VARIANTS OPTION...: all variants give the right result, by such units.
computes() {
    says=$1 variants=$2
    shift 2
    # shellcheck disable=SC2046,SC2086 # several words
    CLUSTERS=3 build/tune/run --sim $(printf -- ' --variant %s' $variants) "$@" >"$work/out" 2>&1 &&
        [ "$(grep -c "^    $says\$" "$work/out")" = "$(echo "$variants" | wc -w)" ]
    counted $? "$variants, $says: $*"
}

for layout in tn nn; do
    unset SWAPPED # exact tiles always are in nn
    [ $layout = nn ] || export SWAPPED=0
    for dtype in f16 bf16 tf32 s8; do
        case "$dtype $layout" in 's8 nn' | 'bf16 nn') continue ;; esac
        case $dtype in *16) long=1200 ;; tf32) long=600 ;; s8) long=2400 ;; esac # 2400 bytes: K that is divided
        any='square_any flat_any' bulk='wide square flat'
        case $dtype in
        *16) any='square_any tall_any small_any' bulk='wide square tall flat exact_64 exact_128 exact_192' ;;
        tf32) bulk="$bulk exact_64 exact_128 exact_192" ;; # in nn words come through registers
        esac
        one=${bulk% exact_1*} one=${one% exact_1*} # the last of 64 rows
        set -- --dtype $dtype --layout $layout
        export CLUSTER=1x1
        # The same code for bf16 as for f16: all tiles once, the rest with KL_TEST_ALL.
        if [ $dtype = bf16 ] && [ -z "${KL_TEST_ALL:-}" ]; then
            computes 'whole tiles.*' "$bulk $any" "$@" --m 300 --n 264 --k 80 --beta 2
            computes parts "$any" "$@" --m 60 --n 48 --k 720 --beta 2
            CLUSTER=2x2 computes 'whole tiles.*' 'exact_128 middle_any' "$@" --m 300 --n 264 --k 64 --beta 2
            continue
        fi
        # Several waves; fewer steps along K than stages, and steps that no ring divides; one step.
        computes 'whole tiles.*' "$bulk $any" "$@" --m 300 --n 264 --k 400 --beta 2
        # Rows that begin and end anywhere.
        computes 'whole tiles.*' "$any" "$@" --m 291 --n 389 --k 67 --lda 71 --ldb 391 --ldc 393 --beta 2
        # Parts: of one tile, of more; behind whole tiles; K that ends within a step; NaN in C where beta is 0.
        computes parts "$any" "$@" --m 60 --n 50 --k 1503 --ldc 53 --beta 2
        # Clusters of each shape: tiles beyond C, of which blocks have none; parts, of which each block has its own.
        shapes=2x4 # the same code for all types
        [ $dtype$layout != f16tn ] && [ -z "${KL_TEST_ALL:-}" ] || shapes='2x1 1x2 2x2 2x4'
        for CLUSTER in $shapes; do
            computes '[a-z ]*' "${one##* } square_any" "$@" --m 330 --n 520 --k 200 --beta 2
            [ $dtype != f16 ] || computes parts small_any "$@" --k 1504 --beta 2 \
                --m $((64 * ${CLUSTER%x*} - 4)) --n $((64 * ${CLUSTER#*x} - 8))
        done
        # The same code for tf32 in nn as for both: the rest with KL_TEST_ALL.
        case "$dtype $layout" in 'tf32 nn') [ -n "${KL_TEST_ALL:-}" ] || continue ;; esac
        CLUSTER=1x1
        computes 'whole tiles.*' "$bulk $any" "$@" --m 300 --n 392 --k 16
        CLUSTER=2x1
        [ $dtype != f16 ] ||
            computes 'whole tiles.*' "$any middle_any" "$@" --m 291 --n 389 --k 67 --misalign 3
        CLUSTER=2x2
        [ $dtype != f16 ] || computes 'whole tiles.*' 'wide exact_128' "$@" --m 800 --n 264 --k 208 --beta 2
        # How parts are shared among blocks depends on no layout: in nn with KL_TEST_ALL.
        [ $layout = tn ] || [ -n "${KL_TEST_ALL:-}" ] || continue
        CLUSTER=1x1
        [ $dtype != f16 ] || computes parts 'wide middle_any' "$@" --m 60 --n 48 --k 1504 --beta 2
        [ $dtype != f16 ] || computes parts "$any" "$@" --m 60 --n 50 --k 1503
        computes parts "$bulk" "$@" --m 60 --n 48 --k 1504 --beta 2
        computes 'whole tiles and parts' "${bulk% exact_192}" "$@" --m 500 --n 128 --k $long
        [ $dtype != f16 ] ||
            COLUMNS=128 computes 'whole tiles and parts' exact_192 "$@" --m 760 --n 128 --k $long --beta 2
        computes 'whole tiles and parts' "$any" "$@" --m 500 --n 128 --k $long --ldc 129 --beta -3
    done
    CLUSTER=1x1
    computes 'whole tiles.*' 'wide exact_64 exact_128 exact_192 square_any tall_any small_any' \
        --layout $layout --out f32 --m 260 --n 300 --k 100 --beta 2
    [ $layout = nn ] && [ -z "${KL_TEST_ALL:-}" ] ||
        computes 'whole tiles and parts' 'square_any tall_any small_any' --layout $layout --out f32 --m 500 --n 128 \
            --k 1200 --beta 2
done

# Swapped tiles: several waves, slabs of 128 bytes and less, words, clusters of each shape, parts of tiles. (In nn all
# exact tiles are, also above. The same code for bf16 as for f16: once, the rest with KL_TEST_ALL.)
exact='exact_64 exact_128 exact_192'
export SWAPPED=1 CLUSTER=1x1
for kind in 'f16 tn' 'bf16 tn' 'f16 nn'; do
    set -- --dtype "${kind% *}" --layout "${kind#* }"
    computes '[a-z ]*' "$exact" "$@" --m 328 --n 264 --k 400 --beta 2
    [ "$kind" != 'bf16 tn' ] || [ -n "${KL_TEST_ALL:-}" ] || continue
    COLUMNS=112 computes '[a-z ]*' "$exact" "$@" --m 229 --n 200 --k 136
    computes parts "$exact" "$@" --m 33 --n 76 --k 2400 --out f32 --beta 2 # in nn B is copied
    CLUSTER=1x2 computes '[a-z ]*' "$exact" "$@" --m 264 --n 800 --k 208 --beta 2
    # How words leave and parts are shared depends on no layout: in nn with KL_TEST_ALL.
    [ "$kind" != 'f16 nn' ] || [ -n "${KL_TEST_ALL:-}" ] || continue
    COLUMNS=48 computes '[a-z ]*' "$exact" "$@" --m 229 --n 208 --k 72 --out f32 --beta 2
    computes parts "$exact" "$@" --m 60 --n 48 --k 1504 --beta 2
    computes 'whole tiles and parts' 'exact_64 exact_128' "$@" --m 128 --n 504 --k 1200 --beta -3
    for CLUSTER in 2x1 2x2; do computes '[a-z ]*' exact_128 "$@" --m 264 --n 800 --k 208 --beta 2; done
    CLUSTER=1x1
done
unset SWAPPED

# Exact tiles of each number of columns: slabs of 128 bytes and less; as many stages as find room; more than one tile.
for columns in 16 32 48 64 80 96 112 128 144 160 176 192 208 224 240 256; do
    tiles='exact_64 exact_128' more=exact_192
    [ $columns -le 192 ] || more=
    set -- --dtype tf32 --m 200 --n 328 --k 68
    COLUMNS=$columns CLUSTER=1x1 computes '[a-z ]*' "$tiles $more" --layout nn "$@"
    SWAPPED=1 COLUMNS=$columns CLUSTER=1x1 computes '[a-z ]*' "$tiles $more" --layout tn "$@"
    [ $((columns % 32)) != 0 ] || # rows of C are stored in whole slabs
        SWAPPED=0 COLUMNS=$columns CLUSTER=1x1 computes '[a-z ]*' "$tiles $more" --layout tn "$@" --beta 2
    case $columns in 32 | 80 | 96 | 144 | 160 | 224 | 240) [ -n "${KL_TEST_ALL:-}" ] || continue ;; esac
    set -- --m 200 --n 328 --k 136
    SWAPPED=0 COLUMNS=$columns CLUSTER=1x1 computes '[a-z ]*' "$tiles $more" --layout tn "$@" --beta 2
    case $columns in 48 | 112 | 208) ;; *) [ -n "${KL_TEST_ALL:-}" ] || continue ;; esac
    COLUMNS=$columns CLUSTER=1x1 computes '[a-z ]*' "$tiles $more" --layout nn "$@"
done

# Little products: K of one chunk, of less than one, of many; the matrix's first and last chunk, whose elements
# are loaded one by one; a C of one element.
little() {
    variants=$1
    shift
    # shellcheck disable=SC2046 # several words
    CLUSTER=1x1 build/tune/run --sim $(printf -- ' --variant %s' $variants) "$@" --beta 2 >"$work/out" 2>&1 &&
        right=$(grep -cE "^($(echo "$variants" | tr ' ' '|')) .* 0\.[0-9]*$" "$work/out") &&
        [ "$right" = "$(echo "$variants" | wc -w)" ]
    counted $? "$variants: $*"
}
for kind in 'f16 tn' 'f16 nn' 'bf16 tn' 'bf16 nn'; do
    set -- --dtype "${kind% *}" --layout "${kind#* }"
    little 'stages_any_64x64 stages_any_32x128 stages_any_128x32 little' "$@" --m 45 --n 70 --k 300 \
        --misalign 1
    little 'stages_any_64x64 little' "$@" --m 33 --n 31 --k 5 --lda 9 --ldb 71 --ldc 33
    little 'thin little' "$@" --m 1 --n 1 --k 16 --out f32
    little little "$@" --m 64 --n 40 --k 128 --ldc 41
    little little "$@" --m 45 --n 40 --k 0
done

# Producers that are one lane are elected (ptx/elect.cuh): in step 9 those of tiles and of windows, in its halos those
# of resident filters, of others, and of halos.
for object in build/obj/step06_tensorcore/best/persistent.cu.o build/obj/step06_tensorcore/best/types/persistent_*.o \
    build/obj/step09_conv/best/half.cu.o build/obj/step09_conv/best/half_bf16.cu.o; do
    LC_ALL=C grep -aoE '\.entry [A-Za-z0-9_]+|elect\.sync' "$object" |
        awk 'function wrong() { return name != "" && elects != (name ~ /half_halo/ ? 3 : name ~ /conv_half/ ? 2 : 1) }
            /entry/ { bad += wrong(); name = $2; elects = 0; kernels++ }
            /elect/ { elects++ }
            END { exit kernels == 0 || bad + wrong() > 0 }'
    counted $? "$object: elected lanes"
done

ended

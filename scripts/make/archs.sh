#!/bin/sh
# archs.sh "ARCHS" "KNOWN" VERSION: which GPUs machine code is made for, as assignments for make.
#
# ARCHS as the user gave them (""): the GPU here, else 90a. KNOWN: the architectures that this nvcc of VERSION knows,
# without the names that end in "a". Prints archs (to make code for), portable (whose PTX comes along, for newer GPUs),
# checked and left_out (make check-archs: what it compiles for, and what this nvcc lacks), gpu (the compute capability
# here, or nothing), or refused: why not.
set -eu
known=
for a in $2; do
    case $a in [78]?) known="$known $a" ;; *) known="$known $a ${a}a" ;; esac
done
is_known() { case " $known " in *" $1 "*) ;; *) return 1 ;; esac; }

gpu=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | sort -u | tr '\n' ' ') || gpu=
archs=$1 portable=
if [ -z "$archs" ]; then
    for g in $gpu; do
        if ! is_known "$g"; then portable=90; continue; fi # it runs from PTX
        case $g in 90 | 100) archs="$archs ${g}a" ;; *) archs="$archs $g" ;; esac # the names that give all of the GPU
    done
    archs=${archs:-90a}
fi
checked= left_out=
for a in ${1:-75 80 86 89 90a 100a 120}; do
    if is_known "$a"; then checked="$checked $a"; else left_out="$left_out sm_$a"; fi
done
for a in $archs; do
    is_known "$a" || { echo "refused := ARCHS: unknown '$a'; nvcc $3 makes code for$known"; exit; }
done
archs=$(printf '%s\n' $archs | sort -n -u | tr '\n' ' ')
newest=${archs% } newest=${newest##* }
case $newest in *a) ;; *) portable=${portable:-$newest} ;; esac
echo "gpu := $gpu"
echo "archs := $archs"
echo "portable := $portable"
echo "checked :=$checked"
echo "left_out := ${left_out:+; nvcc $3 does not know$left_out}"

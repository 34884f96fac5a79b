#!/bin/sh
# help.sh SCRIPTED...: lists the Makefile's goals; those that only run a script have their line in it (`# help: `).
trap '' PIPE # of a reader that has seen enough
{
    sed -n 's/^\(# \)\{0,1\}\([a-zA-Z_.-]*\):.*## \(.*\)/\2 \3/p' Makefile
    for goal; do
        script=$(echo "$goal" | tr - _).sh
        echo "$goal $(sed -n 's/^# help: //p' "scripts/$script" scripts/*/"$script")"
    done
    echo 'Variables: ARCHS="80 90a" (GPUs to make machine code for), CUDA_HOME=, NVCC=, CC= (tools),' \
        'REVISION= (the commit, without .git), V=1 (show commands)'
} 2>/dev/null | while read -r goal text; do
    case $goal in Variables:) echo "$goal $text" ;; *) printf '%-22s %s\n' "$goal" "$text" ;; esac
done 2>/dev/null || true

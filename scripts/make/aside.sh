#!/bin/sh
# aside.sh COMMAND...: runs a compiler or linker that writes beside its files (-o FILE, -MF FILE), and moves them into
# place when all went well: another make in this tree never reads half a file.
files=
for word; do
    case ${last-} in -o | -MF) files="$files $word" word=$word.$$ ;; esac
    last=$word
    shift
    set -- "$@" "$word"
done
"$@"
status=$?
for file in $files; do # none has a blank in its name: make could not build it
    if [ "$status" = 0 ]; then mv "$file.$$" "$file" || status=1; fi
    rm -f "$file.$$"
done
exit "$status"

#!/bin/sh
# no_goal.sh GOAL NAME...: says that there is no such goal, and which of the names is most like it.
goal=$1
shift
like=$(python3 -c 'import difflib, sys; print(*difflib.get_close_matches(sys.argv[1], sys.argv[2:], 1))' \
    "$goal" "$@" 2>/dev/null)
echo "there is no goal '$goal'${like:+; did you mean $like?}; make help lists all"

#!/bin/sh
# What --version and records name: VERSION, and the commit (or REVISION). The commit is this tree's own, not that of a
# repository that an unpacked archive may lie in; "-dirty" where what programs are made of differs from it. Notes do not
# count, nor do recordings, which grow while they are made.
cd "$(dirname "$0")/../.." || exit 1
export GIT_OPTIONAL_LOCKS=0
if [ -z "$REVISION" ] && [ -e .git ] && REVISION=$(git rev-parse --short=7 HEAD 2>/dev/null); then
    changed=$(git status --porcelain -- Makefile cudasim/VERSION scripts/make common 'step*' ':!*.md')
    REVISION=$REVISION${changed:+-dirty}
fi
echo "$(cat VERSION)${REVISION:+ $REVISION}"

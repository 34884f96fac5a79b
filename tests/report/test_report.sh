#!/bin/sh
# The tests of report/ (tests/report/). Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")" || exit 1
exec python3 -B run.py "$@"

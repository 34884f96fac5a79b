#!/bin/sh
# What `make test-sanitizers` runs of the course, built by `make test-all`. Ends with "N passed, N failed".
exec sh "$(dirname "$0")/../../scripts/tests/sanitizers.sh"

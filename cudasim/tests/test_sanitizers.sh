#!/bin/sh
# What `make test-sanitizers` runs, built by `make test-all`. Ends with "N passed, N failed".
exec sh "$(dirname "$0")/../scripts/sanitizers.sh"

#!/bin/sh
# Mistakes planted in the two products of tests/programs/tensor/wgmma_tma.cuh, one at a time: each stops the kernel
# with a report that says what is wrong, or shows in the result, in every run. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unset CUDASIM_DEVICE CUDASIM_THREADS CUDASIM_ISA CUDASIM_WATCHDOG CUDASIM_LIB LD_PRELOAD
passed=0 failed=0

# finds PROGRAM MISTAKE TEXT: the program fails, and a line of what it prints or says has TEXT (a basic regular
# expression).
finds() {
    timeout 60 ./cudasim "build/tests/programs/$1" "$2" >"$work/out" 2>&1
    status=$?
    if [ $status = 1 ] && grep -q -e "$3" "$work/out"; then
        passed=$((passed + 1))
    else
        echo "FAIL $1 $2: exit status $status, or nothing with '$3':"
        head -n 12 "$work/out"
        failed=$((failed + 1))
    fi
}

for program in wgmma_tma_gemm wgmma_cluster_gemm; do
    finds $program wrong-parity "more arrivals than expected at the mbarrier .* in phase 0 only 0 of 1 are pending"
    finds $program expect-less \
        "wait for phase 0 of the mbarrier .*(0 of 1 arrivals pending, 16384 bytes more than expected have come)"
    finds $program expect-more "wait for phase 0 of the mbarrier .*(0 of 1 arrivals pending, 16 bytes pending)"
    finds $program wrong-swizzle ": mismatch, "
    finds $program no-fence "read by the asynchronous proxy without fence.proxy.async after thread (128,0,0) wrote it"
    finds $program no-drain \
        "the thread ends before this bulk copy has read shared memory: cp.async.bulk.wait_group is missing"
    finds $program no-release \
        "wait for phase 0 of the mbarrier at 0x420 (\([24]\) of \1 arrivals pending, no bytes pending)"
    finds $program early-release ": mismatch, "
    finds $program reuse-source "overwritten while a bulk copy may still read it: cp.async.bulk.wait_group is missing"
done
finds wgmma_cluster_gemm no-cluster-sync "there is no mbarrier .*that is shared memory of block (0,1,0)"
finds wgmma_cluster_gemm no-cluster-end \
    "rank 0 of the cluster, which has ended: a block must wait for those that use its"
finds wgmma_cluster_gemm no-such-rank "a multicast to block 2 of the cluster, which is not there"
finds wgmma_cluster_gemm release-own-only "wait for phase 0 of the mbarrier at 0x420 (2 of 4 arrivals pending"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]

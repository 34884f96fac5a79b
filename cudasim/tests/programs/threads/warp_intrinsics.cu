// Functions of a warp: shuffles with widths, votes, matches, reductions; and the bit functions of a thread.
#include "../check.h"

const unsigned full = 0xffffffffu;

struct lane_results {
    int shfl, broadcast, up, down, butterfly, in_eights;
    float shfl_float;
    double shfl_double;
    unsigned ballot, odd_ballot, any, all, match_any, match_all, active;
    int match_predicate;
    int sum, min, max;
    unsigned and_bits, or_bits, xor_bits, half_sum;
};

__global__ void warp_functions(const int *in, lane_results *out) {
    int lane = threadIdx.x;
    int v = in[lane];
    lane_results r = {};
    r.shfl = __shfl_sync(full, v, (lane * 5 + 3) % 32);
    r.broadcast = __shfl_sync(full, v, 7);
    r.up = __shfl_up_sync(full, v, 3);
    r.down = __shfl_down_sync(full, v, 4);
    r.butterfly = __shfl_xor_sync(full, v, 10);
    r.in_eights = __shfl_down_sync(full, v, 2, 8);
    r.shfl_float = __shfl_up_sync(full, v + 0.5f, 1, 16);
    r.shfl_double = __shfl_sync(full, v * 0.25, lane ^ 1);
    r.ballot = __ballot_sync(full, v > 10);
    r.any = __any_sync(full, v == 19) + 2 * __any_sync(full, v == 100);
    r.all = __all_sync(full, v < 100) + 2 * __all_sync(full, v > 0);
    r.match_any = __match_any_sync(full, v % 4);
    r.match_all = __match_all_sync(full, v % 4, &r.match_predicate);
    int same = 0;
    r.match_all ^= __match_all_sync(full, v * 0 + 5ull, &same);
    r.match_predicate += 2 * same;
    r.sum = __reduce_add_sync(full, v);
    r.min = __reduce_min_sync(full, v - 15);
    r.max = __reduce_max_sync(full, v - 30);
    r.and_bits = __reduce_and_sync(full, (unsigned)v | 0x40u);
    r.or_bits = __reduce_or_sync(full, 1u << v);
    r.xor_bits = __reduce_xor_sync(full, (unsigned)(v * 77));
    r.active = __activemask();
    // The two halves of the warp apart, each with its own mask.
    if (lane < 16) {
        r.half_sum = __reduce_add_sync(0x0000ffffu, (unsigned)v);
        r.odd_ballot = __ballot_sync(0x0000ffffu, v & 1);
    } else {
        r.half_sum = __reduce_add_sync(0xffff0000u, (unsigned)v);
        r.odd_ballot = __ballot_sync(0xffff0000u, v & 1);
    }
    __syncwarp();
    out[lane] = r;
}

__global__ void bit_functions(unsigned a, unsigned b, unsigned long long c, long long *out) {
    out[0] = __popc(a);
    out[1] = __clz(b);
    out[2] = __ffs(b);
    out[3] = __brev(a);
    out[4] = __byte_perm(a, b, 0x7213);
    out[5] = __funnelshift_l(a, b, 12);
    out[6] = __funnelshift_r(a, b, 20);
    out[7] = __mulhi((int)a, (int)b);
    out[8] = __umulhi(a, b);
    out[9] = __sad(-5, 7, 100u);
    out[10] = __popcll(c);
    out[11] = __clzll(c);
    out[12] = __ffsll(c);
    out[13] = (long long)__brevll(c);
    out[14] = (long long)__umul64hi(c, 1000000007ull << 20);
    out[15] = __dp4a(0x01020304, 0x05060708, 10);
    out[16] = __vadd4(0x01ff7f80u, 0x01010101u);
    out[17] = __uhadd(a, b);
}

int main() {
    int in[32], *d_in;
    lane_results r[32], *d_r;
    for (int i = 0; i < 32; i++) in[i] = i * 11 % 32;
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_r, sizeof r));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    warp_functions<<<1, 32>>>(d_in, d_r);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(r, d_r, sizeof r, cudaMemcpyDeviceToHost));
    unsigned ballot = 0, match[4] = {}, xor_bits = 0, odd[2] = {}, half_sum[2] = {};
    for (int i = 0; i < 32; i++) {
        ballot |= (unsigned)(in[i] > 10) << i;
        match[in[i] % 4] |= 1u << i;
        xor_bits ^= in[i] * 77;
        odd[i / 16] |= (in[i] & 1u) << i;
        half_sum[i / 16] += in[i];
    }
    for (int i = 0; i < 32; i++) {
        expect(r[i].shfl == in[(i * 5 + 3) % 32] && r[i].broadcast == in[7], "shfl");
        expect(r[i].up == in[i < 3 ? i : i - 3] && r[i].down == in[i > 27 ? i : i + 4], "up and down");
        expect(r[i].butterfly == in[i ^ 10] && r[i].in_eights == in[i % 8 > 5 ? i : i + 2], "butterfly, width");
        expect(r[i].shfl_float == in[i % 16 == 0 ? i : i - 1] + 0.5f && r[i].shfl_double == in[i ^ 1] * 0.25, "floats");
        expect(r[i].ballot == ballot && r[i].any == 1 && r[i].all == 1, "votes");
        expect(r[i].match_any == match[in[i] % 4] && r[i].match_all == full && r[i].match_predicate == 2, "match");
        expect(r[i].sum == 496 && r[i].min == -15 && r[i].max == 1, "reductions");
        expect(r[i].and_bits == 0x40 && r[i].or_bits == full && r[i].xor_bits == xor_bits, "reductions of bits");
        expect(r[i].half_sum == half_sum[i / 16] && r[i].odd_ballot == odd[i / 16] && r[i].active == full, "halves");
    }
    printf("shfl %d, up %d, down %d, butterfly %d, eights %d, %.1f, %.2f\n", r[2].shfl, r[2].up, r[9].down,
           r[9].butterfly, r[9].in_eights, r[9].shfl_float, r[9].shfl_double);
    printf("ballot %08x, any %u, all %u, match any %08x\n", r[0].ballot, r[0].any, r[0].all, r[5].match_any);
    printf("sum %d, min %d, max %d, and %x, or %x, xor %x\n", r[0].sum, r[0].min, r[0].max, r[0].and_bits, r[0].or_bits,
           r[0].xor_bits);
    printf("halves: %u %u, odd %08x %08x\n", r[0].half_sum, r[31].half_sum, r[0].odd_ballot, r[31].odd_ballot);

    // By hand from a = 12345678, b = 00fedcb0, c = 0123456789abcdef.
    const unsigned long long want[] = {
        0xd,  0x8, 0x5, 0x1e6a2c48,           0x345612,        0xedcb0123, 0xedcb0123, 0x121f9f, 0x121f9f, 0x70,
        0x20, 0x7, 0x1, 0xf7b3d591e6a2c480ll, 0x43d11c79be0ll, 0x50,       0x2008081,  0x9999994};
    long long bits[18], *d_bits;
    CHECK(cudaMalloc(&d_bits, sizeof bits));
    bit_functions<<<1, 1>>>(0x12345678u, 0x00fedcb0u, 0x0123456789abcdefull, d_bits);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(bits, d_bits, sizeof bits, cudaMemcpyDeviceToHost));
    printf("bits:");
    for (int i = 0; i < 18; i++) {
        printf(" %llx", bits[i]);
        expect((unsigned long long)bits[i] == want[i], "bit function");
    }
    printf("\n");
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_r));
    CHECK(cudaFree(d_bits));
    return finish("warp_intrinsics");
}

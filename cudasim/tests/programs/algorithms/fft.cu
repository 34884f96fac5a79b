// Complex FFT of 256 points in shared memory (radix 2), with sincosf and with the fast __sinf and __cosf, against a
// discrete Fourier transform on the host in double precision.
#include <cmath>

#include "../check.h"

const int n = 256;
const int log_n = 8;
const double pi = 3.14159265358979323846;

template <bool fast> __global__ void fft(const float2 *in, float2 *out) {
    __shared__ float2 s[n];
    int t = threadIdx.x; // n / 2 threads, each two points
    for (int i = t; i < n; i += n / 2) s[__brev((unsigned)i) >> (32 - log_n)] = in[i];
    for (int half = 1; half < n; half *= 2) {
        __syncthreads();
        int k = t & (half - 1);
        int i = 2 * t - k, j = i + half;
        float angle = -(float)pi * (float)k / (float)half, sine, cosine;
        if (fast) {
            sine = __sinf(angle);
            cosine = __cosf(angle);
        } else {
            sincosf(angle, &sine, &cosine);
        }
        float2 a = s[i], b = s[j];
        float2 w = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
        s[i] = make_float2(a.x + w.x, a.y + w.y);
        s[j] = make_float2(a.x - w.x, a.y - w.y);
    }
    __syncthreads();
    for (int i = t; i < n; i += n / 2) out[i] = s[i];
}

int main() {
    static float2 in[n], out[n];
    for (int i = 0; i < n; i++) { // three tones
        in[i].x = (float)(std::cos(2 * pi * 5 * i / n) + 0.5 * std::cos(2 * pi * 40 * i / n));
        in[i].y = (float)(std::sin(2 * pi * 5 * i / n) - 0.25 * std::sin(2 * pi * 100 * i / n));
    }
    float2 *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, sizeof out));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    for (int fast = 0; fast < 2; fast++) {
        if (fast)
            fft<true><<<1, n / 2>>>(d_in, d_out);
        else
            fft<false><<<1, n / 2>>>(d_in, d_out);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
        double worst = 0;
        printf("%s:", fast ? "fast" : "sincosf");
        for (int f = 0; f < n; f++) {
            double re = 0, im = 0;
            for (int i = 0; i < n; i++) {
                double c = std::cos(2 * pi * f * i / n), s = -std::sin(2 * pi * f * i / n);
                re += in[i].x * c - in[i].y * s;
                im += in[i].x * s + in[i].y * c;
            }
            worst = std::fmax(worst, std::hypot(out[f].x - re, out[f].y - im));
            double magnitude = std::hypot(out[f].x, out[f].y);
            if (magnitude > 1) printf(" %d:%.1f", f, magnitude);
        }
        printf("\n");
        expect(worst < (fast ? 1e-2 : 1e-3), "spectrum");
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return finish("fft");
}

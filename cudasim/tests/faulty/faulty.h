/* A program of small kernels, run by name: each has one fault, marked "// FAULT kind" at the lines that a finding must
 * name, or none at all. */
#pragma once

#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

typedef void faulty_kernel(int *g, int n);
struct faulty_case {
    const char *name;
    faulty_kernel *kernel;
    int blocks, threads, dynamic_shared;
    bool fresh; /* the memory is as cudaMalloc gives it */
};

/* Runs argv[1] on `n` ints that are 0, 1, 2 ..., once `prepare` has seen them; without an argument lists the names. */
static int faulty_main(int argc, char **argv, const faulty_case *cases, int count, void (*prepare)(int *g) = nullptr) {
    enum { N = 1024 };
    for (int k = 0; k < count; k++) {
        if (argc < 2) puts(cases[k].name);
        if (argc < 2 || strcmp(argv[1], cases[k].name) != 0) continue;
        int host[N], *g;
        for (int i = 0; i < N; i++) host[i] = i;
        cudaMalloc(&g, sizeof host);
        if (!cases[k].fresh) cudaMemcpy(g, host, sizeof host, cudaMemcpyHostToDevice);
        if (prepare != nullptr) prepare(g);
        cases[k].kernel<<<cases[k].blocks, cases[k].threads, cases[k].dynamic_shared>>>(g, N);
        const cudaError_t error = cudaDeviceSynchronize();
        if (error != cudaSuccess) printf("%s\n", cudaGetErrorName(error));
        cudaFree(g);
        return 0;
    }
    return argc < 2 ? 0 : 2;
}

#define CASE(name, blocks, threads)                                                                                    \
    { #name, name, blocks, threads, 0, false }
#define FAULTY_MAIN(...)                                                                                               \
    int main(int argc, char **argv) {                                                                                  \
        static const faulty_case cases[] = {__VA_ARGS__};                                                              \
        return faulty_main(argc, argv, cases, sizeof cases / sizeof *cases);                                           \
    }

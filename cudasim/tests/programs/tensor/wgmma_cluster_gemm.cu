// The product of wgmma_tma_gemm.cu in clusters of two blocks, which share the tiles of B by multicast (wgmma_tma.cuh).
#include "wgmma_tma.cuh"

int main(int argc, char **argv) {
    const int wrong = mistake_of(argc, argv);
    if (wrong != NONE) {
        product<2>(256, 128, 512, wrong);
        return finish("wgmma_cluster_gemm");
    }
    product<2>(256, 128, 64, NONE);
    product<2>(1, 1, 1, NONE);
    product<2>(200, 136, 200, NONE);
    product<2>(257, 129, 65, NONE);
    product<2>(520, 264, 392, NONE);
    return finish("wgmma_cluster_gemm");
}

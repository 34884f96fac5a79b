// A product by tensor maps, mbarriers and wgmma, block by block (wgmma_tma.cuh).
#include "wgmma_tma.cuh"

int main(int argc, char **argv) {
    const int wrong = mistake_of(argc, argv);
    if (wrong != NONE) {
        product<1>(128, 128, 512, wrong);
        return finish("wgmma_tma_gemm");
    }
    product<1>(128, 128, 64, NONE);
    product<1>(1, 1, 1, NONE);
    product<1>(100, 72, 200, NONE);
    product<1>(257, 129, 65, NONE);
    product<1>(300, 264, 392, NONE);
    return finish("wgmma_tma_gemm");
}

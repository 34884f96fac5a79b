// One thread of the host waits for a kernel, in the runtime, for longer than the simulator's watchdog has patience;
// another one does what the kernel waits for.
#include <chrono>
#include <thread>

#include "../check.h"

__global__ void wait_for(volatile unsigned *flag, int *out) {
    while (*flag == 0)
        ;
    *out = 7;
}

int main() {
    setenv("CUDASIM_WATCHDOG", "0.2", 1);
    unsigned *flag;
    int *out, value = 0;
    CHECK(cudaMallocHost(&flag, sizeof *flag));
    CHECK(cudaMalloc(&out, sizeof *out));
    *flag = 0;
    std::thread helper([flag] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1000));
        __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
    });
    wait_for<<<1, 1>>>(flag, out);
    CHECK(cudaDeviceSynchronize());
    helper.join();
    CHECK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    printf("%d\n", value);
    expect(value == 7, "the kernel's result");
    CHECK(cudaFreeHost(flag));
    CHECK(cudaFree(out));
    return finish("host_helps");
}

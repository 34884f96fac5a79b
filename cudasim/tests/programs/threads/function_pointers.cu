// Calls that the compiler does not know: a table of function pointers, virtual functions of objects made and deleted on
// the device; a functor as a template argument.
#include "../check.h"

typedef int (*binary_function)(int, int);

__device__ __noinline__ int add(int a, int b) {
    return a + b;
}
__device__ __noinline__ int subtract(int a, int b) {
    return a - b;
}
__device__ __noinline__ int multiply(int a, int b) {
    return a * b;
}
__device__ __noinline__ int larger(int a, int b) {
    return a > b ? a : b;
}

__device__ binary_function operations[] = {add, subtract, multiply, larger};

__global__ void call_table(const int *which, int *out) {
    int i = threadIdx.x;
    out[i] = operations[which[i]](i, 10); // the lanes of a warp call different functions
}

// A pointer that the host has read from the device is as good.
__global__ void call_pointer(binary_function f, int *out) {
    out[threadIdx.x] = f(threadIdx.x, 7);
}

class shape {
  public:
    __device__ virtual ~shape() {
    }
    __device__ virtual int area() const = 0;
    __device__ virtual int corners() const {
        return 4;
    }
};

class rectangle : public shape {
  public:
    __device__ rectangle(int w, int h) : width(w), height(h) {
    }
    __device__ int area() const override {
        return width * height;
    }

  protected:
    int width, height;
};

class triangle : public rectangle {
  public:
    __device__ triangle(int w, int h, int *deleted) : rectangle(w, h), deleted(deleted) {
    }
    __device__ ~triangle() override {
        atomicAdd(deleted, 1);
    }
    __device__ int area() const override {
        return rectangle::area() / 2;
    }
    __device__ int corners() const override {
        return 3;
    }

  private:
    int *deleted;
};

__global__ void make_shapes(shape **shapes, int *deleted) {
    int i = threadIdx.x;
    if (i % 3 == 0)
        shapes[i] = new triangle(i, 4, deleted);
    else
        shapes[i] = new rectangle(i, i);
}

__global__ void measure_shapes(shape **shapes, int *out) {
    int i = threadIdx.x;
    out[i] = shapes[i] != nullptr ? shapes[i]->area() * 10 + shapes[i]->corners() : -1;
    delete shapes[i];
}

struct times {
    int factor;
    __device__ int operator()(int x) const {
        return factor * x;
    }
};

template <typename F> __global__ void apply(F f, int *out) {
    out[threadIdx.x] = f(threadIdx.x);
}

static void get(int *out, const int *d_out) {
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
}

int main() {
    int which[32], out[32], deleted, *d_which, *d_out, *d_deleted;
    shape **d_shapes;
    for (int i = 0; i < 32; i++) which[i] = i * 3 % 4;
    CHECK(cudaMalloc(&d_which, sizeof which));
    CHECK(cudaMalloc(&d_out, sizeof out));
    CHECK(cudaMalloc(&d_deleted, sizeof(int)));
    CHECK(cudaMalloc(&d_shapes, 32 * sizeof(shape *)));
    CHECK(cudaMemset(d_deleted, 0, sizeof(int)));
    CHECK(cudaMemcpy(d_which, which, sizeof which, cudaMemcpyHostToDevice));

    call_table<<<1, 32>>>(d_which, d_out);
    get(out, d_out);
    for (int i = 0; i < 32; i++) {
        const int want[] = {i + 10, i - 10, i * 10, i > 10 ? i : 10};
        expect(out[i] == want[which[i]], "table");
    }
    printf("table: %d %d %d %d\n", out[28], out[29], out[30], out[31]);

    binary_function from_device;
    CHECK(cudaMemcpyFromSymbol(&from_device, operations, sizeof from_device, 2 * sizeof from_device));
    call_pointer<<<1, 32>>>(from_device, d_out);
    get(out, d_out);
    for (int i = 0; i < 32; i++) expect(out[i] == 7 * i, "pointer");
    printf("pointer: %d\n", out[31]);

    make_shapes<<<1, 32>>>(d_shapes, d_deleted);
    measure_shapes<<<1, 32>>>(d_shapes, d_out);
    get(out, d_out);
    CHECK(cudaMemcpy(&deleted, d_deleted, sizeof deleted, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) expect(out[i] == (i % 3 == 0 ? i * 4 / 2 * 10 + 3 : i * i * 10 + 4), "shapes");
    expect(deleted == 11, "deleted triangles");
    printf("shapes: %d %d, triangles deleted %d\n", out[30], out[31], deleted);

    apply<<<1, 32>>>(times{6}, d_out);
    get(out, d_out);
    printf("functor: %d\n", out[31]);
    expect(out[31] == 186, "functor");
    CHECK(cudaFree(d_which));
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_deleted));
    CHECK(cudaFree(d_shapes));
    return finish("function_pointers");
}

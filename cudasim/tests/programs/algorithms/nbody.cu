// All-pairs gravity with tiles of bodies in shared memory, a few leapfrog steps, compared with the host in double
// precision.
#include <cmath>

#include "../check.h"

const int bodies = 128;
const int block_size = 64;
const int steps = 4;
const float dt = 0.01f;
const float softening = 0.01f; // squared

__global__ void accelerate(const float4 *position, float4 *velocity) {
    __shared__ float4 tile[block_size];
    int i = blockIdx.x * block_size + threadIdx.x;
    float4 me = position[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int first = 0; first < bodies; first += block_size) {
        tile[threadIdx.x] = position[first + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < block_size; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float s = tile[j].w * inv * inv * inv;
            ax += s * dx;
            ay += s * dy;
            az += s * dz;
        }
        __syncthreads();
    }
    velocity[i].x += dt * ax;
    velocity[i].y += dt * ay;
    velocity[i].z += dt * az;
}

__global__ void move(float4 *position, const float4 *velocity) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    position[i].x += dt * velocity[i].x;
    position[i].y += dt * velocity[i].y;
    position[i].z += dt * velocity[i].z;
}

static double p[bodies][4], v[bodies][3]; // the same on the host

static void host_step() {
    for (int i = 0; i < bodies; i++) {
        for (int j = 0; j < bodies; j++) {
            double d[3], r2 = softening;
            for (int k = 0; k < 3; k++) {
                d[k] = p[j][k] - p[i][k];
                r2 += d[k] * d[k];
            }
            for (int k = 0; k < 3; k++) v[i][k] += dt * p[j][3] * d[k] / (r2 * std::sqrt(r2));
        }
    }
    for (int i = 0; i < bodies; i++) {
        for (int k = 0; k < 3; k++) p[i][k] += dt * v[i][k];
    }
}

static double energy(const float4 *pos, const float4 *vel) {
    double e = 0;
    for (int i = 0; i < bodies; i++) {
        e += 0.5 * pos[i].w * (vel[i].x * vel[i].x + vel[i].y * vel[i].y + vel[i].z * vel[i].z);
        for (int j = 0; j < i; j++) {
            double dx = pos[j].x - pos[i].x, dy = pos[j].y - pos[i].y, dz = pos[j].z - pos[i].z;
            e -= pos[i].w * pos[j].w / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
        }
    }
    return e;
}

int main() {
    static float4 pos[bodies], vel[bodies];
    for (int i = 0; i < bodies; i++) {
        pos[i] = make_float4((i * 37 % 128) / 64.0f - 1, (i * 53 % 128) / 64.0f - 1, (i * 71 % 128) / 64.0f - 1,
                             (1 + i % 3) / 128.0f);
        vel[i] = make_float4(0, 0, 0, 0);
        p[i][0] = pos[i].x, p[i][1] = pos[i].y, p[i][2] = pos[i].z, p[i][3] = pos[i].w;
    }
    float4 *d_pos, *d_vel;
    CHECK(cudaMalloc(&d_pos, sizeof pos));
    CHECK(cudaMalloc(&d_vel, sizeof vel));
    CHECK(cudaMemcpy(d_pos, pos, sizeof pos, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_vel, vel, sizeof vel, cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; s++) {
        accelerate<<<bodies / block_size, block_size>>>(d_pos, d_vel);
        move<<<bodies / block_size, block_size>>>(d_pos, d_vel);
        host_step();
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(pos, d_pos, sizeof pos, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(vel, d_vel, sizeof vel, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int i = 0; i < bodies; i++) {
        worst = std::fmax(worst, std::fabs(pos[i].x - p[i][0]));
        worst = std::fmax(worst, std::fabs(pos[i].y - p[i][1]));
        worst = std::fmax(worst, std::fabs(pos[i].z - p[i][2]));
    }
    expect(worst < 1e-5, "positions");
    printf("energy %.2f\n", energy(pos, vel));
    CHECK(cudaFree(d_pos));
    CHECK(cudaFree(d_vel));
    return finish("nbody");
}

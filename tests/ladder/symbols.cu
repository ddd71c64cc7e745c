// Constant memory, device variables, initialised ones, pointers between them, and functions called through pointers.
// functional:
// detailed:
#include "ladder.cuh"

__constant__ float weights[16] = {1, 2, 3};
__device__ int counter = 40;
__device__ int table[64];
__device__ const char *const word = "symbol";
__device__ int *inside = &table[10];
static __device__ double hidden = 2.5;
namespace space {
__device__ short named = -3;
}

__device__ int twice(int value) { return 2 * value; }
__device__ int square(int value) { return value * value; }
typedef int (*function)(int);
__device__ function chosen = twice;
__constant__ function functions[2] = {twice, square};

__global__ void read(float *weight, int *other, char *text, double *real)
{
    weight[threadIdx.x] = weights[threadIdx.x];
    if (threadIdx.x)
        return;
    other[0] = counter;
    other[1] = *inside;
    other[2] = space::named;
    other[3] = chosen(21);
    other[4] = functions[0](5) + functions[1](5);
    for (int i = 0; i < 7; i++)
        text[i] = word[i];
    *real = hidden;
    counter++;
    chosen = functions[1];
}

int main()
{
    struct {
        float weight[16];
        int other[5];
        char text[7];
        double real;
    } host = {};
    float *weight;
    int *other;
    char *text;
    double *real;
    CHECK(cudaMalloc(&weight, sizeof host.weight));
    CHECK(cudaMalloc(&other, sizeof host.other));
    CHECK(cudaMalloc(&text, sizeof host.text));
    CHECK(cudaMalloc(&real, sizeof host.real));
    int values[64];
    for (int i = 0; i < 64; i++)
        values[i] = i * 3;
    for (int round = 0; round < 2; round++) {
        if (round) {
            float more[4] = {10, 11, 12, 13};
            CHECK(cudaMemcpyToSymbol(weights, more, sizeof more, 2 * sizeof(float)));
            CHECK(cudaMemcpyToSymbol(table, values, sizeof values));
            void *address = nullptr;
            CHECK(cudaGetSymbolAddress(&address, hidden));
            double other_real = -1.25;
            CHECK(cudaMemcpy(address, &other_real, sizeof other_real, cudaMemcpyHostToDevice));
        }
        read<<<1, 16>>>(weight, other, text, real);
        CHECK(cudaMemcpy(host.weight, weight, sizeof host.weight, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(host.other, other, sizeof host.other, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(host.text, text, sizeof host.text, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&host.real, real, sizeof host.real, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 16; i++) {
            float first = i < 3 ? (float)(i + 1) : 0;
            EXPECT_EQUAL(host.weight[i], round && i >= 2 && i < 6 ? (float)(8 + i) : first, i);
        }
        EXPECT_EQUAL(host.other[0], 40 + round, round);
        EXPECT_EQUAL(host.other[1], round ? 30 : 0, round);
        EXPECT_EQUAL(host.other[2], -3, round);
        EXPECT_EQUAL(host.other[3], round ? 441 : 42, round);
        EXPECT_EQUAL(host.other[4], 35, round);
        EXPECT(std::strcmp(host.text, "symbol") == 0);
        EXPECT_EQUAL(host.real, round ? -1.25 : 2.5, round);
    }
    int count = 0;
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    EXPECT_EQUAL(count, 42, 0);
    size_t size = 0;
    CHECK(cudaGetSymbolSize(&size, weights));
    EXPECT_EQUAL(size, 64, 0);
    CHECK(cudaGetSymbolSize(&size, table));
    EXPECT_EQUAL(size, 256, 1);
    void *address = nullptr, *pointer = nullptr;
    CHECK(cudaGetSymbolAddress(&address, table));
    CHECK(cudaMemcpyFromSymbol(&pointer, inside, sizeof pointer));
    EXPECT((char *)pointer == (char *)address + 40);
    int part[4] = {};
    CHECK(cudaMemcpyFromSymbolAsync(part, table, sizeof part, 5 * sizeof(int), cudaMemcpyDeviceToHost, 0));
    CHECK(cudaStreamSynchronize(0));
    for (int i = 0; i < 4; i++)
        EXPECT_EQUAL(part[i], (5 + i) * 3, i);
    EXPECT_ERROR(cudaMemcpyToSymbol(weights, values, 65), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaGetSymbolAddress(&address, values), cudaErrorInvalidSymbol);
    (void)cudaGetLastError();
    return ladder_result("symbols");
}

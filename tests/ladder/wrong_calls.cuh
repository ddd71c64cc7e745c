// The table of wrong calls: each is made, its answer compared with the documented code, and rows that differ printed.
#pragma once
#include "ladder_driver.cuh"

inline void wrong_runtime(cudaError_t got, cudaError_t want, const char *call, int line)
{
    ladder().checks++;
    cudaError_t last = cudaGetLastError(), after = cudaGetLastError();
    if (got != want) {
        ladder().wrong++;
        std::printf("%d: %s: %s (%d), documented %s (%d)\n", line, call, cudaGetErrorName(got), (int)got,
                    cudaGetErrorName(want), (int)want);
    } else if (last != (want == cudaErrorNotReady ? cudaSuccess : want) || after != cudaSuccess) {
        ladder().wrong++;
        std::printf("%d: %s: the last error is %s, then %s\n", line, call, cudaGetErrorName(last),
                    cudaGetErrorName(after));
    }
}

inline void wrong_driver(CUresult got, CUresult want, const char *call, int line)
{
    ladder().checks++;
    if (got == want)
        return;
    const char *got_name = "?", *want_name = "?";
    cuGetErrorName(got, &got_name);
    cuGetErrorName(want, &want_name);
    ladder().wrong++;
    std::printf("%d: %s: %s (%d), documented %s (%d)\n", line, call, got_name, (int)got, want_name, (int)want);
}

// A row of the runtime: the code, and the call. The last error is the code, once; "not ready" is none.
#define R(code, ...) wrong_runtime((__VA_ARGS__), (code), #__VA_ARGS__, __LINE__)
// A kernel launch, whose error is the last error.
#define L(code, ...)                                                                                                   \
    do {                                                                                                               \
        __VA_ARGS__;                                                                                                   \
        wrong_runtime(cudaPeekAtLastError(), (code), #__VA_ARGS__, __LINE__);                                          \
    } while (0)
// A row of the driver.
#define D(code, ...) wrong_driver((__VA_ARGS__), (code), #__VA_ARGS__, __LINE__)

void wrong_calls_driver();   // wrong_calls_driver.cu
void wrong_calls_before_init();

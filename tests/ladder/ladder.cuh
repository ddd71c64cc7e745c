// What the programs of the ladder share: checked calls, counted expectations, and the one line that each prints.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

struct ladder_state {
    long checks;
    long wrong;
};

inline ladder_state &ladder()
{
    static ladder_state state;
    return state;
}

inline void ladder_call(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s:%d: %s: %s (%s, %d)\n", file, line, call, cudaGetErrorString(error),
                 cudaGetErrorName(error), (int)error);
    std::exit(1);
}

// A call that must succeed; the program ends when it does not.
#define CHECK(call) ladder_call((call), #call, __FILE__, __LINE__)

inline bool ladder_expect(bool right, const char *what, const char *file, int line)
{
    ladder().checks++;
    if (!right && ladder().wrong++ < 10)
        std::fprintf(stderr, "%s:%d: wrong: %s\n", file, line, what);
    return right;
}

#define EXPECT(condition) ladder_expect((condition), #condition, __FILE__, __LINE__)

// A call that must answer with this error and no other.
#define EXPECT_ERROR(call, code)                                                                                       \
    do {                                                                                                               \
        cudaError_t ladder_answer = (call);                                                                            \
        if (!EXPECT(ladder_answer == (code)))                                                                          \
            std::fprintf(stderr, "    %s answered %d (%s), not %s\n", #call, (int)ladder_answer,                        \
                         cudaGetErrorName(ladder_answer), #code);                                                      \
    } while (0)

// Numbers that are equal to within `tolerance` of the larger one, absolutely below one.
inline bool ladder_near(double got, double want, double tolerance)
{
    return std::fabs(got - want) <= tolerance * std::fmax(1.0, std::fmax(std::fabs(got), std::fabs(want)));
}

inline bool ladder_number(double got, double want, double tolerance, long index, const char *what, const char *file,
                          int line)
{
    ladder().checks++;
    bool right = got == want || ladder_near(got, want, tolerance);
    if (!right && ladder().wrong++ < 10)
        std::fprintf(stderr, "%s:%d: wrong: %s at %ld: got %.9g, want %.9g\n", file, line, what, index, got, want);
    return right;
}

#define EXPECT_EQUAL(got, want, index) ladder_number((double)(got), (double)(want), 0, (index), #got, __FILE__, __LINE__)
#define EXPECT_NEAR(got, want, tolerance, index)                                                                       \
    ladder_number((double)(got), (double)(want), (tolerance), (index), #got, __FILE__, __LINE__)

// The same numbers in every run: a linear congruential generator (Knuth's MMIX constants).
struct ladder_random {
    unsigned long long state;

    explicit ladder_random(unsigned long long seed) : state(seed * 2 + 1) {}
    unsigned next()
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (unsigned)(state >> 33);
    }
    float uniform() { return (float)(next() & 0xffffff) / 16777216.0f; }   // [0, 1)
};

// The first argument as a number, or `otherwise`.
inline long ladder_size(int argc, char **argv, long otherwise)
{
    return argc > 1 ? std::atol(argv[1]) : otherwise;
}

// The line that the program prints, and its exit status.
inline int ladder_result(const char *name)
{
    if (ladder().wrong)
        std::printf("%s: %ld of %ld checks are wrong\n", name, ladder().wrong, ladder().checks);
    else
        std::printf("%s: %ld checks are right\n", name, ladder().checks);
    std::fflush(stdout);
    return ladder().wrong || !ladder().checks ? 1 : 0;
}

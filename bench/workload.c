#include "workload.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 256 };

/* ---- parameters and buffers -------------------------------------------------------------------------------------- */

static void put(struct workload_launch *l, const void *value, size_t bytes)
{
    size_t at = (l->parameter_bytes + bytes - 1) / bytes * bytes;
    memcpy(l->parameters + at, value, bytes);
    l->parameter_bytes = at + bytes;
}

static void put_word(struct workload_launch *l, uint32_t value) { put(l, &value, sizeof value); }
static void put_float(struct workload_launch *l, float value) { put(l, &value, sizeof value); }
static void put_address(struct workload_launch *l, uint64_t value) { put(l, &value, sizeof value); }

/* A small generator (xorshift32). */
static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

/* A new buffer as the next parameter; floats in [0,1). */
static bool floats(struct gpu *gpu, struct workload_launch *l, size_t count)
{
    float *values = malloc(count * sizeof *values);
    uint64_t address = values ? memory_alloc(gpu_memory(gpu), count * sizeof *values) : 0;
    uint32_t state = 1;
    for (size_t i = 0; values && i < count; i++)
        values[i] = (float)(next(&state) >> 8) * 0x1p-24f;
    bool ok = address && memory_write(gpu_memory(gpu), address, values, count * sizeof *values);
    free(values);
    put_address(l, address);
    return ok;
}

/* The same of zeros. */
static bool zeros(struct gpu *gpu, struct workload_launch *l, size_t bytes)
{
    uint64_t address = memory_alloc(gpu_memory(gpu), bytes);
    put_address(l, address);
    return address != 0;
}

static void shape(struct workload_launch *l, const char *kernel, uint32_t x, uint32_t y, uint32_t threads)
{
    *l = (struct workload_launch){.kernel = kernel, .grid = {x, y, 1}, .block = {threads, 1, 1}};
}

/* CTAs that fill all warp slots. */
static uint32_t full(const struct gpu *gpu)
{
    const struct config *c = gpu_config(gpu);
    return c->gpu.sms * (c->sm.warps * 32 / THREADS);
}

/* ---- workloads --------------------------------------------------------------------------------------------------- */

static bool prepare_ffma(struct gpu *gpu, struct workload_launch *l)
{
    shape(l, "bench_ffma", full(gpu), 1, THREADS);
    bool ok = zeros(gpu, l, (size_t)l->grid.x * THREADS * sizeof(float));
    put_float(l, 0.5f);
    put_float(l, 1.0f);
    put_word(l, 6);
    return ok;
}

/* Four CTAs an SM of most GPUs. */
static bool prepare_gemm(struct gpu *gpu, struct workload_launch *l)
{
    enum { TILE = 64, COLUMNS = 16, DEPTH = 64 };
    uint32_t rows = gpu_config(gpu)->gpu.sms * 4 / COLUMNS, n = COLUMNS * TILE;
    shape(l, "bench_gemm", COLUMNS, rows, THREADS);
    bool ok = floats(gpu, l, (size_t)rows * TILE * DEPTH) && floats(gpu, l, (size_t)DEPTH * n) &&
              zeros(gpu, l, (size_t)rows * TILE * n * sizeof(float));
    put_word(l, n);
    put_word(l, DEPTH);
    return ok;
}

enum { STREAM_PIECES = 1 << 20 }; /* of 16 bytes */

static bool prepare_copy(struct gpu *gpu, struct workload_launch *l)
{
    shape(l, "bench_copy", full(gpu), 1, THREADS);
    bool ok = floats(gpu, l, STREAM_PIECES * 4) && zeros(gpu, l, STREAM_PIECES * 16);
    put_word(l, STREAM_PIECES);
    return ok;
}

static bool prepare_triad(struct gpu *gpu, struct workload_launch *l)
{
    shape(l, "bench_triad", full(gpu), 1, THREADS);
    bool ok =
        floats(gpu, l, STREAM_PIECES * 4) && floats(gpu, l, STREAM_PIECES * 4) && zeros(gpu, l, STREAM_PIECES * 16);
    put_float(l, 3.0f);
    put_word(l, STREAM_PIECES);
    return ok;
}

enum { TABLE_WORDS = 1 << 22 };

static bool prepare_gather(struct gpu *gpu, struct workload_launch *l)
{
    shape(l, "bench_gather", gpu_config(gpu)->gpu.sms * 2, 1, THREADS);
    bool ok = floats(gpu, l, TABLE_WORDS) && zeros(gpu, l, (size_t)l->grid.x * THREADS * sizeof(uint32_t));
    put_word(l, TABLE_WORDS - 1);
    put_word(l, 8);
    return ok;
}

static bool prepare_atomics(struct gpu *gpu, struct workload_launch *l)
{
    shape(l, "bench_atomics", gpu_config(gpu)->gpu.sms * 2, 1, THREADS);
    bool ok = zeros(gpu, l, TABLE_WORDS * sizeof(uint32_t));
    put_word(l, TABLE_WORDS - 1);
    put_word(l, 8);
    return ok;
}

/* Four warps alone, each on its own way over a ring through 32 MiB. */
static bool prepare_chase(struct gpu *gpu, struct workload_launch *l)
{
    enum { PLACES = 1 << 18, STRIDE = 32, HOPS = 2000, WARPS = 4 };
    uint32_t *ring = calloc((size_t)PLACES * STRIDE, sizeof *ring);
    shape(l, "bench_chase", WARPS, 1, 32);
    uint64_t address = ring ? memory_alloc(gpu_memory(gpu), (size_t)PLACES * STRIDE * sizeof *ring) : 0;
    enum { FACTOR = 40509, STEP = 1 }; /* x -> x * FACTOR + STEP: a full period modulo a power of 2 */
    for (uint32_t i = 0; ring && i < PLACES; i++)
        ring[(size_t)i * STRIDE] = (i * FACTOR + STEP) % PLACES * STRIDE;
    bool ok = address && memory_write(gpu_memory(gpu), address, ring, (size_t)PLACES * STRIDE * sizeof *ring);
    free(ring);
    put_address(l, address);
    ok = ok && zeros(gpu, l, WARPS * 32 * sizeof(uint32_t));
    put_word(l, HOPS);
    return ok;
}

static const struct workload list[] = {
    {"ffma", "chains of FFMA, all warp slots full", prepare_ffma},
    {"gemm", "FP32 product in tiles of shared memory", prepare_gemm},
    {"copy", "stream through DRAM", prepare_copy},
    {"triad", "two streams in, one out", prepare_triad},
    {"gather", "each lane of a load in a sector of its own", prepare_gather},
    {"atomics", "reductions to scattered words", prepare_atomics},
    {"chase", "four warps, each load waits for the last", prepare_chase},
};

const struct workload *workload_list(size_t *count)
{
    *count = sizeof list / sizeof list[0];
    return list;
}

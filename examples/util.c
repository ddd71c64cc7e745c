#include "util.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN 0x5ab0c0deu

enum { GUARD_WORDS = 64 };

struct run run_start(const struct example_device *device) { return (struct run){.device = device}; }

struct example_result run_finish(struct run *run, const char *format, ...)
{
    struct example_result result = {.ok = !run->failed};
    if (run->failed) {
        memcpy(result.text, run->text, sizeof result.text);
    } else {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(result.text, sizeof result.text, format, arguments);
        va_end(arguments);
    }
    while (run->block_count > 0)
        free(run->blocks[--run->block_count]);
    return result;
}

void run_fail(struct run *run, const char *format, ...)
{
    if (run->failed)
        return;
    run->failed = true;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->text, sizeof run->text, format, arguments);
    va_end(arguments);
}

void *run_memory(struct run *run, size_t count, size_t size)
{
    if (run->failed)
        return NULL;
    void *block = run->block_count < RUN_BLOCKS ? calloc(count, size) : NULL;
    if (!block) {
        run_fail(run, "no host memory for %zu elements of %zu bytes", count, size);
        return NULL;
    }
    run->blocks[run->block_count++] = block;
    return block;
}

uint64_t run_upload(struct run *run, const void *from, size_t bytes)
{
    if (run->failed)
        return 0;
    uint64_t to = run->device->alloc(run->device->self, bytes);
    if (to == 0)
        run_fail(run, "no device memory for %zu bytes", bytes);
    else if (!run->device->write(run->device->self, to, from, bytes))
        run_fail(run, "cannot write %zu bytes of device memory", bytes);
    return to;
}

uint64_t run_output(struct run *run, size_t words)
{
    size_t all = words + GUARD_WORDS;
    uint32_t *pattern = run_memory(run, all, sizeof *pattern);
    if (!pattern)
        return 0;
    for (size_t i = 0; i < all; i++)
        pattern[i] = PATTERN;
    return run_upload(run, pattern, all * sizeof *pattern);
}

void *run_download(struct run *run, uint64_t from, size_t words)
{
    size_t all = words + GUARD_WORDS;
    uint32_t *to = run_memory(run, all, sizeof *to);
    if (!to)
        return NULL;
    if (!run->device->read(run->device->self, to, from, all * sizeof *to)) {
        run_fail(run, "cannot read %zu bytes of device memory", all * sizeof *to);
        return NULL;
    }
    for (size_t i = words; i < all; i++)
        if (to[i] != PATTERN)
            run_fail(run, "a kernel wrote past the end of its results, at word %zu of %zu", i, words);
    return run->failed ? NULL : to;
}

void run_read(struct run *run, void *to, uint64_t from, size_t bytes)
{
    if (!run->failed && !run->device->read(run->device->self, to, from, bytes))
        run_fail(run, "cannot read %zu bytes of device memory", bytes);
}

void run_write_word(struct run *run, uint64_t to, uint32_t word)
{
    if (!run->failed && !run->device->write(run->device->self, to, &word, sizeof word))
        run_fail(run, "cannot write a word of device memory");
}

uint32_t run_read_word(struct run *run, uint64_t from)
{
    uint32_t word = 0;
    if (!run->failed && !run->device->read(run->device->self, &word, from, sizeof word))
        run_fail(run, "cannot read a word of device memory");
    return word;
}

void run_launch(struct run *run, const char *kernel, struct example_dim grid, struct example_dim block,
                const void *params, size_t param_bytes)
{
    run_launch_shared(run, kernel, grid, block, 0, params, param_bytes);
}

void run_launch_shared(struct run *run, const char *kernel, struct example_dim grid, struct example_dim block,
                       uint32_t shared_bytes, const void *params, size_t param_bytes)
{
    if (!run->failed && !run->device->launch(run->device->self, kernel, grid, block, shared_bytes, params, param_bytes))
        run_fail(run, "the launch of %s failed", kernel);
}

void run_tensor_map(struct run *run, uint8_t map[EXAMPLE_MAP], const struct example_matrix *matrix)
{
    if (run->failed)
        return;
    if (!run->device->tensor_map)
        run_fail(run, "the device makes no tensor maps");
    else if (!run->device->tensor_map(run->device->self, map, matrix))
        run_fail(run, "the tensor map of a %u x %u matrix was refused", matrix->rows, matrix->columns);
}

void run_check_ints(struct run *run, const char *name, const int32_t *got, const int32_t *want, size_t count)
{
    if (run->failed)
        return;
    for (size_t i = 0; i < count; i++) {
        if (got[i] != want[i]) {
            run_fail(run, "%s[%zu] = %ld, expected %ld", name, i, (long)got[i], (long)want[i]);
            return;
        }
    }
}

void run_check_floats(struct run *run, const char *name, const float *got, const float *want, size_t count)
{
    if (run->failed)
        return;
    for (size_t i = 0; i < count; i++) {
        if (memcmp(&got[i], &want[i], sizeof got[i]) != 0) {
            run_fail(run, "%s[%zu] = %.9g, expected %.9g", name, i, (double)got[i], (double)want[i]);
            return;
        }
    }
}

double run_check_close(struct run *run, const char *name, const float *got, const double *want, const double *scale,
                       size_t count, double tolerance)
{
    double worst = 0.0;
    for (size_t i = 0; i < count && !run->failed; i++) {
        double error = fabs((double)got[i] - want[i]);
        if (!(error <= tolerance * scale[i])) {
            run_fail(run, "%s[%zu] = %.9g, expected %.9g within %.1e of %.3g", name, i, (double)got[i], want[i],
                     tolerance, scale[i]);
        } else if (scale[i] > 0.0) {
            worst = fmax(worst, error / scale[i]);
        }
    }
    return worst;
}

uint32_t parts(uint32_t whole, uint32_t part) { return (whole + part - 1) / part; }

uint32_t random_next(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

uint32_t random_below(uint32_t *state, uint32_t bound)
{
    return (uint32_t)((uint64_t)random_next(state) * bound >> 32);
}

float random_unit(uint32_t *state) { return (float)(random_next(state) >> 8) * 0x1p-23f - 1.0f; }

void random_units(uint32_t *state, float *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = random_unit(state);
}

void random_eighths(uint32_t *state, float *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (float)((int32_t)random_below(state, 65) - 32) / 8.0f;
}

uint16_t half_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value == 0.0f)
        return 0;
    uint32_t exponent = (bits >> 23 & 0xff) - 127 + 15;
    return (uint16_t)(bits >> 31 << 15 | exponent << 10 | (bits >> 13 & 0x3ff));
}

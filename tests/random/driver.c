/* Runs the random programs of a cubin on the functional machine and compares with what the host computed:
 * random_driver CUBIN EXPECTED (data/main.h says what that holds; the cubin may be compressed with zstd). Prints a line
 * for each program that differs and one for all; the exit status is 0 when none does. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "base/file.h"
#include "exec/exec.h"

enum { THREADS = 64, CTAS = 2, INPUT_WORDS = 1024, OUTPUT_WORDS = 30, RESULT = CTAS * THREADS * OUTPUT_WORDS };

struct record {
    uint32_t number, in[INPUT_WORDS], out[RESULT];
};

struct run {
    struct memory *memory;
    struct exec_module module;
    uint64_t in, out; /* device addresses */
    uint64_t instructions;
};

static bool launch(struct run *run, const struct record *record, struct status *status)
{
    char kernel[32];
    struct exec_launch launch;
    struct exec_totals totals;
    const uint64_t parameters[] = {run->in, run->out};
    snprintf(kernel, sizeof kernel, "program_%" PRIu32, record->number);
    memcpy(memory_at(run->memory, run->in), record->in, sizeof record->in);
    memset(memory_at(run->memory, run->out), 0xcc, sizeof record->out);
    if (!exec_launch_begin(&launch, &run->module, kernel, (struct exec_dim){CTAS, 1, 1},
                           (struct exec_dim){THREADS, 1, 1}, 0, parameters, sizeof parameters, 1, 64, status))
        return false;
    bool good = exec_run(&launch, NULL, NULL, NULL, &totals, status);
    exec_launch_end(&launch);
    run->instructions += totals.warp_instructions;
    return good;
}

/* True when the program left what the host computed. */
static bool check(struct run *run, const struct record *record)
{
    struct status status = {0};
    if (!launch(run, record, &status)) {
        printf("program %" PRIu32 ": %s\n", record->number, status.text);
        return false;
    }
    const uint32_t *out = (const uint32_t *)(const void *)memory_at(run->memory, run->out);
    for (unsigned i = 0; i < RESULT; i++) {
        if (out[i] != record->out[i]) {
            printf("program %" PRIu32 ": thread %u, word %u: host 0x%08" PRIx32 ", here 0x%08" PRIx32 "\n",
                   record->number, i / OUTPUT_WORDS, i % OUTPUT_WORDS, record->out[i], out[i]);
            return false;
        }
    }
    return true;
}

/* Replaces the bytes of a compressed file by what it holds. */
static bool unpack(struct file_bytes *file)
{
    enum { LIMIT = 1 << 28 };
    unsigned long long size = ZSTD_getFrameContentSize(file->data, file->size);
    if (size == ZSTD_CONTENTSIZE_ERROR)
        return true;
    uint8_t *data = size <= LIMIT ? malloc(size) : NULL;
    if (!data || ZSTD_decompress(data, size, file->data, file->size) != size) {
        free(data);
        return false;
    }
    file_free(file);
    *file = (struct file_bytes){.data = data, .size = size};
    return true;
}

static bool start(struct run *run, const char *path, const struct file_bytes *cubin, struct status *status)
{
    run->memory = memory_create(1 << 26, status);
    if (!run->memory ||
        !exec_module_load(&run->module, run->memory, (struct cubin_bytes){cubin->data, cubin->size}, path, status))
        return false;
    run->in = memory_alloc(run->memory, 4 * INPUT_WORDS);
    run->out = memory_alloc(run->memory, 4 * RESULT);
    return run->in && run->out;
}

int main(int argc, char **argv)
{
    struct status status = {0};
    struct file_bytes cubin, expected;
    struct run run = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: random_driver CUBIN EXPECTED\n");
        return 2;
    }
    if (!file_read(argv[1], 1 << 28, &cubin, &status) || !file_read(argv[2], 1 << 28, &expected, &status) ||
        !unpack(&cubin) || !start(&run, argv[1], &cubin, &status)) {
        fprintf(stderr, "random_driver: %s\n", *status.text ? status.text : "the cubin cannot be unpacked");
        return 2;
    }
    const struct record *record = (const struct record *)(const void *)expected.data;
    unsigned count = (unsigned)(expected.size / sizeof *record), wrong = 0;
    for (unsigned i = 0; i < count; i++)
        wrong += !check(&run, &record[i]);
    printf("%s: %u programs, %u differ, %" PRIu64 " warp instructions\n", argv[1], count, wrong, run.instructions);
    exec_module_unload(&run.module);
    memory_destroy(run.memory);
    file_free(&cubin);
    file_free(&expected);
    return wrong || !count;
}

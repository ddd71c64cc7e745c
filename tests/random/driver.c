/* Runs the random programs of a cubin and compares with the host's results: random_driver CUBIN EXPECTED GPU
 * (data/main.h describes EXPECTED; the cubin may be compressed with zstd). Each is executed only, and timed in
 * several ways of handling dependences: compiled code gives the same result in all of them. Prints a line for each
 * program that differs and one for each way. The exit status is 0 when none does and no hazard was found. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "base/file.h"
#include "gpu/gpu.h"

enum { THREADS = 64, CTAS = 2, INPUT_WORDS = 1024, OUTPUT_WORDS = 30, RESULT = CTAS * THREADS * OUTPUT_WORDS };

struct record {
    uint32_t number, in[INPUT_WORDS], out[RESULT];
};

struct mode {
    const char *name;
    bool functional, strict, checked;
    const char *set[2];
};

static const struct mode modes[] = {
    {"executed", true, false, true, {NULL}},
    {"timed", false, false, true, {NULL}},
    {"with strict hazards", false, true, false, {NULL}},
    {"scoreboard", false, false, false, {"core.dependence=scoreboard", "core.scoreboard_consumers=0"}},
    {"scoreboard of one reader", false, false, false, {"core.dependence=scoreboard", "core.scoreboard_consumers=1"}},
};

struct run {
    const struct mode *mode;
    struct gpu *gpu;
    struct hazards hazards;
    struct exec_module *module;
    uint64_t in, out; /* device addresses */
    uint64_t instructions, cycles;
};

static bool launch(struct run *run, const struct record *record, struct status *status)
{
    char kernel[32];
    struct kernel_result result;
    const uint64_t parameters[] = {run->in, run->out};
    struct memory *memory = gpu_memory(run->gpu);
    snprintf(kernel, sizeof kernel, "program_%" PRIu32, record->number);
    memcpy(memory_at(memory, run->in), record->in, sizeof record->in);
    memset(memory_at(memory, run->out), 0xcc, sizeof record->out);
    const struct gpu_launch launch = {.module = run->module,
                                      .kernel = kernel,
                                      .grid = {CTAS, 1, 1},
                                      .block = {THREADS, 1, 1},
                                      .parameters = parameters,
                                      .parameter_bytes = sizeof parameters};
    bool good = gpu_launch(run->gpu, &launch, &result, status);
    run->instructions += result.warp_instructions;
    run->cycles += result.cycles;
    return good;
}

/* True when the program left the host's results. */
static bool check(struct run *run, const struct record *record)
{
    struct status status = {0};
    if (!launch(run, record, &status)) {
        printf("program %" PRIu32 ", %s: %s\n", record->number, run->mode->name, status.text);
        return false;
    }
    const uint32_t *out = (const uint32_t *)(const void *)memory_at(gpu_memory(run->gpu), run->out);
    for (unsigned i = 0; i < RESULT; i++) {
        if (out[i] != record->out[i]) {
            printf("program %" PRIu32 ", %s: thread %u, word %u: host 0x%08" PRIx32 ", here 0x%08" PRIx32 "\n",
                   record->number, run->mode->name, i / OUTPUT_WORDS, i % OUTPUT_WORDS, record->out[i], out[i]);
            return false;
        }
    }
    return true;
}

/* Replaces the bytes of a compressed file by its contents. */
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

static bool configure(struct config *config, const char *gpu, const struct mode *mode, struct status *status)
{
    if (!config_load(config, gpu, status) || !config_set(config, "gpu.sms=2", status) ||
        !config_set(config, "gpu.memory=0.06", status))
        return false;
    for (unsigned i = 0; i < 2 && mode->set[i]; i++)
        if (!config_set(config, mode->set[i], status))
            return false;
    return true;
}

static bool start(struct run *run, const char *gpu, const char *path, const struct file_bytes *cubin,
                  struct status *status)
{
    struct config config;
    const struct gpu_options options = {.threads = 1,
                                        .functional = run->mode->functional,
                                        .strict_hazards = run->mode->strict,
                                        .hazards = run->mode->checked ? &run->hazards : NULL};
    if (!configure(&config, gpu, run->mode, status))
        return false;
    run->gpu = gpu_create(&config, &options, status);
    run->module = run->gpu ? gpu_load(run->gpu, (struct cubin_bytes){cubin->data, cubin->size}, path, status) : NULL;
    if (!run->module)
        return false;
    run->in = memory_alloc(gpu_memory(run->gpu), 4 * INPUT_WORDS);
    run->out = memory_alloc(gpu_memory(run->gpu), 4 * RESULT);
    return run->in && run->out;
}

/* Returns how many there are. */
static uint64_t print_hazards(const struct run *run)
{
    for (uint32_t k = 0; k < run->hazards.kernels; k++) {
        const struct hazard_kernel *kernel = &run->hazards.kernel[k];
        for (uint32_t i = 0; i < kernel->found.count; i++) {
            const struct hazard *h = &kernel->found.item[i];
            printf("%s: %s: kind %u, 0x%" PRIx32 " to 0x%" PRIx32 ", resource %u, distance %u of %u, %" PRIu64
                   " times\n",
                   run->mode->name, kernel->name, h->kind, h->first, h->second, h->resource, h->distance, h->needed,
                   h->count);
        }
    }
    return hazards_count(&run->hazards);
}

int main(int argc, char **argv)
{
    struct status status = {0};
    struct file_bytes cubin, expected;
    if (argc != 4) {
        fprintf(stderr, "usage: random_driver CUBIN EXPECTED GPU\n");
        return 2;
    }
    if (!file_read(argv[1], 1 << 28, &cubin, &status) || !file_read(argv[2], 1 << 28, &expected, &status) ||
        !unpack(&cubin)) {
        fprintf(stderr, "random_driver: %s\n", *status.text ? status.text : "the cubin cannot be unpacked");
        return 2;
    }
    const struct record *record = (const struct record *)(const void *)expected.data;
    unsigned count = (unsigned)(expected.size / sizeof *record), wrong = 0;
    for (unsigned m = 0; m < sizeof modes / sizeof modes[0]; m++) {
        struct run run = {.mode = &modes[m]};
        if (!start(&run, argv[3], argv[1], &cubin, &status)) {
            fprintf(stderr, "random_driver: %s\n", status.text);
            return 2;
        }
        for (unsigned i = 0; i < count; i++)
            wrong += !check(&run, &record[i]);
        printf("%s, %s: %u programs, %" PRIu64 " warp instructions, %" PRIu64 " cycles\n", argv[1], run.mode->name,
               count, run.instructions, run.cycles);
        uint64_t hazards = print_hazards(&run);
        wrong += hazards != 0;
        gpu_destroy(run.gpu);
        hazards_free(&run.hazards);
    }
    printf("%u differ\n", wrong);
    file_free(&cubin);
    file_free(&expected);
    return wrong || !count;
}

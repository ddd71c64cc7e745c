/* Every key of the configuration at the lowest and the highest value that it may have, and combinations drawn at
 * random: small kernels run to their end, leave the results of functional execution, and take the same cycles with idle
 * cycles skipped or not and with one host thread or three. An impossible machine is refused with a message.
 *
 * Each configuration is tried in a process of its own, so that a failed assertion names the configuration.
 *
 *   test_system_key_extremes the form that `meson test` runs
 *   test_system_key_extremes SEED N     N combinations from this seed instead */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/demo.h"
#include "config/option.h"
#include "gpu/gpu.h"
#include "tests/unit.h"

enum {
    WORDS = 8192, /* of each buffer */
    VERTICES = 200,
    DEGREE = 3,
    BUFFERS = 6,
    KERNELS = 7,
    COMBINATIONS = 60,
    SECONDS = 120, /* for one configuration, far more than any takes */
    EXIT_RIGHT = 0,
    EXIT_WRONG = 1,
    EXIT_REFUSED = 2
};

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

enum buffer { WORDS_IN, ROWS, COLUMNS, OUT, COUNTERS, SCRATCH };

struct machine {
    struct gpu *gpu;
    uint64_t buffer[BUFFERS];
    struct kernel_result result[KERNELS];
    uint64_t digest;
};

struct work {
    const char *module, *kernel;
    struct exec_dim grid, block;
    enum buffer pointer[3]; /* parameters: addresses, then words */
    unsigned pointers;
    uint32_t word[4];
    unsigned words;
};

/* bfs_level, whose parameters are mixed, has none here. */
static const struct work works[KERNELS] = {
    {"vecadd", "vecadd", {3, 1, 1}, {128, 1, 1}, {WORDS_IN, COLUMNS, OUT}, 3, {300}, 1},
    {"reduce", "reduce_shared", {2, 1, 1}, {256, 1, 1}, {WORDS_IN, OUT}, 2, {1000}, 1},
    {"histogram", "histogram_shared", {2, 1, 1}, {256, 1, 1}, {WORDS_IN, OUT}, 2, {300}, 1},
    {"stencil", "stencil", {2, 2, 1}, {32, 8, 1}, {WORDS_IN, OUT}, 2, {40, 12, 0x3f000000, 0x3dcccccd}, 4},
    {"bfs", "bfs_level", {2, 1, 1}, {64, 1, 1}, {0}, 0, {0}, 0},
    {"hgemm", "hgemm", {1, 1, 1}, {128, 1, 1}, {WORDS_IN, COLUMNS, OUT}, 3, {64, 64, 64}, 3},
    {"scan", "scan_blocks", {2, 1, 1}, {256, 1, 1}, {WORDS_IN, OUT, COUNTERS}, 3, {500}, 1},
};

static size_t parameters(const struct machine *m, const struct work *w, unsigned char out[64])
{
    const uint64_t *b = m->buffer;
    if (w->pointers == 0) {
        struct {
            uint64_t row, col, level, frontier;
            uint32_t frontier_size;
            uint64_t next, next_size;
            int32_t next_level;
        } p = {b[ROWS], b[COLUMNS], b[OUT], b[ROWS] + 4 * 4096, 100, b[SCRATCH], b[COUNTERS], 1};
        memcpy(out, &p, sizeof p);
        return sizeof p - 4;
    }
    size_t size = 0;
    for (unsigned i = 0; i < w->pointers; i++, size += 8)
        memcpy(out + size, &b[w->pointer[i]], 8);
    for (unsigned i = 0; i < w->words; i++, size += 4)
        memcpy(out + size, &w->word[i], 4);
    return size;
}

static void fill(struct machine *m)
{
    const struct memory *memory = gpu_memory(m->gpu);
    uint32_t *in = (uint32_t *)(void *)memory_at(memory, m->buffer[WORDS_IN]);
    uint32_t *row = (uint32_t *)(void *)memory_at(memory, m->buffer[ROWS]);
    uint32_t *column = (uint32_t *)(void *)memory_at(memory, m->buffer[COLUMNS]);
    for (uint32_t i = 0; i < WORDS; i++) {
        in[i] = i * 2654435761u >> 4; /* no infinities as FP16 or FP32 */
        column[i] = (i * 40503u >> 3) % VERTICES;
        row[i] = i < 4096 ? (i % (VERTICES + 1)) * DEGREE : i - 4096; /* rows, then the frontier */
    }
    memset(memory_at(memory, m->buffer[OUT]), 0xff, 4 * WORDS); /* to bfs_level: not reached */
    memset(memory_at(memory, m->buffer[COUNTERS]), 0, 4 * WORDS);
}

static uint64_t digest_of(const struct machine *m, uint64_t digest)
{
    static const enum buffer compared[] = {OUT, COUNTERS};
    for (unsigned b = 0; b < 2; b++) {
        const unsigned char *at = memory_at(gpu_memory(m->gpu), m->buffer[compared[b]]);
        for (size_t i = 0; i < 4 * WORDS; i++)
            digest = (digest ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return digest;
}

static bool launch(struct machine *m, unsigned k, struct status *status)
{
    const struct work *w = &works[k];
    struct cubin_bytes image;
    if (!demo_cubin(w->module, gpu_config(m->gpu)->gpu.architecture, &image, status))
        return true; /* the matrix product has none for sm_75 */
    struct exec_module *module = gpu_load(m->gpu, image, w->module, status);
    unsigned char block[64];
    struct gpu_launch launch = {.module = module,
                                .kernel = w->kernel,
                                .grid = w->grid,
                                .block = w->block,
                                .parameters = block,
                                .parameter_bytes = parameters(m, w, block)};
    fill(m);
    if (!module || !gpu_launch(m->gpu, &launch, &m->result[k], status))
        return false;
    m->digest = digest_of(m, m->digest);
    m->result[k].host_seconds = 0;
    m->result[k].threads = 0;
    m->result[k].config_hash = 0;
    return true;
}

/* All kernels, or in the quick form every second, from the first or the second on. */
static bool run(const struct config *config, unsigned turn, unsigned threads, bool functional, struct machine *m,
                struct status *status)
{
    const struct gpu_options options = {.threads = threads, .functional = functional};
    memset(m, 0, sizeof *m);
    m->gpu = gpu_create(config, &options, status);
    if (!m->gpu)
        return false;
    bool ok = true;
    for (unsigned b = 0; b < BUFFERS; b++)
        ok = ok && (m->buffer[b] = memory_alloc(gpu_memory(m->gpu), 4 * WORDS)) != 0;
    if (!ok)
        status_fail(status, STATUS_USAGE, "the device memory is too small");
    for (unsigned k = unit_full() ? 0 : turn % 2; ok && k < KERNELS; k += unit_full() ? 1 : 2)
        ok = launch(m, k, status);
    gpu_destroy(m->gpu);
    return ok;
}

/* ---- one configuration ------------------------------------------------------------------------------------------- */

static int compare(const struct config *config, const char *name, unsigned turn)
{
    static struct machine functional, first, second;
    struct status status = {0};
    struct config busy = *config;
    busy.run.skip_idle = !config->run.skip_idle;
    bool ok = run(config, turn, 1, true, &functional, &status) && run(config, turn, 1, false, &first, &status) &&
              run(&busy, turn, 3, false, &second, &status);
    if (!ok) {
        printf("# %s: %s\n", name, status.text);
        return status.code == STATUS_USAGE ? EXIT_REFUSED : EXIT_WRONG;
    }
    if (functional.digest != first.digest || functional.digest != second.digest) {
        printf("# %s: results are wrong\n", name);
        return EXIT_WRONG;
    }
    for (unsigned k = 0; k < KERNELS; k++) {
        if (memcmp(&first.result[k], &second.result[k], sizeof first.result[k]) == 0)
            continue;
        printf("# %s: %s takes %llu cycles, and %llu with the other way of skipping and three threads\n", name,
               works[k].kernel, (unsigned long long)first.result[k].cycles,
               (unsigned long long)second.result[k].cycles);
        return EXIT_WRONG;
    }
    return EXIT_RIGHT;
}

static bool base(struct config *config, const char *gpu)
{
    struct status status = {0};
    return config_load(config, gpu, &status) && config_set(config, "gpu.sms=2", &status) &&
           config_set(config, "gpu.memory=0.05", &status) && config_set(config, "launch.latency=50", &status);
}

/* True unless the configuration is accepted and something is wrong with it. */
static bool try_config(const struct config *config, const char *name, unsigned turn, unsigned *refused)
{
    struct status status = {0};
    if (!config_check(config, &status)) {
        printf("# %s is refused: %s\n", name, status.text);
        ++*refused;
        return status.text[0] != 0;
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        int code = compare(config, name, turn);
        fflush(stdout);
        _exit(code);
    }
    int end = 0;
    assert_true(child > 0 && waitpid(child, &end, 0) == child);
    if (WIFSIGNALED(end))
        printf("# %s: signal %d\n", name, WTERMSIG(end));
    bool right = WIFEXITED(end) && (WEXITSTATUS(end) == EXIT_RIGHT || WEXITSTATUS(end) == EXIT_REFUSED);
    *refused += right && WEXITSTATUS(end) == EXIT_REFUSED;
    return right;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool has_extremes(const struct option *option)
{
    return option->kind != OPTION_TEXT && strcmp(option->key, "architecture") != 0;
}

static unsigned values_of(const struct option *option)
{
    return option->kind == OPTION_ENUM ? (unsigned)option->high + 1 : 2;
}

static void value_text(const struct option *option, unsigned which, char out[OPTION_VALUE])
{
    double number = which ? option->high : option->low;
    if (option->kind == OPTION_ENUM)
        snprintf(out, OPTION_VALUE, "%s", option->words[which]);
    else if (option->kind == OPTION_BOOL)
        snprintf(out, OPTION_VALUE, "%s", which ? "true" : "false");
    else
        snprintf(out, OPTION_VALUE, option->kind == OPTION_UINT ? "%.0f" : "%.6f", number);
}

static bool extremes_of(const struct option_section *section, const struct option *option, unsigned *refused)
{
    bool right = true;
    for (unsigned which = 0; which < values_of(option); which++) {
        struct config config;
        char value[OPTION_VALUE], name[2 * OPTION_VALUE];
        assert_true(base(&config, "a100"));
        value_text(option, which, value);
        snprintf(name, sizeof name, "%s.%s=%s", section->name, option->key, value);
        assert_true(option_parse(option, value, &config));
        right &= try_config(&config, name, which, refused);
    }
    return right;
}

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

/* Sizes that have to fit each other are left to the test of single keys. */
static bool is_free(const struct option_section *section, const struct option *option)
{
    static const char *const fixed[] = {"byte", "slice", "channel"};
    if (strcmp(section->name, "gpu") == 0 || strcmp(section->name, "sm") == 0 || option->kind == OPTION_TEXT)
        return false;
    if (strcmp(option->key, "co_load") ==
        0) /* a memory that is slow by other keys would work for co-runners for hours */
        return false;
    for (unsigned i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (strcmp(option->unit, fixed[i]) == 0)
            return false;
    return strcmp(option->key, "ways") != 0;
}

static void draw_option(const struct option *option, struct config *config, uint64_t *seed)
{
    char value[OPTION_VALUE];
    uint32_t way = draw(seed, 3), share = draw(seed, 1000);
    value_text(option, way < 2 ? way : draw(seed, values_of(option)), value);
    if (way == 2 && option->kind == OPTION_UINT)
        snprintf(value, sizeof value, "%.0f", option->low + (option->high - option->low) * share / 1000);
    option_parse(option, value, config);
}

/* Half of the core's keys, or a few of all that say how fast a GPU is. */
static bool combination(uint64_t number, uint64_t *seed, unsigned *refused)
{
    struct config config;
    char name[64];
    bool core = number % 2 == 0;
    static const char *const gpus[] = {"a100", "rtx-a6000", "b200", "rtx-2080-ti"};
    assert_true(base(&config, gpus[number / 2 % 4]));
    uint64_t start = *seed;
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section section = option_section(s);
        bool chosen = !core || strcmp(section.name, "core") == 0;
        for (size_t i = 0; chosen && i < section.count; i++)
            if (is_free(&section, &section.options[i]) && draw(seed, core ? 2 : 6) == 0)
                draw_option(&section.options[i], &config, seed);
    }
    snprintf(name, sizeof name, "combination %llu (seed %llu)", (unsigned long long)number, (unsigned long long)start);
    return try_config(&config, name, (unsigned)number / 8, refused);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void every_key_can_have_its_lowest_and_its_highest_value(void **state)
{
    (void)state;
    unsigned wrong = 0, refused = 0;
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section section = option_section(s);
        for (size_t i = 0; i < section.count; i++)
            if (has_extremes(&section.options[i]))
                wrong += !extremes_of(&section, &section.options[i], &refused);
    }
    printf("# %u values are refused\n", refused);
    assert_int_equal(wrong, 0);
}

static unsigned combinations(uint64_t seed, uint64_t count, uint64_t first)
{
    unsigned wrong = 0, refused = 0;
    for (uint64_t i = 0; i < count; i++)
        wrong += !combination(first + i, &seed, &refused);
    printf("# %u of %llu combinations are refused\n", refused, (unsigned long long)count);
    return wrong;
}

static void any_combination_of_keys_runs_or_is_refused(void **state)
{
    (void)state;
    assert_int_equal(combinations(1, COMBINATIONS, 0), 0);
}

int main(int count, char **argument)
{
    if (count == 4) /* SEED COUNT FIRST, as they are printed */
        return combinations(strtoull(argument[1], NULL, 10), strtoull(argument[2], NULL, 10),
                            strtoull(argument[3], NULL, 10)) != 0;
    const struct CMUnitTest tests[] = {UNIT(every_key_can_have_its_lowest_and_its_highest_value),
                                       UNIT(any_combination_of_keys_runs_or_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

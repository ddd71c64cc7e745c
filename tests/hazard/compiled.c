/* Code of the CUDA compiler has no hazards: the examples, timed and executed only, and the random programs of all
 * architectures, whose inputs do not matter here. */
#include <zstd.h>

#include "base/file.h"
#include "cli/demo.h"
#include "tests/unit.h"

static unsigned report(const char *what, const struct hazards *hazards)
{
    for (uint32_t k = 0; k < hazards->kernels; k++) {
        const struct hazard_kernel *kernel = &hazards->kernel[k];
        for (uint32_t i = 0; i < kernel->found.count; i++) {
            const struct hazard *h = &kernel->found.item[i];
            char first[ISA_TEXT], second[ISA_TEXT];
            isa_print(&kernel->code.isa[h->first / 16], first);
            isa_print(&kernel->code.isa[h->second / 16], second);
            print_message("%s %s: kind %u cause %u resource %u distance %u of %u: 0x%x %s; 0x%x %s\n", what,
                          kernel->name, h->kind, h->cause, h->resource, h->distance, h->needed, h->first, first,
                          h->second, second);
        }
    }
    return (unsigned)hazards_count(hazards);
}

static unsigned hazards_of_example(const char *gpu, const struct example *example, bool functional)
{
    struct status status = {0};
    struct cli_options options = {
        .gpu = gpu, .functional = functional, .threads = 1, .quiet = true, .check_hazards = true};
    struct session session;
    struct demo_run demo;
    if (!session_begin(&session, &options, &status))
        fail_msg("%s", status.text);
    bool ok = demo_run(&demo, example, &session, &status);
    if (!ok && status.code != STATUS_UNSUPPORTED) /* no code for the architecture */
        fail_msg("%s", status.text);
    unsigned found = report(example->name, &session.hazards);
    assert_true(!ok || session.hazards.kernels > 0);
    demo_run_free(&demo);
    session_end(&session);
    return found;
}

/* Each `step`th example from `first` on. */
static void examples_are_clean(const char *gpu, bool functional, size_t first, size_t step)
{
    size_t count;
    unsigned found = 0;
    const struct example *list = example_list(&count);
    for (size_t i = first; i < count; i += step)
        found += hazards_of_example(gpu, &list[i], functional);
    assert_int_equal(found, 0);
}

static void examples_executed_have_no_hazards(void **state)
{
    static const char *const gpus[] = {"v100-sxm2", "t4", "a100", "rtx-a6000", "l40", "h200", "b200", "rtx-5070-ti"};
    (void)state;
    for (unsigned i = 0; i < sizeof gpus / sizeof *gpus; i++)
        examples_are_clean(gpus[i], true, unit_full() ? 0 : i % 2, unit_full() ? 1 : 2);
}

static void examples_timed_have_no_hazards(void **state)
{
    (void)state;
    examples_are_clean("rtx-a6000", false, 0, unit_full() ? 1 : 2);
}

/* ---- random programs --------------------------------------------------------------------------------------------- */

enum { WORDS = 1 << 16, THREADS = 64, CTAS = 2 };

static struct cubin_bytes unpacked(unsigned sm)
{
    char buffer[4096], name[64];
    struct file_bytes file;
    struct status status = {0};
    snprintf(name, sizeof name, "tests/random/cubin/programs.sm_%u.cubin.zst", sm);
    if (!file_read(unit_path(buffer, name), SIZE_MAX, &file, &status))
        fail_msg("%s", status.text);
    size_t size = ZSTD_getFrameContentSize(file.data, file.size);
    uint8_t *data = malloc(size);
    assert_int_equal(ZSTD_decompress(data, size, file.data, file.size), size);
    file_free(&file);
    return (struct cubin_bytes){data, size};
}

static unsigned hazards_of_programs(unsigned sm)
{
    struct status status = {0};
    struct config config;
    struct hazards hazards;
    hazards_init(&hazards);
    assert_true(config_load(&config, "rtx-a6000", &status));
    const struct gpu_options options = {.threads = 1, .functional = true, .hazards = &hazards};
    struct gpu *gpu = gpu_create(&config, &options, &status);
    struct cubin_bytes image = unpacked(sm);
    struct exec_module *module = gpu ? gpu_load(gpu, image, "programs", &status) : NULL;
    if (!module)
        fail_msg("%s", status.text);
    uint64_t arguments[2] = {memory_alloc(gpu_memory(gpu), WORDS), memory_alloc(gpu_memory(gpu), WORDS)};
    uint32_t state = sm;
    for (unsigned i = 0; i < WORDS; i += 4) {
        state = state * 1664525 + 1013904223;
        memory_write(gpu_memory(gpu), arguments[0] + i, &state, 4);
    }
    for (size_t k = 0; k < module->cubin.kernel_count; k++) {
        struct kernel_result result;
        struct gpu_launch launch = {.module = module,
                                    .kernel = module->cubin.kernels[k].name,
                                    .grid = {CTAS, 1, 1},
                                    .block = {THREADS, 1, 1},
                                    .parameters = arguments,
                                    .parameter_bytes = sizeof arguments};
        if (!gpu_launch(gpu, &launch, &result, &status))
            fail_msg("%s", status.text);
    }
    unsigned found = report("random", &hazards);
    hazards_free(&hazards);
    gpu_destroy(gpu);
    free((void *)(uintptr_t)image.data);
    return found;
}

static void random_programs_have_no_hazards(void **state)
{
    static const unsigned architectures[] = {70, 75, 80, 86, 89, 90, 100, 120};
    unsigned found = 0;
    (void)state;
    for (unsigned i = 0; i < sizeof architectures / sizeof *architectures; i++)
        found += hazards_of_programs(architectures[i]);
    assert_int_equal(found, 0);
}

UNIT_TESTS(UNIT(examples_executed_have_no_hazards), UNIT(random_programs_have_no_hazards),
           UNIT(examples_timed_have_no_hazards))

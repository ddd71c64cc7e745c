/* The findings of --check-hazards in proxies.cu's kernels, executed only and timed. */
#include "base/file.h"
#include "gpu/gpu.h"
#include "hazard/hazard.h"
#include "tests/unit.h"

enum { WORDS = 256, MOST = 8 };

struct found {
    unsigned count;
    struct hazard hazard[MOST];
    char first[MOST][ISA_TEXT], second[MOST][ISA_TEXT];
    uint32_t out[WORDS];
};

static void run(const char *kernel, uint32_t threads, bool functional, struct found *found)
{
    char path[4096];
    struct file_bytes file;
    struct status status = {0};
    struct config config;
    struct hazards hazards;
    struct kernel_result result;
    hazards_init(&hazards);
    const struct gpu_options options = {.threads = 1, .functional = functional, .hazards = &hazards};
    assert_true(config_load(&config, "h200", &status) && config_set(&config, "gpu.memory=1", &status));
    struct gpu *gpu = gpu_create(&config, &options, &status);
    assert_non_null(gpu);
    assert_true(file_read(unit_path(path, "tests/gpu/cubin/proxies.sm_90.cubin"), 1 << 20, &file, &status));
    struct exec_module *module = gpu_load(gpu, (struct cubin_bytes){file.data, file.size}, "proxies", &status);
    assert_non_null(module);
    struct memory *memory = gpu_memory(gpu);
    uint64_t arguments[2] = {memory_alloc(memory, sizeof found->out), memory_alloc(memory, sizeof found->out)};
    for (uint32_t i = 0; i < WORDS; i++)
        ((uint32_t *)(void *)memory_at(memory, arguments[1]))[i] = 1000 + i;
    const struct gpu_launch launch = {.module = module,
                                      .kernel = kernel,
                                      .grid = {1, 1, 1},
                                      .block = {threads, 1, 1},
                                      .parameters = arguments,
                                      .parameter_bytes = strncmp(kernel, "load", 4) ? 8 : 16,
                                      .mode = GPU_MODE_OF_OPTIONS};
    if (!gpu_launch(gpu, &launch, &result, &status))
        fail_msg("%s: %s", kernel, status.text);
    const struct hazard_kernel *k = &hazards.kernel[0];
    *found = (struct found){.count = k->found.count};
    for (uint32_t i = 0; i < k->found.count && i < MOST; i++) {
        found->hazard[i] = k->found.item[i];
        isa_print(&k->code.isa[k->found.item[i].first / 16], found->first[i]);
        isa_print(&k->code.isa[k->found.item[i].second / 16], found->second[i]);
    }
    memcpy(found->out, memory_at(memory, arguments[0]), sizeof found->out);
    hazards_free(&hazards);
    gpu_destroy(gpu);
    file_free(&file);
}

/* Returns a hazard of this kind between these opcodes. Fails the test when there is none. */
static const struct hazard *expect(const struct found *f, unsigned kind, const char *first, const char *second)
{
    for (unsigned i = 0; i < f->count && i < MOST; i++)
        if (f->hazard[i].kind == kind && strstr(f->first[i], first) && strstr(f->second[i], second))
            return &f->hazard[i];
    fail_msg("no hazard of kind %u from %s to %s among %u", kind, first, second, f->count);
    return NULL;
}

static void right_kernels_have_no_hazard_and_the_right_results(void **state)
{
    (void)state;
    for (unsigned functional = 0; functional < 2; functional++) {
        struct found f;
        run("store_right", 64, functional, &f);
        assert_int_equal(f.count, 0);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(f.out[i], 3 * i);
        run("load_right", 64, functional, &f);
        assert_int_equal(f.count, 0);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(f.out[i], 1000 + (i ^ 1) + 1064 + i);
        run("product_right", 128, functional, &f);
        assert_int_equal(f.count, 0);
        for (uint32_t i = 0; i < 128; i++) {
            float sum = 4 * 16 * 2;
            assert_memory_equal(&f.out[i], &sum, sizeof sum);
        }
    }
}

static void a_missing_fence_before_a_bulk_store_is_found(void **state)
{
    (void)state;
    for (unsigned functional = 0; functional < 2; functional++) {
        struct found f;
        run("store_without_fence", 64, functional, &f);
        assert_int_equal(f.count, 1);
        assert_int_equal(expect(&f, HAZARD_PROXY, "STS", "UBLKCP.G.S")->count, 16); /* 256 bytes */
    }
}

static void a_missing_fence_before_a_product_is_found(void **state)
{
    (void)state;
    for (unsigned functional = 0; functional < 2; functional++) {
        struct found f;
        run("product_without_fence", 128, functional, &f);
        expect(&f, HAZARD_PROXY, "STS", "HGMMA");
        for (unsigned i = 0; i < f.count && i < MOST; i++)
            assert_int_equal(f.hazard[i].kind, HAZARD_PROXY);
    }
}

static void a_read_before_the_phase_is_found(void **state)
{
    (void)state;
    for (unsigned functional = 0; functional < 2; functional++) {
        struct found f;
        run("load_early", 64, functional, &f);
        expect(&f, HAZARD_PHASE, "UBLKCP.S.G", "LDS");
    }
}

/* Executed only, a copy is over at once, and a warp may see that before the second begins. */
static void a_copy_over_a_copy_under_way_is_found(void **state)
{
    (void)state;
    struct found f;
    run("load_over", 64, false, &f);
    const struct hazard *h = expect(&f, HAZARD_OVERRUN, "UBLKCP.S.G", "UBLKCP.S.G");
    assert_true(h->first < h->second);
}

UNIT_TESTS(UNIT(right_kernels_have_no_hazard_and_the_right_results), UNIT(a_missing_fence_before_a_bulk_store_is_found),
           UNIT(a_missing_fence_before_a_product_is_found), UNIT(a_read_before_the_phase_is_found),
           UNIT(a_copy_over_a_copy_under_way_is_found))

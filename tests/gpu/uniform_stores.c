/* st.async and red.async to device memory (USTGR, UREDGR), executed only and timed: each thread's store is there, and
 * each reduction counts once. */
#include "base/file.h"
#include "gpu/gpu.h"
#include "hazard/hazard.h"
#include "tests/unit.h"

enum { CTAS = 20, THREADS = 96, ALL = CTAS * THREADS, UNTOUCHED = 0xa5 };

struct results {
    uint64_t bytes, halves, words, doubles, count, signs, sum;
};

static uint64_t fresh(struct memory *memory, size_t bytes, int byte)
{
    uint64_t at = memory_alloc(memory, bytes);
    memset(memory_at(memory, at), byte, bytes);
    return at;
}

static uint64_t element(struct memory *memory, uint64_t at, unsigned bytes, uint32_t i)
{
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)memory_at(memory, at) + (size_t)i * bytes, bytes);
    return value;
}

static void expect_elements(struct memory *memory, const struct results *r, uint32_t i, bool stores)
{
    const uint64_t none = UINT64_C(0xa5a5a5a5a5a5a5a5);
    assert_int_equal(element(memory, r->bytes, 1, i), stores ? (i * 3 + 1) & 0xff : none & 0xff);
    assert_int_equal(element(memory, r->halves, 2, i), stores ? (i * 257 + 5) & 0xffff : none & 0xffff);
    assert_int_equal(element(memory, r->words, 4, i), stores ? i * UINT32_C(0x01010101) + 7 : (uint32_t)none);
    assert_int_equal(element(memory, r->doubles, 8, i), stores ? (uint64_t)i << 40 | i : none);
}

static void expect(struct memory *memory, const struct results *r)
{
    uint32_t count = 0;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ALL; i++) {
        bool stores = i % THREADS % 5 != 3;
        expect_elements(memory, r, i, stores);
        count += stores;
        sum += stores ? i : 0;
    }
    assert_int_equal(element(memory, r->count, 4, 0), count);
    assert_int_equal(element(memory, r->signs, 4, 0), 0u - (uint32_t)sum);
    assert_int_equal(element(memory, r->sum, 8, 0), sum << 32);
}

static void run(bool functional)
{
    static const char place[] = "tests/gpu/cubin/uniform_stores.sm_100a.cubin";
    char path[4096];
    struct file_bytes file;
    struct status status = {0};
    struct config config;
    struct hazards hazards;
    struct kernel_result result;
    hazards_init(&hazards);
    const struct gpu_options options = {.threads = 1, .functional = functional, .hazards = &hazards};
    assert_true(config_load(&config, "b200", &status) && config_set(&config, "gpu.memory=1", &status));
    struct gpu *gpu = gpu_create(&config, &options, &status);
    assert_non_null(gpu);
    assert_true(file_read(unit_path(path, place), 1 << 20, &file, &status));
    struct exec_module *module = gpu_load(gpu, (struct cubin_bytes){file.data, file.size}, place, &status);
    assert_non_null(module);
    struct memory *memory = gpu_memory(gpu);
    struct results r = {fresh(memory, ALL, UNTOUCHED),
                        fresh(memory, 2 * ALL, UNTOUCHED),
                        fresh(memory, 4 * ALL, UNTOUCHED),
                        fresh(memory, 8 * ALL, UNTOUCHED),
                        fresh(memory, 4, 0),
                        fresh(memory, 4, 0),
                        fresh(memory, 8, 0)};
    const struct gpu_launch launch = {.module = module,
                                      .kernel = "uniform_stores",
                                      .grid = {CTAS, 1, 1},
                                      .block = {THREADS, 1, 1},
                                      .parameters = &r,
                                      .parameter_bytes = sizeof r,
                                      .mode = GPU_MODE_OF_OPTIONS};
    if (!gpu_launch(gpu, &launch, &result, &status))
        fail_msg("%s", status.text);
    expect(memory, &r);
    assert_int_equal(hazards.kernel[0].found.count, 0);
    hazards_free(&hazards);
    gpu_destroy(gpu);
    file_free(&file);
}

static void each_thread_stores_once_and_counts_once(void **state)
{
    (void)state;
    run(true);
    run(false);
}

UNIT_TESTS(UNIT(each_thread_stores_once_and_counts_once))

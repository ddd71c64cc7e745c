/* Compiled kernels with products by tcgen05, executed only and timed, and the findings of --check-hazards in them. */
#include "base/file.h"
#include "gpu/gpu.h"
#include "hazard/hazard.h"
#include "tests/unit.h"

enum { M = 128, N = 64, ROW = 32 };

struct run {
    uint8_t a[M * ROW], b[N * ROW];
    int32_t left[M][ROW], right[N][ROW]; /* the elements */
    uint32_t d[M][N];
    uint32_t k; /* elements of a row */
    uint64_t cycles, products;
    unsigned found;
    uint8_t kinds[4];
};

static uint32_t shape(uint32_t types, uint32_t result) { return M / 16 << 24 | N / 8 << 17 | types << 7 | result << 4; }

static void run(struct run *r, const char *kernel, uint32_t descriptor, bool functional, bool check)
{
    char path[4096];
    struct file_bytes file;
    struct status status = {0};
    struct config config;
    struct hazards hazards;
    struct kernel_result result;
    hazards_init(&hazards);
    const struct gpu_options options = {.threads = 1, .functional = functional, .hazards = check ? &hazards : NULL};
    assert_true(config_load(&config, "b200", &status) && config_set(&config, "gpu.memory=1", &status));
    struct gpu *gpu = gpu_create(&config, &options, &status);
    assert_non_null(gpu);
    assert_true(file_read(unit_path(path, "tests/gpu/cubin/umma.sm_100a.cubin"), 1 << 20, &file, &status));
    struct exec_module *module = gpu_load(gpu, (struct cubin_bytes){file.data, file.size}, "umma", &status);
    assert_non_null(module);
    struct memory *memory = gpu_memory(gpu);
    struct {
        uint64_t a, b, d;
        uint32_t descriptor;
    } arguments = {memory_alloc(memory, sizeof r->a), memory_alloc(memory, sizeof r->b),
                   memory_alloc(memory, sizeof r->d), descriptor};
    memcpy(memory_at(memory, arguments.a), r->a, sizeof r->a);
    memcpy(memory_at(memory, arguments.b), r->b, sizeof r->b);
    const struct gpu_launch launch = {.module = module,
                                      .kernel = kernel,
                                      .grid = {1, 1, 1},
                                      .block = {128, 1, 1},
                                      .parameters = &arguments,
                                      .parameter_bytes = 28,
                                      .mode = GPU_MODE_OF_OPTIONS};
    if (!gpu_launch(gpu, &launch, &result, &status))
        fail_msg("%s: %s", kernel, status.text);
    memcpy(r->d, memory_at(memory, arguments.d), sizeof r->d);
    r->cycles = result.cycles;
    r->products = result.sm.tcgen05_products;
    r->found = check ? hazards.kernel[0].found.count : 0;
    for (uint32_t i = 0; i < r->found && i < 4; i++)
        r->kinds[i] = hazards.kernel[0].found.item[i].kind;
    hazards_free(&hazards);
    gpu_destroy(gpu);
    file_free(&file);
}

static uint32_t float_bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Small integers in each type; E4M3 and FP16 by a table of 0 .. 3. */
static void put(struct run *r, unsigned bytes)
{
    static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200};
    static const uint8_t eights[] = {0, 0x38, 0x40, 0x44};
    r->k = ROW / bytes;
    for (uint32_t i = 0; i < M + N; i++)
        for (uint32_t k = 0; k < r->k; k++) {
            int32_t v = (int32_t)((i * 7 + k * 5 + i * k) % 4);
            uint8_t *to = i < M ? &r->a[i * ROW + k * bytes] : &r->b[(i - M) * ROW + k * bytes];
            uint32_t word = float_bits_of((float)v);
            *(i < M ? &r->left[i][k] : &r->right[i - M][k]) = v;
            if (bytes == 1)
                *to = eights[v];
            else
                memcpy(to, bytes == 2 ? (const void *)&halves[v] : (const void *)&word, bytes);
        }
}

static void expect(const struct run *r, bool integers)
{
    for (uint32_t i = 0; i < M; i++)
        for (uint32_t n = 0; n < N; n++) {
            int32_t sum = 0;
            for (uint32_t k = 0; k < r->k; k++)
                sum += r->left[i][k] * r->right[n][k];
            assert_int_equal(r->d[i][n], integers ? (uint32_t)(2 * sum) : float_bits_of((float)(2 * sum)));
        }
}

static void both(struct run *r, const char *kernel, uint32_t descriptor, bool integers)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        memset(r->d, 0xff, sizeof r->d);
        run(r, kernel, descriptor, functional, true);
        expect(r, integers);
        assert_int_equal(r->found, 0);
        if (!functional)
            assert_int_equal(r->products, 2);
    }
}

static void compiled_products_of_each_kind_are_right(void **state)
{
    (void)state;
    static struct run r;
    put(&r, 2);
    both(&r, "product_f16", shape(0, 1), false);
    both(&r, "product_tensor", shape(0, 1), false);
    put(&r, 4);
    both(&r, "product_tf32", shape(2 | 2 << 3, 1), false);
    put(&r, 1);
    both(&r, "product_f8f6f4", shape(0, 1), false);
    for (uint32_t i = 0; i < M * ROW; i++)
        r.a[i] = (uint8_t)r.left[i / ROW][i % ROW];
    for (uint32_t i = 0; i < N * ROW; i++)
        r.b[i] = (uint8_t)r.right[i / ROW][i % ROW];
    both(&r, "product_i8", shape(0, 2), true);
}

static void sums_that_are_read_before_their_commit_are_found(void **state)
{
    (void)state;
    static struct run r;
    put(&r, 2);
    for (unsigned functional = 0; functional < 2; functional++) {
        run(&r, "read_early", shape(0, 1), functional, true);
        assert_true(r.found > 0);
        assert_int_equal(r.kinds[0], HAZARD_COMMIT);
        run(&r, "overwrite", shape(0, 1), functional, true);
        assert_true(r.found > 0);
        assert_int_equal(r.kinds[0], HAZARD_OVERRUN);
    }
}

UNIT_TESTS(UNIT(compiled_products_of_each_kind_are_right), UNIT(sums_that_are_read_before_their_commit_are_found))

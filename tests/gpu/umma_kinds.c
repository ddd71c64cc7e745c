/* Compiled products by tcgen05 of every kind, dense, sparse and stationary, with masks, scale factors and scaled sums,
 * for one CTA and a pair, executed only and timed, against the oracle of tests/exec. */
#include <stdlib.h>

#include "base/file.h"
#include "gpu/gpu.h"
#include "tests/exec/umma_rig.h"
#include "tests/unit.h"

enum { SYSTEM = 1024, BARRIER = 64, PARAMETER_BYTES = 104 };
enum { A_IN_TENSOR = 1, SPARSE = 2, STATIONARY = 4, SCALES_D = 8 };
enum { TENSOR_BYTES = sizeof((struct tensor_memory){0}.cell) };

struct task {
    uint64_t shared, tensor, a, b, zero_columns;
    uint32_t mask[8], d, e, descriptor, add, scale_a, scale_b, form;
};

static uint64_t pair_of(const struct rig *r, unsigned ureg)
{
    uint64_t value;
    memcpy(&value, &r->warp[0].ureg[ureg], sizeof value);
    return value;
}

static struct task task_of(const struct rig *r)
{
    const struct uoracle *p = &r->product;
    const uint32_t *u = r->warp[0].ureg;
    struct task t = {.a = pair_of(r, RIG_UR_A),
                     .b = pair_of(r, RIG_UR_B),
                     .zero_columns = r->form.zero_columns,
                     .d = u[RIG_UR_D],
                     .e = u[RIG_UR_E],
                     .descriptor = u[RIG_UR_E + 1],
                     .add = p->add,
                     .scale_a = RIG_SFA,
                     .scale_b = RIG_SFB,
                     .form = (r->form.a_shared ? 0u : A_IN_TENSOR) | (p->sparse ? SPARSE : 0u) |
                             (p->stationary ? STATIONARY : 0u) | (p->scale_d ? SCALES_D : 0u)};
    memcpy(t.mask, r->form.disabled, sizeof t.mask);
    return t;
}

/* Leaves the kernel's result from r's shared and tensor memory in the latter. */
static void run(struct rig *r, const char *kernel, bool functional)
{
    static const char place[] = "tests/gpu/cubin/umma_kinds.sm_100a.cubin";
    char path[4096];
    struct file_bytes file;
    struct status status = {0};
    struct config config;
    struct kernel_result result;
    const struct gpu_options options = {.threads = 1, .functional = functional};
    assert_true(config_load(&config, "b200", &status) && config_set(&config, "gpu.memory=1", &status));
    struct gpu *gpu = gpu_create(&config, &options, &status);
    assert_non_null(gpu);
    assert_true(file_read(unit_path(path, place), 1 << 20, &file, &status));
    struct exec_module *module = gpu_load(gpu, (struct cubin_bytes){file.data, file.size}, place, &status);
    assert_non_null(module);
    struct memory *memory = gpu_memory(gpu);
    struct task t = task_of(r);
    t.shared = memory_alloc(memory, sizeof r->shared);
    t.tensor = memory_alloc(memory, 2 * TENSOR_BYTES);
    memcpy(memory_at(memory, t.shared), r->shared, sizeof r->shared);
    for (unsigned i = 0; i < 2; i++)
        memcpy(memory_at(memory, t.tensor + i * TENSOR_BYTES), r->tensor[i].cell, TENSOR_BYTES);
    const struct gpu_launch launch = {.module = module,
                                      .kernel = kernel,
                                      .grid = {r->product.pair ? 2 : 1, 1, 1},
                                      .block = {TENSOR_LANES, 1, 1},
                                      .dynamic_shared_bytes = RIG_SHARED - SYSTEM + BARRIER,
                                      .parameters = &t,
                                      .parameter_bytes = PARAMETER_BYTES,
                                      .mode = GPU_MODE_OF_OPTIONS};
    if (!gpu_launch(gpu, &launch, &result, &status))
        fail_msg("%s: %s", kernel, status.text);
    if (!functional)
        assert_int_equal(result.sm.tcgen05_products, 1);
    for (unsigned i = 0; i < 2; i++)
        memcpy(r->tensor[i].cell, memory_at(memory, t.tensor + i * TENSOR_BYTES), TENSOR_BYTES);
    gpu_destroy(gpu);
    file_free(&file);
}

static void name_of(const struct uoracle *p, char name[32])
{
    static const char *const names[] = {"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4nvf4_"};
    snprintf(name, 32, "%s%.*s%s", names[p->kind], p->kind == UORACLE_FP4, p->blocks == 2 ? "2" : "4",
             p->pair ? "_pair" : "");
}

/* Twice from the same memory, and both leave the oracle's result. */
static void both(struct rig *r)
{
    static struct tensor_memory before[2];
    char name[32];
    bool scales_d = r->product.scale_d && !r->product.stationary;
    r->product.scale_d = scales_d ? 5 : 0; /* the kernels have this one. PTX has none of stationary products */
    rig_put(r);
    name_of(&r->product, name);
    memcpy(before, r->tensor, sizeof before);
    for (unsigned functional = 0; functional < 2; functional++) {
        memcpy(r->tensor, before, sizeof before);
        run(r, name, functional);
        rig_check(r);
    }
}

static void draw(struct rig *r, unsigned kind, bool pair, bool stationary, bool sparse)
{
    bool scaled = kind >= UORACLE_MX8;
    unsigned m = stationary ? 32u << rig_below(r, 3) : scaled || rig_below(r, 2) ? 128 : 64;
    unsigned n = stationary ? 64u << rig_below(r, 3) : 32 * (1 + rig_below(r, 8));
    m = pair ? scaled && sparse ? 256 : 128u << rig_below(r, 2) : m;
    rig_choose(r, (enum uoracle_kind)kind, m, n, pair, stationary, sparse, RIG_WIDE);
    both(r);
}

static void each_kind(uint64_t seed, unsigned kinds, bool pair, bool stationary)
{
    struct rig *r = rig_create(seed);
    for (unsigned kind = 0; kind < kinds; kind++)
        for (unsigned sparse = 0; sparse < 2; sparse++)
            for (unsigned trial = 0; trial < (unit_full() ? 8u : 1u); trial++)
                draw(r, kind, pair, stationary, sparse);
    free(r);
}

static void a_cta_multiplies_as_the_oracle_dense_and_sparse(void **state)
{
    (void)state;
    each_kind(1, UORACLE_KINDS, false, false);
}

static void a_pair_multiplies_as_the_oracle_dense_and_sparse(void **state)
{
    (void)state;
    each_kind(2, UORACLE_KINDS, true, false);
}

static void stationary_products_are_those_of_the_oracle(void **state)
{
    (void)state;
    each_kind(3, UORACLE_MX8, false, true);
}

UNIT_TESTS(UNIT(a_cta_multiplies_as_the_oracle_dense_and_sparse),
           UNIT(a_pair_multiplies_as_the_oracle_dense_and_sparse), UNIT(stationary_products_are_those_of_the_oracle))

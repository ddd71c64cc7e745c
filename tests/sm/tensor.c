/* Latency and interval of matrix multiply-add by type, shape and GPU. */
#include "sm/execute/tensor.h"

#include "isa/matrix.h"
#include "tests/unit.h"

struct row {
    const char *gpu;
    enum isa_op op;
    uint8_t shape, type, accumulator; /* as encoded (IMMA: type of A and B) */
    bool sparse;
    uint32_t interval, latency; /* 0: not checked */
};

static struct tensor_timing timing_of(const struct config *config, const struct row *row)
{
    struct isa_inst inst = {.op = (uint16_t)row->op};
    inst.mod[ISA_MOD_SHAPE] = row->shape;
    inst.mod[ISA_MOD_MMA_TYPE] = row->op == ISA_OP_HMMA ? row->type : 0;
    inst.mod[ISA_MOD_TYPE_A] = inst.mod[ISA_MOD_TYPE_B] = row->op == ISA_OP_IMMA ? row->type : 0;
    inst.mod[ISA_MOD_MMA_ACC] = row->accumulator;
    inst.mod[ISA_MOD_SPARSE] = row->sparse;
    return tensor_timing(&inst, &config->core);
}

static void check(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct config config;
        struct status status = {0};
        char path[4096];
        snprintf(path, sizeof path, "%s/configs/%s.toml", getenv("SUBCORE_ROOT"), rows[i].gpu);
        if (!config_load(&config, path, &status))
            fail_msg("%s: %s", path, status.text);
        struct tensor_timing timing = timing_of(&config, &rows[i]);
        if (timing.interval != rows[i].interval || (rows[i].latency && timing.latency != rows[i].latency))
            fail_msg("%s, row %zu: interval %u, latency %u", rows[i].gpu, i, timing.interval, timing.latency);
    }
}

enum { M16N8K8, M16N8K16, M16N8K4, M16N8K32 }; /* HMMA */
enum { I8816 = 0, I8832 = 2, I16816 = 4, I16832, I16864, I168128 };
enum { F16, BF16, TF32 };
enum { S8 = 1, S4 = 5 };

static void intervals_are_those_of_the_peak_rates(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"rtx-a6000", ISA_OP_HMMA, M16N8K16, F16, 0, false, 16, 0}, /* 512 FMA a cycle and SM: 2048 / 128 */
        {"rtx-a6000", ISA_OP_HMMA, M16N8K16, F16, 1, false, 16, 0},
        {"rtx-a6000", ISA_OP_HMMA, M16N8K16, BF16, 1, false, 16, 0},
        {"rtx-a6000", ISA_OP_HMMA, M16N8K8, TF32, 1, false, 16, 0},
        {"rtx-a6000", ISA_OP_HMMA, M16N8K4, TF32, 1, false, 8, 0},
        {"rtx-a6000", ISA_OP_IMMA, I16832, S8, 0, false, 16, 0},
        {"rtx-a6000", ISA_OP_IMMA, I16864, S4, 0, false, 16, 0},
        {"a100", ISA_OP_HMMA, M16N8K16, F16, 1, false, 8, 25},
        {"a100", ISA_OP_HMMA, M16N8K8, TF32, 1, false, 8, 0},
        {"a100", ISA_OP_IMMA, I16832, S8, 0, false, 8, 0},
        {"a100", ISA_OP_DMMA, 0, 0, 0, false, 16, 0}, /* 64 FMA a cycle and SM: 256 / 16 */
    };
    check(rows, sizeof rows / sizeof *rows);
}

/* TU102: HMMA.1688 holds the tensor core for 8 cycles and takes 14; IMMA.8816 1.0 a cycle and SM. */
static void turing_shapes_are_as_measured(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"arch/sm_75", ISA_OP_HMMA, M16N8K8, F16, 0, false, 8, 14},
        {"arch/sm_75", ISA_OP_HMMA, M16N8K16, F16, 0, false, 16, 22},
        {"arch/sm_75", ISA_OP_IMMA, I8816, S8, 0, false, 4, 10},
        {"arch/sm_75", ISA_OP_IMMA, I8832, S4, 0, false, 4, 0},
    };
    check(rows, sizeof rows / sizeof *rows);
}

/* RTX 5090: m16n8k16 32 and 16, bf16 32, m16n8k8 of tf32 32, m16n8k32 with fp8 32 and with s8 17 cycles in a sub-core;
 * 2:4 sparse of twice the depth takes as long as dense. */
static void blackwell_intervals_are_as_measured(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"arch/sm_120", ISA_OP_HMMA, M16N8K16, F16, 1, false, 32, 0},
        {"arch/sm_120", ISA_OP_HMMA, M16N8K16, F16, 0, false, 16, 0},
        {"arch/sm_120", ISA_OP_HMMA, M16N8K16, BF16, 1, false, 32, 0},
        {"arch/sm_120", ISA_OP_HMMA, M16N8K8, TF32, 1, false, 32, 0},
        {"arch/sm_120", ISA_OP_QMMA, 1, 0, 1, false, 32, 0},
        {"arch/sm_120", ISA_OP_IMMA, I16832, S8, 0, false, 17, 0},
        {"arch/sm_120", ISA_OP_HMMA, M16N8K32, F16, 1, true, 32, 0},
        {"arch/sm_120", ISA_OP_IMMA, I16864, S8, 0, true, 17, 0},
        {"arch/sm_120", ISA_OP_QMMA, 2, 0, 1, true, 32, 0},
    };
    check(rows, sizeof rows / sizeof *rows);
}

static void a_smaller_shape_has_a_shorter_interval_and_the_same_depth_behind_it(void **state)
{
    (void)state;
    struct config config;
    config_defaults(&config);
    config.core.tensor_int8_interval = 17;
    config.core.tensor_int8_latency = 30;
    const struct row whole = {NULL, ISA_OP_IMMA, I16832, S8, 0, false, 0, 0};
    const struct row part = {NULL, ISA_OP_IMMA, I16816, S8, 0, false, 0, 0};
    const struct row quarter = {NULL, ISA_OP_IMMA, I8816, S8, 0, false, 0, 0};
    assert_int_equal(timing_of(&config, &whole).interval, 17);
    assert_int_equal(timing_of(&config, &part).interval, 9);
    assert_int_equal(timing_of(&config, &quarter).interval, 5);
    assert_int_equal(timing_of(&config, &quarter).latency, 30 - 17 + 5);
}

UNIT_TESTS(UNIT(intervals_are_those_of_the_peak_rates), UNIT(turing_shapes_are_as_measured),
           UNIT(blackwell_intervals_are_as_measured),
           UNIT(a_smaller_shape_has_a_shorter_interval_and_the_same_depth_behind_it))

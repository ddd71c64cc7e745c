/* The configurations against the vendor's documents of the products: rates that follow from several keys. */
#include <math.h>

#include "config/config.h"
#include "config/gpcs.h"
#include "tests/unit.h"

struct product {
    const char *gpu;
    unsigned sms, gpcs, most;                /* most: SMs of a GPC in the full chip */
    double boost;                            /* MHz, the clock of the vendor's rates */
    double fp32, fp64;                       /* TFLOP/s (0: not checked) */
    double tensor_f16, tensor_f32, int8;     /* dense TFLOP/s or TOP/s of mma.sync (0: it does not reach the rating) */
    double l2, bus, gbit, bandwidth, memory; /* MiB, bits, Gbit/s a pin, GB/s, GB */
};

/* The measured FP64 rate of TU102 is below its rating, as is that of INT8 on sm_120. The ratings for matrices on sm_90
 * and sm_100 hold for wgmma and tcgen05, those of the TITAN V for a clock below its boost clock. An H200 has 94 of 96
 * slices and channels, as its device query says. */
static const struct product products[] = {
    {"rtx-2080-ti", 68, 6, 12, 1545, 13.4, 0, 107.6, 53.8, 215.2, 5.5, 352, 14, 616, 11},
    {"p100", 56, 6, 10, 1480, 10.6, 5.3, 0, 0, 0, 4, 4096, 1.43, 732, 16},
    {"gtx-1080-ti", 28, 6, 5, 1582, 11.3, 0.354, 0, 0, 0, 2.75, 352, 11, 484, 11},
    {"gtx-1080", 20, 4, 5, 1733, 8.87, 0.277, 0, 0, 0, 2, 256, 10, 320, 8},
    {"gtx-1050-ti", 6, 2, 3, 1392, 2.14, 0.067, 0, 0, 0, 1, 128, 7, 112, 4},
    {"v100-sxm2", 80, 6, 14, 1530, 15.7, 7.8, 125, 125, 0, 6, 4096, 1.758, 900, 16},
    {"gv100", 80, 6, 14, 1447, 14.8, 7.4, 118.5, 118.5, 0, 6, 4096, 1.7, 870, 32},
    {"titan-v", 80, 6, 14, 1455, 0, 0, 0, 0, 0, 4.5, 3072, 1.7, 652.8, 12},
    {"t4", 40, 6, 8, 1590, 8.1, 0, 65, 65, 130, 4, 256, 10, 320, 16},
    {"a100", 108, 7, 16, 1410, 19.5, 9.7, 312, 312, 624, 40, 5120, 2.43, 1555, 40},
    {"rtx-a6000", 84, 7, 12, 1800, 38.7, 0.605, 154.8, 154.8, 309.7, 6, 384, 16, 768, 48},
    {"rtx-3080", 68, 6, 12, 1710, 29.8, 0.465, 119, 59.5, 238, 5, 320, 19, 760, 10},
    {"rtx-3090", 82, 7, 12, 1695, 35.6, 0.556, 142, 71, 284, 6, 384, 19.5, 936, 24},
    {"rtx-4090", 128, 11, 12, 2520, 82.6, 1.29, 330.3, 165.2, 660.6, 72, 384, 21, 1008, 24},
    {"l40", 142, 12, 12, 2490, 90.5, 1.414, 0, 181, 362, 96, 384, 18, 864, 48},
    {"h100-pcie", 114, 8, 18, 1755, 51.2, 25.6, 0, 0, 0, 50, 5120, 3.186, 2039, 80},
    {"h100-sxm", 132, 8, 18, 1980, 66.9, 33.5, 0, 0, 0, 50, 5120, 5.24, 3352, 80},
    {"h200", 132, 8, 18, 1980, 67, 33.5, 0, 0, 0, 58.75, 6016, 6.402, 4814, 141},
    {"b200", 148, 8, 20, 1965, 75, 37, 0, 0, 0, 126, 8192, 7.8125, 8000, 180},
    {"b300", 148, 8, 20, 1920, 72.7, 0, 0, 0, 0, 126, 8192, 7.8125, 8000, 288},
    {"rtx-5060-ti", 36, 3, 12, 2572, 23.7, 0.37, 94.8, 47.4, 0, 32, 128, 28, 448, 16},
    {"rtx-5070-ti", 70, 6, 12, 2452, 43.9, 0.686, 175.8, 87.9, 0, 48, 256, 28, 896, 16},
    {"rtx-5080", 84, 7, 12, 2617, 56.3, 0.88, 225.1, 112.6, 0, 64, 256, 30, 960, 16},
    {"rtx-5090", 170, 11, 16, 2407, 104.8, 1.637, 419, 209.5, 0, 96, 512, 28, 1792, 32},
};

static struct config config;

/* For each product: whether its file gives the figure within `share`. A `rated` figure of 0 is not checked. */
static void near(const struct product *p, const char *what, double given, double rated, double share)
{
    if (rated != 0 && fabs(given - rated) > share * rated)
        fail_msg("%s: %s is %g in the configuration, %g in the vendor's documents", p->gpu, what, given, rated);
}

static const struct product *product(size_t index)
{
    struct status status = {0};
    if (index == sizeof products / sizeof *products)
        return NULL;
    assert_true(config_load(&config, products[index].gpu, &status));
    return &products[index];
}

static double tera(const struct product *p, double fma_per_cycle)
{
    return 2 * fma_per_cycle * config.gpu.sms * p->boost / 1e6;
}

static void every_gpu_is_a_product(void **state)
{
    (void)state;
    assert_int_equal(config_gpu_count(), sizeof products / sizeof *products);
    for (size_t i = 0; i < config_gpu_count(); i++) {
        bool found = false;
        for (size_t p = 0; p < sizeof products / sizeof *products; p++)
            found |= strcmp(products[p].gpu, config_gpu_name(i)) == 0;
        if (!found)
            fail_msg("the table here has no %s", config_gpu_name(i));
    }
}

static void the_size_of_the_chip(void **state)
{
    (void)state;
    const struct product *p;
    for (size_t i = 0; (p = product(i)) != NULL; i++) {
        assert_int_equal(config.gpu.sms, p->sms);
        near(p, "L2", config.l2.size / 1048576.0, p->l2, 0);
        if (config.gpu.clock < p->boost / 1.15 || config.gpu.clock > p->boost * 1.06)
            fail_msg("%s: clock %g is far from the boost clock", p->gpu, config.gpu.clock);
    }
}

static void the_gpcs_hold_the_sms_of_the_chip(void **state)
{
    (void)state;
    const struct product *p;
    for (size_t i = 0; (p = product(i)) != NULL; i++) {
        struct gpcs gpcs;
        struct status status = {0};
        unsigned sms = 0;
        assert_true(config.gpu.gpcs[0] != '\0');
        assert_true(gpcs_parse(&gpcs, &config.gpu, &status));
        assert_int_equal(gpcs.count, p->gpcs);
        for (unsigned g = 0; g < gpcs.count; g++) {
            assert_true(gpcs.sms[g] <= p->most && gpcs.sms[g] % config.gpu.sms_per_tpc == 0);
            sms += gpcs.sms[g];
        }
        assert_int_equal(sms, p->sms);
    }
}

/* A file may leave room for ECC, pages of the driver, and GB for GiB. */
static void the_size_of_memory(void **state)
{
    (void)state;
    const struct product *p;
    for (size_t i = 0; (p = product(i)) != NULL; i++)
        if (config.gpu.memory > p->memory || config.gpu.memory < 0.9 * p->memory)
            fail_msg("%s: %g GiB of %g GB", p->gpu, config.gpu.memory, p->memory);
}

static void the_rate_of_fp32(void **state)
{
    (void)state;
    const struct product *p;
    for (size_t i = 0; (p = product(i)) != NULL; i++) {
        unsigned lanes = 32 / config.core.fma_interval * (config.core.fp32_lite ? 2 : 1);
        near(p, "FP32 TFLOP/s", tera(p, config.sm.subcores * lanes), p->fp32, 0.01);
    }
}

static void the_rate_of_fp64(void **state)
{
    (void)state;
    const struct product *p;
    for (size_t i = 0; (p = product(i)) != NULL; i++) {
        double lanes = 32.0 / config.core.fp64_interval * (config.core.fp64_shared ? 1 : config.sm.subcores);
        near(p, "FP64 TFLOP/s", tera(p, lanes), p->fp64, 0.01);
    }
}

static void the_rate_of_matrices(void **state)
{
    (void)state;
    const struct product *p;
    for (size_t i = 0; (p = product(i)) != NULL; i++) {
        double half = 4.0 * 16 * 8 * 16, bytes = 4.0 * 16 * 8 * 32; /* m16n8k16 and m16n8k32 in four sub-cores */
        near(p, "FP16 TFLOP/s", tera(p, half / config.core.tensor_f16_interval), p->tensor_f16, 0.01);
        near(p, "FP16 to FP32 TFLOP/s", tera(p, half / config.core.tensor_f32_interval), p->tensor_f32, 0.01);
        near(p, "INT8 TOP/s", tera(p, bytes / config.core.tensor_int8_interval), p->int8, 0.01);
    }
}

static void the_bandwidth_of_memory(void **state)
{
    (void)state;
    const struct product *p;
    for (size_t i = 0; (p = product(i)) != NULL; i++) {
        near(p, "GB/s of bus and pins", p->bus * p->gbit / 8, p->bandwidth, 0.002);
        near(p, "memory bandwidth, GB/s", config.dram.bandwidth, p->bandwidth, 0.002);
    }
}

static void the_l2_is_slices_of_whole_sets(void **state)
{
    (void)state;
    const struct product *p;
    for (size_t i = 0; (p = product(i)) != NULL; i++) {
        uint32_t sets = config.l2.size / (config.l2.slices * config.l2.ways * 128);
        near(p, "bytes of the L2's sets", 128.0 * sets * config.l2.slices * config.l2.ways, config.l2.size, 0);
    }
}

UNIT_TESTS(UNIT(every_gpu_is_a_product), UNIT(the_size_of_the_chip), UNIT(the_gpcs_hold_the_sms_of_the_chip),
           UNIT(the_size_of_memory), UNIT(the_rate_of_fp32), UNIT(the_rate_of_fp64), UNIT(the_rate_of_matrices),
           UNIT(the_bandwidth_of_memory), UNIT(the_l2_is_slices_of_whole_sets))

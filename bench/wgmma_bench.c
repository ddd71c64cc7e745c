/* Speed of wgmma: multiply-adds a second on one thread, for one warp's part of a product from shared memory, as its
 * executor runs it (operands read through their descriptors), and of the multiplication alone in each variant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec/cta.h"
#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/matrix/wgmma.h"
#include "exec/module.h"

enum { SHARED = 64 * 1024, REGISTERS = 160, RUNS = 400, ROUNDS = 5, UR = 8 };

struct machine {
    struct exec_core core;
    struct exec_kernel kernel;
    struct exec_launch launch;
    struct exec_cta cta;
    struct exec_warp warp;
    struct exec_inst inst;
    _Alignas(64) uint32_t reg[REGISTERS][EXEC_LANES];
    uint8_t shared[SHARED];
    struct wgmma_job job;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Numbers near 1. */
static uint8_t any_byte(uint64_t *state, bool upper)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    uint8_t x = (uint8_t)(*state >> 33);
    return upper ? (uint8_t)((x & 0x83) | 0x38) : x;
}

static struct machine *create(void)
{
    struct machine *m = aligned_alloc(64, (sizeof *m + 63) / 64 * 64);
    if (!m)
        abort();
    memset(m, 0, sizeof *m);
    m->launch = (struct exec_launch){.kernel = &m->kernel, .shared_bytes = SHARED, .warps_per_cta = 4};
    m->cta = (struct exec_cta){.launch = &m->launch, .shared = m->shared, .warps = &m->warp};
    m->core.immediate = true;
    m->warp.reg = m->reg;
    m->warp.cta = &m->cta;
    m->warp.upred = 1 << ISA_PT;
    m->warp.live = UINT32_MAX;
    uint64_t state = 1;
    for (unsigned i = 0; i < SHARED; i++)
        m->shared[i] = any_byte(&state, i % 2);
    return m;
}

/* 64 x n x 16 with the usual swizzle; A is followed by B. */
static void build(struct machine *m, unsigned n, unsigned type, bool transposed)
{
    struct isa_inst i = {.op = ISA_OP_HGMMA};
    i.mod[ISA_MOD_SHAPE] = (uint8_t)(n / 8 - 1);
    i.mod[ISA_MOD_MMA_ACC] = 1;
    i.mod[ISA_MOD_MMA_TYPE] = (uint8_t)type;
    i.mod[ISA_MOD_TRANSPOSE_B] = transposed;
    i.a = (struct isa_operand){.kind = ISA_UREG, .index = UR};
    i.c = i.d = (struct isa_operand){.kind = ISA_REG, .index = 16};
    m->inst.isa = i;
    exec_inst_prepare(&m->inst);
    m->warp.ureg[UR] = 1024 / 16;
    m->warp.ureg[UR + 2] = 16384 / 16 | 8192 / 16 << 16;
    m->warp.ureg[UR + 1] = m->warp.ureg[UR + 3] = 1024 / 16 | UINT32_C(1) << 30;
}

static double best(struct machine *m, wgmma_multiply *multiply)
{
    double least = 1e30;
    struct issued out = {0};
    for (unsigned round = 0; round < ROUNDS; round++) {
        memset(m->reg, 0, sizeof m->reg);
        double start = now();
        for (unsigned k = 0; k < RUNS; k++)
            if (multiply)
                multiply(&m->job);
            else
                m->inst.run(&m->core, &m->warp, &m->inst, UINT32_MAX, &out);
        double each = (now() - start) / RUNS;
        least = each < least ? each : least;
    }
    return least;
}

static void report(const char *name, unsigned n, double seconds)
{
    printf("%-28s N %3u  %7.2f us  %6.2f G multiply-adds/s\n", name, n, seconds * 1e6,
           16e-9 * 16 * (double)n / seconds);
}

int main(void)
{
    struct machine *m = create();
    static const unsigned widths[] = {8, 64, 128, 256};
    static const char *const types[] = {"HGMMA F16", "HGMMA BF16"};
    for (unsigned type = 0; type < 2; type++)
        for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++) {
            build(m, widths[w], type, false);
            report(types[type], widths[w], best(m, NULL));
        }
    build(m, 128, 0, true);
    report("HGMMA F16, B transposed", 128, best(m, NULL));
    if (m->core.fault.code)
        abort();
    for (unsigned v = 0; v < WGMMA_VARIANTS; v++) {
        if (!wgmma_variant(v).here)
            continue;
        build(m, 128, 0, false);
        wgmma_form_of(&m->inst.isa, &m->job.form);
        memcpy(m->job.a, m->shared, sizeof m->job.a);
        memcpy(m->job.b, m->shared + sizeof m->job.a, sizeof m->job.b);
        memset(m->job.present, 0xff, sizeof m->job.present);
        m->job.c = (const uint32_t(*)[EXEC_LANES])m->reg;
        m->job.d = m->reg;
        report(wgmma_variant(v).name, 128, best(m, wgmma_variant(v).multiply));
    }
    free(m);
    return 0;
}

/* %smid, %nsmid, %warpid and %nwarpid of compiled code: on Pascal fields of special registers, which code for sm_60
 * puts together in another way if c[0][0x108] is not 0. */
#include "exec/run.h"
#include "tests/exec/kernel_run.h"
#include "tests/launch_begin.h"
#include "tests/unit.h"

enum { SMS = 5, CTAS = 5, WARPS = 3 };

static void check(struct kernel_run *r)
{
    struct exec_launch launch;
    struct exec_totals totals;
    struct status status = {0};
    if (!launch_begin(&launch, &r->module, "where", (struct exec_dim){CTAS, 1, 1}, (struct exec_dim){32 * WARPS, 1, 1},
                      0, &r->argument, sizeof r->argument, SMS, 256, &status) ||
        !exec_run(&launch, NULL, NULL, NULL, &totals, &status))
        fail_msg("sm_%u: %s", r->sm, status.text);
    exec_launch_end(&launch);
    unsigned warps = r->sm == 75 ? 32 : r->sm == 120 ? 48 : 64;
    for (unsigned i = 0; i < CTAS * WARPS; i++) {
        const uint32_t *v = &r->out[4 * i];
        if (v[0] != i / WARPS || v[1] != SMS || v[2] != i % WARPS || v[3] != warps)
            fail_msg("sm_%u, warp %u: SM %u of %u, warp %u of %u", r->sm, i, v[0], v[1], v[2], v[3]);
    }
}

static void a_warp_knows_its_sm_and_its_slot(void **state)
{
    static const unsigned architectures[] = {60, 61, 70, 75, 80, 90, 100, 120};
    (void)state;
    kernel_run_each("smid", architectures, sizeof architectures / sizeof *architectures, check);
}

UNIT_TESTS(UNIT(a_warp_knows_its_sm_and_its_slot))

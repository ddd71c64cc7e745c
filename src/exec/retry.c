#include "exec/retry.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bits.h"
#include "exec/exec.h"
#include "exec/fault.h"
#include "exec/launch.h"
#include "exec/memory/mbarrier.h"
#include "exec/tensor/tensor_memory.h"

enum { SHOWN = 3, WAIT_TEXT = 240 };

/* "asks for 512 columns of tensor memory. Its CTA has 64, and all CTAs of the SM have 128" */
static void describe_columns(const struct exec_warp *warp, char *text, size_t size)
{
    const struct exec_cta *cta = warp->cta;
    unsigned own = cta->tensor ? TENSOR_UNIT * popcount32(cta->tensor->units) : 0;
    int n = snprintf(text, size, "asks for %" PRIu32 " columns of tensor memory; its CTA has %u", warp->wanted_columns,
                     own);
    if (cta->sm_units && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", and all CTAs of the SM have %u",
                 TENSOR_UNIT * popcount32(*cta->sm_units));
}

bool exec_wait_text(const struct exec_warp *warp, char *text, size_t size)
{
    const struct exec_cta *cta = warp->cta;
    if (!warp->live)
        return false;
    if (warp->wanted) {
        snprintf(text, size,
                 "asks for %" PRIu32 " registers a thread, has %" PRIu32 ", and the pool of its CTA has %" PRIu32,
                 warp->wanted, warp->registers, cta->pool);
        return true;
    }
    if (warp->wanted_columns) {
        describe_columns(warp, text, size);
        return true;
    }
    if (!warp->wait.lanes)
        return false;
    uint32_t offset = warp->wait.offset[lowest_bit32(warp->wait.lanes)];
    char object[MBARRIER_NAME];
    mbarrier_describe(offset, mbarrier_read(cta, offset), object);
    snprintf(text, size, "waits for the end of phase %" PRIu32 " at %s",
             warp->wait.parity >> lowest_bit32(warp->wait.lanes) & 1, object);
    return true;
}

/* "; CTA (0,0,0) warp 1 waits for ..." */
static size_t put(const struct exec_warp *warp, char *text, size_t size)
{
    char wait[WAIT_TEXT];
    const struct exec_dim *cta = &warp->cta->index;
    if (!exec_wait_text(warp, wait, sizeof wait))
        return 0;
    int n = snprintf(text, size, "; CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") warp %" PRIu32 " %s", cta->x, cta->y,
                     cta->z, warp->index, wait);
    return n > 0 ? (size_t)n : 0;
}

bool retry_deadlock(struct exec_core *core, const struct exec_resident *resident, uint32_t room, struct status *status)
{
    char text[400] = "";
    size_t used = 0;
    uint32_t asking = 0, shown = 0;
    const struct exec_launch *launch = NULL;
    for (uint32_t i = 0; i < room; i++) {
        for (uint32_t left = resident[i].live ? resident[i].runs : 0; left; left &= left - 1, asking++) {
            const struct exec_warp *warp = &resident[i].cta->warps[lowest_bit32(left)];
            launch = warp->cta->launch;
            size_t length = shown < SHOWN && used < sizeof text ? put(warp, text + used, sizeof text - used) : 0;
            shown += length > 0;
            used += length;
        }
    }
    exec_fault_core(core, EXEC_FAULT_DEADLOCK, "%" PRIu32 " warps wait for an event that none of them can cause%.300s",
                    asking, text);
    return status_fail(status, STATUS_DEADLOCK,
                       "kernel %s: %" PRIu32 " warps wait for an event that none of them can cause%s",
                       launch ? launch->kernel->cubin->name : "?", asking, text);
}

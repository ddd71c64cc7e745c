/* The storage of a CTA and its warps, and their state at the start. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/host_line.h"
#include "exec/exec.h"
#include "exec/warp.h"

/* One block: the CTA, its warps, their registers, shared memory. */
static size_t head_bytes(void) { return align_up(sizeof(struct exec_cta), HOST_LINE); }

static size_t warp_bytes(const struct exec_launch *launch)
{
    return align_up(launch->warps_per_cta * sizeof(struct exec_warp), HOST_LINE);
}

size_t exec_cta_bytes(const struct exec_launch *launch)
{
    size_t registers = (size_t)launch->warps_per_cta * launch->kernel->rows * sizeof(uint32_t[EXEC_LANES]);
    return align_up(head_bytes() + warp_bytes(launch) + registers + launch->shared_bytes, HOST_LINE);
}

struct exec_cta *exec_cta_place(void *storage, const struct exec_launch *launch)
{
    struct exec_cta *cta = storage;
    uint32_t rows = launch->kernel->rows;
    memset(cta, 0, head_bytes() + warp_bytes(launch));
    uint8_t *at = (uint8_t *)storage + head_bytes();
    cta->launch = launch;
    cta->warps = (struct exec_warp *)(void *)at;
    at += warp_bytes(launch);
    for (uint32_t w = 0; w < launch->warps_per_cta; w++) {
        struct exec_warp *warp = &cta->warps[w];
        warp->reg = (uint32_t(*)[EXEC_LANES])(void *)at;
        warp->register_count = rows;
        warp->cta = cta;
        warp->index = w;
        at += rows * sizeof *warp->reg;
    }
    cta->shared = at;
    return cta;
}

struct exec_cta *exec_cta_create(const struct exec_launch *launch, struct status *status)
{
    size_t bytes = exec_cta_bytes(launch);
    void *storage = host_lines(bytes);
    if (!storage) {
        status_fail(status, STATUS_MEMORY, "no host memory for a CTA (%zu bytes)", bytes);
        return NULL;
    }
    return exec_cta_place(storage, launch);
}

void exec_cta_destroy(struct exec_cta *cta) { free(cta); }

void exec_cta_start(struct exec_cta *cta, uint64_t linear, uint32_t first_slot)
{
    const struct exec_launch *launch = cta->launch;
    uint64_t rest = linear / launch->grid.x;
    cta->linear = linear;
    cta->index = (struct exec_dim){(uint32_t)(linear % launch->grid.x), (uint32_t)(rest % launch->grid.y),
                                   (uint32_t)(rest / launch->grid.y)};
    memset(cta->reduction, 0, sizeof cta->reduction);
    memset(cta->shared, 0, launch->shared_bytes);
    uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
    for (uint32_t w = 0; w < launch->warps_per_cta; w++) {
        uint32_t left = threads - w * EXEC_LANES;
        warp_start(&cta->warps[w], left >= EXEC_LANES ? UINT32_MAX : (1u << left) - 1);
        cta->warps[w].slot = first_slot + w;
    }
}

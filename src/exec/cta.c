/* The storage of a CTA and its warps, and their state at the start. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/host_line.h"
#include "exec/cta.h"
#include "exec/launch.h"
#include "exec/memory/proxy.h"
#include "exec/pascal/stack_state.h"
#include "exec/sizes.h"
#include "exec/tensor/tensor_memory.h"
#include "exec/warp.h"
#include "exec/warp_state.h"
#include "isa/pascal.h"

/* One block: the CTA, its warps, their registers, shared memory, the checker's state of it, tensor memory. */
static size_t head_bytes(void) { return align_up(sizeof(struct exec_cta), HOST_LINE); }

static size_t warp_bytes(const struct exec_launch *launch)
{
    return align_up(launch->warps_per_cta * sizeof(struct exec_warp), HOST_LINE);
}

static bool has_stacks(const struct exec_launch *launch)
{
    return launch->module && pascal_supported(launch->module->sm);
}

static size_t stack_bytes(const struct exec_launch *launch)
{
    return has_stacks(launch) ? align_up(launch->warps_per_cta * sizeof(struct exec_stack), HOST_LINE) : 0;
}

size_t exec_cta_bytes(const struct exec_launch *launch)
{
    size_t registers = (size_t)launch->warps_per_cta * launch->kernel->rows * sizeof(uint32_t[EXEC_LANES]);
    size_t shadow = launch->findings ? proxy_bytes(launch->shared_bytes) + HOST_LINE : 0;
    size_t tensor = launch->kernel->allocates ? sizeof(struct tensor_memory) + HOST_LINE : 0;
    return align_up(head_bytes() + warp_bytes(launch) + stack_bytes(launch) + registers + launch->shared_bytes +
                        shadow + tensor,
                    HOST_LINE);
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
    struct exec_stack *stacks = has_stacks(launch) ? (struct exec_stack *)(void *)at : NULL;
    at += stack_bytes(launch);
    for (uint32_t w = 0; w < launch->warps_per_cta; w++) {
        struct exec_warp *warp = &cta->warps[w];
        warp->reg = (uint32_t(*)[EXEC_LANES])(void *)at;
        warp->register_count = rows;
        warp->stack = stacks ? &stacks[w] : NULL;
        warp->cta = cta;
        warp->index = w;
        at += rows * sizeof *warp->reg;
    }
    cta->shared = at;
    at += align_up(launch->shared_bytes, HOST_LINE);
    cta->shadow = launch->findings ? (struct proxy_shadow *)(void *)at : NULL;
    at += launch->findings ? align_up(proxy_bytes(launch->shared_bytes), HOST_LINE) : 0;
    cta->tensor = launch->kernel->allocates ? (struct tensor_memory *)(void *)at : NULL;
    tensor_memory_begin(cta->tensor);
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

bool exec_cta_lives(const struct exec_cta *cta)
{
    uint32_t live = 0;
    for (uint32_t w = 0; w < cta->launch->warps_per_cta; w++)
        live |= cta->warps[w].live;
    return live != 0;
}

void exec_cluster_form(struct exec_cta *const *cta, uint32_t count)
{
    for (uint32_t rank = 0; rank < count; rank++) {
        cta[rank]->cluster = (struct exec_cluster){.size = (uint8_t)count, .rank = (uint8_t)rank};
        memcpy(cta[rank]->cluster.peer, cta, count * sizeof *cta);
    }
}

static struct exec_dim at(uint64_t n, struct exec_dim d)
{
    return (struct exec_dim){(uint32_t)(n % d.x), (uint32_t)(n / d.x % d.y), (uint32_t)(n / d.x / d.y)};
}

/* Clusters begin one after the other, x fastest, and so do the CTAs of a cluster (PTX ISA, %cluster_ctarank). */
struct exec_dim exec_cta_index(const struct exec_launch *l, uint64_t order)
{
    const struct exec_dim c = l->cluster;
    const struct exec_dim clusters = {l->grid.x / c.x, l->grid.y / c.y, l->grid.z / c.z};
    struct exec_dim cluster = at(order / l->cta_group, clusters), cta = at(order % l->cta_group, c);
    return (struct exec_dim){cluster.x * c.x + cta.x, cluster.y * c.y + cta.y, cluster.z * c.z + cta.z};
}

void exec_cta_start(struct exec_cta *cta, uint64_t order, uint32_t first_slot)
{
    const struct exec_launch *launch = cta->launch;
    cta->order = order;
    cta->index = exec_cta_index(launch, order);
    cta->linear = cta->index.x + launch->grid.x * (cta->index.y + (uint64_t)launch->grid.y * cta->index.z);
    if (launch->cta_group == 1)
        exec_cluster_form(&cta, 1);
    cta->pool = 0;
    if (cta->shadow)
        proxy_begin(cta->shadow, launch->shared_bytes);
    tensor_memory_leave(cta);
    memset(cta->reduction, 0, sizeof cta->reduction);
    memset(cta->shared, 0, launch->shared_bytes);
    tensor_memory_reserve(cta);
    uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
    for (uint32_t w = 0; w < launch->warps_per_cta; w++) {
        uint32_t left = threads - w * EXEC_LANES;
        warp_start(&cta->warps[w], left >= EXEC_LANES ? UINT32_MAX : (1u << left) - 1);
        cta->warps[w].slot = first_slot + w;
    }
}

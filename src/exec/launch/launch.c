#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "exec/inst.h"
#include "exec/launch.h"
#include "exec/memory/textures.h"
#include "exec/module.h"
#include "exec/sizes.h"

enum { BANK_BYTES = 65536, MAX_THREADS = 1024, MAX_Z = 64, MAX_SHARED = 233472, RESERVED_SHARED = 1024 };

static const uint8_t empty_bank[BANK_BYTES];

/* ---- checks ---------------------------------------------------------------------------------------------------- */

#define DIM "%" PRIu32 " x %" PRIu32 " x %" PRIu32

static bool check_grid(const struct cubin_kernel *kernel, struct exec_dim grid, struct status *status)
{
    if (!grid.x || !grid.y || !grid.z)
        return status_fail(status, STATUS_USAGE, "%s: grid " DIM " has no CTA; each dimension must be at least 1",
                           kernel->name, grid.x, grid.y, grid.z);
    if (grid.x > INT32_MAX || grid.y > UINT16_MAX || grid.z > UINT16_MAX)
        return status_fail(status, STATUS_USAGE,
                           "%s: grid " DIM " is too large; a grid can have at most %d x %d x %d CTAs", kernel->name,
                           grid.x, grid.y, grid.z, INT32_MAX, UINT16_MAX, UINT16_MAX);
    return true;
}

static bool check_block(const struct cubin_kernel *kernel, struct exec_dim block, struct status *status)
{
    double threads = (double)block.x * block.y * block.z; /* 64 bits do not hold each product */
    if (!block.x || !block.y || !block.z)
        return status_fail(status, STATUS_USAGE, "%s: block " DIM " has no thread; each dimension must be at least 1",
                           kernel->name, block.x, block.y, block.z);
    if (threads > MAX_THREADS)
        return status_fail(status, STATUS_USAGE, "%s: block " DIM " has %.0f threads; a block can have at most %d",
                           kernel->name, block.x, block.y, block.z, threads, MAX_THREADS);
    if (block.z > MAX_Z)
        return status_fail(status, STATUS_USAGE,
                           "%s: block " DIM " is too large in z; a block can have at most %d x %d x %d threads",
                           kernel->name, block.x, block.y, block.z, MAX_THREADS, MAX_THREADS, MAX_Z);
    return true;
}

/* Checks the bounds that __launch_bounds__ and .reqntid have left in the kernel. */
static bool check_compiled(const struct cubin_kernel *kernel, struct exec_dim block, struct status *status)
{
    uint32_t threads = block.x * block.y * block.z;
    uint64_t most = (uint64_t)kernel->max_threads[0] * (kernel->max_threads[1] ? kernel->max_threads[1] : 1) *
                    (kernel->max_threads[2] ? kernel->max_threads[2] : 1);
    if (most && threads > most)
        return status_fail(status, STATUS_USAGE,
                           "%s: block " DIM " has %" PRIu32 " threads; the kernel was compiled for at most %" PRIu64
                           " (__launch_bounds__)",
                           kernel->name, block.x, block.y, block.z, threads, most);
    const uint32_t *required = kernel->required_threads;
    if (required[0] &&
        (block.x != required[0] || (required[1] && block.y != required[1]) || (required[2] && block.z != required[2])))
        return status_fail(status, STATUS_USAGE,
                           "%s: block " DIM " does not suit the kernel; it was compiled for blocks of " DIM " threads",
                           kernel->name, block.x, block.y, block.z, required[0], required[1] ? required[1] : block.y,
                           required[2] ? required[2] : block.z);
    return true;
}

static bool check_dimensions(const struct cubin_kernel *kernel, struct exec_dim grid, struct exec_dim block,
                             struct status *status)
{
    if (!check_grid(kernel, grid, status) || !check_block(kernel, block, status) ||
        !check_compiled(kernel, block, status))
        return false;
    return true;
}

/* The cluster of the launch, which has to be the one that the kernel was compiled for if it was compiled for one. */
static bool choose_cluster(struct exec_launch *launch, struct exec_dim asked, struct status *status)
{
    const struct cubin_kernel *kernel = launch->kernel->cubin;
    const struct exec_dim compiled = {kernel->cluster[0], kernel->cluster[1] ? kernel->cluster[1] : 1,
                                      kernel->cluster[2] ? kernel->cluster[2] : 1};
    const struct exec_dim g = launch->grid;
    struct exec_dim c = asked.x ? asked : compiled.x ? compiled : (struct exec_dim){1, 1, 1};
    if (asked.x && compiled.x && (asked.x != compiled.x || asked.y != compiled.y || asked.z != compiled.z))
        return status_fail(status, STATUS_USAGE, "%s: cluster " DIM "; the kernel was compiled for clusters of " DIM,
                           kernel->name, c.x, c.y, c.z, compiled.x, compiled.y, compiled.z);
    uint64_t ctas = (uint64_t)c.x * c.y * c.z;
    if (ctas > 1 && launch->module->sm < 90)
        return status_fail(status, STATUS_USAGE, "%s: cluster " DIM "; sm_%u has no clusters", kernel->name, c.x, c.y,
                           c.z, launch->module->sm);
    if (ctas == 0 || ctas > EXEC_CTA_GROUP)
        return status_fail(status, STATUS_USAGE, "%s: cluster " DIM "; a cluster has 1 to %d CTAs", kernel->name, c.x,
                           c.y, c.z, EXEC_CTA_GROUP);
    if (g.x % c.x || g.y % c.y || g.z % c.z)
        return status_fail(status, STATUS_USAGE,
                           "%s: grid " DIM " is no multiple of cluster " DIM "; each dimension has to be", kernel->name,
                           g.x, g.y, g.z, c.x, c.y, c.z);
    launch->cluster = c;
    launch->cta_group = (uint32_t)ctas;
    return true;
}

/* A C struct of the parameters ends on its own alignment. The compiler's block ends with the last parameter. */
static bool check_parameters(const struct cubin_kernel *kernel, size_t bytes, struct status *status)
{
    if (bytes < kernel->parameter_bytes || bytes > align_up(kernel->parameter_bytes, 16))
        return status_fail(status, STATUS_USAGE,
                           "%s: the launch has %zu bytes of parameters; the kernel takes %" PRIu32, kernel->name, bytes,
                           kernel->parameter_bytes);
    if (kernel->parameter_base > BANK_BYTES || bytes > BANK_BYTES - kernel->parameter_base)
        return status_fail(status, STATUS_FORMAT, "%s: its parameters lie outside of constant bank 0", kernel->name);
    return true;
}

/* Static and dynamic shared memory as the CTA addresses it. Dynamic memory starts behind the static at a multiple
 * of 16. Its end is rounded up as the hardware hands it out, because a stricter alignment may have moved the
 * start. */
static bool size_shared(struct exec_launch *launch, uint32_t dynamic, struct status *status)
{
    const struct cubin_kernel *kernel = launch->kernel->cubin;
    bool inside = launch->module->sm >= 90;
    uint64_t bytes = kernel->static_shared_bytes;
    if (inside && bytes < RESERVED_SHARED)
        bytes = RESERVED_SHARED;
    if (dynamic)
        bytes = align_up(align_up(bytes, 16) + dynamic, 128);
    if (bytes > MAX_SHARED)
        return status_fail(status, STATUS_USAGE,
                           "%s: a CTA needs %" PRIu64 " bytes of shared memory; it can have at most %d", kernel->name,
                           bytes, MAX_SHARED);
    launch->shared_bytes = (uint32_t)bytes;
    launch->reserved_inside = inside ? RESERVED_SHARED : 0;
    launch->reserved_outside = !inside && launch->module->sm >= 80 ? RESERVED_SHARED : 0;
    return true;
}

/* ---- constants ------------------------------------------------------------------------------------------------- */

static void put(uint8_t *bank, uint16_t slot, uint64_t value, size_t bytes)
{
    if (slot != CUBIN_NO_SLOT)
        memcpy(bank + slot, &value, bytes);
}

/* The upper word is behind the lower one unless it has its own place. */
static void put_window(uint8_t *bank, uint16_t slot, uint16_t upper, uint64_t window)
{
    put(bank, slot, window, upper ? 4 : 8);
    if (upper)
        put(bank, upper, window >> 32, 4);
}

static void put_dim(uint8_t *bank, uint16_t slot, struct exec_dim dim)
{
    put(bank, slot, dim.x, 4);
    put(bank, (uint16_t)(slot + 4), dim.y, 4);
    put(bank, (uint16_t)(slot + 8), dim.z, 4);
}

static void put_float(uint8_t *bank, uint16_t slot, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(bank, slot, bits, 4);
}

/* Without clusters each CTA is one of its own. */
static void put_cluster(uint8_t *bank, const struct cubin_abi *abi, const struct exec_launch *launch)
{
    const struct exec_dim c = launch->cluster, g = launch->grid;
    if (abi->cluster_shape == CUBIN_NO_SLOT)
        return;
    put(bank, abi->cluster_explicit, launch->explicit_cluster, 4);
    put_dim(bank, abi->cluster_shape, c);
    put_float(bank, abi->cluster_inverse, 1.0f / (float)c.x);
    put_float(bank, (uint16_t)(abi->cluster_inverse + 4), 1.0f / (float)c.y);
    put_float(bank, (uint16_t)(abi->cluster_inverse + 8), 1.0f / (float)c.z);
    put_dim(bank, abi->cluster_grid, (struct exec_dim){g.x / c.x, g.y / c.y, g.z / c.z});
    put(bank, abi->cluster_ctas, launch->cta_group, 4);
}

static void fill_bank0(const struct exec_launch *launch, const void *parameters, size_t parameter_bytes)
{
    const struct cubin_kernel *kernel = launch->kernel->cubin;
    const struct cubin_abi *abi = cubin_abi(launch->module->sm);
    uint8_t *bank = launch->bank0;
    size_t template = kernel->constant0.size < BANK_BYTES ? kernel->constant0.size : BANK_BYTES;
    if (template)
        memcpy(bank, kernel->constant0.data, template);
    put_dim(bank, abi->block_dim, launch->block);
    put_dim(bank, abi->grid_dim, launch->grid);
    put_window(bank, abi->shared_window, abi->shared_window_upper, EXEC_SHARED_WINDOW);
    put_window(bank, abi->local_window, abi->local_window_upper, EXEC_LOCAL_WINDOW);
    put(bank, abi->stack_top, launch->kernel->local_bytes + launch->stack_bytes, 4);
    put(bank, abi->constants, launch->module->constants, 8);
    put(bank, abi->dynamic_shared, launch->dynamic_shared_bytes, 4);
    put(bank, abi->grid_id, 1, 8);
    put(bank, abi->grid_workspace, launch->grid_workspace >> 32, 4);
    put(bank, (uint16_t)(abi->grid_workspace + 4), (uint32_t)launch->grid_workspace, 4);
    put(bank, abi->sm_count, launch->sm_count, 4);
    put(bank, abi->reserved_shared, launch->module->sm >= 80 ? RESERVED_SHARED : 0, 4);
    put(bank, abi->total_shared, launch->shared_bytes, 4);
    put(bank, abi->descriptor, 0, 8);
    put(bank, abi->textures, textures_attributes(launch->module->memory), 8);
    put(bank, abi->surfaces, textures_attributes(launch->module->memory), 8);
    put_cluster(bank, abi, launch);
    if (parameter_bytes)
        memcpy(bank + kernel->parameter_base, parameters, kernel->parameter_bytes);
}

/* Tells whether the code reads the generic address of the parameters. */
static bool asks_for_parameters(const struct exec_launch *launch, uint16_t slot)
{
    const struct exec_kernel *kernel = launch->kernel;
    for (uint32_t i = 0; slot != CUBIN_NO_SLOT && i < kernel->count; i++) {
        const struct isa_inst *isa = &kernel->code[i].isa;
        const struct isa_operand *operand[] = {&isa->a, &isa->b, &isa->c};
        for (unsigned k = 0; k < 3; k++)
            if (operand[k]->kind == ISA_CONST && operand[k]->bank == 0 && (operand[k]->value & ~7u) == slot)
                return true;
    }
    return false;
}

/* Makes the copy of the parameters that generic addresses reach, such as those of tensor maps. It lies in device
 * memory as the parameters lie in their bank, so that a member that is aligned there is aligned here. */
static bool copy_parameters(struct exec_launch *launch, struct status *status)
{
    const struct cubin_kernel *kernel = launch->kernel->cubin;
    const struct cubin_abi *abi = cubin_abi(launch->module->sm);
    bool whole = abi->parameter_window == CUBIN_NO_SLOT; /* the code adds the place of a parameter in the bank */
    uint16_t slot = whole ? abi->bank_window : abi->parameter_window;
    uint64_t before = kernel->parameter_base % MEMORY_GRANULE, bytes = before + kernel->parameter_bytes;
    if (!asks_for_parameters(launch, slot))
        return true;
    launch->parameter_block = memory_alloc(launch->module->memory, bytes);
    if (!launch->parameter_block)
        return status_fail(status, STATUS_MEMORY, "%s: no device memory for its parameters", kernel->name);
    put(launch->bank0, slot, launch->parameter_block + before - (whole ? kernel->parameter_base : 0), 8);
    return memory_write(launch->module->memory, launch->parameter_block + before,
                        launch->bank0 + kernel->parameter_base, kernel->parameter_bytes);
}

/* Programs change constants where they lie in memory. */
static void refresh_constants(const struct exec_module *module)
{
    if (module->constants)
        memory_read(module->memory, module->bank3, module->constants, module->cubin.constant3.size);
}

static bool build_banks(struct exec_launch *launch, const void *parameters, size_t parameter_bytes,
                        struct status *status)
{
    const struct cubin_kernel *kernel = launch->kernel->cubin;
    launch->bank0 = calloc(1, BANK_BYTES);
    launch->bank2 = kernel->constant2.size ? calloc(1, BANK_BYTES) : NULL;
    if (!launch->bank0 || (kernel->constant2.size && !launch->bank2))
        return status_fail(status, STATUS_MEMORY, "%s: no host memory for its constant banks", kernel->name);
    fill_bank0(launch, parameters, parameter_bytes);
    if (kernel->constant2.size)
        memcpy(launch->bank2, kernel->constant2.data,
               kernel->constant2.size < BANK_BYTES ? kernel->constant2.size : BANK_BYTES);
    launch->bank[0] = launch->bank0;
    launch->bank[1] = empty_bank;
    launch->bank[2] = launch->bank2 ? launch->bank2 : empty_bank;
    refresh_constants(launch->module);
    launch->bank[3] = launch->module->bank3 ? launch->module->bank3 : empty_bank;
    launch->bank[4] = launch->module->bank4 ? launch->module->bank4 : empty_bank;
    return true;
}

static bool allocate_local(struct exec_launch *launch, uint32_t slots, struct status *status)
{
    uint64_t bytes = ((uint64_t)launch->kernel->local_bytes + launch->stack_bytes) * EXEC_LANES * slots;
    if (!bytes)
        return true;
    launch->local_base = memory_alloc(launch->module->memory, bytes);
    launch->local_slots = slots;
    if (!launch->local_base)
        return status_fail(status, STATUS_MEMORY, "%s: no device memory for %" PRIu64 " bytes of local memory",
                           launch->kernel->cubin->name, bytes);
    return true;
}

bool exec_launch_prepare(struct exec_launch *launch, struct exec_module *module,
                         const struct exec_launch_inputs *request, struct status *status)
{
    struct exec_dim block = request->block, grid = request->grid;
    *launch = (struct exec_launch){.module = module,
                                   .grid = grid,
                                   .block = block,
                                   .dynamic_shared_bytes = request->dynamic_shared_bytes,
                                   .sm_count = request->sm_count ? request->sm_count : 1,
                                   .cooperative = request->grid_workspace != 0,
                                   .grid_workspace = request->grid_workspace,
                                   .output = stdout};
    launch->kernel = request->function ? exec_module_function(module, request->function, status)
                                       : exec_module_kernel(module, request->kernel, status);
    if (!launch->kernel || !check_dimensions(launch->kernel->cubin, grid, block, status) ||
        !choose_cluster(launch, request->cluster, status) ||
        !check_parameters(launch->kernel->cubin, request->parameter_bytes, status))
        return false;
    launch->explicit_cluster = request->cluster.x != 0 || launch->kernel->cubin->cluster[0] != 0;
    launch->warps_per_cta = div_up32(block.x * block.y * block.z, EXEC_LANES);
    launch->cta_count = (uint64_t)grid.x * grid.y * grid.z;
    if (launch->kernel->cubin->stack_unknown)
        launch->stack_bytes =
            (uint32_t)align_up(request->stack_limit ? request->stack_limit : (uint32_t)EXEC_STACK_LIMIT, 16);
    if (size_shared(launch, request->dynamic_shared_bytes, status) &&
        build_banks(launch, request->parameters, request->parameter_bytes, status) && copy_parameters(launch, status) &&
        allocate_local(launch, request->warp_slots, status))
        return true;
    exec_launch_end(launch);
    return false;
}

void exec_launch_end(struct exec_launch *launch)
{
    if (launch->local_base)
        memory_free(launch->module->memory, launch->local_base);
    if (launch->parameter_block)
        memory_free(launch->module->memory, launch->parameter_block);
    free(launch->bank0);
    free(launch->bank2);
    *launch = (struct exec_launch){0};
}

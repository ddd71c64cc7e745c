#include <stdlib.h>
#include <string.h>

#include "gpu/record.h"
#include "gpu/upload.h"

bool record_describe(const struct exec_launch *launch, const struct record_facts *facts, struct trace_launch *out,
                     struct status *status)
{
    const struct exec_kernel *kernel = launch->kernel;
    bool clusters = launch->cta_group > 1;
    *out = (struct trace_launch){
        .name = strdup(kernel->cubin->name),
        .architecture = launch->module->sm,
        .grid = {launch->grid.x, launch->grid.y, launch->grid.z},
        .block = {launch->block.x, launch->block.y, launch->block.z},
        .cluster = {clusters ? launch->cluster.x : 0, clusters ? launch->cluster.y : 0,
                    clusters ? launch->cluster.z : 0},
        .registers = kernel->cubin->registers,
        .static_shared = facts->static_shared,
        .dynamic_shared = launch->dynamic_shared_bytes,
        .shared_preferred = facts->shared_preferred,
        .local_bytes = exec_local_bytes(launch),
        .local_base = launch->local_base,
        .code_address = upload_address(launch),
        .cooperative = launch->cooperative,
        .control_bits = true,
        .stream = facts->stream,
        .number = facts->number,
        .code = calloc(kernel->count, sizeof *out->code),
        .code_count = kernel->count,
    };
    upload_banks(launch, out->bank_bytes);
    if (!out->name || !out->code) {
        trace_launch_free(out);
        return status_fail(status, STATUS_MEMORY, "%s: no host memory for its code in a trace", kernel->cubin->name);
    }
    for (uint32_t i = 0; i < kernel->count; i++)
        out->code[i].isa = kernel->code[i].isa;
    return true;
}

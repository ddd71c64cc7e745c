#include "gpu/trace_access.h"

#include <stdlib.h>

#include "base/bits.h"
#include "exec/inst.h"
#include "exec/memory/pending.h"
#include "exec/memory/store_log.h"

/* The facts to find out about an instruction's access. */
enum rule {
    RULE_NONE = 0,   /* trace_access_resolve asks for it by this value */
    RULE_LOAD,       /* waits for its slice when its bytes are undecided */
    RULE_STRONG,     /* a load that always does */
    RULE_STORE,      /* always does. Decides nothing by itself */
    RULE_ATOMIC,     /* always does, and reductions too */
    RULE_LOCAL,      /* has offsets in local memory */
    RULE_KIND = 7,   /* mask of these */
    RULE_GENERIC = 8 /* lanes may be in local memory as well */
};

/* ---- rules ------------------------------------------------------------------------------------------------------- */

static enum rule rule_of(const struct isa_inst *isa)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)isa->op);
    struct exec_inst inst = {.isa = *isa};
    bool generic = info->space == ISA_SPACE_GENERIC;
    enum rule rule = RULE_NONE;
    if (info->space == ISA_SPACE_LOCAL && (info->memory == ISA_MEM_LOAD || info->memory == ISA_MEM_STORE))
        return RULE_LOCAL;
    if (info->space != ISA_SPACE_GLOBAL && !generic)
        return RULE_NONE;
    exec_inst_prepare(&inst);
    switch (info->memory) {
    case ISA_MEM_LOAD: rule = inst.at_slice ? RULE_STRONG : RULE_LOAD; break;
    case ISA_MEM_STORE: rule = RULE_STORE; break;
    case ISA_MEM_ATOMIC:
    case ISA_MEM_REDUCTION: rule = RULE_ATOMIC; break;
    case ISA_MEM_NONE:
    case ISA_MEM_ASYNC_COPY:
    case ISA_MEM_SHUFFLE: return RULE_NONE;
    }
    return generic ? rule | RULE_GENERIC : rule;
}

bool trace_access_rules(struct access_rules *r, const struct trace_launch *l, struct status *status)
{
    r->rule = calloc(l->code_count + 1u, 1);
    if (!r->rule)
        return status_fail(status, STATUS_MEMORY, "out of memory for the code of %s", l->name);
    r->undecided = false;
    for (uint32_t i = 0; i < l->code_count; i++) {
        r->rule[i] = (uint8_t)rule_of(&l->code[i].isa);
        unsigned kind = r->rule[i] & RULE_KIND;
        r->undecided |= kind == RULE_ATOMIC || kind == RULE_STRONG;
    }
    for (uint32_t i = 0; i < l->code_count && !r->undecided; i++)
        if (r->rule[i] == RULE_LOAD)
            r->rule[i] = RULE_NONE;
    return true;
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

/* The place in device memory of an offset in a thread's local memory (src/exec/memory/local.c). */
static uint64_t local_address(const struct trace_access *a, uint32_t slot, unsigned lane, uint64_t offset)
{
    uint64_t base = a->local_base + slot * a->local_bytes;
    return base + offset / 4 * 4 * EXEC_LANES + lane * 4 + offset % 4;
}

static void place_local(const struct trace_access *a, uint32_t slot, uint32_t lanes, struct issued *out)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        out->address[lane] = local_address(a, slot, lane, out->address[lane]);
    }
}

/* The lanes of a generic access that are in local memory. */
static uint32_t place_generic(const struct trace_access *a, uint32_t slot, uint32_t lanes, struct issued *out)
{
    uint32_t local = 0;
    for (uint32_t left = lanes; left && out->space == ISA_SPACE_GLOBAL; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint64_t offset = out->address[lane] - EXEC_LOCAL_WINDOW;
        if (offset >= EXEC_WINDOW_BYTES)
            continue;
        out->address[lane] = local_address(a, slot, lane, offset);
        local |= 1u << lane;
    }
    return local;
}

/* An access that waits for its slice. Others have to know if it makes bytes undecided, or comes after one that does. */
static void defer(struct trace_access *a, enum pending_kind kind, uint32_t lanes, uint32_t token, struct issued *out)
{
    out->deferred = true;
    if (!a->has_core || (kind == PENDING_STORE && !store_log_undecided(&a->core)))
        return;
    uint64_t address[EXEC_LANES];
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        address[lane] = out->address[lane] / out->bytes * out->bytes; /* as execution guarantees, and traces do not */
    a->core.token = token;
    pending_note(&a->core, kind, lanes, out->bytes, address);
}

void trace_access_apply(struct trace_access *a, uint32_t slot, uint32_t token, struct issued *out)
{
    unsigned rule = a->rule[out->pc / 16];
    uint32_t lanes = out->active & ~out->zero_fill;
    if (out->space == ISA_SPACE_LOCAL)
        place_local(a, slot, lanes, out);
    if (rule & RULE_GENERIC)
        lanes &= ~place_generic(a, slot, lanes, out);
    if (out->space != ISA_SPACE_GLOBAL || !lanes || !out->bytes || ISA_SECTOR % out->bytes)
        return;
    switch (rule & RULE_KIND) {
    case RULE_LOAD:
        if (a->has_core && store_log_unknown(&a->core, out->address, lanes, out->bytes))
            defer(a, PENDING_LOAD, lanes, token, out);
        break;
    case RULE_STRONG: defer(a, PENDING_LOAD, lanes, token, out); break;
    case RULE_STORE: defer(a, PENDING_STORE, lanes, token, out); break;
    case RULE_ATOMIC: defer(a, PENDING_ATOMIC, lanes, token, out); break;
    default: break;
    }
}

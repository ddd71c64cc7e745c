#include "gpu/strict.h"

#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "isa/contract.h"
#include "isa/resources.h"
#include "isa/stall.h"

enum { READS = 3 * 128 };

struct row {
    uint32_t lane[EXEC_LANES]; /* of resources that a warp has once: [0] */
};

/* A result that may not be visible to everyone yet. */
struct result {
    const struct isa_inst *inst;
    uint16_t resource;
    bool variable;
    uint32_t lanes;
    uint64_t issued;
    uint64_t written; /* variable latency: from then on consumers may issue */
    struct row old;
};

struct strict_warp {
    struct result *result; /* in the order of issue */
    uint32_t count, room;
    uint64_t before_depbar, depbar; /* when the last DEPBAR could have issued at the earliest, and when it did */
    uint64_t ready;                 /* when the stall count of the instruction that issued last has run out */
};

bool strict_init(struct strict *strict, uint32_t slots, struct status *status)
{
    *strict = (struct strict){.slots = slots, .warp = calloc(slots, sizeof *strict->warp)};
    return strict->warp || status_fail(status, STATUS_MEMORY, "out of memory for --strict-hazards");
}

void strict_free(struct strict *strict)
{
    for (uint32_t i = 0; strict->warp && i < strict->slots; i++)
        free(strict->warp[i].result);
    free(strict->warp);
    *strict = (struct strict){0};
}

void strict_start(struct strict *strict, uint32_t slot)
{
    struct strict_warp *w = &strict->warp[slot];
    *w = (struct strict_warp){.result = w->result, .room = w->room};
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool has_lanes(unsigned resource) { return resource < RESOURCE_UNIFORM; }

static void get(const struct exec_warp *warp, unsigned resource, struct row *out)
{
    if (resource < RESOURCE_UNIFORM)
        memcpy(out->lane, warp->reg[resource], sizeof out->lane);
    else if (resource < RESOURCE_PREDICATE)
        out->lane[0] = warp->ureg[resource - RESOURCE_UNIFORM];
    else if (resource < RESOURCE_UNIFORM_PREDICATE)
        out->lane[0] = warp->pred[resource - RESOURCE_PREDICATE];
    else
        out->lane[0] = warp->upred >> (resource - RESOURCE_UNIFORM_PREDICATE) & 1;
}

static void put(struct exec_warp *warp, unsigned resource, const struct row *value)
{
    if (resource < RESOURCE_UNIFORM) {
        memcpy(warp->reg[resource], value->lane, sizeof value->lane);
    } else if (resource < RESOURCE_PREDICATE) {
        warp->ureg[resource - RESOURCE_UNIFORM] = value->lane[0];
    } else if (resource < RESOURCE_UNIFORM_PREDICATE) {
        warp->pred[resource - RESOURCE_PREDICATE] = value->lane[0];
    } else {
        unsigned bit = resource - RESOURCE_UNIFORM_PREDICATE;
        warp->upred = (uint8_t)((warp->upred & ~(1u << bit)) | (value->lane[0] & 1) << bit);
    }
}

/* In `lanes`, `to` becomes `from`. A predicate has its lanes as bits, and a uniform value is taken whole. */
static void blend(unsigned resource, struct row *to, const struct row *from, uint32_t lanes)
{
    if (has_lanes(resource)) {
        for (unsigned i = 0; i < EXEC_LANES; i++)
            to->lane[i] = lanes >> i & 1 ? from->lane[i] : to->lane[i];
    } else if (resource >= RESOURCE_PREDICATE && resource < RESOURCE_UNIFORM_PREDICATE) {
        to->lane[0] = (to->lane[0] & ~lanes) | (from->lane[0] & lanes);
    } else if (lanes) {
        to->lane[0] = from->lane[0];
    }
}

/* ---- early reads ------------------------------------------------------------------------------------------- */

struct reader {
    const struct isa_inst *inst;
    enum isa_consumer operands;
    unsigned sm;
    uint64_t now;
};

static bool visible(const struct strict_warp *w, const struct result *r, const struct reader *reader, bool guard)
{
    if (r->variable) {
        bool behind_depbar =
            w->depbar && reader->now < w->depbar + isa_depbar_holds(reader->sm) && r->written > w->before_depbar;
        return r->written <= reader->now && !behind_depbar;
    }
    enum isa_consumer consumer = guard ? ISA_CONSUMER_GUARD : reader->operands;
    unsigned distance = isa_distance(r->inst, r->resource, consumer, reader->sm);
    if (!guard && isa_takes_late(reader->inst, r->resource))
        distance -= ISA_LATE_ACCUMULATOR;
    return reader->now >= r->issued + distance;
}

/* Returns the value that an instruction finds in a resource. False: the value of execution. */
static bool stale(const struct strict_warp *w, unsigned resource, const struct reader *reader, bool guard,
                  struct row *value)
{
    uint32_t open = UINT32_MAX; /* lanes for which no visible result has been found */
    bool any = false;
    for (uint32_t i = w->count; i-- > 0 && open;) {
        const struct result *r = &w->result[i];
        if (r->resource != resource || !(r->lanes & open))
            continue;
        if (visible(w, r, reader, guard)) {
            open &= ~r->lanes;
        } else {
            blend(resource, value, &r->old, r->lanes & open);
            any = true;
        }
    }
    return any;
}

/* A resource that holds an old value while the instruction executes. */
struct exchange {
    uint16_t resource;
    struct row now;
};

static uint32_t exchange(const struct strict_warp *w, struct exec_warp *warp, const struct reader *reader,
                         struct exchange *out)
{
    struct resources read[2];
    uint32_t count = 0;
    resources_read(reader->inst, &read[0]);
    resources_guard(reader->inst, &read[1]);
    for (unsigned guard = 0; guard < 2; guard++) {
        for (unsigned i = 0; i < read[guard].count; i++) {
            unsigned resource = read[guard].items[i];
            struct row value;
            if (resource >= RESOURCE_BARRIER)
                continue;
            get(warp, resource, &value);
            out[count] = (struct exchange){(uint16_t)resource, value};
            if (!stale(w, resource, reader, guard, &value))
                continue;
            put(warp, resource, &value);
            count++;
        }
    }
    return count;
}

static bool contains(const struct resources *r, unsigned resource)
{
    for (unsigned i = 0; i < r->count; i++)
        if (r->items[i] == resource)
            return true;
    return false;
}

/* The last exchange of a resource took the value that an earlier one had left there. */
static void exchange_back(struct exec_warp *warp, const struct resources *written, uint32_t active,
                          const struct exchange *done, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        struct row value = done[i].now, result;
        if (contains(written, done[i].resource)) {
            get(warp, done[i].resource, &result);
            blend(done[i].resource, &value, &result, active);
        }
        put(warp, done[i].resource, &value);
    }
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void forget_old(struct strict_warp *w, uint64_t now)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        const struct result *r = &w->result[i];
        uint64_t from = r->variable ? r->written : r->issued;
        if (from == UINT64_MAX || from + ISA_LONGEST_FIXED > now)
            w->result[kept++] = w->result[i];
    }
    w->count = kept;
}

static struct result *add(struct strict *strict, struct strict_warp *w)
{
    if (w->count == w->room) {
        uint32_t room = w->room ? 2 * w->room : 32;
        struct result *result = realloc(w->result, room * sizeof *result);
        strict->failed |= !result;
        if (!result)
            return NULL;
        w->result = result;
        w->room = room;
    }
    return &w->result[w->count++];
}

static void note(struct strict *strict, struct strict_warp *w, const struct isa_inst *inst, unsigned resource,
                 uint32_t lanes, uint64_t now, const struct row *old)
{
    struct result *r = lanes && resource < RESOURCE_BARRIER ? add(strict, w) : NULL;
    if (!r)
        return;
    *r = (struct result){.inst = inst,
                         .resource = (uint16_t)resource,
                         .variable = isa_is_variable(inst, strict->sm),
                         .lanes = resource >= RESOURCE_UNIFORM && resource < RESOURCE_PREDICATE ? UINT32_MAX : lanes,
                         .issued = now,
                         .written = UINT64_MAX,
                         .old = *old};
}

void strict_written(struct strict *strict, uint32_t slot, uint32_t pc, uint64_t cycle)
{
    struct strict_warp *w = &strict->warp[slot];
    uint64_t issued = 0;
    bool found = false;
    for (uint32_t i = 0; i < w->count; i++) {
        struct result *r = &w->result[i];
        if (r->inst->pc != pc || !r->variable || r->written != UINT64_MAX || (found && r->issued != issued))
            continue;
        found = true;
        issued = r->issued;
        r->written = cycle;
    }
}

/* ---- one instruction --------------------------------------------------------------------------------------------- */

void strict_step(struct strict *strict, uint32_t slot, struct exec_core *core, struct exec_warp *warp, uint32_t token,
                 uint64_t now, struct issued *out)
{
    struct strict_warp *w = &strict->warp[slot];
    const struct isa_inst *inst = &warp->cta->launch->kernel->code[exec_pc(warp) / 16].isa;
    if (inst->op == ISA_INVALID) {
        exec_step(core, warp, token, out);
        return;
    }
    struct resources written;
    struct row old[sizeof written.items / sizeof *written.items];
    struct exchange exchanged[READS];
    struct reader reader = {inst, isa_consumer_of((enum isa_op)inst->op, isa_is_variable(inst, strict->sm)), strict->sm,
                            now};
    resources_written(inst, &written);
    for (unsigned i = 0; i < written.count; i++)
        if (written.items[i] < RESOURCE_BARRIER)
            get(warp, written.items[i], &old[i]);
    forget_old(w, now);
    uint32_t count = exchange(w, warp, &reader, exchanged);
    exec_step(core, warp, token, out);
    exchange_back(warp, &written, out->active, exchanged, count);
    bool told = isa_latency_told(isa_op_info((enum isa_op)inst->op)->latency) != ISA_RESULT_UNTOLD;
    for (unsigned i = 0; i < written.count && told; i++)
        note(strict, w, inst, written.items[i], out->active, now, &old[i]);
    if (isa_op_info((enum isa_op)inst->op)->flags & ISA_DEPBAR) {
        w->before_depbar = w->ready;
        w->depbar = now;
    }
    w->ready = now + isa_stall(inst->control, strict->sleep);
}

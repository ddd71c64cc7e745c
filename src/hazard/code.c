#include "hazard/code.h"

#include <stdlib.h>
#include <string.h>

#include "isa/pascal.h"
#include "isa/resources.h"
#include "isa/stall.h"

static const struct isa_op_info *info_of(const struct isa_inst *inst) { return isa_op_info((enum isa_op)inst->op); }

/* ---- order ------------------------------------------------------------------------------------------------------- */

static enum hazard_order order_of_load(const struct isa_inst *inst, unsigned sm)
{
    switch (info_of(inst)->space) {
    case ISA_SPACE_SHARED: return ORDER_SHARED;
    case ISA_SPACE_CONSTANT: return ORDER_CONSTANT;
    default: return pascal_supported(sm) || info_of(inst)->memory == ISA_MEM_SHUFFLE ? ORDER_SHARED : ORDER_NONE;
    }
}

/* Code compiled for Pascal lets a wait for DSETP tell that an IMUL before it is done. */
static enum hazard_order order_of(const struct isa_inst *inst, unsigned sm)
{
    if (info_of(inst)->latency == ISA_LATENCY_TRANSPOSE)
        return ORDER_SHARED;
    if (info_of(inst)->latency == ISA_LATENCY_COPY_GROUP)
        return ORDER_GROUP;
    if (info_of(inst)->latency == ISA_LATENCY_TENSOR_MEMORY)
        return ORDER_LANES;
    switch (info_of(inst)->pipe) {
    case ISA_PIPE_LSU: return order_of_load(inst, sm);
    case ISA_PIPE_XU: return ORDER_XU;
    case ISA_PIPE_TEX: return pascal_supported(sm) ? ORDER_SHARED : ORDER_TEXTURE;
    case ISA_PIPE_ADU: return ORDER_SPECIAL;
    case ISA_PIPE_FP64: return pascal_supported(sm) ? ORDER_XU : ORDER_DOUBLE;
    case ISA_PIPE_TENSOR: return ORDER_TENSOR;
    case ISA_PIPE_UNIFORM: return ORDER_UNIFORM;
    default: return ORDER_NONE;
    }
}

static enum hazard_queue queue_of(const struct isa_inst *inst)
{
    switch (info_of(inst)->pipe) {
    case ISA_PIPE_LSU:
    case ISA_PIPE_TEX:
    case ISA_PIPE_ADU: return QUEUE_MEMORY;
    case ISA_PIPE_XU: return QUEUE_XU;
    case ISA_PIPE_FP64: return QUEUE_DOUBLE;
    case ISA_PIPE_TENSOR: return QUEUE_TENSOR;
    case ISA_PIPE_UNIFORM: return QUEUE_UNIFORM;
    default: return QUEUE_NONE;
    }
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

static bool listed(const struct resources *r, unsigned count, unsigned resource)
{
    for (unsigned i = 0; i < count; i++)
        if (r->items[i] == resource)
            return true;
    return false;
}

/* Each once, though several operands may name it. */
static bool add_uses(struct hazard_code *code, uint16_t *place, const struct resources *r, bool guard)
{
    for (unsigned i = 0; i < r->count; i++) {
        unsigned resource = r->items[i];
        if (resource >= RESOURCE_BARRIER || listed(r, i, resource))
            continue;
        if (code->uses == code->room) {
            size_t room = code->room ? 2 * code->room : 1024;
            struct hazard_use *use = realloc(code->use, room * sizeof *use);
            if (!use)
                return false;
            code->use = use;
            code->room = room;
        }
        if (place[resource] == UINT16_MAX)
            place[resource] = (uint16_t)code->places++;
        code->use[code->uses++] = (struct hazard_use){(uint16_t)resource, place[resource], guard, false};
    }
    return true;
}

static void describe(struct hazard_code *code, struct hazard_inst *h, const struct isa_inst *inst)
{
    enum { ARRIVE = 1 };
    const struct isa_op_info *info = info_of(inst);
    h->wait = inst->control.wait;
    h->write_sb = inst->control.write_sb;
    h->read_sb = inst->control.read_sb;
    h->variable = isa_is_variable(inst, code->sm);
    h->consumer = (uint8_t)isa_consumer_of((enum isa_op)inst->op, h->variable);
    h->unknown = isa_latency_told(info->latency) == ISA_RESULT_UNTOLD;
    code->products |= info->way == ISA_WAY_WARPGROUP;
    h->drains = info->flags & ISA_BARRIER && info->pipe == ISA_PIPE_ADU && inst->mod[ISA_MOD_MODE] != ARRIVE;
    h->order = (uint8_t)(h->variable ? order_of(inst, code->sm) : ORDER_NONE);
    h->queue = (uint8_t)(h->variable ? queue_of(inst) : QUEUE_NONE);
    h->depbar = info->flags & ISA_DEPBAR;
    if (h->depbar) {
        h->depbar_sb = inst->mod[ISA_MOD_COUNTER];
        h->depbar_max = inst->mod[ISA_MOD_COUNT];
        h->depbar_list = inst->mod[ISA_MOD_COUNTERS];
    }
}

static bool build_one(struct hazard_code *code, uint16_t *place, uint32_t index)
{
    const struct isa_inst *inst = &code->isa[index];
    struct hazard_inst *h = &code->at[index];
    struct resources r;
    *h = (struct hazard_inst){.inst = inst, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB, .unknown = true};
    h->stall = (uint8_t)(pascal_supported(code->sm) ? inst->control.stall /* 0: issues with the next one */
                                                    : isa_stall(inst->control, isa_stall_sleep(code->sm)));
    if (inst->op == ISA_INVALID)
        return true;
    describe(code, h, inst);
    h->first_read = (uint32_t)code->uses;
    resources_read(inst, &r);
    bool ok = add_uses(code, place, &r, false);
    resources_guard(inst, &r);
    ok = ok && add_uses(code, place, &r, true);
    h->reads = (uint32_t)code->uses - h->first_read;
    h->first_write = (uint32_t)code->uses;
    resources_written(inst, &r);
    ok = ok && add_uses(code, place, &r, false);
    h->writes = (uint32_t)code->uses - h->first_write;
    bool atom = info_of(inst)->memory == ISA_MEM_ATOMIC && info_of(inst)->space == ISA_SPACE_GENERIC;
    for (uint32_t i = 0; i < h->writes; i++)
        code->use[h->first_write + i].with_sources =
            atom && code->use[h->first_write + i].resource >= RESOURCE_PREDICATE;
    return ok;
}

bool hazard_code_build(struct hazard_code *code, unsigned sm, const struct isa_inst *first, size_t stride,
                       uint32_t count)
{
    uint16_t place[RESOURCES];
    memset(place, 0xff, sizeof place);
    *code = (struct hazard_code){.sm = sm, .count = count};
    code->isa = calloc(count + 1u, sizeof *code->isa);
    code->at = calloc(count + 1u, sizeof *code->at);
    bool ok = code->isa && code->at;
    for (uint32_t i = 0; ok && i < count; i++) {
        code->isa[i] = *(const struct isa_inst *)(const void *)((const char *)first + i * stride);
        ok = build_one(code, place, i);
    }
    if (!ok)
        hazard_code_free(code);
    return ok;
}

bool hazard_code_is(const struct hazard_code *code, const struct isa_inst *first, size_t stride, uint32_t count)
{
    bool same = code->count == count;
    for (uint32_t i = 0; same && i < count; i++) {
        const struct isa_inst *inst = (const struct isa_inst *)(const void *)((const char *)first + i * stride);
        same = memcmp(&code->isa[i].word, &inst->word, sizeof inst->word) == 0;
    }
    return same;
}

void hazard_code_free(struct hazard_code *code)
{
    free(code->isa);
    free(code->at);
    free(code->use);
    *code = (struct hazard_code){0};
}

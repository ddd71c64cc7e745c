#include "hazard/products.h"

#include <string.h>

#include "hazard/warp.h"
#include "isa/matrix.h"

struct checking {
    struct hazard_products *p;
    const struct hazard_code *code;
    const struct hazard_issue *issue;
    uint64_t time, cta;
    struct hazard_found *found;
};

void hazard_products_start(struct hazard_products *p) { memset(p, 0, sizeof *p); }

static void report(const struct checking *c, const struct hazard_touch *first, unsigned reg, enum hazard_kind kind,
                   enum hazard_cause cause)
{
    uint64_t distance = c->time - first->time;
    const struct hazard hazard = {.first = c->code->isa[first->inst - 1].pc,
                                  .second = c->code->isa[c->issue->index].pc,
                                  .resource = (uint16_t)reg,
                                  .kind = (uint8_t)kind,
                                  .cause = (uint8_t)cause,
                                  .counter = ISA_NO_SB,
                                  .distance = (uint16_t)(distance < UINT16_MAX ? distance : UINT16_MAX),
                                  .count = 1,
                                  .happened = c->issue->timed,
                                  .sm = c->issue->sm,
                                  .slot = c->issue->slot,
                                  .warp = c->issue->warp,
                                  .lanes = c->issue->active,
                                  .cta = c->cta,
                                  .first_cycle = first->cycle,
                                  .second_cycle = c->issue->cycle};
    hazard_found_add(c->found, &hazard);
}

static bool pending(const struct hazard_products *p, const struct hazard_touch *t)
{
    return t->inst && t->group > p->done;
}

static struct hazard_touch touch(const struct checking *c)
{
    return (struct hazard_touch){c->issue->index + 1, c->p->groups + 1, c->time, c->issue->cycle};
}

/* ---- other instructions ------------------------------------------------------------------------------------------ */

static void check_others(const struct checking *c)
{
    const struct hazard_inst *h = &c->code->at[c->issue->index];
    for (uint32_t i = 0; i < h->reads; i++) {
        unsigned reg = c->code->use[h->first_read + i].resource;
        if (reg < HAZARD_REGISTERS && pending(c->p, &c->p->result[reg]))
            report(c, &c->p->result[reg], reg, HAZARD_RAW, HAZARD_NO_GROUP_WAIT);
    }
    for (uint32_t i = 0; i < h->writes; i++) {
        unsigned reg = c->code->use[h->first_write + i].resource;
        if (reg >= HAZARD_REGISTERS)
            continue;
        if (pending(c->p, &c->p->result[reg]))
            report(c, &c->p->result[reg], reg, HAZARD_WAW, HAZARD_NO_GROUP_WAIT);
        if (pending(c->p, &c->p->source[reg]))
            report(c, &c->p->source[reg], reg, HAZARD_WAR, HAZARD_NO_GROUP_WAIT);
        c->p->written[reg] = touch(c);
    }
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* Registers that it reads beside the accumulators. */
static void check_sources(const struct checking *c, const struct isa_operand *o)
{
    if (o->kind != ISA_REG || o->index == ISA_RZ)
        return;
    for (unsigned reg = o->index; reg < (unsigned)o->index + o->words && reg < ISA_RZ; reg++) {
        if (pending(c->p, &c->p->result[reg]))
            report(c, &c->p->result[reg], reg, HAZARD_RAW, HAZARD_NO_GROUP_WAIT);
        if (c->p->written[reg].inst)
            report(c, &c->p->written[reg], reg, HAZARD_RAW, HAZARD_NO_FENCE);
        c->p->source[reg] = touch(c);
    }
}

/* The same accumulators, of the same shape. */
static bool same_accumulators(const struct checking *c, const struct hazard_touch *t, const struct isa_operand *d)
{
    const struct isa_operand *before = &c->code->isa[t->inst - 1].d;
    return before->index == d->index && before->words == d->words;
}

static void check_accumulators(const struct checking *c, const struct isa_inst *inst)
{
    const struct isa_operand *d = &inst->d;
    bool reads = inst->c.kind == ISA_REG && inst->c.index != ISA_RZ;
    for (unsigned reg = d->index; reg < (unsigned)d->index + d->words && reg < ISA_RZ; reg++) {
        struct hazard_touch *result = &c->p->result[reg];
        if (pending(c->p, result) && !same_accumulators(c, result, d))
            report(c, result, reg, HAZARD_WAW, HAZARD_NO_GROUP_WAIT);
        if (pending(c->p, &c->p->source[reg]))
            report(c, &c->p->source[reg], reg, HAZARD_WAR, HAZARD_NO_GROUP_WAIT);
        if (reads && c->p->written[reg].inst)
            report(c, &c->p->written[reg], reg, HAZARD_RAW, HAZARD_NO_FENCE);
        *result = touch(c);
    }
}

static void wait(struct hazard_products *p, unsigned left)
{
    if (p->groups > left && p->groups - left > p->done)
        p->done = p->groups - left;
}

void hazard_products_issue(struct hazard_products *p, const struct hazard_code *code, const struct hazard_issue *issue,
                           uint64_t time, uint64_t cta, struct hazard_found *found)
{
    const struct isa_inst *inst = &code->isa[issue->index];
    const struct checking c = {p, code, issue, time, cta, found};
    if (!issue->active)
        return;
    if (isa_is_warpgroup_fence(inst)) {
        memset(p->written, 0, sizeof p->written);
    } else if (isa_is_warpgroup_wait(inst)) {
        wait(p, inst->mod[ISA_MOD_COUNT]);
    } else if (isa_op_info((enum isa_op)inst->op)->way != ISA_WAY_WARPGROUP) {
        check_others(&c);
    } else {
        check_sources(&c, &inst->a);
        check_sources(&c, &inst->e);
        check_accumulators(&c, inst);
        p->groups += inst->mod[ISA_MOD_GROUP] == ISA_GROUP_GSB0;
    }
}

#include "tests/asm/hazards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 256 + 256 + 8 + 8, UNIFORM = 256, PREDICATE = 512, UNIFORM_PREDICATE = 520, COUNTERS = 6 };
enum use { USE_OPERAND, USE_LATE, USE_GUARD, USES };

struct state {
    bool reached;
    uint8_t left[PLACES][USES];            /* cycles until the place can be used */
    uint8_t written[PLACES], read[PLACES]; /* counters that stand for an access under way */
};

struct set {
    bool in[PLACES];
};

static const struct isa_op_info *info(const struct isa_inst *inst) { return isa_op_info((enum isa_op)inst->op); }

static bool named(const struct isa_inst *inst, const char *list)
{
    char word[40];
    snprintf(word, sizeof word, " %s ", info(inst)->name);
    return strstr(list, word) != NULL;
}

static bool is_variable(unsigned sm, const struct isa_inst *inst)
{
    if (named(inst, " DADD DMUL DFMA DSETP "))
        return sm != 90 && sm != 100;
    if (named(inst, " HMMA IMMA BMMA "))
        return sm == 75;
    if (named(inst, " R2UR "))
        return sm < 90;
    if (named(inst, " ELECT CREDUX "))
        return false;
    if (named(inst, " S2R S2UR MUFU SHFL I2F F2I F2F FRND POPC FLO BREV FCHK LDC LDCU REDUX MATCH QSPC MOVM DMMA "))
        return true;
    return info(inst)->memory != ISA_MEM_NONE;
}

/* Cycles that the hardware asks for between an instruction of fixed latency and the use of its result. */
static unsigned cycles(const struct isa_inst *inst, unsigned place, enum use use)
{
    if (named(inst, " HMMA IMMA BMMA QMMA "))
        return 36;
    if (named(inst, " R2UR "))
        return 21;
    if (info(inst)->pipe == ISA_PIPE_UNIFORM)
        return use == USE_OPERAND ? 12 : 13;
    if (info(inst)->pipe == ISA_PIPE_FP64)
        return 10;
    if (place >= PREDICATE)
        return use == USE_OPERAND ? 6 : 13;
    return use == USE_OPERAND ? 6 : 8;
}

/* ---- touched registers ---------------------------------------------------------------------------------------------
 * */

static void put(struct set *set, unsigned first, unsigned number, unsigned words, unsigned none)
{
    for (unsigned i = 0; i < words && number + i < none; i++)
        set->in[first + number + i] = true;
}

static void put_operand(struct set *set, const struct isa_operand *o)
{
    if (o->kind == ISA_REG)
        put(set, 0, o->index, o->words, ISA_RZ);
    else if (o->kind == ISA_UREG || o->kind == ISA_CONST_BINDLESS)
        put(set, UNIFORM, o->index, o->words > 0 ? o->words : 1, ISA_URZ);
}

static void put_predicate(struct set *set, const struct isa_predicate *p)
{
    if (p->present && p->index != ISA_PT)
        set->in[(p->uniform ? UNIFORM_PREDICATE : PREDICATE) + p->index] = true;
}

static void collect(const struct isa_inst *inst, struct set *read, struct set *guard, struct set *written)
{
    memset(read, 0, sizeof *read);
    memset(guard, 0, sizeof *guard);
    memset(written, 0, sizeof *written);
    put_operand(read, &inst->a);
    put_operand(read, &inst->b);
    put_operand(read, &inst->c);
    put_operand(read, &inst->e);
    put_operand(read, &inst->f);
    put_operand(read, &inst->g);
    put_predicate(read, &inst->pp);
    put_predicate(read, &inst->pq);
    put_predicate(read, &inst->pr);
    if (inst->has_ureg_base)
        put(read, UNIFORM, inst->ureg_base, 1, ISA_URZ);
    if (inst->has_descriptor)
        put(read, UNIFORM, inst->ureg_descriptor, 2, ISA_URZ);
    put_predicate(guard, &inst->guard);
    put_operand(written, &inst->d);
    put_predicate(written, &inst->pu);
    put_predicate(written, &inst->pv);
    if (named(inst, " P2R "))
        put(read, PREDICATE, 0, 7, 7);
    if (named(inst, " R2P "))
        put(written, PREDICATE, 0, 7, 7);
}

/* ---- one instruction --------------------------------------------------------------------------------------------- */

static enum use use_of(unsigned sm, const struct isa_inst *inst)
{
    if (info(inst)->pipe == ISA_PIPE_CBU)
        return USE_GUARD;
    return is_variable(sm, inst) || named(inst, " VOTE ") ? USE_LATE : USE_OPERAND;
}

static bool too_early(unsigned sm, const struct state *s, const struct isa_inst *inst, const char **why,
                      unsigned *place)
{
    struct set read, guard, written;
    uint8_t waited = inst->control.wait;
    collect(inst, &read, &guard, &written);
    for (unsigned i = 0; i < PLACES; i++) {
        *place = i;
        bool value = read.in[i] || guard.in[i];
        if ((value || written.in[i]) && (s->written[i] & ~waited)) {
            *why = "no wait for the counter of a write";
            return true;
        }
        if (written.in[i] && (s->read[i] & ~waited)) {
            *why = "no wait for the counter of a read";
            return true;
        }
        if ((read.in[i] && s->left[i][use_of(sm, inst)]) || (guard.in[i] && s->left[i][USE_GUARD])) {
            *why = "the result is not there yet";
            return true;
        }
        if (written.in[i] && s->left[i][USE_OPERAND]) {
            *why = "an earlier write comes later";
            return true;
        }
    }
    return false;
}

static void after(unsigned sm, const struct state *from, const struct isa_inst *inst, struct state *to)
{
    struct set read, guard, written;
    *to = *from;
    collect(inst, &read, &guard, &written);
    bool counted = is_variable(sm, inst);
    for (unsigned i = 0; i < PLACES; i++) {
        to->written[i] &= (uint8_t)~inst->control.wait;
        to->read[i] &= (uint8_t)~inst->control.wait;
        if (written.in[i] && inst->control.write_sb < COUNTERS)
            to->written[i] |= (uint8_t)(1u << inst->control.write_sb);
        if (read.in[i] && counted && inst->control.read_sb < COUNTERS)
            to->read[i] |= (uint8_t)(1u << inst->control.read_sb);
        else if (read.in[i] && counted && inst->control.write_sb < COUNTERS)
            to->read[i] |= (uint8_t)(1u << inst->control.write_sb);
        for (unsigned use = 0; use < USES; use++) {
            if (written.in[i] && !counted && to->left[i][use] < cycles(inst, i, (enum use)use))
                to->left[i][use] = (uint8_t)cycles(inst, i, (enum use)use);
            unsigned stall = inst->control.stall ? inst->control.stall : 1;
            to->left[i][use] = (uint8_t)(to->left[i][use] > stall ? to->left[i][use] - stall : 0u);
        }
    }
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static bool join(struct state *into, const struct state *from)
{
    bool changed = !into->reached;
    into->reached = true;
    for (unsigned i = 0; i < PLACES; i++) {
        uint8_t written = into->written[i] | from->written[i], read = into->read[i] | from->read[i];
        changed |= written != into->written[i] || read != into->read[i];
        into->written[i] = written;
        into->read[i] = read;
        for (unsigned use = 0; use < USES; use++)
            if (from->left[i][use] > into->left[i][use]) {
                into->left[i][use] = from->left[i][use];
                changed = true;
            }
    }
    return changed;
}

/* Where control can go: the next instruction, a target, and from BSYNC to where the BSSYs of its barrier point. */
static bool falls_through(const struct isa_inst *inst)
{
    bool always = inst->guard.index == ISA_PT && !inst->guard.inverted;
    return !always || !(info(inst)->flags & ISA_EXIT || named(inst, " BRA RET BRX JMP ")) || inst->pp.present;
}

static bool goes_to(const struct isa_inst *inst, const struct isa_inst *code, size_t count, size_t target)
{
    if (named(inst, " BRA CALL "))
        return inst->target / 16 == target;
    if (named(inst, " BSYNC "))
        for (size_t i = 0; i < count; i++)
            if (named(&code[i], " BSSY ") && code[i].barrier == inst->barrier && code[i].target / 16 == target)
                return true;
    return false;
}

static bool spread(unsigned sm, const struct isa_inst *code, size_t count, struct state *states, size_t index)
{
    struct state next;
    bool changed = false;
    after(sm, &states[index], &code[index], &next);
    if (falls_through(&code[index]) && index + 1 < count)
        changed |= join(&states[index + 1], &next);
    if (info(&code[index])->flags & ISA_BRANCH)
        for (size_t i = 0; i < count; i++)
            if (goes_to(&code[index], code, count, i))
                changed |= join(&states[i], &next);
    return changed;
}

unsigned hazards(unsigned sm, const struct isa_inst *code, size_t count, char text[static 512])
{
    struct state *states = calloc(count + 1, sizeof *states);
    unsigned found = 0;
    text[0] = '\0';
    if (!states)
        return 1;
    states[0].reached = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count; i++)
            if (states[i].reached)
                changed |= spread(sm, code, count, states, i);
    }
    for (size_t i = 0; i < count; i++) {
        const char *why;
        unsigned place;
        if (!states[i].reached || !too_early(sm, &states[i], &code[i], &why, &place))
            continue;
        char line[ISA_TEXT];
        isa_print(&code[i], line);
        if (found++ == 0)
            snprintf(text, 512, "%04x %s: %s (place %u)", code[i].pc, line, why, place);
    }
    free(states);
    return found;
}

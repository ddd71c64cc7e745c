#include "sm/issue/scoreboard.h"

#include <string.h>

#include "base/bits.h"
#include "base/order.h"
#include "isa/copy.h"
#include "sm/issue/dependence_counters.h"

/* ---- sets -------------------------------------------------------------------------------------------------------- */

static void include(struct register_set *set, unsigned entry)
{
    if (entry < SCOREBOARD_ENTRIES)
        set->word[entry / 64] |= UINT64_C(1) << entry % 64;
}

static bool is_empty(const struct register_set *set)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < SCOREBOARD_WORDS; i++)
        any |= set->word[i];
    return any == 0;
}

static uint64_t operands(const struct code_registers *r, unsigned i)
{
    return r->read[ISA_BYPASS].word[i] | r->read[ISA_REGISTER_FILE].word[i];
}

void scoreboard_clear(struct scoreboard *s)
{
    memset(s, 0, offsetof(struct scoreboard, result));
    s->under_way = 0;
}

/* ---- code -------------------------------------------------------------------------------------------------------- */

struct isa_control scoreboard_control(const struct isa_inst *inst, bool usable)
{
    enum { COPIES = 0 }; /* the counter that compilers take for copies, and name in DEPBAR */
    struct isa_control plain = {.stall = 1, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB};
    plain.reuse = inst->control.reuse;
    if (isa_op_info((enum isa_op)inst->op)->latency == ISA_LATENCY_COPY_GROUP)
        plain.write_sb = usable && inst->control.write_sb < ISA_COUNTERS ? inst->control.write_sb : COPIES;
    if (isa_copy_of((enum isa_op)inst->op) == ISA_COPY_GROUP)
        plain.read_sb = usable && inst->control.read_sb < ISA_COUNTERS ? inst->control.read_sb : COPIES;
    return plain;
}

static void set_latencies(struct code_registers *out, const struct isa_op_info *info, const struct code *code,
                          const struct config_core *config)
{
    enum { PAST_THE_BYPASS = 1 }; /* MOV to MOV 4, MOV to the address of LDG 5 (MICRO 2025 paper, listing 3) */
    bool uniform = info->pipe == ISA_PIPE_UNIFORM;
    bool from_alu = code->latency <= config->alu_latency && !uniform;
    uint32_t near = code->latency, far = uniform ? larger(near, config->uniform_to_vector_latency) : near;
    out->latency[ISA_BYPASS] = (uint16_t)near;
    out->latency[ISA_REGISTER_FILE] = (uint16_t)(uniform ? far : near + PAST_THE_BYPASS);
    out->latency[ISA_PREDICATE_FILE] = (uint16_t)larger(near, config->predicate_latency);
    out->predicate_latency = (uint16_t)(from_alu ? config->predicate_data_latency : near);
}

void scoreboard_registers(struct code_registers *out, const struct isa_inst *inst, const struct code *code,
                          const struct config_core *config)
{
    *out = (struct code_registers){.fixed = code->flags & CODE_FIXED};
    if (inst->op == ISA_INVALID)
        return;
    const struct isa_op_info *info = isa_op_info((enum isa_op)inst->op);
    struct resources used;
    resources_read(inst, &used);
    for (unsigned i = 0; i < used.count; i++)
        include(&out->read[isa_place_of((enum isa_op)inst->op, !out->fixed, used.items[i])], used.items[i]);
    resources_guard(inst, &used);
    for (unsigned i = 0; i < used.count; i++)
        include(&out->read[ISA_PREDICATE_FILE], used.items[i]);
    resources_written(inst, &used);
    for (unsigned i = 0; i < used.count; i++)
        include(&out->written, used.items[i]);
    out->reads = (!out->fixed || config->scoreboard_counts_fixed) &&
                 !(is_empty(&out->read[ISA_BYPASS]) && is_empty(&out->read[ISA_REGISTER_FILE]));
    out->writes = !is_empty(&out->written);
    set_latencies(out, info, code, config);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

struct scoreboard_wait scoreboard_wait(const struct scoreboard *s, const struct code_registers *r)
{
    uint64_t any = 0, global = 0, mio = 0;
    for (unsigned i = 0; i < SCOREBOARD_WORDS; i++) {
        uint64_t sources = operands(r, i) | r->read[ISA_PREDICATE_FILE].word[i], written = r->written.word[i];
        uint64_t blocked = s->pending.word[i] & (sources | written); /* RAW, WAW */
        blocked |= s->to_read.word[i] & written;                     /* WAR */
        if (r->reads)
            blocked |= s->full.word[i] & operands(r, i);
        any |= blocked;
        global |= blocked & s->global.word[i];
        mio |= blocked & s->mio.word[i];
    }
    return (struct scoreboard_wait){any != 0, global != 0, mio != 0};
}

/* Of one register. Forgets it when its result is there for all. */
static uint64_t ready_at(struct scoreboard *s, const struct code_registers *r, unsigned i, unsigned bit, uint64_t now)
{
    const struct result_time *t = &s->result[64 * i + bit];
    uint64_t far = t->near + t->far, guard = t->near + t->guard, ready = 0;
    if (far <= now && guard <= now)
        s->timed.word[i] &= ~(UINT64_C(1) << bit);
    if ((r->read[ISA_BYPASS].word[i] | r->written.word[i]) >> bit & 1) /* WAW: as a reader */
        ready = t->near;
    if (r->read[ISA_REGISTER_FILE].word[i] >> bit & 1)
        ready = far;
    if ((r->read[ISA_PREDICATE_FILE].word[i] >> bit & 1) && guard > ready)
        ready = guard;
    return ready;
}

uint64_t scoreboard_ready(struct scoreboard *s, const struct code_registers *r, uint64_t now)
{
    uint64_t last = 0;
    for (unsigned i = 0; i < SCOREBOARD_WORDS; i++) {
        uint64_t asked = operands(r, i) | r->read[ISA_PREDICATE_FILE].word[i] | r->written.word[i];
        for (uint64_t m = s->timed.word[i] & asked; m; m &= m - 1) {
            uint64_t ready = ready_at(s, r, i, lowest_bit64(m), now);
            if (ready > last)
                last = ready;
        }
    }
    return last;
}

/* ---- events of an instruction ------------------------------------------------------------------------------------ */

static void set_times(struct scoreboard *s, const struct code_registers *r, uint64_t when)
{
    const uint16_t *latency = r->latency;
    for (unsigned i = 0; i < SCOREBOARD_WORDS; i++) {
        uint32_t near = i < RESOURCE_PREDICATE / 64 ? latency[ISA_BYPASS] : r->predicate_latency;
        struct result_time t = {when + near, (uint8_t)(larger(latency[ISA_REGISTER_FILE], near) - near),
                                (uint8_t)(larger(latency[ISA_PREDICATE_FILE], near) - near)};
        s->timed.word[i] |= r->written.word[i];
        for (uint64_t m = r->written.word[i]; m; m &= m - 1)
            s->result[64 * i + lowest_bit64(m)] = t;
    }
}

/* The producer that reports name if a warp waits for these registers. */
static void note_user(struct scoreboard *s, const struct code_registers *r, enum counted by)
{
    for (unsigned i = 0; i < SCOREBOARD_WORDS; i++) {
        uint64_t used = r->written.word[i] | operands(r, i);
        s->global.word[i] = (s->global.word[i] & ~used) | (by == COUNTED_GLOBAL ? used : 0);
        s->mio.word[i] = (s->mio.word[i] & ~used) | (by == COUNTED_MIO ? used : 0);
    }
}

static void count_consumer(struct scoreboard *s, const struct code_registers *r, uint32_t limit)
{
    for (unsigned i = 0; i < SCOREBOARD_WORDS; i++) {
        s->to_read.word[i] |= operands(r, i);
        for (uint64_t m = operands(r, i); m; m &= m - 1) {
            if (++s->consumers[64 * i + lowest_bit64(m)] == limit)
                s->full.word[i] |= m & -m;
        }
    }
}

void scoreboard_issue(struct scoreboard *s, const struct code_registers *r, const struct code *code, uint64_t when,
                      uint32_t limit)
{
    if (r->reads || !r->fixed)
        note_user(s, r, counted_of(code));
    if (r->reads)
        count_consumer(s, r, limit);
    s->under_way += r->reads;
    if (!r->writes)
        return;
    if (r->fixed) {
        set_times(s, r, when);
        return;
    }
    for (unsigned i = 0; i < SCOREBOARD_WORDS; i++) {
        s->pending.word[i] |= r->written.word[i];
        s->timed.word[i] &= ~r->written.word[i];
    }
    s->under_way++;
}

void scoreboard_read(struct scoreboard *s, const struct code_registers *r)
{
    for (unsigned i = 0; i < SCOREBOARD_WORDS; i++) {
        s->full.word[i] &= ~operands(r, i);
        for (uint64_t m = operands(r, i); m; m &= m - 1) {
            if (--s->consumers[64 * i + lowest_bit64(m)] == 0)
                s->to_read.word[i] &= ~(m & -m);
        }
    }
    s->under_way--;
}

void scoreboard_written(struct scoreboard *s, const struct code_registers *r)
{
    for (unsigned i = 0; i < SCOREBOARD_WORDS; i++)
        s->pending.word[i] &= ~r->written.word[i];
    s->under_way--;
}

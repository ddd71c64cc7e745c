/* One pass over the code in order. Inside of a block everything is known: when results of fixed latency come (from the
 * sums of the stall counts, which waits only make longer), and which counters the others hold. Where control flow
 * joins or leaves, nothing is left open: a branch waits for all counters and for all results, and so does code that
 * runs into a label. Instructions that have control bits stay as they are, but count. */
#include "asm/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "isa/contract.h"
#include "isa/resources.h"

enum { ALL_COUNTERS = (1 << ISA_COUNTERS) - 1 };

struct fill {
    struct program *program;
    uint32_t function;
    const struct isa_assembler *assembler;
    struct diagnostics *errors;
    unsigned sm;
    bool *target; /* [statements]: control may come from elsewhere */
    size_t target_room;
    struct word128 nop;
    uint8_t usable;       /* counters for results. Those of DEPBAR are left to it */
    uint8_t explicit_sbs; /* counters that instructions with control bits use */
    unsigned next;        /* counter to take next */
    uint64_t time;        /* issue of the instruction at hand, at the earliest */
    uint64_t ready[RESOURCES][ISA_CONSUMER_COUNT];
    uint8_t written[RESOURCES]; /* counters that tell when the last write is done */
    uint8_t being_read[RESOURCES];
    bool failed;
};

static struct function *function_of(struct fill *f) { return &f->program->functions[f->function]; }

bool schedule_is_needed(const struct function *function)
{
    for (size_t i = 0; i < function->count; i++)
        if (!function->code[i].has_control)
            return true;
    return false;
}

/* ---- the code ---------------------------------------------------------------------------------------------------- */

static void decode(struct fill *f, size_t index, struct isa_inst *inst)
{
    isa_decode(isa_assembler_decoder(f->assembler), function_of(f)->code[index].word,
               (uint32_t)(index * INSTRUCTION_BYTES), inst);
}

/* Labels and functions begin blocks. */
static bool find_targets(struct fill *f)
{
    size_t count = function_of(f)->count;
    f->target_room = count + 64;
    f->target = calloc(f->target_room, sizeof *f->target);
    if (!f->target)
        return false;
    const struct names *names = &f->program->names;
    for (size_t i = 0; i < names->count; i++) {
        const struct name *name = &names->items[i];
        bool code = name->kind == NAME_LABEL || name->kind == NAME_ENTRY;
        if (code && name->function == f->function && name->value < count)
            f->target[name->value] = true;
    }
    return true;
}

static void move_names(struct fill *f, size_t index)
{
    struct names *names = &f->program->names;
    for (size_t i = 0; i < names->count; i++) {
        struct name *name = &names->items[i];
        bool code = name->kind == NAME_LABEL || name->kind == NAME_ENTRY;
        if (code && name->function == f->function && name->value >= index)
            name->value++;
    }
    for (size_t i = 0; i < f->program->fixup_count; i++) {
        struct fixup *fixup = &f->program->fixups[i];
        if (fixup->place == CUBIN_PLACE_TEXT && fixup->function == f->function &&
            fixup->offset >= index * INSTRUCTION_BYTES)
            fixup->offset += INSTRUCTION_BYTES;
    }
}

static bool move_targets(struct fill *f, size_t index)
{
    size_t count = function_of(f)->count;
    if (count > f->target_room) {
        bool *target = realloc(f->target, 2 * count * sizeof *target);
        if (!target)
            return false;
        f->target = target;
        f->target_room = 2 * count;
    }
    memmove(f->target + index + 1, f->target + index, (count - 1 - index) * sizeof *f->target);
    f->target[index] = false;
    return true;
}

/* Before instruction `index`, and before a label there: a jump to it has nothing to wait for. */
static bool insert_nop(struct fill *f, size_t index, uint8_t wait, unsigned stall)
{
    struct function *function = function_of(f);
    if (!function_add_statement(f->program, function) || !move_targets(f, index))
        return false;
    struct statement *at = &function->code[index];
    memmove(at + 1, at, (function->count - 1 - index) * sizeof *at);
    *at = (struct statement){
        .line = at[1].line, .column = at[1].column, .has_control = true, .filled = true, .word = f->nop};
    at->control =
        (struct isa_control){.stall = (uint8_t)stall, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB, .wait = wait};
    move_names(f, index);
    return true;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static void forget_counters(struct fill *f, uint8_t mask)
{
    for (unsigned i = 0; i < RESOURCES; i++) {
        f->written[i] &= (uint8_t)~mask;
        f->being_read[i] &= (uint8_t)~mask;
    }
}

static uint8_t open_counters(const struct fill *f)
{
    uint8_t mask = 0;
    for (unsigned i = 0; i < RESOURCES; i++)
        mask |= f->written[i] | f->being_read[i];
    return mask;
}

static uint64_t last_result(const struct fill *f)
{
    uint64_t last = 0;
    for (unsigned i = 0; i < RESOURCES; i++)
        for (unsigned c = 0; c < ISA_CONSUMER_COUNT; c++)
            last = f->ready[i][c] > last ? f->ready[i][c] : last;
    return last;
}

/* Lets instruction *index issue at `time` at the earliest: by the stall count before it, then by NOPs. */
static bool hold_until(struct fill *f, size_t *index, uint64_t time)
{
    if (f->time >= time)
        return true;
    struct statement *before = *index > 0 ? &function_of(f)->code[*index - 1] : NULL;
    if (before && before->filled) {
        uint64_t room = (uint64_t)(ISA_STALL_MOST - before->control.stall), need = time - f->time;
        uint64_t more = need < room ? need : room;
        before->control.stall = (uint8_t)(before->control.stall + more);
        f->time += more;
    }
    while (f->time < time) {
        uint64_t need = time - f->time;
        unsigned stall = need < ISA_STALL_MOST ? (unsigned)need : ISA_STALL_MOST;
        if (!insert_nop(f, *index, 0, stall))
            return false;
        (*index)++;
        f->time += stall;
    }
    return true;
}

/* ---- dependences ------------------------------------------------------------------------------------------------- */

struct need {
    uint64_t time;
    uint8_t wait;
};

static void need_value(const struct fill *f, const struct resources *r, enum isa_consumer consumer, struct need *need)
{
    for (unsigned i = 0; i < r->count; i++) {
        uint64_t ready = f->ready[r->items[i]][consumer];
        need->time = ready > need->time ? ready : need->time;
        need->wait |= f->written[r->items[i]];
    }
}

/* A write comes after the writes and reads that are still under way. */
static void need_place(const struct fill *f, const struct resources *r, struct need *need)
{
    for (unsigned i = 0; i < r->count; i++) {
        unsigned resource = r->items[i];
        for (unsigned c = 0; c < ISA_CONSUMER_COUNT; c++)
            need->time = f->ready[resource][c] > need->time ? f->ready[resource][c] : need->time;
        need->wait |= f->written[resource] | f->being_read[resource];
    }
}

static const struct isa_op_info *info_of(const struct isa_inst *inst) { return isa_op_info((enum isa_op)inst->op); }

/* Control bits that are not there yet name no counter: only the class counts. */
static bool is_variable(const struct fill *f, const struct isa_inst *inst)
{
    return !isa_latency_is_fixed(info_of(inst)->latency, f->sm);
}

static bool has_flag(const struct isa_inst *inst, unsigned flags) { return info_of(inst)->flags & flags; }

/* `stall` is the wait of a branch itself: it counts for the results that are used at its target. */
static struct need needs_of(const struct fill *f, const struct isa_inst *inst, unsigned stall)
{
    struct need need = {0};
    struct resources read, guard, written;
    resources_read(inst, &read);
    resources_guard(inst, &guard);
    resources_written(inst, &written);
    need_value(f, &read, isa_consumer_of((enum isa_op)inst->op, is_variable(f, inst)), &need);
    need_value(f, &guard, ISA_CONSUMER_GUARD, &need);
    need_place(f, &written, &need);
    if (has_flag(inst, ISA_BRANCH)) {
        uint64_t last = last_result(f), time = last > stall ? last - stall : 0;
        need.time = time > need.time ? time : need.time;
    }
    if (has_flag(inst, ISA_BRANCH | ISA_EXIT))
        need.wait |= open_counters(f);
    return need;
}

static void mark(uint8_t *counters, const struct resources *r, unsigned sb)
{
    for (unsigned i = 0; i < r->count; i++)
        counters[r->items[i]] |= (uint8_t)(1u << sb);
}

static unsigned take_counter(struct fill *f)
{
    while (!(f->usable >> f->next & 1))
        f->next = (f->next + 1) % ISA_COUNTERS;
    unsigned sb = f->next;
    f->next = (f->next + 1) % ISA_COUNTERS;
    return sb;
}

/* Variable latency: a counter for the result, which also tells that the sources were read; without a result, one for
 * the sources. DEPBAR counts the groups of LDGDEPBAR in counter 0. */
static void choose_counter(struct fill *f, const struct isa_inst *inst, struct isa_control *control)
{
    struct resources read, written;
    resources_read(inst, &read);
    resources_written(inst, &written);
    if (info_of(inst)->latency == ISA_LATENCY_COPY_GROUP)
        control->write_sb = 0;
    else if (!is_variable(f, inst))
        return;
    else if (written.count > 0)
        control->write_sb = (uint8_t)take_counter(f);
    else if (read.count > 0)
        control->read_sb = (uint8_t)take_counter(f);
}

/* The results that the instruction leaves in flight. */
static void note_results(struct fill *f, const struct isa_inst *inst, const struct isa_control *control)
{
    struct resources read, written;
    resources_read(inst, &read);
    resources_written(inst, &written);
    if (control->write_sb < ISA_COUNTERS) {
        mark(f->written, &written, control->write_sb);
        if (control->read_sb >= ISA_COUNTERS)
            mark(f->being_read, &read, control->write_sb);
    }
    if (control->read_sb < ISA_COUNTERS)
        mark(f->being_read, &read, control->read_sb);
    if (is_variable(f, inst))
        return;
    for (unsigned i = 0; i < written.count; i++)
        for (unsigned c = 0; c < ISA_CONSUMER_COUNT; c++) {
            uint64_t *ready = &f->ready[written.items[i]][c];
            uint64_t time = f->time + isa_distance_bound(inst, written.items[i], (enum isa_consumer)c);
            *ready = time > *ready ? time : *ready;
        }
}

/* ---- one instruction --------------------------------------------------------------------------------------------- */

static bool enter_block(struct fill *f, size_t *index, struct need *need)
{
    need->wait |= open_counters(f) | f->explicit_sbs;
    return hold_until(f, index, last_result(f));
}

static bool meet_needs(struct fill *f, size_t *index, const struct need *need)
{
    if (!hold_until(f, index, need->time))
        return false;
    struct statement *s = &function_of(f)->code[*index];
    if (!s->has_control) {
        s->filled = s->has_control = true;
        s->control = (struct isa_control){.write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB, .wait = need->wait};
    } else if (need->wait & ~s->control.wait) {
        if (!insert_nop(f, *index, need->wait & (uint8_t)~s->control.wait, 1))
            return false;
        (*index)++;
        f->time++;
    }
    forget_counters(f, need->wait | function_of(f)->code[*index].control.wait);
    return true;
}

/* Branches and barriers are given the 5 that compilers give. Behind the others a wait must see the counter raised. */
static unsigned least_stall(const struct fill *f, const struct isa_inst *inst)
{
    enum { PLAIN = 1, CONTROL = 5 };
    if (has_flag(inst, ISA_BRANCH | ISA_EXIT | ISA_BARRIER | ISA_MEMBAR | ISA_DEPBAR))
        return CONTROL;
    return is_variable(f, inst) || info_of(inst)->pipe == ISA_PIPE_CBU ? ISA_COUNTER_VISIBLE : PLAIN;
}

static unsigned stall_of(const struct fill *f, const struct isa_inst *inst)
{
    unsigned stall = least_stall(f, inst);
    uint64_t last = has_flag(inst, ISA_BRANCH) ? last_result(f) : 0;
    return last > f->time + stall ? (unsigned)(last - f->time) : stall;
}

/* Inside of .exact: the author decides the distance to the instruction before. */
static bool is_exact(struct fill *f, size_t index)
{
    const struct statement *s = &function_of(f)->code[index];
    return s->exact && index > 0 && s[-1].exact;
}

static bool fill_one(struct fill *f, size_t *index)
{
    struct isa_inst inst;
    struct need need = {0};
    decode(f, *index, &inst);
    bool own = !function_of(f)->code[*index].has_control, known = inst.op != ISA_INVALID;
    if (own && (!known || isa_latency_told(info_of(&inst)->latency) != ISA_TOLD)) {
        const struct statement *s = &function_of(f)->code[*index];
        return diagnose(f->errors, s->line, s->column, "the control bits of %s must be written",
                        known ? isa_op_info((enum isa_op)inst.op)->name : "this word");
    }
    bool exact = is_exact(f, *index);
    if (f->target[*index] && !exact && !enter_block(f, index, &need))
        return false;
    if (known && !exact) {
        const struct isa_control *written = &function_of(f)->code[*index].control;
        struct need operands = needs_of(f, &inst, own ? ISA_STALL_MOST : written->stall);
        need.time = operands.time;
        need.wait |= operands.wait;
    }
    if (!meet_needs(f, index, &need))
        return false;
    struct isa_control *control = &function_of(f)->code[*index].control;
    if (own) {
        choose_counter(f, &inst, control);
        control->stall = (uint8_t)stall_of(f, &inst);
    }
    if (known)
        note_results(f, &inst, control);
    f->time += control->stall > 0 ? control->stall : 1;
    return true;
}

/* ---- the function ------------------------------------------------------------------------------------------------ */

/* Counters that DEPBAR names hold the groups that it counts, and nothing else. */
static void find_counters(struct fill *f)
{
    f->usable = ALL_COUNTERS;
    for (size_t i = 0; i < function_of(f)->count; i++) {
        struct isa_inst inst;
        char text[ISA_TEXT];
        const struct statement *s = &function_of(f)->code[i];
        if (s->has_control) {
            f->explicit_sbs |= (uint8_t)(s->control.write_sb < ISA_COUNTERS ? 1u << s->control.write_sb : 0u);
            f->explicit_sbs |= (uint8_t)(s->control.read_sb < ISA_COUNTERS ? 1u << s->control.read_sb : 0u);
        }
        decode(f, i, &inst);
        if (inst.op == ISA_INVALID || !(isa_op_info((enum isa_op)inst.op)->flags & ISA_DEPBAR))
            continue;
        isa_print(&inst, text);
        const char *name = strstr(text, "SB");
        if (name && name[2] >= '0' && name[2] < '0' + ISA_COUNTERS)
            f->usable &= (uint8_t) ~(1u << (name[2] - '0'));
    }
    f->usable = f->usable ? f->usable : ALL_COUNTERS;
    f->explicit_sbs &= f->usable;
}

/* Long stall counts exist only with the yield hint, and operands stay in the reuse cache only without it. */
static void settle_hints(struct function *function)
{
    for (size_t i = 0; i < function->count; i++) {
        struct statement *s = &function->code[i];
        if (!s->filled)
            continue;
        s->control.yield = s->control.stall >= ISA_YIELD_FROM;
        s->drop_reuse = s->control.yield;
    }
}

static bool make_nop(struct fill *f)
{
    struct isa_asm_error error;
    return isa_assemble(f->assembler, "NOP", 3, 0, NULL, NULL, &f->nop, &error);
}

bool schedule_fill(struct program *program, uint32_t function, const struct isa_assembler *assembler,
                   struct diagnostics *errors)
{
    struct fill *f = calloc(1, sizeof *f);
    bool ok = f != NULL;
    program->failed |= !f;
    if (!f)
        return false;
    *f = (struct fill){
        .program = program, .function = function, .assembler = assembler, .errors = errors, .sm = program->sm};
    ok = find_targets(f) && make_nop(f);
    program->failed |= !ok;
    if (ok)
        find_counters(f);
    for (size_t i = 0; ok && i < function_of(f)->count; i++)
        ok = fill_one(f, &i);
    if (ok)
        settle_hints(function_of(f));
    free(f->target);
    free(f);
    return ok;
}

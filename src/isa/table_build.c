#include "isa/table_build.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct table_work {
    atomic_flag busy; /* a thread builds: for some microseconds. A child forked meanwhile would wait for ever */
    atomic_bool built[TABLE_OPCODES];
    uint32_t elements, steps; /* used */
};

bool table_work_create(struct isa_decoder *d)
{
    size_t entries = d->entries + 1u;
    d->element = malloc(entries * TABLE_ELEMENTS * sizeof *d->element);
    d->step = malloc(entries * TABLE_STEPS * sizeof *d->step);
    d->template = malloc(entries * sizeof *d->template);
    d->template_bytes = sizeof *d->template;
    d->work = calloc(1, sizeof *d->work);
    if (d->work)
        atomic_flag_clear(&d->work->busy);
    return d->element && d->step && d->template && d->work;
}

void table_work_destroy(struct isa_decoder *d)
{
    free(d->element);
    free(d->step);
    free(d->template);
    free(d->work);
}

/* ---- an entry ---------------------------------------------------------------------------------------------------- */

static void add_condition(struct table_entry *entry, const struct syntax_element *e)
{
    unsigned bit = syntax_field_width(&e->field);
    for (unsigned i = 0; i < e->field.pieces; i++) {
        for (unsigned at = e->field.high[i] + 1u; at-- > e->field.low[i];) {
            uint64_t wanted = e->value >> --bit & 1u;
            uint64_t *mask = at < 64 ? &entry->mask.lo : &entry->mask.hi;
            uint64_t *value = at < 64 ? &entry->value.lo : &entry->value.hi;
            *mask |= UINT64_C(1) << (at & 63);
            *value |= wanted << (at & 63);
        }
    }
}

static void make_template(const struct isa_decoder *d, const struct table_entry *entry, struct isa_inst *out)
{
    *out = (struct isa_inst){.word = entry->value,
                             .op = table_row(entry)->op,
                             .encoding = entry->encoding,
                             .ureg_base = ISA_URZ,
                             .ureg_descriptor = ISA_URZ};
    out->guard.present = true;
    out->guard.uniform = isa_op_info((enum isa_op)out->op)->flags & ISA_UNIFORM;
    syntax_decode(&d->element[entry->first], entry->count, out);
}

/* Returns NULL, or the error in the row: the rest of its text, or "" if the room is too small. */
static const char *build_entry(const struct isa_decoder *d, struct table_entry *entry)
{
    const struct isa_encoding *row = table_row(entry);
    struct table_work *w = d->work;
    struct program_step steps[PROGRAM_STEPS];
    struct syntax_row compiled;
    const char *wrong =
        syntax_compile(row->text, (enum syntax_form)entry->form, row->forms & SET_ADD, d->sm, &compiled);
    if (wrong)
        return wrong;
    unsigned count = program_compile(compiled.element, compiled.count, &entry->program, steps);
    if (w->elements + compiled.count > d->entries * TABLE_ELEMENTS || w->steps + count > d->entries * TABLE_STEPS)
        return "";
    memcpy(d->element + w->elements, compiled.element, compiled.count * sizeof *d->element);
    memcpy(d->step + w->steps, steps, count * sizeof *steps);
    entry->first = w->elements;
    entry->count = compiled.count;
    entry->program.first = w->steps;
    for (unsigned i = 0; i < compiled.count; i++)
        if (compiled.element[i].kind == ELEMENT_CONDITION)
            add_condition(entry, &compiled.element[i]);
    w->elements += compiled.count;
    w->steps += count;
    make_template(d, entry, &d->template[entry - d->entry]);
    return NULL;
}

/* ---- opcodes ----------------------------------------------------------------------------------------------------- */

/* *bad: the wrong entry. */
static const char *build_opcode(const struct isa_decoder *d, unsigned opcode, const struct table_entry **bad)
{
    const char *wrong = NULL;
    while (atomic_flag_test_and_set_explicit(&d->work->busy, memory_order_acquire))
        sched_yield();
    bool built = atomic_load_explicit(&d->work->built[opcode], memory_order_relaxed);
    for (uint16_t i = d->by_opcode[opcode]; !built && !wrong && i != TABLE_END; i = d->entry[i].next) {
        *bad = &d->entry[i];
        wrong = build_entry(d, &d->entry[i]);
    }
    atomic_store_explicit(&d->work->built[opcode], true, memory_order_release);
    atomic_flag_clear_explicit(&d->work->busy, memory_order_release);
    return wrong;
}

/* The tests build all rows of all architectures, so that no row is wrong here. */
static inline void need_opcode(const struct isa_decoder *d, unsigned opcode)
{
    if (atomic_load_explicit(&d->work->built[opcode], memory_order_acquire))
        return;
    const struct table_entry *bad;
    const char *wrong = build_opcode(d, opcode, &bad);
    assert(!wrong);
    (void)wrong;
}

uint16_t table_opcode(const struct isa_decoder *d, unsigned opcode)
{
    if (d->by_opcode[opcode] != TABLE_END)
        need_opcode(d, opcode);
    return d->by_opcode[opcode];
}

void table_need(const struct isa_decoder *d, const struct table_entry *entry) { need_opcode(d, entry->opcode); }

bool table_build_all(const struct isa_decoder *d, struct status *status)
{
    for (unsigned opcode = 0; opcode < TABLE_OPCODES; opcode++) {
        const struct table_entry *bad = NULL;
        const char *wrong = build_opcode(d, opcode, &bad);
        if (wrong && *wrong)
            return status_fail(status, STATUS_FORMAT, "encodings.def: \"%s\" cannot be read from \"%s\" on",
                               table_row(bad)->text, wrong);
        if (wrong)
            return status_fail(status, STATUS_FORMAT, "sm_%u: its rows need more than TABLE_ELEMENTS or TABLE_STEPS",
                               d->sm);
    }
    return true;
}

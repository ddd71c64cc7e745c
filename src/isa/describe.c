#include "isa/describe.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/forms.h"
#include "isa/table.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

unsigned isa_architecture(unsigned index)
{
    for (unsigned sm = 0; sm <= UINT8_MAX; sm++)
        if (isa_supported(sm) && index-- == 0)
            return sm;
    return 0;
}

uint32_t describe_architectures(enum isa_op op)
{
    uint32_t found = 0;
    for (unsigned i = 0; isa_architecture(i); i++)
        for (unsigned r = 0; r < isa_encoding_count; r++)
            if (isa_encodings[r].op == op && isa_encodings[r].first_sm <= isa_architecture(i) &&
                isa_encodings[r].last_sm >= isa_architecture(i))
                found |= UINT32_C(1) << i;
    return found;
}

static void append(char *out, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void append(char *out, size_t room, const char *format, ...)
{
    size_t used = strlen(out);
    va_list args;
    va_start(args, format);
    vsnprintf(out + used, room - used, format, args);
    va_end(args);
}

void describe_architectures_text(uint32_t architectures, char *out, size_t room)
{
    out[0] = '\0';
    for (unsigned i = 0; architectures >> i; i++) {
        unsigned last = i;
        if (!(architectures >> i & 1))
            continue;
        while (architectures >> (last + 1) & 1)
            last++;
        append(out, room, "%ssm_%u", out[0] ? ", " : "", isa_architecture(i));
        if (last > i)
            append(out, room, "%ssm_%u", last == i + 1 ? ", " : "-", isa_architecture(last));
        i = last;
    }
}

const char *describe_value(const struct describe_field *field, unsigned value)
{
    const char *other;
    return field->names < NAMES_COUNT ? isa_value_name((enum isa_names)field->names, value, &other) : NULL;
}

const char *describe_latency(enum isa_latency latency)
{
    static const char *const names[] = {
#define X(id, range, told, reuse, consumer, result, text) #id,
        ISA_LATENCIES(X)
#undef X
    };
    return names[latency];
}

const char *describe_memory(enum isa_memory memory)
{
    static const char *const names[] = {"none", "load", "store", "atomic", "reduction", "asynchronous copy", "shuffle"};
    return names[memory];
}

const char *describe_space(enum isa_space space)
{
    static const char *const names[] = {"none", "global", "shared", "local", "constant", "generic"};
    return names[space];
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static void element_name(const struct syntax_element *e, char name[static DESCRIBE_NAME])
{
    const char *text = "";
    switch (e->kind) {
    case ELEMENT_MODIFIER: text = isa_modifier_name((enum isa_modifier)e->role); break;
    case ELEMENT_UREG_BASE: text = "UR"; break;
    case ELEMENT_DESCRIPTOR: text = "descriptor"; break;
    case ELEMENT_OFFSET: text = "offset"; break;
    case ELEMENT_BANK: text = "bank"; break;
    case ELEMENT_HANDLE: text = "handle"; break;
    case ELEMENT_CONSTANT_OFFSET: text = "offset"; break;
    case ELEMENT_TARGET:
    case ELEMENT_ABSOLUTE: text = "target"; break;
    case ELEMENT_BARRIER: text = "barrier"; break;
    case ELEMENT_CONDITION: text = "fixed"; break;
    case ELEMENT_UNUSED: text = "unused"; break;
    default: break;
    }
    bool uniform = e->flags & ELEMENT_UNIFORM;
    if (e->kind == ELEMENT_PREDICATE)
        snprintf(name, DESCRIBE_NAME, "%sP%c", uniform ? "U" : "", "uvpqr"[e->role]);
    else if (e->kind == ELEMENT_OPERAND && e->operand == ISA_IMM)
        snprintf(name, DESCRIBE_NAME, "immediate");
    else if (e->kind == ELEMENT_OPERAND)
        snprintf(name, DESCRIBE_NAME, "%sR%c", e->operand == ISA_UREG ? "U" : "", "dabcefg"[e->role]);
    else
        snprintf(name, DESCRIBE_NAME, "%s", text);
}

static struct describe_field *add_field(struct describe_form *form, const struct syntax_field *field,
                                        const char *before, const char *name, const char *after)
{
    if (form->count == DESCRIBE_FIELDS)
        return NULL;
    struct describe_field *f = &form->field[form->count++];
    *f = (struct describe_field){.names = UINT16_MAX, .width = syntax_field_width(field)};
    append(f->name, sizeof f->name, "%s%s%s", before, name, after);
    for (unsigned i = 0; i < field->pieces; i++) {
        append(f->bits, sizeof f->bits, "%s%u", i ? "," : "", field->high[i]);
        if (field->low[i] != field->high[i])
            append(f->bits, sizeof f->bits, ":%u", field->low[i]);
    }
    return f;
}

/* Where arithmetic has its constant operand. */
static void add_constant(struct describe_form *form, const struct syntax_element *e)
{
    static const struct syntax_field bank = {.pieces = 1, .high = {58}, .low = {54}},
                                     handle = {.pieces = 1, .high = {37}, .low = {32}};
    add_field(form, e->operand == ISA_CONST ? &bank : &handle, "", e->operand == ISA_CONST ? "bank" : "handle", "");
    add_field(form, &e->field, "", "offset / 4", "");
}

static void add_bit(struct describe_form *form, unsigned bit, const char *before, const char *name, const char *after)
{
    struct syntax_field field = {.pieces = 1, .high = {(uint8_t)bit}, .low = {(uint8_t)bit}};
    if (bit)
        add_field(form, &field, before, name, after);
}

/* The parts of an address are decoded before it prints them. */
static bool is_part(const struct syntax_element *element, unsigned count, unsigned index)
{
    for (unsigned i = index + 1; i < count; i++)
        if (i - element[i].members <= index)
            return true;
    return false;
}

static void add_element(struct describe_form *form, const struct syntax_element *e, bool part)
{
    char name[DESCRIBE_NAME];
    bool constant = e->kind == ELEMENT_OPERAND && (e->operand == ISA_CONST || e->operand == ISA_CONST_BINDLESS);
    if (e->kind == ELEMENT_ADDRESS || e->kind == ELEMENT_CONSTANT)
        return;
    element_name(e, name);
    if (constant) {
        snprintf(name, sizeof name, "constant");
        add_constant(form, e);
    } else if (e->field.pieces) {
        struct describe_field *f = add_field(form, &e->field, "", name, "");
        if (!f)
            return;
        f->hidden = (e->flags & ELEMENT_HIDDEN) && !part;
        f->fixed = e->kind == ELEMENT_CONDITION;
        f->value = e->value;
        if (e->kind == ELEMENT_MODIFIER && e->style == STYLE_NAME)
            f->names = e->names;
    }
    if (e->kind != ELEMENT_OPERAND && e->kind != ELEMENT_PREDICATE)
        return;
    const char *sign = e->kind == ELEMENT_PREDICATE ? "!" : e->flags & ELEMENT_INVERTS ? "~" : "-";
    add_bit(form, e->negate, sign, name, "");
    add_bit(form, e->absolute, "|", name, "|");
    if (e->swizzle.pieces)
        add_field(form, &e->swizzle, "part of ", name, "");
}

/* ---- forms ------------------------------------------------------------------------------------------------------- */

/* The disassembler's line names its registers. Addresses are made of registers that are read. */
static void note_access(struct describe_form *form, const struct syntax_element *e)
{
    char name[DESCRIBE_NAME];
    bool predicate = e->kind == ELEMENT_PREDICATE;
    bool constant = e->kind == ELEMENT_CONSTANT || e->kind == ELEMENT_BANK;
    if (!predicate && e->kind != ELEMENT_OPERAND && e->kind != ELEMENT_UREG_BASE && e->kind != ELEMENT_DESCRIPTOR &&
        !constant)
        return;
    bool written = predicate ? e->role == ROLE_PU || e->role == ROLE_PV : e->flags & ELEMENT_DESTINATION;
    if (e->kind == ELEMENT_OPERAND && e->role == ROLE_D)
        written = true;
    if (e->kind == ELEMENT_OPERAND && e->operand == ISA_IMM)
        return;
    element_name(e, name);
    if (constant || (e->kind == ELEMENT_OPERAND && (e->operand == ISA_CONST || e->operand == ISA_CONST_BINDLESS)))
        snprintf(name, sizeof name, "constant");
    char *list = written ? form->writes : form->reads;
    size_t room = sizeof form->reads;
    if (!strstr(list, name))
        append(list, room, "%s%s", list[0] ? ", " : "", name);
}

static void describe_entry(const struct isa_decoder *table, const struct table_entry *entry, struct describe_form *form)
{
    table_need(table, entry);
    *form = (struct describe_form){.op = (enum isa_op)table_row(entry)->op, .opcode = entry->opcode};
    const struct syntax_element *element = &table->element[entry->first];
    forms_print_modifiers(element, entry->count, form->text, sizeof form->text);
    for (unsigned i = 0; i < entry->count; i++) {
        add_element(form, &element[i], is_part(element, entry->count, i));
        note_access(form, &element[i]);
    }
}

static bool same_form(const struct describe_form *a, const struct describe_form *b)
{
    if (a->op != b->op || a->opcode != b->opcode || a->count != b->count || strcmp(a->text, b->text) != 0)
        return false;
    for (unsigned i = 0; i < a->count; i++) {
        const struct describe_field *f = &a->field[i], *g = &b->field[i];
        if (f->names != g->names || f->value != g->value || strcmp(f->name, g->name) != 0 ||
            strcmp(f->bits, g->bits) != 0)
            return false;
    }
    return true;
}

static bool add_form(struct describe_forms *forms, const struct describe_form *form, unsigned architecture)
{
    struct describe_form *at = forms->form, *end = at + forms->count;
    while (at < end && !same_form(at, form))
        at++;
    if (at == end) {
        if (forms->count == forms->room) {
            size_t room = forms->room ? 2 * forms->room : 16;
            struct describe_form *grown = realloc(forms->form, room * sizeof *grown);
            if (!grown)
                return false;
            forms->form = grown;
            forms->room = room;
        }
        at = &forms->form[forms->count++];
        *at = *form;
    }
    at->architectures |= UINT32_C(1) << architecture;
    return true;
}

static bool describe_table(const char *mnemonic, unsigned architecture, struct describe_forms *out,
                           struct status *status)
{
    struct isa_decoder *table = isa_decoder_create(isa_architecture(architecture), status);
    struct describe_form *form = table ? malloc(sizeof *form) : NULL;
    bool ok = form;
    for (unsigned i = 0; ok && i < table->entries; i++) {
        if (strcmp(isa_op_info((enum isa_op)table_row(&table->entry[i])->op)->name, mnemonic) != 0)
            continue;
        describe_entry(table, &table->entry[i], form);
        ok = add_form(out, form, architecture);
    }
    free(form);
    isa_decoder_destroy(table);
    return ok || (table && status_fail(status, STATUS_MEMORY, "no memory to describe %.40s", mnemonic));
}

bool describe_mnemonic(const char *mnemonic, unsigned sm, struct describe_forms *out, struct status *status)
{
    *out = (struct describe_forms){0};
    if (sm && !isa_supported(sm))
        return status_fail(status, STATUS_UNSUPPORTED, "no instruction table for sm_%u", sm);
    for (unsigned i = 0; isa_architecture(i); i++)
        if ((sm == 0 || sm == isa_architecture(i)) && !describe_table(mnemonic, i, out, status))
            return false;
    return true;
}

void describe_free(struct describe_forms *forms)
{
    free(forms->form);
    *forms = (struct describe_forms){0};
}

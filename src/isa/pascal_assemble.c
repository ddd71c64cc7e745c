/* A line of text against the rows in pascal_encodings.def. */
#include "isa/pascal_assembly.h"

#include <stdio.h>
#include <string.h>

enum { OPCODE_LOW = 48, GUARD_LOW = 16, REUSE_LOW = 64, WORD_BITS = 68, ALL_NAMES = 256 };

/* ---- the row's text ---------------------------------------------------------------------------------------------- */

static bool match(const struct pascal_reading *r, const char *at, bool mnemonic, struct draft d);

static size_t letters(const char *at)
{
    size_t n = 0;
    while (assembly_letter(at[n]))
        n++;
    return n;
}

/* The part of a row between braces: the text before the item, the item, and the text behind it. */
struct braces {
    const char *before, *item, *after, *end;
    size_t before_length;
};

static struct braces read_braces(const char *at)
{
    struct braces b = {.before = at, .before_length = strspn(at, " ,.")};
    b.item = at + b.before_length;
    b.end = strchr(b.item, '}');
    return b;
}

static bool match_behind(const struct pascal_reading *r, const struct braces *b, bool mnemonic, struct draft d)
{
    return attempt_literal(r->a, &d, b->after, (size_t)(b->end - b->after)) && match(r, b->end + 1, mnemonic, d);
}

/* Tries every value that has a name, with the name; and then every value whose name is empty, without. */
static bool match_name(const struct pascal_reading *r, struct braces *b, bool mnemonic, const struct draft *start)
{
    size_t length = letters(b->item);
    b->after = b->item + length;
    struct syntax_field field = pascal_take_field(&b->after);
    unsigned values = 1u << syntax_field_width(&field);
    bool good = false;
    for (unsigned v = 0; v < values && v < ALL_NAMES && !good; v++) {
        char name[PASCAL_NAME_TEXT];
        struct draft d = *start;
        good = pascal_name(b->item, length, v, name) && attempt_literal(r->a, &d, b->before, b->before_length) &&
               (attempt_word(r->a, &d, name) || attempt_expect(r->a, d.at, name)) && draft_set(&d, &field, v) &&
               match_behind(r, b, mnemonic, d);
    }
    for (unsigned v = 0; v < values && v < ALL_NAMES && !good; v++) {
        char name[PASCAL_NAME_TEXT];
        struct draft d = *start;
        good = !pascal_name(b->item, length, v, name) && draft_set(&d, &field, v) && match(r, b->end + 1, mnemonic, d);
    }
    return good;
}

static bool match_braces(const struct pascal_reading *r, const char *at, bool mnemonic, const struct draft *start)
{
    struct braces b = read_braces(at);
    struct draft d = *start;
    if (*at == '@') { /* the opcode's, and so are its bits */
        return match(r, b.end + 1, mnemonic, d);
    }
    if (!pascal_item_starts(b.item, true))
        return match_name(r, &b, mnemonic, start);
    b.after = b.item;
    if (attempt_literal(r->a, &d, b.before, b.before_length) && pascal_take_item(r, &b.after, &d) &&
        match_behind(r, &b, mnemonic, d))
        return true;
    d = *start;
    b.after = b.item;
    return pascal_omit_item(r, &b.after, &d) && match(r, b.end + 1, mnemonic, d);
}

/* ---- the finished word ------------------------------------------------------------------------------------------- */

static bool check_forced(const struct attempt *a, size_t column)
{
    if (a->forced.hi >> (WORD_BITS - REUSE_LOW))
        return attempt_fail(a, a->length, column, "an instruction has bits 0 to 63, and 64 to 67 are its reuse bits");
    return true;
}

/* Bits that are not printed, where the row says that they are not 0. */
static void set_hidden(const struct pascal_row *row, struct draft *d)
{
    for (const char *at = strstr(row->text, "{@"); at; at = strstr(at, "{@")) {
        at += 2;
        struct syntax_field field = pascal_take_field(&at);
        if (*at++ == '~')
            draft_set(d, &field, pascal_number(&at));
    }
}

static bool finish(const struct pascal_reading *r, struct draft *d)
{
    struct attempt *a = r->a;
    struct pascal_inst inst;
    d->at = attempt_skip(a, d->at);
    size_t column = d->at;
    if (!attempt_forced(a, d) || !check_forced(a, column))
        return false;
    d->at = attempt_skip(a, d->at);
    if (d->at != a->length)
        return attempt_expect(a, d->at, "the end of the line");
    set_hidden(r->row, d);
    if (!pascal_decode(r->sm, d->word.lo, 0, 8, &inst) || &pascal_rows[inst.row] != r->row || inst.form != r->form)
        return attempt_fail(a, a->length, 0, "these modifiers and operands do not go together");
    a->result = *d;
    return true;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

/* The row from `at` on against the line from d.at on. In the mnemonic letters stand for themselves. */
static bool match(const struct pascal_reading *r, const char *at, bool mnemonic, struct draft d)
{
    while (*at) {
        mnemonic = mnemonic && *at != ' ';
        if (*at == '{')
            return match_braces(r, at + 1, mnemonic, &d);
        if (!mnemonic && pascal_item_starts(at, false)) {
            if (!pascal_take_item(r, &at, &d))
                return false;
            continue;
        }
        size_t n = mnemonic ? strcspn(at, "{ ") : letters(at);
        n += n == 0;
        if (!attempt_literal(r->a, &d, at, n))
            return false;
        at += n;
    }
    return finish(r, &d);
}

/* Sets the bits that the form, the row's conditions and the guard decide. */
static bool begin(const struct pascal_reading *r, struct isa_predicate guard, struct draft *d)
{
    const struct pascal_row *row = r->row;
    unsigned opcode = pascal_opcode(row, r->form), mask = pascal_mask(row, r->form);
    for (unsigned bit = 0; bit < 16; bit++)
        if (mask >> bit & 1)
            draft_set_bits(d, OPCODE_LOW + bit, OPCODE_LOW + bit, opcode >> bit & 1);
    for (const char *at = strstr(row->text, "{@"); at; at = strstr(at, "{@")) {
        at += 2;
        struct syntax_field field = pascal_take_field(&at);
        bool condition = *at++ == '=';
        unsigned value = pascal_number(&at);
        if (condition && !draft_set(d, &field, value))
            return false;
    }
    if (*row->text == '!')
        return guard.index == ISA_PT && !guard.inverted;
    return draft_set_bits(d, GUARD_LOW + 2, GUARD_LOW, guard.index) &&
           draft_set_bits(d, GUARD_LOW + 3, GUARD_LOW + 3, guard.inverted);
}

static bool try_row(struct pascal_reading *r, size_t at, struct isa_predicate guard)
{
    const char *text = r->row->text + (*r->row->text == '!');
    unsigned forms = r->row->forms ? r->row->forms : PASCAL_R;
    for (r->form = PASCAL_R; r->form <= PASCAL_CR; r->form *= 2) {
        struct draft d = {.at = at};
        if ((forms & r->form) && begin(r, guard, &d) && match(r, text, true, d))
            return true;
    }
    return *r->row->text == '!' && guard.index != ISA_PT ? attempt_fail(r->a, at, 0, "this instruction takes no guard")
                                                         : false;
}

static bool is_named(const struct pascal_row *row, unsigned sm, const char *name, size_t length)
{
    const char *text = row->text + (*row->text == '!');
    return sm >= row->first && sm <= row->last && letters(text) == length && memcmp(text, name, length) == 0;
}

static bool scan_rows(struct attempt *a, unsigned sm, size_t at, size_t name, struct isa_predicate guard, bool *known)
{
    *known = false;
    for (unsigned i = 0; i < pascal_row_count(); i++) {
        struct pascal_reading r = {.a = a, .row = &pascal_rows[i], .sm = sm};
        if (!is_named(r.row, sm, a->text + at, name))
            continue;
        *known = true;
        if (try_row(&r, at, guard))
            return true;
    }
    return false;
}

bool pascal_assemble(struct attempt *a, unsigned sm, size_t at, size_t name, struct isa_predicate guard, bool *known)
{
    *known = true;
    if (guard.uniform)
        return attempt_fail(a, at, 1, "the guard of this instruction is the thread's own predicate");
    a->identifiers = false;
    if (scan_rows(a, sm, at, name, guard, known))
        return true;
    a->identifiers = true;
    return *known && scan_rows(a, sm, at, name, guard, known);
}

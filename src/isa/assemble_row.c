/* A line read along the elements of one row. Where an element may be left out, or two names begin alike, one way is
 * tried after the other. */
#include "isa/assembly.h"

#include <stdio.h>
#include <string.h>

/* ---- names of values --------------------------------------------------------------------------------------------- */

enum { MANY_NAMES = 12, VALUES = 256 };

static void expect_name(const struct attempt *a, size_t column, const char *before, size_t length, const char *name)
{
    char phrase[ASSEMBLY_PHRASE];
    while (length > 0 && (*before == ' ' || *before == ',')) {
        before++;
        length--;
    }
    snprintf(phrase, sizeof phrase, "%.*s%s", (int)length, before, name);
    attempt_expect(a, column, phrase);
}

static size_t common_start(const struct attempt *a, size_t at, const char *name)
{
    size_t n = 0;
    while (name[n] && attempt_char(a, at + n) == name[n])
        n++;
    return n;
}

/* Says which names could stand here, unless the text goes on after a value without a name. */
static void expect_names(const struct attempt *a, const struct draft *d, enum isa_names names, const char *before,
                         size_t length)
{
    unsigned count = 0;
    bool may_be_empty = false;
    const char *name, *other, *any = NULL;
    size_t best = 0;
    for (unsigned value = 0; value < VALUES; value++) {
        name = isa_value_name(names, value, &other);
        count += name && *name;
        may_be_empty |= name && !*name;
        size_t common = name && *name ? 1 + common_start(a, d->at, name) : 0;
        any = common > best ? name : any;
        best = common > best ? common : best;
    }
    if (may_be_empty && attempt_char(a, d->at) != '.')
        return;
    for (unsigned value = 0; count <= MANY_NAMES && value < VALUES; value++)
        if ((name = isa_value_name(names, value, &other)) && *name)
            expect_name(a, d->at, before, length, name);
    if (count > MANY_NAMES)
        expect_name(a, d->at, "a name such as ", 15, any);
}

/* Length of the text after which the name of `value` ends here, or 0. In *empty whether it has the empty name. */
static size_t name_length(const struct attempt *a, const struct draft *d, enum isa_names names, unsigned value,
                          bool *empty)
{
    const char *other, *name = isa_value_name(names, value, &other);
    char numbered[32];
    struct draft next = *d;
    *empty = name && !*name;
    if (!name) {
        snprintf(numbered, sizeof numbered, "%s%u", other, value);
        name = numbered;
    }
    return *name && attempt_word(a, &next, name) ? next.at - d->at : 0;
}

/* Like attempt_literal, but the literal may be missing. */
static bool stands_here(const struct attempt *a, struct draft *d, const char *literal, size_t length)
{
    struct failure ignored = {0};
    struct attempt quiet = *a;
    quiet.failure = &ignored;
    return attempt_literal(&quiet, d, literal, length);
}

bool attempt_name(const struct attempt *a, struct draft *d, enum isa_names names, const char *before, size_t length,
                  const struct syntax_field *field, unsigned skip)
{
    struct draft next = *d;
    bool here = stands_here(a, &next, before, length), empty;
    unsigned values = syntax_field_width(field) >= 8 ? VALUES : 1u << syntax_field_width(field), none = VALUES;
    size_t bound = SIZE_MAX;
    for (unsigned round = 0; round <= skip; round++) {
        size_t longest = 0;
        unsigned best = 0;
        for (unsigned value = 0; value < values; value++) {
            size_t n = here ? name_length(a, &next, names, value, &empty) : 0;
            if (!here)
                name_length(a, d, names, value, &empty);
            none = empty && none == VALUES ? value : none;
            if (n > longest && n < bound) {
                longest = n;
                best = value;
            }
        }
        bound = longest;
        if (longest && round == skip) {
            next.at += longest;
            *d = next;
            return draft_set(d, field, best);
        }
        if (!longest && round == skip && none != VALUES) {
            expect_names(a, d, names, before, length);
            return draft_set(d, field, none);
        }
        if (!longest)
            break;
    }
    if (skip == 0)
        expect_names(a, d, names, before, length);
    return false;
}

/* ---- modifiers --------------------------------------------------------------------------------------------------- */

static bool read_set(const struct attempt *a, struct draft *d, uint64_t *mask)
{
    *mask = 0;
    if (!attempt_literal(a, d, "{", 1))
        return false;
    do {
        struct assembly_number n;
        d->at = attempt_skip(a, d->at);
        if (!attempt_number(a, d, &n))
            break;
        if (n.negative || n.magnitude > 7)
            return attempt_fail(a, d->at, n.column, "a set has members from 0 to 7");
        *mask |= UINT64_C(1) << n.magnitude;
    } while (attempt_literal(a, d, ",", 1));
    return attempt_literal(a, d, "}", 1);
}

/* Lane 0 of the quad first: signs of A and C, or no A. */
static bool read_signs(const struct attempt *a, struct draft *d, uint64_t *value)
{
    static const char *const names[] = {"PP", "PN", "NP", "ZP"};
    *value = 0;
    for (unsigned lane = 4; lane-- > 0; d->at += 2) {
        unsigned i = 0;
        while (i < 4 && (a->length - d->at < 2 || memcmp(a->text + d->at, names[i], 2) != 0))
            i++;
        if (i == 4)
            return attempt_expect(a, d->at, "PP, PN, NP or ZP");
        *value |= (uint64_t)i << 2 * lane;
    }
    return true;
}

static bool read_modifier(const struct attempt *a, struct draft *d, const struct syntax_element *e, unsigned skip)
{
    struct assembly_number n;
    uint64_t value;
    unsigned width = syntax_field_width(&e->field);
    size_t column = d->at;
    if (e->style == STYLE_NAME)
        return attempt_name(a, d, (enum isa_names)e->names, e->text, e->length, &e->field, skip);
    if (skip > 0 || !attempt_literal(a, d, e->text, e->length))
        return false;
    column = d->at;
    if (e->style == STYLE_SET) {
        if (!read_set(a, d, &value))
            return false;
        if (value >> width)
            return attempt_fail(a, d->at, column, "the members of this set lie below %u", width);
    } else if (e->style == STYLE_SIGNS) {
        if (!read_signs(a, d, &value))
            return false;
    } else if (!attempt_number(a, d, &n)) {
        return attempt_expect(a, column, "a number");
    } else if (!attempt_fit(a, d, &n, width, RANGE_UNSIGNED, &value)) {
        return false;
    }
    return draft_set(d, &e->field, value) ||
           attempt_fail(a, d->at, column, "this value does not fit the rest of the line");
}

static bool read_barrier(const struct attempt *a, struct draft *d, const struct syntax_element *e)
{
    return attempt_name(a, d, NAMES_BARRIER, "", 0, &e->field, 0);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* `skip` counts the ways in which the element was read before; false when there is no further one. */
static bool read_element(const struct attempt *a, struct draft *d, const struct syntax_element *e, unsigned skip)
{
    if (e->kind == ELEMENT_TEXT)
        return skip == 0 && attempt_literal(a, d, e->text, e->length);
    if (e->kind == ELEMENT_MODIFIER)
        return read_modifier(a, d, e, skip) && attempt_literal(a, d, e->after, e->after_length);
    bool apart = e->kind != ELEMENT_ADDRESS && e->kind != ELEMENT_CONSTANT;
    if (skip > 0 || (apart && !attempt_literal(a, d, e->text, e->length)))
        return false;
    bool good = false;
    switch (e->kind) {
    case ELEMENT_OPERAND: good = attempt_operand(a, d, e); break;
    case ELEMENT_PREDICATE: good = attempt_predicate(a, d, e); break;
    case ELEMENT_DESCRIPTOR: good = attempt_descriptor(a, d, e); break;
    case ELEMENT_ADDRESS: good = attempt_address(a, d, e); break;
    case ELEMENT_CONSTANT: good = attempt_constant(a, d, e); break;
    case ELEMENT_TARGET:
    case ELEMENT_ABSOLUTE: good = attempt_target(a, d, e); break;
    case ELEMENT_BARRIER: good = read_barrier(a, d, e); break;
    default: break;
    }
    return good && attempt_literal(a, d, e->after, e->after_length);
}

static bool may_be_left_out(const struct syntax_element *e)
{
    return (e->flags & ELEMENT_OPTIONAL) && e->kind != ELEMENT_ADDRESS;
}

/* The bits of an element that the text does not name. */
static bool leave_out(struct draft *d, const struct syntax_element *e)
{
    switch (e->kind) {
    case ELEMENT_PREDICATE:
        return draft_set(d, &e->field, e->flags & ELEMENT_COMPLEMENT ? 0 : ISA_PT) &&
               (!e->negate || draft_set_bit(d, e->negate, false)) &&
               (!e->uniform_bit || draft_set_bit(d, e->uniform_bit, false));
    case ELEMENT_OPERAND: return draft_set(d, &e->field, e->operand == ISA_IMM ? e->value : UINT64_MAX);
    case ELEMENT_MODIFIER: return draft_set(d, &e->field, e->value);
    default: return draft_set(d, &e->field, 0);
    }
}

static bool row_from(struct attempt *a, unsigned index, struct draft d);

/* Each way of reading the element, and the rest of the line after it. */
static bool element_and_rest(struct attempt *a, unsigned index, const struct draft *d)
{
    const struct syntax_element *e = &a->element[index];
    struct draft next = *d;
    for (unsigned skip = 0; skip < 4; skip++, next = *d)
        if (read_element(a, &next, e, skip) && row_from(a, index + 1, next))
            return true;
    next = *d;
    return may_be_left_out(e) && leave_out(&next, e) && row_from(a, index + 1, next);
}

static bool row_from(struct attempt *a, unsigned index, struct draft d)
{
    for (; index < a->count; index++) {
        const struct syntax_element *e = &a->element[index];
        if (e->kind == ELEMENT_CONDITION || (e->flags & ELEMENT_HIDDEN))
            continue;
        if (e->kind != ELEMENT_TEXT)
            return element_and_rest(a, index, &d);
        if (!read_element(a, &d, e, 0))
            return false;
    }
    a->result = d;
    return attempt_end(a);
}

bool attempt_row(struct attempt *a, struct draft start) { return row_from(a, 0, start); }

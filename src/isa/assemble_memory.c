/* Addresses, indexed constants, branch targets and symbols in one attempt of the assembler. */
#include "isa/assembly.h"

#include <string.h>

/* ---- parts of an address ----------------------------------------------------------------------------------------- */

/* The elements that the brackets stand for. */
struct parts {
    const struct syntax_element *general, *uniform, *offset, *suffix;
};

static struct parts parts_of(const struct syntax_element *whole)
{
    struct parts parts = {0};
    for (const struct syntax_element *e = whole - whole->members; e < whole; e++) {
        switch (e->kind) {
        case ELEMENT_OPERAND:
            if (e->operand == ISA_UREG)
                parts.uniform = e;
            else
                parts.general = e;
            break;
        case ELEMENT_UREG_BASE: parts.uniform = e; break;
        case ELEMENT_OFFSET:
        case ELEMENT_CONSTANT_OFFSET: parts.offset = e; break;
        case ELEMENT_MODIFIER: parts.suffix = e; break;
        default: break;
        }
    }
    return parts;
}

static bool is_zero_register(const struct draft *d, const struct syntax_element *e)
{
    return syntax_field_bits(&e->field, d->word) == (UINT64_C(1) << syntax_field_width(&e->field)) - 1;
}

/* The text behind the register; RZ need not have it. */
static bool read_suffix(const struct attempt *a, struct draft *d, const struct syntax_element *whole,
                        const struct parts *parts)
{
    bool zero = is_zero_register(d, parts->general);
    if (parts->suffix) {
        if (zero && attempt_char(a, d->at) != '.')
            return true;
        return attempt_name(a, d, (enum isa_names)parts->suffix->names, ".", 1, &parts->suffix->field, 0);
    }
    if (whole->length == 0 || (zero && attempt_char(a, d->at) != '.'))
        return true;
    return attempt_literal(a, d, whole->text, whole->length);
}

static bool read_offset(const struct attempt *a, struct draft *d, const struct syntax_element *offset, bool alone)
{
    struct assembly_number n;
    uint64_t value;
    unsigned width = syntax_field_width(&offset->field);
    unsigned unit = offset->kind == ELEMENT_OFFSET && offset->value ? offset->value : 1;
    if (!attempt_number(a, d, &n))
        return attempt_expect(a, d->at, "an offset");
    if (n.magnitude % unit != 0)
        return attempt_fail(a, d->at, n.column, "the offset must be a multiple of %u", unit);
    n.magnitude /= unit;
    return attempt_fit(a, d, &n, width, alone ? RANGE_EITHER : RANGE_SIGNED, &value) &&
           draft_set(d, &offset->field, value);
}

/* The index of a constant may be left out where its row says so. */
static bool needs_uniform(const struct syntax_element *whole, const struct parts *parts)
{
    return parts->uniform && !(whole->kind == ELEMENT_CONSTANT && (whole->flags & ELEMENT_OPTIONAL));
}

/* Terms up to the bracket: a register, a uniform register, an offset, each at most once and in this order. */
static bool read_terms(const struct attempt *a, struct draft *d, const struct syntax_element *whole,
                       const struct parts *parts)
{
    bool general = false, uniform = false, first = true;
    d->at = attempt_skip(a, d->at);
    for (;; first = false) {
        char c = attempt_char(a, d->at);
        if (c == 'R' && parts->general && first) {
            general = true;
            if (!attempt_register(a, d, false, &parts->general->field, 0) || !read_suffix(a, d, whole, parts))
                return false;
        } else if (c == 'U' && parts->uniform && !uniform) {
            uniform = true;
            if (!attempt_register(a, d, true, &parts->uniform->field, 0))
                return false;
        } else if (parts->offset && ((c >= '0' && c <= '9') || c == '-')) {
            if (needs_uniform(whole, parts) && !uniform)
                return attempt_expect(a, d->at, "a uniform register");
            bool alone = !uniform && (!general || is_zero_register(d, parts->general));
            return read_offset(a, d, parts->offset, alone && (whole->style == STYLE_HEX || !parts->general));
        } else {
            attempt_expect(a, d->at, parts->general && first ? "a register" : "an offset");
            return parts->uniform && !uniform && attempt_expect(a, d->at, "a uniform register");
        }
        d->at = attempt_skip(a, d->at);
        c = attempt_char(a, d->at);
        if (c == '-' && parts->offset)
            continue;
        if (c != '+')
            return uniform || !needs_uniform(whole, parts) || attempt_expect(a, d->at, "'+' and a uniform register");
        d->at = attempt_skip(a, d->at + 1);
    }
}

static bool has_bits(const struct draft *d, const struct syntax_field *field)
{
    return syntax_field_bits(field, d->written) != 0;
}

/* Where a register is not named it is RZ, of 64 bits beside a uniform address. The rest is 0. */
static bool set_missing(struct draft *d, const struct parts *parts)
{
    if (parts->general && !has_bits(d, &parts->general->field))
        if (!draft_set(d, &parts->general->field, UINT64_MAX))
            return false;
    if (parts->uniform && !has_bits(d, &parts->uniform->field))
        if (!draft_set(d, &parts->uniform->field, UINT64_MAX))
            return false;
    return (!parts->offset || has_bits(d, &parts->offset->field) || draft_set(d, &parts->offset->field, 0)) &&
           (!parts->suffix || has_bits(d, &parts->suffix->field) ||
            draft_set(d, &parts->suffix->field, parts->suffix->role == ISA_MOD_ADDRESS_TYPE));
}

bool attempt_address(const struct attempt *a, struct draft *d, const struct syntax_element *e)
{
    struct parts parts = parts_of(e);
    size_t column = d->at;
    if (!attempt_literal(a, d, "[", 1) || !read_terms(a, d, e, &parts) || !attempt_literal(a, d, "]", 1) ||
        !set_missing(d, &parts))
        return false;
    d->column[e->role] = (uint16_t)column;
    return true;
}

bool attempt_constant(const struct attempt *a, struct draft *d, const struct syntax_element *e)
{
    const struct syntax_element *first = e - e->members;
    struct parts parts = parts_of(e);
    if (first->kind == ELEMENT_HANDLE) {
        if (!attempt_literal(a, d, "cx[", 3) || !attempt_register(a, d, true, &first->field, 0))
            return false;
    } else {
        struct assembly_number n;
        uint64_t value;
        if (!attempt_literal(a, d, "c[", 2))
            return false;
        if (!attempt_number(a, d, &n))
            return attempt_expect(a, d->at, "a number");
        if (!attempt_fit(a, d, &n, syntax_field_width(&first->field), RANGE_UNSIGNED, &value) ||
            !draft_set(d, &first->field, value))
            return false;
    }
    return attempt_literal(a, d, "][", 2) && read_terms(a, d, e, &parts) && attempt_literal(a, d, "]", 1) &&
           set_missing(d, &parts);
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

static bool symbol_letter(char c) { return assembly_letter(c) || c == '.' || c == '$' || c == '@'; }

/* The length of the text between balanced parentheses, or 0. */
static size_t in_parentheses(const struct attempt *a, size_t at)
{
    unsigned open = 1;
    for (size_t i = at; i < a->length; i++) {
        open += a->text[i] == '(';
        open -= a->text[i] == ')';
        if (open == 0)
            return i - at;
    }
    return 0;
}

static bool names_register(const char *name, size_t length)
{
    size_t prefix = length > 1 && name[0] == 'U';
    if (length < prefix + 2 || !strchr("RP", name[prefix]))
        return false;
    return (name[prefix + 1] >= '0' && name[prefix + 1] <= '9') ||
           (length == prefix + 2 && strchr("ZT", name[prefix + 1]));
}

static bool read_symbol(const struct attempt *a, struct draft *d, struct isa_symbol *symbol)
{
    static const struct {
        const char *opening;
        enum isa_symbol_use use;
    } forms[] = {{"`(", ISA_SYMBOL_VALUE}, {"32@lo(", ISA_SYMBOL_LOW}, {"32@hi(", ISA_SYMBOL_HIGH}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t n = strlen(forms[i].opening);
        if (n > a->length - d->at || memcmp(a->text + d->at, forms[i].opening, n) != 0)
            continue;
        size_t length = in_parentheses(a, d->at + n);
        *symbol = (struct isa_symbol){a->text + d->at + n, length, d->at + n, forms[i].use};
        d->at += n + length + 1;
        return length != 0 || attempt_fail(a, symbol->column, symbol->column, "the parenthesis has no name or no end");
    }
    size_t n = 0;
    while (symbol_letter(attempt_char(a, d->at + n)))
        n++;
    char first = attempt_char(a, d->at);
    if (n == 0 || (first >= '0' && first <= '9') || first == '@' || attempt_char(a, d->at + n) == '[' ||
        names_register(a->text + d->at, n))
        return false;
    *symbol = (struct isa_symbol){a->text + d->at, n, d->at, ISA_SYMBOL_VALUE};
    d->at += n;
    return true;
}

bool attempt_symbol(const struct attempt *a, struct draft *d, const struct syntax_element *e, bool target)
{
    struct isa_symbol symbol;
    const char *what = target ? "a target" : "an immediate";
    size_t column = d->at;
    bool plain = assembly_letter(attempt_char(a, column)) && attempt_char(a, column) > '9';
    if ((plain && !target && !a->identifiers) || !read_symbol(a, d, &symbol) || d->symbols == ASSEMBLY_SYMBOLS)
        return attempt_expect(a, column, what);
    if (target && symbol.use != ISA_SYMBOL_VALUE)
        return attempt_fail(a, d->at, column, "a branch target is a whole address, not half of one");
    if (target)
        symbol.use = ISA_SYMBOL_TARGET;
    d->symbol[d->symbols++] = (struct assembly_symbol){symbol, e, NULL};
    return true;
}

/* ---- targets ----------------------------------------------------------------------------------------------------- */

static bool place_target(const struct attempt *a, struct draft *d, const struct syntax_element *e, int64_t target,
                         size_t column)
{
    unsigned width = syntax_field_width(&e->field);
    int64_t offset = e->kind == ELEMENT_TARGET ? target - (int64_t)a->pc - 16 : target, units = offset / e->words;
    int64_t most = INT64_C(1) << (e->style == STYLE_HEX ? width : width - 1);
    if (offset % e->words != 0)
        return attempt_fail(a, d->at, column, "0x%llx is no place for an instruction: it must be a multiple of %u",
                            (unsigned long long)target, e->words);
    if (units >= most || units < (e->style == STYLE_HEX ? 0 : -most))
        return attempt_fail(a, d->at, column, "the target is too far away: the distance has %u bits in units of %u",
                            width, e->words);
    return draft_set(d, &e->field, (uint64_t)units);
}

bool attempt_place(const struct attempt *a, struct draft *d, const struct syntax_element *e, int64_t value,
                   size_t column)
{
    if (e->kind != ELEMENT_OPERAND)
        return place_target(a, d, e, value, column);
    unsigned width = syntax_field_width(&e->field);
    enum assembly_range range = attempt_immediate_range(e);
    struct assembly_number n = {.negative = value < 0, .column = column};
    n.magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    uint64_t bits;
    return attempt_fit(a, d, &n, width, range, &bits) && draft_set(d, &e->field, bits);
}

bool attempt_target(const struct attempt *a, struct draft *d, const struct syntax_element *e)
{
    struct assembly_number n;
    size_t column = d->at;
    if (!attempt_number(a, d, &n))
        return attempt_symbol(a, d, e, true);
    if (n.too_large || n.magnitude > INT64_MAX)
        return attempt_fail(a, d->at, column, "the target is too large");
    return place_target(a, d, e, n.negative ? -(int64_t)n.magnitude : (int64_t)n.magnitude, column);
}

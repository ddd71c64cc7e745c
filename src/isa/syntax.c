#include "isa/parser.h"

#include <string.h>

unsigned parser_number(struct parser *p)
{
    unsigned n = 0;
    while (parser_digit(*p->at) && n < 1000)
        n = n * 10 + (unsigned)(*p->at++ - '0');
    return n;
}

size_t parser_word(const char *at)
{
    size_t n = 0;
    while (parser_digit(at[n]) || (at[n] >= 'A' && at[n] <= 'Z') || (at[n] >= 'a' && at[n] <= 'z') || at[n] == '_')
        n++;
    return n;
}

bool parser_is(const char *at, size_t length, const char *word)
{
    return strncmp(at, word, length) == 0 && word[length] == '\0';
}

void parser_set_bits(struct syntax_field *field, unsigned high, unsigned low)
{
    *field = (struct syntax_field){.pieces = 1, .high = {(uint8_t)high}, .low = {(uint8_t)low}};
}

bool parser_bits(struct parser *p, struct syntax_field *field)
{
    *field = (struct syntax_field){0};
    do {
        if (!parser_digit(*p->at) || field->pieces == SYNTAX_PIECES)
            return false;
        unsigned high = parser_number(p), low = high;
        if (*p->at == ':' && parser_digit(p->at[1])) {
            p->at++;
            low = parser_number(p);
        }
        if (high > 127 || low > high)
            return false;
        field->high[field->pieces] = (uint8_t)high;
        field->low[field->pieces++] = (uint8_t)low;
    } while (*p->at == ',' && parser_digit(p->at[1]) && parser_take(p, ','));
    return true;
}

struct syntax_element *parser_append(struct parser *p, enum element_kind kind)
{
    if (p->row->count == SYNTAX_ELEMENTS)
        return NULL;
    struct syntax_element *e = &p->row->element[p->row->count++];
    *e = (struct syntax_element){.kind = (uint8_t)kind, .flags = p->flags, .words = 1, .words_by = ISA_MOD_LIMIT};
    return e;
}

static bool parse_text(struct parser *p)
{
    struct syntax_element *last = p->row->count ? &p->row->element[p->row->count - 1] : NULL;
    if (!last || last->kind != ELEMENT_TEXT || last->text + last->length != p->at) {
        last = parser_append(p, ELEMENT_TEXT);
        if (!last)
            return false;
        last->text = p->at;
    }
    last->length++;
    p->operands |= *p->at++ == ' ';
    return true;
}

/* ---- modifiers and optional parts in braces ---------------------------------------------------------------------- */

static bool parse_value(struct parser *p, struct syntax_element *e)
{
    size_t n = parser_word(p->at);
    unsigned value = parser_digit(*p->at) ? parser_number(p) : isa_value_find(p->at, n);
    p->at += parser_word(p->at);
    e->kind = ELEMENT_CONDITION;
    e->value = (uint16_t)value;
    return value != ISA_NO_VALUE;
}

static bool parse_modifier(struct parser *p, struct syntax_element *e)
{
    size_t n = parser_word(p->at);
    enum isa_modifier modifier = n ? isa_modifier_find(p->at, n) : ISA_MOD_LIMIT;
    enum isa_names names = n ? isa_names_find(p->at, n) : NAMES_COUNT;
    p->at += n;
    e->role = (uint8_t)modifier;
    e->canonical = NAMES_COUNT;
    if (n && modifier == ISA_MOD_LIMIT)
        return false;
    if (parser_take(p, '@') && !parser_bits(p, &e->field))
        return false;
    if (*p->at == ':' || *p->at == '~') {
        e->canonical = (uint16_t)(*p->at++ == '~' ? names : NAMES_COUNT);
        n = parser_word(p->at);
        names = isa_names_find(p->at, n);
        p->at += n;
    }
    e->names = (uint16_t)names;
    if (parser_take(p, '='))
        return parse_value(p, e);
    if (n == 0 && *p->at == '?') {
        e->kind = ELEMENT_UNUSED;
        e->flags |= ELEMENT_HIDDEN;
        return e->field.pieces != 0;
    }
    return n != 0 && e->field.pieces && (e->style != STYLE_NAME || names != NAMES_COUNT || (e->flags & ELEMENT_HIDDEN));
}

static bool parse_item(struct parser *p, struct syntax_element *e)
{
    if (parser_is(p->at, parser_word(p->at), "absolute")) {
        e->kind = ELEMENT_ABSOLUTE;
        e->style = STYLE_SIGNED;
        e->words = 4;
        p->at += parser_word(p->at);
        return parser_take(p, '@') && parser_bits(p, &e->field);
    }
    if (parser_predicate_starts(p->at)) {
        e->kind = ELEMENT_PREDICATE;
        return parser_predicate(p, e);
    }
    if (p->operands && parser_operand_starts(p->at)) {
        e->kind = ELEMENT_OPERAND;
        return parser_operand(p, e);
    }
    switch (*p->at) {
    case '#': e->style = STYLE_HEX; break;
    case '%': e->style = STYLE_DECIMAL; break;
    case '&': e->style = STYLE_SET; break;
    case '^': e->style = STYLE_SIGNS; break;
    default: e->style = STYLE_NAME; break;
    }
    p->at += e->style != STYLE_NAME;
    return parse_modifier(p, e);
}

static bool parse_braces(struct parser *p)
{
    struct syntax_element *e = parser_append(p, ELEMENT_MODIFIER);
    if (!e)
        return false;
    e->text = p->at;
    while (*p->at == ' ' || *p->at == ',' || *p->at == '.' || *p->at == '[' || *p->at == '+')
        p->at++;
    size_t word = parser_word(p->at);
    if (p->at[word] == '[')
        p->at += word + 1;
    e->length = (uint8_t)(p->at - e->text);
    if (!parse_item(p, e))
        return false;
    if (parser_take(p, '?')) {
        e->flags |= ELEMENT_OPTIONAL;
        e->value = (uint16_t)parser_number(p);
    }
    e->after = p->at;
    while (*p->at == ' ' || *p->at == ',' || *p->at == ']')
        p->at++;
    e->after_length = (uint8_t)(p->at - e->after);
    return parser_take(p, '}');
}

/* ---- memory operands, constants, targets ------------------------------------------------------------------------- */

static bool parse_field_element(struct parser *p, enum element_kind kind, unsigned role)
{
    struct syntax_element *e = parser_append(p, kind);
    if (!e || !parser_take(p, '@'))
        return false;
    e->role = (uint8_t)role;
    return parser_bits(p, &e->field);
}

static bool parse_uniform(struct parser *p, enum element_kind kind)
{
    struct syntax_element *e = parser_append(p, kind);
    return e && parser_operand(p, e) && e->operand == ISA_UREG;
}

/* A term of [A+UB+off] or [A+coff]; *role is the register's. */
static bool parse_term(struct parser *p, struct syntax_element *whole, bool constant)
{
    size_t n = parser_word(p->at);
    if (parser_is(p->at, n, "off")) {
        p->at += n;
        bool good = parse_field_element(p, ELEMENT_OFFSET, whole->role);
        struct syntax_element *offset = &p->row->element[p->row->count - 1];
        offset->value = parser_take(p, '*') ? (uint16_t)parser_number(p) : 1;
        whole->field = offset->field;
        return good;
    }
    if (parser_is(p->at, n, "coff")) {
        p->at += n;
        return parse_field_element(p, ELEMENT_CONSTANT_OFFSET, ROLE_B);
    }
    if (*p->at == 'U' && !constant) {
        whole->flags |= ELEMENT_UNIFORM;
        return parse_uniform(p, whole->role == ROLE_A ? ELEMENT_UREG_BASE : ELEMENT_OPERAND);
    }
    struct syntax_element *e = parser_append(p, ELEMENT_OPERAND);
    if (!e || !parser_operand(p, e))
        return false;
    if (parser_take(p, '?'))
        whole->flags |= ELEMENT_OPTIONAL;
    e->position = 0;
    whole->role = e->role;
    whole->operand = e->operand;
    return true;
}

/* Modifier or text that is printed after the register. */
static bool parse_register_suffix(struct parser *p, struct syntax_element *whole)
{
    if (!parser_take(p, '{')) {
        whole->text = p->at;
        do {
            whole->length++;
            p->at++;
        } while (parser_word(p->at));
        return true;
    }
    if (!parse_braces(p))
        return false;
    const struct syntax_element *modifier = &p->row->element[p->row->count - 1];
    whole->names = modifier->names;
    whole->value = modifier->role;
    return true;
}

/* The elements between '[' and ']'. The parts of the whole stand from element `first` on. */
static bool parse_address(struct parser *p, bool constant, unsigned first)
{
    uint8_t flags = p->flags;
    struct syntax_element whole = {.kind = constant ? ELEMENT_CONSTANT : ELEMENT_ADDRESS,
                                   .role = ROLE_A,
                                   .flags = flags,
                                   .names = NAMES_COUNT,
                                   .words = 1,
                                   .words_by = ISA_MOD_LIMIT,
                                   .style = p->described ? STYLE_SIGNED : STYLE_HEX};
    p->flags |= ELEMENT_HIDDEN;
    while (!parser_take(p, ']')) {
        bool good = *p->at == '{' || *p->at == '.' ? parse_register_suffix(p, &whole) : parse_term(p, &whole, constant);
        if (!good)
            return false;
        parser_take(p, '+');
    }
    if (whole.operand == ISA_NONE && !constant)
        whole.flags |= ELEMENT_OPTIONAL;
    bool wide = whole.length || (whole.names != NAMES_COUNT && whole.value == ISA_MOD_ADDRESS_TYPE);
    if (wide && !(whole.flags & ELEMENT_UNIFORM))
        whole.style = STYLE_SIGNED; /* the register is always there, so the offset has a sign */
    p->flags = flags;
    whole.members = (uint8_t)(p->row->count - first);
    struct syntax_element *e = parser_append(p, ELEMENT_ADDRESS);
    if (e)
        *e = whole;
    return e != NULL;
}

/* c[bank@..][..] and cx[handle@..][..], after the first '['. */
static bool parse_constant(struct parser *p)
{
    uint8_t flags = p->flags;
    unsigned first = p->row->count;
    p->flags |= ELEMENT_HIDDEN;
    size_t n = parser_word(p->at);
    bool bindless = parser_is(p->at, n, "handle");
    if (!bindless && !parser_is(p->at, n, "bank"))
        return false;
    p->at += n;
    bool good = parse_field_element(p, bindless ? ELEMENT_HANDLE : ELEMENT_BANK, ROLE_B);
    if (good && bindless) {
        struct syntax_field *field = &p->row->element[p->row->count - 1].field;
        parser_set_uniform_bits(p, field, field->low[0]);
    }
    p->flags = flags;
    return good && parser_take(p, ']') && parser_take(p, '[') && parse_address(p, true, first);
}

/* After "desc[" or another such word. */
static bool parse_descriptor(struct parser *p, const char *word)
{
    size_t length = (size_t)(p->at - word);
    p->described = true;
    if (!parse_uniform(p, ELEMENT_DESCRIPTOR))
        return false;
    struct syntax_element *e = &p->row->element[p->row->count - 1];
    if (parser_take(p, '+'))
        e->value = (uint16_t)parser_number(p);
    e->text = word;
    e->length = (uint8_t)length;
    e->after = p->at;
    e->after_length = 1;
    return parser_take(p, ']');
}

static bool parse_named(struct parser *p, size_t length)
{
    static const struct {
        const char *name;
        uint8_t kind, style, unit;
    } places[] = {
        {"target", ELEMENT_TARGET, STYLE_SIGNED, 4},     {"place", ELEMENT_TARGET, STYLE_SIGNED, 1},
        {"absolute", ELEMENT_ABSOLUTE, STYLE_SIGNED, 4}, {"address", ELEMENT_ABSOLUTE, STYLE_HEX, 4},
        {"bar", ELEMENT_BARRIER, STYLE_NAME, 1},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (parser_is(p->at, length, places[i].name)) {
            p->at += length;
            bool good = parse_field_element(p, places[i].kind, 0);
            p->row->element[p->row->count - 1].style = places[i].style;
            p->row->element[p->row->count - 1].words = places[i].unit;
            return good;
        }
    }
    while (length--)
        if (!parse_text(p))
            return false;
    return true;
}

static bool parse_operands(struct parser *p)
{
    size_t n = parser_word(p->at);
    if (n && p->at[n] == '[') {
        const char *word = p->at;
        bool constant = parser_is(word, n, "c") || parser_is(word, n, "cx");
        if (!constant && !parser_is(word, n, "desc") && !parser_is(word, n, "idesc"))
            return parse_named(p, n + 1);
        p->at += n + 1;
        return !constant ? parse_descriptor(p, word) : parse_constant(p);
    }
    if (parser_predicate_starts(p->at)) {
        struct syntax_element *e = parser_append(p, ELEMENT_PREDICATE);
        return e && parser_predicate(p, e);
    }
    if (parser_operand_starts(p->at)) {
        struct syntax_element *e = parser_append(p, ELEMENT_OPERAND);
        return e && parser_operand(p, e);
    }
    return n ? parse_named(p, n) : parse_text(p);
}

static bool parse_next(struct parser *p)
{
    switch (*p->at) {
    case '{': p->at++; return parse_braces(p);
    case '(':
        p->flags |= ELEMENT_HIDDEN;
        p->at++;
        return true;
    case ')':
        p->flags &= (uint8_t)~ELEMENT_HIDDEN;
        p->at++;
        return true;
    case '[':
        if (!p->operands)
            return false;
        p->at++;
        return parse_address(p, false, p->row->count);
    default: return p->operands ? parse_operands(p) : parse_text(p);
    }
}

const char *syntax_compile(const char *text, enum syntax_form form, bool second_is_c, unsigned sm,
                           struct syntax_row *out)
{
    out->count = 0;
    struct parser p = {.at = text, .row = out, .form = form, .second_is_c = second_is_c, .sm = sm};
    while (*p.at)
        if (!parse_next(&p))
            return p.at;
    return NULL;
}

uint64_t syntax_field_bits(const struct syntax_field *field, struct word128 word)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < field->pieces; i++) {
        unsigned width = field->high[i] - field->low[i] + 1u;
        value = (width == 64 ? 0 : value << width) | word128_bits(word, field->high[i], field->low[i]);
    }
    return value;
}

unsigned syntax_field_width(const struct syntax_field *field)
{
    unsigned width = 0;
    for (unsigned i = 0; i < field->pieces; i++)
        width += field->high[i] - field->low[i] + 1u;
    return width;
}

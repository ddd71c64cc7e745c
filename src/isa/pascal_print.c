#include "isa/pascal_rows.h"
#include "isa/text.h"

#include <string.h>

/* A line in the making: the row's text from `at` on, and the printed text. */
struct line {
    struct text out;
    const char *at;
    struct word128 word; /* above bit 64: the reuse bits */
    uint32_t pc;
    uint8_t form;
};

/* An operand's signs as its row spells them. */
struct sign {
    char mark; /* - or ~ (0: none) */
    bool bars;
};

/* ---- reading the row's text -------------------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word(char c) { return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

static bool take(struct line *l, char c)
{
    if (*l->at != c)
        return false;
    l->at++;
    return true;
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (is_word(at[n]))
        n++;
    return n;
}

static unsigned take_number(struct line *l)
{
    unsigned n = 0;
    while (is_digit(*l->at))
        n = n * 10 + (unsigned)(*l->at++ - '0');
    return n;
}

static uint64_t bits(const struct line *l, unsigned high, unsigned low) { return word128_bits(l->word, high, low); }

static bool bit(const struct line *l, unsigned at) { return bits(l, at, at) != 0; }

static uint64_t take_field(struct line *l, unsigned *width)
{
    l->at += *l->at == '@';
    return pascal_field(&l->at, l->word, width);
}

static int64_t take_signed(struct line *l)
{
    unsigned width;
    uint64_t value = take_field(l, &width);
    return sign_extend(value, width);
}

/* ---- names and numbers ------------------------------------------------------------------------------------------- */

/* Prints the name of a field's value; false when it is empty. */
static bool put_name(struct line *l)
{
    unsigned width;
    char name[PASCAL_NAME_TEXT];
    const char *word = l->at;
    size_t length = word_length(word);
    l->at += length;
    bool named = pascal_name(word, length, (unsigned)take_field(l, &width), name);
    text_put(&l->out, "%s", name);
    return named;
}

static void put_set(struct line *l, uint64_t set)
{
    text_put(&l->out, "{");
    for (unsigned i = 64; i-- > 0;)
        if (set >> i & 1)
            text_put(&l->out, "%u%s", i, set & ((UINT64_C(1) << i) - 1) ? "," : "");
    text_put(&l->out, "}");
}

static void put_signs(struct line *l, uint64_t value)
{
    static const char *const names[] = {"PP", "PN", "NP", "ZP"};
    for (unsigned i = 4; i-- > 0;)
        text_put(&l->out, "%s", names[value >> 2 * i & 3]);
}

/* A number behind its mark; false when it is the one that is left out. */
static bool put_number(struct line *l)
{
    unsigned width;
    char mark = *l->at++, type = *l->at == 's' || *l->at == 'f' ? *l->at++ : 0;
    uint64_t value = take_field(l, &width);
    if (type == 's')
        text_signed(&l->out, sign_extend(value, width));
    else if (type == 'f')
        text_float(&l->out, (uint32_t)value);
    else if (mark == '%')
        text_put(&l->out, "%u", (unsigned)value);
    else if (mark == '&')
        put_set(l, value);
    else if (mark == '^')
        put_signs(l, value);
    else
        text_put(&l->out, "0x%llx", (unsigned long long)value);
    return !take(l, '?') || value != take_number(l);
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static void put_register(struct line *l, unsigned index)
{
    if (index == ISA_RZ)
        text_put(&l->out, "RZ");
    else
        text_put(&l->out, "R%u", index);
}

static bool put_predicate(struct line *l)
{
    unsigned width;
    l->at++;
    unsigned index = (unsigned)take_field(l, &width);
    bool negated = take(l, '!') && bit(l, take_number(l));
    text_put(&l->out, index == ISA_PT ? "%sPT" : "%sP%u", negated ? "!" : "", index);
    return !take(l, '?') || index != ISA_PT || negated;
}

static void put_address(struct line *l)
{
    l->at++;
    int64_t offset = take_signed(l);
    offset *= take(l, '*') ? (int64_t)take_number(l) : 1;
    unsigned index = (unsigned)bits(l, 15, 8);
    text_put(&l->out, "[");
    if (index != ISA_RZ || offset == 0)
        put_register(l, index);
    if (index != ISA_RZ && offset)
        text_put(&l->out, "+");
    if (offset)
        text_signed(&l->out, offset);
    text_put(&l->out, "]");
}

static void put_indexed_constant(struct line *l)
{
    l->at++;
    int64_t offset = sign_extend(bits(l, 35, 20), 16);
    unsigned index = (unsigned)bits(l, 15, 8);
    text_put(&l->out, "c[0x%x][", (unsigned)bits(l, 40, 36));
    if (index != ISA_RZ)
        put_register(l, index);
    if (index != ISA_RZ && offset)
        text_put(&l->out, "+");
    if (index == ISA_RZ || offset)
        text_signed(&l->out, offset);
    text_put(&l->out, "]");
}

static void put_target(struct line *l)
{
    l->at++;
    text_signed(&l->out, (int64_t)l->pc + 8 + take_signed(l));
}

/* Two halves, of which 10 bits each are given. */
static void put_halves(struct line *l)
{
    l->at++;
    text_half(&l->out, (uint32_t)(bits(l, 56, 56) << 15 | bits(l, 38, 30) << 6), false);
    text_put(&l->out, ", ");
    text_half(&l->out, (uint32_t)bits(l, 29, 20) << 6, false);
}

static void put_immediate(struct line *l, char type)
{
    uint32_t value = (uint32_t)bits(l, 38, 20), sign = (uint32_t)bits(l, 56, 56);
    switch (type) {
    case 'f': text_float(&l->out, sign << 31 | value << 12); break;
    case 'd': text_double(&l->out, sign << 31 | value << 12); break;
    case 'u': text_put(&l->out, "0x%x", sign << 19 | value); break;
    default: text_signed(&l->out, sign_extend((uint64_t)sign << 19 | value, 20)); break;
    }
}

/* The text behind an operand's letter. */
struct attributes {
    unsigned index, next, reuse;
    bool negated, absolute, placed, apart;
    char type;        /* of an immediate */
    const char *part; /* text of the part, read once the operand is printed */
};

static struct attributes take_attributes(struct line *l, unsigned reuse)
{
    struct attributes a = {.reuse = reuse};
    char apart = 0;
    unsigned width;
    for (;;) {
        if (*l->at == '@') {
            a.index = (unsigned)take_field(l, &width);
            a.placed = true;
        } else if (take(l, '!')) {
            a.negated = bit(l, take_number(l));
        } else if (take(l, '/')) {
            a.absolute = bit(l, take_number(l));
        } else if (*l->at == '+' && is_digit(l->at[1])) {
            l->at++;
            a.next = take_number(l);
        } else if (take(l, '^')) {
            a.reuse = take_number(l);
        } else if (*l->at == ':' && word_length(l->at + 1) == 1) {
            *(l->at[1] == 't' ? &apart : &a.type) = l->at[1];
            l->at += 2;
        } else if (*l->at == ':') {
            a.part = ++l->at;
            l->at += word_length(l->at);
            take_field(l, &width);
        } else {
            a.apart = apart != 0;
            return a;
        }
    }
}

static void put_part(struct line *l, const char *part)
{
    const char *at = l->at;
    size_t length = l->out.length;
    l->at = part;
    text_put(&l->out, ".");
    if (!put_name(l)) {
        l->out.length = length;
        l->out.out[length] = '\0';
    }
    l->at = at;
}

static unsigned place_of(const struct line *l, char letter)
{
    switch (letter) {
    case 'D': return (unsigned)bits(l, 7, 0);
    case 'A': return (unsigned)bits(l, 15, 8);
    case 'B': return (unsigned)(l->form == PASCAL_CR ? bits(l, 46, 39) : bits(l, 27, 20));
    default: return (unsigned)bits(l, 46, 39);
    }
}

static bool is_constant(const struct line *l, char letter)
{
    return letter == 'K' || (letter == 'B' && l->form == PASCAL_C) || (letter == 'C' && l->form == PASCAL_CR);
}

static void put_value(struct line *l, char letter, const struct attributes *a)
{
    if (is_constant(l, letter)) {
        text_put(&l->out, "c[0x%x]%s[0x%x]", (unsigned)bits(l, 38, 34), a->apart ? " " : "",
                 (unsigned)bits(l, 33, 20) * 4);
        return;
    }
    unsigned index = a->placed ? a->index : place_of(l, letter);
    put_register(l, index == ISA_RZ ? index : index + a->next);
}

/* A register, constant or immediate with its signs; false when it is one that is left out. */
static bool put_operand(struct line *l, struct sign sign)
{
    bool quiet = *l->at >= 'a';
    char letter = (char)(quiet ? *l->at - 'a' + 'A' : *l->at);
    l->at++;
    take(l, '|');
    struct attributes a = take_attributes(l, quiet || letter == 'D' || letter == 'K' ? 3 : (unsigned)(letter - 'A'));
    if (letter == 'B' && l->form == PASCAL_I) {
        put_immediate(l, a.type);
        text_put(&l->out, "%s", a.negated ? ".NEG" : "");
        return true;
    }
    bool constant = is_constant(l, letter);
    bool absolute = sign.bars && a.absolute;
    text_put(&l->out, "%.*s%s", a.negated, &sign.mark, absolute ? "|" : "");
    put_value(l, letter, &a);
    if (a.part && !(constant && letter != 'K'))
        put_part(l, a.part);
    text_put(&l->out, "%s", absolute ? "|" : "");
    if (!constant && a.reuse < 3 && bit(l, 64 + a.reuse))
        text_put(&l->out, ".reuse");
    return !take(l, '?') || place_of(l, letter) != ISA_RZ;
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

static bool operand_starts(const char *at)
{
    while (*at == '-' || *at == '~' || *at == '|')
        at++;
    return word_length(at) == 1 && strchr("DABCKabcd", *at) != NULL;
}

static bool put_item(struct line *l)
{
    struct sign sign = {0};
    if (strchr("#%&^", *l->at))
        return put_number(l);
    if (operand_starts(l->at)) {
        if (*l->at == '-' || *l->at == '~')
            sign.mark = *l->at++;
        sign.bars = take(l, '|');
        return put_operand(l, sign);
    }
    if (*l->at == 'P' && (l->at[1] == '@'))
        return put_predicate(l);
    return put_name(l);
}

/* {prefix item suffix}: nothing where the item is left out. A condition prints nothing. */
static void put_braces(struct line *l)
{
    size_t length = l->out.length;
    if (*l->at == '@') {
        l->at = strchr(l->at, '}') + 1;
        return;
    }
    size_t prefix = strspn(l->at, " ,.");
    text_put(&l->out, "%.*s", (int)prefix, l->at);
    l->at += prefix;
    bool printed = put_item(l);
    size_t suffix = strcspn(l->at, "}");
    text_put(&l->out, "%.*s", (int)suffix, l->at);
    l->at += suffix + (l->at[suffix] != '\0');
    if (!printed) {
        l->out.length = length;
        l->out.out[length] = '\0';
    }
}

static void put_special(struct line *l)
{
    unsigned width;
    l->at++;
    char name[PASCAL_NAME_TEXT];
    pascal_special_name((unsigned)take_field(l, &width), name);
    text_put(&l->out, "%s", name);
}

/* The elements that are named by one letter. */
static const struct {
    char letter;
    void (*put)(struct line *l);
} elements[] = {
    {'M', put_address}, {'L', put_indexed_constant}, {'T', put_target}, {'S', put_special}, {'H', put_halves}};

static bool put_element(struct line *l)
{
    for (size_t i = 0; word_length(l->at) == 1 && i < sizeof elements / sizeof *elements; i++) {
        if (*l->at == elements[i].letter) {
            elements[i].put(l);
            return true;
        }
    }
    return false;
}

static void put_operands(struct line *l)
{
    size_t n = word_length(l->at);
    if (take(l, '{'))
        put_braces(l);
    else if (operand_starts(l->at) || (n == 1 && *l->at == 'P' && l->at[1] == '@') || strchr("#&", *l->at))
        put_item(l);
    else if (!put_element(l)) {
        n += n == 0;
        text_put(&l->out, "%.*s", (int)n, l->at);
        l->at += n;
    }
}

static void put_mnemonic(struct line *l)
{
    while (*l->at && *l->at != ' ') {
        if (take(l, '{'))
            put_braces(l);
        else
            text_put(&l->out, "%c", *l->at++);
    }
}

void pascal_print(const struct pascal_inst *inst, char text[static ISA_TEXT])
{
    struct line l = {.out = {.out = text}, .word = {inst->word, inst->reuse}, .pc = inst->pc, .form = inst->form};
    text[0] = '\0';
    if (inst->row >= pascal_row_count()) {
        text_put(&l.out, ".dword 0x%016llx", (unsigned long long)inst->word);
        return;
    }
    l.at = pascal_rows[inst->row].text;
    unsigned guard = (unsigned)bits(&l, 18, 16);
    if (!take(&l, '!') && (guard != ISA_PT || bit(&l, 19)))
        text_put(&l.out, guard == ISA_PT ? "@%sPT " : "@%sP%u ", bit(&l, 19) ? "!" : "", guard);
    put_mnemonic(&l);
    while (*l.at)
        put_operands(&l);
}

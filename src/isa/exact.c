/* Control bits as text and back, and text that gives back the same word. */
#include "isa/assembly.h"
#include "isa/pascal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- control bits ------------------------------------------------------------------------------------------------ */

static void set_control(struct word128 *word, unsigned high, unsigned low, uint64_t value)
{
    uint64_t mask = ((UINT64_C(1) << (high - low + 1)) - 1) << (low - 64);
    word->hi = (word->hi & ~mask) | value << (low - 64);
}

void isa_control_encode(struct isa_control control, struct word128 *word)
{
    set_control(word, 108, 105, control.stall & 15u);
    set_control(word, 109, 109, !control.yield);
    set_control(word, 112, 110, control.write_sb & 7u);
    set_control(word, 115, 113, control.read_sb & 7u);
    set_control(word, 121, 116, control.wait & 63u);
}

void isa_assembler_set_control(const struct isa_assembler *assembler, struct isa_control control, struct word128 *word)
{
    if (pascal_supported(isa_assembler_decoder(assembler)->sm))
        pascal_control_encode(control, word);
    else
        isa_control_encode(control, word);
}

struct isa_control isa_assembler_control(const struct isa_assembler *assembler, struct word128 word)
{
    return pascal_supported(isa_assembler_decoder(assembler)->sm) ? pascal_control(word) : isa_control_decode(word);
}

struct control_text {
    const char *text;
    size_t length, at;
    struct isa_asm_error *error;
};

static bool control_wrong(const struct control_text *t, const char *expected)
{
    snprintf(t->error->message, sizeof t->error->message, "expected %s, as in [B--2---:R-:W0:-:S04]", expected);
    t->error->column = t->at;
    t->error->forms[0] = '\0';
    return false;
}

static char control_char(const struct control_text *t) { return t->at < t->length ? t->text[t->at] : '\0'; }

static bool take(struct control_text *t, const char *literal)
{
    size_t n = strlen(literal);
    char quoted[16];
    snprintf(quoted, sizeof quoted, "'%s'", literal);
    if (n > t->length - t->at || memcmp(t->text + t->at, literal, n) != 0)
        return control_wrong(t, quoted);
    t->at += n;
    return true;
}

static bool take_wait(struct control_text *t, uint8_t *wait)
{
    for (unsigned i = 0; i < 6; i++, t->at++) {
        char c = control_char(t), quoted[32];
        snprintf(quoted, sizeof quoted, "'%u' or '-'", i);
        if (c != '-' && c != (char)('0' + i))
            return control_wrong(t, quoted);
        *wait |= (uint8_t)((c != '-') << i);
    }
    return true;
}

static bool take_counter(struct control_text *t, uint8_t *counter)
{
    char c = control_char(t);
    if (c != '-' && (c < '0' || c > '6'))
        return control_wrong(t, "the number of a counter, 0 to 5, or '-'");
    *counter = (uint8_t)(c == '-' ? ISA_NO_SB : c - '0');
    t->at++;
    return true;
}

static bool take_yield(struct control_text *t, bool *yield)
{
    char c = control_char(t);
    if (c != '-' && c != 'Y')
        return control_wrong(t, "'Y' or '-'");
    *yield = c == 'Y';
    t->at++;
    return true;
}

static bool take_stall(struct control_text *t, uint8_t *stall)
{
    char tens = control_char(t);
    size_t start = t->at++;
    char ones = control_char(t);
    if (tens < '0' || tens > '1' || ones < '0' || ones > '9' || (tens == '1' && ones > '5')) {
        t->at = start;
        return control_wrong(t, "a stall count of two digits, 00 to 15");
    }
    *stall = (uint8_t)((tens - '0') * 10 + (ones - '0'));
    t->at++;
    return true;
}

bool isa_parse_control(const char *text, size_t length, struct isa_control *out, struct isa_asm_error *error)
{
    struct control_text t = {text, length, 0, error};
    *out = (struct isa_control){0};
    if (!take(&t, "[B") || !take_wait(&t, &out->wait) || !take(&t, ":R") || !take_counter(&t, &out->read_sb) ||
        !take(&t, ":W") || !take_counter(&t, &out->write_sb) || !take(&t, ":") || !take_yield(&t, &out->yield) ||
        !take(&t, ":S") || !take_stall(&t, &out->stall) || !take(&t, "]"))
        return false;
    return t.at == t.length || control_wrong(&t, "nothing after ']'");
}

/* ---- exact text -------------------------------------------------------------------------------------------------- */

static bool assembles(const struct isa_assembler *assembler, const char *text, uint32_t pc, struct word128 *word)
{
    struct isa_asm_error error;
    return isa_assemble(assembler, text, strlen(text), pc, NULL, NULL, word, &error);
}

static size_t append(char text[static ISA_TEXT], size_t length, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static size_t append(char text[static ISA_TEXT], size_t length, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text + length, ISA_TEXT - length, format, args);
    va_end(args);
    length += n < 0 ? 0 : (size_t)n;
    return length < ISA_TEXT ? length : ISA_TEXT - 1;
}

/* Runs of bits, at most 32 long, that begin and end with one that differs. */
static void append_bits(char text[static ISA_TEXT], struct word128 word, struct word128 differs)
{
    size_t length = append(text, strlen(text), " {");
    const char *before = "";
    for (unsigned high = 128; high-- > 0;) {
        if (!word128_bit(differs, high))
            continue;
        unsigned low = high;
        while (low > 0 && high - low < 31 && word128_bit(differs, low - 1))
            low--;
        length = append(text, length, high == low ? "%s@%u" : "%s@%u:%u", before, high, low);
        length = append(text, length, "=0x%llx", (unsigned long long)word128_bits(word, high, low));
        before = ", ";
        high = low;
    }
    append(text, length, "}");
}

static bool same(struct word128 a, struct word128 b) { return a.lo == b.lo && a.hi == b.hi; }

/* The bits as the rows number them, without the control bits. */
static struct word128 row_bits(bool pascal, struct word128 word)
{
    if (pascal)
        return pascal_row_word(word);
    isa_control_encode((struct isa_control){.yield = true}, &word);
    return word;
}

/* Puts the bits behind the text that it leaves out. False: it does not assemble to the word even so. */
static bool complete(const struct isa_assembler *assembler, const struct isa_inst *inst, char text[static ISA_TEXT])
{
    bool pascal = pascal_supported(isa_assembler_decoder(assembler)->sm);
    struct word128 word, want = row_bits(pascal, inst->word);
    for (unsigned tries = 0; tries < 2; tries++) {
        if (!assembles(assembler, text, inst->pc, &word))
            return false;
        word = row_bits(pascal, word);
        if (same(word, want))
            return true;
        if (tries == 0)
            append_bits(text, want, (struct word128){word.lo ^ want.lo, word.hi ^ want.hi});
    }
    return false;
}

void isa_print_exact(const struct isa_assembler *assembler, const struct isa_inst *inst, char text[static ISA_TEXT])
{
    bool pascal = pascal_supported(isa_assembler_decoder(assembler)->sm);
    isa_print(inst, text);
    if ((inst->op != ISA_INVALID || pascal) && complete(assembler, inst, text))
        return;
    text[0] = '\0';
    if (!pascal) {
        append(text, 0, ".word 0x%016llx%016llx", (unsigned long long)inst->word.hi, (unsigned long long)inst->word.lo);
        return;
    }
    append(text, 0, ".dword 0x%016llx", (unsigned long long)inst->word.lo);
    complete(assembler, inst, text);
}

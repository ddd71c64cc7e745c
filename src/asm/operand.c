#include "asm/operand.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "asm/scan.h"

/* Up to sm_89 the parameters move when there are more than 4 KiB of them. */
enum { FAR_BASE = 0x1a80, NEAR_BYTES = 4096, NO_BANK = -1 };

uint32_t operand_parameter_base(const struct program *program, const struct function *function)
{
    if (function->parameter_base)
        return function->parameter_base;
    uint32_t bytes =
        function->parameter_bytes > function->parameter_end ? function->parameter_bytes : function->parameter_end;
    return program->sm < 90 && bytes > NEAR_BYTES ? FAR_BASE : cubin_abi(program->sm)->parameters;
}

struct replacer {
    const struct program *program;
    uint32_t function;
    const char *text;
    size_t length, at;
    int bank; /* of the constant whose offset is being read, or NO_BANK */
    struct operand_text *out;
    struct operand_error *error;
};

static bool fail(struct replacer *r, size_t at, const char *format, const char *name, size_t length)
{
    r->error->at = at;
    snprintf(r->error->message, sizeof r->error->message, format, (int)length, name);
    return false;
}

static bool put(struct replacer *r, char c)
{
    if (r->out->length + 1 >= OPERAND_TEXT)
        return fail(r, r->at, "the line is too long%.*s", "", 0);
    r->out->text[r->out->length++] = c;
    return true;
}

/* R2, UR4.64, RZ: registers stand as they are. */
static bool is_register(const char *name, size_t length)
{
    size_t i = 0;
    if (i < length && name[i] == 'U')
        i++;
    if (i == length || name[i] != 'R')
        return false;
    i++;
    if (i < length && name[i] == 'Z')
        i++;
    else
        while (i < length && isdigit((unsigned char)name[i]))
            i++;
    return i > 1 && (i == length || name[i] == '.');
}

static const struct name *find(const struct replacer *r, const char *name, size_t length)
{
    const struct names *names = &r->program->names;
    if (r->bank == 3)
        return names_find(names, SCOPE_MODULE, name, length);
    if (r->bank == 4)
        return names_find(names, SCOPE_ADDRESSES, name, length);
    return names_find(names, (int32_t)r->function, name, length);
}

static bool look_up(struct replacer *r, size_t at, const char *name, size_t length, int64_t *value)
{
    const struct name *found = find(r, name, length);
    static const struct {
        int bank;
        enum name_kind kind;
        const char *unknown;
    } kinds[] = {
        {0, NAME_PARAMETER, "'%.*s' is no parameter"},
        {3, NAME_CONSTANT, "'%.*s' is no .const"},
        {4, NAME_ADDRESS, "'%.*s' has no .address"},
        {NO_BANK, NAME_SHARED, "'%.*s' is no .shared variable"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].bank == r->bank) {
            if (!found || found->kind != kinds[i].kind)
                return fail(r, at, kinds[i].unknown, name, length);
            *value = (int64_t)found->value;
            if (r->bank == 0)
                *value += operand_parameter_base(r->program, &r->program->functions[r->function]);
            return true;
        }
    return fail(r, at, "'%.*s': only banks 0, 3 and 4 have names", name, length);
}

/* + or - and a number behind a name belong to it. */
static void read_addends(struct replacer *r, int64_t *value)
{
    while (r->at + 1 < r->length && (r->text[r->at] == '+' || r->text[r->at] == '-') &&
           isdigit((unsigned char)r->text[r->at + 1])) {
        bool negative = r->text[r->at] == '-';
        struct diagnostics none = {0};
        struct scan s = {.text = r->text, .at = r->at + 1, .end = r->length, .errors = &none};
        uint64_t number;
        if (!scan_number(&s, "", 0, UINT32_MAX, &number))
            return;
        *value += negative ? -(int64_t)number : (int64_t)number;
        r->at = s.at;
    }
}

static bool replace_name(struct replacer *r)
{
    size_t start = r->at;
    while (r->at < r->length && scan_inside(r->text[r->at]))
        r->at++;
    const char *name = r->text + start;
    size_t length = r->at - start;
    if (is_register(name, length)) {
        for (size_t i = 0; i < length; i++)
            if (!put(r, name[i]))
                return false;
        return true;
    }
    int64_t value;
    if (!look_up(r, start, name, length, &value))
        return false;
    read_addends(r, &value);
    struct operand_text *out = r->out;
    if (out->count == OPERAND_NAMES || out->length + 32 > OPERAND_TEXT)
        return fail(r, start, "the line is too long%.*s", "", 0);
    size_t to = out->length;
    out->length += (size_t)snprintf(out->text + to, OPERAND_TEXT - to, "%s0x%" PRIx64, value < 0 ? "-" : "",
                                    (uint64_t)(value < 0 ? -value : value));
    out->names[out->count].from = start;
    out->names[out->count].from_length = r->at - start;
    out->names[out->count].to = to;
    out->names[out->count++].to_length = out->length - to;
    return true;
}

/* "c[N]" at the place: copies it. The next bracket holds an offset in that bank. */
static bool at_bank(struct replacer *r)
{
    const char *at = r->text + r->at;
    if (r->length - r->at < 4 || at[0] != 'c' || at[1] != '[' || !isdigit((unsigned char)at[2]) ||
        (r->at > 0 && scan_inside(at[-1])))
        return false;
    const char *close = memchr(at, ']', r->length - r->at);
    if (!close || close + 1 == r->text + r->length || close[1] != '[')
        return false;
    struct diagnostics none = {0};
    struct scan s = {.text = at, .at = 2, .end = (size_t)(close - at), .errors = &none};
    uint64_t bank;
    if (!scan_number(&s, "", 0, 31, &bank) || !scan_at_end(&s))
        return false;
    for (const char *c = at; c <= close; c++)
        put(r, *c);
    r->at += (size_t)(close - at) + 1;
    r->bank = (int)bank;
    return true;
}

bool operand_replace(const struct program *program, uint32_t function, const char *text, size_t length,
                     struct operand_text *out, struct operand_error *error)
{
    struct replacer r = {.program = program,
                         .function = function,
                         .text = text,
                         .length = length,
                         .bank = NO_BANK,
                         .out = out,
                         .error = error};
    unsigned depth = 0;
    out->length = 0;
    out->count = 0;
    while (r.at < length) {
        char c = text[r.at];
        if (depth == 0 && at_bank(&r))
            continue;
        if (depth > 0 && scan_letter(c) && c != '.' && !scan_inside(text[r.at - 1])) {
            if (!replace_name(&r))
                return false;
            continue;
        }
        if (!put(&r, c))
            return false;
        r.at++;
        depth += c == '[';
        if (c == ']' && depth > 0 && --depth == 0)
            r.bank = NO_BANK;
    }
    return true;
}

size_t operand_source(const struct operand_text *text, size_t at)
{
    size_t shift = 0; /* modulo 2^64: the sum of the names before */
    for (unsigned i = 0; i < text->count && text->names[i].to <= at; i++) {
        if (at < text->names[i].to + text->names[i].to_length)
            return text->names[i].from;
        shift = text->names[i].from + text->names[i].from_length - text->names[i].to - text->names[i].to_length;
    }
    return at + shift;
}

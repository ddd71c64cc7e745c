#include "experiment/template.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 8, LONGEST_LINE = 512, MOST_REPEATS = 100000, WORD_BYTES = 4 };

/* A counter of .repeat. */
struct counter {
    const char *name;
    size_t length;
    unsigned value;
};

struct expansion {
    const struct experiment *e;
    unsigned row, arch;
    struct counter counter[DEEPEST];
    unsigned depth;
    unsigned loops; /* labels of .warm so far */
    FILE *out;
    struct status *status;
};

/* The text that a directive may follow: a line of the code, trimmed. */
struct line {
    const char *text;
    size_t length;
};

static bool fail(const struct expansion *x, const char *message, struct line line)
{
    return status_fail(x->status, STATUS_FORMAT, "experiment %s: %s: %.*s", x->e->name, message, (int)line.length,
                       line.text);
}

/* ---- names and arithmetic ---------------------------------------------------------------------------------------- */

static const char *parameter(const struct expansion *x, const char *name, size_t length)
{
    for (unsigned c = 0; c < x->e->columns; c++) {
        const struct experiment_column *column = &x->e->column[c];
        if (column->kind == COLUMN_PARAMETER && strlen(column->name) == length &&
            strncmp(column->name, name, length) == 0)
            return experiment_cell(x->e, x->row, c);
    }
    return NULL;
}

static bool find(const void *self, const char *name, size_t length, struct value *out)
{
    const struct expansion *x = self;
    for (unsigned i = x->depth; i-- > 0;) {
        if (x->counter[i].length == length && strncmp(x->counter[i].name, name, length) == 0) {
            value_set(out, x->counter[i].value);
            return true;
        }
    }
    if (length == strlen("arch") && strncmp(name, "arch", length) == 0) {
        value_set(out, x->arch);
        return true;
    }
    const char *text = parameter(x, name, length);
    char *end;
    if (!text)
        return false;
    value_set(out, strtod(text, &end));
    return end != text && *end == '\0';
}

static bool evaluate(const struct expansion *x, struct line text, double *out)
{
    struct names names = {find, x};
    struct value value;
    if (!expression_evaluate(text.text, text.length, &names, &value, x->status))
        return false;
    *out = value.item[0];
    return true;
}

/* Writes a line with its ${...} replaced. */
static bool substitute(const struct expansion *x, struct line line)
{
    const char *at = line.text, *end = line.text + line.length;
    while (at < end) {
        const char *open = memmem(at, (size_t)(end - at), "${", 2);
        const char *close = open ? memchr(open, '}', (size_t)(end - open)) : NULL;
        if (!close)
            break;
        struct line inside = {open + 2, (size_t)(close - open - 2)};
        const char *text = parameter(x, inside.text, inside.length);
        double number = 0;
        fwrite(at, 1, (size_t)(open - at), x->out);
        if (text)
            fputs(text, x->out);
        else if (!evaluate(x, inside, &number))
            return false;
        else
            fprintf(x->out, "%.10g", number);
        at = close + 1;
    }
    fwrite(at, 1, (size_t)(end - at), x->out);
    fputc('\n', x->out);
    return true;
}

/* ---- directives -------------------------------------------------------------------------------------------------- */

static struct line trimmed(const char *text, size_t length)
{
    while (length > 0 && isspace((unsigned char)*text))
        text++, length--;
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    return (struct line){text, length};
}

static struct line line_at(const char *text, const char *end)
{
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    return (struct line){text, (size_t)((stop ? stop : end) - text)};
}

static bool starts(struct line line, const char *word)
{
    size_t length = strlen(word);
    return line.length >= length && strncmp(line.text, word, length) == 0 &&
           (line.length == length || isspace((unsigned char)line.text[length]));
}

static struct line behind(struct line line, const char *word)
{
    return trimmed(line.text + strlen(word), line.length - strlen(word));
}

/* The line that closes the block whose first line is behind `text`; *middle is a line `other` of the same depth. */
static const char *block_end(const char *text, const char *end, const char *open, const char *close, const char *other,
                             const char **middle)
{
    unsigned depth = 0;
    *middle = NULL;
    for (const char *at = text; at < end;) {
        struct line raw = line_at(at, end), line = trimmed(raw.text, raw.length);
        if (starts(line, open))
            depth++;
        else if (starts(line, close) && depth-- == 0)
            return at;
        else if (other && depth == 0 && starts(line, other))
            *middle = at;
        at = raw.text + raw.length + (raw.text + raw.length < end);
    }
    return NULL;
}

static const char *behind_line(const char *at, const char *end)
{
    struct line line = line_at(at, end);
    return line.text + line.length + (line.text + line.length < end);
}

static bool expand(struct expansion *x, const char *text, const char *end);

/* The words before and behind a comma (false: there is none). */
static bool split(struct line arguments, struct line *before, struct line *behind_comma)
{
    const char *comma = memchr(arguments.text, ',', arguments.length);
    if (!comma)
        return false;
    *before = trimmed(arguments.text, (size_t)(comma - arguments.text));
    *behind_comma = trimmed(comma + 1, (size_t)(arguments.text + arguments.length - comma - 1));
    return true;
}

static bool repeat(struct expansion *x, struct line arguments, const char *body, const char *end)
{
    struct line times = arguments, name = {"", 0};
    double count;
    split(arguments, &times, &name);
    if (!evaluate(x, times, &count))
        return false;
    if (!(count >= 0 && count <= MOST_REPEATS) || x->depth == DEEPEST)
        return fail(x, "cannot repeat so often", arguments);
    struct counter *counter = &x->counter[x->depth++];
    bool ok = true;
    for (unsigned i = 0; ok && i < (unsigned)count; i++) {
        *counter = (struct counter){name.text, name.length, i};
        ok = expand(x, body, end);
    }
    x->depth--;
    return ok;
}

/* The first times fill the caches; the long stall lets the instruction buffer fill as well. One bit of the counter
 * stands for the runs that are left. */
static bool warm(struct expansion *x, struct line arguments, const char *body, const char *end)
{
    struct line reg = arguments, times;
    double count = 2;
    if (split(arguments, &reg, &times) && !evaluate(x, times, &count))
        return false;
    if (!(count >= 2 && count <= 32))
        return fail(x, "runs 2 to 32 times", arguments);
    unsigned label = x->loops++;
    fprintf(x->out, "    MOV %.*s, 0x%x\nwarm_%u:\n    [B------:R-:W-:Y:S15] NOP\n", (int)reg.length, reg.text,
            1u << ((unsigned)count - 1), label);
    if (!expand(x, body, end))
        return false;
    fprintf(x->out, "    SHF.R.U32.HI %.*s, RZ, 0x1, %.*s\n", (int)reg.length, reg.text, (int)reg.length, reg.text);
    fprintf(x->out, "    ISETP.NE.U32.AND P6, PT, %.*s, RZ, PT\n    @P6 BRA warm_%u\n", (int)reg.length, reg.text,
            label);
    return true;
}

static bool block(struct expansion *x, struct line line, const char **at, const char *end)
{
    static const struct {
        const char *open, *close, *other;
    } blocks[] = {{".repeat", ".endrepeat", NULL}, {".if", ".endif", ".else"}, {".warm", ".endwarm", NULL}};
    unsigned kind = starts(line, ".repeat") ? 0 : starts(line, ".if") ? 1 : 2;
    const char *middle, *body = *at, *open = blocks[kind].open;
    const char *close = block_end(body, end, open, blocks[kind].close, blocks[kind].other, &middle);
    if (!close)
        return fail(x, "has no end", line);
    *at = behind_line(close, end);
    struct line arguments = behind(line, open);
    if (kind == 0)
        return repeat(x, arguments, body, close);
    if (kind == 2)
        return warm(x, arguments, body, close);
    double condition;
    if (!evaluate(x, arguments, &condition))
        return false;
    if (condition != 0)
        return expand(x, body, middle ? middle : close);
    return !middle || expand(x, behind_line(middle, end), close);
}

/* R40 and the like: the number of the register, or -1. */
static int register_number(struct line text)
{
    if (text.length < 2 || text.length > 4 || text.text[0] != 'R')
        return -1;
    return atoi(text.text + 1);
}

static bool enter(struct expansion *x, struct line line)
{
    int r = register_number(behind(line, ".enter"));
    if (r < 0 || r % 2)
        return fail(x, "needs a register with an even number", line);
    unsigned bytes = x->e->stores * WORD_BYTES;
    fprintf(x->out, "    S2R R%d, SR_TID.X\n    SHF.R.U32.HI R%d, RZ, 0x5, R%d\n", r + 2, r + 2, r + 2);
    if (x->arch >= 100) /* no constant operand of 64 bits */
        fprintf(x->out, "    LDC.64 R%d, c[0x0][out]\n    IMAD.WIDE.U32 R%d, R%d, 0x%x, R%d\n", r, r, r + 2, bytes, r);
    else
        fprintf(x->out, "    MOV R%d, 0x%x\n    IMAD.WIDE.U32 R%d, R%d, R%d, c[0x0][out]\n", r, bytes, r, r + 2, r);
    return true;
}

static bool save(struct expansion *x, struct line line)
{
    struct line rest = behind(line, ".save");
    char text[LONGEST_LINE / 2], *address, *name, *source, *state;
    if (rest.length >= sizeof text)
        return fail(x, "too long", line);
    memcpy(text, rest.text, rest.length);
    text[rest.length] = '\0';
    address = strtok_r(text, ", ", &state);
    name = strtok_r(NULL, ", ", &state);
    source = strtok_r(NULL, ", ", &state);
    for (unsigned i = 0; source && i < x->e->stores; i++) {
        if (strcmp(x->e->store[i], name) == 0) {
            char store[LONGEST_LINE];
            const char *format = x->arch >= 90   ? "    STG.E desc[UR4][%s.64+0x%x], %s"
                                 : x->arch >= 80 ? "    STG.E [%s.64+0x%x], %s"
                                                 : "    STG.E.SYS [%s+0x%x], %s";
            int length = snprintf(store, sizeof store, format, address, i * WORD_BYTES, source);
            return substitute(x, (struct line){store, (size_t)length});
        }
    }
    return fail(x, "there is no such word to store", line);
}

static bool expand(struct expansion *x, const char *text, const char *end)
{
    for (const char *at = text; at < end;) {
        struct line raw = line_at(at, end), line = trimmed(raw.text, raw.length);
        at = behind_line(at, end);
        bool ok;
        if (starts(line, ".repeat") || starts(line, ".if") || starts(line, ".warm"))
            ok = block(x, line, &at, end);
        else if (starts(line, ".enter"))
            ok = enter(x, line);
        else if (starts(line, ".save"))
            ok = save(x, line);
        else
            ok = substitute(x, raw);
        if (!ok)
            return false;
    }
    return true;
}

bool template_expand(const struct experiment *e, unsigned row, unsigned arch, FILE *out, struct status *status)
{
    struct expansion x = {.e = e, .row = row, .arch = arch, .out = out, .status = status};
    char name[EXPERIMENT_TEXT];
    experiment_kernel(name, row);
    fprintf(out, "\n.kernel %s\n.param out, ptr\n.param data, ptr\n", name);
    bool ok = expand(&x, e->code, e->code + strlen(e->code));
    fprintf(out, "    EXIT\n.end\n");
    return ok;
}

bool template_number(const struct experiment *e, unsigned row, unsigned arch, const char *expression, double *out,
                     struct status *status)
{
    struct expansion x = {.e = e, .row = row, .arch = arch, .status = status};
    return evaluate(&x, (struct line){expression, strlen(expression)}, out);
}

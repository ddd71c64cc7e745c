/* printf for device code. The compiler stores the arguments one after the other, each at a multiple of its size: 4
 * bytes for int, 8 for double, pointers and the long types. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "exec/launch/service.h"

enum {
    SPECIFICATION = 64,
    MOST_COLUMNS = 4096 /* bound of a width and a precision: C promises 4095 characters of a conversion */
};

struct formatter {
    struct exec_core *core;
    const struct exec_warp *warp;
    unsigned lane;
    uint64_t next; /* address of the next argument */
    int count;     /* arguments taken */
    bool failed;
    struct service_text *text;
};

/* A conversion in the words of the host's printf, without length modifiers. */
struct conversion {
    char flags[SPECIFICATION];
    unsigned length; /* of flags */
    int bytes;       /* of an integer argument, as the length modifiers say */
    char type;
};

static uint64_t take(struct formatter *f, unsigned bytes)
{
    uint64_t value = 0;
    f->next = align_up(f->next, bytes);
    f->failed |= !service_read(f->core, f->warp, f->lane, f->next, &value, bytes);
    f->next += bytes;
    f->count++;
    return value;
}

static void add_flag(struct conversion *c, char flag)
{
    if (c->length < SPECIFICATION - 16)
        c->flags[c->length++] = flag;
}

/* Digits, or an argument for `*`; at most MOST_COLUMNS either way. */
static const char *read_number(struct formatter *f, const char *at, int *value)
{
    if (*at == '*') {
        *value = (int)take(f, 4);
        at++;
    } else {
        for (*value = 0; *at >= '0' && *at <= '9'; at++)
            *value = *value > MOST_COLUMNS ? *value : 10 * *value + (*at - '0');
    }
    *value = *value > MOST_COLUMNS ? MOST_COLUMNS : *value < -MOST_COLUMNS ? -MOST_COLUMNS : *value;
    return at;
}

static void add_number(struct conversion *c, const char *form, int value)
{
    if (c->length < SPECIFICATION - 16)
        c->length += (unsigned)snprintf(c->flags + c->length, 16, form, value);
}

static const char *read_length(struct conversion *c, const char *at)
{
    c->bytes = 4;
    for (; *at && strchr("hlLqjzt", *at); at++) {
        if (*at == 'h')
            c->bytes = c->bytes == 2 ? 1 : 2;
        else
            c->bytes = 8;
    }
    return at;
}

/* Reads from behind the '%' to behind the conversion's letter. A negative precision counts as none (C17 7.21.6.1). */
static const char *read_conversion(struct formatter *f, struct conversion *c, const char *at)
{
    int columns, digits;
    *c = (struct conversion){.length = 0};
    add_flag(c, '%');
    while (*at && strchr("-+ #0", *at))
        add_flag(c, *at++);
    at = read_number(f, at, &columns);
    if (columns != 0)
        add_number(c, "%d", columns);
    if (*at == '.') {
        at = read_number(f, at + 1, &digits);
        if (digits >= 0)
            add_number(c, ".%d", digits);
    }
    at = read_length(c, at);
    c->type = *at;
    return *at ? at + 1 : at;
}

/* Lets the host format one argument. */
static void emit(struct formatter *f, struct conversion *c, const char *length, ...)
{
    snprintf(c->flags + c->length, sizeof c->flags - c->length, "%s%c", length, c->type);
    va_list arguments, again;
    va_start(arguments, length);
    va_copy(again, arguments);
    int count = vsnprintf(NULL, 0, c->flags, arguments);
    char *piece = count > 0 ? malloc((size_t)count + 1) : NULL;
    if (piece) {
        vsnprintf(piece, (size_t)count + 1, c->flags, again);
        service_append(f->text, piece, (size_t)count);
    }
    free(piece);
    va_end(again);
    va_end(arguments);
}

static void emit_string(struct formatter *f, struct conversion *c)
{
    struct service_text string = {0};
    uint64_t address = take(f, 8);
    if (address && !service_append_string(f->core, f->warp, f->lane, address, &string))
        f->failed = true;
    else
        emit(f, c, "", !address ? "(null)" : string.text ? string.text : "");
    free(string.text);
}

/* The bits of a double as the value. */
static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void convert(struct formatter *f, struct conversion *c, const char *start, const char *end)
{
    unsigned bytes = c->bytes == 8 ? 8 : 4, narrow = 8 * (unsigned)c->bytes;
    switch (c->type) {
    case 'd':
    case 'i': emit(f, c, "ll", (long long)sign_extend(take(f, bytes), narrow)); break;
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
        uint64_t value = take(f, bytes);
        emit(f, c, "ll", (unsigned long long)(narrow < 64 ? value & ((UINT64_C(1) << narrow) - 1) : value));
        break;
    }
    case 'c': emit(f, c, "", (int)take(f, 4)); break;
    case 's': emit_string(f, c); break;
    case 'p': emit(f, c, "", (void *)(uintptr_t)take(f, 8)); break;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': emit(f, c, "", double_of(take(f, 8))); break;
    case '%': service_append(f->text, "%", 1); break;
    default: service_append(f->text, start, (size_t)(end - start)); break;
    }
}

int service_format(struct exec_core *core, const struct exec_warp *warp, unsigned lane, uint64_t format,
                   uint64_t arguments, struct service_text *text)
{
    struct formatter f = {.core = core, .warp = warp, .lane = lane, .next = arguments, .text = text};
    struct service_text whole = {0};
    f.failed = !service_append_string(core, warp, lane, format, &whole);
    for (const char *at = f.failed || !whole.text ? "" : whole.text; *at && !f.failed;) {
        size_t plain = strcspn(at, "%");
        service_append(text, at, plain);
        at += plain;
        if (!*at)
            break;
        struct conversion c;
        const char *end = read_conversion(&f, &c, at + 1);
        convert(&f, &c, at, end);
        at = end;
    }
    free(whole.text);
    return f.failed ? -1 : f.count;
}

#include "accelsim/line6.h"

#include <stdio.h>
#include <string.h>

#include "accelsim/scan.h"
#include "base/bits.h"

enum { SOURCES_MOST = 7, LIST_MOST = 64, MODE_LIST = 3, MODE_DELTA = 4 };
enum { OBJECT_MOST = 1 << 28, BYTES_MOST = 1 << 24, PLACES_MOST = 1 << 17, WIDTH_MOST = 1 << 24 };

struct word {
    const char *at;
    size_t length;
};

struct rewriting {
    struct line6 *line;
    const char *at;
    char *out;
    char *wrong;
};

static struct word next(struct rewriting *r)
{
    struct word w = {.at = r->at = scan_blanks(r->at)};
    while (!scan_ends_token(*r->at))
        r->at++;
    w.length = (size_t)(r->at - w.at);
    return w;
}

static void put(struct rewriting *r, struct word w)
{
    memcpy(r->out, w.at, w.length);
    r->out += w.length;
    *r->out++ = ' ';
}

/* Behind the word that was put last. */
static void put_suffix(struct rewriting *r, const char *text)
{
    r->out--;
    put(r, (struct word){text, strlen(text)});
}

static void put_text(struct rewriting *r, const char *text) { put(r, (struct word){text, strlen(text)}); }

static bool fail(struct rewriting *r, const char *what)
{
    snprintf(r->wrong, LINE6_WRONG, "%s", what);
    return false;
}

static bool is(struct word w, const char *text) { return w.length == strlen(text) && !memcmp(w.at, text, w.length); }

static bool begins(struct word w, const char *text)
{
    return w.length >= strlen(text) && !memcmp(w.at, text, strlen(text));
}

static bool number_of(struct word w, uint64_t *value)
{
    const char *at = w.at;
    return w.length > 0 && scan_unsigned(&at, value);
}

/* With 0x before it or without. */
static bool hexadecimal_of(struct word w, uint64_t *value)
{
    const char *at = w.at;
    bool prefixed = w.length > 2 && at[0] == '0' && (at[1] | 0x20) == 'x';
    return w.length > 0 && (prefixed ? scan_address : scan_hexadecimal)(&at, value);
}

static bool signed_of(struct word w, int64_t *value)
{
    const char *at = w.at;
    return w.length > 0 && scan_signed(&at, value);
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

struct registers {
    struct word kept[SOURCES_MOST]; /* general ones */
    unsigned n;
    uint32_t all;
};

/* The general registers of a list, at most `most`. */
static bool read_registers(struct rewriting *r, unsigned most, struct registers *list)
{
    uint64_t count;
    list->n = 0;
    if (!number_of(next(r), &count) || count > LIST_MOST)
        return fail(r, "a number of registers is expected");
    list->all = (uint32_t)count;
    for (; count > 0; count--) {
        struct word w = next(r);
        bool known = begins(w, "R") || begins(w, "UR") || begins(w, "P") || begins(w, "UP");
        if (!known)
            return fail(r, "a register R, UR, P or UP and its number is expected");
        if (*w.at == 'R' && list->n < most)
            list->kept[list->n++] = w;
    }
    return true;
}

static void put_registers(struct rewriting *r, const struct registers *list)
{
    *r->out++ = (char)('0' + list->n);
    *r->out++ = ' ';
    for (unsigned i = 0; i < list->n; i++)
        put(r, list->kept[i]);
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

/* The instructions of which a line describes the copy. */
static bool copies(struct word mnemonic)
{
    static const char *const names[] = {"UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG", "UBLKCP", "UBLKPF", "UBLKRED"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (begins(mnemonic, names[i]))
            return true;
    return false;
}

static bool has_group(struct word mnemonic)
{
    size_t length = 0;
    while (length < mnemonic.length && mnemonic.at[length] != '.')
        length++;
    return length >= 4 && !memcmp(mnemonic.at + length - 4, "GMMA", 4);
}

static bool addresses(struct rewriting *r, uint32_t mask)
{
    uint64_t mode;
    struct word w = next(r);
    if (!number_of(w, &mode) || mode > 2)
        return fail(r, "the mode of the addresses must be 0, 1 or 2");
    put(r, w);
    unsigned lanes = popcount32(mask), count = mode == 0 ? lanes : mode == 1 ? 2 : lanes ? lanes : 1;
    for (; count > 0; count--)
        put(r, next(r));
    return true;
}

/* MODE 3: COUNT ADDRESS..; MODE 4: BASE COUNT DIFFERENCE.. */
static bool read_places(struct rewriting *r, struct places *p)
{
    uint64_t mode, count, at = 0;
    p->count = 0;
    if (!number_of(next(r), &mode) || (mode != MODE_LIST && mode != MODE_DELTA))
        return fail(r, "the mode of the places of a copy must be 3 or 4");
    if (mode == MODE_DELTA && !hexadecimal_of(next(r), &at))
        return fail(r, "the first place of a copy, in hexadecimal digits, is expected");
    if (!number_of(next(r), &count) || count > PLACES_MOST)
        return fail(r, "the number of the places of a copy, at most 131072, is expected");
    for (uint64_t i = 0; i < count; i++) {
        int64_t step = 0;
        bool good = mode == MODE_LIST ? hexadecimal_of(next(r), &at) : i == 0 || signed_of(next(r), &step);
        at += (uint64_t)step;
        if (!good)
            return fail(r, "as many places of a copy as their number says are expected");
        if (!places_add(p, at))
            return fail(r, "no memory for the places of a copy");
    }
    return true;
}

/* WIDTH OBJECT MULTICAST [TARGETS] BYTES OUTSIDE, then places. */
static bool read_copy(struct rewriting *r)
{
    struct line6_copy *c = &r->line->copy;
    uint64_t width, object, multicast, targets = 0;
    if (!number_of(next(r), &width) || width > WIDTH_MOST)
        return fail(r, "the width of a copy in bytes is expected behind the sources");
    if (!hexadecimal_of(next(r), &object) || object >= OBJECT_MOST)
        return fail(r, "the address of a barrier object in the shared memory of a cluster is expected");
    if (!number_of(next(r), &multicast) || multicast > 1)
        return fail(r, "0 or 1 is expected: whether a copy is for several CTAs");
    if (multicast && (!hexadecimal_of(next(r), &targets) || targets > UINT16_MAX))
        return fail(r, "the CTAs that a copy is for are expected, a mask of 16 bits");
    if (!number_of(next(r), &c->bytes) || c->bytes > BYTES_MOST || !number_of(next(r), &c->outside) ||
        c->outside > BYTES_MOST)
        return fail(r, "the bytes of a copy, and those outside of its tensor, are expected, at most 16 MiB");
    c->object = (uint32_t)object;
    c->targets = (uint32_t)targets;
    c->places.width = (uint32_t)width;
    r->line->has_copy = true;
    return read_places(r, &c->places);
}

/* ---- the end of a line ------------------------------------------------------------------------------------------- */

/* An immediate. One beyond 63 bits, which is an address or a mask and nothing that a replay asks for, is 0. */
static bool read_immediate(struct word *w, uint64_t *value)
{
    int64_t number = 0;
    size_t digits = 0;
    while (digits < w->length && scan_digit(w->at[digits]) < 10)
        digits++;
    bool good = signed_of(*w, &number);
    if (!good && digits == w->length)
        *w = (struct word){"0", 1};
    *value = (uint64_t)number;
    return good || digits == w->length;
}

/* Of each register 1 and a value, or 32 and a value for each lane. */
static bool read_values(struct rewriting *r)
{
    struct line6 *line = r->line;
    uint32_t registers = line->destinations + line->sources;
    line->has_values = true;
    for (uint32_t n = 0; n < registers; n++) {
        uint64_t count, ignored[LINE6_LANES], *value = n < LINE6_VALUES ? line->value[n] : ignored;
        if (!number_of(next(r), &count) || (count != 1 && count != LINE6_LANES))
            return fail(r, "1 or 32 is expected before the values of a register");
        for (uint64_t i = 0; i < count; i++)
            if (!hexadecimal_of(next(r), &value[i]))
                return fail(r, "the values of a register, in hexadecimal digits, are expected");
        for (unsigned lane = 1; count == 1 && lane < LINE6_LANES; lane++)
            value[lane] = value[0];
    }
    return true;
}

/* Up to two immediates, then `NoVal`, or `Val` and values; our own words behind it. */
static bool read_end(struct rewriting *r)
{
    struct line6 *line = r->line;
    struct word w = next(r), first = {"0", 1};
    unsigned count = 0;
    uint64_t value;
    for (; w.length > 0 && !is(w, "NoVal") && !is(w, "Val"); w = next(r)) {
        if (count == 2 || !read_immediate(&w, &value))
            return fail(r, "two immediates at most, and then NoVal or Val, are expected");
        first = count == 0 ? w : first;
        line->immediate[count++] = value;
    }
    bool registers = line->barrier && line->destinations + line->sources > 0;
    put(r, registers ? (struct word){"0", 1} : first);
    if (is(w, "Val") && !read_values(r))
        return false;
    w = next(r);
    if (is(w, "Subcore")) {
        const char *wrong = added_read(r->at, &line->added);
        return !wrong || fail(r, wrong);
    }
    return w.length == 0 || fail(r, "the line goes on behind NoVal or its values");
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static bool read_rest(struct rewriting *r, struct word mnemonic, uint32_t mask)
{
    uint64_t width;
    if (copies(mnemonic)) {
        put_text(r, "0");
        return read_copy(r) && read_end(r);
    }
    struct word bytes = next(r);
    if (!number_of(bytes, &width))
        return fail(r, "the width of the access in bytes, or 0, is expected behind the sources");
    put(r, bytes);
    return (width == 0 || addresses(r, (uint32_t)mask)) && read_end(r);
}

/* The first operand of a barrier is none that it writes, although it stands among the destinations. */
static void put_operands(struct rewriting *r, struct word mnemonic, bool group, struct registers *destinations,
                         struct registers *sources)
{
    if (r->line->barrier) {
        for (unsigned i = destinations->n; i > 0 && sources->n < SOURCES_MOST; i--) {
            memmove(sources->kept + 1, sources->kept, sources->n++ * sizeof *sources->kept);
            sources->kept[0] = destinations->kept[i - 1];
        }
        destinations->n = 0;
    }
    put_registers(r, destinations);
    put(r, mnemonic);
    if (group)
        put_suffix(r, LINE6_GROUP);
    put_registers(r, sources);
}

static bool rewrite(struct rewriting *r)
{
    uint64_t mask;
    struct registers destinations, sources;
    put(r, next(r));
    struct word lanes = next(r);
    const char *at = lanes.at;
    if (!lanes.length || !scan_hexadecimal(&at, &mask) || mask > UINT32_MAX)
        return fail(r, "a mask of 32 lanes is expected behind the pc");
    put(r, lanes);
    if (!read_registers(r, 1, &destinations))
        return false;
    struct word mnemonic = next(r);
    r->line->marker = is(mnemonic, "REPLAY_START") || is(mnemonic, "REPLAY_END");
    if (r->line->marker)
        return true;
    if (!read_registers(r, SOURCES_MOST, &sources))
        return false;
    r->line->barrier = is(mnemonic, "BAR") || begins(mnemonic, "BAR.");
    r->line->destinations = destinations.all;
    r->line->sources = sources.all;
    uint64_t group = 0;
    if (has_group(mnemonic) && !number_of(next(r), &group))
        return fail(r, "the number of a group is expected behind the sources");
    put_operands(r, mnemonic, group != 0, &destinations, &sources);
    return read_rest(r, mnemonic, (uint32_t)mask);
}

char *line6_rewrite(struct line6 *line, const char *at, const char *end, char *out, char wrong[static LINE6_WRONG])
{
    struct rewriting r = {.line = line, .at = at, .out = out, .wrong = wrong};
    (void)end; /* '\n' is there, beyond which nothing reads */
    line->has_copy = line->has_values = false;
    line->immediate[0] = line->immediate[1] = 0;
    line->added.some = false;
    if (!rewrite(&r))
        return NULL;
    *r.out = '\n';
    return r.out;
}

void line6_free(struct line6 *line) { places_free(&line->copy.places); }

const uint64_t *line6_source(const struct line6 *line, unsigned n)
{
    uint32_t number = line->destinations + n;
    return line->has_values && n < line->sources && number < LINE6_VALUES ? line->value[number] : NULL;
}

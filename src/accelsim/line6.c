#include "accelsim/line6.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "accelsim/scan.h"
#include "base/bits.h"

enum { SOURCES_MOST = 7, LIST_MOST = 64 };

struct word {
    const char *at;
    size_t length;
};

struct rewriting {
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

/* The general registers of a list, at most `most`, with their number before them. */
static bool registers(struct rewriting *r, unsigned most)
{
    struct word kept[SOURCES_MOST];
    uint64_t count, left;
    unsigned n = 0;
    if (!number_of(next(r), &count) || count > LIST_MOST)
        return fail(r, "a number of registers is expected");
    for (left = count; left > 0; left--) {
        struct word w = next(r);
        bool known = begins(w, "R") || begins(w, "UR") || begins(w, "P") || begins(w, "UP");
        if (!known)
            return fail(r, "a register R, UR, P or UP and its number is expected");
        if (*w.at == 'R' && n < most)
            kept[n++] = w;
    }
    *r->out++ = (char)('0' + n);
    *r->out++ = ' ';
    for (unsigned i = 0; i < n; i++)
        put(r, kept[i]);
    return true;
}

/* The engine's operations: what they copy is more than an access of lanes. */
static bool is_of_engine(struct word mnemonic) { return begins(mnemonic, "UTMA") || begins(mnemonic, "UBLK"); }

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

/* One immediate of up to two; values are left out. */
static bool immediate(struct rewriting *r)
{
    struct word w = next(r);
    bool values = is(w, "NoVal") || is(w, "Val");
    if (w.length == 0 || values)
        put(r, (struct word){"0", 1});
    else
        put(r, w);
    for (unsigned more = 0; w.length > 0 && !values; more++) {
        w = next(r);
        values = is(w, "NoVal") || is(w, "Val");
        if (more == 1 && w.length > 0 && !values)
            return fail(r, "two immediates at most, and then NoVal or Val, are expected");
    }
    return true;
}

static bool rewrite(struct rewriting *r)
{
    uint64_t mask, width, group;
    put(r, next(r));
    struct word lanes = next(r);
    const char *at = lanes.at;
    if (!lanes.length || !scan_hexadecimal(&at, &mask) || mask > UINT32_MAX)
        return fail(r, "a mask of 32 lanes is expected behind the pc");
    put(r, lanes);
    if (!registers(r, 1))
        return false;
    struct word mnemonic = next(r);
    if (is_of_engine(mnemonic)) {
        snprintf(r->wrong, LINE6_WRONG,
                 "%.*s: bulk and tensor copies of trace version 6 cannot be replayed; record the program with "
                 "'subcore record'",
                 (int)(mnemonic.length < 40 ? mnemonic.length : 40), mnemonic.at);
        return false;
    }
    put(r, mnemonic);
    if (!registers(r, SOURCES_MOST))
        return false;
    if (has_group(mnemonic) && !number_of(next(r), &group))
        return fail(r, "the number of a group is expected behind the sources");
    struct word bytes = next(r);
    if (!number_of(bytes, &width))
        return fail(r, "the width of the access in bytes, or 0, is expected behind the sources");
    put(r, bytes);
    return (width == 0 || addresses(r, (uint32_t)mask)) && immediate(r);
}

char *line6_rewrite(const char *at, const char *end, char *out, char wrong[static LINE6_WRONG])
{
    struct rewriting r = {.at = at, .out = out, .wrong = wrong};
    (void)end; /* '\n' is there, beyond which nothing reads */
    if (!rewrite(&r))
        return NULL;
    *r.out = '\n';
    return r.out;
}

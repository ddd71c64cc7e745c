#include "cubin/fatbin.h"

/* The block format: sequences of a token (literal length, match length), literals, and a match that copies earlier
 * output. A length of 15 goes on in further bytes. The last sequence has literals only. */

enum { MATCH_MIN = 4, LENGTH_GOES_ON = 15 };

struct decoder {
    const uint8_t *in, *in_end;
    uint8_t *start, *out, *out_end;
};

static bool read_length(struct decoder *d, size_t *length)
{
    uint8_t more;
    if (*length != LENGTH_GOES_ON)
        return true;
    do {
        if (d->in == d->in_end)
            return false;
        more = *d->in++;
        *length += more;
    } while (more == 255);
    return true;
}

static bool copy_literals(struct decoder *d, size_t length)
{
    if (length > (size_t)(d->in_end - d->in) || length > (size_t)(d->out_end - d->out))
        return false;
    memcpy(d->out, d->in, length);
    d->in += length;
    d->out += length;
    return true;
}

/* The match may overlap its own output, so it goes byte by byte. */
static bool copy_match(struct decoder *d, size_t distance, size_t length)
{
    if (distance == 0 || distance > (size_t)(d->out - d->start) || length > (size_t)(d->out_end - d->out))
        return false;
    for (const uint8_t *from = d->out - distance; length > 0; length--)
        *d->out++ = *from++;
    return true;
}

bool lz4_decode(struct cubin_bytes in, uint8_t *out, size_t size)
{
    if (in.size == 0)
        return false;
    struct decoder d = {.in = in.data, .in_end = in.data + in.size, .start = out, .out = out, .out_end = out + size};
    while (d.in < d.in_end) {
        uint8_t token = *d.in++;
        size_t literals = token >> 4, match = token & 15;
        if (!read_length(&d, &literals) || !copy_literals(&d, literals))
            return false;
        if (d.in == d.in_end)
            break;
        if (d.in_end - d.in < 2)
            return false;
        size_t distance = le16(d.in);
        d.in += 2;
        if (!read_length(&d, &match) || !copy_match(&d, distance, match + MATCH_MIN))
            return false;
    }
    return d.out == d.out_end;
}

#include "accelsim/header.h"

#include <stdlib.h>

#include "accelsim/scan.h"

enum { NEWEST = 6, BINARY_LEAST = 20, BINARY_MOST = 199 };
#define BLOCKS_MOST (UINT64_C(1) << 40)
enum { BLOCK_MOST = 1024, CLUSTER_MOST = 16, SHARED_MOST = 1 << 20, REGISTERS_MOST = 255 };

/* Keys as the header writes them, and the bits of those that were there. */
enum key {
    NAME,
    ID,
    GRID,
    BLOCK,
    CLUSTER,
    SHARED,
    REGISTERS,
    BINARY,
    STREAM,
    SHARED_BASE,
    LOCAL_BASE,
    VERSION,
    LINES,
    KEYS
};

static const char *const keys[KEYS] = {
    [NAME] = "kernel name",
    [ID] = "kernel id",
    [GRID] = "grid dim",
    [BLOCK] = "block dim",
    [CLUSTER] = "cluster dim",
    [SHARED] = "shmem",
    [REGISTERS] = "nregs",
    [BINARY] = "binary version",
    [STREAM] = "cuda stream id",
    [SHARED_BASE] = "shmem base_addr",
    [LOCAL_BASE] = "local mem base_addr",
    [VERSION] = "accelsim tracer version",
    [LINES] = "enable lineinfo",
};

static enum key find_key(const char *text, const char *equals)
{
    while (equals > text && (equals[-1] == ' ' || equals[-1] == '\t'))
        equals--;
    size_t length = (size_t)(equals - text);
    for (unsigned i = 0; i < KEYS; i++)
        if (strlen(keys[i]) == length && memcmp(keys[i], text, length) == 0)
            return (enum key)i;
    return KEYS;
}

/* (x,y,z), each at least 1. */
static bool read_dimensions(const char *at, uint32_t out[3])
{
    for (unsigned i = 0; i < 3; i++) {
        at = scan_blanks(at);
        if (*at++ != (i ? ',' : '('))
            return false;
        at = scan_blanks(at);
        uint64_t value = 0;
        const char *start = at;
        while (*at >= '0' && *at <= '9' && value < UINT32_MAX)
            value = value * 10 + (uint64_t)(*at++ - '0');
        if (at == start || value == 0 || value > INT32_MAX)
            return false;
        out[i] = (uint32_t)value;
    }
    return *scan_blanks(at) == ')';
}

static bool read_number(const char *at, uint64_t most, uint64_t *value)
{
    return scan_unsigned(&at, value) && *value <= most && *scan_blanks(at) == '\n';
}

static bool read_small(const char *at, uint64_t most, uint32_t *out)
{
    uint64_t value;
    bool good = read_number(at, most, &value);
    *out = good ? (uint32_t)value : 0;
    return good;
}

/* NVBit tracers read three facts of launches by cuLaunchKernelEx from the wrong place: a number outside of `least` to
 * `most` leaves 0. */
static bool read_fact(struct header *h, const char *at, int64_t least, int64_t most, uint32_t *out)
{
    int64_t value = 0;
    bool good = scan_signed(&at, &value) && *scan_blanks(at) == '\n';
    bool possible = value >= least && value <= most;
    *out = good && possible ? (uint32_t)value : 0;
    h->wrong |= good && !possible;
    return good;
}

/* 1.2 is of version 1. */
static bool read_version(const char *at, uint32_t *out)
{
    uint64_t version = 0;
    const char *start = at;
    while (scan_digit(*at) < 10 && version < UINT32_MAX)
        version = 10 * version + scan_digit(*at++);
    bool good = at != start && version <= UINT32_MAX;
    at += *at == '.';
    while (scan_digit(*at) < 10)
        at++;
    *out = good ? (uint32_t)version : 0;
    return good && *scan_blanks(at) == '\n';
}

/* Tracers before version 2 write the stream's handle as an int. */
static bool read_stream(const char *at, uint64_t *stream)
{
    int64_t value;
    if (*at != '-')
        return read_number(at, UINT64_MAX, stream);
    bool good = scan_signed(&at, &value) && *scan_blanks(at) == '\n';
    *stream = good ? (uint64_t)value : 0;
    return good;
}

static bool read_name(const char *at, const char *end, char **name)
{
    while (end > at && (end[-1] == '\r' || end[-1] == ' '))
        end--;
    free(*name);
    *name = strndup(at, (size_t)(end - at));
    return *name && memchr(at, 0, (size_t)(end - at)) == NULL;
}

static bool read_value(struct header *h, enum key key, const char *at, const char *end)
{
    uint32_t lines;
    bool good = true;
    switch (key) {
    case NAME: return read_name(at, end, &h->name);
    case ID: return read_number(at, UINT64_MAX, &h->id);
    case GRID: return read_dimensions(at, h->grid);
    case BLOCK: return read_dimensions(at, h->block);
    case CLUSTER: return read_dimensions(at, h->cluster);
    case SHARED: return read_fact(h, at, 0, SHARED_MOST, &h->shared);
    case REGISTERS: return read_fact(h, at, 1, REGISTERS_MOST, &h->registers);
    case BINARY:
        good = read_small(at, BINARY_MOST, &h->binary) && (h->binary == 0 || h->binary >= BINARY_LEAST);
        h->wrong |= h->binary == 0;
        return good;
    case STREAM: return read_stream(at, &h->stream);
    case SHARED_BASE: return scan_address(&at, &h->shared_base);
    case LOCAL_BASE: return scan_address(&at, &h->local_base);
    case VERSION: return read_version(at, &h->version);
    case LINES:
        good = read_small(at, 1, &lines);
        h->lines = lines;
        return good;
    case KEYS: break; /* a key of later tracers, or one that says nothing about the kernel */
    }
    return true;
}

static bool read_key(struct input *in, struct header *h, const char *text, const char *end, uint32_t *seen,
                     struct status *status)
{
    const char *equals = memchr(text, '=', (size_t)(end - text));
    if (!equals)
        return input_fail(in, status, "this line of the header has no '='");
    enum key key = find_key(text + 1, equals);
    if (!read_value(h, key, scan_blanks(equals + 1), end))
        return input_fail(in, status, "no usable value for '%s'", keys[key]);
    *seen |= 1u << key;
    return true;
}

static bool check_cluster(const struct input *in, const struct header *h, struct status *status)
{
    uint64_t ctas = 1;
    for (unsigned i = 0; i < 3 && h->cluster[0]; i++) {
        ctas = h->cluster[i] <= CLUSTER_MOST ? ctas * h->cluster[i] : CLUSTER_MOST + 1;
        if (ctas > CLUSTER_MOST)
            return input_fail(in, status, "a cluster has more than %d blocks", CLUSTER_MOST);
        if (h->grid[i] % h->cluster[i])
            return input_fail(in, status, "the grid is no multiple of its clusters");
    }
    return true;
}

static bool check(const struct input *in, const struct header *h, uint32_t seen, struct status *status)
{
    static const uint8_t needed[] = {NAME, GRID, BLOCK, REGISTERS, BINARY};
    for (unsigned i = 0; i < sizeof needed; i++)
        if (!(seen >> needed[i] & 1))
            return input_fail(in, status, "the header does not have '%s'", keys[needed[i]]);
    if (h->version > NEWEST)
        return input_fail(in, status, "trace version %u cannot be read, only versions up to %d", h->version, NEWEST);
    if ((uint64_t)h->block[0] * h->block[1] > BLOCK_MOST ||
        (uint64_t)h->block[0] * h->block[1] * h->block[2] > BLOCK_MOST)
        return input_fail(in, status, "a block has %u x %u x %u threads; at most 1024 are possible", h->block[0],
                          h->block[1], h->block[2]);
    if (h->grid[1] > UINT16_MAX || h->grid[2] > UINT16_MAX ||
        (uint64_t)h->grid[0] * h->grid[1] * h->grid[2] > BLOCKS_MOST)
        return input_fail(in, status,
                          "a grid has %u x %u x %u blocks; at most 65535 are possible in y and z, and 2^40 in all",
                          h->grid[0], h->grid[1], h->grid[2]);
    return check_cluster(in, h, status);
}

bool header_read(struct input *in, struct header *out, struct status *status)
{
    const char *text, *end;
    uint32_t seen = 0;
    *out = (struct header){0};
    bool good = true, body = false;
    while (good && !body && input_line(in, &text, &end, status)) {
        text = scan_blanks(text);
        body = *text == '#';
        if (*text == '-')
            good = read_key(in, out, text, end, &seen, status);
        else if (*text != '#' && text != end)
            good = input_fail(in, status, "neither a line of the header ('-key = value') nor the '#' that ends it");
    }
    if (good && status->code == STATUS_OK && check(in, out, seen, status))
        return true;
    header_free(out);
    return false;
}

uint64_t header_shared_window(const struct header *h)
{
    const uint64_t own = UINT64_C(1) << 24, all = own * CLUSTER_MOST, between = h->local_base - h->shared_base;
    if (h->version < NEWEST || h->local_base <= h->shared_base)
        return own;
    return between < all ? between : all;
}

void header_free(struct header *header)
{
    free(header->name);
    *header = (struct header){0};
}

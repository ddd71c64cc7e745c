#include "accelsim/added.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "accelsim/scan.h"
#include "trace/transfer.h"

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static int put_transfer(char *out, size_t room, const struct transfer *t)
{
    uint64_t field[TRACE_TRANSFER_FIELDS];
    unsigned last = 0;
    int n = snprintf(out, room, " transfer=");
    trace_transfer_fields(t, field);
    for (unsigned i = 0; i < TRACE_TRANSFER_FIELDS; i++)
        last = field[i] ? i : last;
    for (unsigned i = 0; i <= last; i++) {
        const char *before = i ? "," : "";
        n += field[i] ? snprintf(out + n, room - (size_t)n, "%s%" PRIx64, before, field[i])
                      : snprintf(out + n, room - (size_t)n, "%s", before);
    }
    return n;
}

size_t added_write(char out[static ADDED_MOST], const struct added *a)
{
    int n = snprintf(out, ADDED_MOST, " Subcore");
    if (a->has_path)
        n += snprintf(out + n, ADDED_MOST - (size_t)n, " path=%" PRIx32, a->path);
    if (a->has_waits)
        n += snprintf(out + n, ADDED_MOST - (size_t)n, " waits=%" PRIx32, a->waits);
    if (a->has_none)
        n += snprintf(out + n, ADDED_MOST - (size_t)n, " none=%" PRIx32, a->none);
    if (a->has_sleep)
        n += snprintf(out + n, ADDED_MOST - (size_t)n, " sleep=%u", a->sleep);
    if (a->has_policy)
        n += snprintf(out + n, ADDED_MOST - (size_t)n, " policy=%" PRIx64, a->policy);
    if (a->has_transfer)
        n += put_transfer(out + n, ADDED_MOST - (size_t)n, &a->transfer);
    bool some = a->has_path || a->has_waits || a->has_none || a->has_sleep || a->has_policy || a->has_transfer;
    return some ? (size_t)n : 0;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool is_key(const char *at, const char *key, const char **value)
{
    size_t n = strlen(key);
    *value = at + n;
    return strncmp(at, key, n) == 0;
}

/* Numbers with commas between. Those that are left out are 0. */
static bool read_transfer(const char **at, struct transfer *t)
{
    uint64_t field[TRACE_TRANSFER_FIELDS] = {0};
    unsigned i = 0, digits = 0;
    for (; !scan_ends_token(**at); ++*at) {
        unsigned digit = scan_digit(**at);
        if (**at == ',') {
            digits = 0;
            if (++i == TRACE_TRANSFER_FIELDS)
                return false;
        } else if (digit > 15 || ++digits > 16) {
            return false;
        } else {
            field[i] = field[i] << 4 | digit;
        }
    }
    return trace_transfer_of(field, t);
}

static bool read_lanes(const char **at, uint32_t *lanes, bool *has)
{
    uint64_t value;
    bool good = !*has && scan_hexadecimal(at, &value) && value <= UINT32_MAX;
    *lanes = good ? (uint32_t)value : 0;
    *has = true;
    return good;
}

static bool read_sleep(const char **at, struct added *a)
{
    uint64_t value;
    bool good = !a->has_sleep && scan_unsigned(at, &value) && value <= UINT16_MAX;
    a->sleep = good ? (uint16_t)value : 0;
    a->has_sleep = true;
    return good;
}

const char *added_read(const char *at, struct added *a)
{
    const char *value;
    *a = (struct added){.some = true};
    for (at = scan_blanks(at); *at != '\n'; at = scan_blanks(at)) {
        bool good = false;
        if (is_key(at, "path=", &value)) {
            good = read_lanes(&value, &a->path, &a->has_path);
        } else if (is_key(at, "waits=", &value)) {
            good = read_lanes(&value, &a->waits, &a->has_waits);
        } else if (is_key(at, "none=", &value)) {
            good = read_lanes(&value, &a->none, &a->has_none);
        } else if (is_key(at, "sleep=", &value)) {
            good = read_sleep(&value, a);
        } else if (is_key(at, "policy=", &value)) {
            good = !a->has_policy && scan_hexadecimal(&value, &a->policy);
            a->has_policy = true;
        } else if (is_key(at, "transfer=", &value)) {
            good = !a->has_transfer && read_transfer(&value, &a->transfer);
            a->has_transfer = true;
        }
        if (!good)
            return "behind 'Subcore' only path=, waits=, none=, sleep=, policy= and transfer= are expected, each once";
        at = value;
    }
    return NULL;
}

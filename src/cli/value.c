#include "cli/value.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"

const struct value_info *value_info(enum value_type type)
{
    static const struct value_info infos[VALUE_TYPE_COUNT] = {
#define X(id, kind, bytes, fraction, exponent) {#id, VALUE_##kind, bytes, fraction, exponent},
        VALUE_TYPES(X)
#undef X
    };
    return &infos[type];
}

enum value_type value_type_find(const char *name, size_t length)
{
    unsigned type = 0;
    while (type < VALUE_TYPE_COUNT) {
        const char *known = value_info((enum value_type)type)->name;
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            break;
        type++;
    }
    return (enum value_type)type;
}

/* ---- floating point -------------------------------------------------------------------------------------------- */

/* Sign, biased exponent and fraction, rounded to nearest even in one step. A carry out of the fraction lands in the
 * exponent, as it should. */
static uint64_t encode(const struct value_info *info, double value)
{
    uint64_t sign = signbit(value) ? UINT64_C(1) << (8 * info->bytes - 1) : 0;
    uint64_t infinity = (uint64_t)(3 - 2 * info->exponent) << info->fraction;
    double size = fabs(value);
    if (isnan(value))
        return infinity | UINT64_C(1) << (info->fraction - 1);
    if (isinf(value))
        return sign | infinity;
    int exponent = info->exponent;
    if (size > 0 && ilogb(size) > exponent)
        exponent = ilogb(size);
    uint64_t steps = (uint64_t)nearbyint(ldexp(size, info->fraction - exponent));
    uint64_t bits = ((uint64_t)(exponent - info->exponent) << info->fraction) + steps;
    return sign | (bits < infinity ? bits : infinity);
}

static double decode(const struct value_info *info, uint64_t bits)
{
    uint64_t sign = bits >> (8 * info->bytes - 1) & 1;
    uint64_t steps = bits & ((UINT64_C(1) << info->fraction) - 1);
    uint64_t infinity = (uint64_t)(3 - 2 * info->exponent);
    uint64_t biased = bits >> info->fraction & infinity;
    double size;
    if (biased == infinity)
        size = steps ? (double)NAN : (double)INFINITY;
    else if (biased == 0)
        size = ldexp((double)steps, info->exponent - info->fraction);
    else
        size =
            ldexp((double)(steps | UINT64_C(1) << info->fraction), (int)biased - 1 + info->exponent - info->fraction);
    return sign ? -size : size;
}

/* ---- all types ------------------------------------------------------------------------------------------------- */

static uint64_t mask(const struct value_info *info)
{
    return info->bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * info->bytes) - 1;
}

static bool parse_integer(const struct value_info *info, const char *text, uint64_t *bits)
{
    bool negative = text[0] == '-';
    uint64_t highest = mask(info);
    const char *digits = text + negative;
    if (info->kind == VALUE_SIGNED)
        highest = highest / 2 + negative;
    else if (negative)
        return false;
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (digits[0] < '0' || digits[0] > '9')
        return false;
    char *end;
    errno = 0;
    uintmax_t size = strtoumax(digits, &end, hex ? 16 : 10);
    if (*end != '\0' || errno != 0 || size > highest)
        return false;
    *bits = (negative ? 0 - size : size) & mask(info);
    return true;
}

bool value_parse(enum value_type type, const char *text, uint64_t *bits)
{
    const struct value_info *info = value_info(type);
    if (info->kind != VALUE_FLOAT)
        return parse_integer(info, text, bits);
    char *end;
    if (text[0] == '\0' || text[0] == ' ')
        return false;
    double value = strtod(text, &end);
    *bits = encode(info, value);
    return *end == '\0';
}

uint64_t value_whole(enum value_type type, uint64_t n)
{
    const struct value_info *info = value_info(type);
    return info->kind == VALUE_FLOAT ? encode(info, (double)n) : n & mask(info);
}

uint64_t value_random(enum value_type type, uint64_t seed, uint64_t index, uint64_t below)
{
    const struct value_info *info = value_info(type);
    uint64_t r = hash_mix(hash_mix(seed) + index);
    if (below > 0)
        return value_whole(type, r % below);
    if (info->kind != VALUE_FLOAT)
        return r & mask(info);
    int digits = info->fraction + 1;
    return encode(info, ldexp((double)(r >> (64 - digits)), -digits));
}

void value_print(enum value_type type, uint64_t bits, char *out, size_t size)
{
    const struct value_info *info = value_info(type);
    if (info->kind == VALUE_UNSIGNED)
        snprintf(out, size, "%ju", (uintmax_t)bits);
    else if (info->kind == VALUE_SIGNED)
        snprintf(out, size, "%jd", (intmax_t)sign_extend(bits, 8 * info->bytes));
    else
        snprintf(out, size, "%g", decode(info, bits));
}

#include "cli/argument.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/options.h"

enum { MOST_HEX_BYTES = 4096 };

static bool fail(struct status *status, const struct argument *a, const char *why)
{
    return status_fail(status, STATUS_USAGE, "--arg '%.120s': %s", a->spec, why);
}

static bool copy(struct argument *a, const char *text, size_t length, char **out, struct status *status)
{
    if (length == 0)
        return fail(status, a, "a file name is missing");
    *out = strndup(text, length);
    return *out || status_fail(status, STATUS_MEMORY, "no memory for a file name");
}

static bool unknown_type(struct argument *a, struct status *status)
{
    char known[128] = "";
    for (unsigned i = 0; i < VALUE_TYPE_COUNT; i++) {
        strcat(known, i ? ", " : "");
        strcat(known, value_info((enum value_type)i)->name);
    }
    return status_fail(status, STATUS_USAGE,
                       "--arg '%.120s': expected TYPE:VALUE, TYPE[COUNT]=PATTERN, hex:DIGITS or null; types are %s",
                       a->spec, known);
}

static bool parse_hex(struct argument *a, const char *digits, struct status *status)
{
    size_t length = strspn(digits, "0123456789abcdefABCDEF");
    if (digits[length] != '\0' || length == 0 || length % 2 != 0 || length / 2 > MOST_HEX_BYTES)
        return fail(status, a, "expected an even number of hexadecimal digits, at most 8192");
    a->kind = ARGUMENT_BYTES;
    return true;
}

static bool bad_value(struct argument *a, const char *text, struct status *status)
{
    return status_fail(status, STATUS_USAGE, "--arg '%.120s': '%.60s' is not a value of type %s", a->spec, text,
                       value_info(a->type)->name);
}

static bool parse_seed(struct argument *a, const char *text, struct status *status)
{
    char seed[24];
    size_t length = strcspn(text, "%");
    a->pattern = PATTERN_SEED;
    if (length >= sizeof seed)
        return fail(status, a, "the seed is too long");
    memcpy(seed, text, length);
    seed[length] = '\0';
    if (!cli_number(seed, UINT64_MAX, &a->seed))
        return fail(status, a, "seed:N wants a number, as in seed:1 or seed:1%100");
    if (text[length] == '%' && (!cli_number(text + length + 1, UINT64_MAX, &a->below) || a->below == 0))
        return fail(status, a, "seed:N%M wants a positive limit, as in seed:1%100");
    return true;
}

static bool parse_pattern(struct argument *a, char *text, struct status *status)
{
    if (strcmp(text, "zero") == 0)
        return true;
    if (strcmp(text, "iota") == 0) {
        a->pattern = PATTERN_IOTA;
        return true;
    }
    if (strncmp(text, "seed:", 5) == 0)
        return parse_seed(a, text + 5, status);
    if (strncmp(text, "file:", 5) == 0) {
        a->pattern = PATTERN_FILE;
        return copy(a, text + 5, strlen(text + 5), &a->file, status);
    }
    if (value_parse(a->type, text, &a->bits))
        return true;
    return status_fail(status, STATUS_USAGE,
                       "--arg '%.120s': '%.60s' is no pattern: zero, iota, seed:N, seed:N%%M, file:PATH or a value of "
                       "type %s",
                       a->spec, text, value_info(a->type)->name);
}

/* The part behind TYPE[: COUNT]=PATTERN and perhaps >FILE. */
static bool parse_array(struct argument *a, char *text, struct status *status)
{
    char *close = strchr(text, ']');
    a->kind = ARGUMENT_ARRAY;
    if (!close || close[1] != '=')
        return fail(status, a, "expected TYPE[COUNT]=PATTERN, as in f32[1024]=zero");
    *close = '\0';
    uint64_t most = (UINT64_C(1) << 40) / value_info(a->type)->bytes;
    if (!cli_number(text, most, &a->count) || a->count == 0)
        return fail(status, a, "COUNT is not a positive number of elements that fits a device");
    char *pattern = close + 2, *out = strrchr(pattern, '>');
    if (out) {
        *out = '\0';
        if (!copy(a, out + 1, strlen(out + 1), &a->out, status))
            return false;
    }
    return parse_pattern(a, pattern, status);
}

static bool parse(struct argument *a, char *text, struct status *status)
{
    if (strcmp(text, "null") == 0) {
        a->kind = ARGUMENT_NULL;
        return true;
    }
    if (strncmp(text, "hex:", 4) == 0)
        return parse_hex(a, text + 4, status);
    size_t length = strcspn(text, ":[");
    a->type = value_type_find(text, length);
    if (a->type == VALUE_TYPE_COUNT || text[length] == '\0')
        return unknown_type(a, status);
    if (text[length] == '[')
        return parse_array(a, text + length + 1, status);
    a->kind = ARGUMENT_SCALAR;
    return value_parse(a->type, text + length + 1, &a->bits) || bad_value(a, text + length + 1, status);
}

bool argument_parse(const char *spec, struct argument *out, struct status *status)
{
    *out = (struct argument){.spec = spec};
    char *text = strdup(spec);
    if (!text)
        return status_fail(status, STATUS_MEMORY, "no memory for an argument");
    bool ok = parse(out, text, status);
    free(text);
    if (!ok)
        argument_free(out);
    return ok;
}

void argument_free(struct argument *argument)
{
    free(argument->file);
    free(argument->out);
    argument->file = argument->out = NULL;
}

size_t argument_size(const struct argument *argument)
{
    if (argument->kind == ARGUMENT_SCALAR)
        return value_info(argument->type)->bytes;
    if (argument->kind == ARGUMENT_BYTES)
        return (strlen(argument->spec) - strlen("hex:")) / 2;
    return sizeof argument->address;
}

uint64_t argument_array_bytes(const struct argument *argument)
{
    return argument->count * value_info(argument->type)->bytes;
}

static void store_bits(uint8_t *to, uint64_t bits, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(bits >> 8 * i);
}

static unsigned digit_value(char c)
{
    return isdigit((unsigned char)c) ? (unsigned)(c - '0') : (unsigned)(tolower((unsigned char)c) - 'a') + 10;
}

void argument_store(const struct argument *argument, uint8_t *to)
{
    const char *digits = argument->spec + strlen("hex:");
    size_t size = argument_size(argument);
    if (argument->kind != ARGUMENT_BYTES)
        store_bits(to, argument->kind == ARGUMENT_SCALAR ? argument->bits : argument->address, size);
    else
        for (size_t i = 0; i < size; i++)
            to[i] = (uint8_t)(digit_value(digits[2 * i]) << 4 | digit_value(digits[2 * i + 1]));
}

static bool fill_from_file(const struct argument *argument, uint8_t *to, struct status *status)
{
    struct file_bytes bytes;
    uint64_t wanted = argument_array_bytes(argument);
    if (!file_read(argument->file, SIZE_MAX, &bytes, status))
        return false;
    bool ok = bytes.size == wanted;
    if (ok)
        memcpy(to, bytes.data, bytes.size);
    else
        status_fail(status, STATUS_USAGE, "--arg '%.120s': the file has %zu bytes, the array %ju", argument->spec,
                    bytes.size, (uintmax_t)wanted);
    file_free(&bytes);
    return ok;
}

bool argument_fill(const struct argument *argument, uint8_t *to, struct status *status)
{
    size_t bytes = value_info(argument->type)->bytes;
    if (argument->pattern == PATTERN_FILE)
        return fill_from_file(argument, to, status);
    for (uint64_t i = 0; i < argument->count; i++) {
        uint64_t bits = argument->bits;
        if (argument->pattern == PATTERN_IOTA)
            bits = value_whole(argument->type, i);
        else if (argument->pattern == PATTERN_SEED)
            bits = value_random(argument->type, argument->seed, i, argument->below);
        store_bits(to + i * bytes, bits, bytes);
    }
    return true;
}

uint64_t argument_element(const struct argument *argument, const uint8_t *bytes, uint64_t index)
{
    size_t size = value_info(argument->type)->bytes;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)bytes[index * size + i] << 8 * i;
    return bits;
}

#include "report/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Puts commas between groups of three before the point or the end. */
static struct format group(const char *digits)
{
    struct format f;
    size_t whole = strcspn(digits, "."), used = 0;
    for (size_t i = 0; digits[i] && used + 2 < sizeof f.text; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0)
            f.text[used++] = ',';
        f.text[used++] = digits[i];
    }
    f.text[used] = '\0';
    return f;
}

/* `value` in the largest of the units that leaves at least 1, each `step` times the one before. */
static struct format scaled(double value, double step, const char *const *units, size_t count, int decimals)
{
    struct format f;
    size_t unit = 0;
    while (unit + 1 < count && value >= step) {
        value /= step;
        unit++;
    }
    snprintf(f.text, sizeof f.text, "%.*f%s", decimals, value, units[unit]);
    return f;
}

#define SCALED(value, step, decimals, ...)                                                                             \
    scaled(value, step, (const char *const[]){__VA_ARGS__},                                                            \
           sizeof(const char *const[]){__VA_ARGS__} / sizeof(const char *), decimals)

struct format format_count(uint64_t value)
{
    char digits[FORMAT_TEXT];
    snprintf(digits, sizeof digits, "%ju", (uintmax_t)value);
    return group(digits);
}

struct format format_short(uint64_t value)
{
    return value < 100000000 ? format_count(value) : SCALED((double)value, 1000, 2, "", " K", " M", " G", " T");
}

struct format format_fixed(double value, int decimals)
{
    char digits[FORMAT_TEXT];
    if (!(value >= 0 && value < 1e18)) {
        struct format f;
        snprintf(f.text, sizeof f.text, "%.*g", decimals + 1, value);
        return f;
    }
    snprintf(digits, sizeof digits, "%.*f", decimals, value);
    return group(digits);
}

struct format format_percent(double value)
{
    struct format f;
    snprintf(f.text, sizeof f.text, "%.2f %%", value);
    return f;
}

struct format format_time(double seconds)
{
    if (seconds >= 1)
        return SCALED(seconds, INFINITY, 2, " s");
    return SCALED(1e9 * seconds, 1000, 2, " ns", " us", " ms");
}

struct format format_traffic(double bytes)
{
    if (bytes < 1000)
        return SCALED(bytes, 1000, 0, " B");
    return SCALED(bytes, 1000, 2, " B", " KB", " MB", " GB", " TB");
}

struct format format_size(uint64_t bytes)
{
    if (bytes < 1024)
        return SCALED((double)bytes, 1024, 0, " B");
    return SCALED((double)bytes, 1024, bytes % 1024 ? 1 : 0, " B", " KiB", " MiB", " GiB");
}

struct format format_rate(double per_second) { return SCALED(per_second, 1000, 2, "", " K", " M", " G"); }

struct format format_dim(const uint32_t dim[3])
{
    struct format f;
    int used = snprintf(f.text, sizeof f.text, "%u", dim[0]);
    if (dim[1] != 1 || dim[2] != 1)
        used += snprintf(f.text + used, sizeof f.text - (size_t)used, " x %u", dim[1]);
    if (dim[2] != 1)
        snprintf(f.text + used, sizeof f.text - (size_t)used, " x %u", dim[2]);
    return f;
}

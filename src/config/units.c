#include "config/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

#define KIBI 1024.0

struct unit {
    const char *name, *base; /* of the same kind have the same base */
    double in_base;
};

static const struct unit units[] = {
    {"byte", "byte", 1},
    {"B", "byte", 1},
    {"kB", "byte", 1e3},
    {"MB", "byte", 1e6},
    {"GB", "byte", 1e9},
    {"KiB", "byte", KIBI},
    {"MiB", "byte", KIBI *KIBI},
    {"GiB", "byte", KIBI *KIBI *KIBI},
    {"Hz", "Hz", 1},
    {"kHz", "Hz", 1e3},
    {"MHz", "Hz", 1e6},
    {"GHz", "Hz", 1e9},
    {"MB/s", "B/s", 1e6},
    {"GB/s", "B/s", 1e9},
    {"TB/s", "B/s", 1e12},
    {"GiB/s", "B/s", KIBI *KIBI *KIBI},
    {"TiB/s", "B/s", KIBI *KIBI *KIBI *KIBI},
    {"ns", "s", 1e-9},
    {"us", "s", 1e-6},
    {"ms", "s", 1e-3},
    {"s", "s", 1},
};

enum { UNITS = sizeof units / sizeof units[0], DIGITS = 15 };

static const struct unit *find(const char *name)
{
    for (size_t i = 0; i < UNITS; i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

void units_convert(const char *value, const char *unit, char *out, size_t size)
{
    size_t digits = strspn(value, "0123456789.");
    const char *behind = value + digits + strspn(value + digits, " ");
    const struct unit *given = find(behind), *wanted = find(unit);
    char number[NUMBER_TEXT];
    bool plain = digits == 0 || *behind == '\0';
    if (!plain && strcmp(behind, unit) == 0) {
        snprintf(out, size, "%.*s", (int)digits, value);
        return;
    }
    if (plain || !given || !wanted || strcmp(given->base, wanted->base) != 0) {
        snprintf(out, size, "%s", value);
        return;
    }
    char *end;
    double converted = strtod(value, &end) * given->in_base / wanted->in_base;
    number_format(converted, DIGITS, number);
    snprintf(out, size, "%s", end == value + digits ? number : value);
}

void units_list(const char *unit, char *out, size_t size)
{
    const struct unit *wanted = find(unit);
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; wanted && i < UNITS && used < size; i++)
        if (strcmp(units[i].base, wanted->base) == 0 && strcmp(units[i].name, "byte") != 0)
            used +=
                (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "; a unit may follow: ", units[i].name);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

const char *alias_key(const char *name, size_t length)
{
    static const struct {
        const char *name, *key;
    } aliases[] = {
        {"l1.size", "sm.unified"},        {"l1.capacity", "sm.unified"},       {"shared.size", "sm.shared"},
        {"shared.capacity", "sm.shared"}, {"l2.capacity", "l2.size"},          {"dram.size", "gpu.memory"},
        {"dram.capacity", "gpu.memory"},  {"memory.size", "gpu.memory"},       {"memory.bandwidth", "dram.bandwidth"},
        {"gpu.frequency", "gpu.clock"},   {"gpu.bandwidth", "dram.bandwidth"}, {"sm.clock", "gpu.clock"},
        {"sm.count", "gpu.sms"},          {"gpu.sm_count", "gpu.sms"},
    };
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (strlen(aliases[i].name) == length && memcmp(aliases[i].name, name, length) == 0)
            return aliases[i].key;
    return NULL;
}

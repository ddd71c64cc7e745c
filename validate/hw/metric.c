#include "metric.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

bool metric_counts(const char *name)
{
    static const char *const units[] = {"gpu__", "gpc__", "tpc__", "sm__",  "smsp__", "l1tex__", "lts__",
                                        "ltc__", "fbpa_", "dram_", "idc__", "imc__",  "icc__",   "gcc__"};
    static const char *const launch[] = {"launch__waves_per_multiprocessor", "launch__registers_per_thread"};
    for (size_t i = 0; i < sizeof launch / sizeof launch[0]; i++)
        if (strcmp(name, launch[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (begins(name, units[i]))
            return true;
    return false;
}

const char *metric_name(const char *name)
{
    static const char *const same[][2] = {
        {"dram__bytes_op_read.sum", "dram__bytes_read.sum"},
        {"dram__bytes_op_write.sum", "dram__bytes_write.sum"},
        {"smsp__average_warps_issue_stalled_no_instructions_per_issue_active.ratio",
         "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio"},
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (strcmp(name, same[i][0]) == 0)
            return same[i][1];
    return name;
}

/* Powers of a thousand, as Nsight Compute scales units. */
static bool prefix(const char **unit, double *factor)
{
    static const struct {
        char letter;
        double factor;
    } prefixes[] = {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (**unit == prefixes[i].letter) {
            *factor = prefixes[i].factor;
            ++*unit;
            return true;
        }
    }
    return false;
}

const char *metric_unit(const char *unit, double *factor)
{
    static const struct {
        const char *unit, *base;
        double factor;
    } known[] = {
        {"ns", "ns", 1},
        {"nsecond", "ns", 1},
        {"us", "ns", 1e3},
        {"usecond", "ns", 1e3},
        {"ms", "ns", 1e6},
        {"msecond", "ns", 1e6},
        {"s", "ns", 1e9},
        {"second", "ns", 1e9},
        {"hz", "hz", 1},
        {"Hz", "hz", 1},
        {"cycle/nsecond", "hz", 1e9},
        {"cycle/usecond", "hz", 1e6},
        {"cycle/second", "hz", 1},
        {"byte", "byte", 1},
        {"B", "byte", 1},
        {"byte/second", "byte/s", 1},
        {"B/s", "byte/s", 1},
    };
    const char *rest = unit;
    double scale = 1;
    for (int scaled = 0; scaled < 2; scaled++) {
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            if (strcmp(rest, known[i].unit) == 0) {
                *factor = scale * known[i].factor;
                return known[i].base;
            }
        }
        if (!prefix(&rest, &scale))
            break;
    }
    *factor = 1;
    return unit;
}

bool metric_value(const char *text, double *value)
{
    char digits[64], *end;
    size_t used = 0;
    for (; *text && used + 1 < sizeof digits; text++)
        if (*text != ',')
            digits[used++] = *text;
    digits[used] = '\0';
    *value = strtod(digits, &end);
    return end != digits && *end == '\0' && *text == '\0' && isfinite(*value);
}

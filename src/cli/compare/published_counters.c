#include "cli/compare/published_counters.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { SECTOR = 32 };

/* Numbers that only tables of others ask for. */
#define FURTHER(X)                                                                                                     \
    X("lts__t_sectors_op_read.sum", "sector", m->l2_sectors_read)                                                      \
    X("lts__t_sectors_op_write.sum", "sector", m->l2_sectors_write)                                                    \
    X("dram__sectors_read.sum", "sector", m->dram_bytes_read / SECTOR)                                                 \
    X("dram__sectors_write.sum", "sector", m->dram_bytes_written / SECTOR)

struct further {
    const char *name, *unit;
};

static const struct further further[] = {
#define X(name, unit, value) {name, unit},
    FURTHER(X)
#undef X
};
enum { FURTHER_COUNT = sizeof further / sizeof further[0], FIRST_STALL = METRIC_COUNT };
enum { FIRST_FURTHER = FIRST_STALL + STALL_COUNT };

static double further_value(const struct mem_counters *m, int index)
{
    const uint64_t value[] = {
#define X(name, unit, value) value,
        FURTHER(X)
#undef X
    };
    return (double)value[index];
}

static bool ends(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

/* Times and cycles have their own columns, and a fact about a launch before it runs is no counter. */
static bool is_counter(const char *name)
{
    static const char *const kinds[] = {".sum",
                                        ".ratio",
                                        ".pct",
                                        ".per_cycle_active",
                                        ".per_cycle_elapsed",
                                        ".pct_of_peak_sustained_active",
                                        ".pct_of_peak_sustained_elapsed"};
    bool known = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        known |= ends(name, kinds[i]);
    return known && strncmp(name, "subcore__", 9) != 0 && strcmp(name, "gpu__time_duration.sum") != 0;
}

static void stall_metric(enum stall_reason reason, char *name, size_t size)
{
    snprintf(name, size, "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio", stall_name(reason));
}

published_counter published_counter_find(const char *name)
{
    char stall[96];
    for (int i = 0; i < METRIC_COUNT; i++)
        if (is_counter(name) && strcmp(metric_info((enum metric)i)->name, name) == 0)
            return i;
    for (int i = 0; i < STALL_COUNT; i++) {
        stall_metric((enum stall_reason)i, stall, sizeof stall);
        if (strcmp(stall, name) == 0)
            return FIRST_STALL + i;
    }
    for (int i = 0; i < FURTHER_COUNT; i++)
        if (strcmp(further[i].name, name) == 0)
            return FIRST_FURTHER + i;
    return -1;
}

const char *published_counter_unit(published_counter counter)
{
    return counter < FIRST_STALL     ? metric_info((enum metric)counter)->unit
           : counter < FIRST_FURTHER ? "warp"
                                     : further[counter - FIRST_FURTHER].unit;
}

enum published_scale published_counter_scale(published_counter counter)
{
    if (counter == METRIC_DRAM)
        return PUBLISHED_DEVICE;
    bool stall = counter >= FIRST_STALL && counter < FIRST_FURTHER;
    bool total = counter >= FIRST_FURTHER || (!stall && ends(metric_info((enum metric)counter)->name, ".sum"));
    return total ? PUBLISHED_TOTAL : PUBLISHED_SHARE;
}

double published_counter_value(const struct measured *measured, published_counter counter)
{
    return counter < FIRST_STALL ? metric_value(measured, (enum metric)counter)
           : counter < FIRST_FURTHER
               ? metric_stall_per_issue(measured->result, (enum stall_reason)(counter - FIRST_STALL))
               : further_value(&measured->result->mem, counter - FIRST_FURTHER);
}

bool published_counter_written(published_counter counter)
{
    return counter >= FIRST_FURTHER && strcmp(further[counter - FIRST_FURTHER].name, "dram__sectors_write.sum") == 0;
}

/* Counters are structs of 64-bit numbers and nothing else. */
static void take_off(void *from, const void *what, size_t bytes)
{
    _Static_assert(sizeof(struct sm_counters) % sizeof(uint64_t) == 0, "counters are 64-bit numbers");
    _Static_assert(sizeof(struct mem_counters) % sizeof(uint64_t) == 0, "counters are 64-bit numbers");
    uint64_t *to = from;
    const uint64_t *less = what;
    for (size_t i = 0; i < bytes / sizeof *to; i++)
        to[i] -= less[i] < to[i] ? less[i] : to[i];
}

void published_subtract(struct kernel_result *from, const struct kernel_result *what)
{
    take_off(&from->sm, &what->sm, sizeof from->sm);
    take_off(&from->mem, &what->mem, sizeof from->mem);
    take_off(&from->cycles, &what->cycles, sizeof from->cycles);
    take_off(&from->warp_instructions, &what->warp_instructions, sizeof from->warp_instructions);
    take_off(&from->thread_instructions, &what->thread_instructions, sizeof from->thread_instructions);
}

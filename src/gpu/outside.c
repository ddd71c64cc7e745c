#include "gpu/outside.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "exec/code/lines.h"
#include "exec/cta.h"
#include "exec/executors.h"

struct outside_log {
    struct exec_outside hook; /* which the launch points to */
    atomic_flag busy;         /* cores of different SMs call at the same time */
    uint64_t count;
    /* Of the first: */
    uint32_t pc, warp;
    unsigned lane, bytes;
    uint64_t cta, address; /* linear index of the CTA */
    struct exec_dim index;
};

/* In the order of pc, CTA, warp, lane, address, which no schedule changes. */
static bool comes_first(const struct outside_log *log, const struct exec_warp *warp, uint32_t pc, unsigned lane,
                        uint64_t address)
{
    if (log->count == 0 || pc != log->pc)
        return log->count == 0 || pc < log->pc;
    if (warp->cta->linear != log->cta)
        return warp->cta->linear < log->cta;
    if (warp->index != log->warp)
        return warp->index < log->warp;
    return lane != log->lane ? lane < log->lane : address < log->address;
}

static void seen(void *self, const struct exec_warp *warp, uint32_t pc, unsigned lane, uint64_t address, unsigned bytes)
{
    struct outside_log *log = self;
    while (atomic_flag_test_and_set_explicit(&log->busy, memory_order_acquire))
        ;
    if (comes_first(log, warp, pc, lane, address)) {
        log->pc = pc;
        log->cta = warp->cta->linear;
        log->index = warp->cta->index;
        log->warp = warp->index;
        log->lane = lane;
        log->address = address;
        log->bytes = bytes;
    }
    log->count++;
    atomic_flag_clear_explicit(&log->busy, memory_order_release);
}

void outside_begin(struct exec_launch *launch)
{
    struct outside_log *log = calloc(1, sizeof *log);
    if (!log)
        return;
    atomic_flag_clear(&log->busy);
    log->hook = (struct exec_outside){log, seen};
    launch->outside = &log->hook;
}

static void tell(const struct outside_log *log, const struct exec_launch *launch, const struct gpu_outside *outside)
{
    char sass[ISA_TEXT], line[128], place[200], words[ISA_TEXT + 700];
    isa_print(&launch->kernel->code[log->pc / 16].isa, sass);
    exec_line(launch, log->pc, line, sizeof line);
    memory_place(launch->module->memory, log->address, place, sizeof place);
    snprintf(words, sizeof words,
             "makes %" PRIu64 " access%s outside of all allocations, in mapped pages, as hardware allows; the "
             "first: pc 0x%" PRIx32 " (%s%s%s), CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), warp %" PRIu32
             ", lane %u: %u bytes at 0x%" PRIx64 ", %s",
             log->count, log->count == 1 ? "" : "es", log->pc, sass, line[0] ? "; " : "", line, log->index.x,
             log->index.y, log->index.z, log->warp, log->lane, log->bytes, log->address, place);
    outside->tell(outside->self, launch->kernel->cubin->name, words);
}

void outside_end(struct exec_launch *launch, const struct gpu_outside *outside)
{
    if (!launch->outside || launch->outside->seen != seen)
        return;
    struct outside_log *log = launch->outside->self;
    launch->outside = NULL;
    if (log->count > 0)
        tell(log, launch, outside);
    free(log);
}

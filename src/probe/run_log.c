#include "probe/run_log.h"

#include <stdlib.h>
#include <string.h>

/* Looks back over so many issues for the one that a result belongs to. */
enum { MOST = 4 << 20, FIRST_ROOM = 1024, LOOK_BACK = 4096 };

void run_log_init(struct run_log *log)
{
    *log = (struct run_log){.sm = RUN_LOG_NO_SM, .to = UINT64_MAX, .most = MOST, .launch = UINT32_MAX};
}

void run_log_free(struct run_log *log)
{
    free(log->ctas.item);
    free(log->states.item);
    free(log->issues.item);
    run_log_init(log);
}

/* The place of the next entry (NULL: it is left out). */
static void *next(struct run_log *log, struct run_log_list *list, size_t size)
{
    if (list->count == list->room && list->room < log->most) {
        size_t room = list->room ? 2 * list->room : FIRST_ROOM;
        void *more = realloc(list->item, room * size);
        if (more) {
            list->item = more;
            list->room = room;
        }
    }
    log->cut |= list->count == list->room;
    return list->count == list->room ? NULL : (char *)list->item + list->count++ * size;
}

static void close_state(struct run_log *log, struct run_log_state *state)
{
    struct run_log_state *place = state->end > state->begin ? next(log, &log->states, sizeof *place) : NULL;
    if (place)
        *place = *state;
    state->begin = state->end = 0;
}

void run_log_begin(struct run_log *log) { log->launch++; }

void run_log_end(struct run_log *log)
{
    for (uint32_t i = 0; i < RUN_LOG_SLOTS; i++)
        close_state(log, &log->now[i]);
}

void run_log_cta(struct run_log *log, uint16_t sm, uint16_t slot, uint64_t cta, uint64_t begin, uint64_t end)
{
    struct run_log_cta *place = next(log, &log->ctas, sizeof *place);
    if (place)
        *place = (struct run_log_cta){log->launch, sm, slot, cta, begin, end};
}

void run_log_state(struct run_log *log, uint32_t slot, uint32_t pc, enum stall_reason state, uint64_t begin,
                   uint64_t cycles)
{
    struct run_log_state *now = &log->now[slot];
    uint64_t first = begin > log->from ? begin : log->from, end = begin + cycles < log->to ? begin + cycles : log->to;
    if (first >= end)
        return;
    if (now->end == first && now->end > now->begin && now->state == state && now->pc == pc) {
        now->end = end;
        return;
    }
    close_state(log, now);
    *now = (struct run_log_state){log->launch, pc, (uint16_t)slot, (uint8_t)state, first, end};
}

void run_log_issue(struct run_log *log, uint32_t slot, uint64_t cta, uint32_t pc, uint32_t active, uint64_t cycle)
{
    struct run_log_issue *place = cycle >= log->from && cycle < log->to ? next(log, &log->issues, sizeof *place) : NULL;
    if (place)
        *place = (struct run_log_issue){log->launch, pc, active, (uint16_t)slot, cta, cycle, 0};
}

void run_log_written(struct run_log *log, uint32_t slot, uint32_t pc, uint64_t cycle)
{
    struct run_log_issue *all = log->issues.item, *oldest = NULL;
    for (size_t back = 1; back <= log->issues.count && back <= LOOK_BACK; back++) {
        struct run_log_issue *i = &all[log->issues.count - back];
        if (i->launch == log->launch && i->slot == slot && i->pc == pc && !i->written)
            oldest = i;
        else if (i->launch == log->launch && i->slot == slot && i->pc == pc)
            break;
    }
    if (oldest)
        oldest->written = cycle;
}

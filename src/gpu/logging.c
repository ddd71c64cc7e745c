#include "gpu/logging.h"

static void issued(void *self, uint16_t sm, uint32_t slot, uint64_t cta, const struct code *code,
                   const struct issued *issued, uint64_t cycle)
{
    struct run_log *log = self;
    (void)code;
    if (sm == log->sm)
        run_log_issue(log, slot, cta, issued->pc, issued->active, cycle);
}

static void written(void *self, uint16_t sm, uint32_t slot, uint32_t pc, uint64_t cycle)
{
    struct run_log *log = self;
    if (sm == log->sm)
        run_log_written(log, slot, pc, cycle);
}

struct sm_observer logging_observer(struct run_log *log) { return (struct sm_observer){log, issued, written}; }

void logging_take(struct timed *t, uint32_t sm) { t->sms[sm].sm.log = t->log && t->log->sm == sm ? t->log : NULL; }

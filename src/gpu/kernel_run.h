/* A kernel in flight: its code, the CTAs that it has yet to begin, and its counts on its SMs.
 *
 * An SM belongs to the kernels of which it has CTAs (gpu/tenants.h): to the last of them until another kernel takes it.
 * Then its counters go into the kernel's result. */
#ifndef SUBCORE_GPU_KERNEL_RUN_H
#define SUBCORE_GPU_KERNEL_RUN_H

#include "gpu/cta_schedule.h"
#include "gpu/cta_scheduler.h"
#include "gpu/gpu.h"
#include "gpu/machine.h"
#include "mem/topology.h"

struct timed;

/* How the plan divides the grid: parts that are timed, and those before, between and behind them (gpu/grid_parts.h). */
struct grid_parts {
    uint64_t first;        /* CTAs at the begin of the grid that were timed by the first answers */
    struct plan_part next; /* the last answer: for CTAs up to its end */
    uint64_t untimed;      /* CTAs that were executed or left out so far */
    bool skipped;          /* some were left out */
    enum result_stop why;  /* the reason to leave them out (STOP_NONE: the grid is timed as far as the plan has said) */
};

/* Borrowed until it has ended. */
struct kernel_start {
    const struct timed_launch *launch;
    const struct occupancy *occupancy;
    struct kernel_result *result; /* is filled in */
    uint64_t cycle;               /* of its launch */
    bool waits;       /* kernels that it depends on are in flight: ACQBULK holds its warps until kernel_run_acquire */
    int priority;     /* of its stream: CTAs of a smaller number go first */
    uint32_t latency; /* cycles from its launch to its first CTA; 0: launch.latency */
};

struct kernel_run {
    struct timed_launch launch;
    uint32_t number; /* in the launch order of a run */
    const struct occupancy *occupancy;
    struct kernel_result *result;
    struct code_table table;
    struct cta_scheduler scheduler;
    struct cta_follow follow; /* the CTAs of each SM, where it follows a schedule */
    uint64_t launched;
    uint64_t first_cta;     /* cycle in which it starts (UINT64_MAX: none has been placed) */
    uint64_t last_cta_end;  /* when kernel_run_done, also not before the last acknowledgement */
    bool settled;           /* kernel_run_done */
    uint64_t preexits;      /* CTAs that have executed PREEXIT, or have ended: kernel_run_preexited */
    uint64_t preexit_cycle; /* of the last one */
    bool waits;             /* as kernel_start.waits, until kernel_run_acquire */
    bool told;              /* that it has preexited */
    bool shares;            /* its CTAs may be on an SM with those of others (gpu/tenants.h) */
    int priority;
    uint32_t latency;
    struct mem_counters before;    /* the memory system's when the kernel began */
    uint32_t sms;                  /* that belong to it */
    uint64_t active[TOPOLOGY_SMS]; /* cycles in which an SM had a CTA of it */
    struct grid_parts parts;
    uint64_t resident; /* CTAs that the GPU holds at once */
    bool ended;        /* its result has been told. An SM still has its code */
    struct kernel_run *next;
};

/* Appends a kernel to those in flight. The caller asks for the parts of its grid then (gpu/grid_parts.h). Returns NULL,
 * with status, when it cannot be launched. */
struct kernel_run *kernel_run_launch(struct timed *t, const struct kernel_start *start, struct status *status);
void kernel_run_free(struct kernel_run *k);

/* Returns whether a schedule tells where its CTAs run. */
static inline bool kernel_run_follows(const struct kernel_run *k) { return k->follow.cta; }

static inline bool kernel_run_waits(const struct kernel_run *k) { return k->scheduler.next < k->scheduler.total; }
/* The timed part that runs has ended. */
static inline bool kernel_run_rests(const struct kernel_run *k) { return k->scheduler.done == k->scheduler.total; }
/* No other timed part comes behind it. */
static inline bool kernel_run_last(const struct kernel_run *k)
{
    return kernel_run_rests(k) && k->parts.next.end == k->launch.ctas;
}
/* Memory has acknowledged all that its CTAs have sent, too. */
static inline bool kernel_run_done(const struct kernel_run *k) { return k->settled; }
/* Finds out whether the kernel is done. Between two quanta. */
void kernel_run_settle(struct timed *t, struct kernel_run *k);

/* Returns whether each of its CTAs has executed PREEXIT or has ended, the last at k->preexit_cycle: kernels that were
 * launched to depend on it (programmatic dependent launch) may begin. Of a grid that is timed in part, false before its
 * end. Quanta later than that cycle know it. */
static inline bool kernel_run_preexited(const struct kernel_run *k) { return k->preexits == k->launch.ctas; }
/* The launches that the kernel depends on are complete: warps that wait for it at ACQBULK go on. Between two quanta. */
void kernel_run_acquire(struct timed *t, struct kernel_run *k);
/* Counts the SMs' messages of PREEXIT. Between two quanta. */
void kernel_run_count_preexits(struct timed *t);

/* A running CTA takes over the work of the next CTA group: these will not begin, and count as done. `context` is
 * the struct kernel_run. Returns false if none is left; else *order is the number of the first. */
bool kernel_run_give_away(void *context, uint64_t *order);

/* Creates this SM if no CTA has used it yet. */
bool kernel_run_make_sm(struct timed *t, uint32_t sm, struct status *status);
/* An SM on which nothing is under way, and that belongs to none, becomes this kernel's, which will have up to `ctas`
 * CTAs on it at once. Touches nothing but the SM, which is there: may run for several at the same time. The caller
 * counts k->sms. */
bool kernel_run_take(struct timed *t, struct kernel_run *k, uint32_t sm, uint32_t ctas, struct status *status);

/* Returns the warp instructions that it has issued so far. */
uint64_t kernel_run_instructions(const struct timed *t, const struct kernel_run *k);

/* It is over at t->now, by itself or by a limit: its result is complete except for stop, complete and the members that
 * follow from them. */
void kernel_run_end(struct timed *t, struct kernel_run *k);

#endif

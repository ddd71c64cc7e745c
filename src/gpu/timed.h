/* A timed run: SMs and memory system in quanta (gpu/quantum.h), and the kernels in flight on them, mostly one. */
#ifndef SUBCORE_GPU_TIMED_H
#define SUBCORE_GPU_TIMED_H

#include "base/status.h"
#include "base/team.h"
#include "gpu/co_runner.h"
#include "gpu/front.h"
#include "gpu/gpu.h"
#include "gpu/hybrid.h"
#include "gpu/kernel_run.h"
#include "gpu/machine.h"
#include "gpu/spin_monitor.h"
#include "gpu/tenants.h"
#include "mem/mem.h"
#include "sm/sm.h"

struct timed_sm {
    struct sm sm;
    struct cta_queue queue;
    bool made; /* `sm` has been initialised */
    struct tenants tenants;
    uint64_t free_from;      /* the first CTA of another kernel can start */
    uint64_t began[SM_CTAS]; /* cycle in which the CTA in a slot became resident */
    char apart[HOST_LINE];   /* SMs of different threads share no cache line */
};

struct timed {
    const struct config *config;
    struct arena storage;              /* of the SMs */
    struct timed_sm *sms;              /* [config->gpu.sms] */
    uint32_t used;                     /* SMs that have belonged to a kernel, the first ones */
    uint32_t free_slots[TOPOLOGY_SMS]; /* CTA slots of an SM that are free for its kernel, a bit each */
    struct mem *mem;
    struct front front;
    bool answered;               /* groups have replies that no GPC has taken */
    bool cut;                    /* the SMs run a part of a quantum */
    atomic_bool short_of_memory; /* the host, found by a group */
    struct team *team;
    uint32_t quantum;
    struct kernel_run *kernels; /* in the order of their launches */
    uint32_t in_flight;         /* of these, have not ended */
    uint32_t numbered;          /* kernels that have been launched in this run */
    bool shares;                /* CTAs of several kernels may be on an SM */
    struct code_space code;     /* of kernels that share SMs; made at the first run that does */
    uint32_t next_code;         /* where the code of the last one is */
    uint64_t launch_at;         /* no kernel is launched, and none gets its first CTAs, before this cycle */
    uint64_t ended_ctas;        /* of kernels that have */
    uint64_t counted;           /* warp instructions that are in results and no longer in SMs */
    uint64_t now;
    struct co_runner co_runner;
    struct plan_past past;             /* of the launches before */
    uint64_t next_save;                /* when so many cycles of all launches are over (0: not known yet) */
    uint64_t end;                      /* of the running quantum */
    struct plan *plan;                 /* NULL: all is timed */
    const struct gpu_options *options; /* of this run */
    bool watched_by_plan;              /* a policy is asked between quanta */
    struct plan_bound bound;           /* of this run */
    struct plan_answer stop;           /* by which the plan has ended the run (PLAN_TIME: it has not) */
    struct spin_monitor spin;
    struct hazards *hazards;           /* NULL: not checked */
    const struct sm_observer *watched; /* `observer` hands on to it */
    struct sm_observer observer;       /* of runs in which the machine itself has to watch */
    bool watch;                        /* this is one */
    struct line_profile *lines;        /* NULL: not counted by instruction */
    struct sample_series *samples;     /* NULL: counters are not sampled */
    uint64_t next_sample;              /* the cycle from which on one is due */
    struct hybrid hybrid;              /* of launches of which one SM is timed */
    struct run_log *log;               /* NULL: nothing is logged */

    const struct cta_schedule *schedule; /* that the launches follow (NULL: none) */
    struct cta_schedule *places;         /* that the launches add to (NULL: none) */
};

/* Where the kernels of a run come from, and go to. */
struct timed_feed {
    void *self;
    /* The next kernel that was launched by cycle `now`, once; launch == NULL: none. */
    bool (*next)(void *self, uint64_t now, struct kernel_start *out, struct status *status);
    /* Returns the cycle by which `next` has to be called again. NULL: after an end or a PREEXIT. */
    uint64_t (*again)(void *self);
    /* Each CTA of a kernel has executed PREEXIT or has ended, the last at `cycle`. Told once, before its end. NULL: not
     * called. */
    void (*preexited)(void *self, const struct kernel_run *k, uint64_t cycle);
    /* A kernel has ended, and its result is complete; `cycle`: of its end. */
    bool (*ended)(void *self, const struct kernel_run *k, uint64_t cycle, struct status *status);
};

bool timed_init(struct timed *t, const struct config *config, unsigned threads, struct status *status);
void timed_free(struct timed *t);

/* Runs from the first launch, at cycle 0 with cold caches, until nothing is in flight. */
bool timed_run(struct timed *t, const struct timed_feed *feed, const struct gpu_options *options,
               struct status *status);
/* One kernel. */
bool timed_run_one(struct timed *t, const struct timed_launch *launch, const struct gpu_options *options,
                   struct kernel_result *result, struct status *status);

#endif

/* The functional machine as the source of a timed run: for each SM a core and the CTAs that are resident on it. */
#ifndef SUBCORE_GPU_EXEC_MACHINE_H
#define SUBCORE_GPU_EXEC_MACHINE_H

#include "base/arena.h"
#include "base/status.h"
#include "config/config.h"
#include "exec/core.h"
#include "exec/cta.h"
#include "exec/fault_report.h"
#include "exec/launch.h"
#include "exec/warp_state.h"
#include "gpu/machine.h"
#include "gpu/record.h"
#include "gpu/strict.h"
#include "sm/sm.h"

/* Host memory of the CTAs in a slot, kept from launch to launch. */
struct cta_storage {
    uint8_t *bytes;
    size_t room;
};

struct exec_machine_sm {
    struct exec_core core;
    struct exec_cta *cta[SM_CTAS];
    struct exec_warp *warp[SM_WARPS]; /* that have started, by slot */
    struct cta_storage storage[SM_CTAS];
    struct exec_machine *machine; /* of which it is */
    struct strict strict;         /* slots == 0: off */
    struct record *record;        /* NULL: not recorded */
};

/* A launch on the machine, to which its timed launch refers. */
struct exec_grid {
    struct exec_machine *machine;
    const struct exec_launch *launch;
};

struct exec_machine {
    const struct config *config;
    struct memory *memory;
    struct exec_machine_sm *sms;         /* [config->gpu.sms] */
    struct exec_core **cores;            /* theirs (NULL: not made yet) */
    struct arena arena;                  /* CTAs, and accesses in flight */
    struct exec_grid alone;              /* the launch that is, where there is one */
    bool strict;                         /* gpu/strict.h */
    struct record *record;               /* NULL: not recorded */
    struct exec_fault_report rest_fault; /* of the part that was executed without time */
};

bool exec_machine_init(struct exec_machine *e, const struct config *config, struct memory *memory,
                       struct status *status);
void exec_machine_free(struct exec_machine *e);

/* Prepares for a launch that runs alone and describes it. `strict`: consumers that issue too early read old values.
 * `record`: NULL, or the place where execution is recorded. Then one thread runs the launch. */
void exec_machine_begin(struct exec_machine *e, const struct exec_launch *launch, bool strict, struct record *record,
                        struct timed_launch *out);
/* Prepares for launches that share the machine. Each of them is described by exec_machine_add. */
void exec_machine_begin_shared(struct exec_machine *e);
/* `grid` is filled in, and borrowed until the launch has ended. */
void exec_machine_add(struct exec_machine *e, const struct exec_launch *launch, struct exec_grid *grid,
                      struct timed_launch *out);

/* Tells a CTA that is to start where its cluster is: the storages of its peers, which are those of other CTAs until
 * they start. */
void exec_machine_join(const struct exec_machine *e, struct exec_cta *cta, const struct cluster_place *place);

/* The error in the last launch; kind EXEC_FAULT_NONE when nothing did. */
struct exec_fault_report exec_machine_fault(const struct exec_machine *e);

#endif

/* Checks for kernels, like compute-sanitizer's: races, reads of unwritten memory, barriers, memory. A check
 * watches functional launches, instruction by instruction, and changes nothing. docs/checks.md describes the cover
 * and the limits of each check. */
#ifndef SUBCORE_CHECK_CHECK_H
#define SUBCORE_CHECK_CHECK_H

#include "base/status.h"
#include "check/found.h"
#include "exec/fault_report.h"
#include "exec/launch.h"
#include "exec/observers.h"
#include "exec/warp_state.h"

struct check_launch;

struct check {
    uint32_t checks; /* a bit each of enum check_bit */
    struct check_found found;
    struct check_launch *launch; /* that runs (NULL: none) */
    const struct exec_launch *of;
    uint32_t before; /* findings when it began */
    bool failed;     /* the host had no memory: some accesses were not checked */
};

void check_init(struct check *check, uint32_t checks);
void check_free(struct check *check);

/* Tells whether launches have to be watched. */
bool check_watches(const struct check *check);

/* A launch begins, lives until check_end, and is the only one. */
bool check_begin(struct check *check, const struct exec_launch *launch, struct status *status);
/* An instruction of this warp has executed. */
void check_issued(struct check *check, const struct exec_warp *warp, const struct issued *issued);
/* Findings of the checker between the proxies of shared memory. */
void check_proxy(struct check *check, const struct exec_finding *finding);
/* An access lies outside of all allocations and passes (exec/memory/access.h). `text` says where it is. */
void check_outside(struct check *check, const struct exec_warp *warp, uint32_t pc, unsigned lane, uint64_t address,
                   unsigned bytes, const char *text);
/* The launch has ended; `fault`: as it did, kind EXEC_FAULT_NONE for well. */
void check_end(struct check *check, const struct exec_fault_report *fault);

/* A program ends without having given this allocation back. */
void check_leak(struct check *check, uint64_t address, uint64_t bytes, const char *text);

#endif

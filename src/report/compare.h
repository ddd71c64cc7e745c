/* Runs side by side, from their JSON documents: how many cycles each kernel takes in both, and the events that take the
 * schedulers' cycles. Launches of one kernel are summed up. */
#ifndef SUBCORE_REPORT_COMPARE_H
#define SUBCORE_REPORT_COMPARE_H

#include <stdio.h>

#include "base/json.h"
#include "probe/result.h"
#include "report/page.h"

/* Counters that tell of a change in the work or its way to memory; X(field, path in a kernel's object, label). */
#define COMPARE_COUNTS(X)                                                                                              \
    X(instructions, "warp_instructions", "Warp instructions")                                                          \
    X(l1_sectors, "counters/sm/l1_sectors_load", "L1 load sectors")                                                    \
    X(l1_hits, "counters/sm/l1_sectors_load_hit", "of these, hits")                                                    \
    X(shared_conflicts, "counters/sm/shared_conflicts", "Shared-memory conflicts")                                     \
    X(l2_sectors, "counters/mem/l2_sectors_read", "L2 sectors read")                                                   \
    X(l2_hits, "counters/mem/l2_sectors_read_hit", "of these, hits")                                                   \
    X(dram_read, "counters/mem/dram_bytes_read", "DRAM bytes read")                                                    \
    X(dram_written, "counters/mem/dram_bytes_written", "DRAM bytes written")

enum {
#define X(field, path, label) COMPARE_##field,
    COMPARE_COUNTS(X)
#undef X
        COMPARE_COUNT_COUNT
};

/* Sums over the launches of a kernel that have cycles. */
struct compare_sums {
    uint64_t launches;
    double cycles, nanoseconds, event[CYCLE_EVENT_COUNT], count[COMPARE_COUNT_COUNT];
};

struct compare_kernel {
    char name[RESULT_NAME];
    struct compare_sums before, after; /* launches == 0: the run does not have the kernel */
};

struct compare {
    const char *before, *after; /* names of the runs */
    char gpu_before[64], gpu_after[64];
    bool same_configuration;
    struct compare_kernel *kernel; /* the one with the largest change of cycles first */
    size_t count, room;
    struct compare_sums all_before, all_after; /* of kernels that both have */
    uint64_t missing;                          /* kernels that only one has */
};

/* Compares `after` with `before`. Where each has launches of one kernel only, their names may differ. False, with
 * status: no memory, or a run has no timed launch. */
bool compare_runs(struct compare *compare, const struct page_run *before, const struct page_run *after,
                  struct status *status);
void compare_free(struct compare *compare);

/* The growth of both cycle counts, in percent. */
double compare_percent(const struct compare_sums *before, const struct compare_sums *after);

void compare_text(const struct compare *compare, FILE *out);
/* Writes an object, as docs/json.md describes it. */
void compare_json(const struct compare *compare, struct json *json, const char *key);

#endif

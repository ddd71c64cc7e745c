/* Sums over the launches of a program, kernel by kernel. */
#ifndef SUBCORE_REPORT_LAUNCHES_H
#define SUBCORE_REPORT_LAUNCHES_H

#include <stdio.h>

#include "base/json.h"
#include "config/config.h"
#include "probe/sample_sum.h"
#include "report/record.h"

/* All launches of one kernel. */
struct launch_sums {
    uint64_t hash; /* of its mangled name */
    char name[RESULT_NAME], mangled[RESULT_NAME];
    uint64_t launches;
    uint64_t timed; /* of these, have cycles: ran to their end, or have an estimate. The next four are theirs. In a
                     * sampled run `cycles` and `seconds` are those of all launches after launches_sort */
    uint64_t cycles, cycles_min, cycles_max;
    uint64_t estimated;
    double seconds; /* simulated */
    uint64_t warp_instructions;
    double host_seconds; /* wall time of the simulation */
    uint64_t failed;     /* ended with an error */
    int error;           /* the first */
    char error_name[RECORD_ERROR_NAME];
    uint64_t longest;       /* its launch with the most cycles, else instructions: how many records are before it */
    uint64_t longest_value; /* these cycles or instructions */
};

struct launches {
    struct launch_sums *kernels; /* after launches_sort the one with most simulated time first */
    size_t kernel_count, room;
    int32_t *processes; /* their ids, in the order of their first launches */
    size_t process_count;
    uint64_t count, timed, failed;
    uint64_t stopped;   /* at a limit, without an error */
    uint64_t estimated; /* of these, have estimated cycles */
    uint64_t repeated;  /* have the result of an earlier launch with the same trace */
    double seconds, host_seconds;
    double end; /* simulated seconds: the end of the last launch */
    uint64_t warp_instructions;
    struct sample_sum sample; /* of a sampled run; else without a launch */
};

/* False: out of memory. */
bool launches_add(struct launches *launches, const struct launch_record *record);
/* Of the record's process, counted in the order of first launches. */
size_t launches_process(const struct launches *launches, const struct launch_record *record);
/* Returns the launch's cycles: timed, estimated, or those of launches like it (0: it has none). */
uint64_t launches_cycles(const struct launch_record *record);
/* Returns whether the launch itself was timed, at least in part. */
bool launches_timed(const struct launch_record *record);
/* Estimates the part that a sampled run has not timed, and sorts. False: out of memory. */
bool launches_sort(struct launches *launches);
void launches_free(struct launches *launches);

/* The table: at most 112 columns, a line for each kernel, the sums below. */
void launches_print(const struct launches *launches, const struct config *config, FILE *out);

/* Writes the launch's members of a JSON object that is open (docs/json.md). `process` is counted from 0. */
void launches_json(const struct launch_record *record, size_t process, struct json *json);

/* One line a launch, with all derived values (report/metrics.def). Those of functional launches are empty. */
void launches_csv_heading(FILE *out);
/* `ranges`: names, with semicolons between. */
void launches_csv(const struct launch_record *record, size_t process, const char *ranges, const struct config *config,
                  FILE *out);

#endif

/* The instructions of several kernels with their cost, each kernel summed up over all of its timed launches:
 * --source for programs and traces. A sum can go through a file, from a program's process to its parent. Both
 * sides are built from the same source. */
#ifndef SUBCORE_REPORT_SOURCE_SUM_H
#define SUBCORE_REPORT_SOURCE_SUM_H

#include <stdio.h>

#include "base/json.h"
#include "base/status.h"
#include "isa/isa.h"
#include "probe/lines.h"
#include "probe/result.h"
#include "probe/samples.h"

/* The known facts of an instruction's origin. */
struct source_row {
    struct isa_inst inst;
    bool service;        /* code that the driver supplies */
    char function[64];   /* whose code it is (empty: the kernel's) */
    char file[128];      /* of the program's source (empty: not known) */
    char directory[128]; /* in which the compiler found it (empty: none) */
    uint32_t line;       /* from 1 (0: not known) */
};

struct source_kernel {
    char name[RESULT_NAME]; /* mangled */
    uint64_t launches;
    struct source_row *row;      /* [profile.count], owned */
    struct line_profile profile; /* the sum */
};

/* A launch, as its record names it. */
struct source_launch {
    int32_t process;
    uint64_t number, cycles;
};

struct source_sum {
    struct source_kernel *kernel; /* in the order of their first launches */
    size_t count;
    bool failed;                  /* the host had no memory for a kernel: it is left out */
    struct source_launch longest; /* of those with samples */
    struct sample_series samples; /* its; sample == NULL: there is none */
};

/* Adds the counters of a launch. Returns the kernel: where its `launches` is 1 the caller fills in its rows. NULL: the
 * host has no memory, or the profile is empty. */
struct source_kernel *source_sum_add(struct source_sum *sum, const char *kernel, const struct line_profile *profile);
/* Takes the samples of a launch over, if none before it was longer. */
void source_sum_samples(struct source_sum *sum, const struct source_launch *launch, struct sample_series *samples);
void source_sum_free(struct source_sum *sum);

/* Writes a sum (false: the stream has an error). */
bool source_sum_write(const struct source_sum *sum, FILE *to);
/* Adds the sums that one process has written to a file. One that does not exist holds nothing. */
bool source_sum_read(struct source_sum *sum, const char *path, struct status *status);

/* The kernels one after the other, as report_source has them, with a hint where lines are missing. `out` and `json`
 * (member "sources") may be NULL. `of_trace`: the hint says that traces have no lines. Lines of the program are read
 * from the files that the table names, or from here. */
void source_sum_report(const struct source_sum *sum, bool of_trace, FILE *out, struct json *json);

#endif

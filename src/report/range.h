/* Ranges and marks that a program tells tools about with NVTX, and which of its work lies in them. The libraries append
 * records to a file, `subcore exec` reads them.
 *
 * A command of the program (a launch, a copy) names its scope: the set of ranges that were open when the program
 * submitted it. The record of a scope lists them. */
#ifndef SUBCORE_REPORT_RANGE_H
#define SUBCORE_REPORT_RANGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum range_kind {
    RANGE_PUSH,  /* a range of a thread: push and pop */
    RANGE_START, /* a range of the process: start and end */
    RANGE_MARK,
    RANGE_SCOPE,
    RANGE_KINDS
};

enum { RANGE_DOMAIN = 64, RANGE_NAME = 192, RANGES_MOST = 32 /* of a scope; bytes of texts with their ends */ };

struct range_record {
    uint32_t layout; /* sizeof(struct range_record): both sides were built from the same source */
    int32_t process;
    uint32_t kind;
    uint32_t count;  /* of a scope: its ranges */
    uint64_t id;     /* of a range or a scope: each from 1 on in its process; 0 of a mark */
    uint64_t thread; /* that has made it, from 1 on in the order of their first ranges */
    uint64_t order;  /* commands that the process had submitted before */
    union {
        struct {
            char domain[RANGE_DOMAIN]; /* "": the default one */
            char name[RANGE_NAME];
        } text;
        uint64_t ranges[RANGES_MOST]; /* ids, the outermost first */
    };
};

/* Reads the next one, with texts that can be printed. False: the end, or a record that is none. */
bool range_next(FILE *from, struct range_record *record);

/* Returns whether `rule` names the range: NAME, or DOMAIN@NAME, with * and ? as in names of files. A rule without a
 * domain holds for all domains. */
bool range_is(const char *rule, const char *domain, const char *name);

#endif

/* Ranges and marks that the program tells tools about with NVTX (driver/nvtx): those that are open, and the scope of
 * each command. It has its own lock, since a program marks ranges while other threads wait with the driver's.
 *
 * Ranges of a thread (push and pop) hold the launches that the thread submits, ranges of the process (start and end)
 * what any thread does. The set of all these is the scope. A scope gets a number, and a record, when the first command
 * is submitted in it. */
#ifndef SUBCORE_DRIVER_RANGES_H
#define SUBCORE_DRIVER_RANGES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "driver/state/blocks.h"
#include "report/range.h"

struct open_range {
    uint64_t id;
    const char *domain; /* NULL: the default one. Domains are told apart by this address */
    bool chosen;        /* --nvtx names it */
};

/* Of one thread. */
struct thread_ranges {
    struct open_range open[RANGES_MOST]; /* the outermost first */
    unsigned count;
    unsigned deeper;  /* further ones that are open, and not seen */
    uint64_t thread;  /* its number (0: none yet) */
    uint64_t scope;   /* the present one, while `version` is that of the process's ranges (0: there is none yet) */
    uint64_t version; /* of the process's ranges */
    bool chosen;      /* a range of the scope is */
};

struct ranges {
    pthread_mutex_t lock;
    bool begun;         /* the environment was read */
    const char *path;   /* SUBCORE_RANGES: file that records are appended to (NULL: none) */
    const char *filter; /* SUBCORE_NVTX: as --nvtx, one per line (NULL: none) */
    int file;           /* 0: not open yet */
    bool failed;        /* it could not be written */
    uint64_t ids, scopes, threads;
    struct open_range open[RANGES_MOST]; /* of the process */
    unsigned count;
    uint64_t version; /* changes with them */
    _Atomic uint64_t submitted;
    struct nvtx_domain *domains; /* of driver/nvtx/names.h */
    struct nvtx_string *strings;
    struct blocks blocks; /* each is a range of the process too, in the domain "subcore" */
};

#define RANGES_INITIALIZER                                                                                             \
    {                                                                                                                  \
        .lock = PTHREAD_MUTEX_INITIALIZER, .blocks = {.lock = PTHREAD_MUTEX_INITIALIZER }                              \
    }

/* Where a command stands among the ranges. */
struct range_place {
    uint64_t scope;           /* 0: in no range */
    uint64_t order;           /* commands that the process had submitted before */
    bool chosen;              /* --nvtx names a range of the scope, or a block times its launches */
    enum block_choice choice; /* of the blocks that it is in */
};

/* Reads the environment, the first time. */
void ranges_begin(struct ranges *ranges);

void ranges_mark(struct ranges *ranges, const char *domain, const char *name);
/* The levels that these return count the ranges of the domain that are open in the thread around this one. A pop
 * without a push returns -1. */
int ranges_push(struct ranges *ranges, const char *domain, const char *name);
int ranges_pop(struct ranges *ranges, const char *domain);
/* Returns the number by which `ranges_end` knows it. */
uint64_t ranges_start(struct ranges *ranges, const char *domain, const char *name);
void ranges_end(struct ranges *ranges, uint64_t id);

/* The calling thread submits a command. */
struct range_place ranges_submit(struct ranges *ranges);

#endif
